"""One grounding for many boards.

Boards with the same cards and the same event differ in their fluents only: where the cards lie, what damage they have.
They are states of one ground program, which is solved and learned from together (:mod:`lastrites.local`).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lastrites import count
from lastrites.explore import Limits, Starts, StateGraph, next_bounds
from lastrites.resolution import rulebook
from lastrites.solver import BoundReached, Rulebook, symbol
from lastrites.state import StateWriter
from lastrites.terms import Term, Value, fn

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.count import View
    from lastrites.editions import Reading

MOST_GROWTH = 2
"""How often the bounds of a grounding are raised: what outgrows them then is not small, or never ends."""

LOOP = "an order never ends"
REFUSED = "refused"


@dataclass(frozen=True)
class Canonical:
    """A board with cards called after what they are, so that boards with the same cards share their facts.

    ``fixed`` are the facts that rules read directly, ``start`` the fluents of the start.
    """

    fixed: frozenset[Term]
    start: frozenset[Term]

    @property
    def shared_by(self) -> frozenset[Term]:
        """What boards must have in common to share a grounding: all but which cards there are."""
        return frozenset(fact for fact in self.fixed if fact.name not in _ABOUT_CARDS)


_ABOUT_CARDS = frozenset({"card", "prints", "owner", "spare"})


def canonical(board: Board) -> Canonical:
    """The board under names made of printed card, owner and number of the copy."""
    prints = {str(fact.args[0]): str(fact.args[1]) for fact in board.facts if fact.name == "prints"}
    owner = {str(fact.args[0]): str(fact.args[1]) for fact in board.facts if fact.name == "owner"}
    copies: dict[tuple[str, str], int] = {}
    called: dict[str, str] = {}
    for card, printed in prints.items():
        key = printed, owner[card]
        copies[key] = copies.get(key, 0) + 1
        called[card] = f"{board.cards.title(printed)}#{_number(board, owner[card], copies[key])}"
    renamed = [_renamed(fact, called) for fact in board.facts]
    start = frozenset(_inner(fact) for fact in renamed if fact.name == "init")
    return Canonical(frozenset(fact for fact in renamed if fact.name != "init"), start)


def _number(board: Board, owner: str, copy: int) -> int:
    return board.players.index(owner) * 100 + copy


def _inner(fact: Term) -> Term:
    fluent = fact.args[0]
    assert isinstance(fluent, Term)
    return fluent


def _renamed(value: Term, called: Mapping[str, str]) -> Term:
    return Term(value.name, tuple(_renamed_value(argument, called) for argument in value.args))


def _renamed_value(value: Value, called: Mapping[str, str]) -> Value:
    if isinstance(value, str):
        return called.get(value, value)
    return _renamed(value, called) if isinstance(value, Term) else value


Ends = frozenset[str]
"""What can come out, each as canonical text."""


@dataclass(frozen=True)
class Found:
    """What came out of one board: for each assignment of answers to the questions that it raised, its outcomes.

    ``choices`` are, in the same order, fingerprints of everything that players choose on the way.
    """

    outcomes: tuple[tuple[Mapping[str, str], Ends], ...]
    states: int
    complete: bool = True
    odd: tuple[str, ...] = ()
    choices: tuple[int, ...] = ()

    @property
    def raised(self) -> frozenset[str]:
        """Questions that came up."""
        return frozenset(question for when, _ in self.outcomes for question in when)


@dataclass
class Universe:
    """Boards that have some of the cards of the ``fixed`` facts, and share all else, under one reading.

    With ``piles`` outcomes are told apart by the order of piles too.
    """

    board: Board
    reading: Reading
    fixed: frozenset[Term]
    starts: Sequence[frozenset[Term]]
    limits: Limits = field(default_factory=lambda: Limits(states=2_000))
    piles: bool = False

    def __post_init__(self) -> None:
        """``board`` is any of the boards: it brings the game and the players.

        Raises RulesError when the rules cannot be grounded.
        """
        common = frozenset.intersection(*self.starts)
        also = frozenset.union(*self.starts) - common
        facts = [*sorted(self.fixed, key=str), *(fn("init", fluent) for fluent in sorted(common, key=str))]
        self._board = dataclasses.replace(self.board, facts=tuple(facts))
        self._also = sorted(also, key=str)
        self._writer = StateWriter(self._board)
        self._grown = 0
        self._ground(rulebook(self._board, self.reading, pile_order=self.piles))

    def _ground(self, book: Rulebook) -> None:
        self.book = book
        self.rules = Starts(book, self._also)
        self._texts: dict[int, str] = {}

    def find(self, start: Iterable[Term]) -> Found:
        """Everything that can come out of the board that starts so. Raises as ``Starts.explore``."""
        start = list(start)
        while True:
            try:
                graph = self._walked(start)
                break
            except BoundReached as reached:
                # Cards that come to be need names, which this board's own facts give.
                larger = next_bounds(self.book, reached) if reached.bound != "spares" else None
                if larger is None or self._grown >= MOST_GROWTH:
                    raise
                self._grown += 1
                self._ground(larger)
        if not self.piles:
            return found_in(graph, self._text)
        from lastrites.answer import Answer

        parts = Answer(self._board, self.reading, graph, pile_order=True).found
        outcomes = tuple((part.view.assignment, frozenset(map("\n".join, part.orders))) for part in parts)
        return Found(outcomes, len(graph.nodes), graph.complete, (), (0,) * len(outcomes))

    def _walked(self, start: Iterable[Term]) -> StateGraph:
        bits = self.rules.fluents
        state = self.rules.initial
        for fluent in start:
            state |= bits.bit(symbol(fluent))
        return self.rules.explore(state, self.limits)

    def _text(self, graph: StateGraph, end: int) -> str:
        state = graph.nodes[end].state
        text = self._texts.get(state)
        if text is None:
            written = self._writer.state(self.rules.fluents.terms(state))
            text = self._texts[state] = json.dumps(written, sort_keys=True, ensure_ascii=False)
        return text


def found_in(graph: StateGraph, text: Callable[[StateGraph, int], str]) -> Found:
    """What a state graph says for each assignment of answers."""
    outcomes: list[tuple[Mapping[str, str], Ends]] = []
    choices: list[int] = []
    for view in count.assignments(graph):
        texts = {end: text(graph, end) for end in view.ends()}
        ends = set(texts.values())
        if view.looping:
            ends.add(LOOP)
        if any(graph.nodes[node].refused for node in view.order):
            ends.add(REFUSED)
        outcomes.append((view.assignment, frozenset(ends)))
        choices.append(_choices(view, texts))
    odd = tuple(sorted({node.odd for node in graph.nodes if node.odd and not node.refused}))
    return Found(tuple(outcomes), len(graph.nodes), graph.complete, odd, tuple(choices))


def _choices(view: View, texts: Mapping[int, str]) -> int:
    """A fingerprint of the tree of choices: who may choose what, and what comes of it. Steps without a choice do not
    count. Where orders never end it is 0: nothing is said of them.
    """
    if view.looping:
        return 0
    prints: dict[int, int] = {}
    for number in reversed(view.order):
        edges = view.edges(number)
        if len(edges) == 1:
            prints[number] = prints[edges[0][1]]
            continue
        node = view.graph.nodes[number]
        options = node.options
        after = frozenset((str(options[option].term), prints[target]) for option, target in edges)
        prints[number] = hash((node.who, texts.get(number, ""), after))
    return prints[view.order[0]] if view.order else 0
