"""Whether the order of two abilities ever matters: looked up in a state graph that is fully known.

Two abilities *commute* in a state in which either can be picked next if picking the first, and then the second as soon
as that is possible, leads to the same states as the other way round, each by the same number of ways. Everything that
goes on in between belongs to it: choices, automatic steps, whatever the two have triggered, windows inside windows. The
walk ends where nothing is being done, neither of the two waits or is carried out, and what they have triggered is done
with. States are the same if they differ only in which questions have been asked; everything holds for one combination
of answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lastrites import stop
from lastrites.count import View
from lastrites.explore import StateGraph
from lastrites.teller import Paths
from lastrites.terms import Term, Value

MOST_STEPS = 3_000_000
"""Beyond this many steps of walks what is not known yet is left open."""

_LONGEST = 2_000
"""A walk of more steps goes round in a circle."""

Ends = Counter[int]
"""States, as bit sets without questions, each with the number of ways that lead to it."""


class _Unknown(Exception):
    """A walk went beyond what is explored, or never ends."""


class TooMuch(Exception):
    """There is more to look at than is worth it."""


@dataclass(frozen=True)
class Clash:
    """A state in which the order of two instances matters.

    ``node`` is the number of the state; ``first`` and ``second`` the instances; ``forth`` and ``back`` the states (as
    nodes, with numbers of ways) that come out if the first is picked before the second, and the other way round.
    """

    view: View
    node: int
    first: Term
    second: Term
    forth: Mapping[int, int]
    back: Mapping[int, int]


@dataclass
class PairNotes:
    """What is known of a pair.

    ``together``: whether both could ever be picked next; ``clash``: where their order matters; ``unknown``: whether
    that could not be told everywhere; ``altered``: abilities that did something else at once after the other than
    before it.
    """

    together: bool = False
    clash: Clash | None = None
    unknown: bool = False
    altered: set[Term] = field(default_factory=set)


@dataclass
class Deeds:
    """What was really seen of an ability: fluents it has begun and ended (bits), instances it made wait or took away.

    ``later``: instances that are picked at some time after it, though they could not be picked in its stead;
    ``prevented``: those that could still be picked at some time before it was picked, and never after.
    """

    begun: int = 0
    ended: int = 0
    made_wait: set[Term] = field(default_factory=set)
    took_away: set[Term] = field(default_factory=set)
    later: set[Term] = field(default_factory=set)
    prevented: set[Term] = field(default_factory=set)


class Situations:
    """A state graph as far as abilities are concerned."""

    def __init__(
        self,
        graph: StateGraph,
        views: Sequence[View],
        picks: Mapping[Term, Term],
        instance_of: Callable[[Term], Term | None],
        acting: set[Term],
    ) -> None:
        self._graph = graph
        self._views = views
        self._picks = picks
        self._acting = acting
        self._options: dict[int, list[tuple[Term | None, bool, bool]]] = {}
        self._known: dict[object, tuple[Term | None, bool, bool]] = {}
        self._frames: dict[int, int] = {}
        self._waits: dict[Term, int] = {}
        self._busy: dict[Term, int] = {}
        self._answers = self._control = 0
        self._steps = 0
        union = 0
        for node in graph.nodes:
            union |= node.state
        instances = set(picks.values())
        for bit, fluent in _fluents(graph, union):
            if fluent.name == "frame" and isinstance(fluent.args[0], int):
                self._frames[fluent.args[0]] = self._frames.get(fluent.args[0], 0) | bit
                for part in _parts(fluent):
                    if part in instances:
                        self._busy[part] = self._busy.get(part, 0) | bit
            elif fluent.name == "answered":
                self._answers |= bit
            instance = instance_of(fluent)
            if instance is not None:
                self._waits[instance] = self._waits.get(instance, 0) | bit
                self._busy[instance] = self._busy.get(instance, 0) | bit
            if instance is not None or fluent.name in ("frame", "answered"):
                self._control |= bit

    # ---- states

    def _of(self, node: int) -> list[tuple[Term | None, bool, bool]]:
        """For each option: the instance it picks, whether it goes on with a frame, whether an event begins."""
        found = self._options.get(node)
        if found is None:
            found = []
            for option in self._graph.nodes[node].options:
                known = self._known.get(option.decision)
                if known is None:
                    term = option.term
                    known = self._picks.get(term), term in self._acting, term.name == "begin"
                    self._known[option.decision] = known
                found.append(known)
            self._options[node] = found
        return found

    def picked_in(self, view: View, node: int) -> dict[Term, list[tuple[int, int]]]:
        """The instances that can be picked next, each with (option, target)."""
        found: dict[Term, list[tuple[int, int]]] = {}
        for number, target in view.edges(node):
            instance = self._of(node)[number][0]
            if instance is not None:
                found.setdefault(instance, []).append((number, target))
        return found

    def _level(self, state: int) -> int:
        return max((level for level, mask in self._frames.items() if state & mask), default=0)

    def _below(self, before: int, after: int, level: int) -> int:
        """The level that a walk has come down to with a step."""
        gone = before & ~after
        for each in range(1, level + 1):
            if gone & self._frames.get(each, 0):
                return each - 1
        return level

    def _settled(self, view: View, node: int, level: int) -> bool:
        """Nothing is being done in the node above this level; or it is an end."""
        here = self._graph.nodes[node]
        if not here.explored:
            raise _Unknown
        if not view.edges(node):
            return True
        return any(acting for _, acting, _ in self._of(node)) and self._level(here.state) <= level

    # ---- the order of two

    def _walk(self, view: View, start: int, first: Term, second: Term, patient: bool) -> dict[int, int]:
        """Where it ends, as nodes, to pick ``first`` and then ``second``.

        ``patient``: not before what they triggered is done.
        """
        nodes = self._graph.nodes
        state = nodes[start].state
        base = self._level(state)
        waits = self._busy.get(second, 0)
        both = self._busy.get(first, 0) | waits
        before = [mask for instance, mask in self._waits.items() if state & mask]
        triggered = sum(mask for mask in self._waits.values() if mask not in before) if patient else 0
        ends: dict[int, int] = {}
        front: dict[tuple[int, int, bool], int] = {}

        def step(node: int, target: int, level: int, picked: bool, ways: int) -> None:
            key = (target, self._below(nodes[node].state, nodes[target].state, level), picked)
            front[key] = front.get(key, 0) + ways

        for _, target in self.picked_in(view, start)[first]:
            step(start, target, base, False, 1)
        for _ in range(_LONGEST):
            if not front:
                return ends
            now, front = front, {}
            stop.check()
            for (node, level, picked), ways in now.items():
                self._steps += 1
                if self._steps > MOST_STEPS:
                    raise TooMuch
                here = nodes[node].state
                pickable = None if picked else self.picked_in(view, node).get(second)
                if pickable is not None:
                    for _, target in pickable:
                        step(node, target, level, True, ways)
                    continue
                open_still = here & (both | triggered) or (not picked and here & waits)
                if not open_still and self._settled(view, node, level):
                    ends[node] = ends.get(node, 0) + ways
                    continue
                if not nodes[node].explored:
                    raise _Unknown
                edges = view.edges(node)
                if not edges:
                    ends[node] = ends.get(node, 0) + ways
                for _, target in edges:
                    step(node, target, level, picked, ways)
        raise _Unknown

    def _merged(self, ends: Mapping[int, int]) -> Ends:
        merged: Ends = Counter()
        for node, ways in ends.items():
            merged[self._graph.nodes[node].state & ~self._answers] += ways
        return merged

    def clash(self, view: View, node: int, first: Term, second: Term) -> Clash | None:
        """How the order of two instances that can both be picked matters in a state; None if it does not.

        Raises _Unknown where that cannot be told.
        """
        for patient in (False, True):
            forth = self._walk(view, node, first, second, patient)
            back = self._walk(view, node, second, first, patient)
            if self._merged(forth) == self._merged(back):
                return None
        return Clash(view, node, first, second, forth, back)

    def pairs(self) -> dict[frozenset[Term], PairNotes]:
        """What is known of each pair of abilities ``ab(Source,N)`` on a card, keyed by their cards and names.

        Abilities are told apart by card and ability, not by what triggered them; a pair may be of one ability with
        itself.
        """
        found: dict[frozenset[Term], PairNotes] = {}
        for view in self._views:
            for node in Paths(view).nodes():
                stop.check()
                instances = sorted(self.picked_in(view, node), key=str)
                for place, first in enumerate(instances):
                    for second in instances[place + 1 :]:
                        notes = found.setdefault(frozenset((bearer(first), bearer(second))), PairNotes())
                        notes.together = True
                        if notes.clash is None:
                            self._note(notes, view, node, first, second)
                        for one, other in ((first, second), (second, first)):
                            if bearer(one) not in notes.altered and self._alters(view, node, other, one):
                                notes.altered.add(bearer(one))
        return found

    def _alters(self, view: View, node: int, first: Term, second: Term) -> bool:
        """Whether picking ``second`` does something else at once if ``first`` has been resolved before."""
        usual = self._does(view, node, second)
        todo = [target for _, target in self.picked_in(view, node)[first]]
        seen = set(todo)
        while todo:
            here = todo.pop()
            self._steps += 1
            if self._steps > MOST_STEPS or not self._graph.nodes[here].explored:
                return True
            if second in self.picked_in(view, here):
                if self._does(view, here, second) != usual:
                    return True
            elif self._graph.nodes[here].state & self._busy.get(second, 0):
                new = [target for _, target in view.edges(here) if target not in seen]
                seen.update(new)
                todo += new
        return False

    def _does(self, view: View, node: int, instance: Term) -> frozenset[frozenset[tuple[Term, int]]]:
        """What picking an instance changes at once, for each way to pick it; numbers by how much they change."""
        before = self._graph.nodes[node].state
        found = set()
        for _, target in self.picked_in(view, node)[instance]:
            after = self._graph.nodes[target].state
            changes: dict[Term, int] = {}
            for fluents, sign in ((before & ~after, -1), (after & ~before, 1)):
                for fluent in self._graph.fluents.terms(fluents & ~self._control):
                    value = fluent.args[1] if fluent.name == "num" else 1
                    key = Term("num", fluent.args[:1]) if fluent.name == "num" else fluent
                    changes[key] = changes.get(key, 0) + sign * (value if isinstance(value, int) else 1)
            found.add(frozenset((key, change) for key, change in changes.items() if change))
        return frozenset(found)

    def _note(self, notes: PairNotes, view: View, node: int, first: Term, second: Term) -> None:
        try:
            notes.clash = self.clash(view, node, first, second)
        except (_Unknown, TooMuch):
            notes.unknown = True

    # ---- what each ability really does

    def deeds(self) -> tuple[dict[Term, Deeds], set[Term]]:
        """What was seen of each ability (and of ``event``), and the instances that ever wait."""
        found: dict[Term, Deeds] = {}
        union = 0
        for view in self._views:
            later = self._later(view)
            for node in view.order:
                union |= self._graph.nodes[node].state
                for number, target in view.edges(node):
                    instance, _, begins = self._of(node)[number]
                    if instance is not None or begins or node == view.order[0]:
                        deeds = found.setdefault(EVENT if instance is None else bearer(instance), Deeds())
                        deeds.later |= later[target] - self.picked_in(view, node).keys()
                        if self._graph.complete:
                            deeds.prevented |= later[node] - later[target] - {instance}
                        self._follow(view, node, target, instance, deeds)
        return found, {instance for instance, mask in self._waits.items() if union & mask}

    def _later(self, view: View) -> dict[int, frozenset[Term]]:
        """For each node the instances that are picked in it or later."""
        found: dict[int, frozenset[Term]] = dict.fromkeys(view.order, frozenset())
        changed = True
        while changed:
            changed = False
            for node in reversed(view.order):
                stop.check()
                here = frozenset(self.picked_in(view, node)).union(*(found[target] for _, target in view.edges(node)))
                if here != found[node]:
                    found[node] = here
                    changed = bool(view.looping)
        return found

    def _follow(self, view: View, start: int, first: int, instance: Term | None, deeds: Deeds) -> None:
        nodes = self._graph.nodes
        base = self._level(nodes[start].state)
        busy = self._busy.get(instance, 0) if instance is not None else 0
        todo = [(start, first, base)]
        seen = set()
        while todo:
            before, node, level = todo.pop()
            old, new = nodes[before].state, nodes[node].state
            level = self._below(old, new, level)
            deeds.begun |= new & ~old
            deeds.ended |= old & ~new
            for other, mask in self._waits.items():
                if new & mask and not old & mask:
                    deeds.made_wait.add(other)
                elif old & mask and not new & mask and other not in self._picked_by(before, node):
                    deeds.took_away.add(other)
            if (node, level) in seen or not nodes[node].explored:
                continue
            seen.add((node, level))
            options = self._of(node)
            if any(picked is not None or begins for picked, _, begins in options):
                continue
            if instance is not None and not new & busy and self._settled(view, node, level):
                continue
            todo += [(node, target, level) for _, target in view.edges(node)]

    def _picked_by(self, node: int, target: int) -> set[Term | None]:
        return {self._of(node)[number][0] for number, to in enumerate(self._graph.nodes[node].targets) if to == target}


EVENT = Term("event")


def bearer(instance: Term) -> Term:
    """The ability of an instance on its card, whatever triggered it; EVENT for what an event itself does."""
    if isinstance(instance.args[0], Term):
        return EVENT
    return Term("t", instance.args[:2])


def _parts(value: Value) -> Iterator[Term]:
    if isinstance(value, Term):
        yield value
        for argument in value.args:
            yield from _parts(argument)


def _fluents(graph: StateGraph, union: int) -> Iterator[tuple[int, Term]]:
    while union:
        bit = union & -union
        (fluent,) = graph.fluents.terms(bit)
        yield bit, fluent
        union ^= bit
