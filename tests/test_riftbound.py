"""What holds in every state of every Riftbound board, and the speed of blocks of triggers."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from fixture_help import FIXTURES, loaded, name_of, resolved

import lastrites
from lastrites import spares
from lastrites.board import Board
from lastrites.errors import BoardError
from lastrites.terms import Term, fn
from lastrites.yamlio import dump

PASSING = {
    "doom", "wait", "batch", "applied", "spent", "subject", "aimed", "killed_it", "result_due", "picked",
    "hit", "softened", "performed", "aside", "billing", "paid", "waived", "wanted", "declined", "finalizes_first",
    "parted", "undone",
}  # fmt: skip
PAYING = {"pay", "waive", "spend", "recycle", "tap"}

boards = pytest.mark.parametrize("path", sorted((FIXTURES / "riftbound").glob("*.yaml")), ids=name_of)


def tokens(board: Board) -> set[object]:
    """The cards of a board that are tokens."""
    minted = {"recruit", "mech", "sprite", "gold"}
    marked = {fluent.args[0] for fluent in board.initial() if fluent.name == "is" and fluent.args[1] == fn("token")}
    return marked | {fact.args[0] for fact in board.facts if fact.name == "prints" and fact.args[1] in minted}


def zones(fluents: frozenset[Term]) -> list[Term]:
    """The fluents that say where cards are."""
    return [fluent for fluent in fluents if fluent.name == "zone"]


@boards
def test_no_card_is_lost_or_in_two_places(path: Path) -> None:
    board, _ = loaded(path)
    graph = resolved(path).graph
    named = {fluent.args[0] for fluent in zones(board.initial())} - tokens(board)
    for node in graph.nodes:
        placed = [fluent.args[0] for fluent in zones(graph.fluents.terms(node.state))]
        assert len(placed) == len(set(placed))
        assert named <= set(placed)


@boards
def test_what_happens_in_a_cleanup_is_decided_by_nobody_but_for_replacements(path: Path) -> None:
    """In mid-Cleanup nobody has a choice, except which effect replaces a death, and how what it costs is paid."""
    graph = resolved(path).graph
    for node in graph.nodes:
        fluents = graph.fluents.terms(node.state)
        frames = [fluent for fluent in fluents if fluent.name == "frame"]
        top = max(frames, key=lambda frame: int(str(frame.args[0])))
        what = top.args[1]
        if isinstance(what, Term) and what.name == "cleanup" and node.kind == "player":
            assert {option.term.name for option in node.options} <= {"replace", *PAYING}


@boards
def test_nothing_is_left_over_at_the_end(path: Path) -> None:
    """When nothing is left to do, nobody waits to die, no item is pending, no batch is open."""
    graph = resolved(path).graph
    for node in graph.nodes:
        fluents = graph.fluents.terms(node.state)
        if node.final and not any(fluent.name == "winner" for fluent in fluents):
            assert not [zone for zone in zones(fluents) if zone.args[2] == fn("chain")]
            left = {fluent.name for fluent in fluents}
            assert not left & PASSING


def test_eight_sentries_that_die_together_have_few_states() -> None:
    sentries = ", ".join(["Watchful Sentry"] * 8)
    text = f"""
game: riftbound
active: P1
players: {{P1: {{hand: [Flurry of Blades]}}, P2: {{deck size: 8}}}}
battlefields:
  bf1: {{controller: P2, units: {{P2: [{sentries}]}}}}
event: {{resolve: Flurry of Blades}}
"""
    resolution = lastrites.resolve(Board.from_text(text))
    assert resolution.order_count == 40_320
    assert resolution.state_count < 300
    (outcome,) = resolution.outcomes
    assert outcome.state["P2"]["hand size"] == 8
    assert fn("zone", "Watchful Sentry#8", "P2", fn("trash")) in resolution.graph.fluents.terms(
        next(node.state for node in resolution.graph.nodes if node.final)
    )


def test_large_decks_do_not_make_all_numbers_large() -> None:
    """How many cards nobody names has a bound of its own, and drawing from sixty cards still counts them."""
    text = """
game: riftbound
active: P1
players: {P1: {deck size: 60, hand: [Flurry of Blades]}, P2: {deck size: 60}}
battlefields:
  bf1: {controller: P2, units: {P2: [Watchful Sentry]}}
event: {resolve: Flurry of Blades}
"""
    resolution = lastrites.resolve(Board.from_text(text))
    assert resolution.graph.rulebook.constant("max_value") < 30
    (outcome,) = resolution.outcomes
    assert outcome.state["P2"]["deck size"] == 59


def assignments(damage: int, needs: list[int]) -> int:
    """In how many ways damage is assigned: some units get what is lethal for them, at most one other the rest."""
    if damage >= sum(needs):
        return 1
    ways = 0
    for size in range(len(needs) + 1):
        for chosen in combinations(range(len(needs)), size):
            rest = damage - sum(needs[index] for index in chosen)
            others = [need for index, need in enumerate(needs) if index not in chosen]
            ways += rest == 0 or (rest > 0 and sum(need > rest for need in others))
    return ways


@pytest.mark.parametrize(("damage", "needs"), [(5, [3, 2, 2, 1]), (7, [3, 3, 3]), (4, [1, 1, 6]), (6, [2, 1, 3])])
def test_each_assignment_of_combat_damage_is_counted_once(damage: int, needs: list[int]) -> None:
    units = ", ".join(f"Shipyard Skulker: {{might: {need}}}" for need in needs)
    text = f"""
