"""Which questions the rules of an edition ask at all.

Later editions reword what earlier ones left open: the clause that raised a question is gone from them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lastrites import lptext

if TYPE_CHECKING:
    from lastrites.game import Game

_HEAD = re.compile(r"needs\(\s*\w+\s*,\s*([a-z]\w*)\s*\)")


def asked_by(game: Game) -> Mapping[str, tuple[frozenset[str], ...]]:
    """For each question, for each rule that asks it, the clauses that must be in force. Questions that no rule asks
    are left out: they have no moment at which they come up."""
    return _asked_by(game.files)


@lru_cache(maxsize=8)
def _asked_by(files: tuple[Path, ...]) -> Mapping[str, tuple[frozenset[str], ...]]:
    found: dict[str, tuple[frozenset[str], ...]] = {}
    for file in files:
        for statement in lptext.statements(file.read_text(encoding="utf-8")):
            head = _HEAD.match(statement.bare)
            if head is not None:
                rules = found.get(head[1], ())
                found[head[1]] = (*rules, frozenset(statement.needed))
    return found


def asks(rules: Mapping[str, tuple[frozenset[str], ...]], question: str, lacking: frozenset[str]) -> bool:
    """Whether the question can come up under rules that lack these clauses; ``rules`` is what :func:`asked_by` says."""
    return any(not clauses & lacking for clauses in rules.get(question, ()))
