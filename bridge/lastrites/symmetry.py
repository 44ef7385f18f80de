"""Interchangeable cards: permutations of cards that the rules and the start of a board do not notice.

A permutation of cards is carried over to fluents and decisions by putting one name for the other. It is *used* only if
it is *checked* to be an automorphism: it maps the start to itself, and whatever the ground program says about a
decision it says, with the names exchanged, about the image of the decision. For the check every atom gets the number
of its *shape*: how it is built up, rule by rule, from fluents. Two atoms of the same shape are the same function of the
state; atoms that nothing shown depends on do not matter.

States that such permutations carry into each other are explored once. ``docs/reductions.md`` says why that is exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial

from lastrites.components import components
from lastrites.local import GroundRule, LocalRules
from lastrites.terms import Term

_NAME = re.compile(r'"(?:[^"\\]|\\.)*"')
_NUMBER = re.compile(r"(?<![\w\"#-])\d+(?![\w\"])")
_FALSE = 0
"""The shape of an atom that no rule derives."""

Swap = Mapping[str, str]
"""A permutation of names of cards (quoted, as they stand in terms): each with the one that takes its place."""


@dataclass(frozen=True)
class Alike:
    """A class of cards that may be exchanged at will, each with those attached to it.

    ``fluents`` has a row for each member: the fluents that speak of it, in the same order for all members.
    ``members`` gives the quoted names: the n-th name of one member stands for the n-th name of another.
    """

    members: tuple[tuple[str, ...], ...]
    fluents: tuple[tuple[str, ...], ...]

    @property
    def permutations(self) -> int:
        """In how many ways the members can be exchanged."""
        return factorial(len(self.members))


class _Shapes:
    """Numbers of shapes, under the names as they are and under exchanged names."""

    def __init__(self, rules: Mapping[int, list[GroundRule]], bits: Mapping[int, int], roots: Iterable[int]) -> None:
        self._rules = rules
        self._bits = bits
        self._known: dict[object, int] = {"false": _FALSE}
        self._order: list[int] = []
        self._circular: set[int] = set()
        self.cone: dict[int, int] = {}
        self.base: dict[int, int] = {}

        def below(atom: int) -> list[int]:
            if atom in bits:
                return []
            return [abs(literal) for literals, _, _ in rules.get(atom, ()) for literal in literals]

        for component in components(roots, below):
            circular = len(component) > 1 or component[0] in below(component[0])
            inside = set(component)
            mask = 0
            for atom in component:
                mask |= bits.get(atom, 0)
                for other in below(atom):
                    if other not in inside:
                        mask |= self.cone[other]
            for atom in component:
                self.cone[atom] = mask
                if circular:
                    self._circular.add(atom)
                    self.base[atom] = self._number(("circular", atom))
                elif atom in bits:
                    self.base[atom] = self._number(("fluent", bits[atom]))
                else:
                    self._order.append(atom)
                    self.base[atom] = self._shape(atom, self.base)

    def _number(self, what: object) -> int:
        return self._known.setdefault(what, len(self._known))

    def _shape(self, atom: int, shapes: Mapping[int, int]) -> int:
        plain: set[tuple[int, ...]] = set()
        weighted: set[tuple[int, tuple[tuple[int, int], ...]]] = set()
        for literals, bound, weights in self._rules.get(atom, ()):
            signed = [shapes[literal] if literal > 0 else ~shapes[-literal] for literal in literals]
            if weights:
                weighted.add((bound, tuple(sorted(zip(signed, weights, strict=True)))))
            else:
                plain.add(tuple(sorted(set(signed))))
        if not plain and not weighted:
            return _FALSE
        if len(plain) == 1 and not weighted:
            (body,) = plain
            if len(body) == 1 and body[0] >= 0:
                return body[0]
        return self._number((frozenset(plain), frozenset(weighted)))

    def exchanged(self, images: Mapping[int, int], moved: int) -> dict[int, int] | None:
        """The shapes of the atoms that depend on a moved fluent, with each fluent replaced by its image.

        ``images`` maps bits to bits. None if such an atom lies on a cycle, which is not looked into.
        """
        shapes = _Layered(self.base)
        cone = self.cone
        if any(cone[atom] & moved for atom in self._circular):
            return None
        for atom, bit in self._bits.items():
            if bit in images and atom in cone:
                shapes[atom] = self._number(("fluent", images[bit]))
        for atom in self._order:
            if cone[atom] & moved:
                shapes[atom] = self._shape(atom, shapes)
        return shapes


class _Layered(dict[int, int]):
    def __init__(self, base: Mapping[int, int]) -> None:
        super().__init__()
        self._base = base

    def __missing__(self, atom: int) -> int:
        return self._base[atom]


class Symmetries:
    """Finds the classes of interchangeable cards of a board."""

    def __init__(self, rules: LocalRules, facts: Iterable[Term]) -> None:
        self._rules = rules
        self._fluents = rules.fluents.texts()
        self._bit = {text: 1 << number for number, text in enumerate(self._fluents)}
        self._facts = [str(fact) for fact in facts]
        self._facts += [f"init({text})" for number, text in enumerate(self._fluents) if rules.initial >> number & 1]
        self._shown: dict[tuple[str, ...], int] = {}
        for symbol, literal in rules.shown():
            self._shown[(symbol.name, *(str(argument) for argument in symbol.arguments[1:]))] = literal

    @cached_property
    def _shapes(self) -> _Shapes:
        return _Shapes(self._rules.ground.rules, self._rules.bits, self._shown.values())

    def classes(self) -> list[Alike]:
        """Classes that have been checked and do not get into each other's way."""
        found: list[Alike] = []
        taken: set[str] = set()
        used: set[str] = set()
        for group in sorted(self._candidates(), key=lambda group: (-len(group), group)):
            left = [card for card in group if card not in taken]
            while len(left) > 1:
                alike = self._class(left)
                left = [card for card in left[1:] if alike is None or all(card not in row for row in alike.members)]
                if alike is None:
                    continue
                fluents = {text for row in alike.fluents for text in row}
                if not fluents & used:
                    used |= fluents
                    taken.update(card for row in alike.members for card in row)
                    found.append(alike)
        return found

    # ---- candidates

    def _candidates(self) -> list[list[str]]:
        """Cards that facts do not tell apart at first sight, numbers left aside. Nothing hangs on this being right."""
        cards = sorted({match.group() for text in self._facts for match in _CARD.finditer(text)} - self._listed())
        known = set(cards)
        about: dict[str, list[str]] = {card: [] for card in cards}
        for text in self._facts:
            for name in {name for name in _NAME.findall(text) if name in known}:
                about[name].append(text)
        colours = dict.fromkeys(cards, 0)
        for _ in range(3):
            signs = {card: self._sign(card, about[card], colours) for card in cards}
            numbers = {sign: number for number, sign in enumerate(sorted(set(signs.values())))}
            colours = {card: numbers[signs[card]] for card in cards}
        groups: dict[int, list[str]] = {}
        for card in cards:
            groups.setdefault(colours[card], []).append(card)
        self._colours = colours
        return [group for group in groups.values() if len(group) > 1]

    def _listed(self) -> set[str]:
        """Cards that the board names in a pile: their order there tells them apart."""
        return {name for text in self._facts if text.startswith("listed(") for name in _NAME.findall(text)}

    @staticmethod
    def _sign(card: str, facts: Iterable[str], colours: Mapping[str, int]) -> tuple[str, ...]:
        """What facts say about a card, without numbers, other cards by their colours."""

        def told(match: re.Match[str]) -> str:
            name = match.group()
            return "@" if name == card else f"'{colours[name]}'" if name in colours else name

        return tuple(sorted(_NUMBER.sub("n", _NAME.sub(told, text)) for text in facts))

    def _swap(self, one: str, other: str) -> Swap:
        """Exchange two cards, and with them what is attached to them."""
        swap = {one: other, other: one}
        todo = [(one, other)]
        for left, right in todo:
            for mine, theirs in zip(self._tied(left, swap), self._tied(right, swap), strict=False):
                if mine != theirs and mine not in swap and theirs not in swap:
                    swap[mine], swap[theirs] = theirs, mine
                    todo.append((mine, theirs))
        return swap

    def _tied(self, card: str, swap: Swap) -> list[str]:
        found: set[str] = set()
        for text in self._facts:
            if text.startswith("init(") and card in text:
                found.update(name for name in _NAME.findall(text) if name in self._colours and name not in swap)
        return sorted(found, key=lambda name: (self._colours[name], name))

    # ---- checking

    def _class(self, cards: Sequence[str]) -> Alike | None:
        """The first of the cards with all those that may be exchanged with it."""
        first = cards[0]
        whole = self._whole_class(cards) if len(cards) > 3 else None
        if whole is not None:
            return whole
        names: tuple[str, ...] | None = None
        rows: list[tuple[str, ...]] = []
        members: list[tuple[str, ...]] = []
        for other in cards[1:]:
            swap = self._swap(first, other)
            mine = _side(swap)
            if names is not None and mine != names:
                continue
            images = self._check(swap)
            if images is None:
                continue
            theirs = tuple(swap[name] for name in mine)
            row = tuple(text for text in self._fluents if text in images and _speaks_of(text, mine))
            if any(_speaks_of(text, theirs) for text in row) or 2 * len(row) != len(images):
                continue
            if names is None:
                names = mine
                members.append(mine)
                rows.append(row)
            elif row != rows[0]:
                continue
            if {name for member in members for name in member} & set(theirs):
                continue
            members.append(theirs)
            rows.append(tuple(images[text] for text in row))
        if len(members) < 2:
            return None
        # A fluent that speaks of two members belongs to neither: such cards are not kept in rows.
        every = [text for row in rows for text in row]
        return Alike(tuple(members), tuple(rows)) if len(set(every)) == len(every) else None

    def _whole_class(self, cards: Sequence[str]) -> Alike | None:
        """All of the cards, if the exchange of two and the round of all are automorphisms: these generate the rest."""
        swaps = [self._swap(cards[0], other) for other in cards[1:]]
        mine = _side(swaps[0])
        members = [mine, *(tuple(swap[name] for name in mine if name in swap) for swap in swaps)]
        names = [name for member in members for name in member]
        if any(_side(swap) != mine for swap in swaps) or len(set(names)) < len(names):
            return None
        following = [*members[1:], members[0]]
        turn = {n: m for one, other in zip(members, following, strict=True) for n, m in zip(one, other, strict=True)}
        images = self._check(turn)
        if images is None or self._check(swaps[0]) is None:
            return None
        rows = [tuple(text for text in self._fluents if text in images and _speaks_of(text, mine))]
        for _ in members[1:]:
            rows.append(tuple(images[text] for text in rows[-1]))
        every = [text for row in rows for text in row]
        if len(set(every)) < len(every) or len(every) != len(images):
            return None
        return Alike(tuple(members), tuple(rows))

    def _check(self, swap: Swap) -> dict[str, str] | None:
        """Where a permutation moves each fluent; None unless it is an automorphism of the board."""
        images = self._images(swap)
        if images is None:
            return None
        bits = {self._bit[text]: self._bit[image] for text, image in images.items()}
        start = self._rules.initial
        if any(bool(start & bit) != bool(start & image) for bit, image in bits.items()):
            return None
        moved = sum(bits)
        shapes = self._shapes.exchanged(bits, moved)
        if shapes is None:
            return None
        base, cone = self._shapes.base, self._shapes.cone
        for key, literal in self._shown.items():
            image = (key[0], *(images.get(text) or exchanged(text, swap) for text in key[1:]))
            if image == key and not cone[literal] & moved:
                continue
            other = self._shown.get(image)
            if other is None or base[other] != shapes[literal]:
                return None
        return images

    def _images(self, swap: Swap) -> dict[str, str] | None:
        """The fluents that a permutation moves, each with its image; None if that is not one to one.

        A number that belongs to a card alone, like its rank in a line, goes with it.
        """
        families: dict[str, list[str]] = {}
        for text in self._fluents:
            if any(name in text for name in swap):
                families.setdefault(_NUMBER.sub("n", text), []).append(text)
        images: dict[str, str] = {}
        for family, texts in families.items():
            for text in texts:
                image = exchanged(text, swap)
                if image not in self._bit:
                    there = families.get(exchanged(family, swap), [])
                    if len(there) != 1 or len(texts) != 1:
                        return None
                    (image,) = there
                if image != text:
                    images[text] = image
        return images if set(images.values()) == images.keys() else None


_CARD = re.compile(r'(?<=^card\()"(?:[^"\\]|\\.)*"(?=\)$)')


def exchanged(text: str, swap: Swap) -> str:
    """A term as a text, with one name for the other."""
    return _NAME.sub(lambda match: swap.get(match.group(), match.group()), text)


def _speaks_of(text: str, names: Iterable[str]) -> bool:
    return any(name in text for name in names)


def _side(swap: Swap) -> tuple[str, ...]:
    """The names on the first side of an exchange: the card that it was made for, and those that go with it."""
    found: list[str] = []
    for name in swap:
        if swap[name] not in found:
            found.append(name)
    return tuple(found)
