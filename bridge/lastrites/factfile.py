"""Boards as ASP facts: reading them without evaluating anything, and printing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lastrites.board import Board
from lastrites.boardcards import BoardCards
from lastrites.errors import BoardError, Problem
from lastrites.factparse import parse_facts
from lastrites.game import Game, load_game
from lastrites.shape import Shape
from lastrites.terms import Term, Value, fn, order, strings
from lastrites.words import MAX_NUMBER

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
    "spare": ("ssn",),
    "owner": ("ss",),
    "unplaced": ("ss",),
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
    "offer": ("snt",),
    "offer_detail": ("ntn",),
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
    for key in (*shape.of_form("definition", "listed"), *shape.of_form("ability", "words")):
        known[key.constant(0)] = ("snt",)
    for key in shape.of_form("ability", "flag"):
        known[key.constant(0)] = ("sn",)
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
    if shape.of_form("board", "lasting"):
        known["lasting"] = ("ts",)
    for key in shape.of_form("card", "granted"):
        known[key.constant()] = ("ss",)
    for key in shape.of_form("card", "claims"):
        known[key.constant()] = ("sssn",)
    for key in shape.of_form("board", "pairs"):
        known[key.constant()] = ("ts",)
    for key in shape.of_form("board", "holder"):
        known[key.constant()] = ("s",)
    for key in shape.of_form("board", "holders"):
        known[key.constant()] = ("s",)
    # What items hold besides: fluents about the item, or about its card.
    for key in shape.of_form("board", "entries"):
        for inner in shape.of_form(key.constant(1), "place"):
            if len(inner.form.args) > 1:
                known[inner.constant(1)] = ("sv",)
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
        self.library = _library(game.shape)
        self.problems: list[Problem] = []
        self.needed: dict[str, set[str]] = {}
        self.defined: set[str] = set()
        self.spare: set[str] = set()
        self.by_name: dict[str, list[Term]] = {}
        for fact, _, _ in facts:
            self.by_name.setdefault(fact.name, []).append(fact)
            inner = fact.args[0] if fact.name == "init" and fact.args else None
            if isinstance(inner, Term):
                self.by_name.setdefault(f"init {inner.name}", []).append(inner)

    def column(self, name: str, place: int = 0) -> list[str]:
        """The strings at one place of all facts (``init zone``: of all fluents) of a name."""
        return [
            text
            for fact in self.by_name.get(name, ())
            for text in fact.args[place : place + 1]
            if isinstance(text, str)
        ]

    def check(self) -> None:
        """Raise BoardError with everything that is wrong."""
        printed = {key.constant(): ("ss",) for key in self.game.shape.of_form("player", "printed")}
        items = {key.constant(): ("ntv",) for key in self.game.shape.of_form("board", "entries")}
        known = {**_BOARD, **self.library, **printed, **items}
        fluents = _fluents(self.game.shape)
        words = _words_of_state(self.game)
        for fact, line, column in self.facts:
            wrong = _complaint(fact, known, "fact")
            if wrong is None and fact.name == "init" and isinstance(fact.args[0], Term):
                wrong = _complaint(fact.args[0], fluents, "fluent") or _unknown_word(fact.args[0], words)
            if wrong is not None:
                self.problems.append(Problem("LR-E030", self.file, line, column, *wrong))
        if not self.problems:
            self.check_together()
        if self.problems:
            raise BoardError(self.problems)

    def check_together(self) -> None:
        cards, players = set(self.column("card")), set(self.column("player"))
        named = cards | players | set(self.column("init is_place", 1))
        seen: dict[tuple[Value, ...], Term] = {}
        self.needed = {name: set(self.column(name)) for name in ("prints", "owner", "init zone")}
        self.defined, self.spare = set(self.column("title")), {*self.column("spare"), *self.column("unplaced")}
        lasting = (fluent.args[0] for fluent in self.by_name.get("init lasting", ()))
        self.spare.update(str(ability.args[0]) for ability in lasting if isinstance(ability, Term))
        for key in self.game.shape.of_form("card", "granted"):
            self.spare.update(self.column(f"init {key.constant()}", 1))
        for key in self.game.shape.of_form("board", "entries"):
            givers = {fn(inner.constant()) for inner in self.game.shape.of_form(key.constant(1), "granted")}
            items = [fact.args for fact in self.by_name.get(key.constant(), ()) if len(fact.args) == 3]
            self.spare.update(str(args[2]) for args in items if args[1] in givers)
        for fact, line, column in self.facts:
            for code, message, hint in self.mistakes(fact, cards, players, named, seen):
                self.problems.append(Problem(code, self.file, line, column, message, hint))
        for name in ("player", "active"):
            if not self.by_name.get(name):
                self.problems.append(Problem("LR-E013", self.file, 0, 0, f"`{name}/1` is missing"))

    def mistakes(
        self, fact: Term, cards: set[str], players: set[str], named: set[str], seen: dict[tuple[Value, ...], Term]
    ) -> Iterator[tuple[str, str, str]]:
        """Code, message and hint of what is wrong with a fact beside the others."""
        library, subject = self.game.cards.by_id, str(fact.args[0])
        if fact.name == "card":
            for name, described in self.needed.items():
                if subject not in described and not (name == "init zone" and subject in self.spare):
                    yield "LR-E013", f"`{name}` is missing for the card {subject}", ""
        elif fact.name == "prints" and fact.args[1] not in library and fact.args[1] not in self.defined:
            yield "LR-E018", f"unknown card `{fact.args[1]}`", "ids are those of the library"
        elif fact.name in self.library and subject in library:
            yield "LR-E033", f"`{subject}` is a card of the library", "define a card under another id"
        elif fact.name in ("active", "turn") and subject not in players:
            yield "LR-E024", f"`{subject}` is no player of this board", ""
        if fact.name in _ABOUT_CARDS or fact.name == "init" or fact.name.startswith("event"):
            texts = [subject] if fact.name in _ABOUT_CARDS else list(strings(fact))
            known = cards if fact.name in _ABOUT_CARDS else named
            yield from (("LR-E020", f"there is no fact {fn('card', text)}", "") for text in texts if text not in known)
        inner = fact.args[0] if fact.name == "init" and isinstance(fact.args[0], Term) else fact
        if inner.name in _ONCE:
            key = (inner.name, *inner.args[: _ONCE[inner.name]])
            first = seen.setdefault(key, inner)
            if first != inner:
                yield "LR-E030", f"`{inner}` contradicts `{first}`", "keep one of them"


_ABOUT_CARDS = ("prints", "owner", "unplaced", "override", "override_item", "listed")
_ONCE = {
    "active": 0,
    "turn": 1,
    "setting": 1,
    "prints": 1,
    "owner": 1,
    "override": 2,
    "override_item": 3,
    "listed": 1,
    "event": 1,
    "zone": 1,
    "place": 1,
    "host": 1,
    "num": 1,
}
"""Predicates and fluents that have one value for their first arguments."""


def _words_of_state(game: Game) -> dict[str, set[str]]:
    """Names of zones, quantities and marks that boards of the game have."""
    shape = game.shape
    found: dict[str, set[str]] = {"zone": {"at"}, "num": {"anonymous"}, "is": set()}
    for level in shape.levels:
        for key in shape.of_form(level, "zone", "attached", "card"):
            found["zone"].add(str(key.form.args[0]))
        for key in shape.of_form(level, "number", "numbers", "numbers_by_player"):
            found["num"].add(str(key.form.args[0]))
    for key in shape.of_form("board", "entries"):
        found["zone"].add(key.constant(2))
    for level in ("card", "player"):
        found["is"].update(str(key.form.args[0]) for key in shape.of_form(level, "flag"))
    for key in shape.of_form("card", "state"):
        found["is"].update(str(term) for term in game.words.terms.get(key.constant(), {}).values())
    return found


def _unknown_word(fluent: Term, words: dict[str, set[str]]) -> tuple[str, str] | None:
    """Why the zone, quantity or mark in a fluent is unknown, with a hint; None if it is known."""
    word = fluent.args[0] if fluent.name == "num" else fluent.args[-1]
    name = word.name if isinstance(word, Term) else ""
    if fluent.name in words and name not in words[fluent.name]:
        return f"`{word}` is unknown in `{fluent}`", "known: " + ", ".join(sorted(words[fluent.name]))
    return None


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
                    'add about(game,"NAME"). with the name of a game',
                )
            ]
        )
    game = load_game(head["game"], rules, file=path, line=at[0], column=at[1])
    checked = _FactBoard(game, path, facts)
    checked.check()
    cards = BoardCards(game.cards)
    for fact in checked.by_name.get("title", ()):
        cards.define(str(fact.args[0]), str(fact.args[1]))
    for fact in checked.by_name.get("prints", ()):
        cards.add(str(fact.args[0]), str(fact.args[1]))
    turns = {str(fact.args[0]): order(fact.args[1]) for fact in checked.by_name.get("turn", ())}
    players = sorted(checked.column("player"), key=lambda player: turns.get(player, ()))
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
