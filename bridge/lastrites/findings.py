"""What a check of rules finds: kinds of findings, how grave they are, and how they are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)
"""From grave to slight."""

KINDS: Mapping[str, tuple[str, str]] = {
    "fault": (ERROR, "Faults that show without a board"),
    "contradiction": (ERROR, "Contradictions that nothing settles"),
    "gap": (ERROR, "Gaps: nothing says what happens next"),
    "branching": (ERROR, "Unexplained branching: several continuations that no player, reading or luck chooses"),
    "broken": (ERROR, "Boards on which the rules derive what must not be"),
    "settled": (WARNING, "Contradictions of the text that a stated precedence or a question settles"),
    "overclaim": (WARNING, "Questions that an edition answers though its text holds both sides"),
    "loop": (WARNING, "Loops: an order that never ends"),
    "idle": (WARNING, "Idle clauses: no board comes out otherwise without them"),
    "dormant": (NOTE, "Dormant clauses: they matter only under answers that the edition does not give"),
    "redundant": (WARNING, "Redundant pairs: each does the other's work"),
    "silence": (NOTE, "Questions that the text leaves open, and that change what comes out"),
    "uncovered": (NOTE, "Uncovered clauses: no board of the fixtures rests on them"),
    "undecided": (NOTE, "Clauses of which it is not known whether they are idle"),
    "unraised": (NOTE, "Open questions that changed nothing on any board"),
}
"""Each kind of finding with its severity and a heading."""


@dataclass(frozen=True)
class Finding:
    """One finding: what kind, in which edition, its verdict in one sentence, the clauses in question.

    ``board`` is the text of the smallest board that shows it (empty if none is needed), ``made_from`` the board it was
    made from, ``smallest`` whether it could be made smaller to the end. ``details`` depend on the kind.
    """

    kind: str
    verdict: str
    edition: str = ""
    clauses: tuple[str, ...] = ()
    board: str = ""
    made_from: str = ""
    smallest: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def severity(self) -> str:
        """How grave it is."""
        return KINDS[self.kind][0]

    def to_json(self, clauses: Mapping[str, Any]) -> dict[str, Any]:
        """The finding in its JSON form; ``clauses`` are the texts of all clauses."""
        told = []
        for name in self.clauses:
            text = clauses.get(name)
            told.append({"id": name, **({"paraphrase": text.paraphrase, "source": text.source} if text else {})})
        return {
            "kind": self.kind,
            "severity": self.severity,
            "edition": self.edition,
            "verdict": self.verdict,
            "clauses": told,
            "board": self.board,
            "made_from": self.made_from,
            "smallest": self.smallest,
            **self.details,
        }


def at_least(severity: str, wanted: str) -> bool:
    """Whether a severity is as grave as the one that is wanted."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(wanted)


@dataclass(frozen=True)
class Precedence:
    """What is said about two clauses that contradict each other: one yields to the other, or a question decides.

    ``clause`` is the precedence itself, which can be switched off; empty where the text states it as a fact.
    """

    clause: str
    pair: tuple[str, str]
    question: str = ""


def precedences(blocks: Sequence[Any]) -> list[Precedence]:
    """The precedences that clause blocks state (``yields`` and ``left_to``)."""
    import re

    found = []
    for block in blocks:
        for statement in block.statements:
            head, _, body = statement.text.partition(":-")
            match = re.match(r'(yields|left_to)\("([^"]+)",\s*"([^"]+)"(?:,\s*(\w+))?\)', head.strip())
            if match is None:
                continue
            switch = re.search(r'in_force\("([^"]+)"\)', body)
            pair = (match[2], match[3])
            found.append(Precedence(switch[1] if switch else "", pair, match[4] or ""))
    return found
