"""Expectations: what a board file says must come out, and whether it did.

An entry is a pattern for a final state. What it does not mention is not looked at, a zone that it mentions is
the whole zone. Patterns are compiled once from the located nodes of the file, with a problem for each mistake,
and then compared with states that have the shape of a board file.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from lastrites.boardcards import BoardCards
from lastrites.errors import BoardError, Problem
from lastrites.names import nearest
from lastrites.shape import Key, Shape
from lastrites.yamlio import List, Node, Scalar
from lastrites.yamlio import Mapping as MappingNode

ORDERED = ("line", "stack")
"""Orders of a zone that are always compared; `pile` is compared only when asked for."""

CHANCE = "chance"
"""Luck as one of those who decide; no player has this name."""

MAX_COUNT_DIGITS = 400
_COPY = re.compile(r"#[1-9]\d*$")


def base_name(card: str) -> str:
    """The name of a card without the number of the copy."""
    return _COPY.sub("", card)


# ---------------------------------------------------------------- what a mismatch is told as

@dataclass(frozen=True)
class Mismatch:
    """A place in a state where it differs from what was expected.

    ``weight`` is how many keys or cards differ there, ``gap`` how far numbers are apart.
    """

    path: str
    text: str
    weight: int = 1
    gap: int = 0

    def __str__(self) -> str:
        return f"{self.path}: {self.text}" if self.path else self.text


def shown(value: Any) -> str:
    """A value of a state as it would be written in a board file."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {shown(inside)}" for key, inside in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_shown_item(inside) for inside in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _shown_item(item: Any) -> str:
    if isinstance(item, Mapping) and len(item) == 1:
        ((name, state),) = item.items()
        return f"{name}: {shown(state)}"
    return shown(item)


# ---------------------------------------------------------------- patterns

class Pattern(Protocol):
    """Something that a value of a state may or may not be like."""

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        """Where `value` (None: absent) is not like the pattern."""


@dataclass(frozen=True)
class Exactly:
    """One value; an absent number is 0, an absent flag false."""

    value: Any
    absent: Any = None

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        found = self.absent if value is None else value
        if found == self.value and isinstance(found, bool) == isinstance(self.value, bool):
            return []
        text = f"expected {shown(self.value)}, found {'nothing' if found is None else shown(found)}"
        numbers = type(found) is type(self.value) is int
        return [Mismatch(path, text, gap=abs(found - self.value) if numbers else 0)]


@dataclass(frozen=True)
class InAll:
    """A number, of which a state may tell the parts by player."""

    value: int

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        return Exactly(self.value, 0).differences(sum(value.values()) if isinstance(value, Mapping) else value, path)


@dataclass(frozen=True)
class AsWritten:
    """A structure of words and numbers, compared as it is written; an empty one is an absent one."""

    value: Any

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        if shown(value) == shown(self.value) or (self.value in ([], {}) and value in (None, [], {})):
            return []
        return [Mismatch(path, f"expected {shown(self.value)}, found {'nothing' if value is None else shown(value)}")]


@dataclass(frozen=True)
class Entries:
    """A mapping of which only the mentioned keys are looked at."""

    entries: tuple[tuple[str, Pattern], ...]

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        content = value if isinstance(value, Mapping) else {}
        found = []
        for key, pattern in self.entries:
            found += pattern.differences(content.get(key), f"{path}, {key}" if path else key)
        return found


@dataclass(frozen=True)
class Items:
    """A list of mappings, compared in order."""

    items: tuple[Entries, ...]

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        found = list(value or ())
        if len(found) != len(self.items):
            return [Mismatch(path, f"expected {len(self.items)}, found {shown(found)}")]
        pairs = enumerate(zip(self.items, found, strict=True), 1)
        return [one for place, (item, other) in pairs for one in item.differences(other, f"{path} {place}")]


