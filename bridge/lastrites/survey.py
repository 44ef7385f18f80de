"""What one board shows about the rules text: the work behind ``check``, a job for a worker each.

Every job takes ``emit`` and one picklable argument and emits one ``result``. Boards are resolved without the answers
that their authors gave, under one edition.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastrites import stop
from lastrites.count import parted_by
from lastrites.errors import BoardError
from lastrites.explore import READING
from lastrites.layouts import Layout, board_of, smallest
from lastrites.solver import Branching, RulesError, resting_on

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.explore import StateGraph
    from lastrites.resolution import Resolution
    from lastrites.solver import Rulebook
    from lastrites.terms import Term
    from lastrites.worker import Emit

MOST_STATES = 4_000
"""A board with more states is told as not looked at to the end."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Setting:
    """Where rules and cards come from, and how boards are read."""

    edition: str | None = None
    without: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    rules: Path | None = None
    cards: Path | None = None
    pile_order: bool = False
    seconds: float = 20.0
    left_open: tuple[str, ...] = ()


@dataclass
class Report:
    """What a board showed.

    ``conflicts`` are pairs of clauses that contradict each other, ``latent`` those that would if no precedence were
    stated; ``open`` gives for each question that came up the
    pairs of answers with different outcomes, ``counted`` those that differ in numbers of orders only; ``cited`` are
    the clauses that its witnesses rest on, ``rests`` all that could make it come out otherwise when they are switched,
    ``widely`` those that could under some other answers, with piles in their order. ``failed`` says why it could not
    be looked at; ``broken`` is 1 where the rules derive what must not be.
    """

    failed: str = ""
    complete: bool = True
    refused: bool = False
    states: int = 0
    conflicts: list[Pair] = field(default_factory=list)
    latent: list[Pair] = field(default_factory=list)
    stuck: int = 0
    unexplained: int = 0
    broken: int = 0
    loops: int = 0
    asked: list[str] = field(default_factory=list)
    open: dict[str, list[Pair]] = field(default_factory=dict)
    counted: dict[str, list[Pair]] = field(default_factory=dict)
    cited: list[str] = field(default_factory=list)
    rests: list[str] = field(default_factory=list)
    widely: list[str] = field(default_factory=list)
    signature: str = ""


def resolved(layout: Layout, setting: Setting, **more: Any) -> Resolution:
    """The board of a layout, resolved. Raises BoardError and RulesError."""
    return resolve_board(board_of(layout, rules=setting.rules, cards=setting.cards), setting, **more)


def resolve_board(board: Board, setting: Setting, **more: Any) -> Resolution:
    """A board resolved as the setting says; `more` comes before it. Raises BoardError and RulesError."""
    from lastrites.resolution import Limits, resolve

    options: dict[str, Any] = {
        "edition": setting.edition,
        "without": setting.without,
        "against": setting.against,
        "pile_order": setting.pile_order,
        "left_open": setting.left_open,
        "limits": Limits(MOST_STATES, setting.seconds),
        **more,
    }
    return resolve(board, **options)


def signature(result: Resolution) -> str:
    """Outcomes and exact numbers of orders under every reading, as a short text: equal for equal answers."""
    states = {outcome.id: json.dumps(outcome.state, sort_keys=True) for outcome in result.outcomes}
    rows = sorted(
        (sorted(assignment.when.items()), str(assignment.orders),
         sorted((states[id], str(n)) for id, n in assignment.outcomes.items()))
        for assignment in result.assignments
    )  # fmt: skip
    deciders = sorted((states[o.id], o.deciders, o.can_force, str(o.pile_arrangements)) for o in result.outcomes)
    odd = [result.refused, len(result.stuck), result.conflicts, len(result.loops), len(result.unexplained)]
    return hashlib.sha256(json.dumps([rows, deciders, odd]).encode()).hexdigest()[:20]


