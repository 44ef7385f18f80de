"""Items that wait to resolve, from fluents to the entries of a board file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lastrites.lasting import granted_card
from lastrites.shape import Key, Shape
from lastrites.terms import Term, Value, order
from lastrites.words import Words

Entry = dict[str, Any]


@dataclass(frozen=True)
class _Item:
    """An item as it lies: what it is, its block (the frame or the rank that it shares), whether it is pending."""

    term: Term
    block: tuple[bool, int]
    player: str

    @property
    def pending(self) -> bool:
        return self.block[0]


class EntryWriter:
    """Writes the items of one list that a board may have, such as a Chain.

    An item is t(Source,Ability,Record); what the arguments of a record are the shape says by ``record/3``.
    """

    def __init__(self, key: Key, shape: Shape, words: Words, written: Mapping[str, Any]) -> None:
        """``written`` keeps what cards have been given as the file of the board writes it."""
        self.written = written
        self.frame, self.waiting = key.constant(2), key.constant(3)
        self.shape, self.words = shape, words
        self.keys = {inner.constant(): inner for inner in shape.keys(key.constant(1))}
        self.level = shape.keys(key.constant(1))

    def entries(self, fluents: Iterable[Term]) -> list[Entry]:
        """The items, bottom first, then those that are pending, in the order in which they become final."""
        fluents = list(fluents)
        items = self._items(fluents)
        found = [self._entry(item, fluents) for item in items]
        for place, (item, entry) in enumerate(zip(items, found, strict=True)):
            if place and items[place - 1].block == item.block:
                entry[self._text("together")] = True
        self._number(items, found)
        texts = [key.text for key in self.level]
        return [dict(sorted(entry.items(), key=lambda pair: texts.index(pair[0]))) for entry in found]

    def _items(self, fluents: list[Term]) -> list[_Item]:
        players: dict[int, str] = {}
        for fluent in fluents:
            match fluent:
                case Term("frame", (int(level), Term(name, (str(player),)))) if name == self.frame:
                    players[level] = player
        found = []
        for fluent in fluents:
            match fluent:
                case Term("pend", (int(level), Term() as term)) if level in players:
                    found.append(_Item(term, (False, level), players[level]))
                case Term(name, (int(rank), Term() as term)) if name == self.waiting:
                    found.append(_Item(term, (True, rank), str(self._parts(term).get("player", ""))))
        return sorted(found, key=lambda item: (item.block, order(item.term)))

    def _parts(self, term: Term) -> dict[str, Value]:
        """What the record of an item holds, by name; ``player`` is who controls the item."""
        record = term.args[2]
        found: dict[str, Value] = {}
        if isinstance(record, Term):
            for place, what in self.shape.records.get(record.name, {}).items():
                if place <= len(record.args):
                    found["player" if self.keys[what].form.name == "player" else what] = record.args[place - 1]
        return found

    def _text(self, what: str) -> str:
        return self.keys[what].text

    def _entry(self, item: _Item, fluents: list[Term]) -> Entry:
        source, ability, _ = item.term.args
        by_form = {key.form.name: key for key in reversed(self.level)}
        entry: Entry = {by_form["source"].text: source, by_form["player"].text: item.player}
        entry.update(self._ability(source, ability))
        if item.pending:
            entry[by_form["flag"].text] = True
        parts = self._parts(item.term)
        parts.pop("player", None)
        for what, value in parts.items():
            self._part(entry, self.keys[what], value, item.player)
        for key in self.level:
            about = self._besides(key, item.term, fluents)
            if about is not None:
                entry[key.text] = about
        return entry

    def _ability(self, source: Value, ability: Value) -> Entry:
        """Which ability it is: the number of one of its own, one that another card gives, or what the rules do."""
        if not isinstance(ability, Term):
            return {}
        giver, number = ability.args
        if not isinstance(giver, str):
            for key in self.level:
                if key.form.name == "word":
                    return {key.text: self.words.text(key.constant(1), ability)}
            return {}
        numbers = next(key for key in self.level if key.form.name == "number")
        given: Entry = {}
        if giver != source:
            granted = isinstance(source, str) and giver == granted_card(source)
            form, what = ("granted", self.written.get(str(source))) if granted else ("card", giver)
            given = {key.text: what for key in self.level if key.form.name == form}
            given = dict(list(given.items())[:1])
        return {**given, **({numbers.text: number} if number != 1 else {})}

    def _part(self, entry: Entry, key: Key, value: Value, player: str) -> None:
        """Write one argument of a record; the constant ``none`` stands for what was not recorded."""
        form = key.form.name
        if value == Term("none", ()):
            return
        if form == "flag":
            if value == Term("yes", ()):
                entry[key.text] = True
        elif form == "place" and isinstance(value, Term):
            word = str(self.words.text("place", Term(value.name, ())))
            entry[key.text] = word if value.args in ((), (player,)) else {word: value.args[0]}
        elif form == "card" and isinstance(value, Term):
            entry[key.text] = value.args[0]
            entry[self._text(value.name)] = True
        elif not (form == "number" and self.is_instance(key) and value == 1):
            entry[key.text] = value

    def is_instance(self, key: Key) -> bool:
        """Whether the number tells apart items that are the same otherwise: the last of the keys for numbers."""
        return key == [other for other in self.level if other.form.name == "number"][-1]

    def _besides(self, key: Key, item: Term, fluents: list[Term]) -> Any:
        """What fluents say of an item beside its record, where the form of a key names one."""
        if len(key.form.args) < 2 or key.form.name not in _BESIDES:
            return None
        return _BESIDES[key.form.name](key.constant(1), item, fluents)

    def _number(self, items: list[_Item], entries: list[Entry]) -> None:
        """Number the items that a reader could not tell apart otherwise."""
        numbers = [key for key in self.level if key.form.name == "number" and self.is_instance(key)]
        for key in numbers:
            for item in items:
                alike = [other for other in items if _but_for(item.term, other.term)]
                parts = self._parts(item.term)
                if len(alike) > 1 and key.constant() in parts:
                    entries[items.index(item)][key.text] = parts[key.constant()]


def _but_for(item: Term, other: Term) -> bool:
    """Whether two items differ at most in the last argument of their records."""
    left, right = item.args[2], other.args[2]
    if not isinstance(left, Term) or not isinstance(right, Term):
        return item == other
    return (item.args[:2], left.name, left.args[:-1]) == (other.args[:2], right.name, right.args[:-1])


def _targets(name: str, item: Term, fluents: list[Term]) -> Any:
    found = {
        fluent.args[1]: fluent.args[2]
        for fluent in fluents
        if fluent.name == name and len(fluent.args) == 3 and fluent.args[0] == item
    }
    return [str(card) for _, card in sorted(found.items(), key=lambda pair: order(pair[0]))] or None


def _mark(name: str, item: Term, fluents: list[Term]) -> Any:
    return True if Term(name, (item,)) in fluents else None


def _of_source(name: str, item: Term, fluents: list[Term]) -> Any:
    for fluent in fluents:
        if fluent.name == name and len(fluent.args) == 2 and fluent.args[0] == item.args[0]:
            return fluent.args[1]
    return None


_BESIDES: Mapping[str, Callable[[str, Term, list[Term]], Any]] = {
    "cards": _targets, "flag": _mark, "place": _of_source,
}  # fmt: skip
