"""An answer by factors: what each end of each independent group changes, instead of all combinations as outcomes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import product as combinations
from math import comb, prod
from operator import or_
from typing import TYPE_CHECKING, Any, NoReturn, overload

from lastrites import count, stop
from lastrites.count import Assignment as Answers
from lastrites.factoring import Part, Product
from lastrites.labels import shortest
from lastrites.local import LocalRules
from lastrites.readable import Entries, entries, subject
from lastrites.results import Outcome, Step
from lastrites.solver import Decision
from lastrites.stategraph import CHANCE, PLAYER, READING, RealStates, StateGraph
from lastrites.teller import Paths, Teller

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.editions import Reading

MOST_COMBINATIONS = 4_096
"""Beyond this many combinations of answers nothing is told by factors."""


MOST_EXPLAINED = 2_000
"""Beyond this many states that listed orders go through their steps carry no clauses."""


class Unreadable(Exception):
    """Outcomes are not told apart group by group."""


class OutcomesUntold(Exception):
    """The outcomes are told as factors: there is no list of them."""

    def __init__(self) -> None:
        super().__init__("the outcomes are told as factors and not listed; without a limit of outcomes they are")


class Untold(Sequence[Outcome]):
    """Stands where outcomes would be listed. Whoever looks at them gets :class:`OutcomesUntold`."""

    def __len__(self) -> NoReturn:
        raise OutcomesUntold

    @overload
    def __getitem__(self, place: int) -> NoReturn: ...

    @overload
    def __getitem__(self, place: slice) -> NoReturn: ...

    def __getitem__(self, place: int | slice) -> NoReturn:
        raise OutcomesUntold

    def __iter__(self) -> NoReturn:
        raise OutcomesUntold

    def __repr__(self) -> str:
        return "<told as factors>"


@dataclass(frozen=True)
class FactorEnd:
    """One way in which a group can end, up to what is told of the board.

    ``orders`` gives by number of picks how many orders of the group end so; ``changes`` what is different from the
    start in the end, besides what is different anyhow; ``state`` is the outcome in which every other group takes its
    first end. ``deciders``, ``can_force`` and ``chance`` are about this end of the group, as for outcomes. ``witness``
    are the steps of the group in one of the orders.
    """

    id: str
    orders: Mapping[int, int]
    deciders: tuple[str, ...]
    can_force: tuple[str, ...]
    chance: bool
    changes: tuple[str, ...]
    state: Mapping[str, Any]
    _decisions: tuple[Decision, ...] = field(repr=False, compare=False)
    _own: tuple[int, int] = field(repr=False, compare=False)
    _values: frozenset[int] = field(repr=False, compare=False)
    _tell: _Tell = field(repr=False, compare=False)

    @property
    def witness(self) -> list[Step]:
        """The steps of the group in one order that leads here."""
        return self._tell.part(self._decisions)

    def to_json(self, witnesses: bool) -> dict[str, Any]:
        return {
            "id": self.id,
            "orders": [{"picks": picks, "orders": str(number)} for picks, number in sorted(self.orders.items())],
            "deciders": list(self.deciders),
            "can_force": list(self.can_force),
            "chance": self.chance,
            "changes": list(self.changes),
            "state": dict(self.state),
            **({"witness": [step.to_json() for step in self.witness]} if witnesses else {}),
        }


@dataclass(frozen=True)
class Factor:
    """A group: what its picks are, in words, and its ends."""

    picks: tuple[str, ...]
    ends: tuple[FactorEnd, ...]


@dataclass(frozen=True)
class Factors:
    """What comes of a board under some answers: an outcome for each choice of one end of each group.

    ``changes`` is what is different from the start in all of them. An outcome has as many orders as there are ways to
    put the picks of its ends together, each group's in their order, times the orders of each end with so many picks.
    ``shuffles`` is that number of ways where it is the same for all outcomes, otherwise None.
    """

    when: Answers
    orders: int
    outcome_count: int
    shuffles: int | None
    changes: tuple[str, ...]
    groups: tuple[Factor, ...]
    _first: int = field(repr=False, compare=False)
    _tell: _Tell = field(repr=False, compare=False)

    @property
    def witness(self) -> list[Step]:
        """One whole order, to the outcome in which each group has its first end."""
        return self.outcome([group.ends[0] for group in self.groups]).witness

    def named(self, name: str) -> list[FactorEnd] | None:
        """The ends whose ids make up the id of an outcome; None if they are not one of each group."""
        ids = name.split()
        if len(ids) != len(self.groups):
            return None
        found = [end for id, group in zip(ids, self.groups, strict=True) for end in group.ends if end.id == id]
        return found if len(found) == len(ids) else None

    def find(self, state: Mapping[str, Any]) -> list[FactorEnd] | None:
        """The ends of the outcome that is told so; None if there is none."""
        tell = self._tell
        wanted = tell.entries(state)
        found = []
        for group in self.groups:
            told = [tell.entries(end.state) for end in group.ends]
            about = {key for each in told for key in {*each, *told[0]} if each.get(key) != told[0].get(key)}
            same = (
                end for end, each in zip(group.ends, told, strict=True)
                if all(each.get(key) == wanted.get(key) for key in about)
            )  # fmt: skip
            end = next(same, None)
            if end is None:
                return None
            found.append(end)
        return found if self.outcome(found).state == state else None

    def changed(self, ends: Sequence[FactorEnd]) -> list[str]:
        """What is different from the start in the outcome with these ends."""
        return self._tell.changes(self._state(ends))

    def teller(self) -> Teller:
        """What tells of the states of the examples, all of them explained."""
        for end in (end for group in self.groups for end in group.ends):
            assert end.witness is not None
        assert self.witness is not None
        return self._tell.teller

    def walks(self) -> Iterator[tuple[list[Step], str]]:
        """Every order under these answers, one after another: its choices, and the id of the outcome. They carry their
        clauses as long as not too many states have been gone through."""
        for steps, last in self._tell.walks():
            yield steps, " ".join(
                next(end.id for end in group.ends if last & end._own[0] in end._values) for group in self.groups
            )

    def _state(self, ends: Sequence[FactorEnd]) -> int:
        state = self._first
        for end in ends:
            mask, value = end._own
            state = state & ~mask | value
        return state

    def outcome(self, ends: Sequence[FactorEnd]) -> Outcome:
        """The outcome in which each group, in their order, has the end that stands there."""
        if len(ends) != len(self.groups) or any(e not in g.ends for e, g in zip(ends, self.groups, strict=True)):
            raise ValueError("an outcome has one end of each group, in the order of the groups")
        tell = self._tell
        players = tell.teller.board.players
        by = set().union(*(end.deciders for end in ends))
        orders = sum(shuffled([end.orders for end in ends]).values())
        decisions = [decision for end in ends[:-1] for decision in end._decisions]
        told = tell.state(self._state(ends))
        return Outcome(
            id=" ".join(end.id for end in ends),
            state=told,
            orders=orders,
            pile_arrangements=None,
            under=[{"when": dict(self.when), "orders": str(orders)}],
            deciders=in_turn(by, players),
            can_force=tuple(player for player in players if all(player in end.can_force for end in ends)),
            chance=any(end.chance for end in ends),
            explain=lambda: tell.whole(decisions, told),
        )

    def to_json(self, witnesses: bool = True) -> dict[str, Any]:
        """The factors in their JSON form, an item of ``factors``."""
        return {
            "when": dict(self.when),
            "orders": str(self.orders),
            "outcome_count": str(self.outcome_count),
            "shuffles": None if self.shuffles is None else str(self.shuffles),
            "changes": list(self.changes),
            "groups": [
                {"picks": list(group.picks), "ends": [end.to_json(witnesses) for end in group.ends]}
                for group in self.groups
            ],
            **({"witness": [step.to_json() for step in self.witness]} if witnesses else {}),
        }


def shuffled(rows: Sequence[Mapping[int, int]]) -> dict[int, int]:
    """Orders put together of one for each row, each given with its number of picks: how many there are, by picks."""
    found = {0: 1}
    for row in rows:
        longer: dict[int, int] = {}
        for before, ways in found.items():
            for picks, orders in row.items():
                together = before + picks
                longer[together] = longer.get(together, 0) + ways * orders * comb(together, picks)
        found = longer
    return found


def in_turn(names: Collection[str], players: Sequence[str]) -> tuple[str, ...]:
    """The players among these in turn order, and what else there is."""
    return (*(player for player in players if player in names), *sorted(set(names).difference(players)))


class _Tell(RealStates):
    """Puts orders of a factored board into words; the states that they go through are looked up one by one."""

    def __init__(self, board: Board, graph: StateGraph, product: Product) -> None:
        super().__init__(graph.sibling())
        assert isinstance(graph.explainer, LocalRules)
        self._rules = graph.explainer
        self.graph.explainer = self._rules
        self.teller = Teller(board, self.graph)
        self._initial = graph.states[0]
        self._product = product

    def state(self, state: int) -> dict[str, Any]:
        """A state as it is told."""
        return self.teller.writer.state(self.graph.fluents.terms(state | self.graph.constant))

    def entries(self, state: Mapping[str, Any]) -> Entries:
        """What can be read off a state that is told."""
        board = self.teller.board
        return entries(board.rules.shape, state, board.players)

    def changes(self, state: int) -> list[str]:
        """What is different from the start in a state."""
        first, last = (self.graph.fluents.terms(each | self.graph.constant) for each in (self._initial, state))
        return self.teller.writer.changes(first, last)

    def part(self, decisions: Sequence[Decision]) -> list[Step]:
        """A part of an order, from where the groups were told apart."""
        return self.teller.order(self._along(self._product.start, decisions))

    def whole(self, decisions: Sequence[Decision], told: Mapping[str, Any]) -> list[Step]:
        """A whole order: with these steps, those of all groups but one, and on to a state that is told so."""
        walk = self._along(self._initial, [*self._product.lead, *decisions])
        graph = self.graph
        begin = graph.nodes[walk[-1][0]].targets[walk[-1][1]] if walk else self.node(self._initial)
        before: dict[int, tuple[int, int]] = {}
        todo = [begin]
        for node in todo:
            opened = self._open(node)
            here = graph.nodes[node]
            if here.final and self.state(graph.states[node]) == told:
                path = []
                while node != begin:
                    path.append(before[node])
                    node = before[node][0]
                return self.teller.order([*walk, *reversed(path)])
            for number in opened:
                target = here.targets[number]
                if target != begin and target not in before:
                    before[target] = (node, number)
                    todo.append(target)
        raise AssertionError("an outcome of the factors does not come about")

    def walks(self) -> Iterator[tuple[list[Step], int]]:
        """Every order, as the steps that were really choices, with its last state. No state is looked at before it is
        gone through: every order ends, and ends in an outcome."""
        graph, teller = self.graph, self.teller
        choices: list[Step] = []
        work = [(self.node(self._initial), iter(self._open(self.node(self._initial))), False)]
        while work:
            stop.check()
            node, options, chosen = work[-1]
            if graph.nodes[node].final:
                yield list(choices), graph.states[node]
            number = next(options, None)
            if number is None:
                work.pop()
                if chosen:
                    choices.pop()
                continue
            here = graph.nodes[node]
            choice = here.kind in (PLAYER, CHANCE) and len(here.options) > 1
            if choice:
                if len(graph.states) <= MOST_EXPLAINED:
                    teller.explain([node])
                choices.append(teller.step(node, number))
            target = here.targets[number]
            work.append((target, iter(self._open(target)), choice))

    def _open(self, node: int) -> list[int]:
        """The numbers of the options of a node, of the answers to a question the one that is given."""
        self._fill(node)
        here = self.graph.nodes[node]
        answer = self._product.assignment.get(here.who) if here.kind == READING else None
        return [
            number
            for number, option in enumerate(here.options)
            if answer is None or str(option.term.args[-1]) == answer
        ]

    def _along(self, state: int, decisions: Sequence[Decision]) -> list[tuple[int, int]]:
        """From a state along these decisions."""
        found = []
        node = self.node(state)
        for decision in decisions:
            self._fill(node)
            here = self.graph.nodes[node]
            number = next(number for number, option in enumerate(here.options) if option.decision == decision)
            found.append((node, number))
            node = here.targets[number]
        return found

    def _fill(self, node: int) -> None:
        graph, rules = self.graph, self._rules
        if graph.heads[node] is not None:
            return
        state = graph.states[node]
        first = len(graph.targets)
        for option in rules.look(state).options:
            target = self.node(option.after(state) & ~graph.constant)
            graph.steps.append(graph.effect(option))
            graph.targets.append(target)
        graph.fill(node, rules.control(state).head, first)


class _Told:
    """One product as it is told: the ends of each part put together that are told alike. Raises Unreadable."""

    def __init__(self, board: Board, graph: StateGraph, product: Product) -> None:
        self.board, self._graph, self.product = board, graph, product
        self.tell = _Tell(board, graph, product)
        self.fluents = graph.fluents
        self._first = product.rest
        for part in product.parts:
            self._first |= part.finals[min(part.finals)]
        self._apart()
        self.common = self._entries(self._first)
        self.classes = [self._alike(part) for part in product.parts]
        self.tables = []
        for rows in self.classes:
            about = {key for told, _ in rows for key in {*told, *rows[0][0]} if told.get(key) != rows[0][0].get(key)}
            self.tables.append(
                {tuple((key, told.get(key)) for key in sorted(about)): ends for told, ends in rows} if about else {}
            )
            for key in about:
                self.common.pop(key, None)

    def _entries(self, state: int) -> Entries:
        return self.tell.entries(self.tell.state(state))

    def _apart(self) -> None:
        """Raises Unreadable where two parts differ in what they say of one subject.

        What is attached to a card is told within it, with who controls it unless that is who controls the card: it
        rests on the card, too.
        """
        holders = frozenset(self.board.players).union(*self.tell.teller.writer.named_places.values())
        union = self._first | self._graph.constant
        for part in self.product.parts:
            union |= reduce(or_, part.finals.values(), 0)
        within: dict[object, set[object]] = {}
        for term in self.fluents.terms(union):
            if term.name == "host":
                within.setdefault(("card", term.args[0]), set()).add(("card", term.args[1]))
        taken: set[object] = set()
        rested: set[object] = set()
        for part in self.product.parts:
            varying = 0
            for value in part.finals.values():
                varying |= value ^ part.finals[min(part.finals)]
            subjects: set[object] = {subject(term, holders) for term in self.fluents.terms(varying)}
            hosts = set().union(*(within.get(each, ()) for each in subjects))
            if subjects & (taken | rested) or hosts & taken:
                raise Unreadable
            taken |= subjects
            rested |= hosts

    def _with(self, part: Part, value: int) -> int:
        return self._first & ~part.mask | value

    def _alike(self, part: Part) -> list[tuple[Entries, list[int]]]:
        """The ends of a part by what is told of them, with the entries. The order of cards must not tell more."""
        places = self.fluents.mask(lambda term: term.name == "place")
        found: dict[str, tuple[Entries, list[int], int]] = {}
        for end in sorted(part.finals):
            value = part.finals[end]
            told = self._entries(self._with(part, value))
            text = json.dumps(sorted(told.items()))
            known = found.setdefault(text, (told, [], value & places))
            if known[2] != value & places:
                raise Unreadable
            known[1].append(end)
        return [(told, ends) for told, ends, _ in found.values()]

    @property
    def size(self) -> int:
        """The number of outcomes."""
        return prod(map(len, self.classes))

    @cached_property
    def orders(self) -> int:
        """The number of orders."""
        rows = [_by_picks(part, [end for _, ends in rows for end in ends])
                for part, rows in zip(self.product.parts, self.classes, strict=True)]  # fmt: skip
        return sum(shuffled(rows).values())

    def same_outcomes(self, other: _Told) -> bool:
        """Whether both have the same outcomes."""
        return self.size == other.size and self._within(other)

    def _within(self, other: _Told) -> bool:
        """Whether each outcome is one of the other's: so it is in each part of the other."""
        if any(self._values((key,)) != {(text,)} for key, text in other.common.items()):
            return False
        if not self._told_of() <= other._told_of():
            return False
        for table in other.tables:
            if table and not self._values(tuple(key for key, _ in next(iter(table)))) <= {
                tuple(text for _, text in row) for row in table
            }:
                return False
        return True

    def _told_of(self) -> set[tuple[str, ...]]:
        """The keys of all entries that some outcome has."""
        return {*self.common, *(key for table in self.tables for row in table for key, _ in row)}

    def _values(self, keys: Sequence[tuple[str, ...]]) -> set[tuple[str | None, ...]]:
        """How the entries with these keys can be."""
        rows: list[dict[tuple[str, ...], str | None]] = [{key: self.common.get(key) for key in keys}]
        for table in self.tables:
            parts = {tuple((key, text) for key, text in row if key in keys) for row in table}
            if any(parts):
                rows = [{**row, **dict(part)} for row in rows for part in parts]
        return {tuple(row[key] for key in keys) for row in rows}

    def counts(self) -> object:
        """What is equal where the same outcomes have the same numbers of orders."""
        return self.orders, frozenset(
            (frozenset(row), frozenset(_by_picks(part, ends).items()))
            for part, table in zip(self.product.parts, self.tables, strict=True)
            for row, ends in table.items()
        )

    # ---- the whole, in words

    def factors(self, when: Answers) -> Factors:
        """The same as it is given out."""
        whole = self.tell.changes(self._first)
        found: list[list[tuple[list[int], list[str], dict[str, Any]]]] = []
        for part, rows in zip(self.product.parts, self.classes, strict=True):
            states = [self._with(part, part.finals[ends[0]]) for _, ends in rows]
            lines = [self.tell.changes(state) for state in states]
            anyhow = set(lines[0]).intersection(*lines)
            whole = [line for line in whole if line in anyhow]
            found.append([
                (ends, [line for line in these if line not in anyhow], self.tell.state(state))
                for (_, ends), these, state in zip(rows, lines, states, strict=True)
            ])  # fmt: skip
        groups = []
        fixed: list[int] | None = []
        for number, (part, told) in enumerate(zip(self.product.parts, found, strict=True), 1):
            stop.check()
            ends = self._ends(part, told, str(number))
            groups.append(Factor(self._picks(part), ends))
            lengths = {picks for end in ends for picks in end.orders}
            fixed = None if fixed is None or len(lengths) > 1 else [*fixed, *lengths]
        ways = None if fixed is None else sum(shuffled([{picks: 1} for picks in fixed]).values())
        return Factors(when, self.orders, self.size, ways, tuple(whole), tuple(groups), self._first, self.tell)

    def _ends(
        self, part: Part, rows: Sequence[tuple[list[int], list[str], dict[str, Any]]], name: str
    ) -> tuple[FactorEnd, ...]:
        from lastrites.answer import letters

        players = self.board.players
        place = {end: number for number, (ends, _, _) in enumerate(rows) for end in ends}
        masks = {node: 1 << place[end] for node, (_, end) in part.ends.items()}
        decided = count.decided(part.view, masks, len(rows), players)
        paths = Paths(part.view)
        nodes = part.view.graph.nodes
        found = []
        for number, (ends, lines, state) in enumerate(rows):
            walk = paths.to(node for node, (_, end) in part.ends.items() if end in ends)
            by = decided.deciders[number]
            found.append(
                FactorEnd(
                    name + letters(number),
                    _by_picks(part, ends),
                    in_turn(by, players),
                    tuple(player for player in players if decided.forcers[player] >> number & 1),
                    CHANCE in by,
                    tuple(lines),
                    state,
                    tuple(nodes[node].options[taken].decision for node, taken in walk),
                    (part.mask, part.finals[ends[0]]),
                    frozenset(part.finals[end] for end in ends),
                    self.tell,
                )
            )
        return tuple(found)

    def _picks(self, part: Part) -> tuple[str, ...]:
        terms = {option.decision: option.term for option in part.view.graph.effects}
        return tuple(self.tell.teller.speaker.render(terms[decision]) for decision in sorted(part.group.picks))


