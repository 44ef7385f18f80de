"""Boards as ASP facts: reading them without evaluating anything, and printing them.

A file of facts is taken apart by a small parser of its own. Rules, variables, directives and scripts are
refused before any solver could see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lastrites.board import Board
from lastrites.boardcards import BoardCards
from lastrites.errors import BoardError, Problem
from lastrites.game import Game, load_game
from lastrites.shape import Shape
from lastrites.terms import Term, Value, fn, order
from lastrites.words import MAX_NUMBER

_TOKEN = re.compile(
    r"""(?P<space>\s+|%\*(?:.|\n)*?\*%|%(?!\*)[^\n]*)
      | (?P<name>_*[a-z][A-Za-z0-9_']*)
      | (?P<number>-?[0-9]+)
      | (?P<string>"(?:[^"\\\n]|\\["\\n])*")
      | (?P<mark>[(),]|\.(?!\.))""",
    re.VERBOSE,
)
_WRONG = (
    (re.compile(r":-|:~"), "a rule", "a board holds facts only"),
    (re.compile(r"#\w*"), "a directive", "a board holds facts only: no #script, #include, #show"),
    (re.compile(r"_*[A-Z]\w*|_"), "a variable", "a board holds facts only: names begin with a small letter"),
    (re.compile(r"[;|{}]|\.\."), "a pool, choice or interval", "write every fact out"),
    (re.compile(r"[-+*/\\^&~]"), "arithmetic", "write the number itself"),
    (
        re.compile(r'"'),
        "a string that does not end",
        'strings end with " on the same line; \\" stands for a quote',
    ),
)
_MAX_DEPTH = 20


class _WrongFactError(Exception):
    """The text is no list of facts; says where and why."""

    def __init__(self, place: int, message: str, hint: str = "") -> None:
        self.place, self.message, self.hint = place, message, hint
        super().__init__(message)


def parse_facts(text: str, file: str = "<text>") -> list[tuple[Term, int, int]]:
    """The facts of a text with line and column of each. Raises BoardError (LR-E029) at the first mistake."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        return [(term, *_position(text, place)) for term, place in _Parser(text).facts()]
    except _WrongFactError as error:
        line, column = _position(text, error.place)
        raise BoardError([Problem("LR-E029", file, line, column, error.message, error.hint)]) from None


def _position(text: str, place: int) -> tuple[int, int]:
    return text.count("\n", 0, place) + 1, place - (text.rfind("\n", 0, place) + 1) + 1


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.next = 0

    def _tokens(self) -> Iterator[tuple[str, str, int]]:
        place = 0
        while place < len(self.text):
            match = _TOKEN.match(self.text, place)
            if match is None:
                for pattern, what, hint in _WRONG:
                    if pattern.match(self.text, place):
                        raise _WrongFactError(place, f"{what} cannot stand in a board of facts", hint)
                raise _WrongFactError(place, f"`{self.text[place]}` cannot stand in a board of facts")
            if match.lastgroup != "space":
                yield str(match.lastgroup), match[0], place
            place = match.end()

    def peek(self) -> tuple[str, str, int]:
        return self.tokens[self.next] if self.next < len(self.tokens) else ("end", "the end", len(self.text))

    def take(self, *wanted: str) -> str:
        kind, token, place = self.peek()
        if token not in wanted or kind == "string":
            raise _WrongFactError(place, f"{' or '.join(wanted)} is expected here, not {token}")
        self.next += 1
        return token

    def facts(self) -> Iterator[tuple[Term, int]]:
        while self.next < len(self.tokens):
            kind, token, place = self.peek()
            if kind != "name" or token == "not":
                raise _WrongFactError(place, f"a fact begins with a name, not with {token}", "write name(arguments).")
            fact = self.term(0)
            if not isinstance(fact, Term):
                raise _WrongFactError(place, "a fact is expected here")
            self.take(".")
            yield fact, place

    def term(self, depth: int) -> Value:
        kind, token, place = self.peek()
        if depth > _MAX_DEPTH:
            raise _WrongFactError(place, "nested too deeply")
        if kind == "number":
            if len(token) > 9:
                raise _WrongFactError(place, f"{token} is out of range", f"numbers go from 0 to {MAX_NUMBER}")
            self.next += 1
            return int(token)
        if kind == "string":
            self.next += 1
            return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], token[1:-1])
        if kind == "name" and token != "not":
            self.next += 1
            return Term(token, self.arguments(depth)) if self.peek()[1:2] == ("(",) else Term(token)
        if token == "(":
            return Term("", self.arguments(depth))
        raise _WrongFactError(place, f"a term is expected here, not {token}")

    def arguments(self, depth: int) -> tuple[Value, ...]:
        self.take("(")
        found = [self.term(depth + 1)]
        while self.take(",", ")") == ",":
            found.append(self.term(depth + 1))
        return tuple(found)


# ---- what a board may state

