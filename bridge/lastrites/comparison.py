"""What differs between readings of one board: answers to a question, editions, or two wordings of cards.

Each *side* is resolved by itself. Their outcomes are put side by side, for every combination of answers that both
leave open; then the sides are walked together to the first decision at which they part.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from lastrites.answer import MOST_COMBINATIONS, letters
from lastrites.errors import BoardError, Problem
from lastrites.labels import shortest
from lastrites.parting import parting

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.reductions import Reduction
    from lastrites.resolution import Limits, Resolution

Row = tuple[tuple[str, tuple[str, ...]] | None, ...]
"""Under one combination of answers: number of orders and ids of outcomes on each side; None where it has none."""


@dataclass(frozen=True)
class Side:
    """One of the readings that are compared.

    ``name`` is what it is called in the answer, ``note`` what is to be said about it (who holds this answer, where
    this wording stands).
    """

    name: str
    board: Board
    readings: Mapping[str, str] = field(default_factory=dict)
    edition: str | None = None
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """What came of a comparison.

    ``about`` says what was compared. ``states`` are the final states by id; ``rows`` give, for each combination of
    answers that the sides leave open, what every side has. ``partings`` has nothing where no two sides part;
    ``asked_by`` names the clauses that ask the questions which the sides answer apart.
    """

    about: Mapping[str, Any]
    sides: tuple[Side, ...]
    results: tuple[Resolution, ...]
    states: Mapping[str, Mapping[str, Any]]
    found: tuple[Mapping[str, str], ...]
    rows: tuple[tuple[Mapping[str, str], Row], ...]
    raised: bool
    partings: tuple[Mapping[str, Any], ...]
    because: tuple[Mapping[str, Any], ...] = ()
    asked_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every side was resolved to the end."""
        return all(result.complete for result in self.results)

    @property
    def incomplete_reason(self) -> str:
        """Why a side was not resolved to the end; empty if all were."""
        return next((result.incomplete_reason for result in self.results if not result.complete), "")

    @property
    def differ(self) -> bool:
        """Whether some side has an outcome that another one lacks, under the same answers to all other questions.
        Answers that only some sides rule out make a difference where they come to what no other answer comes to."""
        if any(len({cell[1] for cell in row if cell}) > 1 for _, row in self.rows):
            return True
        sides = ({row[number] for _, row in self.rows} for number in range(len(self.sides)))
        return len({frozenset(cell[1] for cell in cells if cell) for cells in sides}) > 1

    @property
    def counts_differ(self) -> bool:
        """Whether the numbers of orders differ somewhere."""
        return any(len({cell[0] for cell in row if cell}) > 1 for _, row in self.rows)

    def of(self, outcome: str) -> list[str]:
        """The names of the sides that have an outcome, under some combination of answers."""
        return [side.name for side, ids in zip(self.sides, self.found, strict=True) if outcome in ids]

    def to_json(self) -> dict[str, Any]:
        """The comparison in its JSON form (``lastrites.compare/1``)."""
        names = [side.name for side in self.sides]
        first = self.results[0]
        witnesses: dict[str, Any] = {}
        for result, ids in zip(self.results, self.found, strict=True):
            told = result.to_json()["outcomes"]
            for outcome, own in ids.items():
                witnesses.setdefault(outcome, next(each["witness"] for each in told if each["id"] == own))
        outcomes: list[dict[str, Any]] = []
        for id, state in self.states.items():
            holding = self.of(id)
            always = all(all(cell is None or id in cell[1] for cell in row) for _, row in self.rows)
            outcomes.append(
                {"id": id, "sides": holding, "always": always, "state": state, "witness": witnesses[id]}
            )
        return {
            "schema": "lastrites.compare/1",
            "board": first.board.title or first.board.path,
            "game": first.board.game,
            "about": dict(self.about),
            "complete": self.complete,
            **({} if self.complete else {"incomplete_reason": self.incomplete_reason}),
            "raised": self.raised,
            "differ": self.differ,
            "counts_differ": self.counts_differ,
            "sides": [
                {
                    "name": side.name,
                    "note": side.note,
                    "edition": result.reading.edition,
                    "readings": {**dict(result.reading.explicit)},
                    "orders": str(result.order_count) if result.complete and result.order_count is not None else None,
                    "outcomes": sorted(ids, key=lambda id: (len(id), id)),
                    "refused": result.refused,
                    "stuck": result.stuck,
                    "conflicts": result.conflicts,
                    "loops": result.loops,
                    "unexplained": result.unexplained,
                    "warnings": result.warnings,
                }
                for side, result, ids in zip(self.sides, self.results, self.found, strict=True)
            ],
            "rows": [
                {
                    "when": dict(when),
                    "sides": {
                        name: None
                        if cell is None
                        else {"orders": cell[0] if self.complete else None, "outcomes": list(cell[1])}
                        for name, cell in zip(names, row, strict=True)
                    },
                }
                for when, row in self.rows
            ],
            "common": [outcome["id"] for outcome in outcomes if len(outcome["sides"]) == len(names)],
            "only": {
                name: [each["id"] for each in outcomes if each["sides"] == [name]] for name in names
            },
            "outcomes": outcomes,
            "because": [dict(each) for each in self.because],
            "asked_by": {question: list(clauses) for question, clauses in self.asked_by.items()},
            "partings": [dict(each) for each in self.partings],
        }  # fmt: skip