def _by_picks(part: Part, ends: Sequence[int]) -> dict[int, int]:
    """The orders of a part that lead to some of its ends, by their number of picks."""
    found: dict[int, int] = {}
    for node, (picks, end) in part.ends.items():
        if end in ends and part.orders[node]:
            found[picks] = found.get(picks, 0) + part.orders[node]
    return found


@dataclass
class FactoredAnswer:
    """What is told of a board by factors: ``factors`` for each combination of the answers that matter."""

    factors: tuple[Factors, ...]
    questions: dict[str, list[str]]
    counting: dict[str, list[str]]
    warnings: list[str]

    @property
    def orders(self) -> int | None:
        """The number of orders, where it is the same under all answers."""
        return _only([each.orders for each in self.factors])

    @property
    def outcome_count(self) -> int | None:
        """The number of outcomes, where they are the same under all answers."""
        return None if self.questions else _only([each.outcome_count for each in self.factors])


def _only(numbers: Sequence[int]) -> int | None:
    return numbers[0] if len(set(numbers)) == 1 else None


def factored_answer(board: Board, reading: Reading, graph: StateGraph) -> FactoredAnswer:
    """Put what was found out about a board into the form of an answer. Raises Unreadable."""
    assert graph.factored is not None
    told = [_Told(board, graph, product) for product in graph.factored]
    asked = {
        question: used
        for question, answers in reading.questions.items()
        if (used := [a for a in answers if any(each.product.assignment.get(question) == a for each in told)])
    }
    if prod(map(len, asked.values())) > MOST_COMBINATIONS:
        raise Unreadable
    outcomes: list[_Told] = []
    marks: dict[int, tuple[int, object]] = {}
    for place, each in enumerate(told):
        known = next((n for n, other in enumerate(outcomes) if each.same_outcomes(other)), len(outcomes))
        if known == len(outcomes):
            outcomes.append(each)
        marks[place] = known, each.counts()
    rows = list(_full(asked, told))
    matter, counting = _that_matter(asked, rows, marks)
    wanted = [question for question in asked if question in matter or question in counting]
    by_when: dict[str, tuple[Answers, set[int]]] = {}
    first: dict[tuple[int, object], int] = {}
    for full, place in rows:
        when = {question: full[question] for question in wanted}
        by_when.setdefault(json.dumps(when), (when, set()))[1].add(first.setdefault(marks[place], place))
    labels = shortest(list(by_when.values()), [when for when, _ in by_when.values()])
    factors = tuple(told[min(places)].factors(when) for when, places in labels)
    return FactoredAnswer(
        factors,
        {question: asked[question] for question in asked if question in matter},
        {question: asked[question] for question in asked if question in counting},
        list(graph.warnings),
    )


