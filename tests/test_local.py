"""Looking local situations up changes nothing: same answers, and fluents outside of a reason do not matter."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import lastrites
from lastrites import explore, local
from lastrites.editions import choose_reading
from lastrites.explore import Limits, StateGraph
from lastrites.local import LocalRules
from lastrites.resolution import rulebook
from lastrites.solver import GraphRules, Rulebook

FIXTURES = Path(__file__).parent.parent / "fixtures" / "keyforge"
BOARDS = [
    "groggins-fights-dust-imp-with-soulkeeper",
    "entangled-6",
    "two-solefts-against-bad-penny",
    "soleft-and-burnished-nickles",
    "gateway-to-dis-archives-the-neighbors-of-archimedes",
    "tagged-tolas-watches-bad-penny-leave",
]


def book_of(name: str) -> Rulebook:
    board = lastrites.load(FIXTURES / f"{name}.yaml")
    return rulebook(board, choose_reading(board, {}, None)).with_constants(max_value=24, max_depth=10)


def rows(graph: StateGraph) -> list[Any]:
    return sorted(
        (
            sorted(map(str, graph.fluents.terms(node.state))),
            node.kind,
            node.who,
            node.final,
            sorted(
                (str(option.decision), sorted(map(str, graph.fluents.terms(option.after(node.state)))), option.apart)
                for option in node.options
            ),
        )
        for node in graph.nodes
    )


@pytest.mark.parametrize("name", BOARDS)
def test_the_state_graph_is_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    book = book_of(name)
    plain = explore.explore(book, reduction=False)
    monkeypatch.setattr(explore, "_FEW_STATES", 1)
    looked_up = explore.explore(book)
    assert len(looked_up.nodes) == len(plain.nodes)
    assert rows(looked_up) == rows(plain)


@pytest.mark.parametrize("name", BOARDS[:4])
def test_fluents_outside_a_reason_do_not_matter(name: str) -> None:
    book = book_of(name)
    rules = LocalRules(book)
    plain = GraphRules(book, fluents=rules.fluents)
    graph = explore._walk(rules, book, "graph", False, Limits(), None, None)
    chance = random.Random(name)
    every = 0
    for bit in rules._bits.values():
        every |= bit
    flips = 0
    for node in chance.sample(graph.nodes, min(25, len(graph.nodes))):
        for decision, group in rules._decisions:
            mask, known = next(
                (mask, table[node.state & mask]) for mask, table in group.cubes.items() if node.state & mask in table
            )
            outside = [bit for bit in rules._bits.values() if not bit & mask]
            if not outside or chance.random() < 0.7:
                continue
            other = node.state
            for bit in chance.sample(outside, min(3, len(outside))):
                other ^= bit
            flips += 1
            with plain.solved(other) as model:
                shown = local.gather(model.symbols(shown=True), plain.fluents)
            found = next((option for option in shown.options if option.decision == decision), None)
            if known is None:
                assert found is None
            else:
                assert found is not None
                assert known.options == [found]
    assert flips > 20


def test_fewer_states_are_solved_than_there_are() -> None:
    book = book_of("entangled-8")
    rules = LocalRules(book)
    graph = explore._walk(rules, book, "graph", False, Limits(), None, None)
    assert rules.solved < len(graph.nodes) / 3
