"""The states of a board and the decisions between them, kept in arrays: a large board has millions.

States that are reached twice are one state; the paths of the graph are the orders. What many states have in common
(who decides, whether the state is final) is one object that they share, and so is what a decision does.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, overload

from lastrites.solver import Decision, Fluents, Option, Rulebook, Situation
from lastrites.terms import Term

if TYPE_CHECKING:
    from lastrites.factoring import Product
    from lastrites.folding import Folding

NOBODY, PLAYER, READING, CHANCE = "nobody", "player", "reading", "chance"


def has_own_bound(quantity: Term) -> bool:
    """Whether ``ceiling/2`` in ``rules/core/zones.lp`` bounds the quantity: how many cards nobody names."""
    return quantity.name == "anonymous"


@dataclass(frozen=True, slots=True)
class Head:
    """What the rules say about a state apart from what its decisions do: who decides, whether it is final.

    ``odd`` is ``conflict``, ``unexplained`` or ``stuck`` where the rules leave a state in such a way.
    """

    kind: str = NOBODY
    who: str = ""
    final: bool = False
    refused: tuple[tuple[int, str], ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    clashes: tuple[tuple[str, str], ...] = ()
    odd: str = ""

    @classmethod
    def of(cls, situation: Situation, options: int) -> Head:
        """The head of a situation with this number of options."""
        kind, who = NOBODY, ""
        if situation.choosers:
            kind, who = situation.choosers[0].name, _who(situation.choosers[0])
        odd = ""
        if situation.conflicts:
            odd = "conflict"
        elif kind == NOBODY and options > 1:
            odd = "unexplained"
        elif not options and not situation.final and not situation.refused:
            odd = "stuck"
        refused, conflicts = tuple(situation.refused), tuple(situation.conflicts)
        return cls(kind, who, situation.final, refused, conflicts, tuple(situation.clashes), odd)


NOTHING_KNOWN = Head()
"""The head of a state that has not been explored."""


def _who(chooser: Term) -> str:
    if not chooser.args:
        return ""
    who = chooser.args[0]
    return who if isinstance(who, str) else str(who)


class Explainer(Protocol):
    """Who can say what a step rests on; states are given without the constant fluents."""

    def explained(self, state: int, only: Collection[Decision] | None = None) -> Situation:
        """What stands behind the steps of a state (or ``only`` some decisions): clauses, remarks, what is barred."""
        ...

    def look(self, state: int) -> Situation:
        """The options of a state."""
        ...


class Node:
    """One state of a graph, looked at: who decides, and where each decision leads (numbers of other nodes)."""

    __slots__ = ("graph", "number")

    def __init__(self, graph: StateGraph, number: int) -> None:
        self.graph = graph
        self.number = number

    @property
    def state(self) -> int:
        """The fluents that hold, as a bit set."""
        return self.graph.state(self.number)

    @property
    def head(self) -> Head:
        return self.graph.heads[self.number] or NOTHING_KNOWN

    @property
    def explored(self) -> bool:
        return self.graph.heads[self.number] is not None

    @property
    def kind(self) -> str:
        return self.head.kind

    @property
    def who(self) -> str:
        return self.head.who

    @property
    def final(self) -> bool:
        return self.head.final

    @property
    def refused(self) -> list[tuple[int, str]]:
        return list(self.head.refused)

    @property
    def conflicts(self) -> list[tuple[str, str]]:
        return list(self.head.conflicts)

    @property
    def clashes(self) -> list[tuple[str, str]]:
        return list(self.head.clashes)

    @property
    def odd(self) -> str:
        return self.head.odd

    @property
    def options(self) -> list[Option]:
        """The legal decisions, sorted."""
        graph = self.graph
        first, last = graph.span(self.number)
        return [graph.effects[effect] for effect in graph.steps[first:last]]

    @property
    def targets(self) -> list[int]:
        """Where each option leads."""
        first, last = self.graph.span(self.number)
        return list(self.graph.targets[first:last])


class Nodes(Sequence[Node]):
    """The nodes of a graph as a sequence; each is made when it is asked for."""

    def __init__(self, graph: StateGraph) -> None:
        self._graph = graph

    def __len__(self) -> int:
        return len(self._graph.states)

    @overload
    def __getitem__(self, number: int) -> Node: ...

    @overload
    def __getitem__(self, number: slice) -> list[Node]: ...

    def __getitem__(self, number: int | slice) -> Node | list[Node]:
        if isinstance(number, slice):
            return [Node(self._graph, each) for each in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        return Node(self._graph, number % len(self))

    def __iter__(self) -> Iterator[Node]:
        return (Node(self._graph, number) for number in range(len(self)))


@dataclass
class StateGraph:
    """All states that were reached. Node 0 is the start.

    ``complete`` is False when a limit or an interrupt ended the walk early; ``reason`` says which. ``mode`` is the
    mode that was used, ``rulebook`` has the bounds of the grounding that were enough.

    Node ``n`` has the state ``states[n]`` (with the bits of ``constant`` besides), the head ``heads[n]`` (None: not
    explored) and, from ``starts[n]`` on, ``counts[n]`` edges: ``steps`` gives what is done, a place in ``effects``,
    ``targets`` the node it leads to. ``times`` says for how many like decisions an edge stands (None: one each).
    ``explainer`` knows what steps rest on, where the walk has found that out.
    ``folding``: how states stand for others. ``products``: for each state at which independent groups were told apart,
    the nodes to which they lead, each with the end of every group, or with nothing where one group is left there; in
    between the groups were walked one after another, and the last edge of each has as ``times`` in how many ways its
    picks go between those before.
    ``factored``: what comes of the start, as factors; then nothing but the start is in the graph, and ``aside`` counts
    the states that were explored beside it.
    ``forward``: every edge leads to a node with a greater number.
    """

    fluents: Fluents
    rulebook: Rulebook
    mode: str
    complete: bool = True
    reason: str = ""
    warnings: list[str] = field(default_factory=list)
    constant: int = 0
    states: list[int] = field(default_factory=list)
    heads: list[Head | None] = field(default_factory=list)
    starts: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("i"))
    steps: array[int] = field(default_factory=lambda: array("i"))
    targets: array[int] = field(default_factory=lambda: array("i"))
    effects: list[Option] = field(default_factory=list)
    times: array[int] | list[int] | None = None
    explainer: Explainer | None = None
    folding: Folding | None = None
    products: list[dict[int, tuple[int, ...]]] = field(default_factory=list)
    factored: list[Product] | None = None
    aside: int = 0
    forward: bool = True
    _asking: list[int] | None = field(default=None, repr=False)
    _ends: set[int] | None = field(default=None, repr=False)
    _known: dict[tuple[object, ...], int] = field(default_factory=dict, repr=False)

    def new(self, state: int) -> int:
        """The number of a new node."""
        self.states.append(state)
        self.heads.append(None)
        self.starts.append(0)
        self.counts.append(0)
        return len(self.states) - 1

    def fill(self, number: int, head: Head, first: int) -> None:
        """A node has been explored: its edges are the last ones, from ``first`` on."""
        self.starts[number] = first
        self.counts[number] = len(self.targets) - first
        self.heads[number] = head

    def effect(self, option: Option) -> int:
        """The place of an option in ``effects``."""
        key = (option.decision, option.add, option.delete, option.apart)
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.effects)
            self.effects.append(option)
        return number

    def sibling(self) -> StateGraph:
        """An empty graph of the same grounding that shares the table of effects."""
        graph = StateGraph(self.fluents, self.rulebook, self.mode, constant=self.constant, effects=self.effects)
        graph._known = self._known
        return graph

    def state(self, number: int) -> int:
        """The whole state of a node."""
        return self.states[number] | self.constant

    def span(self, number: int) -> tuple[int, int]:
        """The first edge of a node, and the one after its last."""
        first = self.starts[number]
        return first, first + self.counts[number]

    def asking(self) -> list[int]:
        """The nodes at which a question is open. Once the walk is over."""
        if self._asking is None:
            self._asking = [n for n, head in enumerate(self.heads) if head is not None and head.kind == READING]
        return self._asking

    def ends(self) -> set[int]:
        """The nodes that are final. Once the walk is over."""
        if self._ends is None:
            self._ends = {n for n, head in enumerate(self.heads) if head is not None and head.final}
        return self._ends

    def odd(self) -> bool:
        """Whether anything but orders and outcomes is to be told: states in which the rules are at fault, or loops."""
        if any(head is not None and (head.odd or head.conflicts or head.clashes) for head in set(self.heads)):
            return True
        if self.forward:
            return False
        from lastrites.count import View

        return bool(View(self, {}, every_answer=True).looping)

    @property
    def nodes(self) -> Nodes:
        """The nodes, for looking at them one by one."""
        return Nodes(self)

    def explored(self) -> int:
        """The number of states that were explored."""
        return self.aside + sum(head is not None for head in self.heads)

    def _union(self) -> frozenset[Term]:
        union = self.constant
        for state in self.states:
            union |= state
        return self.fluents.terms(union)

    def largest_number(self) -> int:
        """The greatest number in a state of any quantity that has no bound of its own."""
        largest = 0
        for term in self._union():
            match term:
                case Term("num", (Term() as quantity, int(amount))) if not has_own_bound(quantity):
                    largest = max(largest, amount)
        return largest

    def deepest_frame(self) -> int:
        """The greatest level of a frame, or rank of what waits for one, in a state."""
        levels = [term.args[0] for term in self._union() if term.name in ("frame", "wait")]
        return max((level for level in levels if isinstance(level, int)), default=1)


class RealStates:
    """The states that orders really go through, beside a graph in which states stand for others: a graph of their own,
    filled as far as it is asked for."""

    def __init__(self, graph: StateGraph) -> None:
        """``graph`` is the one to fill."""
        self.graph = graph
        self._index: dict[int, int] = {}

    def node(self, state: int) -> int:
        """The node of a state, perhaps a new one."""
        node = self._index.get(state)
        if node is None:
            node = self._index[state] = self.graph.new(state)
        return node
