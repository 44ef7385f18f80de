"""From a state graph to an answer: outcomes, counts, deciders, labels, for all readings together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Any

from lastrites import count, piles, stop
from lastrites.count import Assignment as Answers
from lastrites.count import Count, Tally, View
from lastrites.labels import shortest
from lastrites.results import Assignment, Outcome, Step, shown, told
from lastrites.stategraph import CHANCE, StateGraph
from lastrites.teller import Paths, Teller

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.combining import Interleaved
    from lastrites.editions import Reading
    from lastrites.folding import Unfolded
    from lastrites.resolution import Resolution

MOST_COMBINATIONS = 4096
"""Beyond this many combinations of answers no labels are worked out; the readings are then listed one by one."""

MOST_ARRANGEMENTS = 10_000
"""Beyond this many arrangements of piles ``pile_order`` gives up and says so."""

Said = tuple[Count, tuple[str, ...]] | None
"""What is told of a combination of answers: a number of orders, and ids of outcomes."""

Key = tuple[str, str]
"""An outcome: its state as canonical text, and the arrangement of its piles (empty if that is not looked at)."""


@dataclass
class _ByView:
    """What one combination of answers gives: orders, piles, deciders and players who can force it, by outcome."""

    view: View
    orders: dict[Key, Count] = field(default_factory=dict)
    histories: dict[Key, dict[piles.History, int]] = field(default_factory=dict)
    deciders: dict[Key, set[str]] = field(default_factory=dict)
    forcers: dict[Key, set[str]] = field(default_factory=dict)
    ends: dict[Key, list[int]] = field(default_factory=dict)
    total: Count = 0


class Answer:
    """Works out an answer from a state graph."""

    def __init__(self, board: Board, reading: Reading, graph: StateGraph, pile_order: bool) -> None:
        self.board = board
        self.reading = reading
        self.graph = graph
        self.pile_order = pile_order
        # Steps are told of real states: where states stand for others, orders are carried over to those.
        self.unfolded = _unfolded(graph)
        self.teller = Teller(board, graph if self.unfolded is None else self.unfolded.graph)
        self.warnings = [*board.warnings, *graph.warnings]
        self.states: dict[Key, dict[str, Any]] = {}
        self.keys: dict[int, Key] = {}
        self.zones = board.rules.shape.piles()
        self.views = count.assignments(graph)
        self.pile_histories = piles.PileHistories(graph, frozenset(self.zones), _listed(board))
        self.found = [self._by_view(view) for view in self.views]

    # ---- outcomes of one view

    def _key(self, end: int) -> Key:
        key = self.keys.get(end)
        if key is None:
            state = self.teller.writer.state(self.graph.fluents.terms(self.graph.nodes[end].state))
            key = self.keys[end] = (json.dumps(state, sort_keys=True, ensure_ascii=False), "")
            self.states.setdefault(key, state)
        return key

    def _by_view(self, view: View) -> _ByView:
        stop.check()
        result = _ByView(view)
        tally = Tally(view)
        result.total = inf if view.looping else sum(tally.orders.values())
        try:
            histories = self.pile_histories.of(tally)
        except piles.TooMany:
            histories = {}
        groups: dict[int, int] = {}
        numbers: dict[Key, int] = {}
        for end, orders in tally.orders.items():
            for key, number, history in self._split(end, orders, histories.get(end)):
                result.orders[key] = result.orders.get(key, 0) + number
                result.ends.setdefault(key, []).append(end)
                if history:
                    merged = piles.merge([result.histories.get(key, {}), history])
                    result.histories[key] = merged
                groups[end] = groups.get(end, 0) | 1 << numbers.setdefault(key, len(numbers))
        decided = count.decided(view, groups, len(numbers), self.board.players)
        for key, number in numbers.items():
            result.deciders[key] = decided.deciders[number]
            result.forcers[key] = {player for player, mask in decided.forcers.items() if mask >> number & 1}
        return result

    def _split(
        self, end: int, orders: Count, history: dict[piles.History, int] | None
    ) -> Iterator[tuple[Key, Count, dict[piles.History, int]]]:
        """The outcomes that an end stands for: one, or with ``pile_order`` one for each arrangement of the piles."""
        key = self._key(end)
        if not self.pile_order:
            yield key, orders, history or {}
            return
        if history is None or sum(piles.arrangements([one]) for one in history) > MOST_ARRANGEMENTS:
            warning = "too many arrangements of piles: they are not kept apart"
            if warning not in self.warnings:
                self.warnings.append(warning)
            yield key, orders, history or {}
            return
        found: dict[Key, tuple[Count, dict[piles.History, int]]] = {}
        for one, number in history.items():
            for arrangement in piles.spread(one):
                state = self._arranged(self.states[key], arrangement)
                split = (key[0], json.dumps(state, sort_keys=True, ensure_ascii=False))
                self.states.setdefault(split, state)
                fixed = tuple((pile, tuple((card,) for card in reversed(cards))) for pile, cards in arrangement.items())
                before, known = found.get(split, (0, {}))
                found[split] = (before + number, {**known, fixed: known.get(fixed, 0) + number})
        for split, (total, known) in found.items():
            yield split, total, known

    def _arranged(self, state: dict[str, Any], arrangement: Mapping[piles.Pile, Sequence[str]]) -> dict[str, Any]:
        """The state with the cards of its piles in this order."""
        arranged = {name: dict(part) if isinstance(part, dict) else part for name, part in state.items()}
        for (player, zone), cards in arrangement.items():
            items = state[player][self.zones[zone]]
            lying = {item if isinstance(item, str) else next(iter(item)): item for item in items}
            arranged[player][self.zones[zone]] = [lying[card] for card in cards]
        return arranged

    # ---- all views together

    def resolution(self) -> Resolution:
        """The whole answer."""
        from lastrites.resolution import Resolution

        keys = self._keys_in_order()
        ids = {key: letters(number) for number, key in enumerate(keys)}
        matter, counting = self._questions_that_matter()
        asked = self._asked()
        questions = {q: asked[q] for q in asked if q in matter}
        counted = {q: asked[q] for q in asked if q in counting}
        labels = self._readings([*questions, *counted], ids)
        witnesses = cache(lambda: self._witnesses(keys))
        outcomes = tuple(self._outcome(key, ids[key], [*questions, *counted], witnesses) for key in keys)
        totals = {found.total for found in self.found}
        shown_keys = {end: ids[key] for end, key in self.keys.items() if key in ids}
        return Resolution(
            board=self.board,
            reading=self.reading,
            explored=self.graph,
            complete=self.graph.complete,
            incomplete_reason=self.graph.reason,
            questions=questions,
            counting=counted,
            assignments=tuple(
                Assignment(
                    found.view.assignment,
                    shown(found.total),
                    {ids[key]: shown(number) for key, number in found.orders.items()},
                )
                for found in self.found
            ),
            labels=labels,
            outcomes=outcomes,
            order_count=shown(totals.pop()) if len(totals) == 1 else None,
            refused=self._refused(),
            stuck=self._odd("stuck"),
            conflicts=self._conflicts(),
            loops=self._loops(),
            unexplained=self._odd("unexplained"),
            warnings=self.warnings,
            _views=self.views,
            _ids=shown_keys,
            _teller=self.teller,
            _unfolded=self.unfolded,
        )

    def _keys_in_order(self) -> list[Key]:
        """Outcomes by the number of combinations they occur in, then by the number of orders, then by their state."""
        weight: dict[Key, tuple[int, Count]] = {}
        for found in self.found:
            for key, number in found.orders.items():
                seen, orders = weight.get(key, (0, 0))
                weight[key] = (seen + 1, max(orders, number))
        return sorted(weight, key=lambda key: (-weight[key][0], -weight[key][1], key))

    def _asked(self) -> dict[str, list[str]]:
        """Questions that came up, in the order of the game, with the answers that are open."""
        found: dict[str, list[str]] = {}
        for question, answers in self.reading.questions.items():
            used = {found.view.assignment[question] for found in self.found if question in found.view.assignment}
            if used:
                found[question] = [answer for answer in answers if answer in used]
        return found

    def _combinations(self) -> list[tuple[Answers, _ByView]]:
        """Each full combination of answers to the questions that came up, with the view it belongs to."""
        asked = self._asked()
        size = 1
        for answers in asked.values():
            size *= len(answers)
        if size > MOST_COMBINATIONS:
            return [(dict(found.view.assignment), found) for found in self.found]
        combined = []
        for chosen in product(*asked.values()):
            full = dict(zip(asked, chosen, strict=True))
            for found in self.found:
                if all(full[q] == a for q, a in found.view.assignment.items()):
                    combined.append((full, found))
                    break
        return combined

    def _questions_that_matter(self) -> tuple[set[str], set[str]]:
        """Questions of which two answers give different outcomes, and those that change the counts only."""
        matter: set[str] = set()
        counting: set[str] = set()
        combined = self._combinations()
        for question in self._asked():
            groups: dict[str, list[_ByView]] = {}
            for full, found in combined:
                rest = json.dumps({q: a for q, a in full.items() if q != question}, sort_keys=True)
                groups.setdefault(rest, []).append(found)
            for group in groups.values():
                if len({frozenset(found.orders) for found in group}) > 1:
                    matter.add(question)
                elif len({frozenset(found.orders.items()) for found in group}) > 1:
                    counting.add(question)
        return matter, counting - matter

    def _labels(
        self, questions: Sequence[str], said: Callable[[_ByView], Said]
    ) -> list[tuple[Answers, Count | None]]:
        """The combinations of answers to these questions, as few and as short as they can be, with a number each.

        ``said`` gives what must be the same for combinations to be told as one: a number of orders, and more; None
        leaves the combination out. The number is None where it differs within a combination.
        """
        rows: list[tuple[tuple[tuple[str, str], ...], set[Said]]] = []
        index: dict[tuple[tuple[str, str], ...], set[Said]] = {}
        for full, found in self._combinations():
            key = tuple((q, full[q]) for q in questions if q in full)
            if key not in index:
                index[key] = set()
                rows.append((key, index[key]))
            index[key].add(said(found))
        kept = [(dict(key), values) for key, values in rows if values != {None}]
        return [(when, _agreed(values)) for when, values in shortest(kept, [dict(key) for key, _ in rows])]

    def _readings(self, questions: Sequence[str], ids: Mapping[Key, str]) -> list[dict[str, Any]]:
        """Each combination of answers that matter, with its number of orders and its outcomes."""

        def said(found: _ByView) -> Said:
            return found.total, tuple(sorted(ids[key] for key in found.orders))

        rows = []
        for when, orders in self._labels(questions, said):
            full = next(f for whole, f in self._combinations() if all(whole.get(q) == a for q, a in when.items()))
            told_ids = sorted((ids[key] for key in full.orders), key=lambda name: (len(name), name))
            rows.append({"when": when, "orders": _shown(orders), "outcomes": told_ids})
        return rows

    def _outcome(
        self, key: Key, name: str, questions: Sequence[str], witnesses: Callable[[], dict[Key, list[Step]]]
    ) -> Outcome:
        holding = [found for found in self.found if key in found.orders]
        numbers = {found.orders.get(key, 0) for found in self.found}
        under = [
            {"when": when, "orders": _shown(orders)}
            for when, orders in self._labels(
                questions, lambda found: (found.orders[key], ()) if key in found.orders else None
            )
        ]
        deciders = sorted(set().union(*(found.deciders[key] for found in holding)))
        forcers = set(self.board.players).intersection(*(found.forcers[key] for found in holding))
        return Outcome(
            id=name,
            state=self.states[key],
            orders=shown(numbers.pop()) if len(numbers) == 1 else None,
            pile_arrangements=self._arrangements(key, holding),
            under=under,
            deciders=tuple(self._people(deciders)),
            can_force=tuple(player for player in self.board.players if player in forcers),
            chance=CHANCE in deciders,
            explain=lambda: witnesses()[key],
        )

    def _people(self, names: Iterable[str]) -> list[str]:
        order = {player: number for number, player in enumerate(self.board.players)}
        return sorted(names, key=lambda name: (order.get(name, len(order)), name))

    def _arrangements(self, key: Key, holding: Sequence[_ByView]) -> int | None:
        counts = {
            piles.arrangements(found.histories[key]) if key in found.histories else None for found in holding
        }  # fmt: skip
        return counts.pop() if len(counts) == 1 else None

    def _witnesses(self, keys: Iterable[Key]) -> dict[Key, list[Step]]:
        """A shortest order that leads to each outcome, explained all at once."""
        walks: dict[Key, list[tuple[int, int]]] = {}
        paths: dict[int, Paths] = {}
        for key in keys:
            number, found = next((n, found) for n, found in enumerate(self.found) if key in found.orders)
            if number not in paths:
                paths[number] = Paths(found.view)
            walks[key] = paths[number].to(found.ends[key])
        if self.unfolded is not None:
            walks = {key: self.unfolded.walk(walk) for key, walk in walks.items()}
        self.teller.explain_steps(list(walks.values()))
        return {key: self.teller.order(walk) for key, walk in walks.items()}

    def _to(self, node: int) -> list[Step]:
        for view in self.views:
            walk = Paths(view).to([node])
            if walk:
                return self.teller.order(walk)
        return []

    def _refused(self) -> list[dict[str, Any]]:
        found: dict[int, set[str]] = {}
        places: dict[tuple[int, str], int] = {}
        for number, head in enumerate(self.graph.heads):
            for event, clause in head.refused if head is not None else ():
                found.setdefault(event, set()).add(clause)
                places.setdefault((event, clause), number)
        faults = self.teller.faults(dict.fromkeys(places.values()))
        events = {fact.args[0]: fact.args[1] for fact in self.board.facts if fact.name == "event"}
        return [
            {
                "event": event,
                "what": self.teller.speaker.render(events[event]),
                "clauses": sorted(clauses),
                "why": faults.get(event, []),
            }
            for event, clauses in sorted(found.items())
        ]

    def _odd(self, what: str) -> list[dict[str, Any]]:
        found = []
        for number, head in enumerate(self.graph.heads):
            if head is not None and head.odd == what and not head.refused:
                node, steps = self.graph.nodes[number], self._to(number)
                chosen = [step.decision for step in steps if step.by is not None]
                found.append(
                    {
                        "after": chosen or [step.decision for step in steps],
                        "options": [self.teller.speaker.render(option.term) for option in node.options],
                    }
                )
        return found

    def _conflicts(self) -> list[dict[str, Any]]:
        """Pairs of clauses of which each says otherwise in some state, with the first order that leads there."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for number, head in enumerate(self.graph.heads):
            for pair in head.conflicts if head is not None else ():
                if pair not in found:
                    after = [step.decision for step in self._to(number)]
                    found[pair] = {"after": after, "clauses": list(pair)}
        return list(found.values())

    def _loops(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for view in self.views:
            walk = count.cycle(view)
            if walk:
                steps = self.teller.order(walk)
                cycle: list[dict[str, Any]] = []
                for step in steps:
                    told = {"by": step.by, "decision": step.decision, "clauses": list(step.clauses)}
                    cycle.append({**told, "changes": list(step.changes)})
                if cycle not in [loop["cycle"] for loop in found]:
                    found.append({"when": dict(view.assignment), "cycle": cycle})
        return found


def _unfolded(graph: StateGraph) -> Unfolded | Interleaved | None:
    if graph.folding is not None:
        from lastrites.folding import Unfolded

        return Unfolded(graph, graph.folding)
    if graph.products:
        from lastrites.combining import Interleaved

        return Interleaved(graph)
    return None


def _listed(board: Board) -> dict[str, int]:
    """The place from the top at which a board names a card of a pile."""
    rows = (fact.args for fact in board.facts if fact.name == "listed")
    return {str(card): place for card, place in rows if isinstance(place, int)}


def letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _agreed(values: set[Said]) -> Count | None:
    """The number that all say, or None."""
    (first, *more) = values
    return None if more or first is None else first[0]


def _shown(number: Count | None) -> str | None:
    return told(None if number is None else shown(number))
