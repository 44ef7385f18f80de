"""The whole program of a board as one text that plain clingo runs, with bounds that are known to be enough."""

from __future__ import annotations

from lastrites.errors import BoardError, Problem
from lastrites.explore import StateGraph
from lastrites.resolution import Resolution


def longest(graph: StateGraph) -> int | None:
    """The number of decisions, automatic ones included, on the longest way through the graph; None if it is endless."""
    length: dict[int, int] = {}
    on_path: set[int] = set()
    todo: list[tuple[int, bool]] = [(0, False)] if graph.nodes else []
    while todo:
        node, left = todo.pop()
        if left:
            on_path.discard(node)
            length[node] = max((length[target] + 1 for target in graph.nodes[node].targets), default=0)
        elif node in on_path:
            return None
        elif node not in length:
            on_path.add(node)
            todo.append((node, True))
            for target in graph.nodes[node].targets:
                if target in on_path:
                    return None
                if target not in length:
                    todo.append((target, False))
    return length.get(0, 0)


def program(resolution: Resolution) -> str:
    """Rules, cards and board of an answer as text: one stable model for each legal order.

    Raises BoardError when there is no such program: the orders are endless, or not all are known.
    """
    from lastrites.solver import unrolled

    board, graph = resolution.board, resolution.graph
    steps = longest(graph)
    if steps is None:
        hint = "a program has room for a number of steps that is fixed beforehand"
        raise BoardError([Problem("LR-E027", board.path, 0, 0, "the orders of this board are endless", hint)])
    book = graph.rulebook.with_constants(max_value=graph.largest_number() + 1)
    return unrolled(book, steps)
