"""The main job: a board goes in, every legal outcome comes out, for each reading that the texts leave open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import islice
from operator import or_
from typing import TYPE_CHECKING, Any

from lastrites import count, stop
from lastrites.answer import Answer
from lastrites.count import View
from lastrites.editions import Reading, choose_reading
from lastrites.errors import BoardError, Problem
from lastrites.explore import (
    CHANCE,
    PLAYER,
    IllegalChoice,
    Impossible,
    StateGraph,
    Unsupported,
    explore,
    has_own_bound,
)
from lastrites.explore import Limits as WalkLimits
from lastrites.readable import tells
from lastrites.reductions import FACTORS, INDEPENDENCE, SYMMETRY, Reduction, chosen
from lastrites.results import Assignment, Order, Outcome, Step, told
from lastrites.solver import Fluents, Rulebook
from lastrites.spares import with_more_spares
from lastrites.teller import Paths, Teller
from lastrites.terms import Term, Value, fn

if TYPE_CHECKING:
    import networkx

    from lastrites.board import Board
    from lastrites.combining import Interleaved
    from lastrites.factors import Factors
    from lastrites.folding import Unfolded
    from lastrites.triggers import TriggerGraph

__all__ = ["Assignment", "Limits", "Order", "Outcome", "Resolution", "Step", "resolve", "rulebook"]


MOST_EXPLAINED = 2_000
"""Beyond this many states with a choice, steps of listed orders carry clauses only where a witness has them."""


@dataclass(frozen=True)
class Limits:
    """How far to go: number of states, seconds, and a function that is told now and then how far the work is.

    Beyond so many ``outcomes`` they are told as factors where that is possible, and not listed: see
    :attr:`Resolution.factors`.
    """

    states: int | None = None
    seconds: float | None = None
    progress: Callable[[str], None] | None = None
    outcomes: int | None = None


@dataclass
class Resolution:
    """Everything that can legally come out of a board.

    With a limit of outcomes there may be ``factors`` instead of them: what comes of each independent group, for each
    combination of answers that matters. ``outcomes`` then raises OutcomesUntold as soon as it is looked at, and
    ``outcome_count`` is their exact number, None where it depends on a reading.
    """

    board: Board
    reading: Reading
    explored: StateGraph
    complete: bool
    incomplete_reason: str
    questions: dict[str, list[str]]
    counting: dict[str, list[str]]
    assignments: tuple[Assignment, ...]
    labels: list[dict[str, Any]]
    outcomes: Sequence[Outcome]
    order_count: int | str | None
    refused: list[dict[str, Any]]
    stuck: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    loops: list[dict[str, Any]]
    unexplained: list[dict[str, Any]]
    warnings: list[str]
    factors: tuple[Factors, ...] | None = None
    factored_count: int | None = None
    _views: list[View] = field(repr=False, default_factory=list)
    _ids: dict[int, str] = field(repr=False, default_factory=dict)
    _teller: Teller | None = field(repr=False, default=None)
    _unfolded: Unfolded | Interleaved | None = field(repr=False, default=None)
    _plainly: Callable[[], Resolution] | None = field(repr=False, default=None)
    _triggers: TriggerGraph | None = field(repr=False, default=None)
    _told: Callable[[int, str], tuple[list[Step], list[str]] | None] | None = field(repr=False, default=None)
    _explained: Callable[[], Teller] | None = field(repr=False, default=None)

    def __repr__(self) -> str:
        from lastrites.terminal import headline

        return f"<Resolution of {self.board.title or self.board.path!r}: {headline(self.to_json())}>"

    def _repr_html_(self) -> str:
        from lastrites.notebook import resolution_html

        return resolution_html(self)

    @property
    def outcome_count(self) -> int | None:
        """The number of outcomes; None where they are told as factors, and not the same under each reading."""
        return len(self.outcomes) if self.factors is None else self.factored_count

    @cached_property
    def plain(self) -> Resolution:
        """The same without states that stand for others: itself, or explored once more, which may take long."""
        return self if self._plainly is None else self._plainly()

    @property
    def graph(self) -> StateGraph:
        """The state graph, of :attr:`plain`. ``explored`` is the one that the answer was read off."""
        return self.plain.explored

    @property
    def teller(self) -> Teller:
        """Puts steps of the state graph into words."""
        teller = self.plain._teller
        assert teller is not None
        return teller

    @property
    def views(self) -> Sequence[View]:
        """The part of the state graph that agrees with each assignment, in the order of ``assignments``."""
        return self.plain._views

    def outcome_of(self, node: int) -> str | None:
        """The id of the outcome that a node of the state graph is; None for other nodes."""
        return self.plain._ids.get(node)

    def shortest(self, number: int, outcome_id: str) -> tuple[list[Step], list[str]] | None:
        """A shortest order to an outcome under the assignment ``number``, and what it changes in all.

        Where outcomes differ in the arrangement of piles only, which no node tells, the order is the same for all of
        them. None if there is none.
        """
        if self._told is not None:
            return self._told(number, outcome_id)
        view, teller = self._views[number], self._teller
        assert teller is not None
        ends = [node for node in view.ends() if self._ids.get(node) == outcome_id]
        if not ends:
            wanted = loose(next(outcome.state for outcome in self.outcomes if outcome.id == outcome_id))
            states = ((node, teller.graph.fluents.terms(teller.graph.state(node))) for node in view.ends())
            ends = [node for node, fluents in states if loose(teller.writer.state(fluents)) == wanted]
        if not ends:
            return None
        walk = self._paths.setdefault(number, Paths(view)).to(ends)
        if self._unfolded is not None:
            walk = self._unfolded.walk(walk)
        graph = teller.graph
        end = graph.nodes[walk[-1][0]].targets[walk[-1][1]] if walk else 0
        first, last = (graph.fluents.terms(graph.state(node)) for node in (0, end))
        return teller.order(walk), teller.writer.changes(first, last)

    def explained(self, most: int) -> Teller:
        """What tells of the states that the answer was read off, the first ``most`` of them explained."""
        if self._explained is not None:
            return self._explained()
        assert self._teller is not None
        nodes = [node for node, head in enumerate(self.explored.heads) if head is not None][:most]
        if self._unfolded is not None:
            nodes = [self._unfolded.node(self.explored.states[node]) for node in nodes]
        self._teller.explain(nodes)
        return self._teller

    @cached_property
    def _paths(self) -> dict[int, Paths]:
        return {}

    @property
    def state_count(self) -> int:
        """The number of states that were explored."""
        return self.explored.explored()

    def orders(self, outcome_id: str | None = None, limit: int | None = None) -> Iterator[Order]:
        """The legal orders, one after another: those of every reading, or only those that end in an outcome.

        Steps of an order are the choices that were really open, with the results of chance. They carry their clauses
        unless the board has too many states for that.
        """
        if self.factors is not None and outcome_id is None:
            orders = (Order(row.when, tuple(steps), id) for row in self.factors for steps, id in row.walks())
            yield from islice(orders, limit)
            return
        known = [outcome.id for outcome in self.outcomes]
        if outcome_id is not None and outcome_id not in known:
            raise ValueError(f"there is no outcome {outcome_id!r}; known: {', '.join(known) or 'none'}")
        teller = self.teller
        choices = {node for view in self.views for node in view.order if len(view.edges(node)) > 1}
        if len(choices) <= MOST_EXPLAINED:
            teller.explain(sorted(choices))
        told = 0
        for view in self.views:
            ends = {node for node in view.ends() if outcome_id in (None, self.outcome_of(node))}
            for walk in count.walks(view, ends):
                stop.check()
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
                yield Order(view.assignment, steps, self.outcome_of(end) or "")

    def states(self) -> networkx.MultiDiGraph[int]:
        """The state graph, built on demand: nodes are numbers with ``fluents`` and ``final``, edges decisions."""
        import networkx

        graph: networkx.MultiDiGraph[int] = networkx.MultiDiGraph()
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

    def _orders(self, number: int | str | None) -> dict[str, str | None]:
        """A number of orders; of an incomplete answer it is a lower bound, and called so."""
        return {"orders": told(number)} if self.complete else {"orders": None, "orders_at_least": told(number)}

    def _rows(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [{**row, **self._orders(row["orders"])} for row in rows]

    @property
    def triggers(self) -> TriggerGraph:
        """The trigger graph, built on demand: which abilities of the board can affect one another, and how."""
        if self._triggers is None:
            from lastrites.triggers import trigger_graph

            self._triggers = trigger_graph(self)
        return self._triggers

    def to_json(self, *, witnesses: bool = True) -> dict[str, Any]:
        """The answer in the JSON form of the contract (``lastrites.outcomes/1``).

        Without ``witnesses`` outcomes tell no order that leads to them, which saves time.
        Of an incomplete answer numbers of orders stand under ``orders_at_least``, and who decides is not known.
        """
        return {
            "schema": "lastrites.outcomes/1",
            "board": self.board.title or self.board.path,
            "game": self.board.game,
            "edition": self.reading.edition,
            "readings": dict(self.reading.explicit),
            **({"without": list(self.reading.without)} if self.reading.without else {}),
            **({"against": list(self.reading.against)} if self.reading.against else {}),
            "complete": self.complete,
            **({} if self.complete else {"incomplete_reason": self.incomplete_reason}),
            "states": self.state_count,
            **self._orders(self.order_count),
            "readings_explored": self._rows(self.labels),
            "refused": self.refused,
            "questions": self.questions,
            "counting": self.counting,
            **self._factors_json(witnesses),
            "outcomes": None if self.factors is not None else [
                {
                    "id": outcome.id,
                    **self._orders(outcome.orders),
                    "pile_arrangements": told(outcome.pile_arrangements) if self.complete else None,
                    "under": self._rows(outcome.under),
                    "deciders": list(outcome.deciders) if self.complete else None,
                    "can_force": list(outcome.can_force) if self.complete else None,
                    "chance": outcome.chance,
                    "state": outcome.state,
                    **({"witness": [step.to_json() for step in outcome.witness]} if witnesses else {}),
                }
                for outcome in self.outcomes
            ],
            "stuck": self.stuck,
            "conflicts": self.conflicts,
            "loops": self.loops,
            "unexplained": self.unexplained,
            "warnings": self.warnings,
        }


    def _factors_json(self, witnesses: bool) -> dict[str, Any]:
        if self.factors is None:
            return {}
        return {"outcome_count": told(self.outcome_count), "factors": [f.to_json(witnesses) for f in self.factors]}


def rulebook(board: Board, reading: Reading, *, pile_order: bool = False, triggers: bool = False) -> Rulebook:
    """What a board is put to: the game's rules, its cards, its facts, the readings in use.

    ``pile_order`` and ``triggers`` ask for what is left out otherwise: piles in their order, and which decision
    belongs to which ability.
    """
    facts = [*board.facts, *reading.facts()]
    facts += [fn("tracked", fn(what)) for what, wanted in (("piles", pile_order), ("triggers", triggers)) if wanted]
    game = board.rules
    library = game.card_blocks(board.library_ids())
    names = frozenset(_NAME.findall(_STRING.sub("", library))).union(*(_names(fact) for fact in facts))
    # Numbers on the board, and a few that effects add; what grows far beyond all of them never stops.
    counted = (fact for fact in facts if not _bounds_itself(fact))
    largest = max([0, *map(int, _NUMBER.findall(library)), *(n for fact in counted for n in _numbers(fact))])
    bounds = (("max_value", min(largest + 12, 999)),)
    most = min(999, 4 * largest + 100)
    return Rulebook(game.files_for(names), library, tuple(facts), game.modes(), bounds, most)


def _bounds_itself(fact: Term) -> bool:
    """Whether a fact gives the start of a quantity that has a bound of its own."""
    match fact:
        case Term("init", (Term("num", (Term() as quantity, _)),)):
            return has_own_bound(quantity)
    return False


def _numbers(value: Value) -> Iterator[int]:
    """All numbers in a term."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, Term):
        for argument in value.args:
            yield from _numbers(argument)


