"""Trace mode: the same rules unrolled over time, one stable model for each legal order.

The bounds (steps, numbers, depth of nesting) are those that graph mode met on the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from lastrites.count import View
from lastrites.errors import BoardError, Problem
from lastrites.resolution import Limits, Resolution, resolve
from lastrites.solver import BoundReached, Rulebook, TraceOrder, solve_trace, unrolled

if TYPE_CHECKING:
    from lastrites.board import Board


def longest(resolution: Resolution) -> int:
    """The number of steps of the longest order of a board, automatic steps and answers included.

    Raises BoardError when a loop makes orders endless or the exploration is incomplete.
    """
    graph = resolution.explored
    if not graph.complete:
        message = f"trace mode needs the whole state graph, but {graph.reason}"
        raise BoardError([Problem("LR-E035", resolution.board.path, 0, 0, message)])
    view = View(graph, {}, every_answer=True)
    if view.looping:
        message = "orders on this board can go on for ever; trace mode has no bound for them"
        raise BoardError([Problem("LR-E035", resolution.board.path, 0, 0, message)])
    steps = dict.fromkeys(view.order, 0)
    for node in view.order:
        for _, target in view.edges(node):
            steps[target] = max(steps[target], steps[node] + 1)
    return max(steps.values(), default=0)


def bounded(resolution: Resolution) -> tuple[Rulebook, int]:
    """The rulebook with the bounds that suffice for a board, and the horizon: its longest order and one step more."""
    graph = resolution.explored
    return graph.rulebook.with_constants(max_depth=graph.deepest_frame() + 1), longest(resolution) + 1


def trace(resolution: Resolution) -> list[TraceOrder]:
    """Every legal order as trace mode finds it. Raises BoardError as :func:`longest` does.

    The numbers in the states are a close bound, but not always enough: what is prevented, say, shows in no state.
    """
    book, horizon = bounded(resolution)
    close = resolution.explored.largest_number() + 1
    if close < book.constant("max_value"):
        try:
            return solve_trace(book.with_constants(max_value=close), horizon)
        except BoundReached:
            pass
    return solve_trace(book, horizon)


def program(
    board: Board,
    *,
    readings: Mapping[str, str] | None = None,
    edition: str | None = None,
    without: Iterable[str] = (),
    against: Iterable[str] = (),
    limits: Limits | None = None,
) -> str:
    """The program that plain clingo runs: one stable model for each legal order.

    Questions that stay open are decisions of the program: then the models of all readings come together, each
    saying which answers it rests on.
    """
    resolution = resolve(
        board, readings=readings, edition=edition, without=tuple(without), against=tuple(against), limits=limits
    )
    book, horizon = bounded(resolution)
    return unrolled(book, horizon)
