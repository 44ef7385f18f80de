"""Independent groups: what a player picks one by one, and what picks cause, where these do not affect each other.

Each group is explored by itself, the picks of the others present and untouched. It is *proved*, on the ground program,
that all it sees and does stays the same whatever the others have done by then; groups for which the proof does not go
through are joined. ``docs/reductions.md`` says what is proved and why it is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from lastrites.local import Atom, Control, LocalRules
from lastrites.partial import PartialReader
from lastrites.solver import Decision, Fluents
from lastrites.stategraph import PLAYER, READING, Head
from lastrites.terms import Term, Value

MOST_GROUP_STATES = 50_000
"""Beyond this many states of one group it is given up."""

MOST_ASIDE = 1_000
"""So many states may follow picks before the picks of the others are options again for the first time."""

REST, WITHIN, END = range(3)
"""Kinds of states of a group: the others' picks are options and some of its own; none of the others' is; all that is
left are the others'."""


class NotApart(Exception):
    """The picks are not what can be taken apart."""


@dataclass
class Group:
    """What some picks lead to while those of the others wait. State 0 is that at which they are told apart.

    ``edges`` has for each state the place of each effect among those of the rules and the number of the state that it
    leads to; ``writes`` are the fluents in which a state of rest or an end differs from state 0, ``touches`` all that a
    step adds or deletes, ``own`` the decisions that are its options at rest.
    """

    picks: frozenset[Decision]
    states: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)
    edges: list[list[tuple[int, int]]] = field(default_factory=list)
    controls: list[Control] = field(default_factory=list)
    writes: int = 0
    touches: int = 0
    own: set[Decision] = field(default_factory=set)

    @property
    def ends(self) -> list[int]:
        """The numbers of the states in which all that is left are the others' picks."""
        return [number for number, kind in enumerate(self.kinds) if kind == END]

    def values(self, *kinds: int) -> set[int]:
        """How the fluents that are written can be in states of these kinds."""
        return {state & self.writes for state, kind in zip(self.states, self.kinds, strict=True) if kind in kinds}

    def sorted(self) -> list[int] | None:
        """The states but for the ends, each after all that lead to it. None if there is a cycle."""
        waits = [0] * len(self.states)
        for edges in self.edges:
            for _, target in edges:
                waits[target] += 1
        if waits[0]:
            return None
        order = [0]
        for number in order:
            for _, target in self.edges[number]:
                waits[target] -= 1
                if not waits[target]:
                    order.append(target)
        return [n for n in order if self.kinds[n] != END] if len(order) == len(self.states) else None


def by_picks(group: Group) -> list[tuple[int, int]]:
    """The states of a group but for its ends, for each number of its picks with which they are reached; each after all
    that lead to it."""
    order = group.sorted()
    assert order is not None
    picks: list[set[int]] = [set() for _ in group.states]
    picks[0].add(0)
    found = []
    for number in order:
        step = group.kinds[number] == REST
        for made in sorted(picks[number]):
            found.append((number, made))
            for _, target in group.edges[number]:
                picks[target].add(made + step)
    return found


@dataclass
class Split:
    """The options of a state told apart. ``to_the_end``: the groups do not affect each other until all have ended;
    otherwise as long as two have not. ``asking``: a question comes up in a group."""

    groups: list[Group]
    to_the_end: bool
    asking: bool


