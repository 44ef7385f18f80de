"""The first decision at which two explorations of one board part."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastrites.explore import CHANCE, PLAYER, READING, Node
from lastrites.terms import Term

if TYPE_CHECKING:
    from lastrites.resolution import Resolution

Pair = tuple[int, int]
"""A node of each state graph."""


@dataclass(frozen=True)
class _Came:
    """How a pair was reached: from which pair, and by which option of each side (None: the side stood still)."""

    before: Pair
    options: tuple[int | None, int | None]


class _Side:
    def __init__(self, result: Resolution) -> None:
        self.result = result
        self.nodes = result.graph.nodes
        self.teller = result.teller
        self.ends = self._reach()
        self._states: dict[int, frozenset[Term]] = {}

    def _reach(self) -> list[int]:
        """For each node the final states that can be reached from it, under any reading, as a bit mask."""
        before: list[list[int]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            for target in node.targets:
                before[target].append(number)
        masks = [0] * len(self.nodes)
        keys: dict[str, int] = {}
        for number, node in enumerate(self.nodes):
            if node.final:
                written = self.teller.writer.state(self.result.graph.fluents.terms(node.state))
                state = json.dumps(written, sort_keys=True)
                masks[number] = 1 << keys.setdefault(state, len(keys))
        todo = deque(number for number, mask in enumerate(masks) if mask)
        while todo:
            number = todo.popleft()
            for earlier in before[number]:
                if masks[earlier] | masks[number] != masks[earlier]:
                    masks[earlier] |= masks[number]
                    todo.append(earlier)
        self.keys = list(keys)
        return masks

    def outcomes(self, node: int) -> frozenset[str]:
        return frozenset(key for place, key in enumerate(self.keys) if self.ends[node] >> place & 1)

    def state(self, node: int) -> frozenset[Term]:
        """The fluents of a node, answers left out."""
        found = self._states.get(node)
        if found is None:
            terms = self.result.graph.fluents.terms(self.nodes[node].state)
            found = self._states[node] = frozenset(term for term in terms if term.name != "answered")
        return found

    def changes(self, node: int, option: int) -> tuple[str, ...]:
        return self.teller.step(node, option).changes

    def describe(self, node: int, only: set[Term] | None = None) -> dict[str, Any]:
        """Who decides here what, with the clauses behind each option and what a clause bars."""
        here = self.nodes[node]
        self.teller.explain([node])
        options = []
        barred: tuple[str, ...] = ()
        for number, option in enumerate(here.options):
            step = self.teller.step(node, number)
            barred = step.barred
            if only is None or option.term in only:
                options.append(
                    {"decision": step.decision, "clauses": list(step.clauses), "changes": list(step.changes)}
                )
        by = here.who if len(here.options) > 1 and here.kind == PLAYER else None
        by = CHANCE if here.kind == CHANCE else by
        return {"by": by, "options": options, "barred": list(barred), "ends": here.final, "odd": here.odd}

    def told(self, node: int, option: int) -> dict[str, Any]:
        step = self.teller.step(node, option)
        return {"by": step.by, "decision": step.decision}


def parting(one: Resolution, other: Resolution) -> dict[str, Any] | None:
    """Where two explorations of the same board part: ``after`` (decisions that lead there), what is open on each
    side, and ``since``: the last common step after which the two states differ in what does not show, with its
    clauses. The first place from which different outcomes can be reached, or the first at all if there is none such.
    """
    return _Walk(_Side(one), _Side(other)).parting()


class _Walk:
    def __init__(self, left: _Side, right: _Side) -> None:
        self.left, self.right = left, right
        self.came: dict[Pair, _Came | None] = {(0, 0): None}

    def parting(self) -> dict[str, Any] | None:
        todo = deque([(0, 0)])
        first: tuple[Pair, set[Term] | None] | None = None
        while todo:
            pair = todo.popleft()
            apart, ways = self.look(pair)
            if apart is not None:
                if self.left.outcomes(pair[0]) != self.right.outcomes(pair[1]):
                    return self.tell(pair, apart or None)
                first = first or (pair, apart or None)
            for options, target in ways:
                if target not in self.came:
                    self.came[target] = _Came(pair, options)
                    todo.append(target)
        return self.tell(*first) if first is not None else None

    def look(self, pair: Pair) -> tuple[set[Term] | None, list[tuple[tuple[int | None, int | None], Pair]]]:
        """The options that make the two sides differ here (None: nothing, empty: all), and where both go on."""
        a, b = self.left.nodes[pair[0]], self.right.nodes[pair[1]]
        if not (a.explored and b.explored):  # one side was not walked to the end: nothing is known of it here
            return None, []
        if a.kind == READING and not (b.kind == READING and b.who == a.who):
            return None, [((number, None), (target, pair[1])) for number, target in enumerate(a.targets)]
        if b.kind == READING and a.kind != READING:
            return None, [((None, number), (pair[0], target)) for number, target in enumerate(b.targets)]
        mine, theirs = _options(a), _options(b)
        common = [term for term in mine if term in theirs]
        ways: list[tuple[tuple[int | None, int | None], Pair]] = []
        different: set[Term] = set()
        for term in common:
            i, j = mine[term], theirs[term]
            if i >= len(a.targets) or j >= len(b.targets):
                continue
            if self.left.changes(pair[0], i) != self.right.changes(pair[1], j):
                different.add(term)
            else:
                ways.append(((i, j), (a.targets[i], b.targets[j])))
        if a.kind == READING:  # the answers that one of them rules out are no decisions of the game
            return None, ways
        same = (a.kind, a.who, a.final, a.refused, a.odd) == (b.kind, b.who, b.final, b.refused, b.odd)
        if not same or mine.keys() != theirs.keys():
            return set(), ways
        return different or None, ways

    def tell(self, pair: Pair, only: set[Term] | None) -> dict[str, Any]:
        steps: list[_Came] = []
        here: Pair = pair
        while (came := self.came[here]) is not None:
            steps.append(came)
            here = came.before
        after: list[dict[str, Any]] = []
        since: dict[str, Any] | None = None
        for place, came in enumerate(reversed(steps)):
            i, j = came.options
            if i is not None:
                after.append(self.left.told(came.before[0], i))
            elif j is not None:
                after.append(self.right.told(came.before[1], j))
            reached = pair if place == len(steps) - 1 else steps[len(steps) - 2 - place].before
            if since is None and i is not None and j is not None:
                since = self._since(came, reached, i, j)
        return {
            "after": after,
            "since": since,
            "at": [self.left.describe(pair[0], only), self.right.describe(pair[1], only)],
        }

    def _since(self, came: _Came, reached: Pair, i: int, j: int) -> dict[str, Any] | None:
        if self.left.result.reading.edition != self.right.result.reading.edition:
            return None  # states of editions with other lists of steps differ without meaning
        if self.left.state(came.before[0]) != self.right.state(came.before[1]):
            return None
        if self.left.state(reached[0]) == self.right.state(reached[1]):
            return None
        self.left.teller.explain([came.before[0]])
        self.right.teller.explain([came.before[1]])
        one, two = self.left.teller.step(came.before[0], i), self.right.teller.step(came.before[1], j)
        return {"decision": one.decision, "clauses": [list(one.clauses), list(two.clauses)]}


def _options(node: Node) -> dict[Term, int]:
    return {option.term: number for number, option in enumerate(node.options)}
