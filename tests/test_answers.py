"""Answers that an event gives to its own decisions: each must be asked for, and possible where it stands."""

from __future__ import annotations

from typing import Any

import pytest

import lastrites
from lastrites.errors import BoardError

HEAD = """
game: keyforge
active: Ann
players:
  Ann: {battleline: [Pip Pip], hand: [Bumpsy: {icons: [damage]}]}
  Bob: {battleline: [Dust Imp, Troll]}
"""

RIFTBOUND = """
game: riftbound
active: Ann
players:
  Ann: {base: [Watchful Sentry], hand: [Hidden Blade]}
  Bob: {deck size: 9}
battlefields:
  bf1: {controller: Bob, units: {Bob: [Lonely Poro, Shipyard Skulker]}}
"""


def resolved(text: str, **how: Any) -> lastrites.Resolution:
    return lastrites.resolve(lastrites.Board.from_text(text), **how)


def problem(text: str) -> str:
    with pytest.raises(BoardError) as caught:
        resolved(text)
    (found,) = caught.value.problems
    return str(found)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            "{instructions: [{destroy: an enemy creature}], choose: [Pip Pip]}",
            ":7:64: LR-E034 the event chooses Pip Pip",
        ),
        (
            "{instructions: [{destroy: an enemy creature}, {destroy: an enemy creature}], choose: [Troll, Pip Pip]}",
            ":7:101: LR-E034 the answer Pip Pip is never asked for",  # only Dust Imp is left
        ),
        (
            "{instructions: [{destroy: an enemy creature}], choose: [Troll, Dust Imp, Troll]}",
            ":7:71: LR-E034 the answer Dust Imp is never asked for, nor what follows it",
        ),
        (
            "{instructions: [{destroy: any number of enemy creature}], choose: [[Troll, Pip Pip]]}",
            ":7:75: LR-E034 the event chooses Pip Pip",
        ),
        ("{play: Bumpsy, choose: [Troll, left]}", ":7:32: LR-E034 the event chooses Troll"),
        ("{play: Bumpsy, choose: [left, Troll, right]}", ":7:45: LR-E034 the answer right is never asked for"),
        ("{play: Bumpsy, choose: [left, left]}", ":7:38: LR-E034 the event chooses left"),
    ],
)
def test_an_answer_that_cannot_be_or_is_not_asked_for(event: str, message: str) -> None:
    assert message in problem(f"{HEAD}event: {event}\n")


@pytest.mark.parametrize(
    "event",
    [
        "{instructions: [{destroy: an enemy creature}, {destroy: an enemy creature}], choose: [Troll, Dust Imp]}",
        "{instructions: [{destroy: an enemy creature}, {destroy: an enemy creature}], choose: [Troll]}",
        "{instructions: [{destroy: a friendly creature}], choose: [Pip Pip]}",
        "{instructions: [{destroy: any number of enemy creature}], choose: [[Troll, Dust Imp]]}",
        "{play: Bumpsy, choose: [left, Troll]}",
    ],
)
def test_the_only_possible_choice_may_be_named(event: str) -> None:
    assert resolved(f"{HEAD}event: {event}\n").order_count == 1


def test_the_other_game() -> None:
    assert resolved(f"{RIFTBOUND}event: {{resolve: Hidden Blade, choose: [Lonely Poro]}}\n").outcomes
    wrong = problem(f"{RIFTBOUND}event: {{resolve: Hidden Blade, choose: [Lonely Poro, Watchful Sentry]}}\n")
    assert "LR-E034 the answer Watchful Sentry is never asked for" in wrong


def test_under_another_reading_a_superfluous_answer_is_a_warning() -> None:
    text = f"{HEAD}event: {{instructions: [{{destroy: an enemy creature}}], choose: [Troll, Dust Imp]}}\n"
    found = resolved(text, edition="17.3")
    assert found.outcomes
    assert "the answer Dust Imp is never asked for" in found.warnings
