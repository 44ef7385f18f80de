"""Which combinations of answers to say: as few and as short as they can be."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import TypeVar

from lastrites.count import Assignment as Answers

Value = TypeVar("Value", bound=Hashable)


def shortest(
    rows: list[tuple[Answers, set[Value]]], every: Sequence[Answers]
) -> list[tuple[Answers, set[Value]]]:
    """Merge rows that agree in their numbers and differ in all the answers to one question, again and again."""
    questions = list(dict.fromkeys(question for when in every for question in when))
    answers = {q: list(dict.fromkeys(when[q] for when in every if q in when)) for q in questions}
    merged = True
    while merged:
        merged = False
        for question in questions:
            groups: dict[tuple[str, frozenset[Value]], list[Answers]] = {}
            for when, values in rows:
                if question in when:
                    rest = json.dumps({q: a for q, a in when.items() if q != question}, sort_keys=True)
                    groups.setdefault((rest, frozenset(values)), []).append(when)
            for (rest, same), group in groups.items():
                if len(group) == len(answers[question]) and len(group) > 1:
                    place = min(index for index, (when, _) in enumerate(rows) if when in group)
                    rows = [row for row in rows if row[0] not in group]
                    rows.insert(place, (json.loads(rest), set(same)))
                    merged = True
    return rows
