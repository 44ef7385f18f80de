"""Strongly connected components, held against networkx."""

from __future__ import annotations

import networkx
from hypothesis import given
from hypothesis import strategies as st

from lastrites.components import components

NODES = st.integers(0, 9)


@given(st.lists(st.tuples(NODES, NODES), max_size=25))
def test_components_of_random_graphs(edges: list[tuple[int, int]]) -> None:
    graph = networkx.DiGraph(edges)
    found = list(components(graph, lambda node: graph[node]))
    assert {frozenset(part) for part in found} == set(map(frozenset, networkx.strongly_connected_components(graph)))
    place = {node: number for number, part in enumerate(found) for node in part}
    assert all(place[target] <= place[node] for node, target in edges)


def test_a_long_chain() -> None:
    found = list(components([0], lambda node: [node + 1] if node < 50_000 else [0]))
    assert [len(part) for part in found] == [50_001]
    assert found[0][-1] == 0
