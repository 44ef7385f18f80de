"""Does what a board expects come out? One verdict a board, from answers in their JSON form."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lastrites.expect import Expectation

Json = Mapping[str, Any]

Answer = Callable[[Mapping[str, str], str | None, bool], Json]
"""Resolves the board with these readings and this edition, with or without the order of piles."""

OK, FAILED, INCOMPLETE, NOTHING = "ok", "failed", "incomplete", "nothing expected"
REFUSED = "bad input"
"""The rules do not take the board; the failures say why."""


@dataclass
class Verdict:
    """What came of a board: `failures` and `notes` are lines to show, `summary` says what was found."""

    status: str
    summary: str = ""
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def label(when: Mapping[str, str], edition: str | None = None) -> str:
    """A combination of answers as it is written in a board file."""
    parts = [f"{question}: {answer}" for question, answer in when.items()]
    if edition is not None:
        parts.append(f"edition: {edition}")
    return ", ".join(parts)


def agrees(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two partial combinations of answers do not contradict each other."""
    return all(other.get(question, answer) == answer for question, answer in one.items())


def by_reading(result: Json) -> Iterator[tuple[dict[str, str], str, list[Json], int]]:
    """Each combination of answers, with its number of orders and its outcomes, and how many these are; where they are
    told as factors none is listed."""
    for row in result.get("factors") or ():
        yield dict(row["when"]), str(row["orders"]), [], int(row["outcome_count"])
    if result.get("factors"):
        return
    rows: Sequence[Json] = result.get("readings_explored") or [{"when": {}, "orders": result.get("orders") or "0"}]
    for row in rows:
        found = [
            outcome
            for outcome in result["outcomes"]
            if any(agrees(under["when"], row["when"]) for under in outcome["under"])
        ]
        yield dict(row["when"]), str(row["orders"]), found, len(found)


def combinations(
    expectation: Expectation, readings: Mapping[str, str], edition: str | None
) -> Iterator[tuple[dict[str, str], str | None]]:
    """The answers and editions that an expectation speaks of, as far as those given from outside leave them."""
    questions = list(expectation.when)
    editions: Sequence[str | None] = expectation.editions or (edition,)
    for chosen in itertools.product(*(expectation.when[question] for question in questions)):
        fixed = dict(zip(questions, chosen, strict=True))
        if not agrees(fixed, readings):
            continue
        for each in editions:
            if edition is None or each == edition:
                yield fixed, each


def verify(
    expectations: Sequence[Expectation],
    answer: Answer,
    *,
    readings: Mapping[str, str] | None = None,
    edition: str | None = None,
    pile_order: bool = False,
    settled: Callable[[str], Mapping[str, str]] = lambda edition: {},
) -> Verdict:
    """The verdict on one board.

    `readings`, `edition` and `pile_order` are those given from outside; `settled` tells the answers that an
    edition gives, to find readings that no expectation covers.
    """
    readings = dict(readings or {})
    if not expectations:
        return Verdict(NOTHING)
    run = _Run(answer, readings)
    for expectation in expectations:
        cases = list(combinations(expectation, readings, edition))
        if not cases:
            run.notes.append(f"the expectation in line {expectation.line} does not apply to the given readings")
        for fixed, each in cases:
            run.check(expectation, fixed, each, pile_order or expectation.pile_order)
    if all(expectation.when or expectation.editions for expectation in expectations):
        run.coverage(expectations, edition, pile_order, settled)
    if run.checked == 0 and not run.incomplete:
        return Verdict(NOTHING, "", [], run.notes)
    status = FAILED if run.failures else INCOMPLETE if run.incomplete else OK
    return Verdict(status, run.summary(), run.lines(), run.notes)


