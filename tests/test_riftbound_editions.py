"""What older Riftbound texts say that no expectation of a board can state."""

from __future__ import annotations

import pytest
from fixture_help import FIXTURES, loaded

import lastrites
from lastrites.editions import questions_of


@pytest.mark.parametrize("edition", ["1.0", "1.1", "1.2"])
def test_two_winners_at_once_are_a_contradiction_of_the_text(edition: str) -> None:
    board, _ = loaded(FIXTURES / "riftbound" / "both-at-the-victory-score.yaml")
    found = lastrites.resolve(board, edition=edition)
    assert not found.outcomes
    assert [entry["clauses"] for entry in found.conflicts] == [["rb.cleanup.victory", "rb.cleanup.victory"]]


@pytest.mark.parametrize("edition", ["1.0", "1.1", "1.2", "1.3", "1.4"])
@pytest.mark.parametrize("name", ["misplaced-cards-by-edition", "a-hidden-card-is-lost-with-the-last-unit"])
def test_no_step_cites_a_clause_that_the_edition_lacks(name: str, edition: str) -> None:
    board, _ = loaded(FIXTURES / "riftbound" / f"{name}.yaml")
    known = questions_of(board.rules.rules / board.rules.name).lacks
    assert not set(lastrites.resolve(board, edition=edition).explained(60).cited()) & known.get(edition, frozenset())


def test_a_clause_that_is_switched_off_is_not_cited() -> None:
    board, _ = loaded(FIXTURES / "riftbound" / "a-stolen-unit-dies-into-its-owners-trash.yaml")
    assert "rb.dying.trash" in lastrites.resolve(board).explained(60).cited()
    assert "rb.dying.trash" not in lastrites.resolve(board, without=("rb.dying.trash",)).explained(60).cited()