_HEAD = ("game", "title", "source", "edition")
_KINDS = {"s": "a string", "n": f"a number from 0 to {MAX_NUMBER}", "t": "a term", "v": "any value"}
_BOARD = {
    "about": ("tv",),
    "player": ("s",),
    "turn": ("sn",),
    "active": ("s",),
    "setting": ("tv",),
    "card": ("s",),
    "prints": ("ss",),
    "owner": ("ss",),
    "override": ("stn",),
    "override_item": ("stnt",),
    "listed": ("sn",),
    "init": ("t",),
    "event": ("nts",),
    "event_card": ("nns",),
    "event_amount": ("nsn", "nssn"),
    "event_choice": ("nnv",),
    "event_subset": ("nn",),
    "event_detail": ("ntv",),
    "instruct": ("nnt",),
}
_LIBRARY = {
    "title": ("ss",),
    "stat": ("stn",),
    "ability": ("snt",),
    "condition": ("snt",),
    "step": ("snnt",),
    "gives": ("sntn",),
    "watches": ("snt",),
    "instead": ("sn",),
}


def _library(shape: Shape) -> dict[str, tuple[str, ...]]:
    """Predicates that define a card, those of the shape's own included."""
    known: dict[str, tuple[str, ...]] = dict(_LIBRARY)
    for key in shape.of_form("definition", "word", "words", "symbols"):
        known[key.constant(0)] = ("st",)
    for key in shape.of_form("definition", "listed"):
        known[key.constant(0)] = ("snt",)
    return known


def _fluents(shape: Shape) -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {
        "zone": ("sst",),
        "place": ("sn",),
        "host": ("ss",),
        "num": ("tn",),
        "is": ("st",),
        "is_place": ("ts",),
    }
    for level in shape.levels:
        for key in shape.of_form(level, "holder", "holders"):
            known[key.constant()] = ("ss",)
    return known


def _fits(value: Value, kind: str) -> bool:
    if kind == "s":
        return isinstance(value, str)
    if kind == "n":
        return isinstance(value, int) and 0 <= value <= MAX_NUMBER
    return kind == "v" or isinstance(value, Term)


def _complaint(fact: Term, known: dict[str, tuple[str, ...]], what: str) -> tuple[str, str] | None:
    """Why the fact is none of those known, with a hint; None if it is one."""
    forms = known.get(fact.name)
    if forms is None:
        return f"`{fact.name}` is no {what} that boards have", "known: " + ", ".join(sorted(known))
    for form in forms:
        if len(form) == len(fact.args) and all(map(_fits, fact.args, form)):
            return None
    usage = " or ".join(f"{fact.name}({', '.join(_KINDS[kind] for kind in form)})" for form in forms)
    return f"`{fact}` has other arguments than this {what} takes", f"write {usage}"


class _FactBoard:
    """Facts of a file, checked one by one and then together."""

    def __init__(self, game: Game, file: str, facts: list[tuple[Term, int, int]]) -> None:
        self.game, self.file, self.facts = game, file, facts
        self.problems: list[Problem] = []
        self.by_name: dict[str, list[tuple[Term, int, int]]] = {}
        for fact, line, column in facts:
            self.by_name.setdefault(fact.name, []).append((fact, line, column))

    def note(self, code: str, line: int, column: int, message: str, hint: str = "") -> None:
        self.problems.append(Problem(code, self.file, line, column, message, hint))

    def column(self, name: str, place: int = 0) -> list[Value]:
        return [fact.args[place] for fact, _, _ in self.by_name.get(name, ()) if len(fact.args) > place]

    def check(self) -> None:
        library = _library(self.game.shape)
        known = {**_BOARD, **library}
        fluents = _fluents(self.game.shape)
        for fact, line, column in self.facts:
            wrong = _complaint(fact, known, "fact")
            if wrong is None and fact.name == "init" and isinstance(fact.args[0], Term):
                wrong = _complaint(fact.args[0], fluents, "fluent")
            if wrong is not None:
                self.note("LR-E030", line, column, *wrong)
        if not self.problems:
            self.check_references(library)
        if self.problems:
            raise BoardError(self.problems)

    def check_references(self, library: dict[str, tuple[str, ...]]) -> None:
        players, cards = set(self.column("player")), set(self.column("card"))
        defined = set(self.column("title"))
        prints = {fact.args[0] for fact, _, _ in self.by_name.get("prints", ())}
        lying = [
            fact.args[0].args[0]
            for fact, _, _ in self.by_name.get("init", ())
            if isinstance(fact.args[0], Term) and fact.args[0].name == "zone"
        ]
        for fact, line, column in self.facts:
            if fact.name == "card":
                for found, what in ((prints, "prints/2"), (set(lying), "init(zone(...))")):
                    if fact.args[0] not in found:
                        self.note("LR-E013", line, column, f"`{what}` is missing for the card {fact.args[0]}")
                if lying.count(fact.args[0]) > 1:
                    self.note("LR-E030", line, column, f"the card {fact.args[0]} lies in two zones")
            elif fact.name == "prints" and fact.args[1] not in defined and fact.args[1] not in self.game.cards.by_id:
                self.note("LR-E018", line, column, f"unknown card `{fact.args[1]}`", "ids are those of the library")
            elif fact.name in library and fact.args[0] in self.game.cards.by_id:
                self.note(
                    "LR-E033",
                    line,
                    column,
                    f"`{fact.args[0]}` is a card of the library",
                    "define a card under another id",
                )
            elif fact.name == "active" and fact.args[0] not in players:
                self.note("LR-E024", line, column, f"`{fact.args[0]}` is no player of this board")
            for place in _CARD_ARGUMENTS.get(fact.name, ()):
                if fact.args[place] not in cards:
                    self.note("LR-E020", line, column, f"there is no fact {fn('card', fact.args[place])}")
        for name in ("player", "active"):
            if not self.by_name.get(name):
                self.note("LR-E013", 0, 0, f"`{name}/1` is missing")


