"""Boards as plain values that can be cut, changed and written again: what checks and searches work on.

A *layout* is a board file as nested dicts, lists and texts. Nothing here knows a game: what is a card is found out from
the library and from the cards that the layout defines itself.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastrites.names import fold
from lastrites.yamlio import List, Node, Scalar, dump, load

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.game import Game

Layout = dict[str, Any]

NOT_THE_BOARD = ("expect", "known to", "source", "readings", "edition")
"""What a file says about a board without being part of it."""

NO_PLACES = ("event", "cards", "may")
"""Parts of a board in which no card lies."""

_COPY = re.compile(r"#\d+$")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,2}")


@dataclass(frozen=True)
class Spot:
    """A board of a scope: where it comes from, and its layout."""

    name: str
    layout: Layout
    generated: bool = False

    @property
    def cards(self) -> int:
        """Roughly the number of its cards, for an order from small to large."""
        return sum(1 for _ in _lying(self.layout))


def plain(node: Node) -> Any:
    """A node of a file as plain values: numbers, ``true`` and ``false`` as such, everything else as text."""
    if isinstance(node, Scalar):
        return _scalar(node)
    if isinstance(node, List):
        return [plain(item) for item in node.items]
    return {name.text: plain(value) for name, value in node.entries}


def _scalar(node: Scalar) -> Any:
    if node.absent:
        return {}
    if not node.quoted and node.text in ("true", "false"):
        return node.text == "true"
    return int(node.text) if not node.quoted and _NUMBER.fullmatch(node.text) else node.text


def read_layout(path: Path) -> Layout:
    """The layout of a board file, without what is not the board. Raises BoardError."""
    layout = plain(load(path))
    if not isinstance(layout, dict):
        return {}
    return {key: value for key, value in layout.items() if key not in NOT_THE_BOARD}


def written(layout: Layout) -> str:
    """The text of a board file."""
    return dump(layout)


def board_of(layout: Layout, *, rules: Path | None = None, cards: Path | None = None) -> Board:
    """The board that a layout describes. Raises BoardError."""
    from lastrites.board import Board

    return Board.from_text(written(layout), "board.yaml", rules=rules, cards=cards)


def board_files(paths: Sequence[Path]) -> list[Path]:
    """The board files among these paths and in folders among them."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(file for file in path.rglob("*") if file.suffix in (".yaml", ".yml") and file.is_file())
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value that stand in lists or are keys of mappings in lists: mostly cards."""
    if isinstance(value, Mapping):
        for inside in value.values():
            yield from _texts(inside)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                yield item
            elif isinstance(item, Mapping):
                yield from map(str, item)
                yield from _texts(item)


def _lying(layout: Layout) -> Iterator[str]:
    """The texts of what lies somewhere on the board."""
    for key, value in layout.items():
        if isinstance(value, Mapping) and key not in NO_PLACES:
            yield from _texts(value)


def replaced(value: Any, swap: Callable[[str], str]) -> Any:
    """The same value with every text, keys included, put through `swap`."""
    if isinstance(value, Mapping):
        return {swap(str(key)): replaced(inside, swap) for key, inside in value.items()}
    if isinstance(value, list):
        return [replaced(item, swap) for item in value]
    return swap(value) if isinstance(value, str) else value


# ---------------------------------------------------------------- making boards from boards

def kinds_of(game: Game) -> dict[str, list[str]]:
    """Names of the cards of the library by kind."""
    from lastrites.solver import read_facts

    facts = read_facts([], game.card_blocks(game.cards.by_id))
    found: dict[str, list[str]] = {}
    for fact in facts:
        if fact.name == "kind" and str(fact.args[0]) in game.cards.by_id:
            found.setdefault(str(fact.args[1]), []).append(game.cards.by_id[str(fact.args[0])].name)
    return {kind: sorted(names) for kind, names in found.items()}


def generated(game: Game, bases: Sequence[Spot], number: int, seed: int = 1) -> Iterator[Spot]:
    """Small boards made from others: one or two of their cards are other cards of the same kind.

    The same arguments give the same boards. Boards that cannot be may be among them.
    """
    small = [spot for spot in bases if spot.cards <= 12 and not spot.generated]
    kinds = kinds_of(game)
    kind_of = {fold(name): kind for kind, names in kinds.items() for name in names}
    dice = random.Random(seed)
    seen: set[str] = set()
    for _ in range(number * 20):
        if not small or len(seen) >= number:
            return
        base = dice.choice(small)
        lying = {_COPY.sub("", text) for text in _lying(base.layout)}
        named = sorted(name for name in lying if fold(name) in kind_of)
        if not named:
            continue
        changed = dice.sample(named, min(len(named), dice.choice((1, 1, 2))))
        swaps = {old: dice.choice(kinds[kind_of[fold(old)]]) for old in changed}

        def swap(text: str, swaps: Mapping[str, str] = swaps) -> str:
            bare = _COPY.sub("", text)
            return swaps[bare] + text[len(bare) :] if bare in swaps else text

        layout = replaced(base.layout, swap)
        layout.pop("title", None)
        text = written(layout)
        if text not in seen and layout != base.layout:
            seen.add(text)
            yield Spot(f"{base.name} with {', '.join(f'{new} for {old}' for old, new in swaps.items())}", layout, True)


# ---------------------------------------------------------------- making boards smaller

Place = tuple[Any, ...]
"""Keys and numbers that lead to something inside a value."""


def _at(value: Any, path: Place) -> Any:
    for key in path:
        value = value[key]
    return value


def without(value: Any, path: Place) -> Any:
    """A copy of a value without what stands at the path."""
    key, *rest = path
    if isinstance(value, list):
        copy: Any = list(value)
    else:
        copy = dict(value)
    if rest:
        copy[key] = without(value[key], tuple(rest))
    else:
        del copy[key]
    return copy


def with_value(value: Any, path: Place, new: Any) -> Any:
    """A copy of a value with another value at the path."""
    if not path:
        return new
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    copy[path[0]] = with_value(value[path[0]], path[1:], new)
    return copy


def _paths(value: Any, path: Place = ()) -> Iterator[Place]:
    """Paths to everything inside, outer things first."""
    if isinstance(value, Mapping):
        for key, inside in value.items():
            yield (*path, key)
            yield from _paths(inside, (*path, key))
    elif isinstance(value, list):
        for place, inside in enumerate(value):
            yield (*path, place)
            yield from _paths(inside, (*path, place))


def smaller(layout: Layout) -> Iterator[Layout]:
    """Layouts with one thing less: a card with all that speaks of it, an entry, a state, a smaller number.

    They need not be boards.
    """
    names = dict.fromkeys(_lying(layout))
    for name in names:
        cut = _without_name({key: value for key, value in layout.items() if key != "cards"}, name)
        yield {**cut, **({"cards": layout["cards"]} if "cards" in layout else {})}
    for path in list(_paths(layout)):
        if path not in (("game",), ("players",), ("event",)) and not (len(path) == 2 and path[0] == "players"):
            yield without(layout, path)
    for path in list(_paths(layout)):
        value = _at(layout, path)
        if isinstance(value, int) and value > 1 and path[0] != "cards":
            for less in dict.fromkeys((1, value // 2, value - 1)):
                yield with_value(layout, path, less)
        elif isinstance(value, Mapping) and len(value) == 1 and path and isinstance(path[-1], int):
            ((key, inside),) = value.items()
            if inside == {} or (isinstance(inside, Mapping) and not inside):
                yield with_value(layout, path, key)  # `Name: {}` is `Name`


def _without_name(value: Any, name: str) -> Any:
    """A copy without the entries that are this text, or have it as their only key."""
    if isinstance(value, Mapping):
        return {key: _without_name(inside, name) for key, inside in value.items() if key != name}
    if isinstance(value, list):
        kept = []
        for item in value:
            if item == name or (isinstance(item, Mapping) and list(item) == [name]):
                continue
            kept.append(_without_name(item, name))
        return kept
    return value


def weight(layout: Layout) -> tuple[int, int]:
    """How large a layout is: the number of things in it, and the sum of its numbers."""
    things, numbers = 0, 0
    for path in _paths(layout):
        things += 1
        value = _at(layout, path)
        if isinstance(value, int):
            numbers += value
    return things, numbers


def smallest(layout: Layout, shows: Callable[[Layout], bool], give_up: Callable[[], bool] = lambda: False) -> Layout:
    """The layout with everything taken away that `shows` does without. What is left cannot lose a single thing more,
    unless `give_up` ended the work."""
    going = True
    failed: set[str] = set()
    while going and not give_up():
        going = False
        candidates, place = list(smaller(layout)), 0
        while place < len(candidates) and not give_up():
            candidate = candidates[place]
            text = repr(candidate)
            if text not in failed and weight(candidate) < weight(layout) and shows(candidate):
                layout, going = candidate, True
                candidates = list(smaller(layout))
            else:
                failed.add(text)
                place += 1
    return layout
