"""Rule files that a board does not need are left out; loading them all gives the same answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lastrites
from lastrites.game import Game

FIXTURES = Path(__file__).parent.parent / "fixtures" / "keyforge"
SOME = sorted(FIXTURES.glob("*.yaml"))[::20]


def answer(path: Path) -> dict[str, Any]:
    board = lastrites.load(path)
    return lastrites.resolve(board, limits=lastrites.Limits(states=400)).to_json()


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_files_that_are_left_out_would_change_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_what_it_needs = answer(path)
    monkeypatch.setattr(Game, "files_for", lambda game, names: game.files)
    assert answer(path) == with_what_it_needs


def test_a_board_without_draws_leaves_the_rules_for_drawing_out() -> None:
    board = lastrites.load(FIXTURES / "groggins-fights-dust-imp-with-soulkeeper.yaml")
    loaded = {file.name for file in lastrites.resolve(board).graph.rulebook.files}
    assert {"destroyed.lp", "fighting.lp"} <= loaded
    assert not {"drawing.lp", "replacement.lp", "playing.lp"} & loaded
