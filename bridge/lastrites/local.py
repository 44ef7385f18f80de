"""Local situations: what a decision does is solved once for each part of the state it really depends on.

A solve in graph mode gives the truth of every ground atom. From it and the ground rules a *reason* is read off for
what the rules say about one decision: a set of fluents whose presence and absence alone force that answer. A true atom
is explained by one rule that derives it, a false one by one false literal in each of its rules. Another state that
agrees on those fluents has the same answer, so it is looked up instead of solved: ``state & mask == value``.

Nothing is assumed about a game, and nothing is approximated: the reason is a proof. A test flips fluents outside of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import clingo

from lastrites.components import components
from lastrites.solver import Fluents, GraphRules, Option, Rulebook, RulesError, Situation, check_bounds, gather

_ABOUT_DECISIONS = frozenset({"option", "add", "del", "apart"})
_ABOUT_STATES = frozenset({"chooser", "final", "refused", "conflict", "warns"})
_CHECKED_HERE = frozenset({"no_chooser", "two_choosers", "two_automatic", "final_with_option"})


_GroundRule = tuple[Sequence[int], int, Sequence[int]]
"""Literals of the body, and for a weighted body its bound and weights."""


@dataclass(slots=True)
class _Group:
    """Atoms that are looked up together: those about one decision, or one about the state as a whole.

    ``gate`` is the atom ``option(D)``; where it is false the others do not matter. ``cubes`` maps a mask to what was
    found for each value of the masked bits: an answer, or None where the gate is false.
    """

    gate: int | None
    atoms: list[tuple[int, clingo.Symbol]] = field(default_factory=list)
    cubes: dict[int, dict[int, object]] = field(default_factory=dict)


class _GroundRules(clingo.Observer):
    """Collects the ground program as clingo hands it to its solver."""

    def __init__(self) -> None:
        self.rules: dict[int, list[_GroundRule]] = {}
        self.unusual = False

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        if choice or len(head) != 1:
            self.unusual = True
        for atom in head:
            self.rules.setdefault(atom, []).append((tuple(body), 0, ()))

    def weight_rule(
        self, choice: bool, head: Sequence[int], lower_bound: int, body: Sequence[tuple[int, int]]
    ) -> None:
        if choice or len(head) != 1:
            self.unusual = True
        literals, weights = tuple(literal for literal, _ in body), tuple(weight for _, weight in body)
        for atom in head:
            self.rules.setdefault(atom, []).append((literals, lower_bound, weights))


class LocalRules:
    """Graph mode with look-up of local situations."""

    def __init__(self, book: Rulebook, fluents: Fluents | None = None) -> None:
        """``fluents`` is a table to go on with. Raises RulesError when the rules cannot be read or grounded."""
        observer = _GroundRules()
        self._plain = GraphRules(book, observer, fluents)
        self.fluents = self._plain.fluents
        self.initial = self._plain.initial
        self.unsupported = self._plain.unsupported
        self.impossible = self._plain.impossible
        self.solved = 0
        self._rules = observer.rules
        self._bits = self._plain.externals
        self._circular = _circular(self._rules)
        self._exact = not observer.unusual
        self._used = _Used()
        self._decisions: list[tuple[clingo.Symbol, _Group]] = []
        self._others: list[_Group] = []
        self._group(self._plain.shown())
        self._groups: list[tuple[clingo.Symbol | None, _Group]] = [*self._decisions]
        self._groups += [(None, group) for group in self._others]

    def _group(self, atoms: Iterable[tuple[clingo.Symbol, int]]) -> None:
        by_decision: dict[clingo.Symbol, _Group] = {}
        for atom, literal in atoms:
            arguments = atom.arguments
            if atom.name in _ABOUT_DECISIONS:
                group = by_decision.setdefault(arguments[1], _Group(None))
                if atom.name == "option":
                    group.gate = literal
                else:
                    group.atoms.append((literal, atom))
            elif atom.name in _ABOUT_STATES:
                self._others.append(_Group(None, [(literal, atom)]))
            elif atom.name == "err":
                what = arguments[1]
                if what.name in _CHECKED_HERE:
                    continue
                inside = what.arguments if what.type == clingo.SymbolType.Function else []
                if inside and inside[0] in by_decision:
                    by_decision[inside[0]].atoms.append((literal, atom))
                else:
                    self._others.append(_Group(None, [(literal, atom)]))
        for decision in sorted(by_decision):
            if by_decision[decision].gate is not None:
                self._decisions.append((decision, by_decision[decision]))

    def look(self, state: int) -> Situation:
        """What the rules say about a state, looked up as far as that is known."""
        if not self._exact:
            return self._plain.look(state)
        situation = Situation()
        missing: list[tuple[clingo.Symbol | None, _Group]] = []
        for decision, group in self._groups:
            for mask, table in group.cubes.items():
                known = table.get(state & mask, self)
                if known is not self:
                    if known is not None:
                        self._take(situation, known)
                    break
            else:
                missing.append((decision, group))
        if missing:
            self._learn(state, missing, situation)
            situation.options.sort(key=lambda option: option.decision)
        _check(check_bounds(situation))
        return situation

    def look_all(self, states: Sequence[int]) -> list[Situation]:
        """What the rules say about several states."""
        return [self.look(state) for state in states]

    @staticmethod
    def _take(situation: Situation, known: object) -> None:
        assert isinstance(known, Situation)
        situation.options += known.options
        situation.choosers += known.choosers
        situation.final = situation.final or known.final
        situation.refused += known.refused
        situation.conflicts += known.conflicts
        situation.errors += known.errors
        situation.warnings += known.warnings

    def _learn(
        self, state: int, missing: Sequence[tuple[clingo.Symbol | None, _Group]], situation: Situation
    ) -> None:
        """Solve once for the state, and remember what was found with its reason."""
        self.solved += 1
        with self._plain.solved(state) as model:
            reader = _Reader(self._rules, self._bits, self._circular, self._used, model)
            for decision, group in missing:
                if group.gate is not None and not model.is_true(group.gate):
                    mask, value = reader.reason([group.gate])
                    group.cubes.setdefault(mask, {})[value] = None
                    continue
                literals = [literal for literal, _ in group.atoms]
                holding = [atom for literal, atom in group.atoms if model.is_true(literal)]
                if group.gate is not None:
                    literals.append(group.gate)
                mask, value = reader.reason(literals)
                known: Situation | None = None
                if holding or decision is not None:
                    known = gather(holding, self.fluents)
                    if decision is not None:
                        changed = gather(holding, self.fluents, decision)
                        known.options = changed.options or [Option(decision)]
                group.cubes.setdefault(mask, {})[value] = known
                if known is not None:
                    self._take(situation, known)


@dataclass
class _Used:
    """What has explained atoms so far: rules of true ones, false literals of the rules of false ones."""

    derived: dict[int, list[int]] = field(default_factory=dict)
    failing: dict[tuple[int, int], list[int]] = field(default_factory=dict)


class _Reader:
    """Reads reasons off one solved state."""

    def __init__(
        self,
        rules: dict[int, list[_GroundRule]],
        bits: dict[int, int],
        circular: set[int],
        used: _Used,
        model: clingo.Model,
    ) -> None:
        self._used = used
        self._rules = rules
        self._bits = bits
        self._circular = circular
        self._model = model
        self._truth: dict[int, bool] = {}
        self._choice: dict[int, list[int]] = {}

    def _true(self, atom: int) -> bool:
        known = self._truth.get(atom)
        if known is None:
            known = self._truth[atom] = self._model.is_true(atom)
        return known

    def _holds(self, literal: int) -> bool:
        return self._true(literal) if literal > 0 else not self._true(-literal)

    def reason(self, literals: Iterable[int]) -> tuple[int, int]:
        """(mask, value): fluents that force the truth of these literals, and those of them that hold."""
        mask = value = 0
        todo = [abs(literal) for literal in literals]
        seen = set(todo)
        while todo:
            atom = todo.pop()
            bit = self._bits.get(atom)
            if bit is not None:
                mask |= bit
                if self._true(atom):
                    value |= bit
                continue
            chosen = self._choice.get(atom)
            if chosen is None:
                chosen = self._choice[atom] = self._because(atom)
            for other in chosen:
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return mask, value

    def _because(self, atom: int) -> list[int]:
        """Atoms whose truth forces that of this one.

        What explained an atom before explains it again where it can: reasons that are alike share a mask.
        """
        rules = self._rules.get(atom, [])
        if atom in self._circular:
            return [abs(literal) for literals, _, _ in rules for literal in literals]
        if self._true(atom):
            return self._derived(atom, rules)
        chosen: list[int] = []
        for number, (literals, _, weights) in enumerate(rules):
            if weights:
                chosen += [abs(literal) for literal in literals]
            else:
                chosen.append(self._failing(atom, number, literals))
        return chosen

    def _derived(self, atom: int, rules: Sequence[_GroundRule]) -> list[int]:
        used = self._used.derived.setdefault(atom, [])
        for number in (*used, *range(len(rules))):
            literals, bound, weights = rules[number]
            if weights:
                total = sum(w for literal, w in zip(literals, weights, strict=True) if self._holds(literal))
                fires = total >= bound
            else:
                fires = all(map(self._holds, literals))
            if fires:
                _to_front(used, number)
                return [abs(literal) for literal in literals]
        raise RulesError("a true atom of the ground program has no rule; reasons cannot be read off")

    def _failing(self, atom: int, number: int, literals: Sequence[int]) -> int:
        used = self._used.failing.setdefault((atom, number), [])
        for literal in used:
            if not self._holds(literal):
                _to_front(used, literal)
                return abs(literal)
        false = [literal for literal in literals if not self._holds(literal)]
        literal = next((each for each in false if abs(each) in self._bits), false[0])
        _to_front(used, literal)
        return abs(literal)


def _to_front(used: list[int], number: int) -> None:
    if used and used[0] == number:
        return
    if number in used:
        used.remove(number)
    used.insert(0, number)


def _circular(rules: dict[int, list[_GroundRule]]) -> set[int]:
    """Atoms that lie on a positive cycle of the ground program."""

    def successors(atom: int) -> list[int]:
        return [literal for literals, _, _ in rules.get(atom, ()) for literal in literals if literal > 0]

    found: set[int] = set()
    for component in components(rules, successors):
        if len(component) > 1 or component[0] in successors(component[0]):
            found.update(component)
    return found


def _check(situation: Situation) -> None:
    """What the protocol forbids about the options and choosers of a state, as ``rules/core/protocol.lp`` has it."""
    choosers = situation.choosers
    if len(choosers) > 1:
        raise RulesError(f"must not be: two choosers, {choosers[0]} and {choosers[1]}")
    if situation.options and not choosers:
        raise RulesError("must not be: options without a chooser")
    if situation.final and situation.options:
        raise RulesError(f"must not be: a final state with the option {situation.options[0].term}")