class _Run:
    def __init__(self, answer: Answer, readings: Mapping[str, str]) -> None:
        self.answer = answer
        self.readings = readings
        self.answers: dict[tuple[tuple[tuple[str, str], ...], str | None, bool], Json] = {}
        self.failures: dict[tuple[str, ...], list[str]] = {}
        self.notes: list[str] = []
        self.incomplete = False
        self.checked = 0
        self.found: list[tuple[int, str]] = []

    def resolve(self, fixed: Mapping[str, str], edition: str | None, piles: bool) -> Json:
        wanted = {**fixed, **self.readings}
        key = (tuple(sorted(wanted.items())), edition, piles)
        if key not in self.answers:
            self.answers[key] = self.answer(wanted, edition, piles)
        return self.answers[key]

    def check(self, expectation: Expectation, fixed: Mapping[str, str], edition: str | None, piles: bool) -> None:
        told_edition = edition if expectation.editions else None
        result = self.resolve(fixed, edition, piles)
        if not result.get("complete", True):
            self.incomplete = True
            where = label(fixed, told_edition)
            reason = result.get("incomplete_reason") or "the answer is incomplete"
            self.notes.append(f"not checked{f' ({where})' if where else ''}: {reason}")
            return
        for what in ("stuck", "conflicts", "unexplained"):
            if result.get(what):
                self.fail(expectation, label(fixed, told_edition), [f"{what}: {entry}" for entry in result[what]])
        rows = list(by_reading(result))
        for when, orders, outcomes, count in rows:
            self.checked += 1
            if expectation.asks_who_decides and len(rows) > 1:
                # Who decides is told over all readings together; under one reading it may be somebody else.
                outcomes = list(self.resolve({**fixed, **when}, edition, piles)["outcomes"])
                count = len(outcomes)
            self.found.append((count, orders))
            failures = expectation.failures(outcomes, orders, count)
            if result.get("refused") or expectation.refused:
                # Under one reading an event may be refused and under another not.
                here = self.resolve({**fixed, **when}, edition, piles) if len(rows) > 1 else result
                failures += self.refusals(expectation, here, outcomes)
            if failures:
                self.fail(expectation, label({**fixed, **when}, told_edition), failures)

    def refusals(self, expectation: Expectation, result: Json, outcomes: Sequence[Json]) -> list[str]:
        """What is wrong with the refused events: where some orders have an outcome they must be spoken of."""
        refused = result.get("refused") or ()
        if expectation.refused and not refused:
            return ["an event was expected to be refused, and none is"]
        if expectation.refused or not outcomes:
            return []
        return [
            f"refused beside outcomes: {each.get('what', each['event'])} ({', '.join(each['clauses'])})"
            for each in refused
        ]

    def fail(self, expectation: Expectation, where: str, lines: Sequence[str]) -> None:
        self.failures.setdefault((f"line {expectation.line}", *lines), []).append(where)

    def coverage(
        self,
        expectations: Sequence[Expectation],
        edition: str | None,
        piles: bool,
        settled: Callable[[str], Mapping[str, str]],
    ) -> None:
        result = self.resolve({}, edition, piles)
        fixed = {**settled(result.get("edition") or ""), **result.get("readings", {}), **self.readings}
        for when, _, _, _ in by_reading(result):
            known = {**fixed, **when}
            covered = any(
                (not expectation.editions or result.get("edition") in expectation.editions)
                and all(known.get(q) is None or known[q] in answers for q, answers in expectation.when.items())
                for expectation in expectations
            )
            if not covered:
                self.notes.append(f"no expectation covers {label(when) or 'the readings in use'}")

    def summary(self) -> str:
        if not self.found:
            return ""
        outcomes = sorted({count for count, _ in self.found})
        orders = sorted({orders for _, orders in self.found}, key=lambda text: (len(text), text))
        told = f"{_span(list(map(str, outcomes)))} outcome{'s' * (outcomes != [1])}"
        return f"{told}, {_span(orders)} order{'s' * (orders != ['1'])}"

    def lines(self) -> list[str]:
        """Failures, those that are alike under several readings told once."""
        lines: list[str] = []
        for (line, *texts), places in self.failures.items():
            told = [place for place in dict.fromkeys(places) if place]
            lines.append(f"expectation in {line}{' under ' + ' / '.join(told) if told else ''}:")
            lines += [f"  {text}" for text in texts]
        return lines


def _span(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{words[0]} to {words[-1]}"