def apart(result: Resolution) -> tuple[dict[str, list[Pair]], dict[str, list[Pair]]]:
    """Pairs of answers to each question with different outcomes, and those that differ in numbers of orders only."""
    outcomes: dict[str, set[Pair]] = {}
    counts: dict[str, set[Pair]] = {}
    for one, other in combinations(result.assignments, 2):
        question = parted_by(one.when, other.when)
        if question is not None:
            first, second = sorted((one.when[question], other.when[question]))
            if set(one.outcomes) != set(other.outcomes):
                outcomes.setdefault(question, set()).add((first, second))
            elif dict(one.outcomes) != dict(other.outcomes):
                counts.setdefault(question, set()).add((first, second))
    only = {q: sorted(pairs - outcomes.get(q, set())) for q, pairs in counts.items()}
    return {q: sorted(pairs) for q, pairs in outcomes.items()}, {q: pairs for q, pairs in only.items() if pairs}


def clashes(graph: StateGraph) -> list[Pair]:
    """Pairs of clauses of which one requires what the other forbids in some state, settled or not."""
    return sorted({pair for head in set(graph.heads) if head is not None for pair in head.clashes})


def explored(board: Board, setting: Setting) -> StateGraph:
    """The states of a board, without working out what comes out of it."""
    from lastrites.editions import choose_reading
    from lastrites.explore import Limits, explore
    from lastrites.resolution import rulebook

    reading = choose_reading(board, {}, setting.edition, setting.without, setting.against)
    return explore(rulebook(board, reading), limits=Limits(MOST_STATES, setting.seconds))


# ---------------------------------------------------------------- jobs

def look(emit: Emit, argument: tuple[Layout, Setting, bool]) -> None:
    """Emits a Report about one board; whether it is to tell what the board rests on is the last of the arguments."""
    layout, setting, clauses = argument
    report = Report()
    try:
        board = board_of(layout, rules=setting.rules, cards=setting.cards)
        result = resolve_board(board, setting)
        report.complete, report.refused, report.states = result.complete, bool(result.refused), result.state_count
        report.stuck, report.unexplained, report.loops = len(result.stuck), len(result.unexplained), len(result.loops)
        report.conflicts = [(one, other) for one, other in (entry["clauses"] for entry in result.conflicts)]
        report.asked = sorted({question for assignment in result.assignments for question in assignment.when})
        report.open, report.counted = apart(result)
        report.cited = sorted(cited(result))
        if clauses:
            report.rests = sorted(resting_on(result.graph.rulebook))
            report.widely = sorted(resting_on(widest(board, setting)))
        report.signature = signature(result)
        report.latent = [pair for pair in clashes(result.graph) if pair not in report.conflicts]
    except BoardError as error:
        report.failed = str(error.problems[0].message)
    except Branching:
        report.unexplained = 1
    except RulesError:
        report.broken, report.complete = 1, False
    emit("result", vars(report))


def wide(setting: Setting, questions: Iterable[str]) -> Setting:
    """The same with every question open and piles in their order."""
    return replace(setting, pile_order=True, left_open=tuple(questions))


def widest(board: Board, setting: Setting) -> Rulebook:
    """What a board is put to when every question is open and piles are told apart by their order."""
    from lastrites.editions import choose_reading, questions_of
    from lastrites.resolution import rulebook

    questions = questions_of(board.rules.rules / board.rules.name).answers
    reading = choose_reading(board, {}, setting.edition, setting.without, setting.against, questions)
    return rulebook(board, reading, pile_order=True)


def cited(result: Resolution) -> set[str]:
    """The clauses that witnesses and refusals of an answer name."""
    found = {clause for refusal in result.refused for clause in refusal["clauses"]}
    for outcome in result.outcomes:
        for step in outcome.witness:
            found.update(step.clauses)
            found.update(text.rpartition("(")[2].rstrip(")") for text in step.barred)
    return found


@dataclass(frozen=True)
class Switch:
    """A clause to be switched off or, if it is a consequence, to be turned into its opposite; and the boards on which
    it is looked for, in that order: their numbers, layouts and signatures.

    A board without a signature is resolved as it is, too.
    """

    clause: str
    opposite: bool
    boards: Sequence[tuple[int, Layout, str]]
    setting: Setting
    seconds: float

    @property
    def change(self) -> dict[str, tuple[str, ...]]:
        """What is asked for besides the setting."""
        if self.opposite:
            return {"against": (*self.setting.against, self.clause)}
        return {"without": (*self.setting.without, self.clause)}


@dataclass(frozen=True)
class Effect:
    """What came of a switch: the number of the first board that comes out otherwise, how many boards were looked at,
    how many of them could not be looked at to the end, and whether that was all that there are."""

    board: int | None
    looked: int
    unfinished: int = 0
    every: bool = True


