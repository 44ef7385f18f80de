"""Strongly connected components of a directed graph of numbered nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


def components(roots: Iterable[int], successors: Callable[[int], Iterable[int]]) -> Iterator[list[int]]:
    """The components that can be reached from ``roots``, each after those that it leads to (Tarjan, 1972).

    The last node of a component is the one by which the search entered it. No recursion: graphs are deep.
    """
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    work: list[tuple[int, Iterator[int]]] = []

    def enter(node: int) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        on_stack.add(node)
        work.append((node, iter(successors(node))))

    for root in roots:
        if root not in number:
            enter(root)
        while work:
            node, following = work[-1]
            for target in following:
                if target not in number:
                    enter(target)
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == number[node]:
                    component: list[int] = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                    on_stack.difference_update(component)
                    yield component
