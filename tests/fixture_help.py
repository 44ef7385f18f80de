"""Fixtures, and how to compare graph mode with the other two modes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import lastrites
from lastrites.board import Board
from lastrites.count import Tally, View, assignments
from lastrites.editions import choose_reading, questions_of
from lastrites.expect import Expectation
from lastrites.explore import Node
from lastrites.jobs import expectations
from lastrites.resolution import Resolution
from lastrites.solver import LayerRules, TraceOrder
from lastrites.terms import Term
from lastrites.trace import longest, trace
from lastrites.verify import Json, Verdict, combinations, verify

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"
MOST_TRACED_ORDERS = 1_000
LONGEST_TRACED_ORDER = 25
LARGEST_TRACE = int(os.environ.get("LASTRITES_LARGEST_TRACE", "1500"))
"""Fluents times steps, which is what the unrolled program grows with: up to here four boards of five are traced."""
LAYER = 256

Ends = Counter[frozenset[Term]]
"""Final state (its fluents) -> number of orders that end in it."""


def fixture_files() -> list[Path]:
    """Every board of every game."""
    return sorted(FIXTURES.glob("*/*.yaml"))


def name_of(path: Path) -> str:
    """A readable id for a test: game and file name."""
    return f"{path.parent.name}/{path.stem}"


@cache
def loaded(path: Path) -> tuple[Board, tuple[Expectation, ...]]:
    """A board and its expectations."""
    board = lastrites.load(path)
    return board, expectations(board)


def resolved(
    path: Path, readings: frozenset[tuple[str, str]] = frozenset(), edition: str | None = None, piles: bool = False
) -> Resolution:
    """A board resolved in graph mode; kept, because the tests of a board run one after another.

    What the board and the edition say already need not be asked for: so many questions come to the same.
    """
    board = loaded(path)[0]
    if edition == choose_reading(board, {}, None).edition:
        edition = None
    known = choose_reading(board, {}, edition).answers
    new = frozenset((question, answer) for question, answer in readings if known.get(question) != answer)
    return _resolved(path, new, edition, piles)


@lru_cache(maxsize=24)
def _resolved(path: Path, readings: frozenset[tuple[str, str]], edition: str | None, piles: bool) -> Resolution:
    return lastrites.resolve(loaded(path)[0], readings=dict(readings), edition=edition, pile_order=piles)


def verdict(path: Path) -> Verdict:
    """Whether what the board expects comes out."""
    board, expected = loaded(path)

    def answer(readings: Mapping[str, str], edition: str | None, pile_order: bool) -> Json:
        return resolved(path, frozenset(readings.items()), edition, pile_order).to_json(witnesses=False)

    def settled(edition: str) -> Mapping[str, str]:
        return questions_of(board.rules.rules / board.rules.name).settles.get(edition, {})

    return verify(expected, answer, settled=settled)


def editions(path: Path) -> Iterator[Resolution]:
    """The board resolved with its questions open, under each edition that its expectations speak of.

    Editions in which the board comes out the same, under the same readings, are given once.
    """
    found = {edition for expectation in loaded(path)[1] for _, edition in combinations(expectation, {}, None)}
    seen: list[Json] = []
    for edition in sorted(found | {None}, key=str):
        resolution = resolved(path, edition=edition)
        told = {**resolution.to_json(witnesses=False), "edition": None}
        if told not in seen:
            seen.append(told)
            yield resolution


# ---- graph mode against layer mode

def layer_disagreements(resolution: Resolution) -> list[str]:
    """States of which layer mode says something else than graph mode: who decides, what is legal, where it leads.

    Both modes start with the same facts; if they agree on every state that one of them reaches they reach the same.
    """
    graph = resolution.graph
    rules = LayerRules(graph.rulebook, graph.fluents)
    found = []
    for batch in batched(graph.nodes, LAYER):
        for node, situation in zip(batch, rules.look_all([node.state for node in batch]), strict=True):
            steps = zip(node.options, node.targets, strict=True)
            targets = {str(option.decision): graph.nodes[target].state for option, target in steps}
            there = {str(option.decision): option.after(node.state) for option in situation.options}
            who = {(str(chooser.name), str(*chooser.args)) for chooser in situation.choosers}
            here = {(node.kind, node.who)} if node.options else set()
            if (targets, here, node.final, node.refused) != (there, who, situation.final, situation.refused):
                found.append(", ".join(sorted(map(str, graph.fluents.terms(node.state)))))
    return found


def batched(nodes: Sequence[Node], size: int) -> Iterator[Sequence[Node]]:
    """The nodes in runs of this size."""
    for start in range(0, len(nodes), size):
        yield nodes[start : start + size]


# ---- graph mode against trace mode

def ends_of(view: View) -> Ends:
    """The ends of one assignment of answers, with their numbers of orders."""
    graph = view.graph
    found: Ends = Counter()
    for node, orders in Tally(view).orders.items():
        assert isinstance(orders, int)
        found[graph.fluents.terms(graph.nodes[node].state)] += orders
    return found


def answers_in(order: TraceOrder) -> dict[str, str]:
    """The answers that an order of trace mode rests on."""
    told = (decision.args for decision in order.decisions if decision.name == "answer")
    return {str(question): str(answer) for question, answer in told}


def disagreements(resolution: Resolution) -> list[str]:
    """Where trace mode differs from graph mode under any assignment of answers; nothing if they agree."""
    models = trace(resolution)
    if resolution.refused:
        return ["a refused event has an outcome"] if any(model.outcome for model in models) else []
    found = []
    if len({model.decisions for model in models}) != len(models):
        found.append("two stable models with the same decisions")
    counted = 0
    for view in assignments(resolution.graph):
        traced = Counter(model.outcome for model in models if answers_in(model).items() <= view.assignment.items())
        if traced != ends_of(view):
            found.append(f"{view.assignment}: {traced.total()} models, {ends_of(view).total()} orders")
        counted += traced.total()
    if counted < len(models):
        found.append(f"{len(models)} models, of which {counted} agree with an assignment of graph mode")
    return found


def small_enough(resolution: Resolution) -> bool:
    """Whether trace mode can be expected to answer in good time."""
    counts = [assignment.orders for assignment in resolution.assignments]
    if not all(isinstance(count, int) and count <= MOST_TRACED_ORDERS for count in counts):
        return False
    steps = longest(resolution)
    return steps <= LONGEST_TRACED_ORDER and steps * len(resolution.graph.fluents.texts()) <= LARGEST_TRACE


# ---- what a board comes to, whatever its cards are called

def summary(resolution: Resolution, seen: Callable[[Json], Any]) -> Counter[Any]:
    """For each combination of answers: how many orders lead to which state, of which only what is `seen` counts."""
    states = {outcome.id: seen(outcome.state) for outcome in resolution.outcomes}
    found: Counter[Any] = Counter()
    for assignment in resolution.assignments:
        when = tuple(sorted(assignment.when.items()))
        for id, orders in assignment.outcomes.items():
            assert isinstance(orders, int)
            found[when, states[id]] += orders
    return found
