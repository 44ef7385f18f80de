"""What the rules say about a state of which some fluents are not known: true, false, or undecided.

The ground program is worked out with three truth values (Kleene's): what comes out true or false does so whichever
of the unknown fluents hold. Of fluents that were written together it is known which combinations there are: where an
atom is undecided because of a few of them, it is worked out for each combination, and decided if all agree.
Undecided means only that this way of working it out does not tell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from lastrites.local import GroundRule

MOST_CASES = 32
"""So many combinations of unknown fluents are looked at for one atom."""

MOST_SUPPOSED = 3
"""So often a combination is supposed on top of another."""


class PartialReader:
    """Works out atoms of a stratified ground program in a state, leaving out some fluents; each with its reason."""

    def __init__(
        self, rules: Mapping[int, list[GroundRule]], bits: Mapping[int, int], circular: Mapping[int, list[int]]
    ) -> None:
        """``bits`` are those of atoms that are fluents, ``circular`` gives the atoms on cycles their components."""
        self.rules = rules
        self.bits = bits
        self.circular = circular
        self.written: list[tuple[int, Collection[int]]] = []
        self._unknown = 0
        self._combinations: dict[tuple[int, int], frozenset[int]] = {}
        self._contexts: dict[tuple[int, int], _Context] = {}
        self._state = -1

    def suppose(self, written: Sequence[tuple[int, Collection[int]]]) -> None:
        """From now on these fluents are unknown: masks, no two with a fluent in common, each with the values it has."""
        self.written = list(written)
        self._unknown = 0
        for mask, _ in written:
            self._unknown |= mask
        self._combinations = {}
        self._contexts = {}
        self._state = -1

    def _here(self, state: int) -> _Context:
        if state != self._state:
            self._state = state
            self._contexts = {}
        return self.context(state, self._unknown, 0)

    def value(self, atom: int, state: int) -> bool | None:
        """Whether the atom is true in the state whatever the unknown fluents are, or false; None: undecided."""
        return self._here(state).value(atom)

    def reason(self, atom: int, state: int) -> int:
        """The fluents that force the truth of an atom that is not undecided; none of them is unknown."""
        return self._here(state).reason(atom)

    def blamed(self, atom: int, state: int) -> int:
        """The unknown fluents because of which an atom may be undecided."""
        return self._here(state).blamed(atom)

    def context(self, state: int, unknown: int, depth: int) -> _Context:
        """A state with some fluents unknown, as far as it has been worked out."""
        key = (state & ~unknown, unknown)
        found = self._contexts.get(key)
        if found is None:
            found = self._contexts[key] = _Context(self, *key, depth)
        return found

    def combinations(self, place: int, mask: int) -> frozenset[int]:
        """How some of the fluents that were written together can be."""
        found = self._combinations.get((place, mask))
        if found is None:
            found = frozenset(value & mask for value in self.written[place][1])
            self._combinations[place, mask] = found
        return found


class _Context:
    """A state with some fluents unknown. For each atom its truth, what that rests on, and if it is undecided the
    unknown fluents that may be to blame."""

    def __init__(self, reader: PartialReader, state: int, unknown: int, depth: int) -> None:
        self._reader = reader
        self._state = state
        self._unknown = unknown
        self._depth = depth
        self._values: dict[int, bool | None] = {}
        self._choice: dict[int, list[int]] = {}
        self._masks: dict[int, int] = {}
        self._blamed: dict[int, int] = {}

    def value(self, atom: int) -> bool | None:
        """Whether the atom is true, or false; None: undecided."""
        if atom not in self._values:
            self._work_out(atom)
        return self._values[atom]

    def blamed(self, atom: int) -> int:
        """The unknown fluents because of which an atom may be undecided; none if it is not."""
        return 0 if self.value(atom) is not None else self._blamed[atom]

    def _holds(self, literal: int) -> bool | None:
        value = self.value(abs(literal))
        return value if value is None or literal > 0 else not value

    def _work_out(self, atom: int) -> None:
        bit = self._reader.bits.get(atom)
        if bit is not None:
            if self._unknown & bit:
                self._values[atom], self._blamed[atom] = None, bit
            else:
                self._values[atom], self._masks[atom] = bool(self._state & bit), bit
            return
        if atom in self._reader.circular:
            self._go_round(self._reader.circular[atom])
            return
        blamed = 0
        undecided = False
        failing: list[int] = []
        for literals, bound, weights in self._reader.rules.get(atom, ()):
            if weights:
                fires, used = self._weighed(literals, bound, weights)
            else:
                fires, used = self._joined(literals)
            if fires:
                self._values[atom], self._choice[atom] = True, used
                return
            if fires is None:
                undecided = True
                for other in used:
                    blamed |= self._blamed.get(other, 0)
            else:
                failing += used
        if undecided:
            self._undecided(atom, blamed)
        else:
            self._values[atom], self._choice[atom] = False, failing

    def _undecided(self, atom: int, blamed: int) -> None:
        self._values[atom] = None
        self._blamed[atom] = blamed
        if self._depth >= MOST_SUPPOSED:
            return
        cases = 1
        parts = []
        for place, (mask, _) in enumerate(self._reader.written):
            if blamed & mask:
                parts.append((place, blamed & mask))
                cases *= len(self._reader.combinations(*parts[-1]))
                if cases > MOST_CASES:
                    return
        place, part = parts[0]
        truths = set()
        reason = 0
        for value in self._reader.combinations(place, part):
            supposed = self._reader.context(self._state | value, self._unknown & ~part, self._depth + 1)
            truth = supposed.value(atom)
            truths.add(truth)
            if truth is None or len(truths) > 1:
                return
            reason |= supposed.reason(atom)
        self._values[atom] = truths.pop()
        self._masks[atom] = reason & ~part
        del self._blamed[atom]

    def _joined(self, literals: Iterable[int]) -> tuple[bool | None, list[int]]:
        """Whether all literals hold, and the atoms that this rests on."""
        undecided = False
        used = []
        for literal in literals:
            holds = self._holds(literal)
            if holds is False:
                return False, [abs(literal)]
            undecided = undecided or holds is None
            used.append(abs(literal))
        return (None if undecided else True), used

    def _weighed(self, literals: Iterable[int], bound: int, weights: Iterable[int]) -> tuple[bool | None, list[int]]:
        """Whether the weights of the literals that hold reach the bound, and the atoms that this rests on."""
        least = most = 0
        known: list[int] = []
        unknown: list[int] = []
        for literal, weight in zip(literals, weights, strict=True):
            holds = self._holds(literal)
            (unknown if holds is None else known).append(abs(literal))
            least += weight if holds else 0
            most += 0 if holds is False else weight
        if least >= bound:
            return True, known
        return (False, known) if most < bound else (None, unknown)

    def _go_round(self, component: list[int]) -> None:
        """Atoms that derive each other: the least that can be true, and the most that may be."""
        inside = set(component)
        rules = {atom: self._reader.rules.get(atom, ()) for atom in component}
        outside = {abs(each) for rows in rules.values() for row in rows for each in row[0]} - inside
        values = {atom: self.value(atom) for atom in outside}
        least = _fixpoint(rules, {atom: value is True for atom, value in values.items()},
                          {atom: value is False for atom, value in values.items()})  # fmt: skip
        most = _fixpoint(rules, {atom: value is not False for atom, value in values.items()},
                         {atom: value is not True for atom, value in values.items()})  # fmt: skip
        used = [atom for atom, value in values.items() if value is not None]
        blamed = 0
        for atom, value in values.items():
            blamed |= self._blamed[atom] if value is None else 0
        for atom in component:
            self._values[atom] = True if atom in least else None if atom in most else False
            self._choice[atom] = used
        for atom in component:
            if self._values[atom] is None:
                self._undecided(atom, blamed)

    def reason(self, atom: int) -> int:
        """The fluents that force the truth of an atom that is not undecided; none of them is unknown."""
        mask = 0
        todo, seen = [atom], {atom}
        while todo:
            here = todo.pop()
            known = self._masks.get(here)
            if known is not None:
                mask |= known
                continue
            for other in self._choice[here]:
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return mask


def _fixpoint(
    rules: Mapping[int, Iterable[GroundRule]], positive: Mapping[int, bool], negative: Mapping[int, bool]
) -> set[int]:
    """The atoms that these rules derive of each other, given which atoms outside hold, and which do not.

    No rule of a cycle negates an atom of the cycle.
    """
    found: set[int] = set()
    changed = True
    while changed:
        changed = False
        for atom, rows in rules.items():
            if atom in found:
                continue
            for literals, bound, weights in rows:
                holding = [
                    positive.get(literal, literal in found) if literal > 0 else negative[-literal]
                    for literal in literals
                ]
                reached = (
                    sum(w for w, holds in zip(weights, holding, strict=True) if holds) >= bound
                    if weights
                    else all(holding)
                )
                if reached:
                    found.add(atom)
                    changed = True
                    break
    return found
