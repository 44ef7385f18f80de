"""The main job: a board goes in, every legal outcome comes out, for each reading that the texts leave open."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Any

from lastrites import count, piles
from lastrites.count import Assignment as Answers
from lastrites.count import Count, Tally, View
from lastrites.errors import BoardError, Problem
from lastrites.explore import CHANCE, PLAYER, READING, IllegalChoice, StateGraph, Unsupported, explore
from lastrites.explore import Limits as WalkLimits
from lastrites.editions import Reading, choose_reading
from lastrites.solver import LayerRules, Rulebook
from lastrites.terms import Term, Value, fn

if TYPE_CHECKING:
    import networkx

    from lastrites.board import Board
    from lastrites.words import Speaker

MOST_COMBINATIONS = 4096
"""Beyond this many combinations of answers no labels are worked out; the readings are then listed one by one."""

MOST_ARRANGEMENTS = 10_000
"""Beyond this many arrangements of piles ``pile_order`` gives up and says so."""


@dataclass(frozen=True)
class Limits:
    """How far to go: number of states, seconds, and a function that is told now and then how far the work is."""

    states: int | None = None
    seconds: float | None = None
    progress: Callable[[str], None] | None = None


@dataclass(frozen=True)
class Step:
    """One step of an order.

    ``by`` is who decided: a player's name, ``chance``, ``reading``, or None for an automatic step. ``decision`` and
    ``changes`` are in words, ``clauses`` the names of the clauses that the step rests on, ``barred`` what would have
    been possible but for a clause.
    """

    by: str | None
    decision: str
    clauses: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()


@dataclass(frozen=True)
class Order:
    """One legal order: the answers under which it is legal, its steps, and the id of the outcome."""

    when: Mapping[str, str]
    steps: tuple[Step, ...]
    outcome: str


@dataclass(frozen=True)
class Assignment:
    """One combination of answers to the questions that come up: its number of orders, in all and by outcome."""

    when: Mapping[str, str]
    orders: int | str
    outcomes: Mapping[str, int | str]


@dataclass
class Outcome:
    """A final state, and how it comes about.

    ``orders`` is the number of legal orders that end in it, or None where it depends on a reading; ``under`` lists
    the combinations of answers that matter in which it occurs. ``pile_arrangements`` is the number of distinct final
    piles, or None where it is not known or depends on a reading.
    """

    id: str
    state: dict[str, Any]
    orders: int | str | None
    pile_arrangements: int | None
    under: list[dict[str, Any]]
    deciders: tuple[str, ...]
    can_force: tuple[str, ...]
    chance: bool
    witness: list[Step] = field(default_factory=list)


def shown(number: Count) -> int | str:
    """A count as it is told: an exact integer, or ``infinite``."""
    return "infinite" if number == inf else int(number)


def _told(number: int | str | None) -> str | None:
    return None if number is None else str(number)


@dataclass
class Resolution:
    """Everything that can legally come out of a board."""

    board: Board
    reading: Reading
    graph: StateGraph
    complete: bool
    incomplete_reason: str
    questions: dict[str, list[str]]
    counting: dict[str, list[str]]
    assignments: tuple[Assignment, ...]
    labels: list[dict[str, Any]]
    outcomes: tuple[Outcome, ...]
    order_count: int | str | None
    refused: list[dict[str, Any]]
    stuck: list[dict[str, Any]]
    loops: list[dict[str, Any]]
    unexplained: list[dict[str, Any]]
    warnings: list[str]
    _views: list[View] = field(repr=False, default_factory=list)
    _ids: dict[int, str] = field(repr=False, default_factory=dict)
    _teller: _Teller | None = field(repr=False, default=None)

    def __repr__(self) -> str:
        from lastrites.terminal import headline

        return f"<Resolution of {self.board.title or self.board.path!r}: {headline(self.to_json())}>"

    def _repr_html_(self) -> str:
        from lastrites.notebook import resolution_html

        return resolution_html(self)

    @property
    def state_count(self) -> int:
        """The number of states that were explored."""
        return sum(node.explored for node in self.graph.nodes)

    def orders(self, outcome_id: str | None = None, limit: int | None = None) -> Iterator[Order]:
        """The legal orders, one after another: those of every reading, or only those that end in an outcome.

        Steps of an order are the choices that were really open, with the results of chance.
        """
        teller = self._teller
        assert teller is not None
        told = 0
        for view in self._views:
            ends = {node for node in view.ends() if outcome_id in (None, self._ids.get(node))}
            for walk in count.walks(view, ends):
                if limit is not None and told >= limit:
                    return
                told += 1
                last = walk[-1]
                end = self.graph.nodes[last[0]].targets[last[1]]
                steps = tuple(
                    teller.step(node, number)
                    for node, number in walk
                    if self.graph.nodes[node].kind in (PLAYER, CHANCE) and len(self.graph.nodes[node].options) > 1
                )
                yield Order(view.assignment, steps, self._ids.get(end, ""))

    def states(self) -> networkx.MultiDiGraph:
        """The state graph, built on demand: nodes are numbers with ``fluents`` and ``final``, edges decisions."""
        import networkx

        graph: networkx.MultiDiGraph = networkx.MultiDiGraph()
        for number, node in enumerate(self.graph.nodes):
            graph.add_node(
                number,
                fluents=sorted(map(str, self.graph.fluents.terms(node.state))),
                final=node.final,
                chooser=node.kind if not node.who else f"{node.kind}({node.who})",
            )
        for number, node in enumerate(self.graph.nodes):
            for option, target in zip(node.options, node.targets, strict=False):
                graph.add_edge(number, target, decision=str(option.decision))
        return graph

    def to_json(self) -> dict[str, Any]:
        """The answer in the JSON form of the contract (``lastrites.outcomes/1``)."""
        return {
            "schema": "lastrites.outcomes/1",
            "board": self.board.title or self.board.path,
            "game": self.board.game,
            "edition": self.reading.edition,
            "readings": dict(self.reading.explicit),
            "complete": self.complete,
            **({} if self.complete else {"incomplete_reason": self.incomplete_reason}),
            "states": self.state_count,
            "orders": _told(self.order_count),
            "readings_explored": self.labels,
            "refused": self.refused,
            "questions": self.questions,
            "counting": self.counting,
            "outcomes": [
                {
                    "id": outcome.id,
                    "orders": _told(outcome.orders),
                    "pile_arrangements": _told(outcome.pile_arrangements),
                    "under": outcome.under,
                    "deciders": list(outcome.deciders),
                    "can_force": list(outcome.can_force),
                    "chance": outcome.chance,
                    "state": outcome.state,
                    "witness": [
                        {
                            "by": step.by,
                            "decision": step.decision,
                            "clauses": list(step.clauses),
                            "changes": list(step.changes),
                        }
                        for step in outcome.witness
                    ],
                }
                for outcome in self.outcomes
            ],
            "stuck": self.stuck,
            "loops": self.loops,
            "unexplained": self.unexplained,
            "warnings": self.warnings,
        }


def rulebook(board: Board, reading: Reading, *, without: Iterable[str] = (), against: Iterable[str] = (),
             pile_order: bool = False) -> Rulebook:  # fmt: skip
    """What a board is put to: the game's rules, its cards, its facts, the readings in use."""
    facts = [*board.facts, *reading.facts()]
    facts += [fn("without", clause) for clause in without]
    facts += [fn("against", clause) for clause in against]
    if pile_order:
        facts.append(fn("tracked", fn("piles")))
    largest = max((term.args[1] for term in board.initial() if term.name == "num"), default=0)
    assert isinstance(largest, int)
    bounds = (("max_value", largest + 12),)
    game = board.rules
    library = game.card_blocks(board.library_ids())
    names = frozenset(_NAME.findall(library)).union(*(_names(fact) for fact in facts))
    return Rulebook(game.files_for(names), library, tuple(facts), game.modes(), bounds)


