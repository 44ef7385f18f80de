"""Counting: orders are paths, and the graph tells everything about them without listing any.

Everything is computed for one *assignment* of answers at a time, walking only the edges that agree with it; orders
are never summed over readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from lastrites.components import components
from lastrites.stategraph import CHANCE, PLAYER, StateGraph
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
        self.assignment = assignment
        self.open: str | None = None
        self.order: Sequence[int] = []
        self.looping: set[int] = set()
        self._asked: dict[int, list[tuple[int, int]]] = {}
        if not graph.states:
            return
        if not every_answer:
            self._asked = {node: self._answered(node) for node in graph.asking()}
        self._sort()
        asked = (graph.heads[node] for node in self.order if node in self._asked)
        self.open = min({head.who for head in asked if head is not None and head.who not in assignment}, default=None)

    def _answered(self, node: int) -> list[tuple[int, int]]:
        here = self.graph.nodes[node]
        wanted = self.assignment.get(here.who)
        if wanted is None:
            return []
        pairs = enumerate(zip(here.options, here.targets, strict=True))
        return [(number, target) for number, (option, target) in pairs if _answer(option.term) == wanted]

    def edges(self, node: int) -> list[tuple[int, int]]:
        """(number of the option, target) of each edge that agrees with the assignment."""
        found = self._asked.get(node)
        return list(enumerate(self.targets(node))) if found is None else found

    def asked(self, node: int) -> bool:
        """Whether a question is open there: then not every option belongs to the view."""
        return node in self._asked

    def targets(self, node: int) -> Sequence[int]:
        """The targets of these edges."""
        found = self._asked.get(node)
        if found is not None:
            return [target for _, target in found]
        graph = self.graph
        first = graph.starts[node]
        return graph.targets[first : first + graph.counts[node]]

    def times(self, node: int) -> Sequence[int]:
        """For each of these edges the number of like decisions that it stands for."""
        graph = self.graph
        found = self._asked.get(node)
        if graph.times is None:
            return [1] * (graph.counts[node] if found is None else len(found))
        first = graph.starts[node]
        if found is not None:
            return [graph.times[first + number] for number, _ in found]
        return graph.times[first : first + graph.counts[node]]

    def _sort(self) -> None:
        size = len(self.graph.states)
        if self.graph.forward:
            if not self._asked:
                self.order = range(size)
                return
            reached = bytearray(size)
            reached[0] = 1
            for node in range(size):
                if reached[node]:
                    for target in self.targets(node):
                        reached[target] = 1
            self.order = [node for node in range(size) if reached[node]]
            return
        waits = {0: 0}
        found = [0]
        for node in found:
            for target in self.targets(node):
                if target in waits:
                    waits[target] += 1
                else:
                    waits[target] = 1
                    found.append(target)
        order = [0] if not waits[0] else []
        for node in order:
            for target in self.targets(node):
                waits[target] -= 1
                if not waits[target]:
                    order.append(target)
        if len(order) < len(found):
            self._sort_components()
        else:
            self.order = order

    def _sort_components(self) -> None:
        """Nodes in reverse finishing order; those on a cycle are looping."""
        finished: list[int] = []
        for component in components([0], self.targets):
            if len(component) > 1 or component[0] in self.targets(component[0]):
                self.looping.update(component)
            finished.extend(component)
        self.order = finished[::-1]

    def ends(self) -> list[int]:
        """Nodes that are final."""
        final = self.graph.ends()
        if len(self.order) == len(self.graph.states):
            return sorted(final)
        return [node for node in self.order if node in final]


def parted_by(one: Mapping[str, str], other: Mapping[str, str]) -> str | None:
    """The question that two assignments answer differently, if they answer all others alike."""
    differing = [question for question in one if question in other and one[question] != other[question]]
    return differing[0] if len(differing) == 1 else None


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
        asking = set(graph.asking())
        answers: list[str] = []
        for node in view.order:
            if node in asking:
                here = graph.nodes[node]
                if here.who == view.open:
                    answers += [a for a in (_answer(option.term) for option in here.options) if a not in answers]
        todo += [{**assignment, view.open: answer} for answer in reversed(answers)]
    return found


@dataclass
class Tally:
    """The number of orders from the start of a view to each node: a list by node, 0 where none leads."""

    view: View
    paths: list[Count] = field(default_factory=list)

    def __post_init__(self) -> None:
        view = self.view
        order = view.order
        paths: list[Count] = [0] * len(view.graph.states)
        if order:
            paths[order[0]] = 1
        if view.looping:
            self._endless(paths)
        elif view.graph.times is None:
            for node in order:
                here = paths[node]
                for target in view.targets(node):
                    paths[target] += here
        else:
            for node in order:
                here = paths[node]
                for target, times in zip(view.targets(node), view.times(node), strict=True):
                    paths[target] += here * times
        self.paths = paths

    def _endless(self, paths: list[Count]) -> None:
        """The same where orders can go round: from a cycle on their number is infinite."""
        view = self.view
        endless: set[int] = set()
        todo = [node for node in view.order if node in view.looping]
        while todo:
            node = todo.pop()
            if node not in endless:
                endless.add(node)
                todo += view.targets(node)
        for node in view.order:
            if node in endless:
                paths[node] = inf
                continue
            for target, times in zip(view.targets(node), view.times(node), strict=True):
                paths[target] += paths[node] * times

    @property
    def orders(self) -> dict[int, Count]:
        """Number of orders that end in each end."""
        return {node: self.paths[node] for node in self.view.ends()}


def reachable_groups(view: View, groups: Mapping[int, int]) -> list[int]:
    """For each node the groups of ends (bit masks) that can be reached from it."""
    return _upward(view, groups, ())[0]


class Entwined(Exception):
    """What follows independent groups puts their ends together in such a way that who decides is not read off them."""


@dataclass(frozen=True)
class Decided:
    """By group of ends: ``deciders`` have, in some reachable state, an option that keeps it possible and one that does
    not; ``forcers`` can bring it about whatever the others and luck do (a bit mask for each player)."""

    deciders: list[set[str]]
    forcers: dict[str, int]


def decided(view: View, groups: Mapping[int, int], number: int, players: Sequence[str]) -> Decided:
    """Who decides about each of ``number`` groups of ends, and who can force it. ``groups``: bit mask by end.

    Raises Entwined where independent groups were walked one after another and that does not tell.
    """
    if not view.order:
        return Decided([set() for _ in range(number)], dict.fromkeys(players, 0))
    reach, split, sure = _upward(view, groups, players)
    if view.graph.products:
        here = set(view.order)
        for product in view.graph.products:
            ends = {node: parts for node, parts in product.items() if node in here}
            for masks in (reach, *sure.values()):
                _check_product(ends, masks)
    deciders: list[set[str]] = [set() for _ in range(number)]
    for who, mask in split.items():
        for place in range(number):
            if mask >> place & 1:
                deciders[place].add(who)
    return Decided(deciders, {player: sure[player][view.order[0]] for player in players})


def _upward(
    view: View, groups: Mapping[int, int], players: Sequence[str]
) -> tuple[list[int], dict[str, int], dict[str, list[int]]]:
    """From the ends back to the start, for each node: the groups in reach, and those that each player can force.

    In between, by person: the groups about which he or she decides somewhere.
    """
    graph = view.graph
    size = len(graph.states)
    reach = [0] * size
    sure = {player: [0] * size for player in players}
    sures = list(sure.items())
    split: dict[str, int] = {}
    heads = graph.heads
    for node, mask in groups.items():
        reach[node] = mask
        for _, row in sures:
            row[node] = mask
    changed = True
    while changed:
        changed = False
        for node in reversed(view.order):
            targets = view.targets(node)
            if not targets:
                continue
            own = groups.get(node, 0)
            if len(targets) == 1:
                (target,) = targets
                some = reach[target] | own
                if some != reach[node]:
                    reach[node] = some
                    changed = True
                for _, row in sures:
                    row[node] = row[target] | own
                continue
            some, every = own, -1
            for target in targets:
                mask = reach[target]
                some |= mask
                every &= mask
            if some != reach[node]:
                reach[node] = some
                changed = True
            head = heads[node]
            assert head is not None
            if head.kind in (PLAYER, CHANCE) and some & ~every:
                who = head.who if head.kind == PLAYER else CHANCE
                split[who] = split.get(who, 0) | some & ~every & ~own
            for player, row in sures:
                if head.kind == PLAYER and head.who == player:
                    mask = 0
                    for target in targets:
                        mask |= row[target]
                else:
                    mask = -1
                    for target in targets:
                        mask &= row[target]
                if mask | own != row[node]:
                    row[node] = mask | own
                    changed = True
        changed = changed and bool(view.looping)
        if changed:
            split.clear()
    return reach, split, sure


def _check_product(ends: Mapping[int, tuple[int, ...]], masks: Sequence[int]) -> None:
    """Whether for each bit the ends that have it are all combinations of some ends of each group. Raises Entwined.

    Where it is not said which ends those are all must be alike.
    """
    if len({masks[node] for node, parts in ends.items() if not parts}) > 1:
        raise Entwined
    some: dict[tuple[int, int], int] = {}
    for node, parts in ends.items():
        for part in enumerate(parts):
            some[part] = some.get(part, 0) | masks[node]
    for node, parts in ends.items():
        every = -1
        for part in enumerate(parts):
            every &= some[part]
        if parts and every != masks[node]:
            raise Entwined


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
    first = next(node for node in view.order if node in view.looping)
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