def _full(asked: Mapping[str, Sequence[str]], told: Sequence[_Told]) -> Iterator[tuple[Answers, int]]:
    """Each combination of answers to all questions that come up, with the place of the product that it gives."""
    for chosen in combinations(*asked.values()):
        full = dict(zip(asked, chosen, strict=True))
        for place, each in enumerate(told):
            if all(full[q] == a for q, a in each.product.assignment.items()):
                yield full, place
                break


def _that_matter(
    asked: Mapping[str, Sequence[str]], rows: Sequence[tuple[Answers, int]], marks: Mapping[int, tuple[int, object]]
) -> tuple[set[str], set[str]]:
    """Questions of which two answers give different outcomes, and those that change numbers of orders only."""
    matter, counting = set(), set()
    for question in asked:
        groups: dict[str, list[int]] = {}
        for full, place in rows:
            rest = json.dumps({q: a for q, a in full.items() if q != question}, sort_keys=True)
            groups.setdefault(rest, []).append(place)
        for places in groups.values():
            if len({marks[place][0] for place in places}) > 1:
                matter.add(question)
            elif len({marks[place] for place in places}) > 1:
                counting.add(question)
    return matter, counting - matter


__all__ = [
    "Factor", "FactorEnd", "FactoredAnswer", "Factors", "OutcomesUntold", "Unreadable", "Untold", "factored_answer",
]  # fmt: skip