_NAME = re.compile(r"[a-z_]\w*")


def _names(value: Value) -> set[str]:
    """Names of all functions and constants in a term."""
    if not isinstance(value, Term):
        return set()
    return {value.name}.union(*(_names(argument) for argument in value.args))


def resolve(
    board: Board,
    *,
    readings: Mapping[str, str] | None = None,
    edition: str | None = None,
    without: Iterable[str] = (),
    against: Iterable[str] = (),
    pile_order: bool = False,
    limits: Limits | None = None,
    mode: str = "graph",
) -> Resolution:
    """Explore a board and tell every outcome, the exact number of orders, who decides, under which reading.

    ``readings`` and ``edition`` come before those of the board. ``without`` switches clauses off, ``against``
    switches the opposite of consequences on. ``pile_order`` keeps outcomes apart that differ in the order of piles
    only. ``mode`` is ``graph`` (ground once) or ``layers`` (ground anew for each layer of states).
    Raises BoardError for what the user can mend, RulesError when the rules are at fault.
    """
    limits = limits or Limits()
    reading = choose_reading(board, readings or {}, edition, tuple(without), tuple(against))
    book = rulebook(board, reading, without=without, against=against, pile_order=pile_order)

    def progress(done: int, waiting: int) -> None:
        if limits.progress is not None:
            limits.progress(f"{done:,} states explored, {waiting:,} waiting")

    try:
        graph = explore(book, mode=mode, limits=WalkLimits(limits.states, limits.seconds), progress=progress)
    except Unsupported as error:
        raise BoardError(
            [Problem("LR-E027", board.path, 0, 0, f"these rules do not support {what} yet") for what in error.what]
        ) from None
    except IllegalChoice as error:
        message = f"the event chooses {error.choice}, which is no legal choice there"
        raise BoardError([Problem("LR-E034", board.path, 0, 0, message)]) from None
    return _Answer(board, reading, graph, pile_order).resolution()


