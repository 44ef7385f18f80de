"""Boards and answers as a notebook shows them."""

from __future__ import annotations

from pathlib import Path

from lastrites.board import Board
from lastrites.resolution import resolve

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "keyforge"
TEXT = (FIXTURES / "groggins-fights-dust-imp-with-soulkeeper.yaml").read_text(encoding="utf-8")


def test_short_forms_are_short() -> None:
    board = Board.from_text(TEXT)
    assert repr(board) == "<Board 'Marcus fights a Dust Imp that wears a Soulkeeper': keyforge, 6 cards>"
    assert repr(resolve(board)).endswith("1 outcome in 2 legal orders>")


def test_html_shows_the_start_and_the_outcomes_and_escapes_what_users_write() -> None:
    board = Board.from_text(TEXT.replace("title: Marcus", 'title: "<i>&"  # Marcus'))
    shown = board._repr_html_()
    assert "&lt;i&gt;&amp;" in shown
    assert "<i>" not in shown
    assert "battleline: Groggins (upgrades: Phoenix Heart)" in shown
    answer = resolve(board)._repr_html_()
    assert answer.count("<tr>") == 2
    assert "hand: Groggins; discard: Phoenix Heart" in answer
    assert "<i>" not in answer