_NAME = re.compile(r"[a-z_]\w*")
_STRING = re.compile(r'"[^"]*"')
_NUMBER = re.compile(r"(?<![\w\"-])\d+(?![\w\"-])")


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
    reduction: Reduction = True,
    left_open: Iterable[str] = (),
) -> Resolution:
    """Explore a board and tell every outcome, the exact number of orders, who decides, under which reading.

    ``readings`` and ``edition`` come before those of the board. ``without`` switches clauses off, ``against``
    switches the opposite of consequences on. ``pile_order`` keeps outcomes apart that differ in the order of piles
    only. ``mode`` is ``graph`` (ground once) or ``layers`` (ground anew for each layer of states); ``reduction`` is
    True, False or the names of those that are used (``docs/reductions.md``): without any every state is solved anew.
    Neither changes the answer. ``left_open`` names questions that stay open whatever the board and the edition answer.
    Raises BoardError for what the user can mend, RulesError when the rules are at fault.
    """
    limits = limits or Limits()
    without, against, left_open = tuple(without), tuple(against), tuple(left_open)
    reading = choose_reading(board, readings or {}, edition, without, against, left_open)
    book = rulebook(board, reading, pile_order=pile_order)

    def progress(done: int, waiting: int) -> None:
        if limits.progress is not None:
            limits.progress(f"{done:,} states explored, {waiting:,} waiting")

    try:
        walk = WalkLimits(limits.states, limits.seconds, limits.outcomes)
        # Where the order of piles is looked at, cards that lie in one are told apart.
        used = chosen(reduction) - {SYMMETRY, INDEPENDENCE} if pile_order else chosen(reduction)
        shape = board.rules.shape
        graph = explore(
            book, mode=mode, reduction=used, limits=walk, progress=progress, piles=shape.piles(), tells=tells(shape)
        )
    except Impossible as error:
        raise BoardError(impossible_problems(board, error.what)) from None
    except Unsupported as error:
        raise BoardError(unsupported_problems(board, error.what)) from None
    except IllegalChoice as error:
        message = f"the event chooses {error.choice}, which is no legal choice there"
        place = board.places.get(f"choose.{error.event}.{error.answer}", (0, 0))
        raise BoardError([Problem("LR-E034", board.path, *place, message)]) from None
    board = with_more_spares(board, graph.rulebook.facts)
    surplus = surplus_answers(board, graph.fluents, final_fluents(graph))
    as_written = not (without or against or readings or edition or left_open)
    if surplus and as_written:
        raise BoardError(surplus)

    def without_reductions(*some: str) -> Resolution:
        return resolve(
            board, readings=readings, edition=edition, without=without, against=against, pile_order=pile_order,
            limits=limits, mode=mode, reduction=used.difference(some), left_open=left_open,
        )  # fmt: skip

    try:
        if graph.factored is not None:
            resolution = _by_factors(board, reading, graph, limits.outcomes or 0)
            if resolution is None:
                return without_reductions(FACTORS)
        else:
            resolution = Answer(board, reading, graph, pile_order).resolution()
    except count.Entwined:
        return without_reductions(INDEPENDENCE)
    resolution.warnings += [problem.message for problem in surplus]
    if graph.folding is not None or graph.products or graph.factored is not None:
        resolution._plainly = lambda: without_reductions(SYMMETRY, INDEPENDENCE)
    return resolution


