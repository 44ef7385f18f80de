"""What is told of an event that is refused, of a board that cannot be, and of one that is not at rest."""

from __future__ import annotations

import pytest
from fixture_help import FIXTURES, resolved

import lastrites
from lastrites.errors import BoardError
from lastrites.jobs import expectations
from lastrites.terminal import refusal_text

SAID = {
    "combat-damage-that-is-lethal-for-neither-is-refused": [
        "Shipyard Skulker#1 is assigned 2, and 3 is lethal: that comes before what is assigned to Shipyard Skulker#2"
    ],
    "damage-that-passes-by-a-tank-is-refused": [
        "Galio, Indefatigable is assigned 0, and 6 is lethal: that comes before what is assigned to Watchful Sentry"
    ],
    "a-stunned-unit-with-combat-damage-to-deal-is-refused": ["Mystic Poro is to deal 0 in all, not 2"],
    "no-combat-damage-comes-from-a-unit-elsewhere": ["Shipyard Skulker is not at bf1"],
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_wrong_is_told(name: str) -> None:
    (refusal,) = resolved(FIXTURES / "riftbound" / f"{name}.yaml").refused
    assert set(SAID[name]) <= set(refusal["why"])
    assert SAID[name][0] in refusal_text(refusal)


def board(*lines: str, event: str = "{cleanup: ordinary}") -> lastrites.Board:
    """A Riftbound board with these lines; where they name no players, with a Sentry."""
    text = "\n".join(("game: riftbound", "active: P1", *lines, f"event: {event}"))
    players = "players: {P1: {base: [Watchful Sentry]}, P2: {}}"
    return lastrites.Board.from_text(text if "players:" in text else f"{text}\n{players}")


WRONG = {
    "a card in hand has damage": (
        ["players: {P1: {hand: [Watchful Sentry: {damage: 1}]}, P2: {}}"],
        "only a card on the board has damage",
    ),
    "more has begun than there is": (["begun: 2"], "more events have begun"),
    "who passed passes again": (["passed: [P1, P1]"], "`P1` stands here twice"),
    "two places go on": (
        ["battlefields: {bf1: {}, bf2: {}}", "ongoing: {showdown: bf1, combat: bf2, attacker: P1}"],
        "at one battlefield at a time",
    ),
    "nobody attacks": (["battlefields: {bf1: {}}", "ongoing: {combat: bf1}"], "a combat has an attacker"),
    "a place that is none": (["ongoing: {combat: bf9, attacker: P1}"], "neither a player nor a place"),
    "a place called base": (["battlefields: {base: {}}"], "no place may be called `base`"),
    "a place called like a player": (["battlefields: {P2: {}}"], "no place may be called `P2`"),
    "what lies on the board is offered": (
        ["players: {P1: {base: [Zhonya's Hourglass]}, P2: {}}", "may: {P1: [play Zhonya's Hourglass]}"],
        "a card that is on the board is not played",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_board_that_cannot_be_is_a_mistake(name: str) -> None:
    lines, message = WRONG[name]
    with pytest.raises(BoardError, match=message):
        lastrites.resolve(board(*lines))


def test_what_leaves_play_keeps_nothing_in_keyforge_either() -> None:
    text = "game: keyforge\nactive: A\nplayers: {A: {hand: [Troll: {stunned: true}]}, B: {}}\nevent: {destroy: [Troll]}"
    with pytest.raises(BoardError, match="only a card in play is warded, stunned"):
        lastrites.resolve(lastrites.Board.from_text(text))


def test_a_board_that_is_not_at_rest_is_settled_with_a_warning() -> None:
    hurt = lastrites.resolve(board("players: {P1: {deck size: 1, base: [Watchful Sentry: {damage: 1}]}, P2: {}}"))
    assert hurt.warnings == ["the board is not at rest: a unit has lethal damage; that is settled before the event"]
    field = "battlefields: {bf1: {controller: P2, contested by: P1, units: {P1: [Watchful Sentry], P2: [Mystic Poro]}}}"
    players = "players: {P1: {deck size: 1}, P2: {}}"
    met = lastrites.resolve(board(players, field, event="{move: Watchful Sentry, to: base}"))
    assert met.refused[0]["why"] == ["Watchful Sentry is not on the board"]
    assert any("the showdown or combat comes before the event" in text for text in met.warnings)
    left = lastrites.resolve(board(players, field, event="{instructions: [ready: Mystic Poro]}"))
    assert any("is not followed, as no event moves or attacks" in text for text in left.warnings)
    field = "battlefields: {bf1: {controller: P1, units: {P1: [Watchful Sentry], P2: [Mystic Poro]}}}"
    alone = lastrites.resolve(
        board("players: {P1: {base: [Galio]}, P2: {}}", field, event="{attack: [Galio], battlefield: bf1}")
    )
    assert any("a battlefield that nobody contests" in text for text in alone.warnings)
    assert not lastrites.resolve(board()).warnings


def test_who_was_destroyed_first_does_not_fight() -> None:
    lines = "A: {battleline: [Troll: {damage: 8}]}, B: {battleline: [Dust Imp]}"
    text = f"game: keyforge\nactive: A\nplayers: {{{lines}}}\nevent: {{fight: [Troll, Dust Imp]}}"
    found = lastrites.resolve(lastrites.Board.from_text(text))
    assert found.refused[0]["why"] == ["Troll is not in play"]
    assert "the board is not at rest" in found.warnings[0]


def test_what_a_state_may_leave_out_or_tell_by_player() -> None:
    """`expect` matches emptiness written out, and the sum of damage that is told by who has dealt it."""
    text = """
game: riftbound
active: P1
players: {P1: {base: [Elder Dragon]}, P2: {base: [Shipyard Skulker: {damage: {P2: 1}}]}}
battlefields: {bf1: {}}
event: {cleanup: ordinary}
expect: {outcomes: [{battlefields: {bf1: {hidden: {}}}, P2: {base: [Shipyard Skulker: {damage: 1, affected by: []}]}}]}
"""
    made = lastrites.Board.from_text(text)
    (expectation,) = expectations(made)
    outcomes = lastrites.resolve(made).to_json()["outcomes"]
    assert len(outcomes) == 1
    assert not expectation.failures(outcomes, "1", 1)
