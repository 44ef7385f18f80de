"""What a search looks at: which readings of a board differ. The work of one job, fit for any executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lastrites import count
from lastrites.editions import (
    answered_apart,
    choose_reading,
    questions_of,
    same_rules,
    unknown,
    unknown_answers,
    unknown_clauses,
)
from lastrites.errors import BoardError, Problem
from lastrites.explore import IllegalChoice, Impossible, Limits, Unsupported
from lastrites.search.asking import asked_by, asks
from lastrites.search.universe import Canonical, Ends, Found, Universe, canonical
from lastrites.solver import BoundReached, RulesError

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.editions import Questions, Reading
    from lastrites.game import Game
    from lastrites.terms import Term

Json = dict[str, Any]
Pair = tuple[str, str]
"""Two sides: answers to a question, or editions."""


@dataclass(frozen=True)
class Target:
    """What is to be told apart: the answers to a question, two editions, or everything there is: every question, and
    each edition and the one before it.

    ``readings`` are answers that are fixed besides; ``edition`` the edition in use for a question (empty: the newest).
    ``without`` are clauses that are switched off.
    """

    game: str
    question: str = ""
    editions: tuple[str, ...] = ()
    readings: tuple[tuple[str, str], ...] = ()
    edition: str = ""
    without: tuple[str, ...] = ()
    rules: str = ""

    def to_json(self) -> Json:
        """Plain data."""
        return {
            "game": self.game, "question": self.question, "editions": list(self.editions),
            "readings": [list(pair) for pair in self.readings], "edition": self.edition,
            "without": list(self.without), "rules": self.rules,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Json) -> Target:
        """The opposite of :meth:`to_json`."""
        return cls(
            data["game"], data["question"], tuple(data["editions"]), tuple((q, a) for q, a in data["readings"]),
            data["edition"], tuple(data["without"]), data["rules"],
        )  # fmt: skip

    def load(self) -> Game:
        """The game. Raises BoardError."""
        from lastrites.game import load_game

        return load_game(self.game, Path(self.rules) if self.rules else None)

    def check(self) -> None:
        """Raise BoardError (LR-E031) for a question, an answer, an edition or a clause that the game does not know."""
        known = self.known
        rows = [("question", self.question, list(known.answers))] if self.question else []
        rows += [("edition", name, [*known.editions, *known.profiles]) for name in self.editions]
        problems = [unknown(what.upper(), what, name, names) for what, name, names in rows if name not in names]
        problems += unknown_answers(known, "separate", dict(self.readings), self.edition or None, {})
        problems += unknown_clauses(self.load(), "separate", self.without)
        if self.editions and self.edition:
            problems.append(Problem("LR-E031", "--edition", 0, 0, "--editions names the two that are told apart"))
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
        pairs = [" / ".join(pair) for pair in pairwise(known.editions)]
        return [*(question for question in known.answers if question not in dict(self.readings)), *pairs]

    def pairs(self, name: str) -> list[Pair]:
        """The sides that are to be told apart, two at a time: two editions, or two answers to a question."""
        if " / " in name:
            return [self.sides(name)]
        return list(combinations(self.known.answers[name], 2))

    def sides(self, name: str) -> tuple[str, str]:
        """The two editions of a pair; for a question the edition in use, twice."""
        one, slash, other = name.partition(" / ")
        if slash:
            return one, other
        edition = self.edition_for(name)
        return edition, edition

    def about(self, name: str) -> Target:
        """The same search, for one of :meth:`names` only."""
        if " / " in name:
            return replace(self, question="", editions=self.sides(name))
        return replace(self, question=name, editions=(), edition=self.edition_for(name))

    @cached_property
    def known(self) -> Questions:
        """The questions and editions of the game."""
        game = self.load()
        return questions_of(game.rules / game.name)

    def edition_for(self, question: str) -> str:
        """The edition under which a question is looked at: the one in use, or else the newest whose rules ask it."""
        if self.edition or not self.known.editions:
            return self.edition
        asking = (edition for edition in reversed(self.known.editions) if self.asks(edition, question))
        return next(asking, self.known.editions[-1])

    def is_asked(self, question: str) -> bool:
        """Whether the rules of the edition under which a question is looked at have a moment at which it comes up."""
        return self.asks(self.edition_for(question), question)

    def asks(self, edition: str, question: str) -> bool:
        """Whether the rules of an edition ask a question at all."""
        return asks(self._asked_by, question, self.lacking(edition))

    @cached_property
    def _asked_by(self) -> Mapping[str, tuple[frozenset[str], ...]]:
        return asked_by(self.load())

    def lacking(self, edition: str) -> frozenset[str]:
        """The clauses that are not in force under an edition."""
        return self.known.lacks.get(edition, frozenset()) | frozenset(self.without)

    def alike(self, name: str) -> bool:
        """Whether these are two editions with the same rules that answer every question alike that is not fixed
        besides: nothing can tell them apart."""
        return " / " in name and self.needed(name) == frozenset()

    def needed(self, name: str) -> frozenset[str] | None:
        """Questions of which one must come up for something to be told apart; None where other things may do it."""
        if " / " not in name:
            return frozenset({name}) if self.is_asked(name) else None
        one, other = self.sides(name)
        if not same_rules(self.load(), one, other):
            return None
        return answered_apart(self.known, one, other) - dict(self.readings).keys()

    def standing_for(self, edition: str, others: Iterable[str]) -> str:
        """That one of the others that has the same rules as an edition, or the edition itself."""
        return next((other for other in others if same_rules(self.load(), edition, other)), edition)

    def walks(self, names: Iterable[str]) -> list[Walked]:
        """How a board has to be walked to tell these apart: once for editions that have the same rules, with questions
        left open."""
        plain: dict[str, tuple[list[str], list[str]]] = {}
        found: list[Walked] = []
        for name in names:
            if " / " not in name and not self.is_asked(name):
                found += [
                    Walked(self.edition_for(name), (), (name,), ((name, answer),))
                    for answer in self.known.answers[name]
                ]
                continue
            for edition in dict.fromkeys(self.sides(name)):
                editions, wanted = plain.setdefault(self.standing_for(edition, plain), ([], []))
                editions.append(edition)
                wanted.append(name)
        order = [*self.known.profiles, *self.known.editions]
        for editions, wanted in plain.values():
            newest = max(editions, key=lambda edition: order.index(edition) if edition in order else 0)
            found.append(Walked(newest, tuple(self._open(wanted)), tuple(wanted)))
        return found

    def _open(self, names: Sequence[str]) -> list[str]:
        """The questions that have to stay open on a walk."""
        fixed = dict(self.readings)
        if self.question:
            return [self.question]
        asked = [question for question in self.known.answers if question not in fixed]
        if self.everything:
            return asked
        settled = [self.known.settles.get(edition, {}) for edition in self.editions]
        return [q for q in asked if len({each.get(q) for each in settled}) > 1 or settled[0].get(q) is None]

    def reading(self, board: Board, walked: Walked) -> Reading:
        """The reading of a walk."""
        answers = {**dict(self.readings), **dict(walked.answers)}
        return choose_reading(board, answers, walked.edition or None, self.without, left_open=walked.opened)


class Walked(NamedTuple):
    """A walk over a board: the edition, the questions left open, what it tells of, and answers that are fixed."""

    edition: str
    opened: tuple[str, ...]
    names: tuple[str, ...]
    answers: tuple[tuple[str, str], ...] = ()


Begin = Callable[[Sequence[int]], None]
"""Told the places of the boards that are looked at next, together or alone."""


def examine(job: Json, begin: Begin = lambda places: None) -> Json:
    """Look at the boards of a job, which share their cards and their event.

    The job has ``target`` (see :class:`Target`), ``names`` (what of it is to be told apart), ``boards`` (texts of board
    files), ``states`` (the most states of a board that are walked), ``piles`` (whether their order counts). The result
    has a row for each board: ``raised`` (questions that came up, and editions that may differ on it), ``apart`` (for
    each name of which it tells sides apart by what comes out, the pairs of sides), ``chosen`` (the same by what players
    may choose), ``states``, ``odd`` (gaps, conflicts, unexplained branching), ``error`` (why not all of it is known).
    ``begin`` is told what is begun with.
    """
    from lastrites.board import Board

    target = Target.from_json(job["target"])
    rules = Path(target.rules) if target.rules else None
    boards = [Board.from_text(text, "<proposed>", rules=rules) for text in job["boards"]]
    forms = [canonical(board) for board in boards]
    names = job["names"]
    walks = target.walks(names)
    found = []
    for walked in walks:
        needed: set[str] | None = set()
        for name in walked.names:
            questions = target.needed(name)
            needed = None if questions is None or needed is None else needed | questions
        reading = target.reading(boards[0], walked)
        found.append(found_on(boards, forms, reading, job["states"], needed=needed, piles=job["piles"], begin=begin))
    rows = []
    for place in range(len(boards)):
        sides = [(walked, each[place]) for walked, each in zip(walks, found, strict=True)]
        rows.append(_row(target, names, sides))
    return {"rows": rows}


def found_on(
    boards: Sequence[Board],
    forms: Sequence[Canonical],
    reading: Reading,
    states: int,
    *,
    needed: set[str] | None = None,
    piles: bool = False,
    begin: Begin = lambda places: None,
) -> list[Found | str]:
    """What comes out of each board, or why that is not known. Boards to which the same happens share a grounding.

    Boards on which none of the ``needed`` questions can come up, as the grounder sees it, are not walked.
    """
    groups: dict[frozenset[Term], list[int]] = {}
    for place, form in enumerate(forms):
        groups.setdefault(form.shared_by, []).append(place)
    found: dict[int, Found | str] = {}
    for places in groups.values():
        some = [boards[n] for n in places], [forms[n] for n in places]
        begin(places)
        rows = _found_together(*some, reading, states, needed, piles, partial(_begin_with, begin, places))
        found.update(zip(places, rows, strict=True))
    return [found[place] for place in range(len(boards))]


def _begin_with(begin: Begin, places: Sequence[int], number: int) -> None:
    begin([places[number]])


def _found_together(
    boards: Sequence[Board],
    forms: Sequence[Canonical],
    reading: Reading,
    states: int,
    needed: set[str] | None,
    piles: bool,
    begin: Callable[[int], None],
) -> list[Found | str]:
    try:
        universe = Universe(
            boards[0],
            reading,
            frozenset().union(*(form.fixed for form in forms)),
            [form.start for form in forms],
            Limits(states=states),
            piles,
        )
    except (RulesError, BoundReached) as error:
        return [f"{type(error).__name__}: {error}"] * len(boards)
    if universe.rules.unsupported:
        return [f"not supported: {', '.join(text for _, text in universe.rules.unsupported)}"] * len(boards)
    if needed is not None and not universe.rules.asks & needed:
        return [Found((), 0)] * len(boards)
    rows: list[Found | str] = []
    for place, form in enumerate(forms):
        begin(place)
        try:
            found = universe.find(form.start)
            rows.append(found if found.complete else f"more than {states} states")
        except BoundReached as error:
            rows.append(f"outgrows the bound {error.bound}")
        except (RulesError, IllegalChoice, Impossible, Unsupported) as error:
            rows.append(f"{type(error).__name__}: {error}")
    return rows


def fits(job: Json, result: Json) -> bool:
    """Whether a result is one of :func:`examine` for the job: a journal may have been written by something else."""
    rows = result.get("rows")
    whole = row_of_a_failure("").keys()
    return isinstance(rows, list) and len(rows) == len(job["boards"]) and all(
        isinstance(row, dict) and row.keys() == whole for row in rows
    )


def row_of_a_failure(why: str) -> Json:
    """The row of a board of which nothing is known, and why."""
    return {"raised": [], "apart": {}, "chosen": {}, "states": 0, "odd": [], "error": why}


def _row(target: Target, names: Sequence[str], sides: Sequence[tuple[Walked, Found | str]]) -> Json:
    errors = [found for _, found in sides if isinstance(found, str)]
    if len(errors) == len(sides):
        return row_of_a_failure(errors[0])
    found = [(walked, each) for walked, each in sides if isinstance(each, Found)]
    lost = {name for walked, each in sides if isinstance(each, str) for name in walked.names}
    raised: set[str] = set()
    differing: dict[str, list[list[str]]] = {}
    chosen: dict[str, list[list[str]]] = {}
    for name in names:
        here = [(walked, each) for walked, each in found if name in walked.names]
        needed = target.needed(name) if " / " in name else frozenset({name})
        if needed is None or any(needed & each.raised for _, each in here):
            raised.add(name)
        if name not in lost:
            for kept, pairs in zip((differing, chosen), _apart(target, name, here), strict=True):
                if pairs:
                    kept[name] = [list(pair) for pair in sorted(pairs)]
    return {
        "raised": sorted(raised),
        "apart": differing,
        "chosen": chosen,
        "states": sum(each.states for _, each in found),
        "odd": sorted({word for _, each in found for word in each.odd}),
        "error": errors[0] if errors else "",
    }


def _apart(target: Target, name: str, found: Sequence[tuple[Walked, Found]]) -> tuple[set[Pair], set[Pair]]:
    """The pairs of sides that differ in what comes out, and in what players may choose."""
    known, fixed = target.known, dict(target.readings)
    one, other = target.sides(name)
    if " / " in name:
        sides = [_admitted(known, edition, _walk_of(target, found, edition), fixed) for edition in (one, other)]
        both = {(one, other)}
        return (
            both if outcomes(sides[0]) != outcomes(sides[1]) else set(),
            both if set(sides[0].choices) != set(sides[1].choices) else set(),
        )
    rows: list[tuple[str, Mapping[str, str], Ends, int]] = []
    for walked, each in found:
        given = dict(walked.answers)
        admitted = _admitted(known, one, each, fixed, besides=name)
        for (when, ends), choice in zip(admitted.outcomes, admitted.choices, strict=True):
            answers = {**when, **given}
            if name in answers:
                rows.append((answers[name], answers, ends, choice))
    by_outcomes: set[Pair] = set()
    by_choices: set[Pair] = set()
    for (answer, when, ends, choice), (elsewhere, there, others, chosen) in combinations(rows, 2):
        if count.parted_by(when, there) == name:
            pair = (min(answer, elsewhere), max(answer, elsewhere))
            by_outcomes |= {pair} if ends != others else set()
            by_choices |= {pair} if choice != chosen else set()
    return by_outcomes, by_choices


def _walk_of(target: Target, found: Sequence[tuple[Walked, Found]], edition: str) -> Found:
    """The walk under the rules of an edition."""
    walks = {walked.edition: each for walked, each in found}
    return walks[target.standing_for(edition, walks)]


def _admitted(known: Questions, edition: str, found: Found, fixed: Mapping[str, str], besides: str = "") -> Found:
    """What comes out under the answers that an edition admits."""
    settled, excluded = known.settles.get(edition, {}), known.excludes.get(edition, frozenset())
    kept = [
        place
        for place, (when, _) in enumerate(found.outcomes)
        if all(
            question in (besides, *fixed)
            or (settled.get(question, answer) == answer and (question, answer) not in excluded)
            for question, answer in when.items()
        )
    ]
    rows, choices = (tuple(found.outcomes[place] for place in kept), tuple(found.choices[place] for place in kept))
    return Found(rows, found.states, found.complete, found.odd, choices)


def outcomes(found: Found) -> frozenset[Ends]:
    """The sets of outcomes that readings of the board have."""
    return frozenset(ends for _, ends in found.outcomes)
