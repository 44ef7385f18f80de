"""Independent groups put together: walked one after another, and orders of that walk as orders of the whole board."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb

from lastrites.independence import END, REST, Group, by_picks
from lastrites.stategraph import NOTHING_KNOWN, Head, RealStates, StateGraph

_Starts = dict[tuple[int, int], tuple[int, tuple[int, ...]]]
"""By state and number of picks made: a node at which a group begins, and the ends of the groups before."""


class Combination:
    """Fills a node at which groups were told apart: groups are walked one after another.

    States are told apart by the numbers of picks made, so that the last edge of a group can say in how many ways its
    picks go between those of the groups before.
    """

    def __init__(
        self,
        graph: StateGraph,
        node: int,
        groups: Sequence[Group],
        find: Callable[[int], int],
        over: Callable[[int], bool],
    ) -> None:
        """``find`` gives the node of a state after the groups, ``over`` whether a limit is reached, being told how many
        states were added."""
        self._graph = graph
        self._node = node
        self._groups = groups
        self._find = find
        self._over = over
        self._rows = {id(group): by_picks(group) for group in groups}
        self._edges: dict[int, list[tuple[int, int, int]]] = {}
        self._heads: dict[int, Head] = {}
        self._ends: dict[int, tuple[int, ...]] = {}

    def fill(self, to_the_end: bool) -> None:
        """Walk the groups until all have ended, or else until all but one have."""
        if to_the_end:
            self._chain({(self._graph.states[self._node], 0): (self._node, ())}, self._groups)
        else:
            for last in self._groups:
                self._but_for(last)
        self._write()
        self._graph.products.append(self._ends)

    def _but_for(self, last: Group) -> None:
        """Walk so that this group is the last that has not ended: first to any of its states of rest, then the others
        to their ends. Of all orders of their picks those count in which the last is one of the others'."""
        others = [group for group in self._groups if group is not last]
        nodes = {(0, 0): self._node}
        alive = _returning(last)
        for number, picks in self._rows[id(last)]:
            if number not in alive:
                continue
            this = nodes[number, picks]
            resting = last.kinds[number] == REST
            self._heads[this] = last.heads[number]
            for effect, reached in last.edges[number]:
                if reached not in alive:
                    continue
                key = (reached, picks + resting)
                if key not in nodes:
                    nodes[key] = self._graph.new(last.states[reached])
                self._add(this, effect, nodes[key], 1)
            if resting:
                begin: _Starts = {(last.states[number], 0): (this, ())}
                self._chain(begin, others, picks)
                for node in self._ends:
                    self._ends[node] = ()

    def _chain(self, here: _Starts, groups: Sequence[Group], held: int = 0) -> None:
        """Walk groups one after another, each to its ends. So many picks of another group, ``held``, were made before,
        which go between those of these groups in any way that leaves one of these the last."""
        graph = self._graph
        for place, group in enumerate(groups):
            last = place == len(groups) - 1
            there: _Starts = {}
            for (base, before), (first_node, parts) in here.items():
                shift = base ^ group.states[0]
                nodes = {(0, 0): first_node}
                for number, picks in self._rows[id(group)]:
                    this = nodes[number, picks]
                    self._heads.setdefault(this, group.heads[number])
                    after = picks + (group.kinds[number] == REST)
                    for effect, reached in group.edges[number]:
                        state, ways = group.states[reached] ^ shift, 1
                        if group.kinds[reached] != END:
                            if (reached, after) not in nodes:
                                nodes[reached, after] = graph.new(state)
                            target = nodes[reached, after]
                        elif last:
                            ways = comb(before + after, after) * comb(held + before + after - 1, held)
                            target = self._find(state)
                            self._ends[target] = (*parts, reached)
                        else:
                            ways = comb(before + after, after)
                            key = (state, before + after)
                            if key not in there:
                                there[key] = (graph.new(state), (*parts, reached))
                            target = there[key][0]
                        self._add(this, effect, target, ways)
                if self._over(len(nodes)):
                    return
            here = there

    def _add(self, node: int, effect: int, target: int, ways: int) -> None:
        self._edges.setdefault(node, []).append((effect, target, ways))

    def _write(self) -> None:
        graph = self._graph
        times = graph.times
        assert isinstance(times, list)
        for node, edges in self._edges.items():
            first = len(graph.targets)
            for effect, target, ways in edges:
                graph.steps.append(effect)
                graph.targets.append(target)
                times.append(ways)
                graph.forward = graph.forward and target > node
            graph.fill(node, self._heads[node], first)


def _returning(group: Group) -> set[int]:
    """The states of rest, and those within that lead to one."""
    order = group.sorted()
    assert order is not None
    found: set[int] = set()
    for number in reversed(order):
        if group.kinds[number] == REST or any(target in found for _, target in group.edges[number]):
            found.add(number)
    return found


class Interleaved(RealStates):
    """Orders of a graph in which groups were walked one after another, in terms of all that is open in each state."""

    def __init__(self, graph: StateGraph) -> None:
        self._combined = graph
        super().__init__(graph.sibling())
        self.graph.explainer = graph.explainer

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
