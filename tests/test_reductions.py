"""Reductions change nothing: the answer is that of plain exploration, on random boards with many cards that are alike.

``LASTRITES_RANDOM_BOARDS=500 pytest tests/test_reductions.py -k random`` looks at that many boards of each game.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from bench.families import FAMILIES
from random_boards import (
    holding,
    keyforge_board,
    keyforge_board_of_groups,
    riftbound_board,
    riftbound_board_of_groups,
)

import lastrites
from lastrites import explore
from lastrites.board import Board
from lastrites.reductions import INDEPENDENCE, LOOKUP, REDUCTIONS, SYMMETRY
from lastrites.resolution import Resolution

BOARDS = int(os.environ.get("LASTRITES_RANDOM_BOARDS", "2"))
MOST_STATES = 1_200 if BOARDS > 2 else 150


@pytest.fixture(autouse=True)
def _reduced_from_the_first_state_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "_FEW_STATES", 1)


def told(resolution: Resolution) -> dict[str, Any]:
    """The answer without the number of states and the example orders, of which there may be several."""
    answer = resolution.to_json()
    del answer["states"]
    for outcome in answer["outcomes"]:
        del outcome["witness"]
    return answer


def steps_of(resolution: Resolution) -> dict[frozenset[Any], Counter[tuple[str, frozenset[Any]]]]:
    """State -> its decisions with the states that they lead to."""
    graph = resolution.graph
    terms = graph.fluents.terms
    return {
        terms(node.state): Counter(
            (str(option.decision), terms(graph.state(target)))
            for option, target in zip(node.options, node.targets, strict=True)
        )
        for node in graph.nodes
    }


def check_examples(reduced: Resolution, plain: Resolution) -> None:
    """The example orders of a reduced graph go through real states, by steps that are legal there."""
    unfolded = reduced._unfolded
    assert unfolded is not None
    assert all(outcome.witness for outcome in reduced.outcomes)
    steps = steps_of(plain)
    terms = unfolded.graph.fluents.terms
    for node in unfolded.graph.nodes:
        here = steps[terms(node.state)]
        if node.explored:
            assert len(node.options) == sum(here.values())
            for option, target in zip(node.options, node.targets, strict=True):
                assert (str(option.decision), terms(unfolded.graph.state(target))) in here


def check(board: Board) -> bool:
    """Compare all reductions on a board. Whether states were folded."""
    limits = lastrites.Limits(states=MOST_STATES)
    plain = lastrites.resolve(board, reduction=False, limits=limits)
    if not plain.complete:
        return False
    looked_up = lastrites.resolve(board, reduction=(LOOKUP,))
    assert told(looked_up) == told(plain)
    assert steps_of(looked_up) == steps_of(plain)
    reduced = lastrites.resolve(board, reduction=(LOOKUP, SYMMETRY))
    assert told(reduced) == told(plain)
    if reduced.explored.folding is None:
        return False
    check_examples(reduced, plain)
    return True


@pytest.mark.parametrize("make", [keyforge_board, riftbound_board])
def test_random_boards(make: Callable[[int], Board]) -> None:
    folded = holding(check, make, BOARDS)
    print(f"{folded} of {BOARDS} boards were folded")
    assert folded >= BOARDS // 5


def check_groups(board: Board, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Compare independence, tried wherever there are two options, with plain exploration. Whether it took effect."""
    plain = lastrites.resolve(board, reduction=False, limits=lastrites.Limits(states=MOST_STATES))
    if not plain.complete:
        return False
    monkeypatch.setattr(explore, "_FEW_ORBITS", 0)
    monkeypatch.setattr(explore, "_FEW_PICKS", 2)
    parted = lastrites.resolve(board, reduction=(LOOKUP, INDEPENDENCE))
    assert told(parted) == told(plain)
    if not parted.explored.products:
        return False
    check_examples(parted, plain)
    return True


@pytest.mark.parametrize("make", [keyforge_board_of_groups, riftbound_board_of_groups])
def test_random_boards_of_groups(make: Callable[[int], Board], monkeypatch: pytest.MonkeyPatch) -> None:
    parted = holding(lambda board: check_groups(board, monkeypatch), make, BOARDS)
    print(f"the options were told apart on {parted} of {BOARDS} boards")
    assert parted >= BOARDS // 2


@pytest.mark.parametrize("family", ["entangled-6", "independent-4", "cascade-2", "cleanup-4"])
def test_families(family: str) -> None:
    name, _, size = family.rpartition("-")
    made = FAMILIES[name]
    board = Board.from_text(json.dumps(made.board(int(size))))
    assert check(board)
    answer = lastrites.resolve(board)
    known = made.known(int(size))
    assert known.orders in (None, answer.order_count)
    assert known.outcomes in (None, len(answer.outcomes))


def test_orders_by_the_quintillion() -> None:
    board = Board.from_text(json.dumps(FAMILIES["independent"].board(20)))
    answer = lastrites.resolve(board)
    assert answer.order_count == 2_432_902_008_176_640_000
    assert answer.to_json()["orders"] == "2432902008176640000"
    assert answer.state_count < 40


