"""Factors: where independent groups have so many ends together that nobody would list them, each group's own ends.

After the groups have ended the board goes on. It is followed for all combinations of ends at once: what the groups have
written is unknown but for the values that it has at their ends, and each step must be *proved* to be the same one,
with effects of which each depends on one group alone. ``docs/reductions.md`` says what is proved and why it is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from math import prod
from operator import or_

from lastrites import count
from lastrites.count import Assignment, Tally, View, assignments
from lastrites.independence import END, REST, Group, Splitter, by_picks
from lastrites.local import Atom, DecisionAtom, LocalRules, check
from lastrites.partial import PartialReader
from lastrites.solver import Decision, Option, gather
from lastrites.stategraph import PLAYER, READING, Head, StateGraph

MOST_BOXES = 256
"""Into so many boxes the combinations of ends are divided at most."""

MOST_STEPS = 4_096
"""So many steps, of all boxes together, are followed after the groups."""


class NotFactored(Exception):
    """What comes of the board is not proved to be a product."""


class _Divide(Exception):
    """Something in a box depends on these unknown fluents, and on more than one group."""

    def __init__(self, box: _Box, blamed: int) -> None:
        super().__init__()
        self.box = box
        self.blamed = blamed


@dataclass
class Part:
    """One group under one combination of answers.

    ``view`` is a graph of the group's states, told apart by the numbers of picks made; ``numbers`` gives those states.
    ``ends`` gives the nodes that are ends, each with the number of picks that led to it and the number of the end,
    ``orders`` how many orders lead to each. ``mask`` are the fluents that depend on the group's end once all is over,
    ``finals`` how they are then, by number of the end.
    """

    group: Group
    view: View
    numbers: list[int]
    ends: dict[int, tuple[int, int]]
    orders: dict[int, int]
    mask: int = 0
    finals: dict[int, int] = field(default_factory=dict)

    def ended(self) -> _Cell:
        """What the group has written, for each of its ends."""
        mask = self.group.writes
        return _Cell(mask, {number: self.group.states[number] & mask for _, number in sorted(self.ends.values())})


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

    @property
    def unknown(self) -> int:
        """The fluents that depend on ends."""
        return reduce(or_, (cell.mask for cell in self.cells), 0)

    def shown(self, mask: int) -> _Box:
        """The same with these fluents only."""
        cells = [_Cell(cell.mask & mask, {end: v & mask for end, v in cell.values.items()}) for cell in self.cells]
        return replace(self, state=self.state & mask, cells=cells)

    def key(self) -> object:
        """Equal for boxes that nothing tells apart."""
        return self.state, tuple((cell.mask, tuple(sorted(cell.values.items()))) for cell in self.cells)

    def only(self, other: _Box) -> _Box:
        """The part of it with the ends that another box has."""
        cells = [
            _Cell(cell.mask, {end: cell.values[end] for end in same.values})
            for cell, same in zip(self.cells, other.cells, strict=True)
        ]
        return replace(self, cells=cells)

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

    def __init__(self, rules: LocalRules, splitter: Splitter, graph: StateGraph, shown: int) -> None:
        """``graph`` is one of the same rules; those of groups share its table of effects. ``shown`` are the fluents of
        which an outcome may tell; the others do not matter in the end."""
        self._rules = rules
        self._splitter = splitter
        self._graph = graph
        self._shown = shown
        self._reader = PartialReader(rules.ground.rules, rules.bits, rules.circular)
        self._steps = 0
        self.states = 0
        self.warnings: list[str] = []

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
            self.warnings += control.warnings
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
        if split is None:
            raise NotFactored
        graphs = [_graph_of(group, self._graph.sibling()) for group in split.groups]
        self.warnings += [text for group in split.groups for control in group.controls for text in control.warnings]
        views = [assignments(graph) for graph, _, _ in graphs]
        self.states += sum(len(group.states) for group in split.groups)
        for chosen in product(*views):
            given = dict(answers)
            for view in chosen:
                if given.keys() & view.assignment.keys():
                    raise NotFactored
                given.update(view.assignment)
            parts = [
                _part(group, view, numbers, ends)
                for group, view, (_, numbers, ends) in zip(split.groups, chosen, graphs, strict=True)
            ]
            before = Product(given, lead, state, parts)
            if split.to_the_end:
                yield from self._followed(before)
            else:
                yield self._one_left(before)

    def _followed(self, before: Product) -> Iterator[Product]:
        """The products that come of the combined ends, one for each combination of answers given from there on."""
        state, cells = before.start, []
        for part in before.parts:
            cells.append(part.ended())
            state &= ~part.group.writes
        todo = [_Box(state, cells, before.assignment)]
        over: list[_Box] = []
        boxes = 1
        while todo:
            box = todo.pop()
            try:
                following = self._following(box)
            except _Divide as divide:
                sides = box.divided(divide.blamed)
                boxes += len(sides) - 1
                if boxes > MOST_BOXES:
                    raise NotFactored from None
                todo += sides
                continue
            if following is None:
                over.append(box.shown(self._shown))
            else:
                todo += following
        by_answers: dict[tuple[tuple[str, str], ...], list[_Box]] = {}
        for box in over:
            by_answers.setdefault(tuple(sorted(box.answers.items())), []).append(box)
        if len({tuple(question for question, _ in given) for given in by_answers}) > 1:
            raise NotFactored
        for alike in by_answers.values():
            yield _put_together(before, alike)

    def _one_left(self, before: Product) -> Product:
        """The product where groups are known not to affect each other only as long as two have not ended: what comes of
        each group that is left alone must be what comes of it while others wait."""
        parts = before.parts
        bare = before.start & ~reduce(or_, (part.group.writes for part in parts))
        found: list[tuple[int, int, StateGraph, dict[int, _Box]]] = []
        for place, part in enumerate(parts):
            cells = [other.ended() for other in parts if other is not part]
            numbers = {part.numbers[node] for node in part.view.order}
            for number in sorted(n for n in numbers if part.group.kinds[n] == REST):
                root = _Box(bare | part.group.states[number] & part.group.writes, cells, before.assignment)
                found += [(place, number, *alone) for alone in self._alone(root)]
        rows = [[part.group.writes & self._shown for part in parts]]
        for place, _, _, leaves in found:
            for box in leaves.values():
                rows.append([cell.mask for cell in box.cells])
                rows[-1].insert(place, 0)
        over = [
            (box.state, [(other + (other >= place), cell) for other, cell in enumerate(box.cells)])
            for place, _, _, leaves in found for box in leaves.values()
        ]  # fmt: skip
        masks = _owned(_masks(rows), over)
        rest, finals = _agreed(masks, over)
        for place, number, graph, leaves in found:
            values = {node: box.state & masks[place] for node, box in leaves.items()}
            part = parts[place]
            waiting, ends = _from(part.group, number, self._graph.sibling())
            told = {node: finals[place][end] for node, end in ends.items() if end in finals[place]}
            heads = {head for head in (*graph.heads, *waiting.heads) if head is not None and head.kind == PLAYER}
            players = sorted({head.who for head in heads})
            alone = _summary(View(graph, {}), values, players)
            if alone != _summary(View(waiting, part.view.assignment), told, players):
                raise NotFactored
        parts = [replace(part, mask=m, finals=values) for part, m, values in zip(parts, masks, finals, strict=True)]
        return replace(before, parts=parts, rest=rest)

    def _alone(self, root: _Box) -> list[tuple[StateGraph, dict[int, _Box]]]:
        """All that follows a box, as a graph with the box of each end: of the box itself, or of parts of it."""
        found: list[tuple[StateGraph, dict[int, _Box]]] = []
        todo = [root]
        while todo:
            if len(todo) + len(found) > MOST_BOXES:
                raise NotFactored
            root = todo.pop()
            try:
                found.append(self._all_after(root))
            except _Divide as divide:
                todo += [root.only(side) for side in divide.box.divided(divide.blamed)]
        return found

    def _all_after(self, root: _Box) -> tuple[StateGraph, dict[int, _Box]]:
        graph = self._graph.sibling()
        boxes = [root]
        index = {root.key(): graph.new(root.state)}
        over = {}
        for node, box in enumerate(boxes):
            head, opened = self._opened(box)
            if head.final:
                over[node] = box.shown(self._shown)
            if head.kind == READING:
                given = box.answers.get(head.who)
                opened = [each for each in opened if str(each.decision.arguments[1]) == given]
                head = Head()
                if not opened:
                    raise NotFactored
            afters = [self._after(box, each.atoms) for each in opened]
            first = len(graph.targets)
            for each, after in zip(opened, afters, strict=True):
                target = index.get(after.key())
                if target is None:
                    target = index[after.key()] = graph.new(after.state)
                    boxes.append(after)
                graph.steps.append(graph.effect(Option(each.decision)))
                graph.targets.append(target)
                graph.forward = graph.forward and target > node
            graph.fill(node, head, first)
        return graph, over

    def _following(self, box: _Box) -> list[_Box] | None:
        """Where a box leads: one box, or one for each answer to a question; None where all is over."""
        head, opened = self._opened(box)
        if head.final:
            return None
        if head.kind != READING and len(opened) != 1:
            raise NotFactored
        return [
            replace(self._after(box, each.atoms), answers=_answered(box.answers, head, each.decision))
            for each in opened
        ]

    def _opened(self, box: _Box) -> tuple[Head, list[DecisionAtom]]:
        """What is open in all states of a box, and its head. Raises _Divide."""
        self._steps += 1
        if self._steps > MOST_STEPS or self._splitter.over():
            raise NotFactored
        rules = self._rules
        self._reader.suppose([(cell.mask, set(cell.values.values())) for cell in box.cells])
        about = [symbol for atom, symbol in rules.others if self._holds(atom, box)]
        opened = [each for each in rules.decisions if self._holds(each, box)]
        situation = gather(about, rules.fluents)
        check(situation, [each.decision for each in opened])
        head = Head.of(situation, len(opened))
        _regular(head)
        self.warnings += situation.warnings
        return head, opened

    def _holds(self, atom: Atom, box: _Box) -> bool:
        """Whether an atom holds for all combinations, or for none. Raises _Divide."""
        state, unknown = box.state, box.unknown
        for mask, table in atom.cubes:
            if not mask & unknown and state & mask in table:
                return table[state & mask]
        truth = self._reader.value(atom.literal, state)
        if truth is None:
            raise _Divide(box, self._reader.blamed(atom.literal, state))
        return truth

    def _after(self, box: _Box, atoms: Iterable[tuple[int, Decision]]) -> _Box:
        """The box after a decision of which these atoms say what it does. Raises _Divide."""
        state, unknown = box.state, box.unknown
        always: list[Decision] = []
        own: list[dict[int, list[Decision]]] = [{} for _ in box.cells]
        blame = [0] * len(box.cells)
        for literal, symbol in atoms:
            truth = self._reader.value(literal, state)
            if truth:
                always.append(symbol)
            elif truth is None:
                blamed = self._reader.blamed(literal, state)
                place, truths = self._by_end(box, literal, blamed)
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
                raise _Divide(box, blame[place])
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

    def _by_end(self, box: _Box, literal: int, blamed: int) -> tuple[int, dict[int, bool]]:
        """The one group on which the truth of an atom depends, and its truth by value of that. Raises _Divide."""
        unknown = box.unknown
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
        raise _Divide(box, blamed)


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


def _from(group: Group, start: int, graph: StateGraph) -> tuple[StateGraph, dict[int, int]]:
    """The states of a group from one of them on, as a graph; with the numbers of the ends."""
    index = {start: graph.new(group.states[start])}
    numbers = [start]
    for node, number in enumerate(numbers):
        first = len(graph.targets)
        for effect, reached in group.edges[number]:
            if reached not in index:
                index[reached] = graph.new(group.states[reached])
                numbers.append(reached)
            graph.steps.append(effect)
            graph.targets.append(index[reached])
            graph.forward = graph.forward and index[reached] > node
        graph.fill(node, Head(final=True) if group.kinds[number] == END else group.heads[number], first)
    return graph, {node: number for node, number in enumerate(numbers) if group.kinds[number] == END}


def _graph_of(group: Group, graph: StateGraph) -> tuple[StateGraph, list[int], dict[int, tuple[int, int]]]:
    """The states of a group told apart by the numbers of picks made, as a graph that ends where the group does; with
    the number of the state of each node, and the picks besides for each of its ends."""
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
    return graph, [number for number, _ in nodes], ends


def _part(group: Group, view: View, numbers: list[int], ends: Mapping[int, tuple[int, int]]) -> Part:
    orders = {node: int(number) for node, number in Tally(view).orders.items()}
    return Part(group, view, numbers, {node: ends[node] for node in view.ends()}, orders)


def _summary(view: View, values: Mapping[int, int], players: Sequence[str]) -> dict[int, tuple[int, object, object]]:
    """What comes of the start of a view, by what its ends are worth: how many orders, who decides, who can force it."""
    if view.looping or view.open is not None:
        raise NotFactored
    places: dict[int, int] = {}
    orders: dict[int, int] = {}
    masks = {}
    for node, number in Tally(view).orders.items():
        value = values[node]
        orders[value] = orders.get(value, 0) + int(number)
        masks[node] = 1 << places.setdefault(value, len(places))
    decided = count.decided(view, masks, len(places), players)
    forcing = {place: frozenset(p for p in players if decided.forcers[p] >> place & 1) for place in places.values()}
    return {value: (orders[value], decided.deciders[place], forcing[place]) for value, place in places.items()}


def _put_together(before: Product, boxes: Sequence[_Box]) -> Product:
    """Boxes that are over as one product: each end leads to the same in all of them. Raises NotFactored."""
    whole = prod(len(part.ended().values) for part in before.parts)
    if sum(prod(len(cell.values) for cell in box.cells) for box in boxes) != whole:
        # Some ends do not lead to the question that these boxes answer so.
        raise NotFactored
    ends = [(box.state, list(enumerate(box.cells))) for box in boxes]
    masks = _owned(_masks([[cell.mask for cell in box.cells] for box in boxes]), ends)
    rest, finals = _agreed(masks, ends)
    parts = [
        replace(part, mask=mask, finals=values) for part, mask, values in zip(before.parts, masks, finals, strict=True)
    ]
    return replace(before, assignment=boxes[0].answers, parts=parts, rest=rest)


def _masks(rows: Iterable[Sequence[int]]) -> list[int]:
    """What each part owns in some row. Raises NotFactored where two own the same."""
    masks = [reduce(or_, column) for column in zip(*rows, strict=True)]
    taken = 0
    for mask in masks:
        if mask & taken:
            raise NotFactored
        taken |= mask
    return masks


_Over = Sequence[tuple[int, Sequence[tuple[int, _Cell]]]]
"""States of boxes that are over, each with the cells of some parts and the places of these."""


def _owned(masks: Sequence[int], rows: _Over) -> list[int]:
    """The masks, with what differs between boxes although no part owns it given to a part whose ends account for it:
    in a box with one end of a part nothing depends on that."""
    owned = list(masks)
    taken = reduce(or_, masks)
    varying = reduce(or_, (state ^ rows[0][0] for state, _ in rows), 0) & ~taken
    while varying:
        bit = varying & -varying
        varying ^= bit
        for place in range(len(owned)):
            truths: dict[int, set[int]] = {}
            for state, cells in rows:
                for end in (end for other, cell in cells if other == place for end in cell.values):
                    truths.setdefault(end, set()).add(state & bit)
            if all(len(each) == 1 for each in truths.values()):
                owned[place] |= bit
                break
    return owned


def _agreed(masks: Sequence[int], rows: _Over) -> tuple[int, list[dict[int, int]]]:
    """The fluents that no part owns, and for each part how its own are after each of its ends; the same in all rows.
    Raises NotFactored."""
    taken = reduce(or_, masks)
    rests = set()
    finals: list[dict[int, int]] = [{} for _ in masks]
    for state, cells in rows:
        rests.add(state & ~taken)
        for place, cell in cells:
            fixed = state & masks[place] & ~cell.mask
            for end, value in cell.values.items():
                if finals[place].setdefault(end, value | fixed) != value | fixed:
                    raise NotFactored
    if len(rests) > 1:
        raise NotFactored
    return rests.pop(), finals
