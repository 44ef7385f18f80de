"""Walking the states of a board: from the start, along every legal decision, to the ends.

States that are reached twice are one state; the result is a directed graph whose paths are the orders.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lastrites import stop
from lastrites.solver import BoundReached, Fluents, GraphRules, LayerRules, Option, Rulebook, RulesError, Situation
from lastrites.terms import Term

MODES = ("graph", "layers")
_BATCH = 256
_MOST = {"max_value": 999, "max_depth": 96, "max_shift": 96}
_LARGEST_GROUNDING = 120
_FEW_STATES = 150
"""A board of no more states is solved state by state: reading reasons off would cost more than it saves."""
NOBODY, PLAYER, READING, CHANCE = "nobody", "player", "reading", "chance"


def has_own_bound(quantity: Term) -> bool:
    """Whether ``ceiling/2`` in ``rules/core/zones.lp`` bounds the quantity: how many cards nobody names."""
    return quantity.name == "anonymous"


class Rules(Protocol):
    """What can be asked about states: graph mode or layer mode."""

    fluents: Fluents
    initial: int
    unsupported: list[str]
    impossible: list[tuple[str, str]]

    def look_all(self, states: Sequence[int]) -> list[Situation]:
        """What the rules say about several states."""
        ...


@dataclass(frozen=True)
class Limits:
    """How far to go. ``states``: how many states at most; ``seconds``: for how long. None: no limit."""

    states: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Node:
    """One state of the graph: who decides, and where each decision leads (indices of other nodes)."""

    state: int
    kind: str = NOBODY
    who: str = ""
    options: list[Option] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    final: bool = False
    explored: bool = False
    refused: list[tuple[int, str]] = field(default_factory=list)
    conflicts: list[tuple[str, str]] = field(default_factory=list)
    odd: str = ""


@dataclass
class StateGraph:
    """All states that were reached. Node 0 is the start.

    ``complete`` is False when a limit or an interrupt ended the walk early; ``reason`` says which. ``mode`` is the
    mode that was used, ``bounds`` the bounds of the grounding that were enough.
    """

    nodes: list[Node]
    fluents: Fluents
    rulebook: Rulebook
    mode: str
    complete: bool = True
    reason: str = ""
    warnings: list[str] = field(default_factory=list)

    def largest_number(self) -> int:
        """The greatest number in a state of any quantity that has no bound of its own."""
        union = 0
        for node in self.nodes:
            union |= node.state
        largest = 0
        for term in self.fluents.terms(union):
            match term:
                case Term("num", (Term() as quantity, int(amount))) if not has_own_bound(quantity):
                    largest = max(largest, amount)
        return largest

    def deepest_frame(self) -> int:
        """The greatest level of a frame, or rank of what waits for one, in a state."""
        union = 0
        for node in self.nodes:
            union |= node.state
        levels = [term.args[0] for term in self.fluents.terms(union) if term.name in ("frame", "wait")]
        return max((level for level in levels if isinstance(level, int)), default=1)


class IllegalChoice(Exception):
    """What the event on the board chooses is not legal; ``choice`` is what was chosen."""

    def __init__(self, choice: str) -> None:
        super().__init__(choice)
        self.choice = choice


class Impossible(Exception):
    """No board can be like this; ``what`` lists cards, each with what is wrong in words."""

    def __init__(self, what: list[tuple[str, str]]) -> None:
        super().__init__(", ".join(f"{card}: {text}" for card, text in what))
        self.what = what


class Unsupported(Exception):
    """The board asks for what the rules do not model yet; ``what`` lists it in words."""

    def __init__(self, what: list[str]) -> None:
        super().__init__(", ".join(what))
        self.what = what


Progress = Callable[[int, int], None]
"""Called now and then with the number of states explored and the number that wait."""


def explore(
    rulebook: Rulebook,
    *,
    mode: str = "graph",
    reduction: bool = True,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> StateGraph:
    """Explore a board. Bounds of the grounding that turn out too small are doubled, and the walk starts again.

    ``reduction`` looks up what has been solved in a like situation before, see :mod:`lastrites.local`; without it every
    state is solved anew.

    Ctrl-C and limits give the graph as far as it is known, with ``complete`` False. Raises RulesError when the rules
    are at fault IllegalChoice when the event chooses what it may not, Unsupported when
    they do not model it, Impossible when no board can be like this.
    """
    deadline = None if limits is None or limits.seconds is None else time.monotonic() + limits.seconds
    while True:
        too_large = rulebook.constant("max_value") > _LARGEST_GROUNDING
        used = "layers" if too_large else mode
        try:
            rules: Rules = LayerRules(rulebook) if used == "layers" else GraphRules(rulebook)
            if rules.impossible:
                raise Impossible(rules.impossible)
            if rules.unsupported:
                raise Unsupported(rules.unsupported)
            return _walk(rules, rulebook, used, reduction, limits or Limits(), deadline, progress)
        except BoundReached as reached:
            known = rulebook.constant(reached.bound)
            bound = min(known * 2, _MOST[reached.bound])
            grows = reached.bound == "max_value" and bound > rulebook.most_value
            if bound <= known or grows:
                reason = f"the bound {reached.bound} ({known}) was reached"
                if reached.bound == "max_value":
                    reason = f"a number went beyond {known}; perhaps an order never ends"
                start = LayerRules(rulebook)
                return StateGraph([Node(start.initial)], start.fluents, rulebook, used, False, reason)
            rulebook = rulebook.with_constants(**{reached.bound: bound})


def _walk(
    rules: Rules,
    rulebook: Rulebook,
    mode: str,
    reduction: bool,
    limits: Limits,
    deadline: float | None,
    progress: Progress | None,
) -> StateGraph:
    graph = StateGraph([Node(rules.initial)], rules.fluents, rulebook, mode)
    index = {rules.initial: 0}
    nodes = graph.nodes
    waiting = deque([0])
    done = 0
    # Broad first is cheapest. Where a limit may end the walk, deep first finds complete orders before it does.
    deep = deadline is not None or limits.states is not None
    size = 1 if mode == "graph" else _BATCH
    try:
        while waiting:
            stop.check()
            if limits.states is not None and done >= limits.states:
                graph.complete, graph.reason = False, f"the limit of {limits.states} states was reached"
                break
            if deadline is not None and time.monotonic() >= deadline:
                graph.complete, graph.reason = False, f"the time limit of {limits.seconds:g} s was reached"
                break
            if limits.states is not None:
                size = min(size, limits.states - done)
            take = waiting.pop if deep else waiting.popleft
            batch = [nodes[take()] for _ in range(min(size, len(waiting)))]
            for node, situation in zip(batch, rules.look_all([node.state for node in batch]), strict=True):
                _fill(node, situation)
                graph.warnings += [text for text in situation.warnings if text not in graph.warnings]
                for option in node.options:
                    after = option.after(node.state)
                    target = index.get(after)
                    if target is None:
                        target = index[after] = len(nodes)
                        nodes.append(Node(after))
                        waiting.append(target)
                    node.targets.append(target)
            done += len(batch)
            if reduction and mode == "graph" and done == _FEW_STATES:
                from lastrites.local import LocalRules

                rules = LocalRules(rulebook, rules.fluents)
            if progress is not None and done % 256 < len(batch):
                progress(done, len(waiting))
    except KeyboardInterrupt:
        graph.complete, graph.reason = False, "interrupted"
    return graph


def _fill(node: Node, situation: Situation) -> None:
    for error in situation.errors:
        if error.name == "illegal_choice":
            raise IllegalChoice(str(error.args[0]))
        raise RulesError(f"the rules derive what must not be: {error}")
    node.explored = True
    node.final = situation.final
    node.refused = situation.refused
    node.conflicts = situation.conflicts
    node.options = situation.options
    if situation.choosers:
        chooser = situation.choosers[0]
        node.kind = chooser.name
        node.who = _who(chooser)
    if node.conflicts:
        node.odd = "conflict"
    elif node.kind == NOBODY and len(node.options) > 1:
        node.odd = "unexplained"
    elif not node.options and not node.final and not node.refused:
        node.odd = "stuck"


def _who(chooser: Term) -> str:
    if not chooser.args:
        return ""
    who = chooser.args[0]
    return who if isinstance(who, str) else str(who)
