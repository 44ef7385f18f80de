"""A state in the middle of a run, written as a board, goes on as the run itself did; what cannot be written is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixture_help import FIXTURES, loaded

import lastrites
from lastrites.board import Board
from lastrites.editions import choose_reading
from lastrites.errors import BoardError
from lastrites.given_back import GivesBack
from lastrites.play import Play
from lastrites.resolution import Resolution
from lastrites.state import StateWriter

RIFTBOUND = FIXTURES / "riftbound"
ITEMS = [
    "a-lonely-poro-that-died-alone", "a-mighty-hero-draws", "karthus-makes-kogmaw-hit-twice",
    "two-akshans-die-together",
    "wraith-sees-a-token-die", "two-units-become-mighty-and-each-item-is-about-one", "rex-chooses-among-enemy-units",
]  # fmt: skip
"""Small boards whose items record a place, Might, being alone, a number, gear taken, a token, other units, targets,
and an ability that was granted."""

MOST = 2
"""So many states of each board are tried."""


def explored(path: Path) -> tuple[Board, Resolution, GivesBack]:
    board, _ = loaded(path)
    return board, lastrites.resolve(board, reduction=False), GivesBack(board, choose_reading(board, {}, None, (), ()))


def ends(resolution: Resolution, start: int, writer: StateWriter) -> set[str]:
    """The final states that can be reached from a state, written."""
    graph, seen, waiting = resolution.graph, {start}, [start]
    while waiting:
        new = set(graph.nodes[waiting.pop()].targets) - seen
        seen |= new
        waiting += new
    finals = (graph.nodes[node].state for node in seen if graph.nodes[node].final)
    return {json.dumps(writer.state(graph.fluents.terms(state)), sort_keys=True) for state in finals}


def with_items(resolution: Resolution) -> Iterator[int]:
    """The states in which something waits and nothing is under way."""
    for number, node in enumerate(resolution.graph.nodes):
        fluents = list(resolution.graph.fluents.terms(node.state))
        frames = {str(fluent.args[1]).partition("(")[0] for fluent in fluents if fluent.name == "frame"}
        names = {fluent.name for fluent in fluents}
        if frames <= {"script", "chain"} and names & {"wait", "pend"} and not names & {"doom", "batch"}:
            yield number


@pytest.mark.parametrize("name", ITEMS)
def test_states_with_items_on_the_chain_go_on_as_before(name: str) -> None:
    board, resolution, gives_back = explored(RIFTBOUND / f"{name}.yaml")
    writer = StateWriter(board)
    tried = 0
    for number in with_items(resolution):
        given = gives_back.file(resolution.graph.fluents.terms(resolution.graph.nodes[number].state))
        if given.left_out or tried == MOST:
            continue
        again = lastrites.resolve(Board.from_text(given.text))
        found = {json.dumps(outcome.state, sort_keys=True) for outcome in again.outcomes}
        assert found == ends(resolution, number, writer), given.text
        tried += 1
    assert tried


@pytest.mark.parametrize(
    ("game", "name"),
    [("keyforge", "a-late-ward-does-not-save-from-the-discard"), ("riftbound", "both-at-the-victory-score")],
)
def test_what_is_written_is_read_as_the_same_or_told(game: str, name: str) -> None:
    """The last state is written as a whole; a state in which an ability is carried out says that this is left out."""
    board, resolution, gives_back = explored(FIXTURES / game / f"{name}.yaml")
    graph = resolution.graph
    final = next(node for node in graph.nodes if node.final)
    given = gives_back.file(graph.fluents.terms(final.state), over=True)
    assert given.left_out == ()
    (outcome,) = lastrites.resolve(Board.from_text(given.text)).outcomes
    assert outcome.state == StateWriter(board).state(graph.fluents.terms(final.state))
    for node in graph.nodes:
        fluents = list(graph.fluents.terms(node.state))
        frames = {str(fluent.args[1]) for fluent in fluents if fluent.name == "frame"}
        if any(not frame.startswith(("script(", "chain(")) for frame in frames):
            assert gives_back.file(fluents).left_out
            return
    pytest.fail("no state in the middle")


def test_a_game_that_is_won_keeps_the_records_of_what_lies_on_the_chain() -> None:
    text = """
