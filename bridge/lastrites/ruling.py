"""A ruling on one outcome: what comes out, who could decide it, under which reading it holds, and an order that leads
there under the best-sourced reading of those under which it does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from lastrites.editions import NO_SOURCE, Questions, questions_of
from lastrites.results import Step

if TYPE_CHECKING:
    from lastrites.resolution import Resolution
    from lastrites.results import Outcome

Json = Mapping[str, Any]

ALWAYS, SOMETIMES, NEVER = "always", "sometimes", "never"
"""How often an outcome comes out under an answer, whatever the other open questions are answered."""


MOST_COMBINATIONS = 1_024
"""Of more combinations of answers it is not asked which fixed ones an outcome rests on: all that come up are named."""

Reopen = Callable[[Sequence[str]], "Resolution | None"]
"""Resolves the board once more with some questions left open; None where that is not to be done."""


def rulings(
    resolution: Resolution, given: Iterable[str] = (), reopen: Reopen | None = None
) -> list[dict[str, Any]]:
    """A ruling on each outcome in its JSON form (``lastrites.why/1``). ``given`` are the questions that the user
    answers from outside the board. With ``reopen`` a fixed answer that comes up is told apart (``matters``) from one
    without which the outcome would be another."""
    judge = _Judge(resolution, frozenset(given), reopen)
    return [judge.ruling(outcome) for outcome in resolution.outcomes]


class _Judge:
    def __init__(self, resolution: Resolution, given: frozenset[str], reopen: Reopen | None) -> None:
        self.resolution, self.given = resolution, given
        game = resolution.board.rules
        self.known: Questions = questions_of(game.rules / game.name)
        told = resolution.to_json()
        self.json = {outcome["id"]: outcome for outcome in told["outcomes"]}
        self.head = {key: told[key] for key in ("board", "game", "edition", "complete")}
        self.orders = {outcome.id: self._order(outcome) for outcome in resolution.outcomes}
        self.indifferent = self._indifferent(reopen) if reopen is not None else {}

    def ruling(self, outcome: Outcome) -> dict[str, Any]:
        when, steps, changes = self.orders[outcome.id]
        told = dict(self.json[outcome.id])
        told["always"] = all(outcome.id in each.outcomes for each in self.resolution.assignments)
        told["under"] = sorted(told["under"], key=lambda row: self._weight(row["when"]))
        questions = self._questions(outcome, steps)
        return {
            "schema": "lastrites.why/1",
            **self.head,
            **told,
            "ruling": sentence(told, changes, questions, self.head["edition"]),
            "final_changes": changes,
            "when": when,
            "questions": questions,
            "witness": [step.to_json() for step in steps],
        }

    # ---- the order

    def _weight(self, when: Mapping[str, str]) -> tuple[int, ...]:
        """How well a combination of answers is supported: less is better, the weakest answer first."""
        weights = sorted((self.known.weight(q, a) for q, a in when.items()), reverse=True)
        return (*weights, len(weights))

    def _order(self, outcome: Outcome) -> tuple[dict[str, str], list[Step], list[str]]:
        """The best-sourced reading under which an outcome comes out, a shortest order there, and what it changes."""
        resolution = self.resolution
        having = [
            number for number, each in enumerate(resolution.assignments) if outcome.id in each.outcomes
        ]
        for number in sorted(having, key=lambda number: self._weight(resolution.assignments[number].when)):
            found = resolution.shortest(number, outcome.id)
            if found is not None:
                return dict(resolution.assignments[number].when), *found
        return dict(resolution.assignments[having[0]].when), outcome.witness, []

    # ---- the readings

    def _indifferent(self, reopen: Reopen) -> dict[str, frozenset[str]]:
        """Outcome -> the questions with a fixed answer that come up, but for which it makes no difference, whatever
        the other questions are answered. Nothing where that is not known."""
        answers = self.resolution.reading.answers
        fixed = {
            question for _, steps, _ in self.orders.values() for step in steps for question in step.readings
            if question in answers
        }  # fmt: skip
        opened = reopen(sorted(fixed)) if fixed else None
        if opened is None or not opened.complete or opened.factors is not None or fixed & opened.reading.answers.keys():
            return {}
        asked = {**opened.counting, **opened.questions}
        if prod(map(len, asked.values())) > MOST_COMBINATIONS:
            return {}
        ends = {}
        for given in product(*asked.values()):
            when = dict(zip(asked, given, strict=True))
            agreeing = [each for each in opened.assignments if all(when.get(q, a) == a for q, a in each.when.items())]
            ends[given] = {outcome for each in agreeing for outcome in each.outcomes}
        named = {_mark(outcome): outcome.id for outcome in opened.outcomes}
        found = {}
        for outcome in self.resolution.outcomes:
            same = named.get(_mark(outcome))
            if same is None:
                continue
            met = {given: same in ids for given, ids in ends.items()}
            decisive = {
                question
                for place, question in enumerate(asked)
                for given, comes_out in met.items()
                for answer in asked[question]
                if met[(*given[:place], answer, *given[place + 1 :])] != comes_out
            }
            found[outcome.id] = frozenset(fixed - decisive)
        return found

    def _questions(self, outcome: Outcome, steps: Sequence[Step]) -> list[dict[str, Any]]:
        """The questions on which the outcome or the order rests, each with its answers, the best source first."""
        resolution = self.resolution
        asked = dict.fromkeys(question for row in outcome.under for question in row["when"])
        asked.update(dict.fromkeys(question for step in steps for question in step.readings))
        return [self._question(outcome, question) for question in resolution.reading.questions if question in asked]

    def _question(self, outcome: Outcome, question: str) -> dict[str, Any]:
        resolution = self.resolution
        reading = resolution.reading
        fixed = reading.answers.get(question)
        answers = []
        for answer in sorted(reading.questions[question], key=lambda each: self.known.weight(question, each)):
            entry: dict[str, Any] = {"answer": answer, "sources": self._sources(question, answer)}
            if fixed is None and (question, answer) not in reading.excluded:
                entry["comes_out"] = self._occurs(outcome, question, answer)
            answers.append(entry)
        if fixed is None:
            by = None
        elif question not in reading.explicit:
            by = "edition"
        else:
            by = "command" if question in self.given else "board"
        return {
            "question": question,
            "about": self.known.about.get(question, ""),
            "fixed": fixed,
            "fixed_by": by,
            "matters": question not in self.indifferent.get(outcome.id, ()),
            "answers": answers,
        }

    def _sources(self, question: str, answer: str) -> list[dict[str, str]]:
        found = self.known.sources.get((question, answer), ())
        return [{"where": source.where, "date": source.date} for source in found if source.weight < NO_SOURCE]

    def _occurs(self, outcome: Outcome, question: str, answer: str) -> str:
        agreeing = [
            outcome.id in each.outcomes
            for each in self.resolution.assignments
            if each.when.get(question, answer) == answer
        ]
        return ALWAYS if agreeing and all(agreeing) else SOMETIMES if any(agreeing) else NEVER


def _mark(outcome: Outcome) -> str:
    """What tells outcomes of two explorations apart."""
    return json.dumps(outcome.state, sort_keys=True)


# ---------------------------------------------------------------- the sentence

def sentence(outcome: Json, changes: Sequence[str], questions: Sequence[Json], edition: str = "") -> str:
    """The ruling in a sentence: who decides, what comes out; and under which reading, open and fixed answers apart."""
    what = "; ".join(gathered(changes)) or "nothing changes"
    fixed = [
        f"{each['question']}: {fixed_text(each, edition)}"
        for each in questions
        if each["fixed"] is not None and each["matters"]
    ]
    told = f" It rests on {'; '.join(fixed)}." if fixed else ""
    return f"{_power(outcome)}: {what}. {_holds(outcome, questions)}{told}"


def fixed_text(question: Json, edition: str) -> str:
    """The fixed answer to a question, its best source, and who fixes it."""
    sources = next(each["sources"] for each in question["answers"] if each["answer"] == question["fixed"])
    backed = f" ({source_text(sources[0])})" if sources else ""
    by = {"board": "as the board says", "command": "as asked for"}.get(question["fixed_by"], f"as in edition {edition}")
    return f"{question['fixed']}{backed}, {by}"


def gathered(changes: Iterable[str]) -> list[str]:
    """Changes, those that are alike told once: ``A and B: here -> there``."""
    groups: dict[str, list[str]] = {}
    for change in changes:
        who, colon, what = change.partition(": ")
        groups.setdefault(what if colon else change, []).append(who if colon else "")
    found = []
    for what, people in groups.items():
        names = f"{', '.join(people[:-1])} and {people[-1]}" if len(people) > 1 else people[0]
        found.append(f"{names}: {what}" if names else what)
    return found


def _power(outcome: Json) -> str:
    name = f"outcome {outcome['id']}"
    deciders, forcing = list(outcome.get("deciders") or ()), list(outcome.get("can_force") or ())
    people = [who for who in deciders if who != "chance"]
    if outcome.get("deciders") is None:
        return f"Outcome {outcome['id']} can come out; who decides is not known, for not everything was explored"
    if not deciders and not outcome.get("chance"):
        return f"Outcome {outcome['id']} comes out whatever anybody does"
    who = f"{', '.join(people[:-1])} and {people[-1]}" if len(people) > 1 else "".join(people)
    if not people:
        return f"Luck decides whether {name} comes out"
    if forcing:
        return f"{' or '.join(forcing)} can bring about {name}, whatever the others do"
    luck = " and luck" if outcome.get("chance") else ""
    verb = "decides" if len(people) == 1 and not luck else "decide"
    return f"{who}{luck} {verb} whether {name} comes out, and nobody can force it"


def _holds(outcome: Json, questions: Sequence[Json]) -> str:
    rows = [row["when"] for row in outcome["under"]]
    if outcome.get("deciders") is None:
        found = "; ".join(_when(when) for when in rows if when)
        return f"So far it is known under {found}." if found else "Other readings have not been looked at."
    if outcome["always"]:
        opened = [each["question"] for each in questions if each["fixed"] is None]
        return "This holds under every reading." if opened else "No open question bears on it."
    best = _when(rows[0])
    if len(rows) == 1:
        return f"This holds under the reading {best}{_backed(rows[0], questions)}, and under no other."
    others = "; ".join(map(_when, rows[1:]))
    return f"This holds under the reading {best}{_backed(rows[0], questions)}; also under {others}."


def _when(when: Json) -> str:
    return ", ".join(f"{question}: {answer}" for question, answer in when.items())


def _backed(when: Json, questions: Sequence[Json]) -> str:
    """The best source of each answer, in brackets."""
    found: list[str] = []
    for each in questions:
        for answer in each["answers"]:
            if when.get(each["question"]) == answer["answer"] and answer["sources"]:
                found.append(source_text(answer["sources"][0]))
    return f" ({'; '.join(found)})" if found else ""


def source_text(source: Json) -> str:
    """A source with its date, if that is known."""
    return f"{source['where']}, {source['date']}" if source["date"] else str(source["where"])
