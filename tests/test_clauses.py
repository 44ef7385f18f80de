"""Every clause does something that a board shows: without it what the board expects no longer comes out."""

from __future__ import annotations

import pytest
from clause_fixtures import TABLE
from clause_help import clauses, fails_without, fixture_of

IN_FULL = ("keyforge", "riftbound")
"""Games of which every clause must stand in the table."""

ROWS = [(clause, kind) for _, clause, kind in clauses() if clause in TABLE]


@pytest.mark.parametrize(("clause", "kind"), ROWS, ids=[clause for clause, _ in ROWS])
def test_a_board_fails_without_the_clause(clause: str, kind: str) -> None:
    """Rules and barriers are switched off, of consequences the opposite is switched on."""
    assert fails_without(fixture_of(TABLE[clause]), clause, kind)


def test_every_clause_is_in_the_table() -> None:
    assert not [clause for game, clause, _ in clauses() if game in IN_FULL and clause not in TABLE]


def test_the_table_names_clauses_and_boards_that_exist() -> None:
    assert set(TABLE) <= {clause for _, clause, _ in clauses()}
    assert all(fixture_of(name).is_file() for name in TABLE.values())
