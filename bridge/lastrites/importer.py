"""Set-ups of another engine, as JSON, read as boards by the facts of a game's ``import.lp``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lastrites.boardcards import split_copy
from lastrites.errors import BoardError, Problem
from lastrites.game import Game, known_games, load_game, rules_folder
from lastrites.names import nearest
from lastrites.state import State
from lastrites.terms import Term
from lastrites.yamlio import MAX_DEPTH, read_text

FACTS = "import.lp"
MAX_NUMBER = 999

Json = Any
"""What :mod:`json` makes of a text."""


@dataclass(frozen=True)
class Imported:
    """One set-up: its name, the board as plain values for :func:`lastrites.yamlio.dump`, and the outcomes that
    the engine gave, if it told any, in the shape of ``players:`` (without numbers of copies)."""

    name: str
    board: dict[str, Any]
    outcomes: list[State]


class Guide(NamedTuple):
    """The facts of ``rules/<game>/import.lp``, explained in ``rules/core/import.lp``."""

    forms: dict[str, dict[str, Term]]
    lies: dict[str, str]
    everyone: dict[str, str]
    supposed: list[tuple[str, str, int]]
    stands_in: dict[str, str]
    unseen: frozenset[str]


def guide(game: Game) -> Guide:
    """How set-ups are read as boards of the game. Raises BoardError when it does not say so."""
    path = game.rules / game.name / FACTS
    if not path.is_file():
        message = f"the rules of {game.name} do not say how to import a board"
        raise BoardError([Problem("LR-E017", "--game", 0, 0, message)])
    from lastrites.solver import read_facts

    found = Guide({}, {}, {}, [], {}, frozenset())
    unseen = set()
    for fact in read_facts([path]):
        match fact:
            case Term("imports", (Term(level, ()), str(key), Term() as form)):
                found.forms.setdefault(level, {})[key] = form
            case Term("lies", (Term(kind, ()), str(to))):
                found.lies[kind] = to
            case Term("everyone", (str(words), Term(kind, ()))):
                found.everyone[words] = kind
            case Term("supposed", (str(key), str(instead), int(number))):
                found.supposed.append((key, instead, number))
            case Term("stands_in", (str(to), str(id))):
                found.stands_in[to] = id
            case Term("unseen", (str(to),)):
                unseen.add(to)
    return found._replace(unseen=frozenset(unseen))


def importing_games(rules: Path | None = None) -> list[str]:
    """Names of the games whose rules say how to import a board."""
    folder = rules if rules is not None else rules_folder()
    return [name for name in known_games(folder) if (folder / name / FACTS).is_file()]


def import_file(path: Path, game: str | None = None, rules: Path | None = None) -> tuple[list[Imported], list[Problem]]:
    """The set-ups of a file: one as JSON, or one on each line (NDJSON).

    Gives those that can be read, and the mistakes in the others. Raises BoardError when the file as a whole
    cannot be read, or when ``game`` is not given and more than one could be meant.
    """
    games = [game] if game is not None else importing_games(rules)
    if len(games) != 1:
        known = ", ".join(games) or "none"
        raise BoardError([Problem("LR-E017", str(path), 0, 0, f"give the game with --game; there is: {known}")])
    rules_of = load_game(games[0], rules, file="--game")
    reads = guide(rules_of)
    found: list[Imported] = []
    problems: list[Problem] = []
    for number, text in _records(read_text(path, "a file with set-ups of another engine"), path):
        try:
            reader = _Reader(rules_of, reads, str(path), number)
            found.append(reader.record(reader.parse(text), path.stem))
        except BoardError as error:
            problems += error.problems
    return found, problems


def _records(text: str, path: Path) -> list[tuple[int, str]]:
    """The set-ups of a text with the lines they begin at: the whole text, or each line that is not empty."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise BoardError([Problem("LR-E009", str(path), 0, 0, "the file is empty")])
    first = lines[0][1].strip()
    by_line = len(lines) > 1 and first.startswith("{") and first.endswith("}")
    return lines if by_line else [(1, text)]


class _Twice(Exception):
    """A key stands twice in one mapping."""


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(next(key for key in keys if keys.count(key) > 1))
    return found


def _depth(value: Json) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max((_depth(item) for item in inside), default=0)


@dataclass
class _Card:
    """A card of the set-up: where it lies and what it is called on the board."""

    id: str
    kind: str
    player: str
    state: dict[str, Any]
    attached: dict[str, list[_Card]] = field(default_factory=dict)
    called: str = ""

    def walk(self) -> Iterator[_Card]:
        yield self
        for cards in self.attached.values():
            for card in cards:
                yield from card.walk()


