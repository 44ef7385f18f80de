"""The shape of a game's boards, as its ``shape.lp`` gives it: keys, where they stand, what they become."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from lastrites.terms import Term, Value


class Key(NamedTuple):
    """One key of a board file: how it is written, its rank among its neighbours, the form of its value."""

    text: str
    rank: int
    form: Term

    def constant(self, place: int = 0) -> str:
        """The constant that stands as argument ``place`` of the form."""
        argument = self.form.args[place]
        if not isinstance(argument, Term):
            raise ValueError(f"shape: {self.form} of `{self.text}` needs a constant as argument {place + 1}")
        return argument.name


@dataclass(frozen=True)
class Shape:
    """Keys by level, in the order of their ranks. The forms are explained in ``rules/core/shape.lp``.

    ``records`` says of each record of an item what its arguments are, ``found_again`` which fluents the rules find
    again by themselves, ``left_out`` in which words a fluent is told that no board can say.
    """

    levels: dict[str, tuple[Key, ...]] = field(default_factory=dict)
    reserved: frozenset[str] = frozenset()
    records: dict[str, dict[int, str]] = field(default_factory=dict)
    found_again: frozenset[str] = frozenset()
    left_out: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_facts(cls, facts: Iterable[Term]) -> Shape:
        """Read what ``rules/core/shape.lp`` explains; other facts are left alone."""
        levels: dict[str, list[Key]] = {}
        reserved: set[str] = set()
        records: dict[str, dict[int, str]] = {}
        again: set[str] = set()
        left_out: dict[str, str] = {}
        for fact in facts:
            match fact:
                case Term("key", (Term(level, ()), int(rank), str(text), Term() as form)):
                    levels.setdefault(level, []).append(Key(text, rank, form))
                case Term("reserved", (str(text),)):
                    reserved.add(text)
                case Term("record", (Term(name, ()), int(place), Term(what, ()))):
                    records.setdefault(name, {})[place] = what
                case Term("found_again", (Term(name, ()),)):
                    again.add(name)
                case Term("left_out", (Term(name, ()), str(text))):
                    left_out[name] = text
        ordered = {level: tuple(sorted(keys, key=lambda key: (key.rank, key.text))) for level, keys in levels.items()}
        return cls(ordered, frozenset(reserved), records, frozenset(again), left_out)

    def keys(self, level: str) -> tuple[Key, ...]:
        """The keys of a level, in order."""
        return self.levels.get(level, ())

    def key(self, level: str, text: str) -> Key | None:
        """The key written ``text`` on a level, or None."""
        return next((key for key in self.keys(level) if key.text == text), None)

    def of_form(self, level: str, *forms: str) -> tuple[Key, ...]:
        """The keys of a level whose form has one of these names."""
        return tuple(key for key in self.keys(level) if key.form.name in forms)

    def zones(self) -> dict[str, tuple[str, str]]:
        """Zones of players: constant -> (key, order), in the order of the page."""
        found = {}
        for key in self.of_form("player", "zone"):
            found[key.constant(0)] = (key.text, key.constant(1))
        return found

    def piles(self) -> dict[str, str]:
        """The zones in which cards lie in an order that outcomes may be told apart by: constant -> key."""
        return {zone: text for zone, (text, order) in self.zones().items() if order == "pile"}


def is_constant(value: Value) -> bool:
    """Whether the value is a constant such as ``hand``."""
    return isinstance(value, Term) and not value.args
