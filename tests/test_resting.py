"""The table of the boards that rest on each clause."""

from __future__ import annotations

import pytest
from clause_help import clauses
from fixture_help import FIXTURES, fixture_files, name_of
from resting import clauses_of

from lastrites.book import read_book
from lastrites.game import known_games, load_game
from lastrites.listings import clauses_text, resting_on

TABLE: dict[str, set[str]] = {}
for _game in known_games():
    for _clause, _boards in resting_on(load_game(_game)).items():
        for _board in _boards:
            TABLE.setdefault(_board, set()).add(_clause)

GAMES = {name.partition("/")[0] for name in TABLE}
"""The games for which the table has been made."""


def test_rows_name_boards_and_clauses_that_exist() -> None:
    assert set(TABLE) <= {name_of(path) for path in fixture_files()}
    assert set().union(*TABLE.values()) <= {id for _, id, _ in clauses()}


def test_hardly_a_board_is_missing() -> None:
    """Boards that were written since the table was renewed are few; `python tests/resting.py` renews it."""
    boards = {name_of(path) for path in fixture_files() if path.parent.name in GAMES}
    assert len(boards - set(TABLE)) < len(boards) / 10


@pytest.mark.parametrize(
    "name",
    [
        "keyforge/refused-a-stunned-creature-cannot-fight", "keyforge/two-solefts-against-bad-penny",
        "riftbound/a-soaring-scout-channels-an-exhausted-rune",
    ],
)
def test_the_table_is_what_is_found_anew(name: str) -> None:
    assert clauses_of(FIXTURES / f"{name}.yaml") == TABLE[name]


def test_clauses_names_them() -> None:
    game = load_game("keyforge")
    short, every = (" ".join(clauses_text(game, read_book(game), 90, False, all).split()) for all in (False, True))
    assert "more (--boards)" in short
    assert "more (--boards)" not in every
    resting = [board for board, found in TABLE.items() if "kf.destroyed.retag" in found]
    assert len(resting) > 5
    assert f"rests on it ({len(resting)}): {', '.join(sorted(resting))}" in every
