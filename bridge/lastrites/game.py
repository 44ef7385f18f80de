"""A game: a folder of rules, with its shape, its words and the index of its cards."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lastrites.errors import BoardError, Problem
from lastrites.names import CardIndex, nearest
from lastrites.shape import Shape
from lastrites.terms import Term
from lastrites.words import Words

_NAME = re.compile(r"[a-z0-9-]+")
_DATA = ("shape.lp", "words.lp")
APART = ("import.lp", "boards.lp", "rests.lp", "numbers.lp")
"""Files beside the rules of a game that no board reads."""

_WHEN = re.compile(r"^% @when\(([^)]*)\)", re.MULTILINE)


@dataclass(frozen=True)
class Game:
    """The rules of a game.

    ``rules`` is the folder that holds ``core`` and the game's own folder; ``files`` are the rules that every
    board of the game needs (neither modes, nor cards, nor the facts that describe boards and words).
    """

    name: str
    rules: Path
    files: tuple[Path, ...]
    shape: Shape
    words: Words
    cards: CardIndex
    when: tuple[frozenset[str], ...] = ()

    def files_for(self, names: frozenset[str]) -> tuple[Path, ...]:
        """The rule files that a board with these names (of predicates, functions, constants) needs.

        A file with a line ``% @when(name;...)`` derives nothing unless one of its names occurs.
        """
        if not self.when:
            return self.files
        pairs = zip(self.files, self.when, strict=True)
        return tuple(file for file, wanted in pairs if not wanted or wanted & names)

    def card_blocks(self, ids: Iterable[str]) -> str:
        """ASP text of the blocks of these cards; ids that the library lacks are left out."""
        return self.cards.blocks(ids)

    def card_facts(self, ids: Iterable[str]) -> list[Term]:
        """The library facts of these cards, to put their abilities into words."""
        from lastrites.solver import read_facts

        return read_facts([], self.card_blocks(ids))

    def modes(self) -> Path:
        """The folder of the mode files."""
        return self.rules / "core" / "modes"


def search_files(rules: Path, game: str) -> list[Path]:
    """The program whose stable models are boards of a game; nothing where the game offers none to searches."""
    own = sorted((rules / game / "search").glob("*.lp"))
    return [*sorted((rules / "core" / "search").glob("*.lp")), *own] if own else []


@lru_cache(maxsize=1)
def rules_folder() -> Path:
    """The rules that come with this installation: of the checkout if it is one, else of the wheel.

    Raises BoardError when there are none.
    """
    checkout = Path(__file__).resolve().parents[2] / "rules"
    if (checkout / "core").is_dir():
        return checkout
    from importlib import resources

    packaged = resources.files("lastrites") / "rules"
    folder = Path(str(packaged))
    if (folder / "core").is_dir():
        return folder
    raise BoardError([Problem("LR-E017", "", 0, 0, "no rules are installed", "give a folder with --rules DIR")])


def known_games(rules: Path | None = None) -> list[str]:
    """Names of the games that a folder of rules holds (default: those installed)."""
    folder = rules if rules is not None else rules_folder()
    if not folder.is_dir():
        raise BoardError([Problem("LR-E017", str(folder), 0, 0, "there is no such folder of rules")])
    return sorted(
        entry.name
        for entry in folder.iterdir()
        if entry.name != "core" and _NAME.fullmatch(entry.name) and (entry / "shape.lp").is_file()
    )


def load_game(name: str, rules: Path | None = None, *, file: str = "", line: int = 0, column: int = 0) -> Game:
    """The game called ``name``, one of those that the folder of rules holds.

    ``file``, ``line`` and ``column`` say where the name was written, for the message. Raises BoardError with
    code LR-E017 when there is no such game or its facts cannot be read.
    """
    folder = rules if rules is not None else rules_folder()
    there = name != "core" and _NAME.fullmatch(name) and (folder / name / "shape.lp").is_file()
    if not there:
        known = known_games(folder)
        close = nearest(name, known, 1)
        hint = f"known games: {', '.join(known) or 'none'}"
        if close:
            hint = f"did you mean {close[0]}? {hint}"
        raise BoardError([Problem("LR-E017", file, line, column, f"unknown game `{name}`", hint)])
    return _load(name, folder.resolve())


@lru_cache(maxsize=8)
def _load(name: str, folder: Path) -> Game:
    from lastrites.solver import RulesError, read_facts

    own, core = folder / name, folder / "core"
    data = [place / part for place in (core, own) for part in _DATA if (place / part).is_file()]
    try:
        facts = read_facts(data)
    except RulesError as error:
        raise BoardError(
            [Problem("LR-E017", str(own), 0, 0, f"the shape or words of `{name}` cannot be read: {error}")]
        ) from None
    files = [file for place in (core, own) for file in sorted(place.glob("*.lp")) if file.name not in (*_DATA, *APART)]
    when = tuple(
        frozenset(match[1].split(";")) if (match := _WHEN.search(file.read_text(encoding="utf-8"))) else frozenset()
        for file in files
    )
    return Game(
        name,
        folder,
        tuple(files),
        Shape.from_facts(facts),
        Words.from_facts(facts),
        CardIndex.read(sorted((own / "cards").glob("*.lp"))),
        when,
    )