class Splitter:
    """Tells the options of states apart into independent groups."""

    def __init__(
        self, rules: LocalRules, zones: Collection[str], over: Callable[[], bool], most: int | None = None
    ) -> None:
        """``zones`` names those in which cards lie in an order; ``over`` says whether a limit is reached. Once ``most``
        states of groups have been looked at no more are told apart."""
        self._rules = rules
        self._piles = _piles(rules.fluents, zones)
        self.over = over
        self._left = most
        self._reader = self._new_reader()
        self._guarded: list[PartialReader] = []
        self._guard_used = False
        self._proofs: dict[int, list[tuple[int, set[int]]]] = {}
        self._known: dict[int, Split | None] = {}

    def _new_reader(self) -> PartialReader:
        rules = self._rules
        return PartialReader(rules.ground.rules, rules.bits, rules.circular)

    def split(self, state: int) -> Split | None:
        """Independent groups of the options of a state, those with the fewest ends first; None if there are not two."""
        if state not in self._known:
            self._known[state] = self._split(state)
        return self._known[state]

    def _split(self, state: int) -> Split | None:
        control = self._rules.control(state)
        head = control.head
        if head.kind != PLAYER or len(control.decisions) < 2:
            return None
        every = frozenset(each.decision for each in control.decisions)
        known: dict[frozenset[Decision], Group] = {}
        parts = [frozenset((decision,)) for decision in sorted(every)]
        try:
            while len(parts) > 1:
                together: list[set[Decision]] = []
                for part in parts:
                    if part not in known:
                        found = self._explore(state, part, every - part)
                        if isinstance(found, Group):
                            known[part] = found
                        else:
                            together.append({*part, *found})
                groups = [known[part] for part in parts if part in known]
                together = together or _touching(groups, self._piles) or self._unproved(groups)
                if not together:
                    groups.sort(key=lambda group: (len(group.ends), len(group.states)))
                    asking = any(head.kind == READING for group in groups for head in group.heads)
                    return Split(groups, not self._guard_used, asking)
                parts = _joined(parts, together)
        except NotApart:
            pass
        return None

    # ---- a group by itself

    def _explore(self, start: int, mine: frozenset[Decision], others: frozenset[Decision]) -> Group | set[Decision]:
        """All that a group does by itself, or picks of others that it has to be joined with. Raises NotApart."""
        rules = self._rules
        group = Group(mine)
        who = rules.control(start).head
        index = {start: 0}
        group.states.append(start)
        rested = False
        for number, state in enumerate(group.states):
            if not number & 63 and self.over():
                raise NotApart
            if number > MOST_GROUP_STATES or (number > MOST_ASIDE and not rested):
                raise NotApart
            if self._left is not None:
                self._left -= 1
                if self._left < 0:
                    raise NotApart
            control = rules.control(state)
            head = control.head
            if head.final or head.odd or head.refused or head.conflicts or head.clashes:
                raise NotApart
            present = others.intersection(each.decision for each in control.decisions)
            if present and len(present) < len(others):
                return set(others - present)
            open_here = control.decisions
            if present:
                rested = rested or number > 0
                open_here = [each for each in open_here if each.decision not in others]
                group.own.update(each.decision for each in open_here)
                group.writes |= state ^ start
            kind = WITHIN if not present else REST if open_here else END
            if kind == REST and (head.kind, head.who) != (who.kind, who.who):
                raise NotApart
            group.kinds.append(kind)
            group.heads.append(head)
            group.controls.append(control)
            edges: list[tuple[int, int]] = []
            group.edges.append(edges)
            if open_here:
                rules.learn(state, control)
            for each in open_here:
                step = each.step(state)
                assert step is not None
                keep, bits, effect = step
                group.touches |= bits | rules.varying & ~keep
                after = state & keep | bits
                target = index.get(after)
                if target is None:
                    target = index[after] = len(group.states)
                    group.states.append(after)
                edges.append((effect, target))
        if group.sorted() is None:
            raise NotApart
        return group

    # ---- the proof

    def _unproved(self, groups: Sequence[Group]) -> list[set[Decision]]:
        """Picks that belong together because what one group sees or does is not proved to be the same whatever others
        have written."""
        together = []
        self._guard_used = False
        for group in groups:
            others = [other for other in groups if other is not group]
            if blamed := self._disturbed(group, others):
                together.append(set(group.picks).union(*(other.picks for other in blamed)))
        return together

    def _disturbed(self, group: Group, others: Sequence[Group]) -> list[Group]:
        """Some of the other groups of which it is not proved that they leave this one alone; none if it is."""
        rules = self._rules
        unknown = 0
        theirs: set[Decision] = set()
        for other in others:
            unknown |= other.writes
            theirs |= other.own
        self._suppose(others)
        about_states = [atom for atom, _ in rules.others]
        rows: dict[int, list[Atom]] = {
            REST: [*about_states, *(each for each in rules.decisions if each.decision not in theirs)],
            WITHIN: [*about_states, *rules.decisions],
            END: [each for each in rules.decisions if each.decision in group.own],
        }
        proved: dict[int, list[tuple[int, set[int]]]] = {REST: [], WITHIN: [], END: []}
        for number, state in enumerate(group.states):
            if not number & 63 and self.over():
                raise NotApart
            kind = group.kinds[number]
            if not any(state & mask in found for mask, found in proved[kind]):
                mask = 0
                for atom in rows[kind]:
                    reason = self._reason(atom.literal, state, unknown, atom.cubes)
                    if reason is None:
                        return self._to_blame([atom.literal], state, others)
                    mask |= reason
                _note(proved[kind], mask, state)
            if kind == END:
                continue
            for each in group.controls[number].decisions:
                if each.decision in theirs and kind == REST:
                    continue
                if any(not mask & unknown and state & mask in table for mask, table in each.does):
                    continue
                literals = [literal for literal, _ in each.atoms]
                if any(self._reason(literal, state, unknown, ()) is None for literal in literals):
                    return self._to_blame(literals, state, others)
        return []

    def _suppose(self, others: Sequence[Group]) -> None:
        """Let what these groups write be unknown; for what is not decided so, let one of them not have ended."""
        self._proofs = {}
        written = [(other.writes, other.values(REST, END)) for other in others]
        self._reader.suppose(written)
        self._guarded = []
        for place, other in enumerate(others):
            reader = self._new_reader()
            reader.suppose([*written[:place], (other.writes, other.values(REST)), *written[place + 1 :]])
            self._guarded.append(reader)

    def _reason(
        self, literal: int, state: int, unknown: int, cubes: Iterable[tuple[int, dict[int, bool]]]
    ) -> int | None:
        """Fluents that force the truth of an atom in a state, none of them unknown; None if none were found."""
        for mask, table in cubes:
            if not mask & unknown and state & mask in table:
                return mask
        known = self._proofs.setdefault(literal, [])
        for mask, found in known:
            if state & mask in found:
                return mask
        readers = [self._reader]
        if self._reader.value(literal, state) is None:
            # Whichever of the other groups has not ended, the atom must be the same.
            readers = self._guarded
            truth = readers[0].value(literal, state)
            if truth is None or any(reader.value(literal, state) is not truth for reader in readers):
                return None
            self._guard_used = True
        mask = 0
        for reader in readers:
            mask |= reader.reason(literal, state)
        mask &= ~unknown
        _note(known, mask, state)
        return mask

    def _to_blame(self, literals: Iterable[int], state: int, others: Sequence[Group]) -> list[Group]:
        """The groups by which one of the atoms may be changed: those that may do so alone, or else all."""
        found = []
        for other in others:
            self._suppose([other])
            if any(self._reader.value(literal, state) is None for literal in literals):
                found.append(other)
        return found or list(others)