class _Teller:
    """Puts steps of the graph into words."""

    def __init__(self, board: Board, graph: StateGraph) -> None:
        from lastrites.state import StateWriter

        self.board = board
        self.graph = graph
        self.writer = StateWriter(board)
        self._speaker: Speaker | None = None
        self._cites: dict[int, dict[Term, list[str]]] = {}
        self._barred: dict[int, list[str]] = {}

    @property
    def speaker(self) -> Speaker:
        if self._speaker is None:
            facts = [*self.board.rules.card_facts(self.board.library_ids()), *self.board.facts]
            self._speaker = self.board.rules.words.speaker(facts)
        return self._speaker

    def explain(self, nodes: Sequence[int]) -> None:
        """Ask the rules for the clauses behind the steps of these states, all at once."""
        missing = [node for node in dict.fromkeys(nodes) if node not in self._cites]
        if not missing:
            return
        rules = LayerRules(self.graph.rulebook, self.graph.fluents, explain=True)
        for node, situation in zip(missing, rules.look_all([self.graph.nodes[n].state for n in missing]), strict=True):
            self._cites[node] = situation.cites
            self._barred[node] = [f"{self.speaker.render(what)} ({clause})" for what, clause in situation.barred]

    def step(self, node: int, number: int) -> Step:
        """The decision ``number`` taken in a node, in words; clauses only if the node has been explained."""
        here = self.graph.nodes[node]
        option = here.options[number]
        decision = option.term
        before = self.graph.fluents.terms(here.state)
        after = self.graph.fluents.terms(self.graph.nodes[here.targets[number]].state)
        by = {PLAYER: here.who, CHANCE: CHANCE, READING: READING}.get(here.kind)
        if here.kind == PLAYER and len(here.options) == 1:
            by = None
        return Step(
            by,
            self.speaker.render(decision),
            tuple(self._cites.get(node, {}).get(decision, ())),
            tuple(self.writer.changes(before, after)),
            tuple(self._barred.get(node, ())),
        )

    def order(self, walk: Sequence[tuple[int, int]]) -> list[Step]:
        """All steps of an order, explained."""
        self.explain([node for node, _ in walk])
        return [self.step(node, number) for node, number in walk]


Key = tuple[str, str]
"""An outcome: its state as canonical text, and the arrangement of its piles (empty if that is not looked at)."""


@dataclass
class _ByView:
    """What one combination of answers gives: orders, piles, deciders and players who can force it, by outcome."""

    view: View
    orders: dict[Key, Count] = field(default_factory=dict)
    histories: dict[Key, dict[piles.History, int]] = field(default_factory=dict)
    deciders: dict[Key, set[str]] = field(default_factory=dict)
    forcers: dict[Key, set[str]] = field(default_factory=dict)
    ends: dict[Key, list[int]] = field(default_factory=dict)

    @property
    def total(self) -> Count:
        return sum(Tally(self.view).orders.values()) if not self.view.looping else inf