game: riftbound
active: P1
players: {{P1: {{base: [Mystic Poro: {{might: {damage}}}]}}, P2: {{}}}}
battlefields: {{bf1: {{controller: P2, units: {{P2: [{units}]}}}}}}
event: {{attack: [Mystic Poro], battlefield: bf1}}
"""
    resolution = lastrites.resolve(Board.from_text(text))
    assert not resolution.stuck
    assert resolution.order_count == assignments(damage, needs)


@pytest.mark.parametrize(
    "name",
    [
        "a-combat-that-still-goes-on", "draven-mirror-at-seven-points", "an-attack-that-kills-the-last-defender",
        "an-effect-of-this-turn-goes-on", "a-granted-deathknell",
    ],
)
def test_an_outcome_put_into_a_board_file_is_the_same_board(name: str) -> None:
    board, _ = loaded(FIXTURES / "riftbound" / f"{name}.yaml")
    for outcome in resolved(FIXTURES / "riftbound" / f"{name}.yaml").outcomes:
        rest = {key: value for key, value in outcome.state.items() if key not in board.players}
        players = {player: outcome.state[player] for player in board.players}
        again = Board.from_text(dump({"game": "riftbound", "active": "P1", "players": players, **rest}))
        assert lastrites.resolve(again).outcomes[0].state == outcome.state


def test_a_trigger_that_asks_for_the_might_of_what_is_played_is_refused() -> None:
    text = """game: riftbound
active: P1
cards:
  Drum: {type: gear, abilities: [{when: somebody plays, watches: friendly mighty unit, steps: [draw: 1]}]}
players: {P1: {base: [Drum]}, P2: {}}
event: {instructions: [play token: {Recruit: 1}]}
"""
    with pytest.raises(BoardError, match=r"LR-E027.*Might of a unit as it is played"):
        lastrites.resolve(Board.from_text(text))


def test_a_card_that_has_died_is_not_returned_to_hand_and_the_answer_says_so() -> None:
    text = """game: riftbound
active: P1
cards: {Cat: {type: unit, might: 2, abilities: [{when: deathknell, steps: [{return to hand: self}]}]}}
players: {P1: {base: [Cat]}, P2: {}}
event: {kill: [Cat]}
"""
    found = lastrites.resolve(Board.from_text(text))
    assert [outcome.state["P1"] for outcome in found.outcomes] == [{"trash": ["Cat"]}]
    assert any("is not on the board, and stays where it is" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("ability", "told"),
    [
        ("{when: becomes ready, once each turn: true, steps: [{draw: 1}]}", "LR-E042 `once each turn:` does nothing"),
        ("{when: activated, may: true, steps: [{draw: 1}]}", "LR-E042 `may:` does nothing"),
        ("{when: would die, if: your turn, instead: [save it]}", "LR-E042 `if:` does nothing"),
        ("{when: activated, cost: spend its buff, steps: [{draw: 1}]}", "LR-E027.*a buff that is spent"),
        ("{when: activated, cost: recycle this, steps: [{draw: 1}]}", "LR-E027.*recycling its own card"),
        ("{when: a unit dies, watches: unit, if: died alone, steps: [{draw: 1}]}", "LR-E027.*how it died"),
        ("{when: deathknell, if: paid the additional cost, steps: [{draw: 1}]}", "LR-E027.*an additional cost"),
        ("{when: would die, may: true, instead: [save it]}", "LR-E027.*one may apply without paying"),
        ("{when: would die, instead: [save it, {draw: 1}]}", "LR-E027.*anything else than saving"),
        ("{when: would be dealt damage, instead: [prevent it, {draw: 1}]}", "LR-E027.*than preventing or doubling"),
        ("{when: a unit dies, watches: unit, steps: [{return to hand: it}]}", "LR-E027.*takes a card which has died"),
        ("{when: deathknell, steps: [{prevent: 1}]}", "LR-E027.*replaces nothing"),
        ("{when: deathknell, steps: [{banish: self}]}", "LR-E027.*takes a card which has died"),
        ("{when: a unit dies, watches: unit, steps: [banish it]}", "LR-E027.*replaces nothing"),
        (
            "{when: a unit dies, watches: unit, once each turn: true, steps: [{draw: {its controller: 1}}]}",
            "LR-E027.*about the player of the card that died",
        ),
    ],
)
def test_what_an_ability_says_and_the_rules_do_not_follow_is_refused(ability: str, told: str) -> None:
    text = f"""game: riftbound
active: P1
cards: {{Cat: {{type: unit, might: 2, abilities: [{ability}]}}}}
players: {{P1: {{base: [Cat]}}, P2: {{}}}}
event: {{kill: [Cat]}}
"""
    with pytest.raises(BoardError, match=told):
        lastrites.resolve(Board.from_text(text))


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("{return to hand: a rune}", "a rune is recycled, not returned to a hand"),
        ("{return to hand: Fury Rune}", "a rune is recycled, not returned to a hand"),
        ("{recycle: Smite}", "`return to hand` and `recycle` are for cards on the board"),
    ],
)
def test_what_is_never_returned_or_recycled_is_a_mistake(step: str, told: str) -> None:
    text = f"""game: riftbound
active: P1
players: {{P1: {{runes: [Fury Rune], hand: [Smite]}}, P2: {{}}}}
event: {{instructions: [{step}]}}
"""
    with pytest.raises(BoardError, match=told):
        lastrites.resolve(Board.from_text(text))


def test_tokens_that_never_stop_coming_end_as_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spares, "MOST", 6)
    text = """game: riftbound
active: P1
cards:
  Muster: {type: gear, abilities: [{when: somebody plays, watches: played by you, steps: [play token: {Recruit: 1}]}]}
players: {P1: {base: [Muster]}, P2: {}}
event: {instructions: [play token: {Recruit: 1}]}
"""
    found = lastrites.resolve(Board.from_text(text))
    assert not found.complete
    assert found.incomplete_reason == "P1 ran out of 6 cards recruit that can come to be; perhaps an order never ends"
    assert not found.outcomes
