"""Some outcomes of a board whose outcomes are told as factors, as if nothing else had been asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from lastrites.expect import Entries, Entry, Mismatch, Place
from lastrites.factors import FactorEnd, Factors
from lastrites.results import Assignment, Step

if TYPE_CHECKING:
    from lastrites.resolution import Resolution

MOST_TRIED = 20_000
"""So many combinations of ends are looked at together at most."""

Choice = Callable[[Factors], Sequence[FactorEnd] | None]
"""Which outcome of some factors is meant, if there is such a one."""


class TooTangled(Exception):
    """Too many ends would have to be looked at together."""


def focused(resolution: Resolution, choose: Choice) -> Resolution:
    """The answer with those outcomes only that are chosen, for each combination of answers one or none, wherever these
    come out. It is no whole answer: what is asked of it must be about these outcomes."""
    factors = resolution.factors or ()
    wanted: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for row in factors:
        ends = choose(row)
        if ends is not None:
            outcome = row.outcome(ends)
            wanted.setdefault(json.dumps(outcome.state, sort_keys=True), (outcome.id, outcome.state))
    found = {id: [(row, row.find(state)) for row in factors] for id, state in wanted.values()}
    outcomes = []
    for id, places in found.items():
        having = [row.outcome(ends) for row, ends in places if ends is not None]
        orders = {each.orders for each in having}
        outcomes.append(
            replace(
                having[0],
                id=id,
                orders=orders.pop() if len(orders) == 1 and len(having) == len(factors) else None,
                under=[entry for each in having for entry in each.under],
                deciders=tuple(dict.fromkeys(name for each in having for name in each.deciders)),
                can_force=tuple(name for name in having[0].can_force if all(name in e.can_force for e in having)),
                chance=any(each.chance for each in having),
            )
        )
    assignments = []
    for place, row in enumerate(factors):
        here = {id: ends for id, rows in found.items() if (ends := rows[place][1]) is not None}
        counts = {id: row.outcome(ends).orders or 0 for id, ends in here.items()}
        assignments.append(Assignment(row.when, row.orders, counts))

    def order(number: int, id: str) -> tuple[list[Step], list[str]] | None:
        row, ends = found[id][number]
        return None if ends is None else (row.outcome(ends).witness, row.changed(ends))

    labels = [{"when": each.when, "orders": str(each.orders), "outcomes": list(each.outcomes)} for each in assignments]
    return replace(
        resolution, outcomes=tuple(outcomes), factors=None, assignments=tuple(assignments), labels=labels,
        _told=order, _teller=factors[0]._tell.teller, _explained=factors[0].teller,
    )  # fmt: skip


# ---------------------------------------------------------------- the nearest

def nearest(entry: Entry) -> Choice:
    """The outcome that differs least from what is described. Raises TooTangled where that would take too long."""

    def choose(row: Factors) -> Sequence[FactorEnd]:
        chosen = [group.ends[0] for group in row.groups]
        for parts, places in _apart(entry, row):
            chosen = min(_combinations(row, chosen, places), key=lambda ends: _distance(parts, row, ends))
        return chosen

    if entry.deciders is not None or entry.chance is not None:
        raise TooTangled
    return choose


def never(entry: Entry, factors: Iterable[Factors]) -> list[str]:
    """The single keys that are in no outcome as described. Raises TooTangled."""
    found: list[str] = []
    rows = list(factors)
    for name, part in parts_of(entry):
        if not any(_distance([part], row, ends) == (0, 0) for row in rows for ends in _alone(row, part)):
            found.append(name)
    return found


def parts_of(entry: Entry) -> list[tuple[str, Entries]]:
    """The single keys that an entry speaks of, each as a pattern of its own."""
    found = []
    for name, pattern in entry.state.entries:
        if isinstance(pattern, Place):
            for key, inner in pattern.entries:
                found.append((f"{name}, {key}", Entries(((name, Place(((key, inner),), pattern.sizes)),))))
        else:
            found.append((name, Entries(((name, pattern),))))
    return found


def distance(differences: Iterable[Mismatch]) -> tuple[int, int]:
    """How far a state is from the one described: keys and cards that differ, then how far numbers are apart."""
    found = list(differences)
    return sum(each.weight for each in found), sum(each.gap for each in found)


def _distance(parts: Iterable[Entries], row: Factors, ends: Sequence[FactorEnd]) -> tuple[int, int]:
    state = row.outcome(ends).state
    return distance(each for part in parts for each in part.differences(state, ""))


def _about(part: Entries, state: Mapping[str, Any]) -> str:
    """What a state says of the single key that a part speaks of."""
    ((name, pattern),) = part.entries
    value = state.get(name)
    if isinstance(pattern, Place) and isinstance(value, Mapping):
        ((key, _),) = pattern.entries
        value = [value.get(key), value.get(pattern.sizes.get(key, ""))]
    return json.dumps(value)


def _touching(row: Factors, part: Entries) -> list[int]:
    """The places of the groups whose end makes a difference to a single key."""
    return [
        place
        for place, group in enumerate(row.groups)
        if len({_about(part, end.state) for end in group.ends}) > 1
    ]


def _apart(entry: Entry, row: Factors) -> list[tuple[list[Entries], list[int]]]:
    """The single keys, those together to which one group makes a difference, with the places of their groups."""
    found: list[tuple[list[Entries], set[int]]] = []
    for _, part in parts_of(entry):
        parts, places = [part], set(_touching(row, part))
        joined = [each for each in found if each[1] & places]
        found = [each for each in found if not each[1] & places]
        for more, others in joined:
            parts, places = [*more, *parts], places | others
        found.append((parts, places))
    return [(parts, sorted(places)) for parts, places in found]


def _combinations(row: Factors, chosen: Sequence[FactorEnd], places: Sequence[int]) -> list[list[FactorEnd]]:
    """The ends that are chosen, with any ends of the groups at these places. Raises TooTangled."""
    if prod(len(row.groups[place].ends) for place in places) > MOST_TRIED:
        raise TooTangled
    found = []
    for ends in product(*(row.groups[place].ends for place in places)):
        other = list(chosen)
        for place, end in zip(places, ends, strict=True):
            other[place] = end
        found.append(other)
    return found


def _alone(row: Factors, part: Entries) -> list[list[FactorEnd]]:
    return _combinations(row, [group.ends[0] for group in row.groups], _touching(row, part))
