"""Mistakes are told all at once; boards that never end, or end badly, tell what is known and by their status."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lastrites
from lastrites import cli
from lastrites.commands import running
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
        return running.status_of([{**nothing, **what}])

    stuck = [{"after": [], "options": []}]
    failed = [status(**{what: stuck}) for what in ("stuck", "conflicts", "refused", "loops")]
    assert failed == [running.FAILED] * 4
    assert status(refused=stuck, outcomes=[{}]) == running.FAILED
    assert status(stuck=stuck, outcomes=[{}]) == status() == running.ANSWERED
    assert status(stuck=stuck, complete=False) == running.INCOMPLETE


def test_an_edition_of_the_command_line_does_not_hide_a_wrong_one_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.yaml"
    file.write_text(GROWS.replace("active", 'edition: "99"\nactive'), encoding="utf-8")
    assert cli.main(["outcomes", str(file), "--edition", "17.3"]) == 2
    assert f"{file}:3:10: LR-E031 unknown edition `99`" in capsys.readouterr().err


IDLE = """
game: riftbound
active: P1
cards:
  Mourner: {type: unit, might: 1, abilities: [{when: a unit dies, steps: [{draw: 1}]}]}
  Statue: {type: unit, might: 1, abilities: [{when: constant, steps: [{draw: 1}]}, {when: deathknell}]}
players: {P1: {base: [Mourner, Statue]}, P2: {}}
event: {kill: [Mourner]}
"""


def test_an_ability_that_can_never_do_anything_is_told() -> None:
    with pytest.raises(BoardError) as caught:
        lastrites.Board.from_text(IDLE)
    found = [(problem.line, problem.code) for problem in caught.value.problems]
    assert found == [(5, "LR-E042"), (6, "LR-E042"), (6, "LR-E042"), (6, "LR-E042")]
    assert "`when: a unit dies` does nothing without `watches:`" in str(caught.value)
    assert "`steps:` does nothing in an ability with `when: constant`" in str(caught.value)


MISPLACED = """
game: riftbound
active: P1
players:
  P1: {base: [Ruined Rex: {gear: [Watchful Sentry]}, Flurry of Blades], hand: [Recruit]}
  P2: {runes: [LeBlanc], legend: [Ruined Rex], rune deck: [Mystic Poro]}
battlefields: {bf1: {units: {P1: [Falling Star]}, gear: {P2: [LeBlanc]}}}
event: {kill: [Flurry of Blades]}
"""


def test_a_card_is_told_where_its_type_cannot_be() -> None:
    with pytest.raises(BoardError) as caught:
        lastrites.resolve(lastrites.Board.from_text(MISPLACED))
    assert {problem.code for problem in caught.value.problems} == {"LR-E037"}
    told = [str(problem).split("LR-E037 ")[1] for problem in caught.value.problems]
    assert told == [
        "`Watchful Sentry`: only gear is attached",
        "`Flurry of Blades`: a base holds units and gear",
        "`Recruit`: a token is on the board only",
        "`LeBlanc, Fragmented#1`: only runes are among the runes; a unit or gear is in the base",
        "`Ruined Rex#2`: only a legend is in the legend zone",
        "`Mystic Poro`: only runes are in a rune deck",
        "`Falling Star`: only units stand among the units of a battlefield",
        "`LeBlanc, Fragmented#2`: only gear lies among the gear of a battlefield",
    ]


MISTAKEN = """
game: riftbound
active: P1
cards:
  Bomb: {type: spell, abilities: [{when: deathknell, steps: [{draw: 1}]}]}
  Imp: {type: unit, might: 1, abilities: [{when: spell, steps: [{draw: 1}]}]}
players:
  P1: {base: [Mystic Poro], hand: [Cruel Patron]}
  P2: {}
