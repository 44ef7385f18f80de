"""The work behind the commands, free of anything that prints.

Each job takes ``emit`` and one picklable request, so that it can be done here or in a worker process, and
reports by messages: ``progress`` (a text), ``order`` (one in its JSON form), ``problems``,
and at the end ``result``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lastrites.errors import BoardError, Problem

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.comparison import Side
    from lastrites.expect import Entry, Expectation, Scope
    from lastrites.reductions import Reduction
    from lastrites.resolution import Resolution
    from lastrites.worker import Emit

MOST_REOPENED = 5_000
"""So many states may be explored to see on which fixed answers an outcome rests."""


@dataclass(frozen=True)
class Request:
    """One board, how it is to be read, and how far to go."""

    board: Board
    readings: Mapping[str, str] = field(default_factory=dict)
    edition: str | None = None
    without: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    pile_order: bool = False
    limit_states: int | None = None
    timeout: float | None = None
    max_memory: int | None = None
    outcome: str | None = None
    limit: int | None = None
    reduction: Reduction = True
    expectations: tuple[Expectation, ...] = ()
    limit_outcomes: int | None = None


def nothing_known(request: Request) -> dict[str, Any]:
    """The JSON form of an answer that was ended before anything was known."""
    board = request.board
    edition = request.edition or board.edition
    if edition is None:
        from lastrites.editions import questions_of

        editions = questions_of(board.rules.rules / board.rules.name).editions
        edition = editions[-1] if editions else ""
    return {
        "schema": "lastrites.outcomes/1",
        "board": board.title or board.path,
        "game": board.game,
        "edition": edition,
        "readings": {**board.readings, **request.readings},
        "complete": False,
        "incomplete_reason": "",
        "states": 0,
        "orders": None,
        "readings_explored": [],
        "refused": [],
        "questions": {},
        "counting": {},
        "outcomes": [],
        "stuck": [],
        "conflicts": [],
        "loops": [],
        "unexplained": [],
        "warnings": list(board.warnings),
    }


def _resolve(
    request: Request,
    emit: Emit,
    readings: Mapping[str, str] | None = None,
    edition: str | None = None,
    pile_order: bool | None = None,
    left_open: Sequence[str] = (),
    most: int | None = None,
    seconds: float | None = None,
) -> Resolution:
    """The board resolved as asked for; ``most`` and ``seconds`` are bounds instead of those that were asked for."""
    from lastrites.resolution import Limits, resolve

    return resolve(
        request.board,
        readings=request.readings if readings is None else readings,
        edition=edition or request.edition,
        without=request.without,
        against=request.against,
        pile_order=request.pile_order if pile_order is None else pile_order,
        limits=Limits(
            request.limit_states if most is None else most,
            request.timeout if seconds is None else seconds,
            lambda text: emit("progress", text),
            request.limit_outcomes,
        ),
        reduction=request.reduction,
        left_open=left_open,
    )


def _ruled(resolution: Resolution, request: Request, emit: Emit, started: float) -> list[dict[str, Any]]:
    """The rulings on all outcomes; fixed answers on which an outcome does not rest are told apart, as far as the
    limits of the request and MOST_REOPENED states allow."""
    from lastrites.ruling import rulings

    def reopen(questions: Sequence[str]) -> Resolution | None:
        left = None if request.timeout is None else request.timeout - (time.monotonic() - started)
        if left is not None and left <= 0:
            return None
        most = min(request.limit_states or MOST_REOPENED, MOST_REOPENED)
        others = {question: answer for question, answer in request.readings.items() if question not in questions}
        try:
            return _resolve(request, emit, others, left_open=questions, most=most, seconds=left)
        except BoardError:
            return None

    return rulings(resolution, request.readings, reopen)


def told_as_factors(board: Board, what: str) -> BoardError:
    """What is to be said where something needs a list of the outcomes, and they are told as factors."""
    message = f"the outcomes are too many to list, and told as factors: {what}"
    hint = "`lastrites outcomes` tells the ends of each group; --limit-outcomes N lists up to N outcomes"
    return BoardError([Problem("LR-E035", str(board.path), 0, 0, message, hint)])


def outcomes(emit: Emit, request: Request) -> None:
    """Emits the answer as ``result``."""
    try:
        emit("result", _resolve(request, emit).to_json())
    except BoardError as error:
        # Sent as data: an exception of this kind does not survive the way between processes.
        emit("problems", error.problems)


def why(emit: Emit, request: Request) -> None:
    """Emits the answer as ``result``, with the rulings on its outcomes under ``rulings``."""
    started = time.monotonic()
    try:
        resolution = _resolve(request, emit)
        if resolution.factors is not None:
            emit("result", _why_factors(resolution, request))
            return
        emit("result", {**resolution.to_json(), "rulings": _ruled(resolution, request, emit, started)})
    except BoardError as error:
        emit("problems", error.problems)


def report(emit: Emit, request: Request) -> None:
    """Emits the answer as ``result``, with the rulings on its outcomes under ``rulings`` where they are listed."""
    started = time.monotonic()
    try:
        resolution = _resolve(request, emit)
        told = [] if resolution.factors is not None else _ruled(resolution, request, emit, started)
        emit("result", {**resolution.to_json(), "rulings": told})
    except BoardError as error:
        emit("problems", error.problems)


def _why_factors(resolution: Resolution, request: Request) -> dict[str, Any]:
    """The same where outcomes are told as factors: with the ruling on the outcome asked for. Raises BoardError."""
    from lastrites.focus import focused
    from lastrites.ruling import rulings

    (*_, row) = resolution.factors or ()
    example = " ".join(group.ends[0].id for group in row.groups)
    if request.outcome is None:
        raise told_as_factors(request.board, f'name one, an end of each group, for example --outcome "{example}"')
    name = request.outcome
    found = focused(resolution, lambda factors: factors.named(name))
    if not found.outcomes:
        hint = f'an outcome is an end of each group, for example "{example}"'
        raise BoardError([Problem("LR-E016", str(request.board.path), 0, 0, f"there is no outcome {name}", hint)])
    told = rulings(found, request.readings)
    return {**resolution.to_json(), "rulings": [{**told[0], "id": name}]}


@dataclass(frozen=True)
class WhyNotRequest:
    """A described state, as text and compiled, and how many clauses may be tried; the rest is in ``request``."""

    text: str
    entry: Entry
    tries: int
    request: Request


def why_not(emit: Emit, asked: WhyNotRequest) -> None:
    """Emits what is known, again and again, as ``result``; at last the whole answer."""
    from lastrites.focus import TooTangled
    from lastrites.whynot import why_not as explain

    try:
        emit("result", explain(asked, emit))
    except TooTangled:
        what = "too many ends would have to be looked at together"
        emit("problems", told_as_factors(asked.request.board, what).problems)
    except BoardError as error:
        emit("problems", error.problems)


def orders(emit: Emit, request: Request) -> None:
    """Emits every legal order that is asked for as ``order``, and the answer as ``result``."""
    try:
        resolution = _resolve(request, emit)
        if resolution.factors is not None:
            _orders_of_factors(resolution, request, emit)
            return
        known = [outcome.id for outcome in resolution.outcomes]
        if request.outcome is not None and request.outcome not in known:
            hint = f"outcomes of this board: {', '.join(known) or 'none'}"
            message = f"there is no outcome {request.outcome}"
            raise BoardError([Problem("LR-E016", str(request.board.path), 0, 0, message, hint)])
        listed = 0
        for order in resolution.orders(request.outcome, limit=request.limit):
            steps = [step.to_json() for step in order.steps]
            emit("order", {"when": dict(order.when), "outcome": order.outcome, "steps": steps})
            listed += 1
        result = resolution.to_json()
        # The answer may be whole although the states, without any that stand for others, are too many to list all.
        if listed != request.limit and result["complete"] and not resolution.graph.complete:
            result |= {"complete": False, "incomplete_reason": resolution.graph.reason}
        emit("result", result)
    except BoardError as error:
        emit("problems", error.problems)


def _orders_of_factors(resolution: Resolution, request: Request, emit: Emit) -> None:
    """The same where outcomes are told as factors: orders are found step by step."""
    if request.outcome is not None:
        raise told_as_factors(request.board, "the orders of one of them are not listed by themselves")
    for order in resolution.orders(limit=request.limit):
        steps = [step.to_json() for step in order.steps]
        emit("order", {"when": dict(order.when), "outcome": order.outcome, "steps": steps})
    emit("result", resolution.to_json(witnesses=False))


def graph(emit: Emit, request: Request) -> None:
    """Emits the trigger graph in its JSON form as ``result``: first what is possible, then what the states show."""
    import time

    from lastrites.resolution import Limits, resolve
    from lastrites.triggers import trigger_graph

    begun = time.monotonic()

    def resolved(states: int | None) -> Resolution:
        seconds = request.timeout
        if seconds is not None and states != 1:
            seconds = max(0.001, seconds * _EXPLORING - (time.monotonic() - begun))
        return resolve(
            request.board,
            readings=request.readings,
            edition=request.edition,
            without=request.without,
            against=request.against,
            limits=Limits(states, seconds, lambda text: emit("progress", text), request.limit_outcomes),
            reduction=request.reduction,
        )

    def tell(resolution: Resolution) -> None:
        refused = [dict(refusal) for refusal in resolution.refused]
        emit("result", {**resolution.triggers.to_json(), "refused": refused, "complete": resolution.complete})

    try:
        first = resolved(1)
        tell(first)
        if not first.complete and request.limit_states != 1:
            whole = resolved(request.limit_states)
            if whole.factors is not None:
                told = first.triggers.to_json()
                told["graph"]["incomplete_reason"] = "groups do not affect each other; their states multiply"
                emit("result", {**told, "refused": [], "complete": False})
                return
            whole._triggers = trigger_graph(whole, first.triggers.footprints)
            tell(whole)
    except BoardError as error:
        emit("problems", error.problems)


_EXPLORING = 0.6
"""The part of a time limit in which states are explored; the rest is for what they show."""


def no_graph(request: Request) -> dict[str, Any]:
    """The JSON form of a trigger graph that was ended before anything was known."""
    known = nothing_known(request)
    about = {key: known[key] for key in ("board", "game", "edition", "readings")}
    return {
        "schema": "lastrites.graph/1",
        "directed": True,
        "multigraph": True,
        "graph": {**about, "complete": False, "incomplete_reason": ""},
        "nodes": [],
        "links": [],
        "groups": [],
        "cycles": [],
        "pairs": [],
        "refused": [],
        "complete": False,
    }


# ---------------------------------------------------------------- expectations

def scope_of(board: Board) -> Scope:
    """What the expectations of a board may speak of."""
    from lastrites.expect import Scope

    def questions() -> tuple[Mapping[str, tuple[str, ...]], tuple[str, ...]]:
        from lastrites.editions import questions_of

        known = questions_of(board.rules.rules / board.rules.name)
        return known.answers, (*known.editions, *known.profiles)

    return Scope(board.path, board.rules.shape, board.players, board.cards, questions)


def expectations(board: Board) -> tuple[Expectation, ...]:
    """The expectations of a board; none if it has none. Raises BoardError."""
    if board.expect is None:
        return ()
    from lastrites.expect import compile_expectations

    return compile_expectations(board.expect, scope_of(board))


def verify(emit: Emit, request: Request) -> None:
    """Emits the verdict on the board, as a mapping, as ``result``."""
    from lastrites.verify import verify as verify_expectations

    # Numbers are checked of factors, too; where an expectation describes outcomes these must be listed.
    described = any(each.outcomes is not None for each in request.expectations)
    request = replace(request, limit_outcomes=None if described else request.limit_outcomes)

    def answer(readings: Mapping[str, str], edition: str | None, pile_order: bool) -> Mapping[str, Any]:
        return _resolve(request, emit, readings, edition, pile_order).to_json(witnesses=False)

    def settled(edition: str) -> Mapping[str, str]:
        from lastrites.editions import questions_of

        game = request.board.rules
        return questions_of(game.rules / game.name).settles.get(edition, {})

    try:
        if not request.expectations:
            # One state is enough to see whether the rules take the board at all.
            _resolve(request, emit, most=1)
        verdict = verify_expectations(
            request.expectations,
            answer,
            readings=request.readings,
            edition=request.edition,
            pile_order=request.pile_order,
            settled=settled,
        )
        emit("result", vars(verdict))
    except BoardError as error:
        emit("problems", error.problems)


# ---------------------------------------------------------------- compare

@dataclass(frozen=True)
class CompareRequest:
    """Sides to put side by side; ``request`` says how they are to be read, and how far to go."""

    sides: tuple[Side, ...]
    about: Mapping[str, Any]
    request: Request


def compare(emit: Emit, asked: CompareRequest) -> None:
    """Emits the comparison in its JSON form as ``result``."""
    from lastrites.comparison import compare as put_side_by_side
    from lastrites.factors import OutcomesUntold
    from lastrites.resolution import Limits

    request = asked.request
    limits = Limits(
        request.limit_states, request.timeout, lambda text: emit("progress", text), request.limit_outcomes
    )
    try:
        found = put_side_by_side(
            asked.sides,
            asked.about,
            without=request.without,
            against=request.against,
            pile_order=request.pile_order,
            limits=limits,
            reduction=request.reduction,
        )
        emit("result", found.to_json())
    except OutcomesUntold:
        board = asked.sides[0].board
        emit("problems", told_as_factors(board, "sides are compared outcome by outcome").problems)
    except BoardError as error:
        emit("problems", error.problems)


# ---------------------------------------------------------------- program

def program(emit: Emit, request: Request) -> None:
    """Emits the text of the whole program as ``result``, or the ``reason`` why it is not known."""
    from lastrites.solver import unrolled
    from lastrites.trace import bounded

    try:
        resolution = _resolve(request, emit)
        if not resolution.complete:
            emit("reason", resolution.incomplete_reason)
            return
        emit("result", unrolled(*bounded(resolution)))
    except BoardError as error:
        emit("problems", error.problems)
