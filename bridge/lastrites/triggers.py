"""The trigger graph: which abilities of a board can affect one another, and how.

Nodes are the abilities on the board and those that may arrive, each on its card, and ``event`` for what the board
itself makes happen. Edges are *possible* where footprints allow them (:mod:`lastrites.footprints`), *real* where the
board can show them: an edge whose possible effect never comes about in any reachable state is kept with ``real`` False.
Without a state graph that is fully explored ``real`` is None unless something was seen.

The promise: two abilities without an edge of the kind ``commute``, or with one that is known not to be real, commute in
every reachable state in which both can be picked next, as :mod:`lastrites.pairs` defines it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import networkx

from lastrites import stop
from lastrites.explore import StateGraph
from lastrites.footprints import PREDICATES, Effect, Footprint, Footprints, Key
from lastrites.pairs import EVENT, Clash, Deeds, PairNotes, Situations, bearer
from lastrites.solver import ground_program
from lastrites.teller import Paths, Teller
from lastrites.terms import Term

if TYPE_CHECKING:
    from lastrites.count import View
    from lastrites.resolution import Resolution

TRIGGER, REMOVE, CHANGE, COMMUTE = "trigger", "remove", "change", "commute"
KINDS = {
    TRIGGER: "may trigger",
    REMOVE: "may remove or prevent",
    CHANGE: "may change the condition or target of",
    COMMUTE: "does not commute with",
}
"""Kinds of edges in words."""

NEVER_TOGETHER, NEVER_MATTERS, MATTERS, UNKNOWN = "never together", "never matters", "matters", "unknown"


if TYPE_CHECKING:
    _MultiDiGraph = networkx.MultiDiGraph[str]
else:
    _MultiDiGraph = networkx.MultiDiGraph


class TriggerGraph(_MultiDiGraph):
    """A networkx ``MultiDiGraph`` over the abilities of a board.

    Nodes are texts, with the attributes ``card``, ``source`` (the card that the ability is printed on), ``number``,
    ``controller``, ``text``, ``kind`` (``ability``, ``event``, or ``idle``: nothing can make anybody pick it here),
    ``here`` (its card has it at the start), ``used`` (whether it is ever picked; None if that is not known). Edges
    have ``kind``, ``real`` (True, False, or None if that is not known), ``fluents`` and ``clauses``; the key of an
    edge is its kind. ``commute`` goes one way for both.

    ``graph`` holds ``board``, ``game``, ``edition``, ``readings``, ``complete`` and ``incomplete_reason``.
    """

    def __init__(self, incoming: Any = None, **attributes: Any) -> None:
        """As for networkx; graphs of this kind come from ``Resolution.triggers``."""
        super().__init__(incoming, **attributes)
        self.pairs: list[dict[str, Any]] = []
        self.footprints: Footprints | None = None

    def _repr_html_(self) -> str:
        from lastrites.drawings import notebook_html

        return notebook_html(self)

    def counting(self, real_only: bool = True) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """The edges that count: all that are not known never to matter; with ``real_only`` False all."""
        for source, target, data in self.edges(data=True):
            if data["real"] is not False or not real_only:
                yield source, target, data

    @property
    def groups(self) -> list[list[str]]:
        """Abilities that hang together; those of two groups cannot affect one another.

        The event is left out, and so is what only sets others off, itself touched by nothing but the event and never
        waiting beside another ability: a card that destroys many.
        """
        joined: networkx.Graph[str] = networkx.Graph()
        abilities = [node for node in self.nodes if self.nodes[node]["kind"] == "ability"]
        joined.add_nodes_from(node for node in abilities if not self._starts(node))
        joined.add_edges_from((a, b) for a, b, _ in self.counting() if a in joined and b in joined)
        rank = {node: place for place, node in enumerate(self.nodes)}
        found = [sorted(group, key=rank.__getitem__) for group in networkx.connected_components(joined)]
        return sorted(found, key=lambda group: rank[group[0]])

    def _starts(self, node: str) -> bool:
        """Whether an ability only sets others off."""
        beside = any(pair["order"] != NEVER_TOGETHER for pair in self.pairs if node in (pair["first"], pair["second"]))
        edges = [(a, b, data["kind"]) for a, b, data in self.counting() if node in (a, b)]
        sets_off = [b for a, b, kind in edges if a == node and kind == TRIGGER]
        return (
            len(set(sets_off)) > 1
            and not beside
            and all(kind == TRIGGER and (a == node != b or a == "event") for a, b, kind in edges)
        )

    @property
    def cycles(self) -> list[list[str]]:
        """Groups of abilities that may trigger one another again and again: possible endless loops."""
        triggering: networkx.DiGraph[str] = networkx.DiGraph()
        triggering.add_nodes_from(self.nodes)
        triggering.add_edges_from((a, b) for a, b, data in self.counting() if data["kind"] == TRIGGER)
        rank = {node: place for place, node in enumerate(self.nodes)}
        found = [
            sorted(part, key=rank.__getitem__)
            for part in networkx.strongly_connected_components(triggering)
            if len(part) > 1 or any(triggering.has_edge(node, node) for node in part)
        ]
        return sorted(found, key=lambda part: rank[part[0]])

    def to_json(self) -> dict[str, Any]:
        """Node-link data as networkx reads it (``edges="links"``), with groups, cycles and pairs."""
        return {
            "schema": "lastrites.graph/1",
            "directed": True,
            "multigraph": True,
            "graph": dict(self.graph),
            "nodes": [{"id": node, **data} for node, data in self.nodes(data=True)],
            "links": [
                {"source": source, "target": target, "key": key, **data}
                for source, target, key, data in self.edges(keys=True, data=True)
            ],
            "groups": self.groups,
            "cycles": self.cycles,
            "pairs": self.pairs,
        }


@dataclass
class _Ability:
    """A node while it is worked out: its instances, what it does itself, and what it does with all it triggers."""

    id: str
    instances: list[Term]
    alone: Footprint
    whole: Footprint
    own: list[Effect]
    picks: set[Term]
    waits: set[Key] = field(default_factory=set)


def trigger_graph(resolution: Resolution, footprints: Footprints | None = None) -> TriggerGraph:
    """The trigger graph of a board that has been resolved. Raises RulesError.

    ``footprints`` are those of the same board under the same readings, if they are known already.
    """
    return _Builder(resolution, footprints).graph()


class _Builder:
    def __init__(self, resolution: Resolution, footprints: Footprints | None) -> None:
        from lastrites.resolution import rulebook

        self.resolution = resolution
        self.states: StateGraph = resolution.graph
        self.views: Sequence[View] = resolution.views
        book = rulebook(resolution.board, resolution.reading, triggers=True)
        bounds = dict(resolution.graph.rulebook.constants)
        bounds["max_value"] = min(bounds.get("max_value", _MOST_VALUE), _MOST_VALUE)
        book = book.with_constants(**bounds)
        if footprints is None or footprints.book != book:
            footprints = Footprints(ground_program(book, PREDICATES), book)
        self.prints = footprints
        self.teller: Teller = resolution.teller
        self.truth = self.prints.at(self.states.fluents.terms(self.states.nodes[0].state))
        self.abilities: dict[Term, _Ability] = {}
        self.used: set[Term] = set()

    # ---- nodes

    def graph(self) -> TriggerGraph:
        resolution = self.resolution
        made = TriggerGraph()
        made.footprints = self.prints
        made.graph.update(
            board=resolution.board.title or resolution.board.path,
            game=resolution.board.game,
            edition=resolution.reading.edition,
            readings=dict(resolution.reading.explicit),
            complete=resolution.complete,
            incomplete_reason=resolution.incomplete_reason,
        )
        self._collect()
        situations = Situations(self.states, self.views, self.prints.picks, self.prints.instance, self.prints.acting)
        deeds, waited = situations.deeds()
        self.used = {ability for ability in deeds if ability in self.abilities}
        notes = situations.pairs()
        for ability, found in self.abilities.items():
            made.add_node(found.id, **self._describe(ability, found))
        for ability in sorted(self._idle(), key=str):
            made.add_node(_id(ability), **self._describe(ability, None))
        for first in self.abilities:
            for second in self.abilities:
                stop.check()
                altered = notes.get(frozenset((first, second)), PairNotes()).altered
                self._one_way(made, first, second, deeds, waited, second in altered)
        names = list(self.abilities)
        for place, first in enumerate(names):
            for second in names[place:]:
                stop.check()
                self._both_ways(made, first, second, notes.get(frozenset((first, second)), PairNotes()))
        return made

    def _collect(self) -> None:
        by_ability: dict[Term, dict[Term, list[Term]]] = {}
        for decision, instance in sorted(self.prints.picks.items(), key=str):
            if decision in self.prints.steps:
                by_ability.setdefault(bearer(instance), {}).setdefault(instance, []).append(decision)
        begins = [effect for decision, all in self.prints.steps.items() if decision.name == "begin" for effect in all]
        instances = by_ability.pop(EVENT, {})
        start = begins + [
            effect for decisions in instances.values() for each in decisions for effect in self.prints.steps[each]
        ]
        self._add(EVENT, instances, start)
        for ability in sorted(by_ability, key=lambda term: (str(term.args[0]), str(term.args[1]))):
            effects = [
                effect
                for decisions in by_ability[ability].values()
                for each in decisions
                for effect in self.prints.steps[each]
            ]
            self._add(ability, by_ability[ability], effects)

    def _add(self, ability: Term, instances: Mapping[Term, list[Term]], start: list[Effect]) -> None:
        stop.check()
        alone = self.prints.close(start, picks=False)
        whole = self.prints.close(start, picks=True) if ability != EVENT else alone
        own = [effect for effect in alone.effects if effect.frame is not None] + start
        picks = {decision for decisions in instances.values() for decision in decisions}
        made = _Ability(_id(ability), list(instances), alone, whole, own, picks)
        made.waits = {
            key for fluent, instance in self.prints.waiting.items() if instance in instances
            and (key := self.prints.key(fluent)) is not None
        }  # fmt: skip
        self.abilities[ability] = made

    def _idle(self) -> list[Term]:
        """Abilities that cards have at the start though nothing can make anybody pick them, such as constant ones."""
        had = (Term("t", term.args[1:]) for term in self.truth if term.name == "has" and len(term.args) == 3)
        return [ability for ability in had if ability not in self.abilities and _source(ability)[1]]

    def _describe(self, ability: Term, found: _Ability | None) -> dict[str, Any]:
        render = self.teller.speaker.render
        used = ability in self.used
        if ability == EVENT:
            events = [fact.args for fact in self.resolution.board.facts if fact.name == "event"]
            text = ", then ".join(render(what) for _, what, _ in sorted(events, key=lambda args: int(str(args[0]))))
            by = sorted({str(who) for _, _, who in events})
            return {"kind": "event", "card": "", "source": "", "number": 0, "controller": ", ".join(by),
                    "text": text, "here": True, "used": True}  # fmt: skip
        card, (source, number) = str(ability.args[0]), _source(ability)
        known = True if used else False if self.resolution.complete or found is None else None
        instances = found.instances if found is not None else []
        return {"kind": "idle" if found is None else "ability", "card": card, "source": str(source), "number": number,
                "controller": " or ".join(self.prints.controllers(instances, card, self.truth)),
                "text": render(ability.args[1]), "here": self.prints.has(card, ability.args[1], self.truth),
                "used": known}  # fmt: skip

    # ---- edges

    def _one_way(
        self,
        made: TriggerGraph,
        first: Term,
        second: Term,
        deeds: Mapping[Term, Deeds],
        waited: set[Term],
        altered: bool,
    ) -> None:
        a, b = self.abilities[first], self.abilities[second]
        if second == EVENT:
            return
        adding = self.prints.adding(b.waits)
        seen = deeds.get(first, Deeds())
        triggers = self._triggers(a, b, adding)
        if triggers is not None:
            through, direct = triggers
            real = bool(seen.made_wait & set(b.instances)) if direct else False
            real = real or (self._changed(seen, through) and bool(seen.later & waited & set(b.instances)))
            self._edge(made, a, b, TRIGGER, through or b.waits, real, [*a.alone.effects], adding)
        if first == EVENT:
            return
        removed = (a.alone.dels & b.waits - self.prints.idle) if first != second else set()
        control = self._control
        # What only moves along an ability that waits already cannot be what keeps it from waiting.
        adding = [effect for effect in adding if effect.wants.isdisjoint(b.waits)]
        wanted = {key for effect in adding for key in effect.wants if not control(key)}
        barred = a.alone.dels & wanted
        read = {key for effect in adding for key in effect.reads if not control(key)}
        if triggers is None:
            barred |= a.alone.writes & read
        legal = {key for effect in b.own if effect.decision in b.picks for key in effect.legal if not control(key)}
        barred |= a.alone.writes & legal
        barred |= a.alone.writes & self.prints.over
        barred -= self.prints.idle
        if (removed or barred) and first != second:
            lost = (seen.took_away | seen.prevented) & set(b.instances)
            # What never comes up may have been prevented always.
            always = self.resolution.complete and second not in self.used
            real = bool(lost) or (always and self._changed(seen, barred))
            self._edge(made, a, b, REMOVE, removed | barred, real, a.alone.effects, [*adding, *b.own])
        reads = {key for effect in b.own for key in effect.reads if not control(key)} - self.prints.idle
        changed = a.alone.writes & reads
        if changed and first != second:
            real = altered or (self._changed(seen, changed) and bool(seen.later & set(b.instances)))
            self._edge(made, a, b, CHANGE, changed, real, a.alone.effects, b.own)

    def _triggers(self, a: _Ability, b: _Ability, adding: Sequence[Effect]) -> tuple[set[Key], bool] | None:
        """The fluents through which one ability may trigger another, and whether it may do so at once; None if not."""
        through = {
            key for effect in adding for key in effect.wants & a.alone.adds if not self._control(key)
        } - self.prints.idle  # fmt: skip
        direct = bool(a.alone.adds & b.waits)
        return (through, direct) if through or direct else None

    def _control(self, key: Key) -> bool:
        return key.name == "frame" or key in self.prints.waits

    def _changed(self, seen: Deeds, keys: Iterable[Key]) -> bool:
        wanted = set(keys)
        return any(self.prints.key(fluent) in wanted for fluent in self.states.fluents.terms(seen.begun | seen.ended))

    def _both_ways(self, made: TriggerGraph, first: Term, second: Term, notes: PairNotes) -> None:
        if first == EVENT:
            return
        a, b = self.abilities[first], self.abilities[second]
        several = first != second or len(a.instances) > 1
        keys = self._conflict(a, b) if several else set()
        loose = bool(a.picks & self.prints.unordered) and bool(b.picks & self.prints.unordered) and several
        known = self.resolution.complete and not notes.unknown
        if keys or loose or notes.clash is not None:
            real = True if notes.clash is not None else False if known else None
            self._edge(made, a, b, COMMUTE, keys, real, a.whole.effects, b.whole.effects, sure=True)
        status = (
            MATTERS if notes.clash else UNKNOWN if not known else NEVER_MATTERS if notes.together else NEVER_TOGETHER
        )
        if not keys and not loose and notes.clash is None:
            status = NEVER_MATTERS if notes.together or not known else NEVER_TOGETHER
        if several and (first != second or notes.together):
            entry: dict[str, Any] = {"first": a.id, "second": b.id, "order": status}
            if notes.clash is not None:
                entry["example"] = self._example(notes.clash)
            made.pairs.append(entry)

    def _conflict(self, a: _Ability, b: _Ability) -> set[Key]:
        """Fluents by which two abilities, each with all it may trigger, may get in the way of each other."""
        found = self._disturbs(a, b) | self._disturbs(b, a)
        one, other = a.whole, b.whole
        found |= (one.adds & other.dels) | (one.dels & other.adds)
        found |= (one.incs & other.sets) | (other.incs & one.sets)
        found = {key for key in found if not self._control(key)} - self.prints.idle
        if a is not b:
            for here, there in ((a, b), (b, a)):
                found |= here.whole.adds & there.waits
                found |= here.whole.dels & (there.waits - self.prints.idle)
        return found

    def _disturbs(self, a: _Ability, b: _Ability) -> set[Key]:
        found = a.whole.writes & b.whole.reads
        if a is not b and any(
            not self._control(effect.key)
            and effect.key not in self.prints.idle
            and not effect.reads.isdisjoint(a.waits)
            for effect in b.whole.effects
        ):
            found |= a.waits
        return found | (a.whole.writes & self.prints.over)

    def _edge(
        self,
        made: TriggerGraph,
        a: _Ability,
        b: _Ability,
        kind: str,
        keys: Iterable[Key],
        real: bool | None,
        writing: Iterable[Effect],
        reading: Iterable[Effect],
        sure: bool = False,
    ) -> None:
        wanted = set(keys)
        if not sure and not real and not self.resolution.complete:
            real = None
        decisions = {effect.decision for effect in writing if effect.key in wanted}
        decisions |= {
            effect.decision for effect in reading
            if not wanted.isdisjoint(effect.reads) or not wanted.isdisjoint(effect.wants) or effect.key in wanted
        }  # fmt: skip
        made.add_edge(
            a.id, b.id, key=kind, kind=kind, real=real,
            fluents=sorted(map(str, wanted)), clauses=sorted(self.prints.clauses(decisions, wanted)),
        )  # fmt: skip

    # ---- an example

    def _example(self, clash: Clash) -> dict[str, Any]:
        """A state in which the order of two matters, and what comes of either order."""
        walk = Paths(clash.view).to([clash.node])
        nodes = self.states.nodes
        after = []
        for node, number in walk:
            step = self.teller.step(node, number)
            if step.by is not None:
                after.append(f"{step.by}: {step.decision}")
        here = nodes[clash.node].state
        told = []
        for ends in (clash.forth, clash.back):
            told.append(
                [
                    {
                        "ways": str(ways),
                        "changes": self.teller.writer.changes(
                            *map(self.states.fluents.terms, (here, nodes[end].state))
                        ),
                    }
                    for end, ways in sorted(ends.items())
                ]
            )
        render = self.teller.speaker.render
        return {
            "when": dict(clash.view.assignment),
            "after": after,
            "first": f"{clash.first.args[0]}: {render(clash.first.args[1])}",
            "second": f"{clash.second.args[0]}: {render(clash.second.args[1])}",
            "first_then_second": told[0],
            "second_then_first": told[1],
        }


_MOST_VALUE = 120


def _source(ability: Term) -> tuple[object, int]:
    printed = ability.args[1]
    if isinstance(printed, Term) and len(printed.args) == 2 and isinstance(printed.args[1], int):
        return printed.args[0], printed.args[1]
    return printed, 0


def _id(ability: Term) -> str:
    if ability == EVENT:
        return "event"
    source, number = _source(ability)
    return f"{ability.args[0]}/{number}" if source == ability.args[0] else f"{ability.args[0]}/{source}/{number}"
