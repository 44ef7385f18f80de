"""Boards: a game, players, cards, an event, and the facts that the rules are given."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastrites.boardcards import BoardCards
from lastrites.errors import BoardError, Problem
from lastrites.game import Game, load_game
from lastrites.terms import Term
from lastrites.yamlio import Mapping, Node, Scalar, parse, read_text

if TYPE_CHECKING:
    from lastrites.reading import Reading
    from lastrites.words import Speaker


@dataclass(frozen=True)
class Board:
    """One board as it was written.

    ``facts`` are what the rules are given. ``expect`` keeps the nodes of the file (None if there are none).
    ``places`` says where parts of the head stand: ``"edition"`` or ``"readings.cascade"`` -> line, column.
    ``cards`` finds cards of the board by the names a user may write. ``written`` keeps what
    cards have been given, and effects that last, as the file writes them. ``text`` is the
    file itself, empty for facts.
    """

    path: str
    game: str
    players: tuple[str, ...]
    facts: tuple[Term, ...]
    rules: Game
    cards: BoardCards
    title: str = ""
    source: str = ""
    edition: str | None = None
    readings: AnyMapping[str, str] = field(default_factory=dict)
    expect: Node | None = None
    warnings: tuple[str, ...] = ()
    places: AnyMapping[str, tuple[int, int]] = field(default_factory=dict)
    written: AnyMapping[str, Any] = field(default_factory=dict)
    text: str = field(default="", repr=False, compare=False)

    @classmethod
    def from_text(
        cls, text: str, path: str = "<text>", *, rules: Path | None = None, cards: Path | None = None
    ) -> Board:
        """Read a board from YAML text, or from facts if ``path`` ends in ``.lp``. Raises BoardError."""
        if path.endswith(".lp"):
            from lastrites.factfile import read_facts_board

            return read_facts_board(text, path, rules)
        return _from_yaml(text, path, rules, cards)

    def __repr__(self) -> str:
        return f"<Board {self.title or self.path!r}: {self.game}, {len(self.cards.prints)} cards>"

    def _repr_html_(self) -> str:
        from lastrites.notebook import board_html

        return board_html(self)

    def library_ids(self) -> list[str]:
        """Ids of the library cards that this board uses, each once, in order."""
        printed = {fact.args[1] for fact in self.facts if fact.name == "prints"}
        return sorted(id for id in printed if isinstance(id, str) and id in self.rules.cards.by_id)

    def whole_facts(self) -> list[Term]:
        """The facts of the board, after those of the library cards that it uses."""
        return [*self.rules.card_facts(self.library_ids()), *self.facts]

    def speaker(self) -> Speaker:
        """What puts terms into words, knowing the cards of this board."""
        return self.rules.words.speaker(self.whole_facts())

    def initial(self) -> frozenset[Term]:
        """The fluents of the start."""
        return frozenset(fact.args[0] for fact in self.facts if fact.name == "init" and isinstance(fact.args[0], Term))


def load_board(path: str | Path, *, rules: Path | None = None, cards: Path | None = None) -> Board:
    """Read a board file: YAML, or facts where the name ends in ``.lp``.

    ``rules`` is a folder of rules to use instead of the installed ones, ``cards`` a folder of files that
    define more cards. Raises BoardError with every mistake that was found.
    """
    return Board.from_text(read_text(Path(path)), str(path), rules=rules, cards=cards)


def _from_yaml(text: str, path: str, rules: Path | None, cards: Path | None) -> Board:
    from lastrites.reading import BoardReader

    root = parse(text, path)
    if not isinstance(root, Mapping):
        raise BoardError(
            [
                Problem(
                    "LR-E009",
                    path,
                    root.line,
                    root.column,
                    "a board is a mapping of keys to values",
                    "begin with `game: ...`",
                )
            ]
        )
    game = _game_of(root, path, rules)

    def reader_of(numbered: frozenset[str]) -> BoardReader:
        reader = BoardReader(game, path, numbered)
        if cards is not None:
            reader.define_files(cards)
        return reader

    reader = reader_of(frozenset())
    problems: list[Problem] = []
    try:
        read = reader.read(root)
        numbered = reader.joined_by_spares()
        if numbered:
            # What may come to be is known once all is read, and names are part of what is read.
            reader = reader_of(numbered)
            read = reader.read(root)
    except BoardError as error:
        problems += error.problems
        read = reader.out
    problems += _head_problems(game, path, read)
    if problems:
        raise BoardError(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return Board(
        path=path,
        game=game.name,
        players=tuple(read.players),
        facts=tuple(read.facts),
        rules=game,
        cards=reader.cards,
        title=read.head.get("title", ""),
        source=read.head.get("source", ""),
        edition=read.head.get("edition"),
        readings=read.readings,
        expect=read.expect,
        places=read.places,
        written=read.written,
        text=text,
    )


def _head_problems(game: Game, path: str, read: Reading) -> list[Problem]:
    """What the head of a file names that the game does not know: told with all other mistakes of the file."""
    edition = read.head.get("edition")
    given = read.readings or edition is not None
    if not given or not (game.rules / game.name / "questions.lp").is_file():
        return []
    from lastrites.editions import questions_of, unknown_answers

    return unknown_answers(questions_of(game.rules / game.name), path, read.readings, edition, read.places)


def _game_of(root: Mapping, path: str, rules: Path | None) -> Game:
    node = root.get("game")
    if node is None:
        from lastrites.game import known_games

        hint = "add `game: " + " | ".join(known_games(rules)) + "`"
        raise BoardError([Problem("LR-E013", path, root.line, root.column, "`game` is missing", hint)])
    name = node.text if isinstance(node, Scalar) else "(no text)"
    return load_game(name, rules, file=path, line=node.line, column=node.column)
