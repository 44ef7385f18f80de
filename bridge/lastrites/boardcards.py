"""The cards of one board: which name means which of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from lastrites.names import CardIndex, fold, nearest

_MAX_SUGGESTIONS = 50
_MAX_TOLD = 4
_COPY = re.compile(r"(?s)(.*\S)\s*#([0-9]+)")


def split_copy(text: str) -> tuple[str, int | None]:
    """``Name#2`` as name and number; the number is None where none is written."""
    match = _COPY.fullmatch(text.strip())
    return (match[1], int(match[2])) if match and len(match[2]) <= 3 else (text, None)


@dataclass
class BoardCards:
    """Names of cards as this board uses them.

    ``titles`` holds the displayed names of cards defined on the board by id, ``prints`` the printed id of
    every card of the board (by the name that outcomes print), ``ids`` the names given with ``id:``. ``lies`` says
    where the file puts a card, in its words.
    """

    index: CardIndex
    titles: dict[str, str] = field(default_factory=dict)
    prints: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    lies: dict[str, str] = field(default_factory=dict)
    _defined: dict[str, str] = field(default_factory=dict)
    _of: dict[str, list[str]] = field(default_factory=dict)
    _suggestions: int = 0

    def define(self, id: str, name: str) -> None:
        """Make a card of the board's own known; it hides a library card of that name."""
        self.titles[id] = name
        self._defined[fold(name)] = id

    def copy(self) -> BoardCards:
        """The same cards and names, to which others can be added."""
        of = {printed: list(cards) for printed, cards in self._of.items()}
        return replace(self, prints=dict(self.prints), _of=of)

    def add(self, card: str, printed: str) -> None:
        """Put a card on the board: the name that outcomes print, and the id of the printed card."""
        self.prints[card] = printed
        self._of.setdefault(printed, []).append(card)

    def printed(self, name: str) -> str | None:
        """Id of the printed card that ``name`` (without copy number) means, or None."""
        folded = fold(name)
        if folded in self._defined:
            return self._defined[folded]
        return folded if folded in self.titles else self.index.find(name)

    def title(self, id: str) -> str:
        """The displayed name of a printed card."""
        if id in self.titles:
            return self.titles[id]
        card = self.index.by_id.get(id)
        return card.name if card else id

    def card_and_copy(self, text: str) -> tuple[str | None, int | None]:
        """Printed id and copy number that ``text`` names; a printed name may itself hold a ``#``."""
        id = self.printed(text)
        if id is not None:
            return id, None
        name, copy = split_copy(text)
        return (self.printed(name), copy) if copy is not None else (None, None)

    def find(self, text: str) -> list[str]:
        """All cards on the board that ``text`` (an id, a name, ``Name#k``) fits, as outcomes print them."""
        if text in self.ids:
            return [self.ids[text]]
        id, copy = self.card_and_copy(text)
        fitting = self._of.get(id or "", [])
        if copy is None:
            return list(fitting)
        wanted = fold(f"{self.title(id or '')}#{copy}")
        exact = [card for card in fitting if fold(card) == wanted]
        return exact or (fitting if copy == 1 and len(fitting) == 1 and "#" not in fitting[0] else [])

    def choice(self, fitting: Sequence[str]) -> str:
        """A hint that tells cards of one name apart: how to write each, and where it lies."""
        told = [f'"{card}"{f" ({self.lies[card]})" if card in self.lies else ""}' for card in fitting[:_MAX_TOLD]]
        return "write " + " or ".join([*told, *(["another"] if len(fitting) > _MAX_TOLD else [])])

    def suggest(self, text: str, here: bool = False) -> str:
        """A hint with the names most like ``text``: of the cards of the board only if ``here``."""
        self._suggestions += 1
        if self._suggestions > _MAX_SUGGESTIONS:  # looking for near names is slow, and nobody reads so many
            return ""
        known: Iterable[str] = [*self.prints, *self.ids]
        if not here:
            known = [*self.titles.values(), *self.index.names()]
        close = nearest(text, known)
        if close:
            return "did you mean " + " or ".join(close) + "?"
        if here and self.prints and len(self.prints) <= 20:
            return "on this board: " + ", ".join(self.prints)
        return ""
