"""Footprints: what each ability of a board may read and write, computed from the ground program.

Every atom ``add``, ``del`` and ``change`` of a decision is an *effect*. What it depends on is its *cone*: the fluents
that can be reached from it backwards along ground rules, once everything that follows from the decision being legal has
been fixed. Effects hang together: what one writes may make an automatic step do something else, or make an ability
wait.

Numbers are kept apart from what sets them: two effects that only add to a quantity commute. Levels of frames are left
out, and so are answers to questions: everything here is meant for one combination of answers.

Nothing here knows a game. The predicates used are those of ``rules/core/protocol.lp``, ``sums.lp``, ``frames.lp`` and
``triggers.lp``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lastrites import stop
from lastrites.solver import GroundProgram, Rulebook, RulesError
from lastrites.terms import Term, Value

PREDICATES = (
    ("option", 2), ("add", 3), ("del", 3), ("change", 5), ("forgets", 3), ("cites", 3), ("acting", 1), ("free", 1),
    ("over", 1), ("at_top", 2), ("picks_up", 3), ("waiting", 2), ("steady", 1), ("settled", 1), ("answer", 2),
    ("has", 3), ("side", 3), ("you", 3),
)  # fmt: skip
"""The predicates that are read, by name and arity."""

Key = Term
"""What a footprint speaks of: a fluent without its level, ``waits(T)``, ``num(Q)`` or ``frame(X)``."""

_NONE: frozenset[int] = frozenset()

_Body = tuple[tuple[int, ...], int, tuple[int, ...]]
"""Literals of the body of a ground rule, and for a weighted body its bound and weights."""


class _Truth:
    """What is known about the atoms of a ground program once some are given: unit propagation on its completion.

    For each rule it is counted how many literals of its body are open, for each atom how many of its rules can still
    fire.
    """

    def __init__(self, program: GroundProgram, given: Iterable[int] = ()) -> None:
        self.fluents = program.fluents
        self._place = {atom: number for number, atom in enumerate(program.fluents)}
        self._fixed: dict[int, bool] = {}
        self._read(program.rules)
        todo = [literal for literal in given if self._set(literal)]
        atoms = {abs(literal) for literal in self._occurs} | program.names.keys()
        todo += [-atom for atom in atoms if self._unfounded(atom) and self._set(-atom)]
        todo += [rule[0] for rule in self._list if not rule[1] and not rule[3] and self._set(rule[0])]
        if not self._spread(todo):
            raise RulesError("the ground program contradicts itself; footprints cannot be read off")
        self._fixed, known = self._values, self._values
        left: dict[int, list[_Body]] = {}
        for head, bodies in program.rules.items():
            if head not in known:
                left[head] = self._left(bodies)
        self._read(left)

    def _read(self, rules: dict[int, list[_Body]]) -> None:
        self._values: dict[int, bool] = {}
        self.rules = rules
        self._list: list[tuple[int, tuple[int, ...], int, tuple[int, ...]]] = []
        self._of_head: dict[int, list[int]] = {}
        self._occurs: dict[int, list[tuple[int, int]]] = {}
        for head, bodies in rules.items():
            for literals, bound, weights in bodies:
                number = len(self._list)
                self._list.append((head, literals, bound, weights))
                self._of_head.setdefault(head, []).append(number)
                for literal, weight in zip(literals, weights or (1,) * len(literals), strict=True):
                    self._occurs.setdefault(literal, []).append((number, weight))
        self._open = [len(literals) for _, literals, _, _ in self._list]
        self._least = [0] * len(self._list)
        self._most = [sum(weights) for _, _, _, weights in self._list]
        self._dead = bytearray(len(self._list))
        self._support = {head: len(numbers) for head, numbers in self._of_head.items()}

    def _unfounded(self, atom: int) -> bool:
        return atom not in self._of_head and atom not in self.fluents

    def _left(self, bodies: Iterable[_Body]) -> list[_Body]:
        """The rules of an atom without what is known."""
        left: list[_Body] = []
        for literals, bound, weights in bodies:
            places = [place for place, literal in enumerate(literals) if abs(literal) not in self._fixed]
            known = [place for place, literal in enumerate(literals) if self._fixed.get(abs(literal)) is (literal > 0)]
            if weights:
                rest = bound - sum(weights[place] for place in known)
                others = tuple(weights[place] for place in places)
                if rest <= sum(others):
                    left.append((tuple(literals[place] for place in places), rest, others))
            elif len(places) + len(known) == len(literals):
                left.append((tuple(literals[place] for place in places), 0, ()))
        return left

    def given(self, literals: Iterable[int]) -> _Truth | None:
        """What is known once these literals hold too; None if they cannot."""
        made = _Truth.__new__(_Truth)
        made.__dict__.update(self.__dict__)
        made._values = dict(self._values)
        made._open, made._least, made._most = list(self._open), list(self._least), list(self._most)
        made._dead, made._support = bytearray(self._dead), dict(self._support)
        todo: list[int] = []
        for literal in literals:
            known = made.of(literal)
            if known is False:
                return None
            if known is None:
                made._set(literal)
                todo.append(literal)
        return made if made._spread(todo) else None

    def of(self, literal: int) -> bool | None:
        """Whether a literal holds, or None if that is open."""
        atom = literal if literal > 0 else -literal
        value = self._values.get(atom)
        if value is None:
            value = self._fixed.get(atom)
        return None if value is None else value == (literal > 0)

    def _set(self, literal: int) -> bool:
        """Note that a literal holds; whether that is new."""
        atom = literal if literal > 0 else -literal
        if atom in self._values:
            return False
        self._values[atom] = literal > 0
        return True

    def _spread(self, todo: list[int]) -> bool:
        """Draw conclusions from literals that hold. False where they contradict one another."""
        forced: list[int] = []
        while todo:
            literal = todo.pop()
            for number, weight in self._occurs.get(literal, ()):
                if self._list[number][3]:
                    self._least[number] += weight
                else:
                    self._open[number] -= 1
                self._look(number, forced)
            for number, weight in self._occurs.get(-literal, ()):
                self._most[number] -= weight
                head, _, bound, weights = self._list[number]
                if not self._dead[number] and (not weights or self._most[number] < bound):
                    self._dead[number] = 1
                    self._support[head] -= 1
                    self._look_at(head, forced)
            self._look_at(abs(literal), forced)
            for each in forced:
                if self._set(each):
                    todo.append(each)
                elif self._values[abs(each)] is not (each > 0):
                    return False
            forced.clear()
        return True

    def _look(self, number: int, forced: list[int]) -> None:
        """Conclude from one rule."""
        if self._dead[number]:
            return
        head, literals, bound, weights = self._list[number]
        if self._least[number] >= bound if weights else not self._open[number]:
            forced.append(head)
        elif not weights and self._open[number] == 1 and self._values.get(head) is False:
            forced += [-each for each in literals if abs(each) not in self._values]

    def _look_at(self, atom: int, forced: list[int]) -> None:
        """Conclude from all rules of an atom."""
        if atom not in self._support:
            return
        if not self._support[atom]:
            forced.append(-atom)
            return
        value = self._values.get(atom)
        if value is True and self._support[atom] == 1:
            for number in self._of_head[atom]:
                if not self._dead[number] and not self._list[number][3]:
                    forced += self._list[number][1]
        elif value is False:
            for number in self._of_head[atom]:
                self._look(number, forced)

    def _body(self, body: _Body) -> bool | None:
        literals, bound, weights = body
        values = self._values
        if weights:
            least = most = 0
            for literal, weight in zip(literals, weights, strict=True):
                value = values.get(literal if literal > 0 else -literal)
                least += weight if value is (literal > 0) else 0
                most += weight if value is not (literal < 0) else 0
            return True if least >= bound else False if most < bound else None
        result: bool | None = True
        for literal in literals:
            value = values.get(literal if literal > 0 else -literal)
            if value is None:
                result = None
            elif value is not (literal > 0):
                return False
        return result

    def cone(self, literals: Iterable[int], cut: frozenset[int]) -> set[int]:
        """Fluents (their atoms) that the truth of these literals may depend on, not looking behind ``cut``."""
        todo = [abs(literal) for literal in literals]
        seen = set(todo)
        found = set()
        while todo:
            atom = todo.pop()
            if atom in self._values or atom in self._fixed or atom in cut:
                continue
            if atom in self.fluents:
                found.add(atom)
                continue
            for body in self.rules.get(atom, ()):
                if self._body(body) is None:
                    for literal in body[0]:
                        if abs(literal) not in seen:
                            seen.add(abs(literal))
                            todo.append(abs(literal))
        return found

    def _below(self, node: int, signed: bool) -> set[int]:
        """Atoms in the rules of an atom that may still decide it; signed: the literals that may make a literal hold."""
        atom = abs(node)
        if atom in self._values:
            return set()
        bodies = [body[0] for body in self.rules.get(atom, ()) if self._body(body) is None]
        if not signed:
            return {abs(literal) for literals in bodies for literal in literals}
        sign = 1 if node > 0 else -1
        return {sign * literal for literals in bodies for literal in literals}

    def cones(self, roots: Iterable[int], signed: bool = False) -> dict[int, int]:
        """The cones of these atoms, and of those below, as bit masks, bit ``2n`` being the ``n``-th fluent (Tarjan).

        Signed: of literals, bit ``2n`` being the fluent that may begin, bit ``2n+1`` the fluent that may cease to hold
        where the literal begins to hold.
        """
        below: dict[int, set[int]] = {}
        number: dict[int, int] = {}
        low: dict[int, int] = {}
        masks: dict[int, int] = {}
        stack: list[int] = []
        for root in roots:
            if root in number:
                continue
            below[root] = self._below(root, signed)
            work = [(root, iter(below[root]))]
            number[root] = low[root] = len(number)
            stack.append(root)
            while work:
                atom, following = work[-1]
                for other in following:
                    if other not in number:
                        number[other] = low[other] = len(number)
                        stack.append(other)
                        below[other] = self._below(other, signed)
                        work.append((other, iter(below[other])))
                        break
                    if other not in masks:
                        low[atom] = min(low[atom], number[other])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[atom])
                    if low[atom] == number[atom]:
                        members = stack[stack.index(atom) :]
                        del stack[-len(members) :]
                        mask = 0
                        for member in members:
                            place = self._place.get(abs(member))
                            if place is not None and self.of(member) is None:
                                mask |= 1 << 2 * place + (member < 0)
                            for other in below[member]:
                                mask |= masks.get(other, 0)
                        masks.update(dict.fromkeys(members, mask))
        return masks

    def needed(self, atom: int, known: dict[int, frozenset[int]]) -> frozenset[int]:
        """Atoms without which an atom cannot hold, itself included. ``known`` keeps what was worked out before."""
        found = known.get(atom)
        if found is not None:
            return found
        known[atom] = _NONE  # what depends on itself needs nothing that is known here
        if self.of(atom) is True:
            return _NONE
        common: frozenset[int] | None = None
        for body in self.rules.get(atom, ()):
            if self._body(body) is False:
                continue
            here = _NONE
            if not body[2]:
                here = here.union(*(self.needed(literal, known) for literal in body[0] if literal > 0))
            common = here if common is None else common & here
            if not common:
                break
        found = known[atom] = (common or _NONE) | {atom}
        return found

    def values(self, wanted: bool) -> set[int]:
        """Atoms that are known to hold, or known not to."""
        return {atom for values in (self._fixed, self._values) for atom, value in values.items() if value is wanted}


@dataclass(frozen=True)
class Effect:
    """One thing that a decision may do.

    ``kind``: ``add``, ``del``, ``inc`` (a contribution to a number) or ``set`` (a number that is set). ``reads``: what
    it depends on, given that the decision is legal; ``legal``: what that depends on; ``wants``: fluents that must hold
    for it. ``needs``: for each thing that must hold for it and never holds where an ability is picked, the fluents of
    which one must begin, or one must cease to hold before. ``frame``: what must be on top of the stack, for the steps
    of a frame.
    """

    decision: Term
    kind: str
    key: Key
    reads: frozenset[Key]
    legal: frozenset[Key]
    wants: frozenset[Key]
    needs: tuple[tuple[frozenset[Key], frozenset[Key]], ...]
    frame: Key | None = None


@dataclass
class Footprint:
    """What an ability may read and write, itself (``own``) and with what follows at once (``effects``)."""

    own: list[Effect] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    adds: set[Key] = field(default_factory=set)
    dels: set[Key] = field(default_factory=set)
    incs: set[Key] = field(default_factory=set)
    sets: set[Key] = field(default_factory=set)
    reads: set[Key] = field(default_factory=set)

    def take(self, effect: Effect, legal: bool) -> None:
        """Count one more effect in. ``legal``: whether what makes the decision legal counts as read."""
        self.effects.append(effect)
        self.reads |= effect.reads
        if legal:
            self.reads |= effect.legal
        {"add": self.adds, "del": self.dels, "inc": self.incs, "set": self.sets}[effect.kind].add(effect.key)

    @property
    def writes(self) -> set[Key]:
        """Everything that may be changed."""
        return self.adds | self.dels | self.incs | self.sets


def _flat(fluent: Term) -> Term:
    """A fluent without levels and other numbers."""
    return Term(fluent.name, tuple(argument for argument in fluent.args if not isinstance(argument, int)))


class Footprints:
    """The effects of all decisions of a board, and the footprints of its abilities."""

    def __init__(self, program: GroundProgram, book: Rulebook | None = None) -> None:
        """``book`` is what the program was grounded from, kept to tell whether it is that of another question."""
        self.book = book
        self._program = program
        self._atoms = {term: atom for atom, term in program.names.items()}
        self._by_name: dict[str, list[tuple[int, Term]]] = {}
        for atom, term in program.names.items():
            self._by_name.setdefault(term.name, []).append((atom, term))
        self.waiting: dict[Term, Term] = {}
        self._instances: dict[Term, Term] = {}
        for _, term in self._by_name.get("waiting", ()):
            fluent, instance = term.args
            assert isinstance(fluent, Term)
            assert isinstance(instance, Term)
            self.waiting[fluent] = instance
            self._instances[_flat(fluent)] = instance
        self.picks: dict[Term, Term] = {}
        for _, term in self._by_name.get("picks_up", ()):
            decision, instance = term.args[1:]
            assert isinstance(decision, Term)
            assert isinstance(instance, Term)
            self.picks[decision] = instance
        self._key_of: dict[Term, Key | None] = {}
        self._keys_of: dict[int, Key | None] = {}
        self._base = self._settled(program)
        steady = {str(term.args[0]) for _, term in self._by_name.get("steady", ())}
        self._cut = frozenset(
            atom for name in (*steady, "free") for atom, term in self._by_name.get(name, ()) if len(term.args) == 1
        )
        self._options = {}
        for atom, term in self._by_name.get("option", ()):
            decision = term.args[1]
            assert isinstance(decision, Term)
            self._options[decision] = atom
        self._literals = self._effect_literals()
        self.unordered: set[Term] = set()
        self.acting: set[Term] = set()
        """Decisions with which a frame goes on, nothing else being due: an ability that was picked is done by then."""
        self.idle: frozenset[Key] = frozenset()
        self.steps: dict[Term, list[Effect]] = {}
        self._clauses: dict[Term, list[tuple[str, frozenset[Key]]]] = {}
        self.over: frozenset[Key] = frozenset()
        self._compute()

    def _settled(self, program: GroundProgram) -> _Truth:
        """What is known from the start: questions that are answered for the whole run are not asked."""
        answered = {term.args[0] for _, term in self._by_name.get("answer", ()) if len(term.args) == 2}
        never = [
            -atom
            for atom, fluent in program.fluents.items()
            if fluent.name == "answered" and fluent.args[0] in answered
        ]
        return _Truth(program, never)

    # ---- effects

    def key(self, fluent: Term) -> Key | None:
        """What a fluent is in footprints; None for what they leave out."""
        if fluent not in self._key_of:
            self._key_of[fluent] = self._make_key(fluent)
        return self._key_of[fluent]

    def instance(self, fluent: Term) -> Term | None:
        """The ability that waits as long as the fluent holds, on whatever level; None if none does."""
        return self._instances.get(_flat(fluent))

    def _make_key(self, fluent: Term) -> Key | None:
        instance = self.instance(fluent)
        if instance is not None:
            return Term("waits" if fluent.name == "pend" else fluent.name, (instance,))
        if fluent.name == "frame" and len(fluent.args) == 2:
            return Term("frame", fluent.args[1:])
        if fluent.name == "num" and len(fluent.args) == 2:
            return Term("num", fluent.args[:1])
        return None if fluent.name == "answered" else fluent

    def _keys(self, atoms: Iterable[int]) -> frozenset[Key]:
        known = self._keys_of
        if not known:
            known.update((atom, self.key(fluent)) for atom, fluent in self._program.fluents.items())
        return frozenset(key for atom in atoms if (key := known[atom]) is not None)

    def _effect_literals(self) -> dict[Term, list[tuple[str, Key, int]]]:
        """For each decision its effects: kind, key, atom."""
        found: dict[Term, list[tuple[str, Key, int]]] = {}
        summed: set[tuple[Term, Term]] = set()
        for name in ("change", "forgets"):
            for atom, term in self._by_name.get(name, ()):
                decision, quantity = term.args[1], term.args[2]
                if isinstance(decision, Term) and isinstance(quantity, Term) and len(term.args) in (3, 5):
                    summed.add((decision, quantity))
                    kind = "inc" if name == "change" else "set"
                    found.setdefault(decision, []).append((kind, Term("num", (quantity,)), atom))
        for name in ("add", "del"):
            for atom, term in self._by_name.get(name, ()):
                if len(term.args) != 3:
                    continue
                decision, fluent = term.args[1], term.args[2]
                assert isinstance(decision, Term)
                assert isinstance(fluent, Term)
                if fluent.name == "num":
                    quantity = fluent.args[0]
                    if isinstance(quantity, Term) and (decision, quantity) in summed:
                        continue
                    found.setdefault(decision, []).append(("set", Term("num", fluent.args[:1]), atom))
                    continue
                key = self.key(fluent)
                if key is not None:
                    found.setdefault(decision, []).append((name, key, atom))
        return found

    def _compute(self) -> None:
        acting = self._atoms.get(Term("acting", (Term("now"),)))
        steady = [atom for atom in self._cut if self._program.names[atom].name != "free"]
        legal: dict[Term, _Truth] = {}
        needed: dict[int, frozenset[int]] = {}
        for decision, option in self._options.items():
            stop.check()
            truth = self._base.given([option, *self._base.needed(option, needed)])
            if truth is not None:
                legal[decision] = truth
                if acting is not None and truth.of(acting):
                    self.acting.add(decision)
        self._moved: dict[int, tuple[frozenset[Key], frozenset[Key]]] = {}
        self._of_mask: dict[int, frozenset[Key]] = {}
        self._cones: dict[int, int] = {}
        self._bases: list[Key] = []
        if not self.picks:
            return  # nothing can be picked, so there is nobody whose footprint is asked for
        self._waits: frozenset[Key] | None = None
        self._bases = self._base_frames(legal)
        self._on_bases = self._standing_on_bases()
        self._stacks = self._standing()
        where = {decision: self._where(decision, truth) for decision, truth in legal.items() if decision in self.picks}
        idle: set[int] | None = None
        for decision, truths in where.items():
            if not any(legal[decision].of(atom) for atom in steady):
                self.unordered.add(decision)
                continue
            for truth in truths:
                idle = truth.values(False) if idle is None else idle & truth.values(False)
        self._idle = (idle or set()) - self._base.values(False)
        fluents = set(self._program.fluents)
        self.idle = self._keys(fluents & self._idle) - self._keys(fluents - self._idle)
        for decision, truth in legal.items():  # each kind of step, where it can be taken
            stop.check()
            if decision in self.picks:
                for each in where[decision]:
                    self._add_steps(decision, each, None)
            elif decision in self.acting:
                self._frame_steps(decision)
            else:
                self._add_steps(decision, truth, None)
        for decision, effects in self.steps.items():
            self.steps[decision] = list(dict.fromkeys(effects))
        over = self._atoms.get(Term("over", (Term("now"),)))
        if over is not None:
            self.over = self._keys(self._base.cone([over], _NONE))

    @staticmethod
    def _level_key(fluent: Term) -> Key | None:
        return Term("frame", fluent.args[1:]) if fluent.name == "frame" else None

    def _add_steps(self, decision: Term, truth: _Truth, frame: Key | None, level: int | None = None) -> None:
        """Note the effects of a decision. ``level``: where its frame lies, on which nothing waited before."""
        option = self._options[decision]
        legal = self._keys(self._base.cone([option], self._cut))
        steps = self.steps.setdefault(decision, [])
        known: dict[int, frozenset[int]] = {}
        always = truth.values(True) - self._base.values(True)
        effects = [each for each in self._literals.get(decision, ()) if truth.of(each[2]) is not False]
        cones = truth.cones(atom for _, _, atom in effects)
        for kind, key, atom in effects:
            needed = truth.needed(atom, known) | always
            wants = self._keys(each for each in needed if each in self._program.fluents)
            reads = self._masked(cones[atom])
            if kind in ("del", "set"):
                reads -= {key}  # what does not hold need not be ended
            needs = {self._moves(each) for each in needed & self._idle}
            for each in needed:
                fluent = self._program.fluents.get(each)
                if fluent is not None and level is not None and fluent.name == "pend" and fluent.args[0] == level:
                    needs.add((self._keys([each]), frozenset()))
            ordered = tuple(sorted(needs, key=lambda need: len(need[0]) + len(need[1])))
            steps.append(Effect(decision, kind, key, reads, legal, wants, ordered, frame))

    def _moves(self, atom: int) -> tuple[frozenset[Key], frozenset[Key]]:
        """Fluents that must begin, or cease, to hold for an atom to begin to hold."""
        known = self._moved.get(atom)
        if known is None:
            if atom not in self._cones:
                self._cones |= self._base.cones(self._idle, signed=True)
            mask = self._cones[atom]
            known = self._moved[atom] = self._masked(mask), self._masked(mask >> 1)
        return known

    def _masked(self, mask: int) -> frozenset[Key]:
        """The keys of the fluents in a bit mask, looking at its even bits."""
        known = self._of_mask.get(mask)
        if known is None:
            atoms = (atom for number, atom in enumerate(self._program.fluents) if mask >> 2 * number & 1)
            known = self._of_mask[mask] = self._keys(atoms)
        return known

    def _levels(self, frame: Key) -> dict[int, int]:
        """At which levels a frame can stand, each with its atom."""
        return {
            level: atom
            for atom, fluent in self._program.fluents.items()
            if fluent.name == "frame" and fluent.args[1:] == frame.args and isinstance(level := fluent.args[0], int)
        }

    def _base_frames(self, legal: dict[Term, _Truth]) -> list[Key]:
        """Frames on which abilities wait: those that a decision puts there together with some."""
        found: set[Key] = set()
        for decision, truth in legal.items():
            if decision in self.picks:
                continue
            effects = [
                each for each in self._literals.get(decision, ()) if each[0] == "add" and truth.of(each[2]) is not False
            ]
            waits = [atom for _, key, atom in effects if key.name == "waits"]
            frames = [(key, atom) for _, key, atom in effects if key.name == "frame"]
            for key, atom in frames:
                if key not in found and any(truth.given([atom, other]) is not None for other in waits):
                    found.add(key)
        return sorted(found, key=str)

    def _where(self, decision: Term, truth: _Truth) -> list[_Truth]:
        """What is known where the decision picks an ability: for each frame on which it may wait, the topmost one."""
        if decision not in self.acting:
            return [truth]
        option = self._options[decision]
        found = []
        for standing in self._on_bases:
            here = standing.given([option]) if standing.of(option) is not False else None
            if here is not None:
                found.append(here)
        return found or [truth]

    def _standing_on_bases(self) -> list[_Truth]:
        """What is known where one of the frames on which abilities wait is the topmost."""
        found = []
        for base in self._bases:
            levels = self._levels(base)
            level = min((level for level in levels if level > 1), default=None)
            if level is None:
                continue
            here = self._base.given(
                atom if atom == levels[level] else -atom
                for atom, fluent in self._program.fluents.items()
                if fluent.name == "frame" and isinstance(fluent.args[0], int) and fluent.args[0] >= level
            )
            if here is not None:
                found.append(here)
        return found

    def _stack(self, base: Key, top: Key) -> tuple[list[int], int] | None:
        """Literals that say: ``base`` lies right under ``top``, and nothing above; and the level of ``top``."""
        lower, upper = self._levels(base), self._levels(top)
        for level in sorted(lower):
            if level + 1 in upper and level > 1:
                break
        else:
            return None
        literals = []
        for atom, fluent in self._program.fluents.items():
            if fluent.name == "frame" and isinstance(fluent.args[0], int) and fluent.args[0] >= level:
                literals.append(atom if atom in (lower[level], upper[level + 1]) else -atom)
        return literals, level + 1

    def _frame_steps(self, decision: Term) -> None:
        """Effects of a decision with which a frame goes on, for each frame that may lie on top."""
        option = self._options[decision]
        for top, level, standing in self._stacks:
            truth = standing.given([option]) if standing.of(option) is not False else None
            if truth is not None:
                self._add_steps(decision, truth, top, level)

    def _standing(self) -> list[tuple[Key, int | None, _Truth]]:
        """Each frame that may lie on top with its level, and what is known then."""
        found: list[tuple[Key, int | None, _Truth]] = []
        for top in self._tops():
            stop.check()
            stacks = [self._stack(base, top) for base in (self._bases if top in self._bases else self._bases[:1])]
            above: list[tuple[list[int], int | None]] = [stack for stack in stacks if stack is not None]
            if not above:  # it never lies above abilities that wait
                atom = self._atoms.get(Term("at_top", (Term("now"), *top.args)))
                above = [([atom], None)] if atom is not None else []
            for literals, level in above:
                truth = self._base.given(literals)
                if truth is not None:
                    found.append((top, level, truth))
        return found

    def _tops(self) -> list[Key]:
        keys = {key for fluent in self._program.fluents.values() if (key := self._level_key(fluent)) is not None}
        return sorted(keys, key=str)

    # ---- footprints

    def close(self, start: Iterable[Effect], picks: bool) -> Footprint:
        """A footprint: these effects, and all that they may bring about.

        ``picks``: whether abilities that are made to wait are carried out too.
        """
        footprint = Footprint()
        own = list(start)
        footprint.own = own
        taken: set[int] = set()
        for effect in own:
            footprint.take(effect, legal=True)
            taken.add(id(effect))
        grows = True
        while grows:
            grows = False
            for decision, effects in self.steps.items():
                picked = self.picks.get(decision)
                if picked is not None and not (picks and Term("waits", (picked,)) in footprint.adds):
                    continue
                for effect in effects:
                    if id(effect) in taken or not self._follows(effect, footprint, picked is not None):
                        continue
                    taken.add(id(effect))
                    footprint.take(effect, legal=picked is not None or effect.frame is not None or not effect.needs)
                    grows = True
        return footprint

    @staticmethod
    def _follows(effect: Effect, footprint: Footprint, picked: bool) -> bool:
        if picked:
            return True
        if effect.frame is not None and effect.frame not in footprint.adds:
            return False
        numbers = footprint.incs | footprint.sets
        begun, ended = footprint.adds | numbers, footprint.dels | numbers
        if any(begins.isdisjoint(begun) and ceases.isdisjoint(ended) for begins, ceases in effect.needs):
            return False
        if effect.needs or effect.frame is not None:
            return True
        writes = footprint.writes
        return not (effect.reads.isdisjoint(writes) and effect.legal.isdisjoint(writes))

    def clauses(self, decisions: Iterable[Term], keys: Iterable[Key]) -> set[str]:
        """Clauses that these decisions may rest on where those fluents come in."""
        wanted = set(keys)
        found: set[str] = set()
        for decision in decisions:
            for clause, reads in self._cites(decision):
                if not reads.isdisjoint(wanted):
                    found.add(clause)
        return found

    def _cites(self, decision: Term) -> list[tuple[str, frozenset[Key]]]:
        known = self._clauses.get(decision)
        if known is None:
            known = self._clauses[decision] = []
            truth = self._base.given([self._options[decision]])
            for atom, term in self._by_name.get("cites", ()):
                if truth is not None and term.args[1] == decision and truth.of(atom) is not False:
                    known.append((str(term.args[2]), self._keys(truth.cone([atom], _NONE))))
        return known

    # ---- what else the ground program tells

    @property
    def waits(self) -> frozenset[Key]:
        """The keys of all fluents that say that an ability waits."""
        if self._waits is None:
            self._waits = frozenset(key for fluent in self.waiting if (key := self.key(fluent)) is not None)
        return self._waits

    def adding(self, keys: set[Key]) -> list[Effect]:
        """Effects that may bring about one of these."""
        return [e for effects in self.steps.values() for e in effects if e.kind == "add" and e.key in keys]

    def at(self, state: frozenset[Term]) -> frozenset[Term]:
        """The named atoms that are true in a state."""
        literals = [atom if fluent in state else -atom for atom, fluent in self._program.fluents.items()]
        truth = self._base.given(literals)
        if truth is None:
            return frozenset()
        return frozenset(term for atom, term in self._program.names.items() if truth.of(atom) is True)

    def has(self, card: str, ability: Value, truth: frozenset[Term]) -> bool:
        """Whether a card has an ability where these atoms are true."""
        return Term("has", (Term("now"), card, ability)) in truth

    def controllers(self, instances: Iterable[Term], card: str, truth: frozenset[Term]) -> list[str]:
        """Who "you" is for the instances of an ability: whose side its card is on, or else whoever it may be."""
        side = {str(term.args[2]) for term in truth if term.name == "side" and term.args[1:2] == (card,)}
        if len(side) == 1:
            return sorted(side)
        wanted = set(instances)
        return sorted({str(term.args[2]) for _, term in self._by_name.get("you", ()) if term.args[1] in wanted})
