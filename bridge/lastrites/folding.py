"""Exploring states up to the exchange of interchangeable cards.

States are laid out so that each class of cards has a row of bits for each member, one after another: exchanging members
exchanges rows. A state stands for all that differ from it by such exchanges; the one whose rows are sorted is explored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lastrites.solver import Fluents, Option, renamed
from lastrites.stategraph import NOTHING_KNOWN, RealStates, StateGraph
from lastrites.symmetry import Alike, exchanged


@dataclass
class Part:
    """Where the rows of one class lie: from bit ``base`` on, ``width`` bits for each member."""

    alike: Alike
    base: int
    width: int
    sorted_rows: dict[int, int] = field(default_factory=dict)
    runs_of: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.mask = (1 << self.width * len(self.alike.members)) - 1
        self._row = (1 << self.width) - 1

    def rows(self, segment: int) -> list[int]:
        """The rows of the members."""
        return [segment >> self.width * place & self._row for place in range(len(self.alike.members))]

    def sorted(self, segment: int) -> int:
        """The segment with its rows sorted."""
        found = self.sorted_rows.get(segment)
        if found is None:
            found = 0
            for row in sorted(self.rows(segment)):
                found = found << self.width | row
            self.sorted_rows[segment] = found
        return found

    def runs(self, segment: int) -> tuple[int, ...]:
        """For each member how many have the same row, 0 if an earlier one has it."""
        found = self.runs_of.get(segment)
        if found is None:
            rows = self.rows(segment)
            found = tuple(0 if row in rows[:place] else rows.count(row) for place, row in enumerate(rows))
            self.runs_of[segment] = found
        return found

    def uniform(self, state: int) -> bool:
        """Whether exchanging members does not change the state."""
        return len(set(self.rows(state >> self.base & self.mask))) == 1

    def order(self, state: int) -> list[int]:
        """When the rows are sorted: the member whose row comes to each place."""
        rows = self.rows(state >> self.base & self.mask)
        return sorted(range(len(rows)), key=rows.__getitem__, reverse=True)

    def placed(self, state: int, members: Sequence[int]) -> int:
        """The state with the row at each place given to a member."""
        segment = state >> self.base & self.mask
        found = 0
        for row, member in zip(self.rows(segment), members, strict=True):
            found |= row << self.width * member
        return state ^ (segment ^ found) << self.base

    def moves(self, state: int) -> Mapping[str, str]:
        """Which card takes the place of which when the rows are sorted."""
        order = self.order(state)
        moved: dict[str, str] = {}
        for place, member in enumerate(order):
            if place != member:
                names = zip(self.alike.members[member], self.alike.members[place], strict=True)
                moved.update((_unquoted(name), _unquoted(there)) for name, there in names)
        return moved


def _unquoted(name: str) -> str:
    return name[1:-1].replace('\\"', '"').replace("\\\\", "\\")


@dataclass
class Folding:
    """The classes by which the states of a graph are folded."""

    parts: list[Part]

    @classmethod
    def of(cls, classes: Sequence[Alike], fluents: Fluents, varying: int) -> tuple[Folding, list[int]]:
        """The folding by these classes, and the numbers of the fluents in the order that it asks for."""
        number = {text: place for place, text in enumerate(fluents.texts())}
        order: list[int] = []
        parts: list[Part] = []
        for alike in classes:
            # What can change must be the same for all members, place by place: then rows can be exchanged.
            open_ones = {tuple(varying >> number[text] & 1 for text in row) for row in alike.fluents}
            rows = [[number[text] for text in row if varying >> number[text] & 1] for row in alike.fluents]
            if rows[0] and len(open_ones) == 1:
                parts.append(Part(alike, len(order), len(rows[0])))
                for row in rows:
                    order += row
        placed = set(order)
        rest = [place for place in number.values() if place not in placed]
        rest.sort(key=lambda place: not varying >> place & 1)
        return cls(parts), order + rest

    def sorted(self, state: int) -> int:
        """The state that stands for this one."""
        for part in self.parts:
            segment = state >> part.base & part.mask
            state ^= (segment ^ part.sorted(segment)) << part.base
        return state

    def touched(self, bits: int) -> tuple[Part, ...]:
        """The parts in which any of these bits lies."""
        return tuple(part for part in self.parts if bits >> part.base & part.mask)

    def of_decision(self, text: str) -> tuple[tuple[Part, int], ...]:
        """The members that a decision speaks of, for each class of which it speaks of one alone."""
        found = []
        for part in self.parts:
            members = [
                place for place, names in enumerate(part.alike.members) if any(name in text for name in names)
            ]
            if len(members) == 1:
                found.append((part, members[0]))
        return tuple(found)

    def moves(self, state: int) -> dict[str, str]:
        """Which card takes the place of which when a state is replaced by the one that stands for it."""
        moved: dict[str, str] = {}
        for part in self.parts:
            moved.update(part.moves(state))
        return moved

    def unfit(self, graph: StateGraph) -> list[Part]:
        """Parts for which some final state is not the same whichever members are exchanged."""
        ends = [graph.states[end] for end in graph.ends()]
        return [part for part in self.parts if not all(part.uniform(end) for end in ends)]

    def exchanges(self) -> Iterator[dict[str, str]]:
        """Exchanges of two neighbors in each class: together they give all."""
        for part in self.parts:
            members = part.alike.members
            for one, other in pairwise(members):
                swap = {_unquoted(a): _unquoted(b) for a, b in zip(one, other, strict=True)}
                yield swap | {b: a for a, b in swap.items()}


class Unfolded(RealStates):
    """Orders of a folded graph in terms of the states that they really go through."""

    def __init__(self, graph: StateGraph, folding: Folding) -> None:
        self._folded = graph
        self._folding = folding
        super().__init__(
            StateGraph(graph.fluents, graph.rulebook, graph.mode, constant=graph.constant, explainer=graph.explainer)
        )

    def walk(self, walk: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """An order through nodes of the folded graph as one through nodes of the other, from the same start.

        On the way it is kept which member of each class really has the row at each place. A node of the other graph has
        as many options as the state really has, like decisions repeated.
        """
        folded, parts = self._folded, self._folding.parts
        assert folded.times is not None
        found = []
        members = [list(range(len(part.alike.members))) for part in parts]
        for node, number in walk:
            here = self.node(self._real(folded.states[node], members))
            first, last = folded.span(node)
            if self.graph.heads[here] is None:
                self._fill(here, node, first, last, members)
            found.append((here, sum(folded.times[first : first + number])))
            after = folded.effects[folded.steps[first + number]].after(folded.states[node])
            members = [
                [real[place] for place in part.order(after)] for part, real in zip(parts, members, strict=True)
            ]
        return found

    def _real(self, state: int, members: Sequence[Sequence[int]]) -> int:
        for part, real in zip(self._folding.parts, members, strict=True):
            state = part.placed(state, real)
        return state

    def _fill(self, here: int, node: int, first: int, last: int, members: Sequence[Sequence[int]]) -> None:
        folded, graph = self._folded, self.graph
        assert folded.times is not None
        swap = {
            name: there
            for part, real in zip(self._folding.parts, members, strict=True)
            for place, member in enumerate(real)
            for name, there in zip(part.alike.members[place], part.alike.members[member], strict=True)
        }
        begin = len(graph.targets)
        for edge in range(first, last):
            option = folded.effects[folded.steps[edge]]
            target = self.node(self._real(option.after(folded.states[node]), members))
            effect = graph.effect(Option(renamed(option.decision, lambda text: exchanged(text, swap))))
            for _ in range(folded.times[edge]):
                graph.steps.append(effect)
                graph.targets.append(target)
        graph.fill(here, folded.heads[node] or NOTHING_KNOWN, begin)
