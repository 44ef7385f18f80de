"""Mistakes in what the user wrote: one :class:`Problem` each, all of them in one :class:`BoardError`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

#: Every code that a wrong file can get, with its meaning. Codes are stable: never reuse or renumber one.
CODES: dict[str, str] = {
    "LR-E001": "the file cannot be read",
    "LR-E002": "the file is too large",
    "LR-E003": "the text is not UTF-8 or contains control characters",
    "LR-E004": "the text is not well-formed YAML",
    "LR-E005": "a tab is used for indentation",
    "LR-E006": "a key occurs twice in one mapping",
    "LR-E007": "tags, anchors, aliases, merge keys, directives and keys that are not text are not allowed",
    "LR-E008": "the file holds more than one document",
    "LR-E009": "the file is empty or is not a mapping",
    "LR-E010": "the file is nested too deeply",
    "LR-E011": "a comment that begins with # and a digit, where a copy of a card was probably meant",
    "LR-E012": "an unknown key",
    "LR-E013": "a key that is needed is missing",
    "LR-E014": "a value of the wrong kind (text, list or mapping)",
    "LR-E015": "not a whole number, or out of range",
    "LR-E016": "a word that is not one of those allowed here",
    "LR-E017": "an unknown game, or a folder of rules that cannot be used",
    "LR-E018": "an unknown card",
    "LR-E019": "a name that fits several cards where one must be meant",
    "LR-E020": "a card that is not on this board",
    "LR-E021": "neighbours in a list that are one name with a comma",
    "LR-E022": "an id that is malformed, used twice or the name of another card",
    "LR-E023": "a copy number that is used twice or malformed",
    "LR-E024": "an unknown player, or a name that no player or place may have",
    "LR-E025": "an event must have exactly one verb",
    "LR-E026": "a phrase that the vocabulary does not know",
    "LR-E027": "something that these rules do not support yet",
    "LR-E028": "a size smaller than the number of cards that are named",
    "LR-E029": "a file of facts that is not written as plain facts",
    "LR-E030": "a fact outside the vocabulary of boards",
    "LR-E031": "an unknown question, answer or edition",
    "LR-E032": "the number of players does not suit the game",
    "LR-E033": "two definitions of one card",
    "LR-E034": "the event chooses what it may not choose",
    "LR-E035": "the board is too large or too tangled for this command",
    "LR-E036": "the text is not well-formed JSON",
    "LR-E037": "a card, or an item that waits, that cannot be where it is, or as it is",
    "LR-E038": "a picture that needs a program which is not installed",
    "LR-E042": "an ability that can do nothing as it is written",
    "LR-E041": "rules that do not say what boards a search may use",
}


class Problem(NamedTuple):
    """One mistake: where it is, what is wrong (``message``) and what was probably meant (``hint``).

    Lines and columns count from 1; 0 means that the mistake has no place inside the file.
    """

    code: str
    file: str
    line: int
    column: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        block = f"{place}: {self.code} {self.message}"
        return f"{block}\n    {self.hint}" if self.hint else block


def _short(text: str) -> str:
    """A text that may quote something of any length from a file, kept readable."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 20] + " ... " + text[-15:]


_LONGEST = 400


class BoardError(Exception):
    """What the user gave cannot be used. ``problems`` lists every mistake found, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(
            problem._replace(message=_short(problem.message), hint=_short(problem.hint)) for problem in problems
        )
        super().__init__("\n".join(str(problem) for problem in self.problems))
