"""What can be read off a state as it is told, entry by entry: where each card is and how, each number, each mark.

An entry speaks of one subject, and rests on no fluents but those of its subject. So where two sets of subjects have
none in common, what is told of one does not depend on how things are with the other, but for the order of cards in a
list, which entries leave out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from lastrites.shape import Shape
from lastrites.terms import Term, Value

Entries = dict[tuple[str, ...], str]
"""By what an entry is about, what it says."""


def subject(fluent: Term, holders: Collection[str]) -> tuple[Value, ...]:
    """What a fluent speaks of: a card, a number, or what else a state tells by itself. ``holders`` are the players and
    the named places; any other name is that of a card, one that was on the board or one that was created."""
    about = fluent.args[0] if fluent.args else None
    if isinstance(about, int):
        return ("ranked",)
    if isinstance(about, str) and about not in holders:
        return ("card", about)
    match fluent:
        case Term("num", (Term() as quantity, _)):
            owner = quantity.args[0] if quantity.args else None
            return ("card", owner) if isinstance(owner, str) and owner not in holders else ("num", quantity)
        case Term("is", (str(who), Term() as mark)):
            return ("is", who, mark)
        case Term(name, (str(who), _)) | Term(name, (str(who), _, _, _)):
            return (name, who)
        case Term(name, (Term(_, ()) as word, str(_))):
            return (name, word)
    return (fluent.name,)


_ALWAYS = frozenset({"zone", "place", "host", "num", "is", "lasting", "frame", "pend"})


def tells(shape: Shape) -> Callable[[Term], bool]:
    """Whether a state as it is told may say anything of a fluent; of others it never does."""
    forms = [key.form for keys in shape.levels.values() for key in keys]
    names = _ALWAYS.union(argument.name for form in forms for argument in form.args if isinstance(argument, Term))
    return lambda fluent: fluent.name in names


def entries(shape: Shape, state: Mapping[str, Any], players: Collection[str]) -> Entries:
    """All entries of a state, in the form in which outcomes tell it."""
    return dict(_Reader(shape).all(state, players))


class _Reader:
    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._attached = {key.text for key in shape.keys("card") if key.form.name == "attached"}
        self._zones = {key.constant(): key.text for key in shape.keys("player") if key.form.name == "zone"}

    def all(self, state: Mapping[str, Any], players: Collection[str]) -> Iterator[tuple[tuple[str, ...], str]]:
        levels = {key.text: key.constant() for key in self._shape.of_form("board", "places")}
        for key, content in state.items():
            if key in players:
                yield from self._player(key, content)
            elif key in levels:
                for place, inside in content.items():
                    yield from self._place(levels[key], place, inside)
            else:
                yield (key,), _text(content)

    def _player(self, player: str, content: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        for key in self._shape.keys("player"):
            value = content.get(key.text)
            if value is None:
                continue
            if key.form.name == "zone":
                yield from self._cards(value, player, key.text)
            elif key.form.name == "size":
                # Told is how many cards there are, with those that are named besides.
                named = content.get(self._zones.get(key.constant(), ""), ())
                yield (player, key.text), str(value - len(named))
            elif isinstance(value, Mapping):
                for word, number in value.items():
                    yield (player, key.text, str(word)), str(number)
            else:
                yield (player, key.text), _text(value)

    def _place(self, level: str, place: str, content: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        for key in self._shape.keys(level):
            value = content.get(key.text)
            if value is None:
                continue
            if key.form.name == "card":
                yield from self._cards([value], place, key.text)
            elif key.form.name in ("cards", "one_each"):
                for player, lying in value.items():
                    yield from self._cards(lying if key.form.name == "cards" else [lying], place, key.text, player)
            else:
                yield (place, key.text), _text(value)

    def _cards(self, items: Collection[Any], *where: str) -> Iterator[tuple[tuple[str, ...], str]]:
        for item in items:
            ((card, state),) = item.items() if isinstance(item, Mapping) else ((item, {}),)
            own = {key: value for key, value in state.items() if key not in self._attached}
            yield ("card", card), _text([where, own])
            for key in self._attached.intersection(state):
                yield from self._cards(state[key], "with", card, key)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
