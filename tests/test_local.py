"""Looking local situations up changes nothing: same answers, and fluents outside of a reason do not matter."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import lastrites
from lastrites import explore, local
from lastrites.editions import choose_reading
from lastrites.explore import Limits
from lastrites.local import LocalRules
from lastrites.resolution import rulebook
from lastrites.solver import GraphRules, Rulebook
from lastrites.stategraph import StateGraph

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
    looked_up = explore.explore(book, reduction=("lookup",))
    assert len(looked_up.nodes) == len(plain.nodes)
    assert rows(looked_up) == rows(plain)


def walk(book: Rulebook, most: int = 1) -> tuple[LocalRules, StateGraph]:
    """A board explored with look-up after ``most`` states, and what was learned on the way."""
    plain = GraphRules(book)
    steps = explore.Walk(StateGraph(plain.fluents, book, "graph", constant=plain.constant), Limits(), None, None)
    steps.start(plain.initial)
    rules = LocalRules(plain, steps.graph.effect)
    steps.solve(plain, 1, most)
    steps.look_up(rules)
    return rules, steps.graph


@pytest.mark.parametrize("name", BOARDS[:4])
def test_fluents_outside_a_reason_do_not_matter(name: str) -> None:
    book = book_of(name)
    rules, graph = walk(book)
    plain = rules._plain
    chance = random.Random(name)
    flips = 0
    for node in chance.sample(range(1, len(graph.states)), min(25, len(graph.states) - 1)):
        state = graph.states[node]
        for group in rules.decisions:
            mask, option = next(
                (mask, table[state & mask]) for mask, table in group.cubes if state & mask in table
            )
            step = group.step(state)
            if option:
                assert step is not None
                mask |= next(known for known, table in group.does if state & known in table)
            outside = [bit for bit in rules.bits.values() if not bit & mask]
            if not outside or chance.random() < 0.7:
                continue
            other = state
            for bit in chance.sample(outside, min(3, len(outside))):
                other ^= bit
            flips += 1
            with plain.solved(other) as model:
                shown = local.gather(model.symbols(shown=True), plain.fluents)
            found = next((each for each in shown.options if each.decision == group.decision), None)
            if not option:
                assert found is None
            else:
                assert found is not None
                assert step is not None
                assert graph.effects[step[2]] == found
    assert flips > 20


@pytest.mark.parametrize("name", BOARDS)
def test_atoms_are_worked_out_as_clingo_does(name: str) -> None:
    book = book_of(name)
    rules, graph = walk(book, most=10_000)
    reader = rules._reader
    for state in random.Random(name).sample(graph.states, min(12, len(graph.states))):
        reader.turn(state)
        with rules._plain.solved(state) as model:
            for atom in rules.ground.rules:
                assert reader.true(atom) == model.is_true(atom)


def test_fewer_states_are_worked_out_than_there_are() -> None:
    rules, graph = walk(book_of("entangled-8"))
    assert rules.solved < len(graph.states) / 3
