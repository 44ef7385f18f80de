"""What a search looks at: which readings of a board differ. The work of one job, fit for any executor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastrites import count
from lastrites.editions import choose_reading, questions_of, unknown
from lastrites.errors import BoardError, Problem
from lastrites.explore import IllegalChoice, Impossible, Limits, Unsupported
from lastrites.search.universe import Canonical, Ends, Found, Universe, canonical
from lastrites.solver import BoundReached, RulesError

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.editions import Questions, Reading
    from lastrites.game import Game
    from lastrites.terms import Term

Json = dict[str, Any]


@dataclass(frozen=True)
class Target:
    """What is to be told apart: the answers to a question, two editions, or everything there is: every question, and
    each edition and the one before it.

    ``readings`` are answers that are fixed besides; ``edition`` the edition in use for a question (empty: the newest).
    ``without`` are clauses that are switched off. ``piles`` and ``traces`` also look at the order of piles and at the
    orders themselves.
    """

    game: str
    question: str = ""
    editions: tuple[str, ...] = ()
    readings: tuple[tuple[str, str], ...] = ()
    edition: str = ""
    without: tuple[str, ...] = ()
    piles: bool = False
    traces: bool = False
    rules: str = ""

    def to_json(self) -> Json:
        """Plain data."""
        return {
            "game": self.game, "question": self.question, "editions": list(self.editions),
            "readings": [list(pair) for pair in self.readings], "edition": self.edition,
            "without": list(self.without), "piles": self.piles, "traces": self.traces, "rules": self.rules,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Json) -> Target:
        """The opposite of :meth:`to_json`."""
        return cls(
            data["game"], data["question"], tuple(data["editions"]), tuple((q, a) for q, a in data["readings"]),
            data["edition"], tuple(data["without"]), data["piles"], data["traces"], data["rules"],
        )  # fmt: skip

    def load(self) -> Game:
        """The game. Raises BoardError."""
        from lastrites.game import load_game

        return load_game(self.game, Path(self.rules) if self.rules else None)

    def check(self) -> None:
        """Raise BoardError (LR-E031) for a question or an edition that the game does not know."""
        known = self.known
        rows = [("question", self.question, list(known.answers))] if self.question else []
        rows += [("edition", name, [*known.editions, *known.profiles]) for name in self.editions]
        problems = [unknown(what.upper(), what, name, names) for what, name, names in rows if name not in names]
        if len(self.editions) == 2 and self.editions[0] == self.editions[1]:
            problems.append(Problem("LR-E031", "--editions", 0, 0, f"{self.editions[0]} is compared with itself"))
        if self.question and self.question in dict(self.readings):
            problems.append(Problem("LR-E031", "--reading", 0, 0, f"--reading answers `{self.question}` itself"))
        if problems:
            raise BoardError(problems)

    @property
    def everything(self) -> bool:
        """Whether all questions and all neighbouring editions are to be told apart."""
        return not self.question and not self.editions

    def names(self) -> list[str]:
        """What is told apart: questions, and pairs of editions written ``A / B``."""
        if not self.everything:
            return [self.question or " / ".join(self.editions)]
        known = self.known
        lacks = known.lacks
        pairs = [f"{one} / {other}" for one, other in pairwise(known.editions) if lacks.get(one) == lacks.get(other)]
        return [*(question for question in known.answers if question not in dict(self.readings)), *pairs]

    @cached_property
    def known(self) -> Questions:
        """The questions and editions of the game."""
        game = self.load()
        return questions_of(game.rules / game.name)

    def sides(self, board: Board) -> list[Reading]:
        """The readings to resolve: one that leaves questions open, or one for each edition."""
        fixed = dict(self.readings)
        if self.question or self.everything:
            opened = [self.question] if self.question else [q for q in self.known.answers if q not in fixed]
            return [choose_reading(board, fixed, self.edition or None, self.without, (), left_open=opened)]
        return [choose_reading(board, fixed, edition, self.without) for edition in self.editions]

    def questions(self) -> frozenset[str] | None:
        """Questions of which one must come up for the sides to differ; None where other things may tell them apart."""
        known = self.known
        if self.question:
            return frozenset({self.question})
        if self.everything:
            return frozenset(known.answers) - dict(self.readings).keys()
        one, other = self.editions
        if known.lacks.get(one, frozenset()) != known.lacks.get(other, frozenset()):
            return None
        return frozenset(
            question for question in known.answers
            if known.settles.get(one, {}).get(question) != known.settles.get(other, {}).get(question)
            or _excluded(known, one, question) != _excluded(known, other, question)
        )  # fmt: skip


def _excluded(known: Questions, edition: str, question: str) -> set[str]:
    return {answer for asked, answer in known.excludes.get(edition, frozenset()) if asked == question}


def examine(job: Json) -> Json:
    """Look at the boards of a job, which share their cards and their event.

    The job has ``target`` (see :class:`Target`), ``boards`` (texts of board files) and ``states`` (the most states
    of a board that are walked). The result has a row for each board: ``raised`` (what matters came up), ``apart`` (what
    it tells apart, as in ``Target.names``), ``states``, ``odd`` (gaps, conflicts, unexplained branching), ``error``.
    """
    from lastrites.board import Board

    target = Target.from_json(job["target"])
    rules = Path(target.rules) if target.rules else None
    boards = [Board.from_text(text, "<proposed>", rules=rules) for text in job["boards"]]
    forms = [canonical(board) for board in boards]
    found = [found_on(boards, forms, reading, job["states"]) for reading in target.sides(boards[0])]
    rows = []
    for place, board in enumerate(boards):
        sides = [side[place] for side in found]
        rows.append(_row(target, board, sides))
    return {"rows": rows}


def found_on(
    boards: Sequence[Board], forms: Sequence[Canonical], reading: Reading, states: int
) -> list[Found | str]:
    """What comes out of each board, or why that is not known. Boards to which the same happens share a grounding."""
    groups: dict[frozenset[Term], list[int]] = {}
    for place, form in enumerate(forms):
        groups.setdefault(form.shared_by, []).append(place)
    found: dict[int, Found | str] = {}
    for places in groups.values():
        rows = _found_together([boards[n] for n in places], [forms[n] for n in places], reading, states)
        found.update(zip(places, rows, strict=True))
    return [found[place] for place in range(len(boards))]


def _found_together(
    boards: Sequence[Board], forms: Sequence[Canonical], reading: Reading, states: int
) -> list[Found | str]:
    try:
        universe = Universe(
            boards[0],
            reading,
            frozenset().union(*(form.fixed for form in forms)),
            [form.start for form in forms],
            Limits(states=states),
        )
    except (RulesError, BoundReached) as error:
        return [f"{type(error).__name__}: {error}"] * len(boards)
    if universe.rules.unsupported:
        return [f"not supported: {', '.join(universe.rules.unsupported)}"] * len(boards)
    rows: list[Found | str] = []
    for form in forms:
        try:
            found = universe.find(form.start)
            rows.append(found if found.complete else f"more than {states} states")
        except BoundReached as error:
            rows.append(f"outgrows the bound {error.bound}")
        except (RulesError, IllegalChoice, Impossible, Unsupported) as error:
            rows.append(f"{type(error).__name__}: {error}")
    return rows


def _row(target: Target, board: Board, sides: Sequence[Found | str]) -> Json:
    errors = [side for side in sides if isinstance(side, str)]
    if errors:
        return {"raised": False, "apart": [], "states": 0, "odd": [], "error": errors[0]}
    found = [side for side in sides if isinstance(side, Found)]
    if target.everything:
        raised, differing = bool(found[0].raised), _all_apart(target, found[0])
    elif target.question:
        raised = target.question in found[0].raised
        differing = target.names() if apart(found[0], target.question) else []
    else:
        raised, differing = True, target.names() if outcomes(found[0]) != outcomes(found[1]) else []
    if raised and not differing and not target.everything and (target.piles or target.traces):
        differing = target.names() if _apart_by_resolving(target, board) else []
    states = sum(side.states for side in found)
    odd = sorted({word for side in found for word in side.odd})
    return {"raised": raised, "apart": differing, "states": states, "odd": odd, "error": ""}


def _all_apart(target: Target, found: Found) -> list[str]:
    """Everything that the board tells apart, from one walk with all questions open."""
    known = target.known
    newest = target.edition or known.editions[-1]
    differing = []
    for name in target.names():
        if name in known.answers:
            admitted = _admitted(known, newest, found, besides=name)
            if apart(admitted, name):
                differing.append(name)
        else:
            one, other = name.split(" / ")
            if outcomes(_admitted(known, one, found)) != outcomes(_admitted(known, other, found)):
                differing.append(name)
    return differing


def _admitted(known: Questions, edition: str, found: Found, besides: str = "") -> Found:
    """What comes out under the answers that an edition admits."""
    settled, excluded = known.settles.get(edition, {}), known.excludes.get(edition, frozenset())
    rows = tuple(
        (when, ends)
        for when, ends in found.outcomes
        if all(
            question == besides or (settled.get(question, answer) == answer and (question, answer) not in excluded)
            for question, answer in when.items()
        )
    )
    return Found(rows, found.states, found.complete, found.odd)


def outcomes(found: Found) -> frozenset[Ends]:
    """The sets of outcomes that readings of the board have."""
    return frozenset(ends for _, ends in found.outcomes)


def apart(found: Found, question: str) -> bool:
    """Whether two answers to the question differ in their outcomes, under the same answers to all others."""
    return any(
        there != ends and count.parted_by(when, other) == question
        for (when, ends), (other, there) in combinations(found.outcomes, 2)
    )


def _apart_by_resolving(target: Target, board: Board) -> bool:
    """Whether the sides differ in the order of piles, or in their legal orders."""
    from lastrites import comparison

    sides = (
        comparison.by_answer(board, target.question, dict(target.readings), target.edition or None)
        if target.question
        else comparison.by_edition(board, target.editions, dict(target.readings))
    )
    about = {"question": target.question} if target.question else {"editions": list(target.editions)}
    made = comparison.compare(sides, about, pile_order=target.piles, without=target.without)
    if made.differ or (target.traces and made.counts_differ):
        return True
    return target.traces and len({_orders(result) for result in made.results}) > 1


def _orders(result: Any, most: int = 1_000) -> frozenset[tuple[Any, ...]]:
    """The legal orders of a side, step by step with what changes."""
    orders: Iterable[Any] = result.orders(limit=most)
    return frozenset(tuple((step.decision, step.changes) for step in order.steps) for order in orders)
