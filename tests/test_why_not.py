"""What ``lastrites why-not`` tells of states that come out, that come out otherwise, and that never do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lastrites import cli
from lastrites.whynot_text import whynot_text

PENNY = """
game: keyforge
active: Ann
players:
  Ann: {battleline: [Dust Imp: {upgrades: [Biomatrix Backup]}]}
  Bob: {battleline: [Bad Penny, Troll]}
event: {destroy: [Dust Imp, Bad Penny]}
"""

SOLEFTS = """
game: keyforge
active: Ann
players:
  Ann: {battleline: [Soleft, Soleft]}
  Bob: {battleline: [Bad Penny, Bumpsy, Troll]}
event: {destroy: ["Soleft#1", "Soleft#2"]}
"""

KOGMAW = """
game: riftbound
active: Ann
players: {Ann: {}, Bob: {}}
battlefields:
  bf1: {controller: Bob, contested by: Ann, units: {Ann: ["Kog'Maw"], Bob: [Shipyard Skulker: {might: 5}]}}
event: {combat damage: {"Kog'Maw": {Shipyard Skulker: 1}, Shipyard Skulker: {"Kog'Maw": 5}}, battlefield: bf1}
"""

STUNNED = """
game: keyforge
active: Ann
players: {Ann: {battleline: [Troll: {stunned: true}]}, Bob: {battleline: [Bumpsy]}}
event: {fight: [Troll, Bumpsy]}
"""

Capture = pytest.CaptureFixture[str]


class Asked:
    """What the command answers about a board that is written here."""

    def __init__(self, folder: Path, capsys: Capture) -> None:
        self.file, self.capsys = folder / "board.yaml", capsys

    def status(self, board: str, state: str, *arguments: str) -> int:
        self.file.write_text(board, encoding="utf-8")
        return cli.main(["why-not", str(self.file), state, *arguments])

    def json(self, board: str, state: str, *arguments: str, status: int = 0) -> dict[str, Any]:
        assert self.status(board, state, "--json", *arguments) == status
        told: dict[str, Any] = json.loads(self.capsys.readouterr().out)
        return told


def text(told: dict[str, Any]) -> str:
    """The same in words, its lines joined."""
    return " ".join(whynot_text(told, "a board").split())


@pytest.fixture
def asked(tmp_path: Path, capsys: Capture) -> Asked:
    return Asked(tmp_path, capsys)


def test_a_state_that_comes_out(asked: Asked) -> None:
    told = asked.json(PENNY, "{Ann: {aember: 2, archives: [Dust Imp]}, Bob: {hand: [Bad Penny]}}")
    assert (told["occurs"], told["outcomes"], told["under"], told["not_under"]) == (True, ["A"], [{}], [])
    assert (told["tried"], told["closest"], told["complete"]) == ([], None, True)
    assert "It does come out: outcome A." in text(told)


def test_a_state_that_comes_out_under_one_reading(asked: Asked) -> None:
    told = asked.json(SOLEFTS, "{Bob: {battleline: [Bumpsy, Troll]}}")
    assert told["occurs"]
    assert (told["under"], told["not_under"]) == ([{"cascade": "pooled"}], [{"cascade": "nested"}])
    assert "under cascade: pooled; not under cascade: nested" in text(told)


def test_the_clause_in_the_way(asked: Asked) -> None:
    told = asked.json(PENNY, "{Bob: {discard: [Bad Penny]}}", "--tries", "5")
    (found,) = told["clauses"]
    assert (found["clause"], found["how"], found["under"]) == ("kf.destroyed.lock-in", "without", [{}])
    assert [step["decision"] for step in found["order"]][-1] == "discard the tagged cards"
    assert "Clauses in the way: it would come out without kf.destroyed.lock-in" in text(told)


def test_the_nearest_order(asked: Asked) -> None:
    told = asked.json(PENNY, "{Ann: {aember: 2}, Bob: {discard: [Bad Penny]}}", "--tries", "0")
    assert not told["occurs"]
    assert told["closest"]["ruling"]["id"] == "A"  # in the other outcome nobody gains anything
    assert told["closest"]["differences"] == [{"path": "Bob, discard", "text": "missing Bad Penny"}]
    assert (told["never"], told["tried"]) == (["Bob, discard"], [])
    assert told["untried"]
    assert "In no outcome as asked for: Bob, discard." in text(told)
    nearer = asked.json(PENNY, "{Ann: {aember: 3}}", "--tries", "0")
    assert nearer["closest"]["differences"] == [{"path": "Ann, aember", "text": "expected 3, found 2"}]


def test_parts_that_come_out_but_not_together(asked: Asked) -> None:
    board = PENNY.replace("Bad Penny, Troll", "Troll: {upgrades: [Biomatrix Backup]}").replace("Bad Penny]", "Troll]")
    board = board.replace("Dust Imp: {", "Dust Imp: {aember: 1, ")
    told = asked.json(board, "{Ann: {aember: 0}, Bob: {aember: 1, archives: []}}", "--tries", "0")
    assert told["never"] == ["Bob, archives"]
    together = asked.json(SOLEFTS, "{Bob: {battleline: [Bumpsy, Troll], discard: [Bumpsy]}}", "--tries", "0")
    assert together["never"] == []
    assert "Each part of it is in some outcome, but not all of them together." in text(together)
    assert together["closest"]["distance"] == 1


def test_another_answer_gives_it(asked: Asked) -> None:
    told = asked.json(KOGMAW, "{Bob: {trash: [Shipyard Skulker]}}", "--tries", "2")
    (other,) = told["elsewhere"]["answers"]
    assert other["when"] == {"deathknell_after_combat": "damaged"}
    (answer,) = other["answers"]
    assert (answer["instead_of"], answer["fixed_by"]) == ("healed", "edition")
    assert answer["sources"] == [{"where": "riftjudge, rulings 2431 and 9244", "date": ""}]
    assert len(told["tried"]) == 2
    assert told["untried"]
    assert "Bob, trash: missing Shipyard Skulker" in text(told)


def test_another_edition_gives_it(asked: Asked) -> None:
    board = PENNY.replace("Biomatrix Backup", "Armageddon Cloak")
    state = "{Ann: {aember: 0, battleline: [Dust Imp]}}"
    told = asked.json(board, state, "--tries", "0")
    assert set(told["elsewhere"]["editions"]) == {"2019-01", "2019-09", "keyteki-2026-05", "keyteki-2026-06", "vex"}
    assert [other["when"] for other in told["elsewhere"]["answers"]] == [
        {"replacement": "any_time"}, {"replacement": "first"},
    ]  # fmt: skip
    assert "replacement: first instead of last (Vex)" in text(told)
    assert asked.json(board, state, "--edition", "2019-09")["occurs"]


def test_a_refused_event(asked: Asked) -> None:
    board = STUNNED.replace("[Bumpsy]", "[Bumpsy: {power: 9}]")
    told = asked.json(board, "{Bob: {battleline: [Bumpsy: {damage: 8}]}}", "--tries", "1")
    assert told["refused"][0]["clauses"] == ["kf.fight.ready"]
    assert [found["clause"] for found in told["clauses"]] == ["kf.fight.ready"]
    assert "the event is refused" in text(told)


def test_limits_give_what_is_known(asked: Asked) -> None:
    told = asked.json(SOLEFTS, "{Bob: {keys: 3}}", "--limit-states", "3", status=3)
    assert not told["complete"]
    assert "3 states" in told["incomplete_reason"]
    assert asked.status(SOLEFTS, "{Bob: {keys: 3}}", "--timeout", "0.001") == 3


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("{Bob: {batleline: []}}", "STATE:1:8: LR-E012 unknown key `batleline`"),
        ("{Bob: {hand: [Bad Pony]}}", "STATE:1:15: LR-E018 unknown card `Bad Pony`"),
        ("{Bab: {hand: []}}", "STATE:1:2: LR-E024 unknown player or key `Bab`"),
        ("{Bob: {aember: many}}", "STATE:1:16: LR-E015"),
        ("{Bob: {hand: [Dust Imp]}, Bob: {}}", "LR-E006"),
        ("{Bob: {hand: [", "LR-E004"),
        ("{}", "LR-E013 this state says nothing"),
        ("[Bob]", "LR-E014 an outcome is a mapping"),
        ("", "LR-E009 no state is described\n    say what should come out, for example '{"),
        ("# nothing", "LR-E009 no state is described"),
        ("{Bob:{hand: []}}", "a colon needs a space after it: `Bob: {`"),
    ],
)
def test_a_state_is_read_strictly(asked: Asked, state: str, message: str) -> None:
    assert asked.status(PENNY, state) == 2
    captured = asked.capsys.readouterr()
    assert not captured.out
    assert message in captured.err
