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
from random_boards import keyforge_board, riftbound_board

import lastrites
from lastrites import explore
from lastrites.board import Board
from lastrites.reductions import LOOKUP, REDUCTIONS, SYMMETRY
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


def check_examples(folded: Resolution, plain: Resolution) -> None:
    """The example orders of a folded graph go through real states, by steps that are legal there."""
    unfolded = folded._unfolded
    assert unfolded is not None
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
    reduced = lastrites.resolve(board)
    assert told(reduced) == told(plain)
    if reduced.explored.folding is None:
        return False
    check_examples(reduced, plain)
    return True


@pytest.mark.parametrize("make", [keyforge_board, riftbound_board])
def test_random_boards(make: Callable[[int], Board]) -> None:
    folded = 0
    for seed in range(BOARDS):
        try:
            folded += check(make(seed))
        except AssertionError as error:
            raise AssertionError(f"board {seed} of {make.__name__}") from error
    print(f"{folded} of {BOARDS} boards were folded")
    assert folded >= BOARDS // 5


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


def test_reductions_can_be_switched_off_one_by_one() -> None:
    board = Board.from_text(json.dumps(FAMILIES["entangled"].board(6)))
    states = {}
    for used in (REDUCTIONS, (LOOKUP,), (SYMMETRY,), ()):
        resolution = lastrites.resolve(board, reduction=used)
        states[used] = resolution.state_count
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
