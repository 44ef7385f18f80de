"""What is decided of a state with unknown fluents holds whichever of them hold."""

from __future__ import annotations

import random

import pytest
from random_boards import keyforge_board_of_groups, riftbound_board

from lastrites import explore
from lastrites.board import Board
from lastrites.editions import choose_reading
from lastrites.local import LocalRules
from lastrites.partial import PartialReader
from lastrites.resolution import rulebook
from lastrites.solver import GraphRules
from lastrites.stategraph import StateGraph


def walked(board: Board) -> tuple[LocalRules, StateGraph]:
    """Some states of a board."""
    book = rulebook(board, choose_reading(board, {}, None)).with_constants(max_depth=10)
    plain = GraphRules(book)
    graph = StateGraph(plain.fluents, book, "graph", constant=plain.constant)
    walk = explore.Walk(graph, explore.Limits(states=40), None, None)
    walk.start(plain.initial)
    rules = LocalRules(plain, graph.effect)
    walk.look_up(rules)
    return rules, graph


@pytest.mark.parametrize("board", [keyforge_board_of_groups(3), riftbound_board(1)], ids=["keyforge", "riftbound"])
def test_what_is_decided_does_not_depend_on_what_is_unknown(board: Board) -> None:
    rules, graph = walked(board)
    reader = PartialReader(rules.ground.rules, rules.bits, rules.circular)
    chance = random.Random("partial")
    bits = sorted(rules.bits.values())
    asked = [literal for _, literal in rules.shown()]
    decided = supposed = 0
    for _ in range(8):
        state = chance.choice(graph.states)
        # Two sets of fluents that were written, each with a few values, of which the state has one.
        written = []
        free = set(bits)
        for _ in range(2):
            mine = chance.sample(sorted(free), min(6, len(free)))
            free.difference_update(mine)
            mask = sum(mine)
            flips = [sum(chance.sample(mine, 2)) for _ in range(2)]
            written.append((mask, [state & mask, *((state ^ flip) & mask for flip in flips)]))
        reader.suppose(written)
        unknown = written[0][0] | written[1][0]
        chosen = chance.sample(asked, min(100, len(asked)))
        known = {literal: reader.value(literal, state) for literal in chosen}
        for literal, value in known.items():
            if value is not None:
                decided += 1
                reason = reader.reason(literal, state)
                assert not reason & unknown
        for one in written[0][1]:
            for other in written[1][1]:
                real = state & ~unknown | one | other
                rules._reader.turn(real)
                for literal, value in known.items():
                    if value is not None:
                        assert rules._reader.true(literal) == value
        supposed += sum(value is None for value in known.values())
    assert decided > 50
    assert supposed > 0