# ---------------------------------------------------------------- what can be compared

def by_answer(board: Board, question: str, readings: Mapping[str, str], edition: str | None) -> list[Side]:
    """A side for each answer to a question. Raises BoardError (LR-E031) for a question that the game does not know."""
    from lastrites.book import read_book
    from lastrites.editions import questions_of, unknown

    known = questions_of(board.rules.rules / board.rules.name)
    if question not in known.answers:
        raise BoardError([unknown("QUESTION", "question", question, known.answers)])
    if question in readings:
        message = f"--reading answers `{question}`, the question that is to be compared"
        raise BoardError([Problem("LR-E031", "--reading", 0, 0, message, "leave it out")])
    book = read_book(board.rules)
    told = next(each for each in book.questions if each.name == question)
    name = edition or board.edition or (known.editions[-1] if known.editions else "")
    settled = known.settles.get(name, {}).get(question)
    sides = []
    for answer in told.answers:
        notes = list(told.holders.get(answer, ()))
        if answer == settled:
            notes.append(f"the answer of {name}")
        elif (question, answer) in known.excludes.get(name, frozenset()) or settled is not None:
            notes.append(f"ruled out by {name}")
        sides.append(Side(answer, board, {**readings, question: answer}, edition, "; ".join(notes)))
    return sides


def by_edition(board: Board, editions: Sequence[str], readings: Mapping[str, str]) -> list[Side]:
    """A side for each edition or profile. Raises BoardError where two are the same."""
    if len(set(editions)) < len(editions):
        raise BoardError([Problem("LR-E031", "--editions", 0, 0, f"{editions[0]} is compared with itself")])
    return [Side(edition, board, dict(readings), edition) for edition in editions]


def by_cards(boards: Sequence[tuple[str, Board]], readings: Mapping[str, str], edition: str | None) -> list[Side]:
    """A side for each wording: the same board file, read with one file or folder of cards or the other."""
    return [Side(name, board, dict(readings), edition) for name, board in boards]


# ---------------------------------------------------------------- comparing