_BAD_CHARACTER = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_REFERENCE = re.compile(r"(?s)(?:([^:]+):)?(.+)")


class _Reader:
    """Reads one set-up. Mistakes are gathered and raised together."""

    def __init__(self, game: Game, guide: Guide, file: str, line: int) -> None:
        self.game, self.guide, self.file, self.line = game, guide, file, line
        self.problems: list[Problem] = []
        self.kinds: dict[str, str] = {}
        self.unknown: set[str] = set()

    def note(self, code: str, where: str, message: str, hint: str = "") -> None:
        """Remember a mistake at the place ``where`` of the JSON, as in ``player1.inPlay[2]``."""
        self.problems.append(Problem(code, self.file, self.line, 1, f"{where}: {message}" if where else message, hint))

    def done(self) -> None:
        """Raise BoardError if there were mistakes."""
        if self.problems:
            raise BoardError(self.problems)

    # ---- JSON

    def parse(self, text: str) -> Json:
        """The value that the text stands for."""
        try:
            value = json.loads(text, object_pairs_hook=_unique)
            if _depth(value) > MAX_DEPTH:
                self.note("LR-E010", "", f"nested more than {MAX_DEPTH} levels deep")
            elif any(_BAD_CHARACTER.search(inner) for inner in _texts(value)):
                self.note("LR-E003", "", "a text contains control characters or what is no character")
            else:
                return value
        except json.JSONDecodeError as error:
            line = self.line + error.lineno - 1
            hint = "what another engine wrote is read here; a board file needs no import"
            self.problems.append(Problem("LR-E036", self.file, line, error.colno, f"not JSON: {error.msg}", hint))
        except _Twice as twice:
            self.note("LR-E006", "", f"`{twice}` stands twice in one mapping")
        except RecursionError:
            self.note("LR-E010", "", f"nested more than {MAX_DEPTH} levels deep")
        except ValueError:  # a number with thousands of digits
            self.note("LR-E015", "", "a number is out of range")
        raise BoardError(self.problems)

    def entries(self, level: str, value: Json, where: str) -> Iterator[tuple[str, Term, Json, str]]:
        """The entries of a mapping: key, form, value, and where that stands."""
        if not isinstance(value, dict):
            self.note("LR-E014", where, "a mapping is expected here")
            return
        forms = self.guide.forms.get(level, {})
        for key, inner in value.items():
            if key in forms:
                yield key, forms[key], inner, f"{where}.{key}" if where else key
            else:
                close = nearest(key, forms, 1)
                hint = f"did you mean {close[0]}?" if close else "known here: " + ", ".join(forms)
                self.note("LR-E012", where, f"unknown key `{key}`", hint)

    def number(self, value: Json, where: str) -> int:
        """A whole number of the range that boards allow; 0 with a note where it is none."""
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER:
            return value
        self.note("LR-E015", where, f"a whole number from 0 to {MAX_NUMBER} is expected here")
        return 0

    def text(self, value: Json, where: str) -> str:
        """A text; an empty one with a note where it is none."""
        if isinstance(value, str) and value.strip():
            return value
        self.note("LR-E014", where, "a text is expected here")
        return ""

    def items(self, value: Json, where: str) -> list[tuple[Json, str]]:
        """The items of a list, with where they stand."""
        if isinstance(value, list):
            return [(item, f"{where}[{place}]") for place, item in enumerate(value)]
        self.note("LR-E014", where, "a list is expected here")
        return []

    # ---- the whole set-up

    def record(self, value: Json, name: str) -> Imported:
        """A set-up by itself, or with a name and the engine's outcomes. Raises BoardError."""
        wrappers = [key for key, form in self.guide.forms.get("record", {}).items() if form.name == "scenario"]
        if not (isinstance(value, dict) and any(key in value for key in wrappers)):
            board = self.scenario(value, "", name)
            self.done()
            return Imported(name, board, [])
        scenario: tuple[Json, str] = ({}, "")
        told: list[tuple[Json, str]] = []
        for _, form, inner, where in self.entries("record", value, ""):
            if form.name == "title":
                name = self.text(inner, where)
            elif form.name == "scenario":
                scenario = inner, where
            elif form.name == "outcomes":
                told = self.items(inner, where)
        board = self.scenario(*scenario, name)
        outcomes = [self.outcome(inner, where) for inner, where in told]
        self.done()
        return Imported(name, board, outcomes)

    def scenario(self, value: Json, where: str, name: str) -> dict[str, Any]:
        """A set-up as a board."""
        self.look_up(value)
        players: dict[str, dict[str, Any]] = {}
        texts: dict[str, str] = {}
        chosen: dict[str, dict[str, str]] = {}
        active = ""
        action: tuple[Json, str] | None = None
        for key, form, inner, place in self.entries("scenario", value, where):
            if form.name == "player":
                players[key], chosen[key] = self.player(key, self.with_supposed(inner), place)
            elif form.name == "active":
                active = self.text(inner, place)
            elif form.name == "text":
                texts[_to(form)] = self.text(inner, place)
            elif form.name == "action":
                action = inner, place
        players = dict(sorted(players.items()))
        active = active or next(iter(players), "")
        if not players:
            if isinstance(value, dict):
                self.note("LR-E013", where, "no player is described")
        elif active not in players:
            self.note("LR-E024", where, f"unknown player `{active}`", "players: " + ", ".join(players))
        self.call_cards(players)
        board: dict[str, Any] = {"game": self.game.name, "title": name, "active": active}
        board |= {**chosen.get(active, {}), **texts}
        event = self.event(*action, players) if action is not None else None
        board["players"] = {player: self.written(zones) for player, zones in players.items()}
        if event is not None:
            board["event"] = event
        return board

    def outcome(self, value: Json, where: str) -> State:
        """A state that the engine told, in the shape of ``players:``."""
        state = value.get("state") if isinstance(value, dict) else None
        if not isinstance(state, dict):
            self.note("LR-E014", where, "an outcome is a mapping with the key `state`")
            return {}
        self.look_up(state)
        return {player: self.written(self.player(player, of, f"{where}.{player}")[0]) for player, of in state.items()}

    def with_supposed(self, value: Json) -> Json:
        """A player with what the engine supposes where nothing is said."""
        if not isinstance(value, dict):
            return value
        more = {to: number for key, to, number in self.guide.supposed if key not in value and to not in value}
        return {**value, **more}

    # ---- cards

    def look_up(self, value: Json) -> None:
        """Learn the types of all cards that the JSON may name."""
        ids = {text for text in _texts(value) if text in self.game.cards.by_id} - set(self.kinds)
        for fact in self.game.card_facts(ids):
            match fact:
                case Term("kind", (str(id), Term(kind, ()))):
                    self.kinds[id] = kind

    def player(self, player: str, value: Json, where: str) -> tuple[dict[str, Any], dict[str, str]]:
        """A player's numbers and cards by the keys of the board file, and what is set for the whole board."""
        written: dict[str, Any] = {}
        chosen: dict[str, str] = {}
        for _, form, inner, place in self.entries("player", value, where):
            if form.name == "number":
                written[_to(form)] = self.number(inner, place)
            elif form.name == "counted":
                marks = inner.values() if isinstance(inner, dict) else None
                written[_to(form)] = sum(map(bool, marks)) if marks is not None else self.number(inner, place)
            elif form.name == "cards":
                written[_to(form)] = self.cards(player, inner, place)
            elif form.name == "active_house":
                chosen[_to(form)] = self.text(inner, place)
            elif form.name == "by_kind":
                for card in self.cards(player, inner, place):
                    if card.kind in self.guide.lies:
                        written.setdefault(self.guide.lies[card.kind], []).append(card)
                    else:
                        self.note("LR-E016", place, f"`{card.id}` ({card.kind}) cannot lie here by itself")
        ranks = {key.text: place for place, key in enumerate(self.game.shape.keys("player"))}
        return {key: written[key] for key in sorted(written, key=lambda key: ranks.get(key, 0))}, chosen

    def cards(self, player: str, value: Json, where: str) -> list[_Card]:
        """A list of cards; those that are unknown are left out, with a note."""
        found = (self.card(player, item, place) for item, place in self.items(value, where))
        return [card for card in found if card is not None]

    def card(self, player: str, value: Json, where: str) -> _Card | None:
        id: str | None = None
        state: dict[str, Any] = {}
        attached: dict[str, list[_Card]] = {}
        if isinstance(value, str):
            id = value
        else:
            for _, form, inner, place in self.entries("card", value, where):
                if form.name == "card":
                    id = self.text(inner, place)
                elif form.name == "number":
                    state[_to(form)] = self.number(inner, place)
                elif form.name == "flag":
                    state[_to(form)] = inner if isinstance(inner, bool) else self.number(inner, place) > 0
                elif form.name == "number_in":
                    state[_to(form)] = {str(form.args[1]): self.number(inner, place)}
                elif form.name == "cards":
                    attached[_to(form)] = self.cards(player, inner, place)
            if id is None and isinstance(value, dict):
                self.note("LR-E013", where, "it is not said which card this is")
        if not id:
            return None
        if id not in self.kinds:
            self.note_unknown(id, where)
            return None
        return _Card(id, self.kinds[id], player, {key: it for key, it in state.items() if it}, attached)

    def note_unknown(self, id: str, where: str) -> None:
        """Note that the library lacks a card, once for each."""
        if id not in self.unknown:
            self.unknown.add(id)
            close = nearest(id, self.game.cards.by_id)
            hint = f"did you mean {' or '.join(close)}?" if close else "the library does not have it"
            self.note("LR-E018", where, f"unknown card `{id}`", hint)

    def call_cards(self, players: Mapping[str, Mapping[str, Any]]) -> None:
        """Name all cards as the board will name them, copies being counted in the order of the file."""
        cards = list(_all_cards(players))
        counts: dict[str, int] = {}
        for card in cards:
            card.called = self.game.cards.by_id[card.id].name
            counts[card.called] = counts.get(card.called, 0) + 1
        copies: dict[str, int] = {}
        for card in cards:
            copies[card.called] = number = copies.get(card.called, 0) + 1
            if counts[card.called] > 1:
                card.called = f"{card.called}#{number}"

    def written(self, zones: Mapping[str, Any]) -> dict[str, Any]:
        """A player as plain values."""
        return {
            key: [self.card_written(card) for card in value] if isinstance(value, list) else value
            for key, value in zones.items()
            if value
        }

    def card_written(self, card: _Card) -> Any:
        name = self.game.cards.by_id[card.id].name
        attached = {key: [self.card_written(other) for other in cards] for key, cards in card.attached.items() if cards}
        state = {**card.state, **attached}
        return {name: state} if state else name

    # ---- the event

    def event(self, value: Json, where: str, players: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
        """What happens, in the words of the board file."""
        entries = list(self.entries("action", value, where))
        if len(entries) != 1:
            if not self.problems:
                self.note("LR-E025", where, "exactly one action is expected")
            return None
        ((_, form, inner, place),) = entries
        cards = list(_all_cards(players))

        def find(text: Json, where: str) -> str:
            return self.reference(self.text(text, where), cards, where)

        if form.name == "card":
            return {_to(form): find(inner, place)}
        if form.name == "amounts":
            if not isinstance(inner, dict):
                self.note("LR-E014", place, "a mapping is expected here")
                return None
            return {_to(form): {find(card, place): self.number(number, place) for card, number in inner.items()}}
        if form.name == "some" and isinstance(inner, str) and inner in self.guide.everyone:
            zone = self.guide.lies.get(self.guide.everyone[inner], "")
            lying = [card for zones in players.values() for card in zones.get(zone, ())]
            return {_to(form): [card.called for card in lying]}
        return {_to(form): [find(card, at) for card, at in self.items(inner, place)]}

    def reference(self, text: str, cards: Sequence[_Card], where: str) -> str:
        """The name on the board of the card that ``player:id#2`` (or less) means: of those of the player called so
        the second, in the order of the set-up."""
        match = _REFERENCE.fullmatch(text)
        player, name = (match[1], match[2]) if match else (None, text)
        id, copy = split_copy(name)
        if id not in self.kinds:
            self.note_unknown(id, where)
            return text
        fitting = [card.called for card in cards if card.id == id and player in (None, card.player)]
        if not fitting or (copy or 1) > len(fitting):
            here = ", ".join(dict.fromkeys(f"{card.player}:{card.id}" for card in cards[:20]))
            self.note("LR-E020", where, f"`{text}` is not on this board", f"on this board: {here}" if here else "")
            return text
        if copy is None and len({card.player for card in cards if card.called in fitting}) > 1:
            self.note("LR-E019", where, f"`{text}` fits cards of several players", "write `player:card`")
        return fitting[(copy or 1) - 1]


def _to(form: Term) -> str:
    return str(form.args[0])


def _texts(value: Json) -> Iterator[str]:
    """All texts in the JSON, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value:
            yield from _texts(item)
        if isinstance(value, dict):
            yield from _texts(list(value.values()))


def _all_cards(players: Mapping[str, Mapping[str, Any]]) -> Iterator[_Card]:
    for zones in players.values():
        for value in zones.values():
            if isinstance(value, list):
                for card in value:
                    yield from card.walk()
