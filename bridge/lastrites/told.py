"""What an explanation says of a step besides its clauses, as the rules put it: see ``rules/core/telling.lp``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lastrites.terms import Term, Value, order

TOLD = frozenset({"section", "ends_section", "series_over", "remark", "lies", "rests_on", "fault"})
"""The predicates that say it."""


@dataclass(slots=True)
class Told:
    """What is told of one state and of the steps that may be taken in it.

    ``sections`` are headings and ``remarks`` remarks by decision, ``ending`` the decisions that end a section, ``over``
    says that a series of sections is over, ``lists`` are what lies in an order, each thing with its place; ``answers``
    are those that the whole run gives to questions on which this state depends; ``faults`` say by event and clause why
    the event is refused.
    """

    sections: dict[Value, Term] = field(default_factory=dict)
    ending: set[Value] = field(default_factory=set)
    over: Term | None = None
    remarks: dict[Value, list[tuple[Value, Value]]] = field(default_factory=dict)
    lists: dict[Value, list[tuple[Value, Value]]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    faults: list[tuple[Value, str, Value]] = field(default_factory=list)

    def take(self, name: str, args: Sequence[Value]) -> None:
        """Note what one atom says; its state is left out."""
        match name, args:
            case "section", (decision, Term() as what):
                self.sections[decision] = what
            case "ends_section", (decision,):
                self.ending.add(decision)
            case "series_over", (Term() as what,):
                self.over = what
            case "remark", (decision, place, what):
                self.remarks.setdefault(decision, []).append((place, what))
            case "lies", (name_of_list, place, what):
                self.lists.setdefault(name_of_list, []).append((place, what))
            case "rests_on", (question, answer):
                self.answers[str(question)] = str(answer)
            case "fault", (event, clause, what):
                self.faults.append((event, str(clause), what))

    def remarks_on(self, decision: Value) -> list[Value]:
        """The remarks on a decision, in their order."""
        rows = self.remarks.get(decision, ())
        return [what for _, what in sorted(rows, key=lambda row: (order(row[0]), order(row[1])))]

    def listed(self, name: Value) -> list[list[Value]]:
        """What lies in a list: place by place, at each place what lies there."""
        places: dict[Value, list[Value]] = {}
        for place, what in sorted(self.lists.get(name, ()), key=lambda row: (order(row[0]), order(row[1]))):
            places.setdefault(place, []).append(what)
        return list(places.values())