@dataclass(frozen=True)
class CardPattern:
    """A card, with what is said of its state: one of the `cards` of the board, or a created one of that name.

    Where exactly one card is meant, `created` is false.
    """

    name: str
    cards: frozenset[str]
    created: bool = True
    state: Entries = field(default_factory=lambda: Entries(()))

    def fits(self, item: Any) -> bool:
        """Whether a card of a state is like this one."""
        if isinstance(item, Mapping):
            if len(item) != 1:
                return False
            ((name, state),) = item.items()
        else:
            name, state = item, {}
        same = name in self.cards or (self.created and base_name(str(name)) == self.name)
        return same and not self.state.differences(state, "")

    def __str__(self) -> str:
        if not self.state.entries:
            return self.name
        inside = ", ".join(f"{key}: {_pattern_text(pattern)}" for key, pattern in self.state.entries)
        return f"{self.name}: {{{inside}}}"


def _pattern_text(pattern: Pattern) -> str:
    if isinstance(pattern, (Exactly, InAll, AsWritten)):
        return shown(pattern.value)
    if isinstance(pattern, Entries):
        return "{" + ", ".join(f"{key}: {_pattern_text(inside)}" for key, inside in pattern.entries) + "}"
    return str(pattern)


def pair_up(cards: Sequence[CardPattern], items: Sequence[Any]) -> dict[int, int]:
    """A largest pairing of patterns with cards that fit them, as positions."""
    fitting = [[place for place, item in enumerate(items) if card.fits(item)] for card in cards]
    taken: dict[int, int] = {}

    def place_card(card: int, tried: set[int]) -> bool:
        for item in fitting[card]:
            if item in tried:
                continue
            tried.add(item)
            if item not in taken or place_card(taken[item], tried):
                taken[item] = card
                return True
        return False

    for card in range(len(cards)):
        place_card(card, set())
    return {card: item for item, card in taken.items()}


def _collection(cards: Sequence[CardPattern], items: Sequence[Any], whole: bool) -> tuple[str, int]:
    """What is missing and what is too much, and how many cards that are; empty when all is well."""
    pairs = pair_up(cards, items)
    missing = [str(card) for place, card in enumerate(cards) if place not in pairs]
    extra = [_shown_item(item) for place, item in enumerate(items) if place not in pairs.values()]
    parts = []
    if missing:
        parts.append(f"missing {', '.join(missing)}")
    if extra and whole:
        parts.append(f"unexpected {', '.join(extra)}")
    if not parts:
        return "", 0
    # A card that is there in another state is one difference, not one missing and one too much.
    plain = [replace(card, state=Entries(())) for place, card in enumerate(cards) if place not in pairs]
    there = len(pair_up(plain, [item for place, item in enumerate(items) if place not in pairs.values()]))
    weight = len(missing) - there + (len(extra) if whole else there)
    if extra and not whole:
        parts.append(f"there is {', '.join(extra)}")
    return "; ".join(parts), weight


@dataclass(frozen=True)
class AnyOrder:
    """A part of an ordered list whose cards may stand in any order."""

    cards: tuple[CardPattern, ...]

    def __str__(self) -> str:
        return f"{{any order: [{', '.join(map(str, self.cards))}]}}"


@dataclass(frozen=True)
class WholeZone:
    """All cards of a zone: in the order given, or as a collection when `ordered` is false."""

    parts: tuple[CardPattern | AnyOrder, ...]
    ordered: bool

    def cards(self) -> list[CardPattern]:
        """All cards, in the order written."""
        found: list[CardPattern] = []
        for part in self.parts:
            found += part.cards if isinstance(part, AnyOrder) else (part,)
        return found

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        items = list(value or ())
        text, weight = _collection(self.cards(), items, whole=True)
        if text:
            return [Mismatch(path, text, weight)]
        if self.ordered and not self._in_order(items):
            return [Mismatch(path, f"expected the order {self}, found {shown(items)}")]
        return []

    def _in_order(self, items: Sequence[Any]) -> bool:
        place = 0
        for part in self.parts:
            if isinstance(part, AnyOrder):
                size = len(part.cards)
                if len(pair_up(part.cards, items[place : place + size])) != size:
                    return False
                place += size
            elif not part.fits(items[place]):
                return False
            else:
                place += 1
        return True

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.parts))}]"