def _by_factors(board: Board, reading: Reading, graph: StateGraph, most: int) -> Resolution | None:
    """The answer as factors; None where outcomes are not told apart by groups, or there are not so many of them."""
    from lastrites.factors import Unreadable, Untold, factored_answer

    try:
        found = factored_answer(board, reading, graph)
    except Unreadable:
        return None
    if all(each.outcome_count <= most for each in found.factors):
        return None
    return Resolution(
        board=board,
        reading=reading,
        explored=graph,
        complete=True,
        incomplete_reason="",
        questions=found.questions,
        counting=found.counting,
        assignments=(),
        labels=[{"when": each.when, "orders": str(each.orders)} for each in found.factors],
        outcomes=Untold(),
        order_count=found.orders,
        refused=[],
        stuck=[],
        conflicts=[],
        loops=[],
        unexplained=[],
        warnings=list(dict.fromkeys([*board.warnings, *found.warnings])),
        factors=found.factors,
        factored_count=found.outcome_count,
    )


def impossible_problems(board: Board, what: Iterable[tuple[str, str]]) -> list[Problem]:
    """What no board can have, as told by the rules: cards with what is wrong, events and offers with what they lack.

    Of one that must say which ability it means the abilities of its card are told.
    """
    problems = []
    for about, text in what:
        name = about.removeprefix("which(").removesuffix(")") if about.startswith("which(") else about
        hint = _abilities(board, name) if name != about else ""
        spots = [board.places[f"{kind}.{name}"] for kind in ("event", "offer") if f"{kind}.{name}" in board.places]
        if spots:
            problems.append(Problem("LR-E013", board.path, *spots[0], text, hint))
        elif f"entry.{name}" in board.places:
            problems.append(Problem("LR-E037", board.path, *board.places[f"entry.{name}"], text, hint))
        else:
            where = board.places.get(f"card.{name}", (0, 0))
            problems.append(Problem("LR-E037", board.path, *where, f"`{name}`: {text}", hint))
    return sorted(problems)


