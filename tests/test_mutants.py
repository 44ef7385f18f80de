"""A small sample of what `tests/mutants.py` does by hand: faults put into the rules are noticed."""

from __future__ import annotations

import pytest
from mutants import RULES, chosen, judged, mutants

SAMPLE = (
    ("keyforge", "kf.destroyed.retag", "deleted: stopped("),
    ("keyforge", "kf.destroyed.left", "deleted: drops("),
    ("riftbound", "rb.dying.trash", "`not token(C)` became its opposite"),
    ("riftbound", "rb.cleanup.order", "`J < I` became `J <= I`"),
)
"""Game, clause, and what is done to one of its rules."""


@pytest.mark.parametrize(("game", "clause", "how"), SAMPLE)
def test_a_fault_is_noticed(game: str, clause: str, how: str) -> None:
    """By one of the first boards."""
    mutant = next(each for each in mutants(game) if each.clause == clause and each.how.startswith(how))
    by, looked = judged(game, mutant, 12)
    assert by, f"{mutant}: {looked} boards pass"


def test_mutants_change_one_place() -> None:
    every = mutants("keyforge")
    assert len(every) > 500
    for mutant in chosen(every, 40, 7):
        whole = (RULES / mutant.file).read_text(encoding="utf-8")
        gone = whole[mutant.start : mutant.end]
        assert gone.rstrip().endswith(".")
        assert mutant.text != gone


def test_many_clauses_are_among_the_chosen() -> None:
    some = chosen(mutants("riftbound"), 24, 1)
    assert len({mutant.clause for mutant in some}) == 24