@dataclass(frozen=True)
class OneOf:
    """One card by its name alone."""

    zone: WholeZone

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        return self.zone.differences([] if value is None else [value], path)


@dataclass(frozen=True)
class Contains:
    """Cards that a zone holds among others."""

    cards: tuple[CardPattern, ...]

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        text, weight = _collection(self.cards, list(value or ()), whole=False)
        return [Mismatch(path, text, weight)] if text else []

    def __str__(self) -> str:
        return f"{{contains: [{', '.join(map(str, self.cards))}]}}"


@dataclass(frozen=True)
class Place:
    """The mentioned keys of a player or of a named place beside the players.

    `zones` are the keys of zones with the key of their size, if there is one: cards that no one names are told
    by the size only, and count among the cards of the zone.
    """

    entries: tuple[tuple[str, Pattern], ...]
    sizes: Mapping[str, str] = field(default_factory=dict)

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        content: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        mentioned = {key for key, _ in self.entries}
        found = []
        for key, pattern in self.entries:
            inside = f"{path}, {key}" if path else key
            size = self.sizes.get(key)
            named = content.get(key) or ()
            if isinstance(pattern, Count):
                total = content.get(size, len(named)) if size else len(named)
                found += pattern.differences(total, inside)
                continue
            found += pattern.differences(self._value(content, key), inside)
            if isinstance(pattern, WholeZone) and size and size not in mentioned:
                unnamed = int(content.get(size, len(named))) - len(named)
                if unnamed > 0:
                    text = f"unexpected {unnamed} unnamed card{'s' * (unnamed != 1)}"
                    found.append(Mismatch(inside, text, unnamed))
        return found

    def _value(self, content: Mapping[str, Any], key: str) -> Any:
        if key in content:
            return content[key]
        # A size that is left out is the number of the named cards.
        for zone, size in self.sizes.items():
            if size == key:
                return len(content.get(zone) or ())
        return None


@dataclass(frozen=True)
class Count:
    """How many cards a zone holds, named or not."""

    number: int

    def differences(self, value: Any, path: str) -> list[Mismatch]:
        if value == self.number:
            return []
        text = f"expected {self.number} card{'s' * (self.number != 1)}, found {value}"
        return [Mismatch(path, text, gap=abs(int(value) - self.number))]

    def __str__(self) -> str:
        return f"{{count: {self.number}}}"


# ---------------------------------------------------------------- expectations

@dataclass(frozen=True)
class Entry:
    """One expected outcome."""

    line: int
    state: Entries
    deciders: frozenset[str] | None = None
    chance: bool | None = None

    def differences(self, outcome: Mapping[str, Any]) -> list[Mismatch]:
        """Where an outcome (in its JSON form) is not like this entry."""
        found = self.state.differences(outcome["state"], "")
        if self.deciders is not None:
            actual = frozenset(outcome.get("deciders", ()))
            if actual != self.deciders:
                text = f"expected {_people(self.deciders)}, found {_people(actual)}"
                found.append(Mismatch("deciders", text))
        if self.chance is not None and bool(outcome.get("chance")) != self.chance:
            found.append(Mismatch("chance", f"expected {shown(self.chance)}, found {shown(not self.chance)}"))
        return found


