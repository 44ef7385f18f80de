"""The smallest boards on which two readings differ, from the smallest up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lastrites.search.examine import Target, examine
from lastrites.search.proposals import Proposal, Proposer, offer
from lastrites.search.raising import Closure, needed_kinds
from lastrites.search.sweep import Sweep

if TYPE_CHECKING:
    from lastrites.game import Game

Json = dict[str, Any]
BOARDS_OF_A_JOB = 120


@dataclass(frozen=True)
class Scope:
    """What is searched: kinds of cards, events, the most cards, the greatest sum of numbers, states of a board.

    ``limit`` separators are enough; the size at which the last of them was found is searched to its end.
    """

    pool: tuple[str, ...]
    events: tuple[str, ...]
    cards: int = 3
    points: int = 1
    states: int = 2_000
    limit: int = 1


@dataclass
class Separation:
    """What a search found, and what it looked at."""

    target: Target
    scope: Scope
    found: dict[str, list[Proposal]] = field(default_factory=dict)
    boards: int = 0
    raised: int = 0
    states: int = 0
    levels: list[tuple[int, int, int]] = field(default_factory=list)
    idle_events: list[str] = field(default_factory=list)
    failed: dict[str, int] = field(default_factory=dict)
    complete: bool = True
    reason: str = ""

    @property
    def searched_cards(self) -> int:
        """All boards with no more cards than this were looked at, or ruled out."""
        if self.complete and not any(self.found.values()):
            return self.scope.cards
        return max((cards for cards, _, _ in self.levels), default=1) - 1


Progress = Callable[[str], None]


def separate(
    game: Game, target: Target, scope: Scope, sweep: Sweep, progress: Progress = lambda text: None
) -> Separation:
    """Search, from the smallest boards up.

    Ctrl-C and a deadline of the sweep give what was found so far, marked incomplete. Raises BoardError.
    """
    target.check()
    made = Separation(target, scope, {name: [] for name in target.names()})
    questions = target.questions()
    try:
        needed = _needed(game, scope, target, questions, made, progress)
        for cards in range(1, scope.cards + 1):
            proposer = Proposer(game, scope.pool, scope.events, cards, most=scope.points, needed=needed)
            for abilities, points in proposer.sizes():
                _level(made, proposer, cards, abilities, points, sweep, progress)
                if all(len(_kinds(found)) >= scope.limit for found in made.found.values()):
                    return made
    except KeyboardInterrupt:
        made.complete, made.reason = False, "interrupted"
    except TimeoutError:
        made.complete, made.reason = False, "the time limit was reached"
    return made


def _needed(
    game: Game,
    scope: Scope,
    target: Target,
    questions: frozenset[str] | None,
    made: Separation,
    progress: Progress,
) -> dict[str, list[str]]:
    """For events of which that is known, the kinds of which a board must have one."""
    if questions is None:
        return {}
    found: dict[str, list[str]] = {}
    for event in scope.events:
        progress(f"{event.replace('_', ' ')}: can {', '.join(sorted(questions))} come up?")
        closure = Closure(game, target, scope.pool, event, min(scope.cards, 3), scope.points)
        kinds = needed_kinds(scope.pool, partial(closure.raises, questions=questions))
        if kinds is not None:
            found[event] = kinds
            if not kinds:
                made.idle_events.append(event)
    return found


def _level(
    made: Separation, proposer: Proposer, cards: int, abilities: int, points: int, sweep: Sweep, progress: Progress
) -> None:
    """All boards of one size."""
    proposed: dict[str, Proposal] = {}

    def jobs() -> Iterator[Json]:
        groups: dict[tuple[str, tuple[str, ...]], list[Proposal]] = defaultdict(list)
        for proposal in proposer.boards(abilities, points):
            proposed[proposal.text] = proposal
            group = groups[proposal.event, tuple(sorted(set(proposal.kinds)))]
            group.append(proposal)
            if len(group) >= BOARDS_OF_A_JOB:
                yield _job(made, group)
                group.clear()
        for group in groups.values():
            if group:
                yield _job(made, group)

    for done in sweep.run(jobs()):
        texts = done.job["boards"]
        if done.error:
            made.failed[done.error] = made.failed.get(done.error, 0) + len(texts)
        for text, row in zip(texts, done.result.get("rows", ()), strict=False):
            made.boards += 1
            made.states += row["states"]
            made.raised += row["raised"]
            if row["error"]:
                made.failed[row["error"]] = made.failed.get(row["error"], 0) + 1
            for name in row["apart"]:
                made.found[name].append(proposed[text])
        size = f"{cards} cards, {abilities} abilities" + (f", numbers {points}" if points else "")
        progress(f"{size}: {made.boards:,} boards, {made.raised:,} to the point, {_told_apart(made)}")
    made.levels.append((cards, abilities, points))


def _job(made: Separation, group: Sequence[Proposal]) -> Json:
    return {
        "target": made.target.to_json(),
        "states": made.scope.states,
        "boards": [proposal.text for proposal in group],
    }


def _kinds(found: Sequence[Proposal]) -> dict[tuple[str, tuple[str, ...]], list[Proposal]]:
    """Separators by event and kinds of cards: those of one group differ in places and numbers only."""
    groups: dict[tuple[str, tuple[str, ...]], list[Proposal]] = defaultdict(list)
    for proposal in found:
        groups[proposal.event, proposal.kinds].append(proposal)
    return groups


def _told_apart(made: Separation) -> str:
    if len(made.found) == 1:
        return f"{sum(map(len, made.found.values())):,} differ"
    return f"{sum(map(bool, made.found.values()))} of {len(made.found)} told apart"


def chosen(made: Separation, name: str | None = None) -> list[Proposal]:
    """One separator for each event and kinds of cards, up to the limit, the smallest first.

    ``name`` is one of ``Target.names``, if there are several.
    """
    found = made.found[name] if name is not None else next(iter(made.found.values()))
    firsts = [min(group, key=lambda each: (len(each.text), each.text)) for group in _kinds(found).values()]
    return sorted(firsts, key=lambda each: (each.cards, each.abilities, each.points, len(each.text), each.text))[
        : made.scope.limit
    ]


def default_scope(game: Game) -> Scope:
    """Everything that a game offers to a search."""
    offered = offer(game)
    return Scope(offered.stand_ins, tuple(offered.events))


__all__ = ["Scope", "Separation", "Target", "chosen", "default_scope", "examine", "separate"]
