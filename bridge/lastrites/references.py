"""Who and what the texts of a board file refer to: players, places, cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lastrites.boardcards import BoardCards
from lastrites.notes import Notes
from lastrites.words import WordError
from lastrites.yamlio import Mapping, Node, Scalar

_LONGEST_JOIN = 4
"""A printed name has at most this many parts between commas."""


@dataclass
class References:
    """The players in turn order, the named places and the cards of the board that is being read."""

    notes: Notes
    cards: BoardCards
    players: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)

    def player(self, node: Node) -> str:
        """The player whom a node names. Raises WordError (LR-E024)."""
        if isinstance(node, Scalar) and node.text in self.players:
            return node.text
        shown = f"`{node.text}` is no player of this board" if isinstance(node, Scalar) else "a player is expected here"
        raise WordError("LR-E024", node, shown, "players: " + ", ".join(self.players))

    def player_or_place(self, node: Node) -> str:
        """The player or the place that a node names. Raises WordError (LR-E024)."""
        if isinstance(node, Scalar) and node.text in self.places:
            return node.text
        if not isinstance(node, Scalar) or node.text in self.players:
            return self.player(node)
        places = ", ".join(self._places_of(level) for level in self._levels()) or "the board names no places"
        hint = f"players: {', '.join(self.players)}; {places}"
        raise WordError("LR-E024", node, f"`{node.text}` is neither a player nor a place of this board", hint)

    def _levels(self) -> list[str]:
        return list(dict.fromkeys(self.places.values()))

    def places_hint(self, *words: str) -> str:
        """The ``words`` that mean a place and the named places of the board, as a hint; empty where there is none."""
        known = [", ".join(words)] * bool(words) + [self._places_of(level) for level in self._levels()]
        return f"known here: {'; '.join(known)}" if known else ""

    def _places_of(self, level: str) -> str:
        return f"{level}s: {', '.join(place for place, other in self.places.items() if other == level)}"

    def one(self, node: Node) -> str:
        """The one card of the board that a node names. Raises WordError (LR-E018, LR-E019, LR-E020)."""
        if not isinstance(node, Scalar):
            hint = "" if not isinstance(node, Mapping) else "a name with a comma or colon needs quotes"
            raise WordError("LR-E014", node, "the name of a card is expected here", hint)
        fitting = self.cards.find(node.text)
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            message = f"`{node.text}` fits {len(fitting)} cards"
            raise WordError("LR-E019", node, message, self.cards.choice(fitting))
        hint = self.cards.suggest(node.text, here=True)
        if self.cards.card_and_copy(node.text)[0] is None:
            raise WordError("LR-E018", node, f"unknown card `{node.text}`", hint)
        raise WordError("LR-E020", node, f"`{node.text}` is not on this board", hint)

    def find(self, node: Scalar) -> str | None:
        """The card of the board that a phrase names, or None if it is no name at all.

        Raises WordError (LR-E019, LR-E020) where it is the name of several cards, or of one elsewhere.
        """
        known = self.cards.find(node.text) or self.cards.card_and_copy(node.text)[0]
        return self.one(node) if known else None

    def whole_names(self, items: Sequence[Node]) -> list[Node]:
        """The items of a list of cards, without neighbours that are one name with a comma; those are noted.

        ``[Ley, Earl of Hurl]`` has two items for YAML, and one for the reader who wrote it.
        """
        kept: list[Node] = []
        names = [name_of(item) for item in items]
        start = 0
        while start < len(items):
            end = self._joined(names, start)
            if end > start:
                joined = ", ".join(name.text for name in names[start : end + 1] if name is not None)
                self.notes.note(
                    "LR-E021",
                    items[start],
                    f"these are read as {end - start + 1} cards",
                    f'"{joined}" is one card: a name with a comma needs quotes',
                )
            else:
                kept.append(items[start])
            start = end + 1
        return kept

    def broken_name(self, node: Node) -> bool:
        """Whether a mapping is one name with a colon or comma, written without quotes; noted if so.

        ``- Zan: the Second`` is a mapping for YAML, and so is ``{Ley, Earl of Hurl: 2}``, with two keys.
        """
        if not isinstance(node, Mapping):
            return False
        names: list[tuple[Scalar, str]] = []
        previous = ""
        for name, value in node.entries:
            if isinstance(value, Scalar) and value.text and not value.quoted:
                names.append((name, f"{name.text}: {value.text}"))
            if previous:
                names.append((node.entries[0][0], f"{previous}, {name.text}"))
            absent = isinstance(value, Scalar) and value.absent
            previous = (f"{previous}, {name.text}" if previous else name.text) if absent else ""
        for name, joined in names:
            if self.cards.printed(joined) is not None:
                what = "a name with a comma or colon needs quotes"
                self.notes.note("LR-E021", name, "this is read as a mapping", f'"{joined}" is one card: {what}')
                return True
        return False

    def _joined(self, names: Sequence[Scalar | None], start: int) -> int:
        """Last index of the neighbours from ``start`` on that join to a known name, or ``start``."""
        parts: list[str] = []
        for end in range(start, min(start + _LONGEST_JOIN, len(names))):
            part = names[end]
            if part is None or part.quoted:
                break
            parts.append(part.text)
            if end > start and self.cards.printed(", ".join(parts)) is not None:
                return end
        return start


def name_of(node: Node) -> Scalar | None:
    """The name that an item of a list of cards begins with."""
    if isinstance(node, Scalar):
        return node
    return node.entries[0][0] if isinstance(node, Mapping) and node.entries else None
