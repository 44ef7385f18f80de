"""Answers that an event gives beforehand: all of them are asked for, or the answer says so."""

from __future__ import annotations

import pytest

import lastrites
from lastrites.board import Board

BOARD = """game: keyforge
active: P1
players: {P1: {hand: [Harland Mindlock]}, P2: {battleline: [TARGETS]}}
event: {play: Harland Mindlock, choose: [ANSWERS]}
"""


@pytest.mark.parametrize(
    ("targets", "answers", "surplus"),
    [
        ("Troll, Nexus", "Troll, left", False),
        ("Troll", "Troll, left", False),  # there is only one, and it may be named all the same
        ("Troll, Nexus", "Troll, left, Nexus", True),
        ("Troll", "left, Troll, right, left", True),
    ],
)
def test_answers_that_are_not_asked_for(targets: str, answers: str, surplus: bool) -> None:
    board = Board.from_text(BOARD.replace("TARGETS", targets).replace("ANSWERS", answers))
    assert any("`choose`" in warning for warning in lastrites.resolve(board).warnings) is surplus
