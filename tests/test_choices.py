"""Answers that an event gives beforehand: all of them must be asked for."""

from __future__ import annotations

import pytest

import lastrites
from lastrites.board import Board
from lastrites.errors import BoardError

BOARD = """game: keyforge
active: P1
players: {P1: {hand: [Harland Mindlock]}, P2: {battleline: [TARGETS]}}
event: {play: Harland Mindlock, choose: [ANSWERS]}
"""


@pytest.mark.parametrize(
    ("targets", "answers"),
    [
        ("Troll, Nexus", "Troll, left"),
        ("Troll", "Troll, left"),  # there is only one, and it may be named all the same
        ("Troll", "left, Troll, right"),  # so may the only flank
    ],
)
def test_answers_that_are_asked_for(targets: str, answers: str) -> None:
    board = Board.from_text(BOARD.replace("TARGETS", targets).replace("ANSWERS", answers))
    assert len(lastrites.resolve(board).outcomes) == 1


def test_answers_that_nobody_asks_for() -> None:
    board = Board.from_text(BOARD.replace("TARGETS", "Troll, Nexus").replace("ANSWERS", "Troll, left, Nexus"))
    with pytest.raises(BoardError, match="Nexus"):
        lastrites.resolve(board)


def test_an_answer_to_a_forced_choice_is_used_up_once() -> None:
    board = Board.from_text(
        """game: keyforge
active: P1
players: {P1: {battleline: [Pip Pip]}, P2: {battleline: [Dust Imp, Troll]}}
event: {instructions: [{gain: 1}, {ward: a friendly creature}, {stun: an enemy creature}], choose: [Pip Pip, Troll]}
"""
    )
    (outcome,) = lastrites.resolve(board).outcomes
    assert outcome.state["P2"] == {"battleline": ["Dust Imp", {"Troll": {"stunned": True}}]}
