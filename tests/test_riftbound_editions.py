"""What older Riftbound texts say that no expectation of a board can state."""

from __future__ import annotations

import pytest
from fixture_help import FIXTURES, loaded

import lastrites


@pytest.mark.parametrize("edition", ["1.0", "1.1", "1.2"])
def test_two_winners_at_once_are_a_contradiction_of_the_text(edition: str) -> None:
    board, _ = loaded(FIXTURES / "riftbound" / "both-at-the-victory-score.yaml")
    found = lastrites.resolve(board, edition=edition)
    assert not found.outcomes
    assert [entry["clauses"] for entry in found.conflicts] == [["rb.cleanup.victory", "rb.cleanup.victory"]]
