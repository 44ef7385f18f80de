"""Steps of orders in words, with the clauses they rest on."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lastrites.count import View
from lastrites.results import Step
from lastrites.solver import Decision, LayerRules, Situation
from lastrites.state import StateWriter
from lastrites.stategraph import CHANCE, PLAYER, READING, StateGraph
from lastrites.terms import Term, fn
from lastrites.terms import order as term_order
from lastrites.told import Told

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.words import Speaker


class Teller:
    """Puts steps of the graph into words."""

    def __init__(self, board: Board, graph: StateGraph) -> None:
        self.board = board
        self.graph = graph
        self.writer = StateWriter(board)
        self._speaker: Speaker | None = None
        self._whole: set[int] = set()
        self._steps: dict[tuple[int, int], Step] = {}
        self._some: dict[int, set[Decision]] = {}
        self._cites: dict[int, dict[Term, list[str]]] = {}
        self._barred: dict[int, list[tuple[str, str]]] = {}
        self._told: dict[int, Told] = {}

    @property
    def speaker(self) -> Speaker:
        if self._speaker is None:
            self._speaker = self.board.speaker()
        return self._speaker

    def explain(self, nodes: Sequence[int]) -> None:
        """Ask the rules for the clauses behind the steps of these states, all at once."""
        missing = [node for node in dict.fromkeys(nodes) if node not in self._whole]
        if not missing:
            return
        self._whole.update(missing)
        explainer = self.graph.explainer
        if explainer is not None:
            found = [explainer.explained(self.graph.states[node]) for node in missing]
        else:
            rules = LayerRules(self.graph.rulebook, self.graph.fluents, explain=True)
            found = rules.look_all([self.graph.state(node) for node in missing])
        for node, situation in zip(missing, found, strict=True):
            self._note(node, situation)

    def explain_steps(self, walks: Sequence[Sequence[tuple[int, int]]]) -> None:
        """The same for orders, as (node, number of the option): what else could be done need not be explained."""
        graph, explainer = self.graph, self.graph.explainer
        steps: dict[int, set[int]] = {}
        for walk in walks:
            for node, number in walk:
                steps.setdefault(node, set()).add(number)
                steps.setdefault(graph.nodes[node].targets[number], set())
        if explainer is None:
            self.explain(list(steps))
            return
        for node, numbers in steps.items():
            if node in self._whole:
                continue
            options = graph.nodes[node].options if numbers else []
            decisions = {options[number].decision for number in numbers}
            known = self._some.setdefault(node, set())
            if node not in self._cites or not decisions <= known:
                known |= decisions
                self._note(node, explainer.explained(graph.states[node], known))

    def _note(self, node: int, situation: Situation) -> None:
        for key in [key for key in self._steps if key[0] == node] if node in self._cites else ():
            del self._steps[key]
        self._cites[node] = situation.cites
        self._told[node] = situation.told or Told()
        self._barred[node] = sorted((self.speaker.render(what), clause) for what, clause in situation.barred)

    def faults(self, nodes: Iterable[int]) -> dict[int, list[str]]:
        """What is wrong with the events that are refused in these states, in words, by the number of the event."""
        nodes = list(nodes)
        self.explain(nodes)
        found: dict[int, dict[str, None]] = {}
        for node in nodes:
            for event, _, what in sorted(self._told[node].faults, key=lambda fault: [*map(term_order, fault)]):
                if isinstance(event, int):
                    found.setdefault(event, {})[self.speaker.render(what)] = None
        return {event: list(texts) for event, texts in found.items()}

    def in_the_way(self) -> list[tuple[str, str]]:
        """What clauses bar in the states that have been explained, in words, each with its clause."""
        return list(dict.fromkeys(row for rows in self._barred.values() for row in rows))

    def cited(self) -> list[str]:
        """The clauses on which steps rest in the states that have been explained."""
        steps = (clauses for cites in self._cites.values() for clauses in cites.values())
        return list(dict.fromkeys(clause for clauses in steps for clause in clauses))

    def step(self, node: int, number: int) -> Step:
        """The decision ``number`` taken in a node, in words; clauses only if the node has been explained."""
        # What lies in lists is told only where the next state has been explained, too.
        explained = node in self._cites and self.graph.nodes[node].targets[number] in self._told
        known = self._steps.get((node, number)) if explained else None
        if known is None:
            known = self._tell(node, number)
            if explained:
                self._steps[node, number] = known
        return known

    def _tell(self, node: int, number: int) -> Step:
        here = self.graph.nodes[node]
        option = here.options[number]
        decision = option.term
        old, new = here.state, self.graph.state(here.targets[number])
        # What has not changed need not be looked at, but for what is told together with what has.
        fluents = self.graph.fluents
        told = fluents.around(old ^ new)
        before, after = fluents.terms(old & told), fluents.terms(new & told)
        by = {PLAYER: here.who, CHANCE: CHANCE, READING: READING}.get(here.kind)
        if here.kind == PLAYER and len(here.options) == 1:
            by = None
        return Step(
            by,
            self.speaker.render(decision),
            tuple(self._cites.get(node, {}).get(decision, ())),
            tuple(self.writer.changes(before, after)),
            tuple(f"{what} ({clause})" for what, clause in self._barred.get(node, ())),
            tuple(map(self.speaker.render, self._told[node].remarks_on(decision))) if node in self._told else (),
            tuple(self._lists(node, here.targets[number])),
        )

    def order(self, walk: Sequence[tuple[int, int]]) -> list[Step]:
        """All steps of an order, explained, with the headings of the parts that they make up."""
        targets = [self.graph.nodes[node].targets[number] for node, number in walk]
        self.explain_steps([walk])
        steps: list[Step] = []
        number, within = 0, False
        known: set[str] = set()
        for (node, taken), target in zip(walk, targets, strict=True):
            told = self._told[node]
            step = self.step(node, taken)
            readings = {q: a for q, a in sorted(self._answers(node, taken).items()) if q not in known}
            known.update(readings)
            step = replace(step, readings=readings)
            what = told.sections.get(self.graph.nodes[node].options[taken].term)
            if what is None:
                number, within = (number, within) if step.by == READING else (0, False)
            else:
                if not within:
                    number, within = number + 1, True
                    step = replace(step, section=self._numbered(what, number))
                if self.graph.nodes[node].options[taken].term in told.ending:
                    within, over = False, self._told[target].over
                    if over is not None:
                        step = replace(step, notes=(*step.notes, self._numbered(over, number + 1)))
            steps.append(step)
        return steps

    def _answers(self, node: int, number: int) -> dict[str, str]:
        """The answers on which a step rests: the one that it gives, and those given for the whole run."""
        match self.graph.nodes[node].options[number].term:
            case Term("answer", (question, answer)) if self.graph.nodes[node].kind == READING:
                return {str(question): str(answer)}
        return self._told[node].answers

    def _numbered(self, what: Term, number: int) -> str:
        return self.speaker.render(Term(what.name, (*what.args, number)))

    def _lists(self, node: int, target: int) -> Iterator[str]:
        """What lies in lists after a step where that has changed."""
        if node not in self._told or target not in self._told:
            return
        here, there = self._told[node], self._told[target]
        for name in sorted({*here.lists, *there.lists}, key=term_order):
            lying = there.listed(name)
            if lying == here.listed(name):
                continue
            head = self.speaker.render(fn("listed" if lying else "emptied", name))
            places = [", ".join(map(self.speaker.render, place)) for place in lying]
            yield f"{head}: {' | '.join(places)}" if lying else head


class Paths:
    """Shortest orders from the start of a view."""

    def __init__(self, view: View) -> None:
        self._view = view
        size = len(view.graph.states)
        self._before = array("q", bytes(8 * size))
        self._rank = array("q", [-1]) * size
        todo = [view.order[0]] if view.order else []
        for node in todo:
            self._rank[node] = 0
        before, rank, targets_of = self._before, self._rank, view.targets
        for node in todo:
            for target in targets_of(node):
                if rank[target] < 0:
                    rank[target] = len(todo)
                    before[target] = node
                    todo.append(target)

    def nodes(self) -> list[int]:
        """All nodes that can be reached, the nearest first."""
        return sorted((n for n, rank in enumerate(self._rank) if rank >= 0), key=self._rank.__getitem__)

    def to(self, ends: Iterable[int]) -> list[tuple[int, int]]:
        """A shortest order to one of the nodes, as (node, number of the option); empty if none is reachable."""
        reached = [node for node in ends if self._rank[node] >= 0]
        walk: list[tuple[int, int]] = []
        node = min(reached, key=self._rank.__getitem__, default=None)
        while node is not None and self._rank[node]:
            there, node = node, self._before[node]
            walk.append((node, next(number for number, target in self._view.edges(node) if target == there)))
        return walk[::-1]
