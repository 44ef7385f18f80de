"""In how many ways piles can lie: cards that reach a pile together are arranged by a player.

A *history* says for each pile in which batches its cards arrived, bottom first; the cards of one batch may lie in any
order. An outcome that is reached by different orders may have several histories; what is counted is the number of
distinct final piles over all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from math import factorial

from lastrites.count import Count, Tally, View
from lastrites.stategraph import StateGraph
from lastrites.terms import Term

Pile = tuple[str, str]
"""Player and zone."""

Batches = tuple[tuple[str, ...], ...]
"""Batches of cards, the one at the bottom first; cards inside a batch in alphabetical order."""

History = tuple[tuple[Pile, Batches], ...]
"""The batches of every pile that is not empty, piles in alphabetical order."""

MOST_HISTORIES = 2_000
"""Beyond this many histories at one state counting is given up (the count is then unknown)."""


class TooMany(Exception):
    """There are too many ways to keep apart."""


def _piles(terms: Iterable[Term], zones: frozenset[str]) -> dict[str, Pile]:
    found: dict[str, Pile] = {}
    for term in terms:
        if term.name == "zone":
            card, player, zone = term.args
            if isinstance(zone, Term) and zone.name in zones:
                found[str(card)] = (str(player), zone.name)
    return found


def start(terms: Iterable[Term], zones: frozenset[str], listed: Mapping[str, int]) -> History:
    """The history of a board's start: cards named in a pile lie as written (``listed``), the first on top."""
    lying: dict[Pile, list[str]] = {}
    for card, pile in _piles(terms, zones).items():
        lying.setdefault(pile, []).append(card)
    history = []
    for pile in sorted(lying):
        cards = sorted(lying[pile], key=lambda card: (listed.get(card, 0), card), reverse=True)
        history.append((pile, tuple((card,) for card in cards)))
    return tuple(history)


_APART = ""
"""Stands first in a batch of cards that are put down one by one in alphabetical order. What they are called must not
matter before the end, where cards may have stood for each other."""


def _put_down(found: Mapping[History, int]) -> dict[History, int]:
    """The histories with such batches put down."""
    put: dict[History, int] = {}
    for history, orders in found.items():
        piles = []
        for pile, batches in history:
            rows = (((card,) for card in batch[1:]) if batch[0] == _APART else (batch,) for batch in batches)
            piles.append((pile, tuple(row for each in rows for row in each)))
        put[tuple(piles)] = put.get(tuple(piles), 0) + orders
    return put


def renamed(history: History, names: Mapping[str, str]) -> History:
    """The history with other cards in the place of those that are named."""
    return tuple(
        (pile, tuple(tuple(sorted(names.get(card, card) for card in batch)) for batch in batches))
        for pile, batches in history
    )


@dataclass(frozen=True)
class _Step:
    """What a decision does to piles: cards that leave any, cards that arrive (arranged, then those set apart)."""

    gone: frozenset[str]
    arrived: tuple[tuple[Pile, tuple[str, ...], tuple[str, ...]], ...]

    def apply(self, history: History) -> History:
        piles = dict(history)
        if self.gone:
            for pile, batches in list(piles.items()):
                left = tuple(tuple(card for card in batch if card not in self.gone) for batch in batches)
                piles[pile] = tuple(batch for batch in left if batch and batch != (_APART,))
        for pile, together, apart in self.arrived:
            added = ((together,) if together else ()) + (((_APART, *apart),) if apart else ())
            piles[pile] = piles.get(pile, ()) + added
        return tuple((pile, piles[pile]) for pile in sorted(piles) if piles[pile])


