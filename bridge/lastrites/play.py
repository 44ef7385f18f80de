"""A board played by hand: at each decision the legal options, with a way back, and the state reached as a board file.

Only states that are looked at are solved, so a board may be as large as it likes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lastrites.editions import choose_reading, questions_of
from lastrites.errors import BoardError, Problem
from lastrites.explore import CHANCE, NOBODY, PLAYER, READING, next_bounds
from lastrites.resolution import impossible_problems, rulebook, unsupported_problems
from lastrites.solver import BoundReached, LayerRules, Option, Rulebook, Situation, fail
from lastrites.spares import with_more_spares
from lastrites.state import State, StateWriter
from lastrites.terms import Term

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.given_back import GivenBack, GivesBack


@dataclass(frozen=True)
class Taken:
    """A step that was taken: who decided (None: nobody), what, on which clauses, and what it changed."""

    by: str | None
    decision: str
    clauses: tuple[str, ...]
    changes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The step in the form of a witness."""
        return {"by": self.by, "decision": self.decision, "clauses": self.clauses, "changes": self.changes}


@dataclass(frozen=True)
class Place:
    """Where a game stands: the state, who decides what in it, and the steps that led here since the last decision."""

    state: int
    by: str | None
    options: tuple[str, ...]
    since: tuple[Taken, ...]
    barred: tuple[str, ...] = ()
    about: str = ""
    ended: str = ""
    _options: tuple[Option, ...] = field(default=(), repr=False)
    _situation: Situation | None = field(default=None, repr=False)


FINAL, STUCK, REFUSED, CONFLICT, LOOP = "final", "stuck", "refused", "conflict", "loop"
"""How a game ends: as it should, where nothing is possible, with a refused event, a contradiction, or never."""


class Play:
    """One board being played. ``here`` is where the game stands; ``choose`` and ``back`` move on and back."""

    def __init__(
        self,
        board: Board,
        *,
        readings: Mapping[str, str] | None = None,
        edition: str | None = None,
        without: Iterable[str] = (),
        against: Iterable[str] = (),
    ) -> None:
        """Raises BoardError for what the user can mend, RulesError when the rules are at fault."""
        self.board = board
        self.reading = choose_reading(board, readings or {}, edition, tuple(without), tuple(against))
        self._book = rulebook(board, self.reading)
        self._rules = LayerRules(self._book, explain=False)
        if self._rules.unsupported:
            raise BoardError(unsupported_problems(board, self._rules.unsupported))
        if self._rules.impossible:
            raise BoardError(impossible_problems(board, self._rules.impossible))
        self.fluents = self._rules.fluents
        self._writer = StateWriter(board)
        self._speaker = board.speaker()
        self._known = questions_of(board.rules.rules / board.rules.name)
        self._past: list[Place] = []
        self._gives_back: GivesBack | None = None
        self.here = self._settle(self._rules.initial, ())

    # ---- moving

    def choose(self, number: int) -> Place:
        """Take the option with this number, counted from 0. Raises IndexError where there is none."""
        option = self.here._options[number]
        assert self.here._situation is not None
        taken = self._taken(self.here.state, option, self.here._situation, self.here.by)
        before = self.here
        self.here = self._settle(option.after(before.state), (taken,))
        self._past.append(before)
        return self.here

    def back(self) -> Place | None:
        """Go back to the decision before this one; None at the first."""
        if not self._past:
            return None
        self.here = self._past.pop()
        return self.here

    @property
    def decisions(self) -> int:
        """How many decisions have been taken."""
        return len(self._past)

    def _look(self, state: int) -> Situation:
        while True:
            try:
                situation = LayerRules(self._book, self.fluents, explain=True).look(state)
            except BoundReached as reached:
                larger: Rulebook | None = next_bounds(self._book, reached)
                if larger is None:
                    message = f"the bound {reached.bound} was reached; perhaps an order never ends"
                    raise BoardError([Problem("LR-E035", self.board.path, 0, 0, message)]) from None
                self._book = larger
                if reached.bound == "spares":
                    self.board = with_more_spares(self.board, larger.facts)
                    self._writer = StateWriter(self.board)
                continue
            fail(situation)
            return situation

    def _settle(self, state: int, since: tuple[Taken, ...]) -> Place:
        """Take all steps that nobody decides, up to the next decision or to the end."""
        steps = list(since)
        seen = {state}
        while True:
            situation = self._look(state)
            if len(situation.options) != 1:
                return self._place(state, situation, steps)
            option = situation.options[0]
            kind = situation.choosers[0].name if situation.choosers else NOBODY
            steps.append(self._taken(state, option, situation, CHANCE if kind == CHANCE else None))
            state = option.after(state)
            if state in seen:
                return Place(state, None, (), tuple(steps), ended=LOOP)
            seen.add(state)

    def _taken(self, state: int, option: Option, situation: Situation, by: str | None) -> Taken:
        before, after = (self.fluents.terms(each) for each in (state, option.after(state)))
        clauses = tuple(situation.cites.get(option.term, ()))
        return Taken(by, self._speaker.render(option.term), clauses, tuple(self._writer.changes(before, after)))

    def _place(self, state: int, situation: Situation, steps: Iterable[Taken]) -> Place:
        since = tuple(steps)
        barred = tuple(sorted(f"{self._speaker.render(what)} ({clause})" for what, clause in situation.barred))
        if not situation.options:
            ended = REFUSED if situation.refused else CONFLICT if situation.conflicts else STUCK
            ended = FINAL if situation.final else ended
            return Place(state, None, (), since, barred, "; ".join(self._reasons(situation)), ended)
        chooser = situation.choosers[0]
        by = {PLAYER: str(chooser.args[0]) if chooser.args else "", READING: READING, CHANCE: CHANCE}.get(chooser.name)
        about = self._about(str(chooser.args[0])) if chooser.name == READING else ""
        options = tuple(situation.options)
        told = tuple(self._speaker.render(option.term) + self._sources(option.term) for option in options)
        return Place(state, by, told, since, barred, about, "", options, situation)

    def _reasons(self, situation: Situation) -> Iterator[str]:
        yield from (clause for _, clause in situation.refused)
        yield from (f"{one} and {other}" for one, other in situation.conflicts)

    def _about(self, question: str) -> str:
        return self._known.about.get(question, "")

    def _sources(self, decision: Term) -> str:
        """Who gives an answer, behind an option that is one."""
        if decision.name != "answer" or len(decision.args) != 2:
            return ""
        question, answer = map(str, decision.args)
        sources = self._known.sources.get((question, answer), ())
        return f" ({'; '.join(map(str, sources))})" if sources else ""

    # ---- what has been reached

    def state(self) -> State:
        """The state reached, in the shape of a board file."""
        return self._writer.state(self.fluents.terms(self.here.state))

    def given_back(self) -> GivenBack:
        """The state reached as a board file that goes on from there, and what no file can say of it.

        Raises BoardError if it cannot be read back.
        """
        from lastrites.given_back import GivesBack

        if self._gives_back is None:
            self._gives_back = GivesBack(self.board, self.reading)
        return self._gives_back.file(self.fluents.terms(self.here.state), self.here.ended == FINAL)

    def board_text(self) -> str:
        """The state reached as a board file; what it leaves out stands in comments. Raises BoardError."""
        return self.given_back().commented()