def compare(
    sides: Sequence[Side],
    about: Mapping[str, Any],
    *,
    without: Iterable[str] = (),
    against: Iterable[str] = (),
    pile_order: bool = False,
    limits: Limits | None = None,
    reduction: Reduction = True,
) -> Comparison:
    """Resolve every side and put them side by side. ``about`` is kept for the answer; its ``question`` is looked for
    on the board where the sides turn out the same. Raises BoardError as :func:`lastrites.resolve` does."""
    from lastrites.book import asked_by
    from lastrites.resolution import resolve

    without, against = tuple(without), tuple(against)
    left = _TimeLeft(limits)
    results = tuple(
        resolve(
            side.board, readings=side.readings, edition=side.edition, without=without, against=against,
            pile_order=pile_order, limits=left.share(len(sides) - number), reduction=reduction,
        )
        for number, side in enumerate(sides)
    )  # fmt: skip
    found, states = _outcomes(results)
    rows = _rows(results, found)
    made = Comparison(about, tuple(sides), results, states, tuple(found), rows, True, ())
    raised = True
    question = about.get("question")
    if "cards" in about:
        raised = len({frozenset(side.board.whole_facts()) for side in sides}) > 1
    elif question is not None and made.complete and not (made.differ or made.counts_differ):
        opened = resolve(
            sides[0].board,
            readings={q: a for q, a in sides[0].readings.items() if q != question},
            edition=sides[0].edition, without=without, against=against, limits=left.share(1), left_open=[question],
        )  # fmt: skip
        raised = any(question in assignment.when for assignment in opened.assignments)
    partings = []
    for one, other in _apart(made) if raised else ():
        part = parting(results[one], results[other])
        if part is not None:
            partings.append({"sides": [sides[one].name, sides[other].name], **part})
    because = []
    if "editions" in about and (made.differ or made.counts_differ):
        because = [*_answers_apart(sides, results, without, against), *_clauses_apart(sides, results, without, against)]
    apart = [each["question"] for each in because if "question" in each] if question is None else [question] * raised
    asked = {each: asked_by(sides[0].board.rules, each) for each in apart}
    return replace(made, raised=raised, partings=tuple(partings), because=tuple(because), asked_by=asked)


class _TimeLeft:
    """Shares the time of a comparison out among its sides: what one does not need is left for the others."""

    def __init__(self, limits: Limits | None) -> None:
        self.limits = limits
        self.end = None if limits is None or limits.seconds is None else time.monotonic() + limits.seconds

    def share(self, sides: int) -> Limits | None:
        """The limits for the next of so many sides."""
        if self.limits is None or self.end is None:
            return self.limits
        return replace(self.limits, seconds=max(0.05, (self.end - time.monotonic()) / sides))


def _answers_apart(
    sides: Sequence[Side], results: Sequence[Resolution], without: tuple[str, ...], against: tuple[str, ...]
) -> list[dict[str, Any]]:
    """The questions that matter on the board and that the sides answer differently, with the answer of each side."""
    from lastrites.resolution import resolve
    from lastrites.search.asking import asked_by

    given = [result.reading.answers for result in results]
    apart = [q for q in results[0].reading.questions if len({answers.get(q) for answers in given}) > 1]
    first = sides[0]
    opened = resolve(
        first.board, readings=first.readings, edition=first.edition, without=without, against=against, left_open=apart
    )
    asked = asked_by(first.board.rules)

    def parts(question: str) -> bool:
        """Whether answers make a difference that stand for different rules from the start, so that no rule asks."""
        found = []
        for answer in dict.fromkeys(answers.get(question) for answers in given):
            readings = {**first.readings, **({question: answer} if answer else {})}
            told = resolve(
                first.board, readings=readings, edition=first.edition, without=without, against=against
            )
            found.append(_told(told))
        return any(each != found[0] for each in found)

    return [
        {"question": q, "answers": {side.name: answers.get(q) for side, answers in zip(sides, given, strict=True)}}
        for q in apart
        if q in opened.questions or q in opened.counting or (q not in asked and parts(q))
    ]


def _clauses_apart(
    sides: Sequence[Side], results: Sequence[Resolution], without: tuple[str, ...], against: tuple[str, ...]
) -> list[dict[str, Any]]:
    """Clauses that only some of the sides have, and without which one that has it would come to something else."""
    from lastrites.resolution import resolve

    found = []
    for clause in sorted(set().union(*(result.reading.lacking for result in results))):
        having = [n for n, result in enumerate(results) if clause not in result.reading.lacking]
        for number in having[:1]:
            side, result = sides[number], results[number]
            off = resolve(
                side.board, readings=side.readings, edition=side.edition, without=(*without, clause), against=against
            )
            if _told(off) != _told(result):
                found.append({"clause": clause, "sides": [sides[n].name for n in having]})
    return found


