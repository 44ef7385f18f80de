"""What a game's rules say about themselves: questions, who answers them how, editions, clauses.

All of it stands as facts in the rules; nothing is known here about any game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lastrites.game import Game
from lastrites.lptext import unquoted
from lastrites.terms import Term, Value, text

_PREDICATES = (
    "question", "answers", "asks_about", "holder", "edition", "profile", "settles", "excludes",
    "clause", "source", "paraphrase", "yields",
)  # fmt: skip


def word(value: Value) -> str:
    """A value as it is printed: strings without their quotes."""
    return value if isinstance(value, str) else text(value)


@dataclass(frozen=True)
class Question:
    """A point that the text leaves open, its answers in their order, and who holds which."""

    name: str
    answers: tuple[str, ...]
    about: str = ""
    holders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Clause:
    """A clause: its kind, its sentence, where it stands with the date, and the clauses it gives way to."""

    id: str
    kind: str
    paraphrase: str
    sources: tuple[tuple[str, str], ...] = ()
    yields_to: tuple[str, ...] = ()


@dataclass(frozen=True)
class Book:
    """Questions, editions (oldest first), profiles and clauses of a game."""

    game: str
    questions: tuple[Question, ...]
    editions: tuple[str, ...]
    profiles: tuple[str, ...]
    settles: Mapping[tuple[str, str], str]
    excludes: Mapping[tuple[str, str], tuple[str, ...]]
    clauses: tuple[Clause, ...]

    def settled(self, edition: str | None) -> dict[str, str]:
        """The answers that an edition or profile gives; None means the newest edition."""
        name = edition if edition is not None else (self.editions[-1] if self.editions else "")
        return {question: answer for (each, question), answer in self.settles.items() if each == name}


_READ: dict[tuple[str, Path], Book] = {}


def read_book(game: Game) -> Book:
    """What the rules of a game say about themselves; read once for each folder of rules."""
    key = (game.name, game.rules)
    if key not in _READ:
        _READ[key] = _read_book(game)
    return _READ[key]


def _read_book(game: Game) -> Book:
    from lastrites.solver import Rulebook, query

    found = query(Rulebook(game.files, "", (), game.modes()), _PREDICATES)
    rows = {name: [tuple(map(word, fact.args)) for fact in facts] for name, facts in found.items()}

    def pairs(name: str, length: int) -> list[tuple[str, ...]]:
        return [row for row in rows[name] if len(row) == length]

    about = {row[0]: row[1] for row in pairs("asks_about", 2)}
    questions = []
    for name, _ in sorted(pairs("question", 2), key=lambda row: (int(row[1]), row[0])):
        answers = _answers_in_order(found["answers"], name, game)
        holders = {
            answer: tuple(sorted(row[2] for row in pairs("holder", 3) if row[:2] == (name, answer)))
            for answer in answers
        }
        questions.append(Question(name, answers, about.get(name, ""), holders))
    excludes: dict[tuple[str, str], tuple[str, ...]] = {}
    for edition, question, answer in sorted(pairs("excludes", 3)):
        excludes[edition, question] = (*excludes.get((edition, question), ()), answer)
    return Book(
        game.name,
        tuple(questions),
        tuple(row[0] for row in sorted(pairs("edition", 2), key=lambda row: int(row[1]))),
        tuple(sorted(row[0] for row in pairs("profile", 1))),
        {(edition, question): answer for edition, question, answer in sorted(pairs("settles", 3))},
        excludes,
        tuple(_clauses(rows)),
    )


def _answers_in_order(facts: Iterable[Term], question: str, game: Game) -> tuple[str, ...]:
    """The answers to a question in the order in which the rules name them, which a set of facts has lost."""
    answers = [word(fact.args[1]) for fact in facts if word(fact.args[0]) == question]
    written = "".join(path.read_text(encoding="utf-8") for path in game.files)
    listed = re.search(rf"^answers\({re.escape(question)},(.*?)\)\.$", written, re.MULTILINE | re.DOTALL)
    order = re.findall(r"\w+", listed[1]) if listed is not None else []
    return tuple(sorted(answers, key=lambda answer: (order.index(answer) if answer in order else len(order), answer)))


def _clauses(rows: Mapping[str, list[tuple[str, ...]]]) -> list[Clause]:
    paraphrases = dict(row for row in rows["paraphrase"] if len(row) == 2)
    clauses = []
    for name, kind in sorted(row for row in rows["clause"] if len(row) == 2):
        clauses.append(
            Clause(
                name,
                kind,
                paraphrases.get(name, ""),
                tuple(sorted(row[1:] for row in rows["source"] if len(row) == 3 and row[0] == name)),
                tuple(sorted(row[1] for row in rows["yields"] if len(row) == 2 and row[0] == name)),
            )
        )
    return clauses


def asked_by(game: Game, question: str) -> tuple[str, ...]:
    """The clauses whose rules ask a question; where none does, those whose rules read the answer to it. Where a rule
    names clauses that must be in force it is these, or else the one in whose block it stands."""
    from lastrites import lptext

    asking, reading = (
        re.compile(rf"\b{how}\(\s*\w+\s*,\s*{re.escape(question)}\s*[,)]") for how in ("needs", "reads")
    )
    found: dict[re.Pattern[str], list[str]] = {asking: [], reading: []}
    for file in game.files:
        text = file.read_text(encoding="utf-8")
        if question not in text:
            continue
        for block in lptext.blocks(file, text):
            for pattern, clauses in found.items():
                for each in block.statements if block.kind == "clause" else ():
                    if pattern.search(each.bare):
                        clauses += each.needed or [block.id]
    return tuple(dict.fromkeys(found[asking] or found[reading]))


class ClauseText(NamedTuple):
    """What is said of a clause: its paraphrase and where it comes from."""

    paraphrase: str
    source: str


_STRING = r'"((?:[^"\\]|\\.)*)"'
_SAID = re.compile(rf"(?:^|\s)(?P<what>paraphrase|source)\({_STRING},\s*{_STRING}(?:,\s*{_STRING})?\)\.", re.MULTILINE)


_MOVED = re.compile(rf"^source_in\({_STRING},{_STRING},{_STRING}\)\.$", re.MULTILINE)


def clause_texts(game: Game, edition: str = "") -> dict[str, ClauseText]:
    """Paraphrase and sources of every clause, read from the text of the rules because that is fast.

    Where a clause stands elsewhere in ``edition``, that place is told instead of its sources.
    """
    paraphrases: dict[str, str] = {}
    sources: dict[str, list[str]] = {}
    for file in game.files:
        for match in _SAID.finditer(file.read_text(encoding="utf-8")):
            what, *arguments = match.groups()
            name, first, *rest = (unquoted(f'"{argument}"') for argument in arguments if argument is not None)
            if what == "paraphrase":
                paraphrases[name] = first
            else:
                sources.setdefault(name, []).append(", ".join([first, *rest]))
    moved = {clause: where for clause, where_in, where in _moved(game) if where_in == edition}
    return {
        name: ClauseText(said, moved.get(name, "; ".join(sources.get(name, ())))) for name, said in paraphrases.items()
    }


def _moved(game: Game) -> list[tuple[str, str, str]]:
    """The facts ``source_in(Clause,Edition,Where)`` of the game's ``numbers.lp``."""
    file = game.rules / game.name / "numbers.lp"
    written = file.read_text(encoding="utf-8") if file.is_file() else ""
    return [(clause, edition, where) for clause, edition, where in _MOVED.findall(written)]
