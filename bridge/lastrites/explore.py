"""Walking the states of a board: from the start, along every legal decision, to the ends."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from lastrites import spares, stop
from lastrites.reductions import FACTORS, INDEPENDENCE, LOOKUP, SYMMETRY, Reduction, chosen
from lastrites.solver import (
    BoundReached,
    Fluents,
    GraphRules,
    IllegalChoice,
    LayerRules,
    Rulebook,
    RulesError,
    Situation,
    fail,
)
from lastrites.stategraph import CHANCE, NOBODY, PLAYER, READING, Head, Node, StateGraph, has_own_bound

if TYPE_CHECKING:
    from lastrites.folding import Folding, Part
    from lastrites.independence import Splitter
    from lastrites.local import Atom, Control, LocalRules
    from lastrites.symmetry import Alike
    from lastrites.terms import Term

__all__ = [
    "CHANCE", "MODES", "NOBODY", "PLAYER", "READING", "IllegalChoice", "Impossible", "Limits", "Node", "Starts",
    "StateGraph", "Unsupported", "explore", "has_own_bound",
]  # fmt: skip

MODES = ("graph", "layers")
_BATCH = 256
_MOST = {"max_value": 999, "max_depth": 96, "max_shift": 96}
_LARGEST_GROUNDING = 120
_FEW_STATES = 64
"""A board of no more states is solved state by state: reading reasons off would cost more than it saves."""
_FEW_ORBITS = 3_000
"""Where interchangeable cards leave no more states of a window than this, independent groups are not looked for."""
_FEW_PICKS = 3
"""So many options there must be for telling them apart."""
_MOST_FAILURES = 8
"""After so many states whose options could not be told apart no others are tried."""
_MOST_ALONE = 2_000
"""If among so many states there is none whose options can be told apart, that is given up."""


class Rules(Protocol):
    """What can be asked about states: graph mode or layer mode."""

    fluents: Fluents
    initial: int
    constant: int
    unsupported: list[tuple[str, str]]
    impossible: list[tuple[str, str]]

    def look_all(self, states: Sequence[int]) -> list[Situation]:
        """What the rules say about several states."""
        ...


@dataclass(frozen=True)
class Limits:
    """How far to go. ``states``: how many states at most; ``seconds``: for how long; beyond how many ``outcomes``
    factors are enough. None: no limit."""

    states: int | None = None
    seconds: float | None = None
    outcomes: int | None = None


class Impossible(Exception):
    """No board can be like this; ``what`` lists cards, each with what is wrong in words."""

    def __init__(self, what: list[tuple[str, str]]) -> None:
        super().__init__(", ".join(f"{card}: {text}" for card, text in what))
        self.what = what


class Unsupported(Exception):
    """The board asks for what the rules do not model yet; ``what`` lists it in words, each with what it is about."""

    def __init__(self, what: list[tuple[str, str]]) -> None:
        super().__init__(", ".join(text for _, text in what))
        self.what = what


Progress = Callable[[int, int], None]
"""Called now and then with the number of states explored and the number that wait."""


def explore(
    rulebook: Rulebook,
    *,
    mode: str = "graph",
    reduction: Reduction = True,
    limits: Limits | None = None,
    progress: Progress | None = None,
    piles: Collection[str] | None = None,
    tells: Callable[[Term], bool] | None = None,
) -> StateGraph:
    """Explore a board. Bounds of the grounding that turn out too small are doubled, and the walk starts again.

    ``reduction`` says which reductions are used, see ``docs/reductions.md``; without any every state is solved anew.
    ``piles`` names the zones in which cards lie in an order; where it is not said groups are not told apart.
    ``tells`` says of which fluents an outcome may tell; where it is not said nothing is told as factors.

    Ctrl-C and limits give the graph as far as it is known, with ``complete`` False. Raises RulesError when the rules
    are at fault, IllegalChoice when the event chooses what it may not, Unsupported when
    they do not model it, Impossible when no board can be like this.
    """
    limits = limits or Limits()
    reductions = chosen(reduction) if piles is not None else chosen(reduction) - {INDEPENDENCE}
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    walk: Walk | None = None
    while True:
        too_large = rulebook.constant("max_value") > _LARGEST_GROUNDING
        used = "layers" if too_large else mode
        try:
            rules: Rules = LayerRules(rulebook) if used == "layers" else GraphRules(rulebook)
            if rules.impossible:
                raise Impossible(rules.impossible)
            if rules.unsupported:
                raise Unsupported(rules.unsupported)
            walk = Walk(StateGraph(rules.fluents, rulebook, used, constant=rules.constant), limits, deadline, progress)
            walk.start(rules.initial)
            return walk.run(rules, reductions, piles or (), tells).graph
        except BoundReached as reached:
            known = spares.number(rulebook, *reached.what) if reached.what else rulebook.constant(reached.bound)
            larger = next_bounds(rulebook, reached)
            if larger is None:
                reason = f"the bound {reached.bound} ({known}) was reached"
                if reached.bound == "spares":
                    reason = f"{reached.what[0]} ran out of {known} cards {reached.what[1]} that can come to be"
                    reason += "; perhaps an order never ends"
                if reached.bound == "max_value":
                    reason = f"a number went beyond {known}; perhaps an order never ends"
                if walk is None:
                    start = LayerRules(rulebook)
                    walk = Walk(StateGraph(start.fluents, rulebook, used), limits, deadline, progress)
                    walk.start(start.initial)
                walk.graph.complete, walk.graph.reason = False, reason
                return walk.graph
            rulebook = larger


def next_bounds(rulebook: Rulebook, reached: BoundReached) -> Rulebook | None:
    """The rulebook with the bound that was reached doubled; None where that is beyond all that can be meant.

    Raises RulesError where cards shall come to be of which the board has no name.
    """
    name = reached.bound
    if name == "spares":
        return spares.doubled(rulebook, *reached.what)
    known = rulebook.constant(name)
    bound = min(known * 2, _MOST[name])
    if bound <= known or (name == "max_value" and bound > rulebook.most_value):
        return None
    return rulebook.with_constants(**{name: bound})


class Starts:
    """One grounding, walked from many starts: what is learned from one walk serves the others.

    ``asks`` are the questions that may come up from any of them, ``unsupported`` what the rules do not cover.
    """

    def __init__(self, rulebook: Rulebook, also: Iterable[Term]) -> None:
        """``also`` names fluents that hold at some of the starts. Raises RulesError."""
        self._plain = plain = GraphRules(rulebook, also)
        self._graph = StateGraph(plain.fluents, rulebook, "graph", constant=plain.constant)
        self.fluents, self.initial = plain.fluents, plain.initial
        self.unsupported, self.asks = plain.unsupported, plain.asks
        self._solved = 0

    @cached_property
    def _rules(self) -> LocalRules:
        from lastrites.local import LocalRules

        return LocalRules(self._plain, self._graph.effect, explain=False)

    def explore(self, start: int, limits: Limits) -> StateGraph:
        """All that the state leads to. Raises as :func:`explore`, and BoundReached where the grounding is outgrown."""
        deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        walk = Walk(self._graph.sibling(), limits, deadline, None)
        walk.start(start)
        # Where few states are looked at in all, preparing the look-up costs more than it saves.
        ended = walk.solve(self._plain, 1, max(0, _FEW_STATES - self._solved))
        self._solved += len(walk.graph.states)
        if not ended and self._rules.exact:
            walk.look_up(self._rules)
        elif not ended:
            walk.solve(self._plain, 1)
        return walk.graph


def _only_answers(situation: Situation, state: int) -> None:
    """Raises RulesError where the answer to a question does more than to be remembered."""
    if situation.choosers and situation.choosers[0].name == READING:
        for option in situation.options:
            if option.delete & state or (option.add & ~state).bit_count() > 1:
                raise RulesError(f"the rules have an answer to a question change the board: {option.decision}")


class Walk:
    """A walk over the states of a board: what has been found, and what waits to be looked at."""

    def __init__(
        self, graph: StateGraph, limits: Limits, deadline: float | None, progress: Progress | None
    ) -> None:
        self.graph = graph
        self._limits = limits
        self._deadline = deadline
        self._progress = progress
        self._index: dict[int, int] = {}
        self._done = 0
        # Broad first is cheapest. Where a limit may end the walk, deep first finds complete orders before it does.
        self._deep = deadline is not None or limits.states is not None
        self._stack: list[int] = []
        self._combined = 0
        self._splitter: Splitter | None = None

    def start(self, state: int) -> None:
        """Begin with this state."""
        self._find(state & ~self.graph.constant)

    def run(
        self,
        rules: Rules,
        reductions: frozenset[str],
        piles: Collection[str] = (),
        tells: Callable[[Term], bool] | None = None,
    ) -> Walk:
        """Walk to the end, or to a limit. The walk that got there: this one, or one that was begun anew."""
        walk = self
        factors = tells is not None and self._limits.outcomes is not None and {INDEPENDENCE, FACTORS} <= reductions
        try:
            if not isinstance(rules, GraphRules):
                self.solve(rules, _BATCH)
            elif LOOKUP not in reductions:
                self.solve(rules, 1)
            elif not self.solve(rules, 1, _FEW_STATES) or (factors and self._listed_too_long()):
                from lastrites.local import LocalRules

                local = LocalRules(rules, self.graph.effect)
                if not local.exact:
                    self.solve(rules, 1)
                    return self
                self.graph.explainer = local
                if factors and tells is not None:
                    walk = self._perhaps_factored(local, reductions, piles, tells)
                else:
                    walk = self._reduced(local, reductions, piles)
        except KeyboardInterrupt:
            walk.graph.complete, walk.graph.reason = False, "interrupted"
        return walk

    def _listed_too_long(self) -> bool:
        """Whether the walk is over, and there are more ends than the outcomes that are to be listed."""
        over = self.graph.complete and not self._waits()
        return over and len(self.graph.ends()) > (self._limits.outcomes or 0)

    def _perhaps_factored(
        self,
        rules: LocalRules,
        reductions: frozenset[str],
        piles: Collection[str],
        tells: Callable[[Term], bool],
    ) -> Walk:
        """Go on, and look for factors where there are more outcomes than are to be listed, or many states."""
        limits, most = self._limits, self._limits.outcomes or 0
        classes = self._classes(rules, reductions)
        if self._waits() and self._orbits(classes) > _FEW_ORBITS:
            factored = self._factored(rules, piles, tells)
            return factored if factored.graph.factored is not None else self._reduced(rules, reductions, piles, classes)
        few = _FEW_ORBITS if limits.states is None else min(limits.states, _FEW_ORBITS)
        self._limits = replace(limits, states=few)
        walk = self if not self._waits() else self._reduced(rules, reductions, piles, classes)
        graph = walk.graph
        self._limits = limits
        if graph.complete and len(graph.ends()) <= most:
            return walk
        if not graph.complete and graph.reason != walk._states_reached(few):
            return walk
        factored = self._factored(rules, piles, tells)
        if factored.graph.factored is not None:
            return factored
        if not graph.complete and not factored.graph.complete:
            graph.reason = factored.graph.reason
        if graph.complete or not factored.graph.complete or few == limits.states:
            return walk
        return self._anew(rules)._reduced(rules, reductions, piles)

    def _factored(self, rules: LocalRules, piles: Collection[str], tells: Callable[[Term], bool]) -> Walk:
        """The start alone, with all that comes of it as factors, if that is proved and lists are not enough; not
        complete if it was stopped before that was known."""
        from lastrites.factoring import Factoring

        walk = self._anew(rules)
        graph = walk.graph
        factoring = Factoring(rules, walk._new_splitter(rules, piles), graph, rules.fluents.mask(tells))
        try:
            products = factoring.products(graph.states[0])
        except KeyboardInterrupt:
            products, graph.complete, graph.reason = None, False, "interrupted"
        if graph.complete and products and any(each.size() > (self._limits.outcomes or 0) for each in products):
            graph.factored, graph.aside = products, factoring.states
            walk._warn(factoring.warnings)
        elif graph.complete:
            self._splitter = walk._splitter
        return walk

    def _new_splitter(self, rules: LocalRules, piles: Collection[str]) -> Splitter:
        from lastrites.independence import Splitter

        self._splitter = Splitter(rules, piles, self._over, self._limits.states)
        return self._splitter

    def _classes(self, rules: LocalRules, reductions: frozenset[str]) -> list[Alike]:
        """Interchangeable cards, where they are asked for."""
        if SYMMETRY not in reductions:
            return []
        from lastrites.symmetry import Symmetries

        return Symmetries(rules, self.graph.rulebook.facts).classes()

    def _reduced(
        self,
        rules: LocalRules,
        reductions: frozenset[str],
        piles: Collection[str],
        classes: Sequence[Alike] | None = None,
    ) -> Walk:
        """Go on with look-up, and with one of the reductions that rest on it where one of them applies."""
        if classes is None:
            classes = self._classes(rules, reductions)
        if INDEPENDENCE in reductions and self._orbits(classes) > _FEW_ORBITS:
            walk = self._told_apart(rules, piles)
            if walk is not None:
                return walk
        if classes:
            return self._folded(rules, classes)
        self.look_up(rules)
        return self

    def _orbits(self, classes: Sequence[Alike]) -> int:
        """How many states a window may have, about, up to the exchange of interchangeable cards."""
        most = max(self.graph.counts)
        found = 1
        for alike in classes:
            found *= len(alike.members) + 1
            most -= len(alike.members)
        return found << max(most, 0)

    def _told_apart(self, rules: LocalRules, piles: Collection[str]) -> Walk | None:
        """Walk independent groups one after another, where there are any and all that is told allows it."""
        walk = self._anew(rules, deep=True)
        graph = walk.graph
        splitter = self._splitter
        if splitter is None:
            splitter = walk._new_splitter(rules, piles)
        splitter.over = walk._over
        try:
            found = walk.apart(rules, splitter)
        except KeyboardInterrupt:
            found, graph.complete, graph.reason = True, False, "interrupted"
        # What is odd is told of real states, step by step; a walk that was stopped stops again where it goes on.
        return walk if found and not graph.odd() else None

    def _folded(self, rules: LocalRules, classes: Sequence[Alike]) -> Walk:
        """Walk up to the exchange of interchangeable cards, as far as all that is told allows it."""
        from lastrites.folding import Folding

        folding, order = Folding.of(classes, rules.fluents, rules.varying)
        if not folding.parts:
            self.look_up(rules)
            return self
        rules.rearrange(order)
        while folding.parts:
            walk = self._again(rules)
            walk.graph.folding = folding
            try:
                walk.fold(rules, folding)
            except KeyboardInterrupt:
                walk.graph.complete, walk.graph.reason = False, "interrupted"
                return walk
            unfit = folding.unfit(walk.graph)
            if walk.graph.odd():
                break
            if not unfit:
                return walk
            folding = Folding([part for part in folding.parts if part not in unfit])
        walk = self._again(rules)
        walk.look_up(rules)
        return walk

    def _anew(self, rules: LocalRules, deep: bool = False) -> Walk:
        """A walk from the start; ``deep`` even if no limit asks for it."""
        if rules.fluents is not self.graph.fluents:
            return self._again(rules, deep)
        graph = self.graph.sibling()
        graph.explainer = rules
        walk = Walk(graph, self._limits, self._deadline, self._progress)
        walk._deep = walk._deep or deep
        walk.start(rules.initial)
        return walk

    def _again(self, rules: LocalRules, deep: bool = False) -> Walk:
        """A walk from the start, with other fluents."""
        old = self.graph
        graph = StateGraph(rules.fluents, old.rulebook, old.mode, constant=rules.constant, explainer=rules)
        walk = Walk(graph, self._limits, self._deadline, self._progress)
        walk._deep = walk._deep or deep
        walk.start(rules.initial)
        rules.forget(graph.effect)
        return walk

    def _find(self, state: int) -> int:
        """The node of a state; a new one waits to be explored."""
        target = self._index.get(state)
        if target is None:
            target = self._index[state] = self.graph.new(state)
            if self._deep:
                self._stack.append(target)
        return target

    def _waits(self) -> int:
        """How many states wait."""
        return len(self._stack) if self._deep else len(self.graph.states) - self._done

    def _over(self) -> bool:
        """Whether a limit is reached; the graph then says so. Raises KeyboardInterrupt after Ctrl-C."""
        stop.check()
        graph, limits = self.graph, self._limits
        if limits.states is not None and self._done + self._combined >= limits.states:
            graph.complete, graph.reason = False, self._states_reached(limits.states)
        elif self._deadline is not None and time.monotonic() >= self._deadline:
            graph.complete, graph.reason = False, f"the time limit of {limits.seconds:g} s was reached"
        return not graph.complete

    @staticmethod
    def _states_reached(states: int) -> str:
        return f"the limit of {states} states was reached"

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._done + self._combined, self._waits())

    def solve(self, rules: Rules, size: int, most: int | None = None) -> bool:
        """Solve state by state, ``size`` at once. Whether that ended the walk: after ``most`` states it stops."""
        graph = self.graph
        constant = graph.constant
        while self._waits():
            if most is not None and self._done >= most:
                return False
            if self._over():
                return True
            if self._limits.states is not None:
                size = min(size, self._limits.states - self._done)
            size = min(size, self._waits())
            batch = [self._stack.pop() for _ in range(size)] if self._deep else range(self._done, self._done + size)
            for node, situation in zip(batch, rules.look_all([graph.state(n) for n in batch]), strict=True):
                try:
                    fail(situation)
                except RulesError as error:
                    error.at = graph, node
                    raise
                _only_answers(situation, graph.state(node))
                self._warn(situation.warnings)
                first = len(graph.targets)
                for option in situation.options:
                    target = self._find(option.after(graph.states[node]) & ~constant)
                    graph.steps.append(graph.effect(option))
                    graph.targets.append(target)
                    graph.forward = graph.forward and target > node
                graph.fill(node, Head.of(situation, len(situation.options)), first)
            self._done += size
            if self._done % 256 < size:
                self._tell()
        return True

    def _warn(self, warnings: Sequence[str]) -> None:
        known = self.graph.warnings
        known += [text for text in dict.fromkeys(warnings) if text not in known]

    def _taken_up(self, rules: LocalRules) -> Iterator[tuple[int, int, Control]]:
        """The states that wait, one after another, with what decides about their options; until a limit is reached."""
        states, stack, deep = self.graph.states, self._stack, self._deep
        controls = rules.controls
        done = self._done
        while stack if deep else done < len(states):
            if deep or not done & 255:
                self._done = done
                if self._over():
                    return
                if not done & 255:
                    self._tell()
            node = stack.pop() if deep else done
            done += 1
            state = states[node]
            control = controls.get(state & rules.control_mask)
            if control is None:
                control = rules.control(state)
            if control.warnings:
                self._warn(control.warnings)
            yield node, state, control
        self._done = done

    def look_up(self, rules: LocalRules) -> None:
        """Go on with what is known of local situations. The loop is written out: it is run for millions of steps."""
        graph, index, stack, deep = self.graph, self._index, self._stack, self._deep
        steps, targets = graph.steps, graph.targets
        for node, state, control in self._taken_up(rules):
            first = len(targets)
            for cubes in control.tables:
                for mask, table in cubes:
                    step = table.get(state & mask)
                    if step is not None:
                        break
                else:
                    step = rules.step(state, control, cubes)
                after = state & step[0] | step[1]
                target = index.get(after)
                if target is None:
                    target = index[after] = graph.new(after)
                    if deep:
                        stack.append(target)
                elif target <= node:
                    graph.forward = False
                steps.append(step[2])
                targets.append(target)
            graph.fill(node, control.head, first)

    def apart(self, rules: LocalRules, splitter: Splitter) -> bool:
        """The same, telling options apart into independent groups. Gives up, and says so, where that does not work."""
        from lastrites.combining import Combination

        graph = self.graph
        times = graph.times = []
        failures = 0
        for node, state, control in self._taken_up(rules):
            if not graph.products and (failures >= _MOST_FAILURES or len(graph.states) > _MOST_ALONE):
                return False
            if control.head.kind == PLAYER and len(control.tables) >= _FEW_PICKS and failures < _MOST_FAILURES:
                split = splitter.split(state)
                # Answers to a question may leave a group no way to rest before its end: not gone into.
                if split is not None and (split.to_the_end or not split.asking):
                    self._warn([text for group in split.groups for each in group.controls for text in each.warnings])
                    Combination(graph, node, split.groups, self._find, self._added).fill(split.to_the_end)
                    continue
                failures += 1
            first = len(graph.targets)
            for cubes in control.tables:
                step = next((table[state & mask] for mask, table in cubes if state & mask in table), None)
                keep, bits, effect = step or rules.step(state, control, cubes)
                target = self._find(state & keep | bits)
                graph.steps.append(effect)
                graph.targets.append(target)
                times.append(1)
                graph.forward = graph.forward and target > node
            graph.fill(node, control.head, first)
        return bool(graph.products) or not graph.complete

    def _added(self, states: int) -> bool:
        """So many states were put together. Whether a limit is reached."""
        self._combined += states
        self._tell()
        return self._over()

    def fold(self, rules: LocalRules, folding: Folding) -> None:
        """The same, of all states that stand for each other only one, and of like decisions only the first."""
        graph, index, stack, deep = self.graph, self._index, self._stack, self._deep
        steps, targets = graph.steps, graph.targets
        times = graph.times = array("i")
        touched: list[tuple[Part, ...]] = []
        spoken_of: dict[Atom, tuple[tuple[Part, int], ...]] = {}
        for node, state, control in self._taken_up(rules):
            members = control.members
            if members is None:
                for each in control.decisions:
                    if each not in spoken_of:
                        spoken_of[each] = folding.of_decision(str(each.decision))
                members = control.members = [spoken_of[each] for each in control.decisions]
            first = len(targets)
            for cubes, speaks_of in zip(control.tables, members, strict=True):
                like = 1
                for part, member in speaks_of:
                    like *= part.runs(state >> part.base & part.mask)[member]
                if not like:
                    continue
                for mask, table in cubes:
                    step = table.get(state & mask)
                    if step is not None:
                        break
                else:
                    step = rules.step(state, control, cubes)
                after = state & step[0] | step[1]
                effect = step[2]
                while effect >= len(touched):
                    option = graph.effects[len(touched)]
                    touched.append(folding.touched(option.add | option.delete))
                for part in touched[effect]:
                    segment = after >> part.base & part.mask
                    after ^= (segment ^ part.sorted(segment)) << part.base
                target = index.get(after)
                if target is None:
                    target = index[after] = graph.new(after)
                    if deep:
                        stack.append(target)
                elif target <= node:
                    graph.forward = False
                steps.append(effect)
                targets.append(target)
                times.append(like)
            graph.fill(node, control.head, first)