def _piles(fluents: Fluents, zones: Collection[str]) -> list[int]:
    """For each pile the fluents that say what lies in it."""
    found: dict[tuple[Value, Value], int] = {}

    def lying(term: Term) -> bool:
        return term.name == "zone" and isinstance(term.args[2], Term) and term.args[2].name in zones

    bits = fluents.mask(lying)
    while bits:
        low = bits & -bits
        ((_, player, zone),) = (term.args for term in fluents.terms(low))
        found[player, zone] = found.get((player, zone), 0) | low
        bits ^= low
    return list(found.values())


def _note(known: list[tuple[int, set[int]]], mask: int, state: int) -> None:
    for other, found in known:
        if other == mask:
            found.add(state & mask)
            return
    known.append((mask, {state & mask}))


def _touching(groups: Sequence[Group], piles: Iterable[int]) -> list[set[Decision]]:
    """Picks that belong together because one touches what the other writes, or both offer or arrange the same."""
    found = []
    for one, other in combinations(groups, 2):
        if (
            one.touches & other.writes
            or other.touches & one.writes
            or one.own & other.own
            or any(one.touches & pile and other.touches & pile for pile in piles)
        ):
            found.append({*one.picks, *other.picks})
    return found


def _joined(parts: Iterable[frozenset[Decision]], together: Iterable[set[Decision]]) -> list[frozenset[Decision]]:
    """The parts, those that have picks of one of these sets put together."""
    for picks in together:
        parts = list(parts)
        joined = [part for part in parts if part & picks]
        parts = [part for part in parts if not part & picks]
        if joined:
            parts.append(frozenset().union(*joined))
    return list(parts)