def _told(result: Resolution) -> Any:
    """Outcomes and numbers of orders of a side, to be compared with those of another."""
    states = {outcome.id: json.dumps(outcome.state, sort_keys=True) for outcome in result.outcomes}
    return sorted(
        (sorted(assignment.when.items()), sorted((states[id], str(n)) for id, n in assignment.outcomes.items()))
        for assignment in result.assignments
    )


def _apart(made: Comparison) -> list[tuple[int, int]]:
    """The sides to walk together: the first one with the first of each kind that differs from it, in outcomes if any
    do, else in numbers of orders."""
    kinds: dict[tuple[Any, ...], int] = {}
    for number in range(len(made.sides)):
        cells = (row[number] for _, row in made.rows)
        kinds.setdefault(tuple(cell and (cell[1] if made.differ else cell) for cell in cells), number)
    first, *others = kinds.values()
    return [(first, other) for other in others]


def _outcomes(results: Sequence[Resolution]) -> tuple[list[dict[str, str]], dict[str, Mapping[str, Any]]]:
    """Common ids for the outcomes of all sides: for each side, id -> its own id; and the state of each id."""
    keys: dict[str, list[int]] = {}
    states: dict[str, Mapping[str, Any]] = {}
    own: list[dict[str, str]] = []
    for number, result in enumerate(results):
        mine: dict[str, str] = {}
        for outcome in result.outcomes:
            key = json.dumps(outcome.state, sort_keys=True, ensure_ascii=False)
            keys.setdefault(key, []).append(number)
            states.setdefault(key, outcome.state)
            mine[key] = outcome.id
        own.append(mine)
    ordered = sorted(keys, key=lambda key: (-len(keys[key]), keys[key], list(keys).index(key)))
    ids = {key: letters(place) for place, key in enumerate(ordered)}
    return [{ids[key]: id for key, id in mine.items()} for mine in own], {ids[key]: states[key] for key in ordered}


def _rows(
    results: Sequence[Resolution], found: Sequence[Mapping[str, str]]
) -> tuple[tuple[Mapping[str, str], Row], ...]:
    """What every side has under each combination of the answers that are open, told as briefly as can be."""
    asked: dict[str, list[str]] = {}
    for result in results:
        for assignment in result.assignments:
            for question, answer in assignment.when.items():
                known = asked.setdefault(question, [])
                if answer not in known:
                    known.append(answer)
    size = 1
    for answers in asked.values():
        size *= len(answers)
    if size > MOST_COMBINATIONS:
        message = f"the board leaves {len(asked)} other questions open, {size:,} combinations of answers"
        path = results[0].board.path
        raise BoardError([Problem("LR-E035", path, 0, 0, message, "fix some of them with --reading Q=A")])
    names = [{own: id for id, own in mine.items()} for mine in found]
    full: list[tuple[dict[str, str], set[Row]]] = []
    for chosen in product(*asked.values()):
        when = dict(zip(asked, chosen, strict=True))
        row = tuple(_cell(result, when, mine) for result, mine in zip(results, names, strict=True))
        full.append((when, {row}))
    return tuple((when, next(iter(rows))) for when, rows in shortest(full, [when for when, _ in full]))


def _cell(result: Resolution, when: Mapping[str, str], names: Mapping[str, str]) -> tuple[str, tuple[str, ...]] | None:
    """Orders and outcomes of a side under a combination of answers; None where the side rules an answer out."""
    for assignment in result.assignments:
        if all(when.get(question) == answer for question, answer in assignment.when.items()):
            ids = sorted((names[id] for id in assignment.outcomes), key=lambda id: (len(id), id))
            return str(assignment.orders), tuple(ids)
    return None
