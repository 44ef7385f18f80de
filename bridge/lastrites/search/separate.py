"""The smallest boards on which two readings differ, from the smallest up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lastrites.search.examine import Pair, Target, examine
from lastrites.search.proposals import Pool, Proposal, Proposer, offer
from lastrites.search.sweep import Sweep

if TYPE_CHECKING:
    from lastrites.game import Game

Json = dict[str, Any]
BOARDS_OF_A_JOB = 120
MOST_CHOSEN = 100
"""So many boards on which only choices differ are kept."""

OUTCOMES, PILES, CHOICES = "outcomes", "piles", "choices"
"""What a difference may lie in: what comes out, the order of piles in it, or only what players may choose."""


@dataclass(frozen=True)
class Scope:
    """What is searched: pools of cards and events, and the most states of a board.

    ``limit`` separators are enough; the size at which the last of them was found is searched to its end. With
    ``piles`` the order of piles makes a difference from the start, with ``choices`` what players may choose; if
    ``deeper`` both are looked at anyway for what nothing else tells apart.
    """

    pools: tuple[Pool, ...]
    states: int = 2_000
    limit: int = 1
    piles: bool = False
    choices: bool = False
    deeper: bool = False

    @property
    def cards(self) -> int:
        """The most cards on a board of any pool."""
        return max((pool.cards for pool in self.pools), default=0)


@dataclass
class Separation:
    """What a search found, and what it looked at.

    ``found`` has for each name (see ``Target.names``) and each two of its sides boards that tell these apart, ``by``
    in what they differ, ``raised`` on how many boards the name came up. ``known`` is the number of boards of which all
    is known. ``sizes`` are the numbers of cards and
    abilities that were searched to the end, ``searched`` the number of cards up to which that holds, for what was
    looked at to the end.
    """

    target: Target
    scope: Scope
    found: dict[str, dict[Pair, list[Proposal]]] = field(default_factory=dict)
    by: dict[tuple[str, Pair], str] = field(default_factory=dict)
    raised: dict[str, int] = field(default_factory=dict)
    boards: int = 0
    known: int = 0
    to_the_point: int = 0
    states: int = 0
    sizes: list[tuple[int, int]] = field(default_factory=list)
    searched: int = 0
    odd: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    complete: bool = True
    reason: str = ""

    def boards_for(self, name: str) -> list[Proposal]:
        """All boards that tell some of its sides apart, each once, in the order in which they were found."""
        return list({each.text: each for found in self.found[name].values() for each in found}.values())

    def apart(self, name: str, pair: Pair) -> bool:
        """Whether a board is known that tells two sides apart."""
        return bool(self.found[name][pair])

    def left(self, name: str) -> list[Pair]:
        """The sides for which boards are still missing: as many as were asked for."""
        if self.target.alike(name):
            return []
        return [pair for pair, found in self.found[name].items() if len(_kinds(found)) < self.scope.limit]

    @property
    def nothing_known(self) -> bool:
        """Whether no board at all could be looked at."""
        return bool(self.failed) and not self.known

    @property
    def open(self) -> list[str]:
        """What still needs boards."""
        return [name for name in self.found if self.left(name)]


Progress = Callable[[str], None]
Chosen = dict[tuple[str, Pair], list[Proposal]]
"""Boards on which players may choose otherwise, for sides that nothing else tells apart."""


def separate(
    game: Game, target: Target, scope: Scope, sweep: Sweep, progress: Progress = lambda text: None
) -> Separation:
    """Search, from the smallest boards up.

    Ctrl-C and a deadline of the sweep give what was found so far, marked incomplete. Raises BoardError.
    """
    target.check()
    names = target.names()
    made = Separation(
        target, scope, {name: {pair: [] for pair in target.pairs(name)} for name in names},
        raised=dict.fromkeys(names, 0),
    )  # fmt: skip
    try:
        chosen: Chosen = {}
        _climb(game, made, made.open, scope.piles, chosen, sweep, progress)
        if scope.deeper and not scope.piles:
            left = [
                name for name in made.open
                if any(not made.apart(name, pair) and (name, pair) not in chosen for pair in made.left(name))
            ]  # fmt: skip
            _climb(game, made, left, True, {}, sweep, progress)
        if scope.deeper:
            for (name, pair), proposals in chosen.items():
                if not made.apart(name, pair):
                    made.found[name][pair], made.by[name, pair] = proposals, CHOICES
        if made.nothing_known:
            made.complete, made.reason = False, "no board could be looked at"
    except KeyboardInterrupt:
        made.complete, made.reason = False, "interrupted"
    except TimeoutError:
        made.complete, made.reason = False, "the time limit was reached"
    except BrokenExecutor as broken:
        made.complete, made.reason = False, f"what looks at boards takes no more of them: {broken}"
    return made


def _climb(
    game: Game,
    made: Separation,
    names: Sequence[str],
    piles: bool,
    chosen: Chosen,
    sweep: Sweep,
    progress: Progress,
) -> None:
    """All boards from the smallest up, until every one of the names has been told apart."""
    wanted = set(names)
    for cards in range(1, made.scope.cards + 1):
        pools = [pool for pool in made.scope.pools if pool.cards >= cards]
        proposers = [
            Proposer(game, pool.kinds, pool.events, cards, most=pool.points, copies=pool.copies, sides=pool.sides)
            for pool in pools
        ]
        for abilities in sorted({size for proposer in proposers for size in proposer.sizes()}):
            left = [name for name in made.open if name in wanted]
            if not left:
                return
            _level(made, proposers, cards, abilities, left, piles, chosen, sweep, progress)
        if not piles or made.scope.piles:
            made.searched = cards


def _level(
    made: Separation,
    proposers: Sequence[Proposer],
    cards: int,
    abilities: int,
    names: Sequence[str],
    piles: bool,
    chosen: Chosen,
    sweep: Sweep,
    progress: Progress,
) -> None:
    """All boards of one size."""
    proposed: dict[str, Proposal] = {}

    def jobs() -> Iterator[Json]:
        groups: dict[tuple[str, tuple[str, ...]], list[Proposal]] = defaultdict(list)
        for proposer in proposers:
            for proposal in proposer.boards(abilities):
                if proposal.text in proposed:
                    continue  # another pool has it too
                proposed[proposal.text] = proposal
                group = groups[proposal.event, tuple(sorted(set(proposal.kinds)))]
                group.append(proposal)
                if len(group) >= BOARDS_OF_A_JOB:
                    yield _job(made, group, names, piles)
                    group.clear()
        for group in groups.values():
            if group:
                yield _job(made, group, names, piles)

    size = f"{cards} card{'s' * (cards != 1)}, {abilities} abilities{', piles' * piles}"
    for done in sweep.run(jobs()):
        texts = done.job["boards"]
        if done.error:
            made.failed[done.error] = made.failed.get(done.error, 0) + len(texts)
        for text, row in zip(texts, done.result.get("rows", ()), strict=False):
            _count(made, proposed[text], row, piles, chosen)
        open_names = len(made.open)
        progress(f"{size}: {made.boards:,} boards, {len(made.found) - open_names} of {len(made.found)} told apart")
    made.sizes.append((cards, abilities))


def _count(made: Separation, proposal: Proposal, row: Json, piles: bool, chosen: Chosen) -> None:
    made.boards += 1
    made.known += not row["error"]
    made.states += row["states"]
    made.to_the_point += bool(row["raised"])
    for question in row["raised"]:
        made.raised[question] += 1
    for word in row["odd"]:
        made.odd[word] = made.odd.get(word, 0) + 1
    if row["error"]:
        made.failed[row["error"]] = made.failed.get(row["error"], 0) + 1
    by_outcomes = PILES if piles else OUTCOMES
    for name, pair in _pairs(row["apart"]):
        if made.by.setdefault((name, pair), by_outcomes) == by_outcomes:
            made.found[name][pair].append(proposal)
    for name, pair in set(_pairs(row["chosen"])) - set(_pairs(row["apart"])):
        if made.scope.choices:
            made.by.setdefault((name, pair), CHOICES)
            made.found[name][pair].append(proposal)
        elif not piles and not made.apart(name, pair):
            kept = chosen.setdefault((name, pair), [])
            kept += [proposal] * (len(kept) < MOST_CHOSEN)


def _pairs(named: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[tuple[str, Pair]]:
    for name, pairs in named.items():
        for one, other in pairs:
            yield name, (one, other)


def _job(made: Separation, group: Sequence[Proposal], names: Sequence[str], piles: bool) -> Json:
    return {
        "target": made.target.to_json(),
        "names": list(names),
        "states": made.scope.states,
        "piles": piles,
        "boards": [proposal.text for proposal in group],
    }


def _kinds(found: Sequence[Proposal]) -> dict[tuple[str, tuple[str, ...]], list[Proposal]]:
    """Separators by event and kinds of cards: those of one group differ in places and numbers only."""
    groups: dict[tuple[str, tuple[str, ...]], list[Proposal]] = defaultdict(list)
    for proposal in found:
        groups[proposal.event, proposal.kinds].append(proposal)
    return groups


def chosen(made: Separation, name: str | None = None) -> list[Proposal]:
    """Separators from the smallest up, until each two sides that a board tells apart are told apart by as many, of
    different events and kinds of cards, as the limit says (if there are so many).

    ``name`` is one of ``Target.names``, if there are several.
    """
    found = made.found[name] if name is not None else next(iter(made.found.values()))
    firsts = {
        min(group, key=_size).text: min(group, key=_size)
        for boards in found.values() for group in _kinds(boards).values()
    }  # fmt: skip
    texts = {pair: {each.text for each in boards} for pair, boards in found.items()}
    missing = dict.fromkeys(found, made.scope.limit)
    picked = []
    for each in sorted(firsts.values(), key=_size):
        wanted = [pair for pair, number in missing.items() if number > 0 and each.text in texts[pair]]
        if wanted:
            picked.append(each)
            for pair in wanted:
                missing[pair] -= 1
    return picked


def _size(proposal: Proposal) -> tuple[int, int, int, int, str]:
    return proposal.cards, proposal.abilities, proposal.points, len(proposal.text), proposal.text


def default_scope(game: Game) -> Scope:
    """Everything that a game offers to a search."""
    return Scope(offer(game).pools)


__all__ = ["CHOICES", "OUTCOMES", "PILES", "Pool", "Scope", "Separation", "Target", "chosen", "default_scope",
           "examine", "separate"]  # fmt: skip
