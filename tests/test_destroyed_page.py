"""The page that goes through the text about "Destroyed" names clauses, kinds and boards that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lastrites.board import load_board
from lastrites.book import read_book
from lastrites.game import load_game

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "destroyed.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| [^|]+ \| `([^`]+)` \| (\w+) \| \[([^\]]+)\]\(\.\./([^)]+)\) \|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def kinds() -> dict[str, str]:
    return {clause.id: clause.kind for clause in read_book(load_game("keyforge")).clauses}


def test_the_page_has_a_row_for_each_sentence() -> None:
    assert len(ROWS) >= 30


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[2]}")
def test_row(row: tuple[str, str, str, str], kinds: dict[str, str]) -> None:
    clause, kind, name, path = row
    assert kinds[clause] == kind
    assert Path(path).stem == name
    assert load_board(ROOT / path).expect is not None


def test_every_clause_about_destroyed_is_on_the_page_or_silent_in_the_text(kinds: dict[str, str]) -> None:
    silent = {"kf.destroyed.sweep", "kf.destroyed.tally", "kf.destroyed.per-card", "kf.destroyed.observer-moment"}
    about = {clause for clause in kinds if clause.startswith("kf.destroyed.")}
    assert about - silent == {clause for clause, *_ in ROWS if clause.startswith("kf.destroyed.")}