_CARD_ARGUMENTS = {
    "prints": (0,),
    "owner": (0,),
    "override": (0,),
    "override_item": (0,),
    "listed": (0,),
    "event_card": (2,),
}


def read_facts_board(text: str, path: str, rules: Path | None = None) -> Board:
    """A board from facts in the vocabulary that :func:`facts_text` prints. Raises BoardError."""
    facts = parse_facts(text, path)
    head: dict[str, str] = {}
    readings: dict[str, str] = {}
    at = (0, 0)
    for fact, line, column in facts:
        match fact:
            case Term("about", (Term(key, ()), str(value))) if key in _HEAD:
                head[key] = value
                at = (line, column) if key == "game" else at
            case Term("about", (Term("reading", (str(question),)), str(answer))):
                readings[question] = answer
    if "game" not in head:
        raise BoardError(
            [
                Problem(
                    "LR-E013",
                    path,
                    1,
                    1,
                    "`about(game,...)` is missing",
                    'add about(game,"keyforge"). or another game',
                )
            ]
        )
    game = load_game(head["game"], rules, file=path, line=at[0], column=at[1])
    checked = _FactBoard(game, path, facts)
    checked.check()
    cards = BoardCards(game.cards)
    for fact, _, _ in checked.by_name.get("title", ()):
        cards.define(str(fact.args[0]), str(fact.args[1]))
    for fact, _, _ in checked.by_name.get("prints", ()):
        cards.add(str(fact.args[0]), str(fact.args[1]))
    turns = sorted(checked.by_name.get("turn", ()), key=lambda found: order(found[0].args[1]))
    players = [str(fact.args[0]) for fact, _, _ in turns] or [str(name) for name in checked.column("player")]
    return Board(
        path=path,
        game=game.name,
        players=tuple(players),
        facts=tuple(fact for fact, _, _ in facts if fact.name != "about"),
        rules=game,
        cards=cards,
        title=head.get("title", ""),
        source=head.get("source", ""),
        edition=head.get("edition"),
        readings=readings,
    )


# ---- printing


def facts_text(board: Board) -> str:
    """The board as ASP facts, grouped, in a form that :func:`read_facts_board` reads back."""
    about = [fn("about", fn("game"), board.game)]
    for key, value in (("title", board.title), ("source", board.source), ("edition", board.edition)):
        if value:
            about.append(fn("about", fn(key), value))
    about += [fn("about", fn("reading", question), answer) for question, answer in board.readings.items()]
    groups: dict[str, list[Term]] = {"The board": about}
    for fact in board.facts:
        groups.setdefault(_group(fact, board), []).append(fact)
    parts = []
    for title, facts in groups.items():
        parts.append(f"% {' '.join(title.split())}\n" + "".join(f"{line}\n" for line in _lines(facts)))
    return "\n".join(parts)


def _lines(facts: Iterable[Term]) -> Iterator[str]:
    """Facts side by side as long as they are about the same thing and fit in a line."""
    line = ""
    for fact in facts:
        text = f"{fact}."
        if line and len(line) + len(text) < 100:
            line += " " + text
        else:
            if line:
                yield line
            line = text
    if line:
        yield line


def _group(fact: Term, board: Board) -> str:
    if fact.name in ("active", "setting"):
        return "The board"
    if fact.name in ("player", "turn"):
        return "Players"
    if fact.name.startswith("event") or fact.name == "instruct":
        return f"Event {fact.args[0]}"
    subject: Value = fact
    while isinstance(subject, Term) and subject.args:
        subject = subject.args[0]
    if isinstance(subject, str) and subject in board.cards.prints:
        return subject
    if isinstance(subject, str) and subject in board.cards.titles:
        return f"A card of the board's own: {board.cards.titles[subject]}"
    return "Players"
