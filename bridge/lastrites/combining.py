"""Independent groups put together: walked one after another, and orders of that walk as orders of the whole board."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb

from lastrites.independence import END, REST, Group
from lastrites.stategraph import NOTHING_KNOWN, StateGraph


def combine(
    graph: StateGraph, node: int, groups: Sequence[Group], find: Callable[[int], int], over: Callable[[int], bool]
) -> None:
    """Fill a node at which groups were told apart: from it the first group goes to its ends, from each the next.

    States are told apart by the numbers of picks made, so that the last edge of a group can say in how many ways its
    picks go between those of the groups before. ``find`` gives the node of a state after the last group, ``over``
    whether a limit is reached, being told how many states were added.
    """
    times = graph.times
    assert isinstance(times, list)
    start = graph.states[node]
    ends: dict[int, tuple[int, ...]] = {}
    here: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {(start, 0): (node, ())}
    for place, group in enumerate(groups):
        rows = _by_picks(group)
        there: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
        for (base, before), (first_node, parts) in here.items():
            shift = base ^ start
            nodes = {(0, 0): first_node}
            for number, picks in rows:
                this = nodes[number, picks]
                first = len(graph.targets)
                after = picks + (group.kinds[number] == REST)
                for effect, reached in group.edges[number]:
                    state, ways = group.states[reached] ^ shift, 1
                    if group.kinds[reached] != END:
                        target = nodes.get((reached, after), -1)
                        if target < 0:
                            target = nodes[reached, after] = graph.new(state)
                    else:
                        ways = comb(before + after, after)
                        if place == len(groups) - 1:
                            target = find(state)
                            ends[target] = (*parts, reached)
                        else:
                            key = (state, before + after)
                            if key not in there:
                                there[key] = (graph.new(state), (*parts, reached))
                            target = there[key][0]
                    graph.steps.append(effect)
                    graph.targets.append(target)
                    times.append(ways)
                    graph.forward = graph.forward and target > this
                graph.fill(this, group.heads[number], first)
            if over(len(rows)):
                return
        here = there
    graph.products.append(ends)


def _by_picks(group: Group) -> list[tuple[int, int]]:
    """The states of a group but for its ends, for each number of its picks with which they are reached; each after all
    that lead to it."""
    order = group.sorted()
    assert order is not None
    picks: list[set[int]] = [set() for _ in group.states]
    picks[0].add(0)
    found = []
    for number in order:
        step = group.kinds[number] == REST
        for made in sorted(picks[number]):
            found.append((number, made))
            for _, target in group.edges[number]:
                picks[target].add(made + step)
    return found


class Interleaved:
    """Orders of a graph in which groups were walked one after another, in terms of all that is open in each state."""

    def __init__(self, graph: StateGraph) -> None:
        self._combined = graph
        self.graph = graph.sibling()
        self.graph.explainer = graph.explainer
        self._index: dict[int, int] = {}

    def node(self, state: int) -> int:
        """The node of a state of the other graph, perhaps a new one."""
        node = self._index.get(state)
        if node is None:
            node = self._index[state] = self.graph.new(state)
        return node

    def walk(self, walk: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """An order as (node, number of the option), the same order in the other graph; nothing else is different."""
        combined, graph = self._combined, self.graph
        found = []
        for node, number in walk:
            here = self.node(combined.states[node])
            if graph.heads[here] is None:
                self._fill(here, node)
            decision = combined.nodes[node].options[number].decision
            options = [option.decision for option in graph.nodes[here].options]
            found.append((here, options.index(decision)))
        return found

    def _fill(self, here: int, node: int) -> None:
        graph, explainer = self.graph, self.graph.explainer
        assert explainer is not None
        first = len(graph.targets)
        for option in explainer.look(graph.states[here]).options:
            target = self.node(option.after(graph.states[here]) & ~graph.constant)
            graph.steps.append(graph.effect(option))
            graph.targets.append(target)
        graph.fill(here, self._combined.heads[node] or NOTHING_KNOWN, first)