battlefields: {bf1: {}, bf2: {}}
event: {play: Cruel Patron, at: bf3}
"""
AT_REST = """
game: riftbound
active: P1
players:
  P1: {base: [Mystic Poro, Endless Riches#STATE], hand: [Imperial Decree, Smite]}
  P2: {}
battlefields: {bf1: {}}
event: #EVENT
#MORE
"""


def test_abilities_on_cards_of_the_wrong_type_and_unknown_places_are_told() -> None:
    with pytest.raises(BoardError) as caught:
        lastrites.Board.from_text(MISTAKEN)
    found = [(problem.line, problem.code) for problem in caught.value.problems]
    assert found == [(5, "LR-E042"), (6, "LR-E042"), (11, "LR-E016")]
    told = str(caught.value)
    assert "`when: deathknell` does nothing on a card of the type spell" in told
    assert "`when: spell` instead" in told
    assert "known here: base; battlefields: bf1, bf2" in told


@pytest.mark.parametrize(
    ("state", "event", "more", "where", "text"),
    [
        ("", "{damage: {Endless Riches: 1}}", "", (8, "LR-E013"), "gear has neither Might nor damage"),
        (": {damage: 1}", "{kill: [Mystic Poro]}", "", (5, "LR-E037"), "only units have damage"),
        (": {in effect: true}", "{kill: [Mystic Poro]}", "", (5, "LR-E037"), "for the rest of the turn"),
        ("", "[{kill: [Mystic Poro]}, {activate: Mystic Poro}]", "", (8, "LR-E013"), "without such an ability"),
        ("", "{resolve: Smite, by: P2, targets: [Mystic Poro]}", "", (8, "LR-E013"), "`by:` says who resolves it"),
        ("", "[end turn: true, {begin: beginning phase, by: P2}]", "", (8, "LR-E013"), "not that player's turn"),
        ("", "{kill: [Mystic Poro]}", "may: {P1: [activate Endless Riches]}", (9, "LR-E013"), "such an ability"),
    ],
)
def test_a_riftbound_board_that_cannot_be(state: str, event: str, more: str, where: tuple[int, str], text: str) -> None:
    board = AT_REST.replace("#STATE", state).replace("#EVENT", event).replace("#MORE", more)
    with pytest.raises(BoardError, match=text) as caught:
        lastrites.resolve(lastrites.Board.from_text(board))
    assert [(problem.line, problem.code) for problem in caught.value.problems] == [where]


def test_a_decree_in_hand_is_not_in_effect() -> None:
    board = AT_REST.replace("#STATE", "").replace("Decree,", "Decree: {in effect: true},").replace("#MORE", "")
    with pytest.raises(BoardError, match="has resolved"):
        lastrites.resolve(lastrites.Board.from_text(board.replace("#EVENT", "{kill: [Mystic Poro]}")))
ALTAR = """
game: riftbound
active: P1
cards:
  Altar:
    type: gear
    abilities:
      - {{when: reaction, steps: [{{draw: 1}}]}}
      - {{when: reaction, steps: [{{damage: {{a unit: 1}}}}]}}
  Blast: {{type: spell, keywords: [reaction], abilities: [{{when: spell, steps: [{{damage: {{each unit: 1}}}}]}}]}}
players: {{P1: {{hand: [Blast], base: [Altar, Shipyard Skulker]}}, P2: {{}}}}
{}
"""


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("event: {activate: Altar}", "1: Reaction: draw 1; 2: Reaction: deal 1 damage to a unit"),
        ("may: {P1: [activate Altar]}", "1: Reaction: draw 1; 2: Reaction: deal 1 damage to a unit"),
        ("may: {P1: [{activate: Altar, ability: 3}]}", "activating a card without such an ability"),
        ("may: {P1: [{play: Blast, ability: 1}]}", "says which ability of a card is activated"),
        ("may: {P1: [{use: Altar}]}", "`activate Card` or `{verb: Card, ability: n}`"),
    ],
)
def test_which_ability_is_meant_must_be_said(rest: str, told: str) -> None:
    with pytest.raises(BoardError) as caught:
        lastrites.resolve(lastrites.Board.from_text(ALTAR.format(rest)))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("offers", "told"),
    [
        ("[play Blast, play Blast]", "offered to be played twice, and nothing on the board brings it back"),
        ("[play Shipyard Skulker]", "a card that is on the board is not played, and nothing there brings it back"),
    ],
)
def test_a_card_that_cannot_come_back_is_not_offered(offers: str, told: str) -> None:
    # That something draws cards does not bring back what lies elsewhere.
    with pytest.raises(BoardError, match=told):
        lastrites.resolve(lastrites.Board.from_text(ALTAR.format(f"may: {{P1: {offers}}}")))


@pytest.mark.parametrize(
    ("when", "step", "told"),
    [
        ("destroyed", "{ward: it}", "`it` where no card has triggered the ability"),
        ("destroyed", "{give control: {an enemy creature: you}}", "a card and its flank that are chosen in one step"),
        ("destroyed", "{make token creatures: its power}", "a number of token creatures that is said in words"),
        ("", "{ward: each neighbor}", "words for the card itself"),
        ("", "{steal: its power}", "words for the card itself"),
    ],
)
def test_words_that_mean_nothing_where_they_stand_are_refused(when: str, step: str, told: str) -> None:
    ability = f"{{when: {when}, steps: [{step}]}}" if when else "{when: destroyed, steps: [{gain: 1}]}"
    event = "destroy: [Own]" if when else f"instructions: [{step}]"
    text = f"""game: keyforge
active: Ann
players: {{Ann: {{battleline: [Own]}}, Bob: {{battleline: [Troll]}}}}
cards: {{Own: {{type: creature, power: 2, abilities: [{ability}]}}}}
event: {{{event}}}
"""
    with pytest.raises(BoardError, match=f"LR-E027.*{told}"):
        lastrites.resolve(lastrites.Board.from_text(text))


SEVERAL = """
game: riftbound
active: P1
cards:
  Imp:
    type: unit
    might: 1
    abilities: [{when: deathknell, steps: [{damage: {an enemy unit: 1}}, {damage: {an enemy unit: 1}}]}]
players: {P1: {base: [Imp]}, P2: {base: [Galio]}}
event: {kill: [Imp]}
"""


def test_several_targets_beside_deflect_are_refused() -> None:
    with pytest.raises(BoardError, match="several targets or a cost of its own beside a unit with Deflect"):
        lastrites.resolve(lastrites.Board.from_text(SEVERAL))
    assert lastrites.resolve(lastrites.Board.from_text(SEVERAL.replace("Galio", "Ruined Rex"))).outcomes


def test_a_number_that_is_negative_names_the_key_that_counts_the_other_way() -> None:
    text = SEVERAL.replace("[Imp]}, P2", "[Imp: {might this turn: -4}]}, P2")
    with pytest.raises(BoardError, match="LR-E015 `-4` is no whole number") as caught:
        lastrites.Board.from_text(text)
    assert "write less might this turn: 4" in str(caught.value)


def test_might_is_given_away_only_of_what_the_same_ability_has_killed() -> None:
    steps = "[{damage: {an enemy unit: 1}}, {damage: {an enemy unit: 1}}]"
    with pytest.raises(BoardError, match="`lend its might` where no earlier step of the same ability kills"):
        lastrites.resolve(lastrites.Board.from_text(SEVERAL.replace(steps, "[lend its might: a friendly unit]")))
