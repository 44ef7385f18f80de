"""Local situations: what a decision does is worked out once for each part of the state it really depends on.

The ground program of graph mode is stratified: the truth of an atom follows from that of the fluents, rule by rule.
While it is worked out for what the rules say about one decision a *reason* is noted: a set of fluents whose presence
and absence alone force that answer. A true atom is explained by one rule that derives it, a false one by one false
literal in each of its rules. Another state that agrees on those fluents has the same answer, so it is looked up:
``state & mask == value``.

Nothing is assumed about a game, and nothing is approximated: the reason is a proof. A test flips fluents outside of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import clingo

from lastrites.components import components
from lastrites.solver import (
    GraphRules,
    Option,
    RulesError,
    Situation,
    check_bounds,
    fail,
    gather,
)
from lastrites.stategraph import Head

if TYPE_CHECKING:
    from lastrites.folding import Part

_ABOUT_DECISIONS = frozenset({"option", "add", "del", "apart"})
_ABOUT_STATES = frozenset({"chooser", "final", "refused", "conflict", "clash", "warns"})
_CHECKED_HERE = frozenset({"no_chooser", "two_choosers", "two_automatic", "final_with_option"})

_DEEPEST = 20_000
"""How deep reasons may go. They are worked out by functions that call themselves, in Python alone."""

GroundRule = tuple[Sequence[int], int, Sequence[int]]
"""Literals of the body, and for a weighted body its bound and weights."""


class GroundRules(clingo.Observer):
    """Collects the ground program as clingo hands it to its solver."""

    def __init__(self) -> None:
        self.rules: dict[int, list[GroundRule]] = {}
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


Step = tuple[int, int, int]
"""What a decision does: bits to keep, bits to set, and the place of its option in ``LocalRules.effects``."""

Cubes = list[tuple[int, dict[int, Step]]]
"""What is known about a decision: a mask, and what it does for each value of the masked bits."""


class Atom:
    """The truth of an atom about the state as a whole, or of ``option(D)``: known for each value of masked bits."""

    __slots__ = ("cubes", "literal")

    def __init__(self, literal: int) -> None:
        self.literal = literal
        self.cubes: list[tuple[int, dict[int, bool]]] = []

    def known(self, state: int) -> bool | None:
        """Whether it is true in the state, if that is known. What helps often comes to the front."""
        cubes = self.cubes
        for place, (mask, table) in enumerate(cubes):
            found = table.get(state & mask)
            if found is not None:
                if place:
                    cubes[place - 1], cubes[place] = cubes[place], cubes[place - 1]
                return found
        return None

    def note(self, mask: int, bits: int, truth: bool) -> None:
        """Remember that it has this truth wherever the masked bits are these."""
        for known, table in self.cubes:
            if known == mask:
                table[bits] = truth
                return
        self.cubes.append((mask, {bits: truth}))


class DecisionAtom(Atom):
    """A decision: when it is an option, and what it does then. ``atoms`` are those that say so."""

    __slots__ = ("atoms", "decision", "does")

    def __init__(self, decision: clingo.Symbol) -> None:
        super().__init__(0)
        self.decision = decision
        self.atoms: list[tuple[int, clingo.Symbol]] = []
        self.does: Cubes = []

    def step(self, state: int) -> Step | None:
        for mask, table in self.does:
            found = table.get(state & mask)
            if found is not None:
                return found
        return None


@dataclass(slots=True)
class Control:
    """What states have in common that agree in all that decides about options: the head, and the open decisions.

    ``tables`` has for each option, sorted, what is known about it; ``members`` the interchangeable cards it speaks of.
    """

    head: Head
    decisions: list[DecisionAtom]
    tables: list[Cubes]
    warnings: list[str]
    members: list[tuple[tuple[Part, int], ...]] | None = None


class LocalRules:
    """Graph mode with look-up of local situations.

    ``effects`` is the table of all that decisions were found to do. States are given without the constant fluents.
    """

    def __init__(
        self, plain: GraphRules, effect: Callable[[Option], int] | None = None, *, explain: bool = True
    ) -> None:
        """``effect`` gives what a decision does its number; without ``explain`` :meth:`explained` may not be asked.

        Raises RulesError when the rules cannot be grounded.
        """
        self.ground = GroundRules()
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEEPEST))
        self._plain = plain.observed(self.ground, explain=explain)
        self.solved = 0
        circular = _circular(self.ground.rules)
        self.exact = not self.ground.unusual and not _through_negation(self.ground.rules, circular)
        self.circular = circular
        self._effects: list[Option] = []
        self.effect = effect or self._number
        self._take_bits()
        self._group(self._plain.shown())
        self.controls: dict[int, Control] = {}
        self._reasons: dict[clingo.Symbol | None, list[tuple[Atom, clingo.Symbol]]] | None = None
        self.control_mask = 0

    @property
    def plain(self) -> GraphRules:
        """The rules behind, without look-up."""
        return self._plain

    def _take_bits(self) -> None:
        plain = self._plain
        self.fluents, self.bits = plain.fluents, plain.externals
        self.initial, self.constant = plain.initial, plain.constant
        self.varying = 0
        for bit in self.bits.values():
            self.varying |= bit
        self._reader = _Reader(self.ground.rules, self.bits, self.circular)

    def rearrange(self, order: Sequence[int]) -> None:
        """Put the fluents in another order, given by their numbers. What has been looked up is forgotten."""
        self._plain.rearrange(order)
        self._take_bits()
        self._group(self._plain.shown())
        self.controls.clear()
        self._reasons = None
        self.control_mask = 0

    def forget(self, effect: Callable[[Option], int]) -> None:
        """Forget what decisions do: it gets other numbers from now on."""
        self.effect = effect
        self.controls.clear()
        for group in self.decisions:
            group.does.clear()

    def _number(self, option: Option) -> int:
        self._effects.append(option)
        return len(self._effects) - 1

    def _group(self, atoms: Iterable[tuple[clingo.Symbol, int]]) -> None:
        by_decision: dict[clingo.Symbol, DecisionAtom] = {}
        self.others: list[tuple[Atom, clingo.Symbol]] = []
        for atom, literal in atoms:
            arguments = atom.arguments
            if atom.name in _ABOUT_DECISIONS:
                group = by_decision.setdefault(arguments[1], DecisionAtom(arguments[1]))
                if atom.name == "option":
                    group.literal = literal
                else:
                    group.atoms.append((literal, atom))
            elif atom.name in _ABOUT_STATES:
                self.others.append((Atom(literal), atom))
            elif atom.name == "err":
                what = arguments[1]
                if what.name in _CHECKED_HERE:
                    continue
                inside = what.arguments if what.type == clingo.SymbolType.Function else []
                if inside and inside[0] in by_decision:
                    by_decision[inside[0]].atoms.append((literal, atom))
                else:
                    self.others.append((Atom(literal), atom))
        self.decisions: list[DecisionAtom] = [
            by_decision[decision] for decision in sorted(by_decision) if by_decision[decision].literal
        ]

    def shown(self) -> list[tuple[clingo.Symbol, int]]:
        """What the rules say about states, with the literals of the ground program, but for what is checked here."""
        found = self._plain.shown()
        return [(s, n) for s, n in found if s.name != "err" or s.arguments[1].name not in _CHECKED_HERE]

    def control(self, state: int) -> Control:
        """What the rules say about a state, but for what its decisions do. Raises RulesError, BoundReached."""
        known = self.controls.get(state & self.control_mask)
        if known is None:
            known = self._make_control(state)
            self.controls[state & self.control_mask] = known
        return known

    def _make_control(self, state: int) -> Control:
        truths = [group.known(state) for group in self.decisions]
        holding = [atom.known(state) for atom, _ in self.others]
        if None in truths or None in holding:
            groups: list[Atom] = [*self.decisions, *(atom for atom, _ in self.others)]
            self._learn(state, [g for g, known in zip(groups, [*truths, *holding], strict=True) if known is None])
            truths = [group.known(state) for group in self.decisions]
            holding = [atom.known(state) for atom, _ in self.others]
        about = [atom for (_, atom), holds in zip(self.others, holding, strict=True) if holds]
        situation = gather(about, self.fluents)
        situation.options = []
        decisions = [group for group, holds in zip(self.decisions, truths, strict=True) if holds]
        check(situation, [group.decision for group in decisions])
        # What a decision does everywhere, or wherever the options are these, needs no look at the state.
        tables: list[Cubes] = []
        for group in decisions:
            fixed = next(
                (
                    table[state & mask]
                    for mask, table in group.does
                    if not mask & ~self.control_mask and state & mask in table
                ),
                None,
            )
            tables.append(group.does if fixed is None else [(0, {0: fixed})])
        return Control(Head.of(situation, len(decisions)), decisions, tables, situation.warnings)

    def explained(self, state: int, only: Collection[clingo.Symbol] | None = None) -> Situation:
        """What stands behind the steps of a state (or ``only`` some decisions): clauses, remarks, what is barred."""
        if self._reasons is None:
            self._reasons = {None: []}
            decisions = {group.decision for group in self.decisions}
            for symbol, literal in self._plain.explanations():
                # What is barred may be a decision, but not one that is open.
                about = symbol.arguments[1] if len(symbol.arguments) > 1 and symbol.name != "bars" else None
                about = about if about in decisions else None
                self._reasons.setdefault(about, []).append((Atom(literal), symbol))
        known = list(self._reasons[None])
        open_here = [group.decision for group in self.control(state).decisions] if only is None else sorted(only)
        for decision in open_here:
            known += self._reasons.get(decision, ())
        return gather([symbol for atom, symbol in known if self._known(state, atom)], self.fluents)

    def _known(self, state: int, atom: Atom) -> bool:
        known = atom.known(state)
        if known is None:
            reader = self._reader
            if reader.state != state:
                reader.turn(state)
            known = reader.true(atom.literal)
            atom.note(*reader.reason([atom.literal]), known)
        return known

    def learn(self, state: int, control: Control) -> None:
        """Find out what the open decisions of a state do, where that is not known."""
        self._learn(state, [group for group in control.decisions if group.step(state) is None], False)

    def step(self, state: int, control: Control, cubes: Cubes) -> Step:
        """What a decision, one whose ``cubes`` do not tell it yet, does in a state."""
        self._learn(state, [group for group in control.decisions if group.does is cubes], False)
        return next(table[state & mask] for mask, table in cubes if state & mask in table)

    def look(self, state: int) -> Situation:
        """What the rules say about a state, looked up as far as that is known."""
        control = self.control(state)
        situation = Situation()
        self.learn(state, control)
        for group in control.decisions:
            step = group.step(state)
            assert step is not None
            situation.options.append(Option(group.decision, step[1], self.varying & ~step[0]))
        return situation

    def _learn(self, state: int, missing: Sequence[Atom], gates: bool = True) -> None:
        """Work out what is missing in the state, and remember it with its reason."""
        if not missing:
            return
        reader = self._reader
        if reader.state != state:
            self.solved += 1
            reader.turn(state)
        for group in missing:
            truth = reader.true(group.literal)
            if gates:
                mask, here = reader.reason([group.literal])
                group.note(mask, here, truth)
                if mask & ~self.control_mask:
                    self.control_mask |= mask
                    self.controls.clear()
            if truth and isinstance(group, DecisionAtom) and group.step(state) is None:
                self._learn_step(group)

    def _learn_step(self, group: DecisionAtom) -> None:
        reader = self._reader
        mask, here = reader.reason([literal for literal, _ in group.atoms], given=group.literal)
        holding = [atom for literal, atom in group.atoms if reader.true(literal)]
        found = gather(holding, self.fluents, group.decision)
        fail(check_bounds(found))
        option = found.options[0]
        step = (self.varying & ~option.delete, option.add & ~self.constant, self.effect(option))
        for known, table in group.does:
            if known == mask:
                table[here] = step
                break
        else:
            group.does.append((mask, {here: step}))
        # The mask with the most answers is the one that helps most often.
        group.does.sort(key=lambda cube: -len(cube[1]))


Proof = tuple[int, int, bool]
"""A mask, the value that the masked bits have, and the truth of an atom wherever they have it."""


class _Reader:
    """Works out the truth of atoms in a state, each with its reason: fluents that force it.

    Only atoms that are asked for are worked out. What was proved of an atom in one state is remembered and holds in
    each other that agrees with the proof. What explained an atom before is tried first when it has to be worked out
    again: reasons that are alike share a mask.
    """

    def __init__(
        self, rules: dict[int, list[GroundRule]], bits: dict[int, int], circular: dict[int, list[int]]
    ) -> None:
        self._bits = bits
        self._circular = circular
        # Fluents first: where one of them makes a rule fail there is no need to look further.
        self._rules = {
            atom: [
                rule if rule[2] else (tuple(sorted(rule[0], key=lambda literal: abs(literal) not in bits)), 0, ())
                for rule in rows
            ]
            for atom, rows in rules.items()
        }
        self._derived: dict[int, int] = {}
        self._failing: dict[tuple[int, int], list[int]] = {}
        self.state = -1
        self._proofs: dict[int, Proof] = {}
        self._granted: dict[int, dict[int, Proof]] = {0: self._proofs}

    def turn(self, state: int) -> None:
        """Look at this state from now on."""
        self.state = state

    def true(self, atom: int) -> bool:
        """Whether an atom is true in the state."""
        return self._proof(atom)[2]

    def reason(self, literals: Iterable[int], given: int = 0) -> tuple[int, int]:
        """(mask, value): fluents that force the truth of these literals, and those of them that hold.

        The atom ``given``, which is true in the state, is taken for granted.
        """
        plain = self._proofs
        if given not in self._granted:
            self._granted[given] = {given: (0, 0, True)}
        # What rests on something granted is no proof where that is not granted.
        self._proofs = self._granted[given]
        mask = 0
        try:
            for literal in literals:
                mask |= self._proof(abs(literal))[0]
        finally:
            self._proofs = plain
        return mask, self.state & mask

    def _proof(self, atom: int) -> Proof:
        found = self._proofs.get(atom)
        if found is None or self.state & found[0] != found[1]:
            return self._work_out(atom)
        return found

    def _work_out(self, atom: int) -> Proof:
        bit = self._bits.get(atom)
        if bit is not None:
            mask, truth = bit, bool(self.state & bit)
        elif atom in self._circular:
            self._go_round(self._circular[atom])
            return self._proofs[atom]
        else:
            mask, truth = self._by_rules(atom)
        found = self._proofs[atom] = (mask, self.state & mask, truth)
        return found

    def _by_rules(self, atom: int) -> tuple[int, bool]:
        rules = self._rules.get(atom, ())
        first = self._derived.get(atom, 0)
        if first:
            mask, fires = self._fires(atom, first, rules[first])
            if fires:
                return mask, True
        failing = 0
        for number, rule in enumerate(rules):
            mask, fires = self._fires(atom, number, rule)
            if fires:
                self._derived[atom] = number
                return mask, True
            failing |= mask
        return failing, False

    def _fires(self, atom: int, number: int, rule: GroundRule) -> tuple[int, bool]:
        """The reason why a rule of an atom does or does not derive it, and whether it does."""
        literals, bound, weights = rule
        state, proofs = self.state, self._proofs
        reasons = 0
        if weights:
            total = 0
            for literal, weight in zip(literals, weights, strict=True):
                mask, _, truth = self._proof(abs(literal))
                reasons |= mask
                if truth == (literal > 0):
                    total += weight
            return reasons, total >= bound
        used = self._failing.get((atom, number))
        if used is not None:
            for literal in used:
                mask, _, truth = self._proof(abs(literal))
                if truth != (literal > 0):
                    _to_front(used, literal)
                    return mask, False
        for literal in literals:
            name = abs(literal)
            found = proofs.get(name)
            if found is None or state & found[0] != found[1]:
                found = self._work_out(name)
            mask, _, truth = found
            if truth != (literal > 0):
                if used is None:
                    self._failing[atom, number] = [literal]
                else:
                    used.insert(0, literal)
                return mask, False
            reasons |= mask
        return reasons, True

    def _go_round(self, component: list[int]) -> None:
        """Atoms that derive each other: the least that can be true. Each rests on all that their rules speak of."""
        inside = set(component)
        outside = {abs(each) for atom in component for rule in self._rules.get(atom, ()) for each in rule[0]} - inside
        truth = dict.fromkeys(component, False)
        mask = 0
        for atom in outside:
            reason, _, truth[atom] = self._proof(atom)
            mask |= reason
        changed = True
        while changed:
            changed = False
            for atom in component:
                if not truth[atom] and any(_fires_with(rule, truth) for rule in self._rules.get(atom, ())):
                    truth[atom] = changed = True
        for atom in component:
            self._proofs[atom] = (mask, self.state & mask, truth[atom])


def _fires_with(rule: GroundRule, truth: Mapping[int, bool]) -> bool:
    literals, bound, weights = rule
    holding = [truth[abs(literal)] == (literal > 0) for literal in literals]
    return sum(compress(weights, holding)) >= bound if weights else all(holding)


def _to_front(used: list[int], number: int) -> None:
    if used[0] != number:
        used.remove(number)
        used.insert(0, number)


def _circular(rules: dict[int, list[GroundRule]]) -> dict[int, list[int]]:
    """Atoms that lie on a cycle of the ground program, each with all those that lie on cycles with it."""

    def successors(atom: int) -> list[int]:
        return [abs(literal) for literals, _, _ in rules.get(atom, ()) for literal in literals]

    found: dict[int, list[int]] = {}
    for component in components(rules, successors):
        if len(component) > 1 or component[0] in successors(component[0]):
            found.update(dict.fromkeys(component, component))
    return found


def check(situation: Situation, options: Sequence[clingo.Symbol]) -> None:
    """What the protocol forbids about the options and choosers of a state, as ``rules/core/protocol.lp`` has it."""
    fail(check_bounds(situation))
    choosers = situation.choosers
    if len(choosers) > 1:
        raise RulesError(f"must not be: two choosers, {choosers[0]} and {choosers[1]}")
    if options and not choosers:
        raise RulesError("must not be: options without a chooser")
    if situation.final and options:
        raise RulesError(f"must not be: a final state with the option {options[0]}")


def _through_negation(rules: dict[int, list[GroundRule]], circular: Mapping[int, list[int]]) -> bool:
    """Whether a cycle goes through a negation: such programs may have several stable models, or none."""
    return any(
        circular.get(-literal) is component
        for atom, component in circular.items()
        for literals, _, _ in rules.get(atom, ())
        for literal in literals
        if literal < 0
    )