def test_groups_that_have_nothing_to_do_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen creatures that touch nothing in common: 65,539 states without the reduction."""
    monkeypatch.setattr(explore, "_FEW_ORBITS", 0)
    board = Board.from_text(json.dumps(FAMILIES["apart"].board(16)))
    answer = lastrites.resolve(board)
    assert answer.order_count == 20_922_789_888_000
    assert len(answer.outcomes) == 1
    assert answer.state_count == 20
    (outcome,) = answer.outcomes
    assert sum(step.by == "P1" for step in outcome.witness) == 15
    assert answer.explained(100).cited()


def test_what_belongs_together_is_explored_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """One gains and another steals: they belong together, and those that return to hand stand alone."""
    monkeypatch.setattr(explore, "_FEW_ORBITS", 0)
    names = ["Dust Imp", "Sacro-Fiend", "Bad Penny#1", "Bad Penny#2"]
    players = {"P1": {"battleline": ["Dust Imp", "Bad Penny", "Bad Penny"]}, "P2": {"battleline": ["Sacro-Fiend"]}}
    made = {"game": "keyforge", "active": "P1", "players": players, "event": {"destroy": names}}
    answer = lastrites.resolve(Board.from_text(json.dumps(made)), reduction=(LOOKUP, INDEPENDENCE))
    assert {outcome.orders for outcome in answer.outcomes} == {12}
    (product,) = answer.explored.products
    assert sorted(map(len, product.values())) == [3, 3]


def test_a_loop_beside_groups_is_told_of_real_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tagged creatures are never discarded the window ends for ever; so it does in a part of the answer."""
    monkeypatch.setattr(explore, "_FEW_ORBITS", 0)
    monkeypatch.setattr(explore, "_FEW_PICKS", 2)
    text = """
game: keyforge
active: P1
cards:
  Gives: {type: creature, power: 3, abilities: [{when: destroyed, steps: [{gain: 1}]}]}
  Stuns: {type: creature, power: 3, abilities: [{when: destroyed, steps: [{stun: an enemy elf creature}]}]}
  Elf: {type: creature, power: 9, traits: [elf]}
players:
  P1: {battleline: [Gives, Stuns]}
  P2: {battleline: [Elf, Elf]}
event: {instructions: [{destroy: each friendly creature}]}
"""
    board = Board.from_text(text)
    without = ("kf.destroyed.discard",)
    for states in (9, 12):
        limits = lastrites.Limits(states=states)
        part = lastrites.resolve(board, reduction=(LOOKUP, INDEPENDENCE), without=without, limits=limits)
        assert not part.complete
        assert not part.explored.products or not part.loops
    parted = lastrites.resolve(board, reduction=(LOOKUP, INDEPENDENCE), without=without)
    assert parted.loops
    assert told(parted) == told(lastrites.resolve(board, reduction=False, without=without))


def test_the_last_item_of_a_chain_is_explored_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Riftbound the last item that resolves ends the chain: up to there each Deathknell is walked by itself."""
    monkeypatch.setattr(explore, "_FEW_ORBITS", 0)
    steps = [{"draw": 1}, {"draw": {"opponent": 1}}, {"stun": "each friendly exhausted unit"}, {"score": 1}]
    steps += [{"damage": {"each enemy unit": 1}}, {"might this turn": {"each friendly unit": 1}}]
    dying = [f"Dying {place}" for place in range(len(steps))]
    cards: dict[str, Any] = {
        name: {"type": "unit", "might": 3, "abilities": [{"when": "deathknell", "steps": [step]}]}
        for name, step in zip(dying, steps, strict=True)
    }
    cards["Standing"] = {"type": "unit", "might": 9}
    players = {"P1": {"deck size": 5, "base": dying}, "P2": {"deck size": 5, "base": ["Standing"]}}
    made = {"game": "riftbound", "active": "P1", "cards": cards, "players": players, "event": {"kill": dying}}
    answer = lastrites.resolve(Board.from_text(json.dumps(made)), reduction=(LOOKUP, INDEPENDENCE))
    assert answer.order_count == 720
    (product,) = answer.explored.products
    assert len(product) == 6
    assert set(product.values()) == {()}


def test_states_of_a_reduced_graph_can_be_explained() -> None:
    answer = lastrites.resolve(Board.from_text(json.dumps(FAMILIES["independent"].board(4))))
    assert answer.explored.folding is not None
    assert answer.explained(100).cited()


def test_reductions_can_be_switched_off_one_by_one() -> None:
    board = Board.from_text(json.dumps(FAMILIES["entangled"].board(6)))
    states = {}
    for used in (REDUCTIONS, (LOOKUP,), (SYMMETRY, INDEPENDENCE), ()):
        resolution = lastrites.resolve(board, reduction=used)
        states[used] = resolution.state_count
        assert not resolution.explored.products
        assert (resolution.explored.folding is not None) == (used == REDUCTIONS)
        assert (resolution.explored.explainer is not None) == (LOOKUP in used)
    assert states[REDUCTIONS] < states[(LOOKUP,)] == states[()]


def test_the_state_graph_is_whole_on_demand() -> None:
    board = Board.from_text(json.dumps(FAMILIES["independent"].board(4)))
    resolution = lastrites.resolve(board)
    plain = lastrites.resolve(board, reduction=False)
    assert resolution.state_count < plain.state_count
    assert len(resolution.states()) == plain.state_count
    assert sum(1 for _ in resolution.orders()) == 24


def test_cards_that_are_told_apart_are_not_exchanged() -> None:
    """Of two Trolls with different damage each has its own fate; a pile as listed tells its cards apart."""
    made = {
        "game": "keyforge",
        "active": "P1",
        "players": {
            "P1": {"battleline": ["Bad Penny", {"Bad Penny": {"aember": 1}}], "discard": ["Dust Imp", "Dust Imp"]},
            "P2": {"battleline": ["Dust Imp"]},
        },
        "event": {"destroy": ["Bad Penny#1", "Bad Penny#2", "Dust Imp#3"]},
    }
    assert lastrites.resolve(Board.from_text(json.dumps(made))).explored.folding is None
