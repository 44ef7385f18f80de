"""The decision table of an answer: which combinations of answers give which outcomes, told as briefly as can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

Json = Mapping[str, Any]

MOST_ROWS = 1024
"""Beyond this many combinations no table is made."""


class Row(NamedTuple):
    """Answers to each question that give these outcomes, with the numbers of orders that occur."""

    answers: tuple[tuple[str, ...], ...]
    outcomes: tuple[str, ...]
    orders: tuple[str, ...]


def agree(one: Json, other: Json) -> bool:
    """Whether two combinations of answers do not contradict each other."""
    return all(other.get(question, answer) == answer for question, answer in one.items())


def decision_table(result: Json) -> tuple[dict[str, tuple[str, ...]], list[Row]]:
    """The questions of the table with their answers, and its rows, from the JSON form of an answer.

    The questions are those that change outcomes; if none does, those that change numbers of orders. There are no rows
    where there would be too many.
    """
    asked = result.get("questions") or result.get("counting") or {}
    questions = {question: tuple(answers) for question, answers in asked.items()}
    size = 1
    for answers in questions.values():
        size *= len(answers)
    if size > MOST_ROWS:
        return questions, []
    labels = result.get("readings_explored", ())
    rows: list[Row] = []
    for chosen in product(*questions.values()):
        when = dict(zip(questions, chosen, strict=True))
        agreeing = [label for label in labels if agree(label["when"], when)]
        if agreeing:
            ids = dict.fromkeys(str(id) for label in agreeing for id in outcomes_of(result, label))
            orders = dict.fromkeys(map(number_told, agreeing))
            rows.append(Row(tuple((answer,) for answer in chosen), tuple(ids), tuple(orders)))
    return questions, _merged(rows, list(questions.values()))


def number_told(entry: Json) -> str:
    """The number of orders of an entry as text; of an incomplete answer it is a lower bound."""
    least = entry.get("orders_at_least")
    return str(entry["orders"]) if least is None else f"at least {least}"


def outcomes_of(result: Json, label: Json) -> list[str]:
    """The ids of the outcomes that occur under a reading; an answer need not say which do."""
    if "outcomes" in label:
        return list(label["outcomes"])
    return [
        str(outcome["id"])
        for outcome in result["outcomes"]
        if any(agree(under["when"], label["when"]) for under in outcome.get("under", ()))
    ]


def _merged(rows: list[Row], every: Sequence[tuple[str, ...]]) -> list[Row]:
    """Rows that say the same and differ in one question only become one, again and again."""
    rows = list(rows)
    merged = True
    while merged:
        merged = False
        for place in range(len(every)):
            groups: dict[tuple[Any, ...], list[Row]] = {}
            for row in rows:
                rest = row.answers[:place] + row.answers[place + 1 :]
                groups.setdefault((rest, row.outcomes, row.orders), []).append(row)
            for group in groups.values():
                if len(group) > 1:
                    first, *others = group
                    given = {answer for row in group for answer in row.answers[place]}
                    cell = tuple(answer for answer in every[place] if answer in given)
                    joined = first._replace(answers=(*first.answers[:place], cell, *first.answers[place + 1 :]))
                    rows = [joined if row is first else row for row in rows if row not in others]
                    merged = True
    return rows
