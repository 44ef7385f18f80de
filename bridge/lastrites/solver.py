"""The only module that knows clingo.

Rules speak about a named state. Three ways to ask them, all on the same files:

* :class:`GraphRules` grounds once with every fluent that can arise left open, then assigns a state and solves once
  for it (graph mode);
* :class:`LayerRules` grounds afresh for a batch of states, each fluent a fact (the fallback, and the way to explain
  single states);
* :func:`unrolled` writes the program whose stable models are the legal orders (trace mode), and
  :func:`solve_trace` runs it.

States are bit sets: bit ``i`` of a Python ``int`` says whether fluent ``i`` of a :class:`Fluents` table holds.
Text of board files reaches clingo as symbols in the abstract syntax tree, never as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import clingo
import clingo.ast as ast

from lastrites.terms import Term, Value, fn, strings
from lastrites.told import TOLD, Told

SHOWN = (
    ("option", 2), ("chooser", 2), ("add", 3), ("del", 3), ("apart", 3),
    ("final", 1), ("err", 2), ("warns", 2), ("refused", 3),
)  # fmt: skip
"""What the mode files show about a state. Options come first."""

Decision = clingo.Symbol
"""A decision as clingo has it."""

EXPLAINS = TOLD | {"cited", "bars"}
"""What they show besides about a state that is to be explained."""

_POSITION = ast.Position("<board>", 1, 1)
_LOCATION = ast.Location(_POSITION, _POSITION)
_NOW = clingo.Function("now", [])


def renamed(decision: Decision, names: Callable[[str], str]) -> Decision:
    """A decision in which other names stand: ``names`` changes it as a text."""
    return clingo.parse_term(names(str(decision)))


class RulesError(Exception):
    """The rules themselves are at fault: they cannot be read, or say something that must not be.

    ``at`` is the state graph as far as it was known, and the number of the state that shows it, where there is one.
    """

    at: tuple[Any, int] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self.args


class BoundReached(Exception):
    """A bound of the grounding was too small: ``bound`` is one of DEFAULTS, ``horizon``, or ``spares``: then ``what``
    names the player and the kind of card of which there were too few."""

    def __init__(self, bound: str, what: tuple[str, ...] = ()) -> None:
        super().__init__(bound, what)
        self.bound, self.what = bound, what


@lru_cache(maxsize=1 << 16)
def value(symbol: clingo.Symbol) -> Value:
    """A clingo symbol as a plain value."""
    if symbol.type == clingo.SymbolType.Function:
        return Term(symbol.name, tuple(value(argument) for argument in symbol.arguments))
    if symbol.type == clingo.SymbolType.Number:
        return symbol.number
    return symbol.string


def symbol(term: Value) -> clingo.Symbol:
    """A plain value as a clingo symbol."""
    if isinstance(term, Term):
        return clingo.Function(term.name, [symbol(argument) for argument in term.args])
    if isinstance(term, int):
        return clingo.Number(term)
    return clingo.String(term)


@dataclass(frozen=True)
class Rulebook:
    """What a question about a board is put to: rule files, text of trusted library blocks, facts, bounds.

    ``facts`` are terms (from the board, and the readings in use); ``constants`` the values of ``#const`` names,
    ``most_value`` the number beyond which a growing quantity is taken for one that never stops.
    """

    files: tuple[Path, ...]
    library: str
    facts: tuple[Term, ...]
    modes: Path
    constants: tuple[tuple[str, int], ...] = ()
    most_value: int = 999

    def with_constants(self, **values: int) -> Rulebook:
        """The same with other bounds."""
        merged = {**dict(self.constants), **values}
        return replace(self, constants=tuple(sorted(merged.items())))

    def constant(self, name: str) -> int:
        """The value of a bound."""
        return dict(self.constants).get(name, DEFAULTS[name])


def _fact(term: Term) -> ast.AST:
    arguments = [ast.SymbolicTerm(_LOCATION, symbol(argument)) for argument in term.args]
    atom = ast.SymbolicAtom(ast.Function(_LOCATION, term.name, arguments, 0))
    return ast.Rule(_LOCATION, ast.Literal(_LOCATION, ast.Sign.NoSign, atom), [])


def _control(
    book: Rulebook,
    mode: str | None,
    facts: Iterable[Term],
    options: Sequence[str] = (),
    observer: clingo.Observer | None = None,
) -> clingo.Control:
    messages: list[str] = []

    def log(code: clingo.MessageCode, text: str) -> None:
        messages.append(text.strip())

    constants = [f"-c{name}={number}" for name, number in book.constants]
    control = clingo.Control([*constants, *options], logger=log, message_limit=20)
    if observer is not None:
        control.register_observer(observer)
    try:
        for file in book.files:
            control.load(str(file))
        if mode is not None:
            control.load(str(book.modes / f"{mode}.lp"))
        if book.library:
            control.add("base", [], book.library)
        with ast.ProgramBuilder(control) as builder:
            for fact in book.facts:
                builder.add(_fact(fact))
            for fact in facts:
                builder.add(_fact(fact))
        control.ground([("base", [])])
    except RuntimeError as error:
        raise RulesError("\n".join([str(error), *messages])) from None
    return control


def read_facts(files: Sequence[Path], text: str = "") -> list[Term]:
    """All atoms of the one stable model of the files and the (trusted) text.

    Raises RulesError when clingo cannot read them or they do not have exactly one stable model.
    """
    book = Rulebook(tuple(files), text, (), Path())
    control = _control(book, None, (), ("--warn=none", "2"))
    models: list[list[Term]] = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            atoms = (value(atom) for atom in model.symbols(atoms=True))
            models.append([atom for atom in atoms if isinstance(atom, Term)])
    if len(models) != 1:
        raise RulesError(f"expected one stable model, found {len(models)}")
    return models[0]


def query(book: Rulebook, names: Iterable[str]) -> dict[str, list[Term]]:
    """The atoms of the named predicates that the rules and facts derive without any state."""
    control = _control(book, "layers", (), ("--warn=none",))
    wanted = set(names)
    found: dict[str, list[Term]] = {name: [] for name in wanted}
    with control.solve(yield_=True) as handle:
        for model in handle:
            for atom in model.symbols(atoms=True):
                if atom.name in wanted:
                    term = value(atom)
                    assert isinstance(term, Term)
                    found[atom.name].append(term)
    return found


class Enumeration:
    """The stable models of a program, one at a time; what is learned on the way can rule out later ones."""

    def __init__(self, files: Sequence[Path], text: str, facts: Iterable[Term], constants: Mapping[str, int]) -> None:
        """``text`` is trusted. Raises RulesError when clingo cannot read or ground the program."""
        book = Rulebook(tuple(files), text, (), Path(), tuple(constants.items()))
        self._control = _control(book, None, facts, ("0", "--warn=none", "--project"))

    def terms(self, name: str, arity: int) -> list[Term]:
        """Atoms of this name that some stable model may hold."""
        found = (value(atom.symbol) for atom in self._control.symbolic_atoms.by_signature(name, arity))
        return sorted((atom for atom in found if isinstance(atom, Term)), key=str)

    def models(self, given: Sequence[Term] = ()) -> Iterator[list[Term]]:
        """The shown atoms of each stable model in which the ``given`` atoms hold."""
        with self._control.solve(assumptions=[(symbol(atom), True) for atom in given], yield_=True) as handle:
            for model in handle:
                atoms = (value(atom) for atom in model.symbols(shown=True))
                yield [atom for atom in atoms if isinstance(atom, Term)]


_SWITCHES = "#external without(C) : clause(C,_).\n#external against(C) : clause(C,consequence).\n"
_ROOTS = (*SHOWN, ("conflict", 3), ("clash", 3), ("init", 1), ("impossible", 2), ("unsupported", 1), ("unsupported", 2))


def resting_on(book: Rulebook) -> frozenset[str]:
    """The clauses that anything said about any state of a board may depend on, more rather than too few.

    Ground once with all clauses left free, what is shown is followed back to the clauses that it hangs on. Nothing
    else can make the board come out otherwise when it is switched. Raises RulesError.
    """
    recorder = _Recorder()
    free = replace(book, library=f"{book.library}\n{_SWITCHES}")
    control = _control(free, "closure", (), ("--warn=none",), recorder)
    atoms = control.symbolic_atoms
    switches = {
        atom.literal: atom.symbol.arguments[0].string
        for name in ("without", "against")
        for atom in atoms.by_signature(name, 1)
        if not atom.is_fact
    }
    waiting = [abs(atom.literal) for name, arity in _ROOTS for atom in atoms.by_signature(name, arity)]
    seen = set(waiting)
    while waiting:
        for body, _, _ in recorder.rules.get(waiting.pop(), ()):
            new = {abs(literal) for literal in body} - seen
            seen |= new
            waiting += new
    return frozenset(clause for literal, clause in switches.items() if literal in seen)


class Fluents:
    """The table that gives each fluent its bit."""

    def __init__(self) -> None:
        self._bits: dict[clingo.Symbol, int] = {}
        self._symbols: list[clingo.Symbol] = []
        self._terms: dict[int, Term] = {}
        self._names: list[frozenset[str]] = []
        self._speaking: dict[str, int] = {}

    def bit(self, fluent: clingo.Symbol) -> int:
        """The bit (a power of two) of a fluent; a new one for a fluent not seen before."""
        bit = self._bits.get(fluent)
        if bit is None:
            bit = 1 << len(self._symbols)
            self._bits[fluent] = bit
            self._symbols.append(fluent)
        return bit

    def rearranged(self, order: Sequence[int]) -> tuple[Fluents, Callable[[int], int]]:
        """A table with the fluents in another order (of their numbers), and what becomes of a state in it."""
        other = Fluents()
        bits = {1 << number: other.bit(self._symbols[number]) for number in order}

        def moved(state: int) -> int:
            found = 0
            while state:
                low = state & -state
                found |= bits[low]
                state ^= low
            return found

        return other, moved

    def texts(self) -> list[str]:
        """The fluents in the order of their bits, as texts."""
        return [str(each) for each in self._symbols]

    def symbols(self, state: int) -> Iterator[clingo.Symbol]:
        """The fluents that hold in a state, as symbols."""
        while state:
            low = state & -state
            yield self._symbols[low.bit_length() - 1]
            state ^= low

    def mask(self, wanted: Callable[[Term], bool]) -> int:
        """The bits of the fluents of a kind."""
        found = 0
        for number in range(len(self._symbols)):
            (term,) = self.terms(1 << number)
            if wanted(term):
                found |= 1 << number
        return found

    def around(self, bits: int) -> int:
        """The bits of all fluents that speak of a name of which one of these speaks."""
        if len(self._names) < len(self._symbols):
            for number in range(len(self._names), len(self._symbols)):
                (term,) = self.terms(1 << number)
                self._names.append(frozenset(strings(term)))
                for name in self._names[-1]:
                    self._speaking[name] = self._speaking.get(name, 0) | 1 << number
        found = bits
        while bits:
            low = bits & -bits
            for name in self._names[low.bit_length() - 1]:
                found |= self._speaking[name]
            bits ^= low
        return found

    def terms(self, state: int) -> frozenset[Term]:
        """The fluents that hold in a state, as terms."""
        found = []
        while state:
            low = state & -state
            index = low.bit_length() - 1
            term = self._terms.get(index)
            if term is None:
                converted = value(self._symbols[index])
                assert isinstance(converted, Term)
                term = self._terms[index] = converted
            found.append(term)
            state ^= low
        return frozenset(found)


@dataclass(slots=True)
class Option:
    """A legal decision: what it is, which bits it sets and clears, which cards are put on a pile apart."""

    decision: clingo.Symbol
    add: int = 0
    delete: int = 0
    apart: tuple[str, ...] = ()

    def after(self, state: int) -> int:
        """The state that the decision leads to; what is added wins."""
        return (state & ~self.delete) | self.add

    @property
    def term(self) -> Term:
        """The decision as a plain term."""
        term = value(self.decision)
        assert isinstance(term, Term)
        return term


@dataclass(slots=True)
class Situation:
    """What the rules say about one state."""

    options: list[Option] = field(default_factory=list)
    choosers: list[Term] = field(default_factory=list)
    final: bool = False
    refused: list[tuple[int, str]] = field(default_factory=list)
    conflicts: list[tuple[str, str]] = field(default_factory=list)
    clashes: list[tuple[str, str]] = field(default_factory=list)
    errors: list[Term] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    cites: dict[Term, list[str]] = field(default_factory=dict)
    barred: list[tuple[Term, str]] = field(default_factory=list)
    told: Told | None = None


def gather(atoms: Iterable[clingo.Symbol], fluents: Fluents, given: clingo.Symbol | None = None) -> Situation:
    """Put the atoms about one state together. ``given`` is a decision known to be an option without its atom."""
    situation = Situation()
    options: dict[clingo.Symbol, Option] = {}
    if given is not None:
        options[given] = Option(given)
        situation.options.append(options[given])
    for atom in atoms:
        name, arguments = atom.name, atom.arguments
        if name == "add":
            decision = arguments[1]
            option = options.get(decision) or options.setdefault(decision, Option(decision))
            option.add |= fluents.bit(arguments[2])
        elif name == "del":
            decision = arguments[1]
            option = options.get(decision) or options.setdefault(decision, Option(decision))
            option.delete |= fluents.bit(arguments[2])
        elif name == "option":
            decision = arguments[1]
            option = options.get(decision) or options.setdefault(decision, Option(decision))
            situation.options.append(option)
        elif name == "apart":
            decision = arguments[1]
            option = options.get(decision) or options.setdefault(decision, Option(decision))
            option.apart = tuple(sorted((*option.apart, arguments[2].string)))
        elif name == "chooser":
            situation.choosers.append(_term(arguments[1]))
        elif name == "final":
            situation.final = True
        elif name == "warns":
            situation.warnings.append(arguments[1].string)
        elif name == "err":
            situation.errors.append(_term(arguments[1]))
        elif name == "refused":
            situation.refused.append((arguments[1].number, arguments[2].string))
        elif name == "conflict":
            situation.conflicts.append((arguments[1].string, arguments[2].string))
        elif name == "clash":
            situation.clashes.append((arguments[1].string, arguments[2].string))
        elif name == "cited":
            situation.cites.setdefault(_term(arguments[1]), []).append(arguments[2].string)
        elif name == "bars":
            situation.barred.append((_term(arguments[1]), arguments[2].string))
        elif name in TOLD:
            situation.told = situation.told or Told()
            situation.told.take(name, [value(argument) for argument in arguments[1:]])
    situation.options.sort(key=lambda option: option.decision)
    situation.choosers.sort()
    situation.refused.sort()
    situation.conflicts.sort()
    situation.clashes.sort()
    situation.warnings.sort()
    for clauses in situation.cites.values():
        clauses.sort()
    return situation


def _term(atom: clingo.Symbol) -> Term:
    term = value(atom)
    return term if isinstance(term, Term) else fn("value", term)


_BOUNDS = {
    "out_of_range": "max_value",
    "depth": "max_depth",
    "too_far": "max_shift",
    "too_few_spare_cards": "spares",
}
DEFAULTS = {"max_value": 20, "max_depth": 6, "max_shift": 6}
"""The bounds of a grounding, with the values that the rules give them."""


class Branching(RulesError):
    """The rules have several things happen of themselves in one state: no player, reading or luck chooses among the
    ``options``."""

    def __init__(self, options: Sequence[Term], what: object) -> None:
        super().__init__(f"the rules derive what must not be: {what}")
        self.options = tuple(options)

    def __reduce__(self) -> tuple[type[Branching], tuple[object, ...]]:
        return Branching, (self.options, str(self).partition(": ")[2])


class IllegalChoice(Exception):
    """What an event on the board chooses is not legal: ``choice``, the ``answer``-th of the ``event``-th event."""

    def __init__(self, choice: str, event: int = 0, answer: int = 0) -> None:
        super().__init__(choice, event, answer)
        self.choice, self.event, self.answer = choice, event, answer


def check_bounds(situation: Situation) -> Situation:
    """The situation itself, unless it says that a bound of the grounding is too small. Raises BoundReached."""
    for error in situation.errors:
        if error.name in _BOUNDS:
            raise BoundReached(_BOUNDS[error.name], tuple(map(str, error.args)))
    return situation


def fail(situation: Situation) -> None:
    """Raises IllegalChoice or RulesError when the situation is one that must not be."""
    for error in situation.errors:
        match error:
            case Term("illegal_choice", (int(event), int(answer), choice)):
                raise IllegalChoice(str(choice), event, answer)
        if error.name == "two_automatic":
            raise Branching([option.term for option in situation.options], error)
        raise RulesError(f"the rules derive what must not be: {error}")


class GraphRules:
    """Graph mode: ground once for a board, then one solve a state.

    The fluents that can arise are found by the grounder itself, in one pass over the program in which every fluent
    that some decision may add is left free. The program of that pass also answers for states. Where more is to be done
    with the ground program (:meth:`observed`), it is grounded again, the fluents of the start that nothing can delete
    as facts. ``asks`` are the questions that may come up: more rather than too few.
    """

    def __init__(self, book: Rulebook, also: Iterable[Term] = ()) -> None:
        """``also`` names fluents that hold in some of the states that will be looked at, beyond what the start of the
        board leads to.

        Raises RulesError when the rules cannot be read or grounded.
        """
        self.fluents = Fluents()
        self._book = book
        also_possible = (fn("possible", fluent) for fluent in also)
        closure = _control(book, "closure", also_possible, ("--warn=none", "--models=2"))

        def terms(name: str) -> list[clingo.Symbol]:
            return [atom.symbol.arguments[0] for atom in closure.symbolic_atoms.by_signature(name, 1)]

        plain = [("", str(value(text))) for text in terms("unsupported")]
        rows = (atom.symbol.arguments for atom in closure.symbolic_atoms.by_signature("unsupported", 2))
        self.unsupported = sorted([*plain, *((str(value(what)), str(value(text))) for what, text in rows)])
        rows = (atom.symbol.arguments for atom in closure.symbolic_atoms.by_signature("impossible", 2))
        self.impossible = sorted((str(value(card)), str(value(text))) for card, text in rows)
        start, gone = terms("init"), set(terms("gone"))
        fixed = {fluent for fluent in start if fluent not in gone}
        self._open = [fluent for fluent in terms("possible") if fluent not in fixed]
        self._facts = [fn("possible", value(fluent)) for fluent in self._open]
        self._facts += [fn("constant", value(fluent)) for fluent in fixed]
        bits = self.fluents
        self.initial = self.constant = 0
        for fluent in self._open:
            bits.bit(fluent)
        for fluent in start:
            self.initial |= bits.bit(fluent)
        for fluent in fixed:
            self.constant |= bits.bit(fluent)
        answers = (atom.symbol.arguments[1] for atom in closure.symbolic_atoms.by_signature("option", 2))
        self.asks = frozenset(str(value(each.arguments[0])) for each in answers if each.match("answer", 2))
        self._use(closure)
        for fluent in fixed:
            closure.assign_external(clingo.Function("holds", [_NOW, fluent]), True)

    def _ground(self, observer: clingo.Observer | None, explain: bool = False) -> None:
        facts = [*self._facts, fn("explain", fn("now"))] if explain else self._facts
        self._use(_control(self._book, "graph", facts, ("--warn=none", "--models=2"), observer))

    def _use(self, control: clingo.Control) -> None:
        """Put states to this ground program."""
        self._control = control
        bits = self.fluents
        self._literals: dict[int, int] = {}
        atoms = self._control.symbolic_atoms
        for fluent in self._open:
            atom = atoms[clingo.Function("holds", [_NOW, fluent])]
            if atom is not None:
                self._literals[bits.bit(fluent)] = atom.literal
        self.externals = {literal: bit for bit, literal in self._literals.items()}
        self._assigned = 0

    def observed(self, observer: clingo.Observer, explain: bool = False) -> GraphRules:
        """The same rules with the same fluents, their ground program shown to the observer.

        With ``explain`` it has the atoms that explain states, too.
        """
        other = GraphRules.__new__(GraphRules)
        other.__dict__.update(self.__dict__)
        other._ground(observer, explain)
        return other

    def rearrange(self, order: Sequence[int]) -> None:
        """Put the fluents in another order, given by their numbers."""
        self.fluents, moved = self.fluents.rearranged(order)
        self.initial, self.constant, self._assigned = map(moved, (self.initial, self.constant, self._assigned))
        self._literals = {moved(bit): literal for bit, literal in self._literals.items()}
        self.externals = {literal: bit for bit, literal in self._literals.items()}

    def shown(self) -> list[tuple[clingo.Symbol, int]]:
        """The atoms that :meth:`look` reads, with their literals."""
        return self._atoms(SHOWN)

    def explanations(self) -> list[tuple[clingo.Symbol, int]]:
        """The atoms that explain a state, with their literals."""
        signatures = self._control.symbolic_atoms.signatures
        return self._atoms((name, arity) for name, arity, _ in signatures if name in EXPLAINS)

    def _atoms(self, wanted: Iterable[tuple[str, int]]) -> list[tuple[clingo.Symbol, int]]:
        atoms = self._control.symbolic_atoms
        found = []
        for name, arity in wanted:
            found += [(atom.symbol, atom.literal) for atom in atoms.by_signature(name, arity)]
        return found

    def atoms(self, wanted: Iterable[tuple[str, int]]) -> tuple[dict[int, Term], dict[int, Term]]:
        """The atoms of these predicates (name, arity) by literal, and the fluents that are assigned from outside."""
        atoms = self._control.symbolic_atoms
        names = {
            atom.literal: _term(atom.symbol)
            for name, arity in wanted
            for atom in atoms.by_signature(name, arity)
            if atom.literal > 0
        }
        fluents = {}
        for fluent in self._open:
            atom = atoms[clingo.Function("holds", [_NOW, fluent])]
            if atom is not None and atom.literal in self.externals:
                fluents[atom.literal] = _term(fluent)
        return names, fluents

    def _assign(self, state: int) -> None:
        differs = state ^ self._assigned
        while differs:
            low = differs & -differs
            literal = self._literals.get(low)
            if literal is not None:
                self._control.assign_external(literal, bool(state & low))
            differs ^= low
        self._assigned = state

    @contextmanager
    def solved(self, state: int) -> Iterator[clingo.Model]:
        """The stable model of a state, to be read inside the ``with``."""
        self._assign(state)
        with self._control.solve(yield_=True) as handle:
            model = handle.model()
            if model is None:
                raise RulesError("a state has no stable model; it must have one")
            yield model

    def look(self, state: int) -> Situation:
        """What the rules say about a state. Raises RulesError unless it has exactly one stable model."""
        self._assign(state)
        found: list[Situation] = []
        with self._control.solve(yield_=True) as handle:
            for model in handle:
                found.append(gather(model.symbols(shown=True), self.fluents))
        if len(found) != 1:
            raise RulesError(f"a state has {'no' if not found else 'several'} stable models; it must have one")
        return check_bounds(found[0])

    def look_all(self, states: Sequence[int]) -> list[Situation]:
        """What the rules say about several states."""
        return [self.look(state) for state in states]


class LayerRules:
    """Layer mode: a fresh grounding for each batch of states, needing no closure of fluents."""

    def __init__(self, book: Rulebook, fluents: Fluents | None = None, explain: bool = False) -> None:
        """``fluents``: a table to go on with, instead of the board's start. ``explain``: ask for cites and barred too.

        Raises RulesError when the rules cannot be read.
        """
        self._book = book
        self._explain = explain
        self.fluents = fluents if fluents is not None else Fluents()
        self.initial = self.constant = 0
        self.unsupported: list[tuple[str, str]] = []
        self.impossible: list[tuple[str, str]] = []
        if fluents is None:
            known = query(book, ["init", "unsupported", "impossible"])
            self.impossible = sorted((str(term.args[0]), str(term.args[1])) for term in known["impossible"])
            self.unsupported = sorted(
                (str(term.args[0]) if term.args[1:] else "", str(term.args[-1])) for term in known["unsupported"]
            )
            for term in known["init"]:
                self.initial |= self.fluents.bit(symbol(term.args[0]))

    def look(self, state: int) -> Situation:
        """What the rules say about one state."""
        return self.look_all([state])[0]

    def look_all(self, states: Sequence[int]) -> list[Situation]:
        """What the rules say about several states. Raises RulesError unless there is exactly one stable model."""
        facts: list[Term] = []
        for number, state in enumerate(states):
            facts.append(fn("state", number))
            if self._explain:
                facts.append(fn("explain", number))
            facts += [fn("holds", number, term) for term in self.fluents.terms(state)]
        control = _control(self._book, "layers", facts, ("--warn=none", "--models=2"))
        found: list[list[list[clingo.Symbol]]] = []
        with control.solve(yield_=True) as handle:
            for model in handle:
                parts: list[list[clingo.Symbol]] = [[] for _ in states]
                for atom in model.symbols(shown=True):
                    parts[atom.arguments[0].number].append(atom)
                found.append(parts)
        if len(found) != 1:
            raise RulesError(f"a layer has {'no' if not found else 'several'} stable models; it must have one")
        return [check_bounds(gather(part, self.fluents)) for part in found[0]]


@dataclass(frozen=True)
class GroundProgram:
    """The ground program of graph mode, in plain values.

    ``rules`` maps an atom to the bodies that derive it: literals, and for a weighted body its bound and weights.
    ``names`` gives the terms of atoms that were asked for, ``fluents`` those of fluents assigned from outside.
    """

    rules: dict[int, list[tuple[tuple[int, ...], int, tuple[int, ...]]]]
    names: dict[int, Term]
    fluents: dict[int, Term]


class _Recorder(clingo.Observer):
    def __init__(self) -> None:
        self.rules: dict[int, list[tuple[tuple[int, ...], int, tuple[int, ...]]]] = {}

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        for atom in head:
            self.rules.setdefault(atom, []).append((tuple(body), 0, ()))

    def weight_rule(
        self, choice: bool, head: Sequence[int], lower_bound: int, body: Sequence[tuple[int, int]]
    ) -> None:
        for atom in head:
            body_literals = tuple(literal for literal, _ in body)
            self.rules.setdefault(atom, []).append((body_literals, lower_bound, tuple(weight for _, weight in body)))


def ground_program(book: Rulebook, wanted: Iterable[tuple[str, int]]) -> GroundProgram:
    """Ground a board with every fluent that can arise left open. ``wanted``: predicates, by name and arity.

    Raises RulesError.
    """
    recorder = _Recorder()
    rules = GraphRules(book).observed(recorder, explain=True)
    atoms, fluents = rules.atoms(wanted)
    return GroundProgram(recorder.rules, atoms, fluents)


@dataclass(frozen=True)
class TraceOrder:
    """One stable model in trace mode: the decisions taken, one a step, and the fluents of the final state."""

    decisions: tuple[Term, ...]
    outcome: frozenset[Term]


def solve_trace(book: Rulebook, horizon: int) -> list[TraceOrder]:
    """Every legal order, as a stable model each.

    Raises BoundReached when the horizon or another bound was too small, RulesError when the rules are at fault.
    """
    bounded = book.with_constants(horizon=horizon)
    # Looking for equal atoms (--eq) costs more on long orders than all the rest, and finds nothing that helps.
    control = _control(bounded, "trace", (), ("--warn=none", "--models=0", "--eq=0"))
    orders: list[TraceOrder] = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            steps: dict[int, Term] = {}
            outcome: list[Term] = []
            for atom in model.symbols(shown=True):
                if atom.name == "do":
                    steps[atom.arguments[0].number] = _term(atom.arguments[1])
                elif atom.name == "outcome":
                    outcome.append(_term(atom.arguments[0]))
                elif atom.name == "too_short":
                    raise BoundReached("horizon")
                elif atom.name == "overflow":
                    what = _term(atom.arguments[1])
                    if what.name in _BOUNDS:
                        raise BoundReached(_BOUNDS[what.name])
                    raise RulesError(f"must not be: {what}")
            orders.append(TraceOrder(tuple(steps[time] for time in sorted(steps)), frozenset(outcome)))
    return orders


def unrolled(book: Rulebook, horizon: int) -> str:
    """The whole program of trace mode as one text for plain clingo: one stable model for each legal order."""
    bounded = book.with_constants(horizon=horizon)
    set_here = dict(bounded.constants)
    parts = ["% One stable model for each legal order: run with `clingo FILE 0`.\n"]
    for file in (*book.files, book.modes / "trace.lp"):
        lines = []
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("#const "):
                name = line.removeprefix("#const ").split("=")[0].strip()
                line = f"#const {name} = {set_here[name]}." if name in set_here else line
            lines.append(line)
        parts.append("\n".join(lines) + "\n")
    parts.append(book.library)
    parts.append("\n".join(f"{fact}." for fact in book.facts) + "\n")
    return "\n".join(parts)


def complaints(files: Iterable[Path]) -> list[str]:
    """What clingo has to say while it reads and grounds these files: warnings, remarks and errors."""
    messages: list[str] = []
    control = clingo.Control([], logger=lambda code, text: messages.append(text.strip()), message_limit=1000)
    try:
        for file in files:
            control.load(str(file))
        control.ground([("base", [])])
    except RuntimeError as error:
        messages.append(str(error))
    return messages
