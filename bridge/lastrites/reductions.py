"""Ways to explore less that change no answer; ``docs/reductions.md`` says what each assumes and why it is exact."""

from __future__ import annotations

from collections.abc import Iterable

LOOKUP, SYMMETRY = "lookup", "symmetry"
REDUCTIONS = (LOOKUP, SYMMETRY)
"""Local situations are looked up; interchangeable cards stand for each other (which needs look-up)."""

Reduction = bool | Iterable[str]
"""All reductions, none, or those that are named."""


def chosen(reduction: Reduction) -> frozenset[str]:
    """The reductions that are on."""
    if isinstance(reduction, bool):
        return frozenset(REDUCTIONS) if reduction else frozenset()
    return frozenset(reduction)