def find_effect(emit: Emit, switch: Switch) -> None:
    """Emits an Effect. A board that fails with the change counts as coming out otherwise."""
    deadline = time.monotonic() + switch.seconds
    looked = unfinished = 0
    for number, layout, before in switch.boards:
        stop.check()
        if time.monotonic() > deadline:
            emit("result", Effect(None, looked, unfinished, False))
            return
        looked += 1
        found = differs(layout, switch, before)
        if found:
            emit("result", Effect(number, looked, unfinished))
            return
        unfinished += found is None
    emit("result", Effect(None, looked, unfinished))


def differs(layout: Layout, switch: Switch, before: str) -> bool | None:
    """Whether a board comes out otherwise with the change; None where that would have taken too long."""
    setting = switch.setting
    board = board_of(layout, rules=setting.rules, cards=setting.cards)
    if not before:
        try:
            plain = resolve_board(board, setting)
        except (BoardError, RulesError):
            return None
        if not plain.complete:
            return None
        before = signature(plain)
    try:
        result = resolve_board(board, setting, **switch.change)
    except (BoardError, RulesError):
        return True
    return signature(result) != before if result.complete else None


@dataclass(frozen=True)
class Sought:
    """What a board is to show while it is made smaller: one of ``conflict`` and ``clash`` (two clauses that contradict
    each other, and nothing or something settles that), ``answers`` (a question and two of its answers), ``stuck``,
    ``unexplained``, ``broken``, ``loops``."""

    kind: str
    names: tuple[str, ...] = ()


def shows(layout: Layout, setting: Setting, sought: Sought) -> bool:
    """Whether the board of a layout shows what is sought."""
    stop.check()
    try:
        board = board_of(layout, rules=setting.rules, cards=setting.cards)
        if sought.kind in ("conflict", "clash"):
            return sought.names in clashes(explored(board, setting))
        result = resolve_board(board, setting)
        if not result.complete or result.warnings:
            return False
        if sought.kind == "answers":
            question, *pair = sought.names
            wanted = tuple(sorted(pair))
            return wanted in apart(result)[0].get(question, [])
        return bool(getattr(result, sought.kind))
    except Branching:
        return sought.kind == "unexplained"
    except RulesError:
        return sought.kind == "broken"
    except BoardError:
        return False


def shrink(emit: Emit, argument: tuple[Sequence[Layout], Setting, Sought, float]) -> None:
    """Emits the smallest layout that still shows what is sought, and the steps that lead there in words. It is made
    from the first of several that shows it; ``start`` is the number of that one."""
    layouts, setting, sought, seconds = argument
    deadline = time.monotonic() + seconds
    # The last one is known to show it.
    start = next((n for n, each in enumerate(layouts[:-1]) if shows(each, setting, sought)), len(layouts) - 1)

    def late() -> bool:
        stop.check()
        return time.monotonic() > deadline

    small = smallest(layouts[start], lambda candidate: shows(candidate, setting, sought), late)
    emit("result", {"start": start, "layout": small, "smallest": not late(), **_told(small, setting, sought)})


def _told(layout: Layout, setting: Setting, sought: Sought) -> dict[str, Any]:
    board = board_of(layout, rules=setting.rules, cards=setting.cards)
    try:
        result = resolve_board(board, setting)
    except RulesError as error:
        after, clauses = _where(error, board)
        options = [board.speaker().render(option) for option in error.options] if isinstance(error, Branching) else []
        return {"entry": {"after": after, "options": options, "message": str(error)}, "clauses": clauses}
    told: dict[str, Any] = {}
    if sought.kind in ("conflict", "clash"):
        pair = (sought.names[0], sought.names[1])
        node = next((number for number, node in enumerate(result.graph.nodes) if pair in node.clashes), None)
        told["after"] = _after(result, node) if node is not None else []
        told["minimal"] = minimal_clash(result, pair, node)
    elif sought.kind == "answers":
        told["outcomes"] = outcomes_by_answer(result, sought.names[0], sought.names[1:])
    else:
        entries = getattr(result, sought.kind)
        told["entry"] = entries[0] if entries else None
        steps = (told["entry"] or {}).get("cycle", ())
        told["clauses"] = list(dict.fromkeys(clause for step in steps for clause in step["clauses"]))
    return told


