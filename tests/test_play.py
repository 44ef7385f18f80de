"""A board played by hand: what is offered, the way back, and what is saved."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from fixture_help import FIXTURES, loaded, resolved

import lastrites
from lastrites import cli
from lastrites.play import FINAL, REFUSED, Play
from lastrites.play_text import play_text

SOLEFTS = FIXTURES / "keyforge" / "two-solefts-against-bad-penny.yaml"
FILES = [
    SOLEFTS,
    FIXTURES / "keyforge" / "chance-draws-and-the-player-discards.yaml",
    FIXTURES / "riftbound" / "a-combat-that-still-goes-on.yaml",
]

OWN = """
game: keyforge
title: A card of one's own
active: Ann
house: dis
cards:
  Ash Imp:
    type: creature
    house: dis
    power: 2
    abilities: [{when: destroyed, steps: [{gain: 1}, {damage: {each enemy creature: 1}}]}]
players:
  Ann: {battleline: [Ash Imp, Dust Imp]}
  Bob: {battleline: [Troll]}
event: {destroy: [Ash Imp, Dust Imp]}
expect: {orders: 2}
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_way_ends_in_an_outcome_that_is_known(file: Path) -> None:
    chance = random.Random(3)
    play = Play(loaded(file)[0])
    states = [outcome.state for outcome in resolved(file).outcomes]
    begin = play.here
    while play.here.options:
        lastrites.Board.from_text(play.board_text())  # in the middle, too, it is a board
        play.choose(chance.randrange(len(play.here.options)))
    assert play.here.ended == FINAL
    assert play.state() in states
    again = lastrites.Board.from_text(play.board_text())
    assert play.state() in [outcome.state for outcome in lastrites.resolve(again).outcomes]
    for _ in range(play.decisions):
        play.back()
    assert play.here == begin
    assert play.back() is None


def test_the_numbers_of_ways_are_those_of_the_orders() -> None:
    """Walking back and forth through everything finds each legal order once."""
    board = lastrites.Board.from_text(OWN.replace("\nevent", "\nreadings: {cascade: nested}\nevent"))
    play = Play(board)
    found = 0

    def walk() -> None:
        nonlocal found
        found += not play.here.options
        for number in range(len(play.here.options)):
            play.choose(number)
            walk()
            play.back()

    walk()
    assert found == lastrites.resolve(board).order_count == 2


def run(monkeypatch: pytest.MonkeyPatch, file: Path, lines: str, *arguments: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    return cli.main(["play", str(file), *arguments])


def test_lines_that_are_piped_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, saved = tmp_path / "own.yaml", tmp_path / "saved.yaml"
    file.write_text(OWN, encoding="utf-8")
    assert run(monkeypatch, file, f"?\n1\nb\nl\n2\n\ns {saved}\nq\n1\n") == 0
    out = capsys.readouterr().out
    assert out.count("Ann decides:") == 2
    assert "back to the decision before" in out
    assert "[kf.destroyed.lock-in, kf.destroyed.tag]" in out
    assert "Nothing is left to do. 1 decision." in out
    text = saved.read_text(encoding="utf-8")
    assert "Ash Imp:\n" in text
    assert "house: dis" in text
    assert "event" not in text
    assert "expect" not in text
    (outcome,) = lastrites.resolve(lastrites.load(saved)).outcomes
    (wanted,) = lastrites.resolve(lastrites.load(file)).outcomes
    assert outcome.state == wanted.state


def test_what_is_not_understood_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, SOLEFTS, f"7\n{'9' * 5000}\nb\njump\n\x1b[31m\ns\ns a\0b\n") == 1
    out = capsys.readouterr().out
    assert out.count("numbered from 1 to 2") == 2
    assert "`?[31m` is not understood" in out
    assert "a?b cannot be written" in out
    assert "this is the first decision" in out
    assert "`jump` is not understood" in out
    assert "the name of the file is missing" in out
    assert run(monkeypatch, SOLEFTS, "") == 0


def test_a_refused_event_and_a_question() -> None:
    refused = Play(loaded(FIXTURES / "keyforge" / "refused-a-stunned-creature-cannot-fight.yaml")[0])
    assert (refused.here.ended, refused.here.about) == (REFUSED, "kf.fight.ready")
    said: list[str] = []
    lines = iter(["1", None])
    assert play_text(Play(loaded(SOLEFTS)[0]), lambda: next(lines), said.append)
    told = "".join(said)
    assert 'The text leaves open: A "Destroyed:" ability tags more cards' in told
    assert "2. cascade: pooled (Keyteki since June 2026, Vex)" in told