def _abilities(board: Board, about: str) -> str:
    """The abilities of the card that an event, an offer or an item names, by number, in words."""
    kind, _, number = about.rstrip(")").partition("(")
    facts = board.whole_facts()
    place = 1 if kind == "offer" else 0
    rows = [fact.args for fact in facts if fact.name == kind and str(fact.args[place]) == number]
    # A verb has its card as an argument; of the cards that an item names only the one it is an ability of is meant.
    shape = board.rules.shape
    forms = (key.form for level in shape.levels for key in shape.of_form(level, "source"))
    sources = [form.args[0] for form in forms if form.args]
    rows = [args for args in rows if args[1] in sources] or rows
    parts = [arg for args in rows for what in args for arg in (what.args if isinstance(what, Term) else (what,))]
    known = {fact.args[0] for fact in facts if fact.name == "card"}
    cards = [arg for arg in parts if isinstance(arg, str) and arg in known][:1]
    printed = {fact.args[1]: fact.args[0] for fact in facts if fact.name == "prints" and fact.args[0] in cards}
    speaker = board.rules.words.speaker(facts)
    found = {
        fact.args[1]: speaker.render(Term("ab", (printed[fact.args[0]], fact.args[1])))
        for fact in facts
        if fact.name == "ability" and fact.args[0] in printed
    }
    told = "; ".join(f"{place}: {text}" for place, text in sorted(found.items(), key=str))
    return f"abilities of {cards[0]} here: {told or 'none'}" if cards else told


