"""Which kinds of cards a board needs for a question to come up at all.

The grounder over-estimates what can happen: what it does not find possible for a set of cards together is not possible
on any board made of them. So clingo is asked about sets of kinds before any board is proposed. That more cards make
more possible is taken for granted; a test compares with looking at all boards.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from lastrites import stop
from lastrites.board import Board
from lastrites.resolution import rulebook
from lastrites.search.examine import Target
from lastrites.search.proposals import Proposer
from lastrites.search.universe import canonical
from lastrites.solver import RulesError, reachable_decisions
from lastrites.terms import Term, Value, fn, strings

if TYPE_CHECKING:
    from lastrites.game import Game


class Closure:
    """What clingo finds possible for sets of kinds of cards under one event."""

    def __init__(self, game: Game, target: Target, pool: Sequence[str], event: str, cards: int, most: int) -> None:
        """``cards`` and ``most`` bound the boards as for a Proposer. Raises BoardError, RulesError."""
        proposer = Proposer(game, pool, [event], cards, most=most)
        self._board: Board | None = None
        fixed: set[Term] = set()
        starts: set[Term] = set()
        for proposal in proposer.cover():
            stop.check()
            self._board = self._board or Board.from_text(proposal.text, rules=game.rules)
            form = canonical(Board.from_text(proposal.text, rules=game.rules))
            fixed |= form.fixed
            starts |= form.start
        self._target = target
        self._prints = {str(fact.args[0]): str(fact.args[1]) for fact in fixed if fact.name == "prints"}
        self._fixed = [(fact, self._kinds(fact)) for fact in sorted(fixed, key=str)]
        self._starts = [(fluent, self._kinds(fluent)) for fluent in sorted(starts, key=str)]
        self._known: dict[frozenset[str], bool] = {}

    def _kinds(self, value: Value) -> frozenset[str]:
        return frozenset(self._prints[card] for card in strings(value) if card in self._prints)

    def raises(self, kinds: frozenset[str], questions: frozenset[str]) -> bool:
        """Whether one of the questions may come up on a board with cards of these kinds only."""
        if self._board is None:
            return False
        known = self._known.get(kinds)
        if known is None:
            stop.check()
            known = self._known[kinds] = self._ask(self._board, kinds, questions)
        return known

    def _ask(self, board: Board, kinds: frozenset[str], questions: frozenset[str]) -> bool:
        facts = tuple(fact for fact, needed in self._fixed if needed <= kinds)
        starts = [fluent for fluent, needed in self._starts if needed <= kinds]
        board = dataclasses.replace(board, facts=facts)
        wanted = {fn(question) for question in questions}
        for reading in self._target.sides(board):
            opened = dataclasses.replace(
                reading,
                answers={q: a for q, a in reading.answers.items() if q not in questions},
                excluded=frozenset(pair for pair in reading.excluded if pair[0] not in questions),
            )
            try:
                decisions = reachable_decisions(rulebook(board, opened), starts)
            except RulesError:
                return True  # nothing is known of these, so they are not left out
            if any(decision.name == "answer" and decision.args[0] in wanted for decision in decisions):
                return True
        return False


def needed_kinds(pool: Iterable[str], raises: Callable[[frozenset[str]], bool]) -> list[str] | None:
    """Kinds of which a board must have at least one; none if no board will do, None if nothing so simple is known.

    ``raises`` must be monotone: what a set makes possible, a larger one does too.
    """
    every = frozenset(pool)
    if not raises(every):
        return []
    alone = sorted(kind for kind in every if raises(frozenset({kind})))
    return None if raises(every.difference(alone)) else alone
