"""Which answers are in use: from the command, from the board, from the edition; the rest stays open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lastrites.errors import BoardError, Problem
from lastrites.names import nearest
from lastrites.solver import read_facts
from lastrites.terms import Term, fn

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.game import Game


AN_ARGUMENT, NO_SOURCE = 4, 9
"""What a source weighs that the rules do not know, and an answer that nobody gives: see ``standing/3``."""


class Source(NamedTuple):
    """Who gives an answer to a question, from when it is if that is known, and how much it weighs (less is better)."""

    where: str
    date: str
    weight: int

    def __str__(self) -> str:
        return f"{self.where} ({self.date})" if self.date else self.where


@dataclass(frozen=True)
class Questions:
    """The questions of a game with their answers, and the editions and profiles (oldest edition first).

    ``about`` says what a question is about, ``sources`` who gives an answer, the best source first.
    """

    answers: Mapping[str, tuple[str, ...]]
    editions: tuple[str, ...]
    profiles: tuple[str, ...]
    settles: Mapping[str, Mapping[str, str]]
    excludes: Mapping[str, frozenset[tuple[str, str]]]
    lacks: Mapping[str, frozenset[str]]
    about: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[tuple[str, str], tuple[Source, ...]] = field(default_factory=dict)

    def weight(self, question: str, answer: str) -> int:
        """How much the best source of an answer weighs: less is better."""
        return min((source.weight for source in self.sources.get((question, answer), ())), default=NO_SOURCE)


@dataclass(frozen=True)
class Reading:
    """The answers in use.

    ``edition`` is the edition or profile, ``explicit`` the answers that the user or the board gave, ``answers`` all
    that are fixed, ``excluded`` answers that the edition rules out, ``lacking`` the clauses that it does not have,
    ``questions`` every question of the game, ``without`` and ``against`` the clauses that the user switched.
    """

    edition: str
    explicit: Mapping[str, str]
    answers: Mapping[str, str]
    excluded: frozenset[tuple[str, str]]
    lacking: frozenset[str]
    questions: Mapping[str, tuple[str, ...]]
    without: tuple[str, ...] = ()
    against: tuple[str, ...] = ()

    def facts(self) -> list[Term]:
        """What the rules are told about it."""
        told = [fn("answer", fn(question), fn(answer)) for question, answer in sorted(self.answers.items())]
        told += [fn("excluded", fn(question), fn(answer)) for question, answer in sorted(self.excluded)]
        told += [fn("without", clause) for clause in sorted({*self.lacking, *self.without})]
        told += [fn("against", clause) for clause in sorted(self.against)]
        told.append(fn("in_edition", self.edition))
        return told


def questions_of(folder: Path) -> Questions:
    """The questions of the game whose rules lie in ``folder``: the facts of its ``questions.lp``."""
    return _questions(folder.resolve())


@lru_cache(maxsize=8)
def _questions(folder: Path) -> Questions:
    file = folder / "questions.lp"
    facts = read_facts([file]) if file.is_file() else []
    rows: dict[str, list[tuple[str, ...]]] = {}
    for fact in facts:
        texts = tuple(arg if isinstance(arg, str) else str(arg) for arg in fact.args)
        rows.setdefault(fact.name, []).append(texts)
    order = sorted(rows.get("question", ()), key=lambda row: (int(row[1]), row[0]))
    answers = {
        name: tuple(sorted(row[1] for row in rows.get("answers", ()) if row[0] == name)) for name, _ in order
    }  # fmt: skip
    settles: dict[str, dict[str, str]] = {}
    for edition, question, answer in sorted(rows.get("settles", ())):
        settles.setdefault(edition, {})[question] = answer
    excludes: dict[str, set[tuple[str, str]]] = {}
    for edition, question, answer in sorted(rows.get("excludes", ())):
        excludes.setdefault(edition, set()).add((question, answer))
    lacks: dict[str, set[str]] = {}
    for edition, clause in sorted(rows.get("lacks", ())):
        lacks.setdefault(edition, set()).add(clause)
    return Questions(
        answers,
        tuple(row[0] for row in sorted(rows.get("edition", ()), key=lambda row: int(row[1]))),
        tuple(sorted(row[0] for row in rows.get("profile", ()))),
        settles,
        {edition: frozenset(pairs) for edition, pairs in excludes.items()},
        {edition: frozenset(clauses) for edition, clauses in lacks.items()},
        {row[0]: row[1] for row in rows.get("asks_about", ())},
        _sources(rows.get("holder", ()), rows.get("standing", ())),
    )


def _sources(
    holders: Iterable[tuple[str, ...]], standing: Iterable[tuple[str, ...]]
) -> dict[tuple[str, str], tuple[Source, ...]]:
    """The sources of each answer, the best one first. A holder may name several, with semicolons between them."""
    known = [(phrase.casefold(), date, int(weight)) for phrase, date, weight in standing]
    found: dict[tuple[str, str], list[Source]] = {}
    for question, answer, where in sorted(holders):
        for part in where.split("; "):
            said = part.casefold()
            matches = [(said.index(row[0]), -len(row[0]), row) for row in known if row[0] in said]
            _, date, weight = min(matches)[2] if matches else ("", "", AN_ARGUMENT)
            found.setdefault((question, answer), []).append(Source(part, date, weight))
    return {key: tuple(sorted(sources, key=lambda source: source.weight)) for key, sources in found.items()}


def unknown(
    file: str, what: str, name: str, choices: Iterable[str], where: tuple[int, int] = (0, 0), known: str = ""
) -> Problem:
    """The message on a name that is none of ``choices``; ``known`` is the hint where nothing is near (default: all)."""
    choices = list(choices)
    close = nearest(name, choices)
    known = known or f"known here: {', '.join(choices) or 'none'}"
    hint = f"did you mean {' or '.join(close)}?" if close else known
    return Problem("LR-E031", file, *where, f"unknown {what} `{name}`", hint)


LISTED_BY_CLAUSES = "`lastrites clauses GAME` lists them"


def unknown_answers(
    known: Questions,
    file: str,
    readings: Mapping[str, str],
    edition: str | None,
    places: Mapping[str, tuple[int, int]],
) -> list[Problem]:
    """The questions, answers and editions among these that the game does not know; ``places`` says where they stand."""
    problems = []
    for question, answer in readings.items():
        where = places.get(f"readings.{question}", (0, 0))
        if question not in known.answers:
            problems.append(unknown(file, "question", question, known.answers, where))
        elif answer not in known.answers[question]:
            problems.append(unknown(file, f"answer to {question}", answer, known.answers[question], where))
    names = (*known.editions, *known.profiles)
    if edition is not None and edition not in names:
        hint = f"known here: {', '.join(names) or 'none'}"
        where = places.get("edition", (0, 0))
        problems.append(Problem("LR-E031", file, *where, f"unknown edition `{edition}`", hint))
    return problems


def choose_reading(
    board: Board,
    readings: Mapping[str, str],
    edition: str | None,
    without: Iterable[str] = (),
    against: Iterable[str] = (),
    left_open: Iterable[str] = (),
) -> Reading:
    """The reading in use: ``readings``, the board's readings, ``edition``, the board's edition, the newest edition.

    ``left_open`` names questions that stay open whatever the board and the edition answer.
    Raises BoardError (LR-E031) for a question, an answer, an edition or a clause that the game does not know.
    """
    game = board.rules
    known = questions_of(game.rules / game.name)
    asked = frozenset(left_open)
    problems = [
        unknown(board.path, "question", question, known.answers, (0, 0))
        for question in sorted(asked - known.answers.keys())
    ]
    own = {question: answer for question, answer in board.readings.items() if question not in asked}
    problems += unknown_answers(known, board.path, own, board.edition if edition is None else None, board.places)
    problems += unknown_answers(known, board.path, readings, edition, {})
    explicit = {**own, **readings}
    chosen = edition if edition is not None else board.edition
    if chosen is None:
        chosen = known.editions[-1] if known.editions else ""
    without, against = tuple(without), tuple(against)
    problems += unknown_clauses(game, board.path, without, against)
    if problems:
        raise BoardError(problems)
    settled = {q: a for q, a in known.settles.get(chosen, {}).items() if q not in asked}
    answers = {**settled, **explicit}
    shut = (pair for pair in known.excludes.get(chosen, frozenset()) if pair[0] not in asked)
    excluded = frozenset(pair for pair in shut if pair[0] not in answers)
    for question, all_answers in known.answers.items():
        left = [answer for answer in all_answers if (question, answer) not in excluded]
        if question not in answers and len(left) == 1:
            answers[question] = left[0]
    return Reading(
        chosen,
        explicit,
        answers,
        excluded,
        known.lacks.get(chosen, frozenset()),
        known.answers,
        without,
        against,
    )


_IN_EDITION = re.compile(r"^[^%#\n]*\bin_edition\(", re.MULTILINE)


def by_name(files: Iterable[Path]) -> bool:
    """Whether a rule of these files asks which edition is in use, so that an edition is more than its answers and the
    clauses that it lacks."""
    return _by_name(tuple(files))


@lru_cache(maxsize=32)
def _by_name(files: tuple[Path, ...]) -> bool:
    return any(_IN_EDITION.search(file.read_text(encoding="utf-8")) for file in files)


def same_rules(game: Game, one: str, other: str) -> bool:
    """Whether two editions have the same clauses, and no rule asks which of them is in use: all that they differ in
    are answers to questions."""
    if one == other:
        return True
    lacks = questions_of(game.rules / game.name).lacks
    files = (*game.files, *sorted((game.rules / game.name / "cards").glob("*.lp")))
    return lacks.get(one, frozenset()) == lacks.get(other, frozenset()) and not by_name(files)


def answered_apart(known: Questions, one: str, other: str) -> frozenset[str]:
    """The questions of which two editions do not say the same."""

    def said(edition: str, question: str) -> tuple[str | None, frozenset[tuple[str, str]]]:
        shut = known.excludes.get(edition, frozenset())
        return known.settles.get(edition, {}).get(question), frozenset(pair for pair in shut if pair[0] == question)

    return frozenset(question for question in known.answers if said(one, question) != said(other, question))


def alike(game: Game, one: str, other: str) -> bool:
    """Whether two editions have the same rules and give the same answers, so that every board comes out the same."""
    return same_rules(game, one, other) and not answered_apart(questions_of(game.rules / game.name), one, other)


_KIND = re.compile(r'^clause\("([^"]+)",\s*(\w+)\)\.', re.MULTILINE)


def clause_kinds(files: Iterable[Path]) -> dict[str, str]:
    """The clauses that stand in these files, with their kinds."""
    kinds: dict[str, str] = {}
    for file in files:
        kinds.update(_KIND.findall(file.read_text(encoding="utf-8")))
    return kinds


def unknown_clauses(game: Game, file: str, without: Iterable[str], against: Iterable[str] = ()) -> list[Problem]:
    """Clauses that are switched must exist; the opposite of consequences only, and of those only the opposite."""
    wanted = [(clause, False) for clause in without] + [(clause, True) for clause in against]
    problems: list[Problem] = []
    kinds = clause_kinds(game.files) if wanted else {}
    for clause, opposite in wanted:
        if clause not in kinds:
            problems.append(unknown(file, "clause", clause, kinds, known=LISTED_BY_CLAUSES))
        elif opposite and kinds[clause] != "consequence":
            message = f"`{clause}` is a {kinds[clause]}: it has no opposite"
            problems.append(Problem("LR-E031", file, 0, 0, message, "switch it off with --without"))
        elif not opposite and kinds[clause] == "consequence":
            message = f"`{clause}` is a consequence of other clauses: leaving it out changes nothing"
            problems.append(Problem("LR-E031", file, 0, 0, message, "switch its opposite on with --against"))
    return problems