def unsupported_problems(board: Board, what: Iterable[tuple[str, str]]) -> list[Problem]:
    """What the rules do not model yet, where the board file asks for it: at an event, an offer, an entry or a card."""
    kinds = ("event", "offer", "entry", "card")
    problems = []
    for name, text in what:
        found = [board.places[f"{kind}.{name}"] for kind in kinds if f"{kind}.{name}" in board.places]
        where = found[0] if found else (0, 0)
        problems.append(Problem("LR-E027", board.path, *where, f"these rules do not support {text} yet"))
    return sorted(problems)


def loose(state: Any) -> str:
    """A state as text in which the order of lists does not show."""
    if isinstance(state, Mapping):
        return "{" + ", ".join(f"{key}: {loose(state[key])}" for key in sorted(state)) + "}"
    return str(sorted(map(loose, state))) if isinstance(state, list) else str(state)


def final_fluents(graph: StateGraph) -> int | None:
    """The fluents that hold at some end; None if not all ends are known, or there is none."""
    if not graph.complete:
        return None
    if graph.factored is not None:
        finals = [value for each in graph.factored for part in each.parts for value in part.finals.values()]
        return reduce(or_, finals, reduce(or_, (each.rest for each in graph.factored)))
    return reduce(or_, (graph.states[end] for end in graph.ends())) if graph.ends() else None


def surplus_answers(board: Board, fluents: Fluents, union: int | None) -> list[Problem]:
    """Answers of events on the board to decisions that nobody asks for, whatever happens: the first of each event.
    ``union`` are the fluents that hold at some end, None if that is not known."""
    answers: dict[int, dict[int, Value]] = {}
    for fact in board.facts:
        match fact:
            case Term("event_choice", (int(event), int(place), answer)):
                answers.setdefault(event, {})[place] = answer
    if not answers or union is None:
        return []
    asked = dict.fromkeys(answers, 0)
    for term in fluents.terms(union):
        match term:
            case Term("num", (Term("chosen", (int(event),)), int(number))):
                asked[event] = max(asked[event], number)
    problems = []
    for event, given in answers.items():
        left = sorted(place for place in given if place > asked[event])
        if left:
            message = f"the answer {given[left[0]]} is never asked for" + (", nor what follows it" if left[1:] else "")
            hint = "leave it out: an answer stands where it is asked for, and must be possible there"
            line, column = board.places.get(f"choose.{event}.{left[0]}", (0, 0))
            problems.append(Problem("LR-E034", board.path, line, column, message, hint))
    return problems