def _where(error: RulesError, board: Board) -> tuple[list[str], list[str]]:
    """The decisions that lead to the state in which the rules are at fault, in words, and the clauses on which what is
    possible there rests."""
    from lastrites.solver import BoundReached, LayerRules

    if error.at is None:
        return [], []
    graph, end = error.at
    came: dict[int, tuple[int, Term]] = {}
    todo = [0]
    for here in todo:
        node = graph.nodes[here]
        for option, target in zip(node.options, node.targets, strict=True) if node.explored else ():
            if target not in came and target != 0:
                came[target] = here, option.term
                todo.append(target)
    way: list[str] = []
    here, speaker = end, board.speaker()
    while here in came:
        here, term = came[here]
        way.append(speaker.render(term))
    try:
        situation = LayerRules(graph.rulebook, graph.fluents, explain=True).look(graph.state(end))
    except (BoundReached, RulesError):
        return way[::-1], []
    return way[::-1], sorted({clause for clauses in situation.cites.values() for clause in clauses})


def outcomes_by_answer(result: Resolution, question: str, pair: Iterable[str]) -> dict[str, Any]:
    """For each of two answers its outcomes as states, under the first answers to all others that tell them apart."""
    one, other = pair
    for first in result.assignments:
        for second in result.assignments:
            if first.when.get(question) != one or second.when.get(question) != other:
                continue
            same = all(second.when.get(q, a) == a for q, a in first.when.items() if q != question)
            if same and set(first.outcomes) != set(second.outcomes):
                states = {outcome.id: outcome.state for outcome in result.outcomes}
                rest = {q: a for q, a in {**second.when, **first.when}.items() if q != question}
                return {
                    "when": rest,
                    "only": {
                        one: [states[id] for id in first.outcomes if id not in second.outcomes],
                        other: [states[id] for id in second.outcomes if id not in first.outcomes],
                    },
                    "common": len(set(first.outcomes) & set(second.outcomes)),
                }
    return {}


# ---------------------------------------------------------------- minimal sets of clauses

def _after(result: Resolution, node: int) -> list[str]:
    """The decisions that lead to a state, in words."""
    from lastrites.teller import Paths

    for view in result.views:
        walk = Paths(view).to([node])
        if walk:
            steps = (result.teller.step(*step) for step in walk)
            return [step.decision for step in steps if step.by != READING]
    return []


def minimal_clash(result: Resolution, pair: Pair, number: int | None) -> list[str]:
    """A smallest set of clauses that contradict each other in a state where these two do: with any one of them
    switched off the contradiction is gone. Found by halving (QuickXplain)."""
    own = list(dict.fromkeys(pair))  # a clause may contradict itself
    if number is None:
        return own
    node = result.graph.nodes[number]
    from lastrites.book import read_book
    from lastrites.solver import BoundReached, LayerRules
    from lastrites.terms import fn

    book = result.graph.rulebook
    off = {str(fact.args[0]) for fact in book.facts if fact.name == "without"}
    clauses = [
        clause.id for clause in read_book(result.board.rules).clauses
        if clause.kind != "consequence" and clause.id not in off and clause.id not in pair
    ]  # fmt: skip

    def clash(kept: Sequence[str]) -> bool:
        stop.check()
        gone = [fn("without", clause) for clause in clauses if clause not in kept]
        try:
            rules = LayerRules(_with_facts(book, gone), result.graph.fluents)
            return pair in rules.look(node.state).clashes
        except (BoundReached, RulesError):
            return False

    return [*own, *_quick(clash, [], clauses, False)]


def _with_facts(book: Any, facts: Sequence[Any]) -> Any:
    from dataclasses import replace

    return replace(book, facts=(*book.facts, *facts))


def _quick(clash: Any, given: list[str], open_: list[str], added: bool) -> list[str]:
    """QuickXplain: a minimal part of `open_` that together with `given` keeps the clash."""
    if added and clash(given):
        return []
    if len(open_) == 1:
        return open_ if not clash(given) else []
    if not open_:
        return []
    half = len(open_) // 2
    left, right = open_[:half], open_[half:]
    second = _quick(clash, [*given, *left], right, bool(left))
    first = _quick(clash, [*given, *second], left, bool(second))
    return [*first, *second]
