"""Ways to explore less that change no answer; ``docs/reductions.md`` says what each assumes and why it is exact."""

from __future__ import annotations

from collections.abc import Iterable

LOOKUP, SYMMETRY, INDEPENDENCE, FACTORS = "lookup", "symmetry", "independence", "factors"
REDUCTIONS = (LOOKUP, SYMMETRY, INDEPENDENCE, FACTORS)
"""Local situations are looked up; interchangeable cards stand for each other; independent groups are walked one after
another; where their ends multiply beyond a limit they are told as factors. All need the first, factors the third, and
of interchangeable cards and independent groups one is used on a board."""

Reduction = bool | Iterable[str]
"""All reductions, none, or those that are named."""


def chosen(reduction: Reduction) -> frozenset[str]:
    """The reductions that are on."""
    if isinstance(reduction, bool):
        return frozenset(REDUCTIONS) if reduction else frozenset()
    return frozenset(reduction)
