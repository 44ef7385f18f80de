"""Factors: where independent groups have so many ends together that nobody would list them, each group's own ends.

After the groups have ended the board goes on. It is followed for all combinations of ends at once: what the groups have
written is unknown but for the values that it has at their ends, and each step must be *proved* to be the same one,
with effects of which each depends on one group alone. ``docs/reductions.md`` says what is proved and why it is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from lastrites.count import Assignment, Tally, View, assignments
from lastrites.independence import END, REST, Group, Splitter, by_picks
from lastrites.local import Atom, LocalRules, check
from lastrites.partial import PartialReader
from lastrites.solver import Decision, gather
from lastrites.stategraph import PLAYER, READING, Head, StateGraph

MOST_BOXES = 256
"""Into so many boxes the combinations of ends are divided at most."""

MOST_STEPS = 4_096
"""So many steps, of all boxes together, are followed after the groups."""


class NotFactored(Exception):
    """What comes of the board is not proved to be a product."""


class _Divide(Exception):
    """Something depends on these unknown fluents, and on more than one group."""

    def __init__(self, blamed: int) -> None:
        super().__init__()
        self.blamed = blamed


@dataclass
class Part:
    """One group under one combination of answers.

    ``view`` is a graph of the group's states, told apart by the numbers of picks made; ``ends`` gives those of its
    nodes that are ends, each with the number of picks that led to it and the number of the end, ``orders`` how many
    orders lead to each. ``mask`` are the fluents that depend on the group's end once all is over, ``finals`` how they
    are then, by number of the end.
    """

    group: Group
    view: View
    ends: dict[int, tuple[int, int]]
    orders: dict[int, int]
    mask: int = 0
    finals: dict[int, int] = field(default_factory=dict)


@dataclass
class Product:
    """What comes of a board under one combination of answers: any end of each part together with any of the others.

    ``lead`` are the decisions that lead to the state ``start`` at which the groups were told apart; ``rest`` are the
    fluents at the end of all that are not among the parts' own.
    """

    assignment: Assignment
    lead: list[Decision]
    start: int
    parts: list[Part]
    rest: int = 0
    warnings: list[str] = field(default_factory=list)

    def size(self) -> int:
        """The number of final states."""
        return prod(len(set(part.finals.values())) for part in self.parts)


@dataclass
class _Cell:
    """What depends on one group: fluents, and how they are for each of its ends."""

    mask: int
    values: dict[int, int]


@dataclass
class _Box:
    """Some ends of each group in all combinations, and where they have got to: ``state`` has the other fluents."""

    state: int
    cells: list[_Cell]
    answers: Assignment
    warnings: tuple[str, ...] = ()

    def divided(self, blamed: int) -> list[_Box]:
        """The same in several, by the values that one of the groups to blame has. Raises NotFactored."""
        for narrow in (True, False):
            for place, cell in enumerate(self.cells):
                by = cell.mask & blamed if narrow else cell.mask
                if not cell.mask & blamed or len({value & by for value in cell.values.values()}) < 2:
                    continue
                sides: dict[int, dict[int, int]] = {}
                for end, value in cell.values.items():
                    sides.setdefault(value & by, {})[end] = value
                return [
                    replace(self, cells=[*self.cells[:place], _Cell(cell.mask, side), *self.cells[place + 1 :]])
                    for side in sides.values()
                ]
        raise NotFactored


class Factoring:
    """Finds the factors of a board."""

    def __init__(self, rules: LocalRules, splitter: Splitter, graph: StateGraph) -> None:
        """``graph`` is one of the same rules; those of groups share its table of effects."""
        self._rules = rules
        self._splitter = splitter
        self._graph = graph
        self._reader = PartialReader(rules.ground.rules, rules.bits, rules.circular)
        self._steps = 0
        self.states = 0

    def products(self, start: int) -> list[Product] | None:
        """What comes of a state, a product for each combination of answers; None where that is not proved."""
        try:
            return [found for at in self._apart(start) for found in self._factored(*at)]
        except NotFactored:
            return None

    # ---- before the groups

    def _apart(self, start: int) -> Iterator[tuple[int, Assignment, list[Decision]]]:
        """The states at which several options are open for the first time; there must be no choice before."""
        rules = self._rules
        todo: list[tuple[int, Assignment, list[Decision]]] = [(start, {}, [])]
        seen = set()
        while todo:
            state, answers, lead = todo.pop()
            if state in seen or self._splitter.over():
                raise NotFactored
            seen.add(state)
            control = rules.control(state)
            head = control.head
            _regular(head)
            if head.kind == PLAYER and len(control.decisions) > 1:
                yield state, answers, lead
                continue
            if head.final or (head.kind != READING and len(control.decisions) != 1):
                raise NotFactored
            rules.learn(state, control)
            for each in reversed(control.decisions):
                step = each.step(state)
                assert step is not None
                given = _answered(answers, head, each.decision)
                todo.append((state & step[0] | step[1], given, [*lead, each.decision]))

    # ---- the groups, and what follows them

    def _factored(self, state: int, answers: Assignment, lead: list[Decision]) -> Iterator[Product]:
        split = self._splitter.split(state)
        if split is None or not split.to_the_end:
            raise NotFactored
        graphs = [_graph_of(group, self._graph.sibling()) for group in split.groups]
        warnings = [text for group in split.groups for control in group.controls for text in control.warnings]
        views = [assignments(graph) for graph, _ in graphs]
        self.states += sum(len(group.states) for group in split.groups)
        for chosen in product(*views):
            given = dict(answers)
            for view in chosen:
                if given.keys() & view.assignment.keys():
                    raise NotFactored
                given.update(view.assignment)
            parts = [
                _part(group, view, nodes)
                for group, view, (_, nodes) in zip(split.groups, chosen, graphs, strict=True)
            ]
            yield from self._followed(Product(given, lead, state, parts, warnings=warnings))

    def _followed(self, before: Product) -> Iterator[Product]:
        """The products that come of the combined ends, one for each combination of answers given from there on."""
        cells = []
        state = before.start
        for part in before.parts:
            mask = part.group.writes
            ends = {number for _, number in part.ends.values()}
            cells.append(_Cell(mask, {number: part.group.states[number] & mask for number in sorted(ends)}))
            state &= ~mask
        todo = [_Box(state, cells, before.assignment)]
        over: list[_Box] = []
        boxes = 1
        while todo:
            self._steps += 1
            if self._steps > MOST_STEPS or boxes > MOST_BOXES or self._splitter.over():
                raise NotFactored
            box = todo.pop()
            try:
                following = self._following(box)
            except _Divide as divide:
                sides = box.divided(divide.blamed)
                boxes += len(sides) - 1
                todo += sides
                continue
            if following is None:
                over.append(box)
            else:
                todo += following
        by_answers: dict[tuple[tuple[str, str], ...], list[_Box]] = {}
        for box in over:
            by_answers.setdefault(tuple(sorted(box.answers.items())), []).append(box)
        if len({tuple(question for question, _ in given) for given in by_answers}) > 1:
            raise NotFactored
        for alike in by_answers.values():
            yield _put_together(before, alike)

    def _following(self, box: _Box) -> list[_Box] | None:
        """Where a box leads: one box, or one for each answer to a question; None where all is over."""
        rules = self._rules
        unknown = 0
        for cell in box.cells:
            unknown |= cell.mask
        self._reader.suppose([(cell.mask, set(cell.values.values())) for cell in box.cells])
        about = [symbol for atom, symbol in rules.others if self._holds(atom, box.state, unknown)]
        opened = [each for each in rules.decisions if self._holds(each, box.state, unknown)]
        situation = gather(about, rules.fluents)
        check(situation, [each.decision for each in opened])
        head = Head.of(situation, len(opened))
        _regular(head)
        box = replace(box, warnings=(*box.warnings, *situation.warnings))
        if head.final:
            return None
        if head.kind != READING and len(opened) != 1:
            raise NotFactored
        return [
            replace(self._after(box, each.atoms, unknown), answers=_answered(box.answers, head, each.decision))
            for each in opened
        ]

    def _holds(self, atom: Atom, state: int, unknown: int) -> bool:
        """Whether an atom holds for all combinations, or for none. Raises _Divide."""
        for mask, table in atom.cubes:
            if not mask & unknown and state & mask in table:
                return table[state & mask]
        truth = self._reader.value(atom.literal, state)
        if truth is None:
            raise _Divide(self._reader.blamed(atom.literal, state))
        return truth

    def _after(self, box: _Box, atoms: Iterable[tuple[int, Decision]], unknown: int) -> _Box:
        """The box after a decision of which these atoms say what it does. Raises _Divide."""
        state = box.state
        always: list[Decision] = []
        own: list[dict[int, list[Decision]]] = [{} for _ in box.cells]
        blame = [0] * len(box.cells)
        for literal, symbol in atoms:
            truth = self._reader.value(literal, state)
            if truth:
                always.append(symbol)
            elif truth is None:
                blamed = self._reader.blamed(literal, state)
                place, truths = self._by_end(box, literal, blamed, unknown)
                blame[place] |= blamed
                for value, holds in truths.items():
                    if holds:
                        own[place].setdefault(value, []).append(symbol)
        add, delete = self._effect(always)
        effects = [{value: self._effect(symbols) for value, symbols in table.items()} for table in own]
        owned = [cell.mask for cell in box.cells]
        taken = unknown
        for place, table in enumerate(effects):
            bits = 0
            for more, less in table.values():
                bits |= more | less
            if bits & taken & ~box.cells[place].mask:
                raise _Divide(blame[place])
            owned[place] |= bits
            taken |= bits
        cells = []
        for place, cell in enumerate(box.cells):
            values = {}
            for end, value in cell.values.items():
                more, less = effects[place].get(value, (0, 0))
                whole = value | state & owned[place] & ~cell.mask
                values[end] = (whole & ~(delete | less) | add | more) & owned[place]
            cells.append(_Cell(owned[place], values))
        return replace(box, state=(state & ~delete | add) & ~taken & self._rules.varying, cells=cells)

    def _effect(self, atoms: Sequence[Decision]) -> tuple[int, int]:
        """What atoms about one decision add and delete."""
        situation = gather(atoms, self._rules.fluents)
        check(situation, [])
        add = delete = 0
        for symbol in atoms:
            if symbol.name == "add":
                add |= self._rules.fluents.bit(symbol.arguments[2])
            elif symbol.name == "del":
                delete |= self._rules.fluents.bit(symbol.arguments[2])
        return add & ~self._rules.constant, delete

    def _by_end(self, box: _Box, literal: int, blamed: int, unknown: int) -> tuple[int, dict[int, bool]]:
        """The one group on which the truth of an atom depends, and its truth by value of that. Raises _Divide."""
        for place, cell in enumerate(box.cells):
            if not cell.mask & blamed:
                continue
            truths = {}
            for value in set(cell.values.values()):
                context = self._reader.context(box.state | value, unknown & ~cell.mask, 0)
                truth = context.value(literal)
                if truth is None:
                    break
                truths[value] = truth
            else:
                return place, truths
        raise _Divide(blamed)


def _regular(head: Head) -> None:
    """Raises NotFactored where anything but orders and outcomes is to be told of a state."""
    if head.odd or head.refused or head.conflicts or head.clashes:
        raise NotFactored


def _answered(answers: Assignment, head: Head, decision: Decision) -> Assignment:
    """The answers after a decision. Raises NotFactored where a question is asked twice."""
    if head.kind != READING:
        return answers
    if head.who in answers:
        raise NotFactored
    return {**answers, head.who: str(decision.arguments[1])}


def _graph_of(group: Group, graph: StateGraph) -> tuple[StateGraph, dict[int, tuple[int, int]]]:
    """The states of a group told apart by the numbers of picks made, as a graph that ends where the group does; with
    the picks and the number of the end for each of its ends."""
    nodes = {(0, 0): graph.new(group.states[0])}
    ends: dict[int, tuple[int, int]] = {}
    rows = by_picks(group)
    for number, picks in rows:
        if (number, picks) not in nodes:
            nodes[number, picks] = graph.new(group.states[number])
        after = picks + (group.kinds[number] == REST)
        for _, target in group.edges[number]:
            if (target, after) not in nodes:
                node = nodes[target, after] = graph.new(group.states[target])
                if group.kinds[target] == END:
                    ends[node] = (after, target)
    for number, picks in rows:
        node, after = nodes[number, picks], picks + (group.kinds[number] == REST)
        first = len(graph.targets)
        for effect, reached in group.edges[number]:
            graph.steps.append(effect)
            graph.targets.append(nodes[reached, after])
            graph.forward = graph.forward and nodes[reached, after] > node
        graph.fill(node, group.heads[number], first)
    for node in ends:
        graph.fill(node, Head(final=True), len(graph.targets))
    return graph, ends


def _part(group: Group, view: View, ends: Mapping[int, tuple[int, int]]) -> Part:
    found = {node: ends[node] for node in view.ends()}
    orders = Tally(view).orders
    return Part(group, view, found, {node: int(number) for node, number in orders.items()})


def _put_together(before: Product, boxes: Sequence[_Box]) -> Product:
    """Boxes as one product: each end leads to the same in all of them. Raises NotFactored."""
    masks = [0] * len(before.parts)
    for box in boxes:
        for place, cell in enumerate(box.cells):
            masks[place] |= cell.mask
    taken = 0
    for mask in masks:
        if mask & taken:
            raise NotFactored
        taken |= mask
    if len({box.state & ~taken for box in boxes}) > 1:
        raise NotFactored
    parts = []
    for place, part in enumerate(before.parts):
        finals: dict[int, int] = {}
        for box in boxes:
            cell = box.cells[place]
            fixed = box.state & masks[place] & ~cell.mask
            for end, value in cell.values.items():
                if finals.setdefault(end, value | fixed) != value | fixed:
                    raise NotFactored
        parts.append(replace(part, mask=masks[place], finals=finals))
    warnings = [*before.warnings, *(text for box in boxes for text in box.warnings)]
    return replace(
        before,
        assignment=boxes[0].answers,
        parts=parts,
        rest=boxes[0].state & ~taken,
        warnings=list(dict.fromkeys(warnings)),
    )