game: riftbound
active: P1
cards:
  S: {type: unit, might: 1, abilities: [{when: deathknell, steps: [{score: 1}]}]}
victory score: 5
players:
  P1: {points: 0}
  P2: {base: [S, Shipyard Skulker], points: 4}
battlefields:
  bf1: {controller: P1, units: {P1: ["Kog'Maw, Caustic", Lonely Poro, Unsung Hero: {might: 6}]}}
event: {kill: ["Kog'Maw, Caustic", S, Lonely Poro, Unsung Hero]}
"""
    (outcome,) = lastrites.resolve(Board.from_text(text)).outcomes
    assert outcome.state["chain"] == [
        {"ability of": "Kog'Maw, Caustic", "controller": "P1", "was at": "bf1"},
        {"ability of": "Lonely Poro", "controller": "P1", "together": True},
        {"ability of": "Unsung Hero", "controller": "P1", "together": True, "had might": 6},
    ]


DECREE = """
game: riftbound
active: P1
players:
  P1: {{trash: [Imperial Decree: {{in effect: true}}]}}
  P2: {{base: [Shipyard Skulker]}}
chain:
  - {{ability of: Imperial Decree, ability: 2, controller: P1, about: Shipyard Skulker, of: P2, has left: true}}
event: {}
"""


@pytest.mark.parametrize(("event", "dies"), [("{damage: {Shipyard Skulker: 1}}", True), ("{cleanup: ordinary}", False)])
def test_an_item_about_a_unit_that_has_left_does_nothing_and_a_later_one_does(event: str, dies: bool) -> None:
    (outcome,) = lastrites.resolve(Board.from_text(DECREE.format(event))).outcomes
    assert outcome.state["P2"] == {"trash" if dies else "base": ["Shipyard Skulker"]}


def test_saving_in_the_middle_tells_what_is_left_out() -> None:
    play = Play(loaded(RIFTBOUND / "an-unlicensed-armory-saves-who-pays.yaml")[0])
    text = play.board_text()
    assert "# Not written: cards that are about to die" in text
    assert "begun: 2" in text


def test_what_no_state_says_stays_in_the_file() -> None:
    path = FIXTURES / "keyforge" / "a-token-creature-of-a-shuffled-deck-is-chance.yaml"
    board, _ = loaded(path)
    given = GivesBack(board, choose_reading(board, {}, None, (), ())).file(board.initial())
    assert "token creature: Grunt" in given.text
    facts = Play(Board.from_text("""
about(game,"riftbound"). active("P1"). setting(victory_score,5). player("P1"). turn("P1",1). player("P2"). turn("P2",2).
event(1,end_turn,"P1").
""", "board.lp")).given_back()  # fmt: skip
    assert {"setting (victory_score, 5)"} <= set(facts.left_out)


CHAIN = """
game: riftbound
active: P1
players: {{P1: {{trash: [Watchful Sentry, "Kog'Maw"], deck size: 3}}, P2: {{}}}}
battlefields: {{bf1: {{controller: P2}}}}
chain: [{}]
event: {{cleanup: ordinary}}
"""


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ("{ability of: Mystic Poro, controller: P1, does: play}", "LR-E037 a unit that is played resolves"),
        ("{ability of: Watchful Sentry, controller: P1, targets: [Kog'Maw]}", "more targets than the ability has"),
        ("{ability of: Watchful Sentry, controller: P1, together: true}", "`together` with none before it"),
        ("{ability of: Kog'Maw, controller: P1, was at: {P2: base}}", "LR-E016 this is no place of the board"),
        ("{ability of: Kog'Maw, controller: P1}", "whose record the board does not tell (`was at`)"),
    ],
)
def test_items_that_cannot_lie_there_are_told(items: str, told: str) -> None:
    with pytest.raises(BoardError) as caught:
        lastrites.resolve(Board.from_text(CHAIN.format(items)))
    assert told in str(caught.value)