def _people(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nobody"


@dataclass(frozen=True)
class Expectation:
    """What must hold under some answers; `when` is empty if it must hold under all that are open.

    `refused` says that an event is refused: in some orders, while others have an outcome, or, where nothing else is
    expected, in all of them.
    """

    line: int
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    editions: tuple[str, ...] = ()
    outcomes: tuple[Entry, ...] | None = None
    distinct: int | None = None
    orders: str | None = None
    pile_order: bool = False
    refused: bool = False

    @property
    def asks_who_decides(self) -> bool:
        """Whether an entry looks at what is told of an outcome over a whole answer, not over one reading."""
        return any(entry.deciders is not None or entry.chance is not None for entry in self.outcomes or ())

    def failures(self, outcomes: Sequence[Mapping[str, Any]], orders: str, count: int | None = None) -> list[str]:
        """Lines that say what does not hold of these outcomes (JSON form) and this number of orders. ``count`` is how
        many outcomes there are, where they are not listed."""
        count = len(outcomes) if count is None else count
        lines: list[str] = []
        if self.orders is not None and str(orders) != self.orders:
            lines.append(f"orders: expected {self.orders}, found {orders}")
        if self.distinct is not None and count != self.distinct:
            lines.append(f"distinct: expected {self.distinct}, found {count}")
        if self.outcomes is not None:
            lines += self._unmatched(self.outcomes, outcomes)
        return lines

    def _unmatched(self, entries: Sequence[Entry], outcomes: Sequence[Mapping[str, Any]]) -> list[str]:
        differences = {
            (place, number): entry.differences(outcome)
            for place, outcome in enumerate(outcomes)
            for number, entry in enumerate(entries)
        }
        lines: list[str] = []

        def details(of: Sequence[list[Mismatch]], names: Sequence[str]) -> None:
            best = min(range(len(of)), key=lambda index: len(of[index]))
            lines.append(f"  the nearest is {names[best]}, but:")
            lines.extend(f"    {mismatch}" for mismatch in of[best])

        for place, outcome in enumerate(outcomes):
            row = [differences[place, number] for number in range(len(entries))]
            if all(row):
                lines.append(f"outcome {outcome['id']} was not expected")
                if row:
                    details(row, [f"the entry in line {entry.line}" for entry in entries])
                else:
                    lines.append(f"    {shown(outcome['state'])}")
        for number, entry in enumerate(entries):
            column = [differences[place, number] for place in range(len(outcomes))]
            if all(column):
                lines.append(f"the outcome expected in line {entry.line} does not come out")
                if column:
                    details(column, [f"outcome {outcome['id']}" for outcome in outcomes])
        return lines


# ---------------------------------------------------------------- compiling

@dataclass(frozen=True)
class Scope:
    """What an expectation may speak of.

    `cards` finds the cards of the board, and tells an unknown name from one of a card that is not here (it may
    still be created). `book` gives the answers to each question and the names of the editions; it is asked only
    if an expectation depends on them.
    """

    file: str
    shape: Shape
    players: tuple[str, ...]
    cards: BoardCards
    book: Callable[[], tuple[Mapping[str, tuple[str, ...]], tuple[str, ...]]] = lambda: ({}, ())


def compile_expectations(node: Node, scope: Scope) -> tuple[Expectation, ...]:
    """The expectations of a board file. Raises BoardError with a problem for each mistake."""
    compiler = _Compiler(scope)
    found = compiler.expectations(node)
    if compiler.problems:
        raise BoardError(sorted(compiler.problems, key=lambda problem: (problem.line, problem.column)))
    return found


def compile_entry(node: Node, scope: Scope) -> Entry:
    """One described outcome, as it stands under ``outcomes:``. Raises BoardError."""
    compiler = _Compiler(scope)
    entry = compiler.entry(node)
    if compiler.problems or entry is None:
        raise BoardError(compiler.problems)
    return entry


_KEYS = ("when", "outcomes", "distinct", "orders", "pile order", "refused", "known to")


class _Compiler:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.problems: list[Problem] = []
        self.pile_order = False
        self.here = ""

    def note(self, code: str, node: Node, message: str, hint: str = "") -> None:
        self.problems.append(Problem(code, self.scope.file, node.line, node.column, message, hint))

    # ------------------------------------------------------------ the outer form

    def expectations(self, node: Node) -> tuple[Expectation, ...]:
        nodes = node.items if isinstance(node, List) else (node,)
        found = [self.expectation(inside) for inside in nodes]
        return tuple(filter(None, found))

    def expectation(self, node: Node) -> Expectation | None:
        if not isinstance(node, MappingNode):
            self.note("LR-E014", node, "an expectation is a mapping", f"with some of the keys {', '.join(_KEYS)}")
            return None
        self.pile_order = False
        refused = False
        for key, value in node.entries:
            if key.text not in _KEYS:
                self.unknown_key(key, _KEYS)
            elif key.text == "pile order":
                self.pile_order = self.flag(value)
            elif key.text == "refused":
                refused = self.flag(value)
        when, editions = self.when(node.get("when"))
        outcomes = node.get("outcomes")
        distinct, orders = node.get("distinct"), node.get("orders")
        nothing = outcomes is None and distinct is None and orders is None
        if not self.problems and nothing and not refused:
            hint = "write `outcomes`, `distinct`, `orders` or `refused: true`"
            self.note("LR-E013", node, "this expectation checks nothing", hint)
        return Expectation(
            node.line,
            when,
            editions,
            (() if nothing and refused else None) if outcomes is None else self.entries(outcomes),
            None if distinct is None else self.how_many(distinct),
            None if orders is None else self.orders(orders),
            self.pile_order,
            refused,
        )

    def unknown_key(self, key: Scalar, known: Iterable[str]) -> None:
        known = list(known)
        close = nearest(key.text, known, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"possible here: {', '.join(known)}"
        self.note("LR-E012", key, f"unknown key `{key.text}`", hint)

    def when(self, node: Node | None) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
        when: dict[str, tuple[str, ...]] = {}
        editions: tuple[str, ...] = ()
        if node is None:
            return when, editions
        if not isinstance(node, MappingNode):
            self.note("LR-E014", node, "`when` is a mapping from questions to answers", "when: {question: answer}")
            return when, editions
        questions, known = self.scope.book()
        for key, value in node.entries:
            if key.text == "edition":
                editions = self.words(value, known, "edition")
            elif key.text not in questions:
                close = nearest(key.text, [*questions, "edition"], 1)
                hint = f"did you mean `{close[0]}`?" if close else ""
                self.note("LR-E031", key, f"unknown question `{key.text}`", hint)
            else:
                when[key.text] = self.words(value, questions[key.text], f"answer to `{key.text}`")
        return when, editions

    def words(self, node: Node, known: Sequence[str], what: str) -> tuple[str, ...]:
        found = []
        for inside in node.items if isinstance(node, List) else (node,):
            if not isinstance(inside, Scalar) or inside.absent:
                self.note("LR-E014", inside, f"an {what} is a word", f"possible here: {', '.join(known)}")
            elif inside.text not in known:
                self.note("LR-E031", inside, f"unknown {what}: {inside.text}", f"possible here: {', '.join(known)}")
            else:
                found.append(inside.text)
        return tuple(dict.fromkeys(found))

    def flag(self, node: Node) -> bool:
        if isinstance(node, Scalar) and node.text in ("true", "false"):
            return node.text == "true"
        self.note("LR-E014", node, "true or false is meant here")
        return False

    def number(self, node: Node) -> int:
        if isinstance(node, Scalar) and re.fullmatch(r"0|[1-9]\d{0,2}", node.text):
            return int(node.text)
        self.note("LR-E015", node, "a whole number from 0 to 999 is meant here")
        return 0

    def how_many(self, node: Node) -> int:
        if isinstance(node, Scalar):
            plain = node.text.replace("_", "").replace(",", "")
            if len(plain) <= MAX_COUNT_DIGITS and re.fullmatch(r"0|[1-9]\d*", plain, re.ASCII):
                return int(plain)
        self.note("LR-E015", node, "a number of outcomes is a whole number")
        return 0

    def orders(self, node: Node) -> str:
        """A number of orders outgrows every other number; thousands may be separated by ``_`` or ``,``."""
        if isinstance(node, Scalar):
            plain = node.text.replace("_", "").replace(",", "")
            if plain == "infinite" or (len(plain) <= MAX_COUNT_DIGITS and re.fullmatch(r"0|[1-9]\d*", plain, re.ASCII)):
                return plain
        self.note("LR-E015", node, "a number of orders is a whole number, or `infinite`")
        return "0"

    # ------------------------------------------------------------ entries

    def entries(self, node: Node) -> tuple[Entry, ...]:
        if not isinstance(node, List):
            self.note("LR-E014", node, "`outcomes` is a list", "begin each outcome with `- `")
            return ()
        return tuple(entry for entry in map(self.entry, node.items) if entry is not None)

    def entry(self, node: Node) -> Entry | None:
        if not isinstance(node, MappingNode):
            self.note("LR-E014", node, "an outcome is a mapping", "with players as keys")
            return None
        state: list[tuple[str, Pattern]] = []
        deciders: frozenset[str] | None = None
        chance: bool | None = None
        self.here = ""
        others = self.scope.shape.keys("outcome") + self.scope.shape.of_form("board", "places")
        for key, value in node.entries:
            other = next((other for other in others if other.text == key.text), None)
            if key.text in self.scope.players:
                self.here = key.text
                state.append((key.text, self.place(value, "player")))
            elif key.text == "deciders":
                deciders = self.people(value)
            elif key.text == "chance":
                chance = self.flag(value)
            elif other is not None and other.form.name == "places":
                state.append((key.text, self.places(value, other.constant(0))))
            elif other is not None:
                state.append((key.text, self.value(value, other)))
            else:
                known = [*self.scope.players, *(other.text for other in others), "deciders", "chance"]
                close = nearest(key.text, known, 1)
                hint = f"did you mean `{close[0]}`?" if close else f"possible here: {', '.join(known)}"
                self.note("LR-E024", key, f"unknown player or key `{key.text}`", hint)
        return Entry(node.line, Entries(tuple(state)), deciders, chance)

    def people(self, node: Node) -> frozenset[str]:
        if not isinstance(node, List):
            self.note("LR-E014", node, f"`deciders` is a list of players, or `{CHANCE}`")
            return frozenset()
        found = set()
        for inside in node.items:
            luck = isinstance(inside, Scalar) and inside.text == CHANCE
            name = CHANCE if luck else self.player(inside)
            if name:
                found.add(name)
        return frozenset(found)

    def player(self, node: Node) -> str:
        if isinstance(node, Scalar) and node.text in self.scope.players:
            return node.text
        told = f"unknown player `{node.text}`" if isinstance(node, Scalar) else "a player is meant here"
        self.note("LR-E024", node, told, f"players of this board: {', '.join(self.scope.players)}")
        return ""

    def places(self, node: Node, level: str) -> Pattern:
        if not isinstance(node, MappingNode):
            self.note("LR-E014", node, "a mapping from names to what is there is meant here")
            return Entries(())
        return Entries(tuple((key.text, self.place(value, level)) for key, value in node.entries))

    def place(self, node: Node, level: str) -> Pattern:
        if not isinstance(node, MappingNode):
            self.note("LR-E014", node, "a mapping is meant here", "for example {hand: [Name]}")
            return Entries(())
        keys = {key.text: key for key in self.scope.shape.keys(level)}
        found: list[tuple[str, Pattern]] = []
        for name, value in node.entries:
            if name.text in keys:
                found.append((name.text, self.value(value, keys[name.text])))
            else:
                self.unknown_key(name, keys)
        zones = {key.constant(0): key.text for key in keys.values() if key.form.name == "zone"}
        sizes = {
            zones[key.constant(0)]: key.text
            for key in keys.values()
            if key.form.name == "size" and key.constant(0) in zones
        }
        return Place(tuple(found), sizes)

    def value(self, node: Node, key: Key) -> Pattern:
        """The pattern for the value of a key, by the form that the shape gives it."""
        match key.form.name:
            case "number" | "size":
                return Exactly(self.number(node), 0)
            case "override":
                return Exactly(self.number(node))
            case "flag":
                return Exactly(self.flag(node), False)
            case "zone":
                return self.zone(node, self.is_ordered(key))
            case "cards" if not isinstance(node, MappingNode) or self.is_special(node):
                return self.zone(node, self.is_ordered(key))
            case "cards":
                return self.zones_of_players(node, key)
            case "attached":
                return self.zone(node, ordered=False)
            case "owner":
                return Exactly(self.player(node), self.here or None)
            case "holder":
                nobody = isinstance(node, Scalar) and node.text == "none"
                return Exactly("none" if nobody else self.player(node), "none")
            case "numbers" | "numbers_by_player" if isinstance(node, MappingNode):
                return Entries(tuple((name.text, Exactly(self.number(inside), 0)) for name, inside in node.entries))
            case "numbers_by_player":
                return InAll(self.number(node))
            case "entries" if isinstance(node, List):
                level = {inner.text: inner for inner in self.scope.shape.keys(key.constant(1))}
                return Items(tuple(self.item(inside, level) for inside in node.items))
            case "pairs" if isinstance(node, MappingNode):
                return Entries(
                    tuple((name.text, Exactly(str(self.plain(inside)), "none")) for name, inside in node.entries)
                )
            case _:
                return AsWritten(self.plain(node))

    def item(self, node: Node, keys: Mapping[str, Key]) -> Entries:
        """One item of a list of mappings."""
        if not isinstance(node, MappingNode):
            self.note("LR-E014", node, "a mapping is meant here", f"with the keys {', '.join(keys)}")
            return Entries(())
        found: list[tuple[str, Pattern]] = []
        for name, value in node.entries:
            if name.text not in keys:
                self.unknown_key(name, keys)
            elif keys[name.text].form.name == "source":
                cards = WholeZone(self.cards(List((value,), value.line, value.column)), True)
                found.append((name.text, OneOf(cards)))
            elif keys[name.text].form.name == "flag":
                found.append((name.text, Exactly(self.flag(value), False)))
            elif keys[name.text].form.name == "number":
                found.append((name.text, Exactly(self.number(value))))
            else:
                found.append((name.text, AsWritten(self.plain(value))))
        return Entries(tuple(found))

    def plain(self, node: Node) -> Any:
        """Text, list or mapping as it is written, for values that the shape does not explain further."""
        if isinstance(node, Scalar):
            return node.text
        if isinstance(node, List):
            return [self.plain(inside) for inside in node.items]
        return {key.text: self.plain(value) for key, value in node.entries}

    # ------------------------------------------------------------ cards

    def is_ordered(self, key: Key) -> bool:
        """Whether the order of cards in this zone is looked at."""
        order = key.constant(1)
        return order in ORDERED or (order == "pile" and self.pile_order)

    @staticmethod
    def is_special(node: Node) -> bool:
        """Whether this is {any order: ..}, {contains: ..} or {count: ..}."""
        return (
            isinstance(node, MappingNode)
            and len(node.entries) == 1
            and node.entries[0][0].text in ("any order", "contains", "count")
        )

    def zones_of_players(self, node: Node, key: Key) -> Pattern:
        assert isinstance(node, MappingNode)  # the caller has looked
        found: list[tuple[str, Pattern]] = []
        for name, value in node.entries:
            if name.text in self.scope.players:
                self.here = name.text
                found.append((name.text, self.zone(value, self.is_ordered(key))))
            else:
                self.player(name)
        return Entries(tuple(found))

    def zone(self, node: Node, ordered: bool) -> Pattern:
        if isinstance(node, MappingNode):
            if not self.is_special(node):
                hint = "[Name, Name], or {any order: [...]}, {contains: [...]}, {count: n}"
                self.note("LR-E014", node, "a zone is a list of cards", hint)
                return WholeZone((), False)
            ((word, inside),) = node.entries
            if word.text == "count":
                return Count(self.number(inside))
            cards = self.cards(inside)
            return Contains(cards) if word.text == "contains" else WholeZone(cards, False)
        if not isinstance(node, List):
            self.note("LR-E014", node, "a zone is a list", "write [] for an empty zone, [Name] for one card")
            return WholeZone((), False)
        parts: list[CardPattern | AnyOrder] = []
        self.joined(node)
        for item in node.items:
            if isinstance(item, MappingNode) and self.is_special(item):
                ((word, inside),) = item.entries
                if word.text == "any order":
                    parts.append(AnyOrder(self.cards(inside)))
                else:
                    self.note("LR-E014", item, f"`{word.text}` stands for a whole zone, not inside a list")
            else:
                parts += self.card(item)
        return WholeZone(tuple(parts), ordered)

    def cards(self, node: Node) -> tuple[CardPattern, ...]:
        if not isinstance(node, List):
            self.note("LR-E014", node, "a list of cards is meant here")
            return ()
        self.joined(node)
        return tuple(card for item in node.items for card in self.card(item))

    def joined(self, node: List) -> None:
        """Complain of neighbours that are one name with a comma, cut in two by YAML."""
        for left, right in itertools.pairwise(node.items):
            name = right.entries[0][0] if isinstance(right, MappingNode) and right.entries else right
            if not isinstance(left, Scalar) or not isinstance(name, Scalar) or left.quoted or name.quoted:
                continue
            whole = f"{left.text}, {name.text}"
            if self.scope.cards.printed(whole) is not None:
                self.note("LR-E021", left, f"`{whole}` is one card", f'a name with a comma needs quotes: "{whole}"')

    def card(self, node: Node) -> list[CardPattern]:
        """The card written here; nothing, and a problem noted, if it is none."""
        state = Entries(())
        name: Node = node
        if isinstance(node, MappingNode):
            if len(node.entries) != 1:
                self.note("LR-E014", node, "a card is its name, or one name with its state", "Name: {damage: 2}")
                return []
            name, value = node.entries[0]
            state = self.card_state(value)
        if not isinstance(name, Scalar) or name.absent:
            self.note("LR-E014", name, "the name of a card is meant here")
            return []
        found = self.card_name(name)
        return [replace(found, state=state)] if found is not None else []

    def card_state(self, node: Node) -> Entries:
        if isinstance(node, Scalar) and node.absent:
            return Entries(())
        if not isinstance(node, MappingNode):
            self.note("LR-E014", node, "the state of a card is a mapping", "Name: {damage: 2}")
            return Entries(())
        keys = {key.text: key for key in self.scope.shape.keys("card") if key.form.name != "id"}
        found: list[tuple[str, Pattern]] = []
        for name, value in node.entries:
            if name.text in keys:
                found.append((name.text, self.value(value, keys[name.text])))
            else:
                self.unknown_key(name, keys)
        return Entries(tuple(found))

    def card_name(self, node: Scalar) -> CardPattern | None:
        """The card that a name means, whatever its state; None, and a problem noted, if there is none."""
        cards, text = self.scope.cards, node.text
        if text in cards.ids:
            return CardPattern(cards.ids[text], frozenset({cards.ids[text]}), created=False)
        printed, copy = cards.card_and_copy(text)
        if printed is None:
            self.note("LR-E018", node, f"unknown card `{text}`", cards.suggest(text))
            return None
        if copy is None:
            here = (card for card, id in cards.prints.items() if id == printed)
            return CardPattern(cards.title(printed), frozenset(here))
        found = cards.find(text)
        if len(found) == 1:
            return CardPattern(found[0], frozenset(found), created=False)
        copies = [card for card, id in cards.prints.items() if id == printed]
        hint = f"there is {', '.join(copies)}" if copies else cards.suggest(text, here=True)
        self.note("LR-E020", node, f"`{text}` is not on this board", hint)
        return None
