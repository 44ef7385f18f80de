"""Counting: orders are paths, and the graph tells everything about them without listing any.

Everything is computed for one *assignment* of answers at a time, walking only the edges that agree with it; orders
are never summed over readings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

from lastrites.components import components
from lastrites.explore import CHANCE, PLAYER, READING, StateGraph
from lastrites.terms import Term

Count = int | float
"""An exact number of orders, or ``math.inf`` when a loop makes them endless."""

Assignment = dict[str, str]
"""Question -> answer."""


def _answer(decision: Term) -> str:
    return str(decision.args[1])


class View:
    """The part of a state graph that agrees with an assignment, in an order in which edges point forward.

    ``order`` lists the reachable nodes, each after all its predecessors (nodes on a cycle as they come);
    ``looping`` holds the nodes that lie on a cycle. With ``every_answer`` open questions are walked along all their
    answers, for what concerns the graph as a whole.
    """

    def __init__(self, graph: StateGraph, assignment: Assignment, every_answer: bool = False) -> None:
        self.graph = graph
        self._every_answer = every_answer
        self.assignment = assignment
        self.open: str | None = None
        self._edges: dict[int, list[tuple[int, int]]] = {}
        self.order: list[int] = []
        self.looping: set[int] = set()
        if graph.nodes:
            self._sort()

    def edges(self, node: int) -> list[tuple[int, int]]:
        """(number of the option, target) of each edge that agrees with the assignment."""
        found = self._edges.get(node)
        if found is None:
            here = self.graph.nodes[node]
            found = list(enumerate(here.targets))
            if here.kind == READING and not self._every_answer:
                wanted = self.assignment.get(here.who)
                if wanted is None:
                    self.open = here.who if self.open is None else min(self.open, here.who)
                    found = []
                else:
                    found = [edge for edge in found if _answer(here.options[edge[0]].term) == wanted]
            self._edges[node] = found
        return found

    def _sort(self) -> None:
        """Nodes in reverse finishing order; those on a cycle are looping."""
        finished: list[int] = []
        for component in components([0], lambda node: (target for _, target in self.edges(node))):
            node = component[-1]
            if len(component) > 1 or any(target == node for _, target in self.edges(node)):
                self.looping.update(component)
            finished.extend(component)
        self.order = finished[::-1]

    def ends(self) -> list[int]:
        """Nodes that are final."""
        return [node for node in self.order if self.graph.nodes[node].final]


def assignments(graph: StateGraph) -> list[View]:
    """A view for each assignment of answers to the questions that come up under it."""
    found: list[View] = []
    todo: list[Assignment] = [{}]
    while todo:
        assignment = todo.pop()
        view = View(graph, assignment)
        if view.open is None:
            found.append(view)
            continue
        answers: list[str] = []
        for node in view.order:
            here = graph.nodes[node]
            if here.kind == READING and here.who == view.open:
                answers += [a for a in (_answer(option.term) for option in here.options) if a not in answers]
        todo += [{**assignment, view.open: answer} for answer in reversed(answers)]
    return found


@dataclass
class Tally:
    """Numbers of one view: orders to each end, who decides about it, who can force it.

    ``paths``: number of orders from the start to each node; ``orders``: to each end; ``deciders`` and ``forcers``:
    by end.
    """

    view: View
    paths: dict[int, Count] = field(default_factory=dict)

    def __post_init__(self) -> None:
        order, looping = self.view.order, self.view.looping
        paths: dict[int, Count] = dict.fromkeys(order, 0)
        if order:
            paths[order[0]] = 1
        endless = set()
        for node in order:
            if node in looping and paths[node]:
                endless.add(node)
            if node in endless:
                paths[node] = inf
            for _, target in self.view.edges(node):
                if node in endless:
                    endless.add(target)
                    paths[target] = inf
                else:
                    paths[target] += paths[node]
        if endless:  # a cycle may be entered anywhere: spread until nothing changes
            todo = list(endless)
            while todo:
                node = todo.pop()
                paths[node] = inf
                for _, target in self.view.edges(node):
                    if target not in endless:
                        endless.add(target)
                        todo.append(target)
        self.paths = paths

    @property
    def orders(self) -> dict[int, Count]:
        """Number of orders that end in each end."""
        return {node: self.paths[node] for node in self.view.ends()}


def reachable_groups(view: View, groups: dict[int, int]) -> dict[int, int]:
    """For each node the groups of ends (bit masks) that can be reached from it."""
    reach = {node: groups.get(node, 0) for node in view.order}
    changed = True
    while changed:
        changed = False
        for node in reversed(view.order):
            mask = reach[node]
            for _, target in view.edges(node):
                mask |= reach[target]
            if mask != reach[node]:
                reach[node] = mask
                changed = bool(view.looping)
    return reach


def deciders(view: View, reach: dict[int, int], number: int) -> list[set[str]]:
    """For each group: who has, in some reachable state, an option that keeps it possible and one that does not."""
    found: list[set[str]] = [set() for _ in range(number)]
    for node in view.order:
        here = view.graph.nodes[node]
        if here.kind not in (PLAYER, CHANCE) or len(here.targets) < 2:
            continue
        every, some = -1, 0
        for target in here.targets:
            every &= reach[target]
            some |= reach[target]
        split = some & ~every
        who = here.who if here.kind == PLAYER else CHANCE
        while split:
            low = split & -split
            found[low.bit_length() - 1].add(who)
            split ^= low
    return found


def forceable(view: View, groups: dict[int, int], player: str) -> int:
    """The groups that a player can bring about whatever the others and luck do (a bit mask)."""
    sure = {node: groups.get(node, 0) for node in view.order}
    changed = True
    while changed:
        changed = False
        for node in reversed(view.order):
            edges = view.edges(node)
            if not edges:
                continue
            here = view.graph.nodes[node]
            mask = 0 if here.kind == PLAYER and here.who == player else -1
            for _, target in edges:
                mask = mask | sure[target] if here.kind == PLAYER and here.who == player else mask & sure[target]
            mask |= groups.get(node, 0)
            if mask != sure[node]:
                sure[node] = mask
                changed = bool(view.looping)
    return sure[view.order[0]] if view.order else 0


def walks(view: View, ends: set[int] | None = None) -> Iterator[list[tuple[int, int]]]:
    """Every order as its list of (node, number of the option), one after another, without keeping them.

    ``ends`` leaves only orders that end there. An order that runs into a cycle is cut where it would repeat a state.
    """
    groups = dict.fromkeys(view.ends() if ends is None else ends, 1)
    reach = reachable_groups(view, groups)
    if not view.order or not reach[view.order[0]]:
        return
    path: list[tuple[int, int]] = []
    on_path = {view.order[0]}
    work = [(view.order[0], iter(view.edges(view.order[0])))]
    if groups.get(view.order[0]):
        yield []
    while work:
        node, edges = work[-1]
        for option, target in edges:
            if not reach[target] or target in on_path:
                continue
            path.append((node, option))
            if groups.get(target):
                yield list(path)
            on_path.add(target)
            work.append((target, iter(view.edges(target))))
            break
        else:
            work.pop()
            on_path.discard(node)
            if path:
                path.pop()


def cycle(view: View) -> list[tuple[int, int]]:
    """One cycle as a list of (node, number of the option); empty when there is none."""
    if not view.looping:
        return []
    first = min(view.looping, key=view.order.index)
    before: dict[int, tuple[int, int]] = {}
    todo = [first]
    for node in todo:
        for option, target in view.edges(node):
            if target not in view.looping:
                continue
            if target == first:
                path = [(node, option)]
                while path[-1][0] != first:
                    path.append(before[path[-1][0]])
                return path[::-1]
            if target not in before:
                before[target] = (node, option)
                todo.append(target)
    return []
