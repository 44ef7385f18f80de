"""Mistakes are told all at once; boards that never end, or end badly, tell what is known and by their status."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lastrites
from lastrites import cli
from lastrites.errors import BoardError

WRONG = """
game: keyforge
active: Cid
edition: "99"
readings: {cascade: nestled, foo: bar}
players:
  Ann: {battleline: [Troll, Troll: {icons: [heart]}]}
  Bob: {}
event: {destroy: [Troll]}
"""

GROWS = """
game: keyforge
active: Ann
players: {Ann: {battleline: [Grow, Troll]}, Bob: {battleline: [Dust Imp]}}
cards:
  Grow:
    type: creature
    power: 3
    abilities: [{when: destroyed, instead: [{gain: 1}, {destroy: self}]}]
event: {destroy: [Grow]}
"""


def test_mistakes_of_the_head_are_told_with_the_others() -> None:
    with pytest.raises(BoardError) as caught:
        lastrites.Board.from_text(WRONG)
    found = [(problem.line, problem.code) for problem in caught.value.problems]
    assert found == [(3, "LR-E024"), (4, "LR-E031"), (5, "LR-E031"), (5, "LR-E031"), (7, "LR-E016"), (9, "LR-E019")]
    assert "`heart` is not an icon that these rules know" in str(caught.value)


def test_a_board_that_feeds_itself_tells_what_is_known() -> None:
    found = lastrites.resolve(lastrites.Board.from_text(GROWS))
    assert not found.complete
    assert "perhaps an order never ends" in found.incomplete_reason
    assert found.state_count > 100


def test_the_status_of_boards_without_an_outcome() -> None:
    def status(**what: Any) -> int:
        nothing: dict[str, Any] = {"complete": True, "outcomes": [], "refused": [], "stuck": [], "conflicts": []}
        return cli._status([{**nothing, **what}])

    stuck = [{"after": [], "options": []}]
    assert status(stuck=stuck) == status(conflicts=stuck) == status(refused=stuck) == cli.FAILED
    assert status(refused=stuck, outcomes=[{}]) == cli.FAILED
    assert status(stuck=stuck, outcomes=[{}]) == status() == cli.ANSWERED
    assert status(stuck=stuck, complete=False) == cli.INCOMPLETE


def test_an_edition_of_the_command_line_does_not_hide_a_wrong_one_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.yaml"
    file.write_text(GROWS.replace("active", 'edition: "99"\nactive'), encoding="utf-8")
    assert cli.main(["outcomes", str(file), "--edition", "17.3"]) == 2
    assert f"{file}:3:10: LR-E031 unknown edition `99`" in capsys.readouterr().err
