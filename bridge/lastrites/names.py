"""Names of cards: how they are compared, and the index of the printed ones."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

_FOLD = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "Æ": "ae", "æ": "ae"})
_HEADER = re.compile(r"^% @card\(([^)\s]+)\)[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_BLOCK_END = re.compile(r"^% @\w+\(", re.MULTILINE)


def fold(name: str) -> str:
    """The form in which names are compared: without case, curly quotation marks and ligatures."""
    return " ".join(unicodedata.normalize("NFC", name).translate(_FOLD).casefold().split())


def slug(name: str) -> str:
    """A name as an id: lower case letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", fold(name).replace("'", "")).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "card"


def nearest(text: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The names of ``known`` that are most like ``text``, the best first."""
    import difflib

    by_fold: dict[str, str] = {}
    for name in known:
        by_fold.setdefault(fold(name), name)
    wanted = fold(text)
    close = difflib.get_close_matches(wanted, by_fold, count, 0.6)
    if not close and len(wanted) >= 4:
        close = sorted((name for name in by_fold if name.startswith(wanted)), key=len)[:count]
    return [by_fold[name] for name in close]


class Printed(NamedTuple):
    """A card of the library: its id, its name as it is displayed, and the file and lines of its block."""

    id: str
    name: str
    file: Path
    start: int
    end: int


class CardIndex:
    """The cards of a game, by id and by name, read from the headers ``% @card(id) Title`` of its card files.

    Where several cards have one title, the plain name is the one with the shortest id; another one whose id
    goes on from there has that rest in brackets after its name.
    """

    def __init__(self, cards: Iterable[Printed] = ()) -> None:
        self.by_id: dict[str, Printed] = {}
        self.by_name: dict[str, str] = {}
        ordered = sorted(cards, key=lambda card: (len(card.id), card.id))
        for card in ordered:
            first = self.by_id.get(self.by_name.get(fold(card.name), ""))
            if first is not None and first.id != card.id:
                rest = card.id.removeprefix(first.id + "-")
                words = " ".join(word.capitalize() for word in rest.split("-"))
                name = f"{card.name} ({words})" if rest != card.id else card.id
                card = card._replace(name=name)
            self.by_id[card.id] = card
            self.by_name.setdefault(fold(card.name), card.id)
        self.by_id_text = {fold(id): id for id in self.by_id}
        self.by_short: dict[str, str] = {}
        shorts: dict[str, list[str]] = {}
        for card in self.by_id.values():
            head, comma, _ = card.name.partition(",")
            if comma:
                shorts.setdefault(fold(head), []).append(card.id)
        for short, ids in shorts.items():
            if len(ids) == 1 and short not in self.by_name:
                self.by_short[short] = ids[0]

    @classmethod
    def read(cls, files: Sequence[Path]) -> CardIndex:
        """Index the card blocks of these files, without evaluating any rule."""
        found: list[Printed] = []
        for file in files:
            text = file.read_text(encoding="utf-8")
            ends = [match.start() for match in _BLOCK_END.finditer(text)] + [len(text)]
            for match in _HEADER.finditer(text):
                end = next(place for place in ends if place > match.start())
                found.append(Printed(match[1], match[2] or match[1], file, match.start(), end))
        return cls(found)

    def find(self, name: str) -> str | None:
        """The id of the card so called: full name, id, or the part before the comma where it is unique."""
        folded = fold(name)
        if folded in self.by_name:
            return self.by_name[folded]
        return self.by_id_text.get(folded) or self.by_short.get(folded)

    def names(self) -> list[str]:
        """The displayed names of all cards."""
        return [card.name for card in self.by_id.values()]

    def blocks(self, ids: Iterable[str]) -> str:
        """The text of the blocks of these cards, in the order of the ids; unknown ids are left out."""
        texts: dict[Path, str] = {}
        parts = []
        for id in sorted(set(ids)):
            card = self.by_id.get(id)
            if card is not None:
                if card.file not in texts:
                    texts[card.file] = card.file.read_text(encoding="utf-8")
                parts.append(texts[card.file][card.start : card.end].rstrip() + "\n")
        return "\n".join(parts)