class _Answer:
    """Works out an answer from a state graph."""

    def __init__(self, board: Board, reading: Reading, graph: StateGraph, pile_order: bool) -> None:
        self.board = board
        self.reading = reading
        self.graph = graph
        self.pile_order = pile_order
        self.teller = _Teller(board, graph)
        self.warnings = list(board.warnings)
        self.states: dict[Key, dict[str, Any]] = {}
        self.keys: dict[int, Key] = {}
        self.zones = {zone: text for zone, (text, order) in board.rules.shape.zones().items() if order == "pile"}
        self.views = count.assignments(graph)
        self.pile_histories = piles.PileHistories(graph, frozenset(self.zones), _listed(board))
        self.found = [self._by_view(view) for view in self.views]

    # ---- outcomes of one view

    def _key(self, end: int) -> Key:
        key = self.keys.get(end)
        if key is None:
            state = self.teller.writer.state(self.graph.fluents.terms(self.graph.nodes[end].state))
            key = self.keys[end] = (json.dumps(state, sort_keys=True, ensure_ascii=False), "")
            self.states.setdefault(key, state)
        return key

    def _by_view(self, view: View) -> _ByView:
        result = _ByView(view)
        tally = Tally(view)
        try:
            histories = self.pile_histories.of(view)
        except piles.TooMany:
            histories = {}
        groups: dict[int, int] = {}
        numbers: dict[Key, int] = {}
        for end, orders in tally.orders.items():
            for key, number, history in self._split(end, orders, histories.get(end)):
                result.orders[key] = result.orders.get(key, 0) + number
                result.ends.setdefault(key, []).append(end)
                if history:
                    merged = piles.merge([result.histories.get(key, {}), history])
                    result.histories[key] = merged
                groups[end] = groups.get(end, 0) | 1 << numbers.setdefault(key, len(numbers))
        reach = count.reachable_groups(view, groups)
        decided = count.deciders(view, reach, len(numbers))
        force = {player: count.forceable(view, groups, player) for player in self.board.players}
        for key, number in numbers.items():
            result.deciders[key] = decided[number]
            result.forcers[key] = {player for player, mask in force.items() if mask >> number & 1}
        return result

    def _split(
        self, end: int, orders: Count, history: dict[piles.History, int] | None
    ) -> Iterator[tuple[Key, Count, dict[piles.History, int]]]:
        """The outcomes that an end stands for: one, or with ``pile_order`` one for each arrangement of the piles."""
        key = self._key(end)
        if not self.pile_order:
            yield key, orders, history or {}
            return
        if history is None or sum(piles.arrangements([one]) for one in history) > MOST_ARRANGEMENTS:
            warning = "too many arrangements of piles: they are not kept apart"
            if warning not in self.warnings:
                self.warnings.append(warning)
            yield key, orders, history or {}
            return
        found: dict[Key, tuple[Count, dict[piles.History, int]]] = {}
        for one, number in history.items():
            for arrangement in piles.spread(one):
                state = self._arranged(self.states[key], arrangement)
                split = (key[0], json.dumps(state, sort_keys=True, ensure_ascii=False))
                self.states.setdefault(split, state)
                fixed = tuple((pile, tuple((card,) for card in reversed(cards))) for pile, cards in arrangement.items())
                before, known = found.get(split, (0, {}))
                found[split] = (before + number, {**known, fixed: known.get(fixed, 0) + number})
        for split, (number, known) in found.items():
            yield split, number, known

    def _arranged(self, state: dict[str, Any], arrangement: Mapping[piles.Pile, Sequence[str]]) -> dict[str, Any]:
        """The state with the cards of its piles in this order."""
        arranged = {name: dict(part) for name, part in state.items()}
        for (player, zone), cards in arrangement.items():
            lying = {item if isinstance(item, str) else next(iter(item)): item for item in state[player][self.zones[zone]]}
            arranged[player][self.zones[zone]] = [lying[card] for card in cards]
        return arranged

    # ---- all views together

    def resolution(self) -> Resolution:
        keys = self._keys_in_order()
        ids = {key: _letters(number) for number, key in enumerate(keys)}
        matter, counting = self._questions_that_matter()
        asked = self._asked()
        questions = {q: asked[q] for q in asked if q in matter}
        counted = {q: asked[q] for q in asked if q in counting}
        labels = self._labels([*questions, *counted], lambda found: found.total)
        outcomes = tuple(self._outcome(key, ids[key], list(questions), list(counted)) for key in keys)
        totals = {found.total for found in self.found}
        shown_keys = {end: ids[key] for end, key in self.keys.items() if key in ids}
        return Resolution(
            board=self.board,
            reading=self.reading,
            graph=self.graph,
            complete=self.graph.complete,
            incomplete_reason=self.graph.reason,
            questions=questions,
            counting=counted,
            assignments=tuple(
                Assignment(
                    found.view.assignment,
                    shown(found.total),
                    {ids[key]: shown(number) for key, number in found.orders.items()},
                )
                for found in self.found
            ),
            labels=labels,
            outcomes=outcomes,
            order_count=shown(totals.pop()) if len(totals) == 1 else None,
            refused=self._refused(),
            stuck=self._odd("stuck"),
            loops=self._loops(),
            unexplained=self._odd("unexplained"),
            warnings=self.warnings,
            _views=self.views,
            _ids=shown_keys,
            _teller=self.teller,
        )

    def _keys_in_order(self) -> list[Key]:
        """Outcomes by the number of combinations they occur in, then by the number of orders, then by their state."""
        weight: dict[Key, tuple[int, Count]] = {}
        for found in self.found:
            for key, number in found.orders.items():
                seen, orders = weight.get(key, (0, 0))
                weight[key] = (seen + 1, max(orders, number))
        return sorted(weight, key=lambda key: (-weight[key][0], -weight[key][1], key))

    def _asked(self) -> dict[str, list[str]]:
        """Questions that came up, in the order of the game, with the answers that are open."""
        found: dict[str, list[str]] = {}
        for question, answers in self.reading.questions.items():
            used = {found.view.assignment[question] for found in self.found if question in found.view.assignment}
            if used:
                found[question] = [answer for answer in answers if answer in used]
        return found

    def _combinations(self) -> list[tuple[Answers, _ByView]]:
        """Each full combination of answers to the questions that came up, with the view it belongs to."""
        asked = self._asked()
        size = 1
        for answers in asked.values():
            size *= len(answers)
        if size > MOST_COMBINATIONS:
            return [(dict(found.view.assignment), found) for found in self.found]
        combined = []
        for chosen in product(*asked.values()):
            full = dict(zip(asked, chosen, strict=True))
            for found in self.found:
                if all(full[q] == a for q, a in found.view.assignment.items()):
                    combined.append((full, found))
                    break
        return combined

    def _questions_that_matter(self) -> tuple[set[str], set[str]]:
        """Questions of which two answers give different outcomes, and those that change the counts only."""
        matter: set[str] = set()
        counting: set[str] = set()
        combined = self._combinations()
        for question in self._asked():
            groups: dict[str, list[_ByView]] = {}
            for full, found in combined:
                rest = json.dumps({q: a for q, a in full.items() if q != question}, sort_keys=True)
                groups.setdefault(rest, []).append(found)
            for group in groups.values():
                if len({frozenset(found.orders) for found in group}) > 1:
                    matter.add(question)
                elif len({frozenset(found.orders.items()) for found in group}) > 1:
                    counting.add(question)
        return matter, counting - matter

    def _labels(self, questions: Sequence[str], number: Callable[[_ByView], Count | None]) -> list[dict[str, Any]]:
        """The combinations of answers to these questions, as few and as short as they can be, with a number each.

        ``number`` gives None for combinations that are to be left out.
        """
        rows: list[tuple[tuple[tuple[str, str], ...], set[Count | None]]] = []
        index: dict[tuple[tuple[str, str], ...], set[Count | None]] = {}
        for full, found in self._combinations():
            key = tuple((q, full[q]) for q in questions if q in full)
            if key not in index:
                index[key] = set()
                rows.append((key, index[key]))
            index[key].add(number(found))
        kept = [(dict(key), values) for key, values in rows if values != {None}]
        return [
            {"when": when, "orders": _told(shown(values.pop())) if len(values) == 1 and None not in values else None}
            for when, values in _shortest(kept, [dict(key) for key, _ in rows])
        ]

    def _outcome(self, key: Key, name: str, questions: Sequence[str], counted: Sequence[str]) -> Outcome:
        holding = [found for found in self.found if key in found.orders]
        numbers = {found.orders.get(key, 0) for found in self.found}
        under = self._labels(list(questions), lambda found: found.orders.get(key))
        deciders = sorted(set().union(*(found.deciders[key] for found in holding)))
        forcers = set(self.board.players).intersection(*(found.forcers[key] for found in holding))
        return Outcome(
            id=name,
            state=self.states[key],
            orders=shown(numbers.pop()) if len(numbers) == 1 else None,
            pile_arrangements=self._arrangements(key, holding),
            under=under,
            deciders=tuple(self._people(deciders)),
            can_force=tuple(player for player in self.board.players if player in forcers),
            chance=CHANCE in deciders,
            witness=self._witness(key, holding[0]),
        )

    def _people(self, names: Iterable[str]) -> list[str]:
        order = {player: number for number, player in enumerate(self.board.players)}
        return sorted(names, key=lambda name: (order.get(name, len(order)), name))

    def _arrangements(self, key: Key, holding: Sequence[_ByView]) -> int | None:
        counts = {
            piles.arrangements(found.histories[key]) if key in found.histories else None for found in holding
        }  # fmt: skip
        return counts.pop() if len(counts) == 1 else None

    def _witness(self, key: Key, found: _ByView) -> list[Step]:
        """A shortest order that leads to the outcome."""
        return self.teller.order(_shortest_walk(found.view, set(found.ends[key])))

    def _to(self, node: int) -> list[Step]:
        for view in self.views:
            if node in view.order:
                return self.teller.order(_shortest_walk(view, {node}))
        return []

    def _refused(self) -> list[dict[str, Any]]:
        found: dict[int, set[str]] = {}
        for node in self.graph.nodes:
            for event, clause in node.refused:
                found.setdefault(event, set()).add(clause)
        return [{"event": event, "clauses": sorted(clauses)} for event, clauses in sorted(found.items())]

    def _odd(self, what: str) -> list[dict[str, Any]]:
        found = []
        for number, node in enumerate(self.graph.nodes):
            if node.odd == what and not node.refused:
                steps = self._to(number)
                found.append(
                    {
                        "after": [step.decision for step in steps if step.by is not None],
                        "options": [self.teller.speaker.render(option.term) for option in node.options],
                    }
                )
        return found

    def _loops(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for view in self.views:
            walk = count.cycle(view)
            if walk:
                steps = self.teller.order(walk)
                cycle = [{"by": step.by, "decision": step.decision, "changes": list(step.changes)} for step in steps]
                if cycle not in [loop["cycle"] for loop in found]:
                    found.append({"when": dict(view.assignment), "cycle": cycle})
        return found


def _shortest_walk(view: View, ends: set[int]) -> list[tuple[int, int]]:
    before: dict[int, tuple[int, int]] = {}
    todo = [view.order[0]] if view.order else []
    for node in todo:
        if node in ends:
            walk: list[tuple[int, int]] = []
            while node != view.order[0]:
                walk.append(before[node])
                node = before[node][0]
            return walk[::-1]
        for number, target in view.edges(node):
            if target not in before and target != view.order[0]:
                before[target] = (node, number)
                todo.append(target)
    return []


def _listed(board: Board) -> dict[str, int]:
    """The place from the top at which a board names a card of a pile."""
    rows = (fact.args for fact in board.facts if fact.name == "listed")
    return {str(card): place for card, place in rows if isinstance(place, int)}


def _letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


Rows = list[tuple[Answers, set[Count | None]]]


def _shortest(rows: Rows, every: Sequence[Answers]) -> Rows:
    """Merge rows that agree in their numbers and differ in all the answers to one question, again and again."""
    questions = list(dict.fromkeys(question for when in every for question in when))
    answers = {q: list(dict.fromkeys(when[q] for when in every if q in when)) for q in questions}
    merged = True
    while merged:
        merged = False
        for question in questions:
            groups: dict[tuple[str, frozenset[Count | None]], list[Answers]] = {}
            for when, values in rows:
                if question in when:
                    rest = json.dumps({q: a for q, a in when.items() if q != question}, sort_keys=True)
                    groups.setdefault((rest, frozenset(values)), []).append(when)
            for (rest, values), group in groups.items():
                if len(group) == len(answers[question]) and len(group) > 1:
                    place = min(index for index, (when, _) in enumerate(rows) if when in group)
                    rows = [row for row in rows if row[0] not in group]
                    rows.insert(place, (json.loads(rest), set(values)))
                    merged = True
    return rows