class PileHistories:
    """The histories with which each end of a view can be reached, each with its number of orders."""

    def __init__(self, graph: StateGraph, zones: frozenset[str], listed: Mapping[str, int]) -> None:
        self._listed = listed
        self._graph = graph
        self._zones = zones
        self._lying: dict[int, dict[str, Pile]] = {}
        self._steps: dict[tuple[int, int, tuple[str, ...]], _Step | None] = {}
        self._pile_bits = graph.fluents.mask(
            lambda term: term.name == "zone" and isinstance(term.args[2], Term) and term.args[2].name in zones
        )
        exchanges = graph.folding.exchanges() if graph.folding is not None else ()
        self._exchanged = {card for exchange in exchanges for card in exchange}
        self._touches = [bool((each.add | each.delete) & self._pile_bits) for each in graph.effects]

    def _where(self, lying: int) -> dict[str, Pile]:
        found = self._lying.get(lying)
        if found is None:
            found = self._lying[lying] = _piles(self._graph.fluents.terms(lying), self._zones)
        return found

    def _moved(self, history: History, edge: int, node: int) -> History:
        """The history after an edge."""
        step = self._step(edge, node)
        if step is not None:
            history = step.apply(history)
        folding = self._graph.folding
        if folding is None or not any(card in self._exchanged for _, batches in history for b in batches for card in b):
            return history
        after = self._graph.effects[self._graph.steps[edge]].after(self._graph.states[node])
        return renamed(history, folding.moves(after))

    def _step(self, edge: int, node: int) -> _Step | None:
        """What an edge does to piles; None if nothing."""
        graph = self._graph
        step = graph.steps[edge]
        if not self._touches[step]:
            return None
        apart_cards = graph.effects[step].apart
        state = graph.state(node)
        key = (state & self._pile_bits, graph.effects[step].after(state) & self._pile_bits, apart_cards)
        if key not in self._steps:
            before, after = self._where(key[0]), self._where(key[1])
            found = None
            if before != after:
                arrived: dict[Pile, tuple[list[str], list[str]]] = {}
                for card, pile in sorted(after.items()):
                    if before.get(card) != pile:
                        together, apart = arrived.setdefault(pile, ([], []))
                        (apart if card in apart_cards else together).append(card)
                found = _Step(
                    frozenset(card for card, pile in before.items() if after.get(card) != pile),
                    tuple((pile, tuple(cards), tuple(apart)) for pile, (cards, apart) in sorted(arrived.items())),
                )
            self._steps[key] = found
        return self._steps[key]

    def of(self, tally: Tally) -> dict[int, dict[History, int]]:
        """End -> history -> number of orders. Raises TooMany; views with a loop have no finite answer."""
        view = tally.view
        if view.looping:
            raise TooMany
        terms = self._graph.fluents.terms(self._graph.state(0))
        # Most states are reached with one history only: it is kept as it is, and its number is that of all orders.
        single: list[History | None] = [None] * len(self._graph.states)
        several: dict[int, dict[History, int]] = {}
        if view.order:
            single[view.order[0]] = start(terms, self._zones, self._listed)
        for node in view.order:
            here = single[node]
            if here is None or node in several:
                self._mark(view, node, several)
                continue
            first = self._graph.starts[node]
            for number, target in view.edges(node) if view.asked(node) else enumerate(view.targets(node)):
                if target in several:
                    continue
                moved = self._moved(here, first + number, node)
                there = single[target]
                if there is None:
                    single[target] = moved
                elif there is not moved and there != moved:
                    single[target] = None
                    several[target] = {}
        if several:
            self._spread(tally, single, several)
        ends: dict[int, dict[History, int]] = {}
        for node in view.ends():
            one = single[node]
            ends[node] = several[node] if one is None else {one: _whole(tally.paths[node])}
        if self._graph.folding is not None:
            ends = {node: self._unfolded(found) for node, found in ends.items()}
        return {node: _put_down(found) for node, found in ends.items()}

    def _unfolded(self, found: Mapping[History, int]) -> dict[History, int]:
        """The histories of an end that is the same whichever cards are exchanged: each as often as those it becomes.

        The orders that were counted with a history are spread evenly over all histories that exchanges make of it.
        """
        assert self._graph.folding is not None
        exchanges = list(self._graph.folding.exchanges())
        every: dict[History, int] = {}
        orbits: dict[History, list[History]] = {}
        for history, orders in found.items():
            if history not in orbits:
                orbit = self._orbit(history, exchanges)
                orbits.update(dict.fromkeys(orbit, orbit))
            for same in orbits[history]:
                every[same] = every.get(same, 0) + orders
        return {history: orders // len(orbits[history]) for history, orders in every.items()}

    @staticmethod
    def _orbit(history: History, exchanges: Sequence[Mapping[str, str]]) -> list[History]:
        found = {history: None}
        todo = [history]
        for one in todo:
            for exchange in exchanges:
                other = renamed(one, exchange)
                if other not in found:
                    found[other] = None
                    todo.append(other)
            if len(found) > MOST_HISTORIES:
                raise TooMany
        return todo

    def _mark(self, view: View, node: int, several: dict[int, dict[History, int]]) -> None:
        """What follows a state with several histories has several, too: they are followed one by one."""
        for target in view.targets(node):
            several.setdefault(target, {})

    def _spread(
        self, tally: Tally, single: list[History | None], several: dict[int, dict[History, int]]
    ) -> None:
        view = tally.view
        for node in several:
            single[node] = None
        for node in view.order:
            one = single[node]
            here = several[node] if one is None else {one: _whole(tally.paths[node])}
            if len(here) > MOST_HISTORIES:
                raise TooMany
            first = self._graph.starts[node]
            for (number, target), times in zip(view.edges(node), view.times(node), strict=True):
                there = several.get(target)
                if there is None:
                    continue
                for history, orders in here.items():
                    moved = self._moved(history, first + number, node)
                    there[moved] = there.get(moved, 0) + orders * times
            if one is None and view.targets(node):
                several[node] = {}


def _whole(number: Count) -> int:
    assert isinstance(number, int)
    return number


def arrangements(histories: Iterable[History]) -> int:
    """The number of distinct final piles that agree with at least one of the histories. Exact, listing none."""
    distinct = sorted(set(histories))
    if not distinct:
        return 0
    if len(distinct) == 1:
        return _product(distinct[0])
    return _union(tuple(distinct))


def _product(history: History) -> int:
    count = 1
    for _, batches in history:
        for batch in batches:
            count *= factorial(len(batch))
    return count


def _union(histories: tuple[History, ...]) -> int:
    """Count card by card, remembering which histories still agree and which cards of their batches are used."""
    places = [pile for pile, batches in histories[0] for batch in batches for _ in batch]
    rows: list[list[frozenset[str]]] = []
    for history in histories:
        rows.append([frozenset(batch) for _, batches in history for batch in batches for _ in batch])
        if [pile for pile, batches in history for batch in batches for _ in batch] != places:
            raise ValueError("histories of one outcome must have the same cards in the same piles")

    @cache
    def count(place: int, used: frozenset[str], alive: tuple[int, ...]) -> int:
        if place == len(places):
            return 1
        total = 0
        following: dict[str, list[int]] = {}
        for row in alive:
            for card in rows[row][place] - used:
                following.setdefault(card, []).append(row)
        for card, still in sorted(following.items()):
            total += count(place + 1, used | {card}, tuple(still))
        return total

    return count(0, frozenset(), tuple(range(len(histories))))


def spread(history: History) -> Iterator[dict[Pile, tuple[str, ...]]]:
    """Every arrangement of a history: pile -> its cards, the top first."""
    piles = [pile for pile, _ in history]
    ways = [list(_orders(batches)) for _, batches in history]
    for chosen in product(*ways):
        yield dict(zip(piles, chosen, strict=True))


def _orders(batches: Batches) -> Iterator[tuple[str, ...]]:
    for parts in product(*(permutations(batch) for batch in batches)):
        bottom_up = [card for part in parts for card in part]
        yield tuple(reversed(bottom_up))


def merge(found: Iterable[Mapping[History, int]]) -> dict[History, int]:
    """Add up the orders of equal histories."""
    total: dict[History, int] = {}
    for part in found:
        for history, orders in part.items():
            total[history] = total.get(history, 0) + orders
    return total
