"""What an answer consists of: outcomes, orders, steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from lastrites.count import Count


@dataclass(frozen=True)
class Step:
    """One step of an order.

    ``by`` is who decided: a player's name, ``chance``, ``reading``, or None for an automatic step. ``decision`` and
    ``changes`` are in words, ``clauses`` the names of the clauses that the step rests on, ``barred`` what would have
    been possible but for a clause. ``notes`` are remarks in words, ``lists`` say what lies in an order after the step
    where that has changed; ``section`` is the heading of the part of the order that begins with the step. ``readings``
    are the answers to questions that count from here on: the one that is given here, or those that are given for all.
    """

    by: str | None
    decision: str
    clauses: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    section: str = ""
    readings: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The step in the JSON form of the contract; what is empty and not asked for there is left out."""
        return {
            **({"section": self.section} if self.section else {}),
            "by": self.by,
            "decision": self.decision,
            "clauses": list(self.clauses),
            "changes": list(self.changes),
            **({"notes": list(self.notes)} if self.notes else {}),
            **({"lists": list(self.lists)} if self.lists else {}),
            **({"readings": dict(self.readings)} if self.readings else {}),
            **({"barred": list(self.barred)} if self.barred else {}),
        }


@dataclass(frozen=True)
class Order:
    """One legal order: the answers under which it is legal, its steps, and the id of the outcome."""

    when: Mapping[str, str]
    steps: tuple[Step, ...]
    outcome: str


@dataclass(frozen=True)
class Assignment:
    """One combination of answers to the questions that come up: its number of orders, in all and by outcome."""

    when: Mapping[str, str]
    orders: int | str
    outcomes: Mapping[str, int | str]


@dataclass
class Outcome:
    """A final state, and how it comes about.

    ``orders`` is the number of legal orders that end in it, or None where it depends on a reading; ``under`` lists
    the combinations of answers that matter, if only for counting, in which it occurs. ``pile_arrangements`` is the
    number of distinct final piles, or None where it is not known or depends on a reading. ``explain`` finds the
    witness when it is first asked for: putting steps into words costs more than many a board.
    """

    id: str
    state: dict[str, Any]
    orders: int | str | None
    pile_arrangements: int | None
    under: list[dict[str, Any]]
    deciders: tuple[str, ...]
    can_force: tuple[str, ...]
    chance: bool
    explain: Callable[[], list[Step]] = field(repr=False, compare=False, default=list)

    @property
    def witness(self) -> list[Step]:
        """One order that leads here, step by step."""
        return self.explain()


def shown(number: Count) -> int | str:
    """A count as it is told: an exact integer, or ``infinite``."""
    return "infinite" if number == inf else int(number)


def told(number: int | str | None) -> str | None:
    return None if number is None else str(number)
