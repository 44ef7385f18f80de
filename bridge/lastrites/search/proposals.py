"""Boards proposed by clingo: each stable model of ``rules/core/search`` and a game's ``search`` folder is one.

Proposals come from the smallest up: by number of cards, then by abilities, then by numbers on the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from lastrites.errors import BoardError, Problem
from lastrites.game import Game, search_files
from lastrites.solver import Enumeration, read_facts
from lastrites.terms import Term, Value, fn


@dataclass(frozen=True)
class Proposal:
    """A board that clingo proposes.

    ``kinds`` are the library ids of its cards, one for each card, ``event`` the name of what happens, ``cards``,
    ``abilities`` and ``points`` (the sum of its numbers) its size, ``text`` its board file.
    """

    kinds: tuple[str, ...]
    event: str
    cards: int
    abilities: int
    points: int
    text: str


@dataclass(frozen=True)
class Offer:
    """What a game offers to a search: cards that stand for all others, and events with their texts."""

    stand_ins: tuple[str, ...]
    events: Mapping[str, str]


def offer(game: Game) -> Offer:
    """What stands in a game's ``search`` folder. Raises BoardError (LR-E041) where the game has none."""
    return _offer(game.rules / game.name / "search")


@lru_cache(maxsize=8)
def _offer(folder: Path) -> Offer:
    file = folder / "offer.lp"
    if not file.is_file():
        message = "the rules do not say what boards a search may use"
        hint = "a folder `search` with offer.lp and boards.lp says so"
        raise BoardError([Problem("LR-E041", str(file), 0, 0, message, hint)])
    facts = read_facts([file])
    return Offer(
        tuple(str(fact.args[0]) for fact in facts if fact.name == "stand_in"),
        {str(fact.args[0]): str(fact.args[1]) for fact in facts if fact.name == "happening"},
    )


class Proposer:
    """All boards with a number of cards, each once, from the smallest up.

    ``most`` is the greatest sum of the numbers on a board, ``copies`` how many cards of a kind a player may have,
    ``needed`` for some events the kinds of which a board must have one.
    """

    def __init__(
        self,
        game: Game,
        pool: Iterable[str],
        events: Iterable[str],
        cards: int,
        *,
        most: int = 1,
        copies: int = 2,
        needed: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        pool = list(pool)
        facts = [fn("candidate", id) for id in pool] + [fn("wanted", fn(event)) for event in events]
        for event, kinds in (needed or {}).items():
            facts.append(fn("limited", fn(event)))
            facts += [fn("needed", fn(event), id) for id in kinds]
        files = search_files(game.rules, game.name)
        constants = {"cards": cards, "most": most, "copies": copies}
        self._found = Enumeration(files, game.card_blocks(pool), facts, constants)
        self._game, self._cards = game, cards

    def sizes(self) -> list[tuple[int, int]]:
        """(number of abilities, sum of numbers) of the boards there may be, the smallest first."""
        abilities, points = (
            sorted(number for atom in self._found.terms(name, 1) for number in atom.args if isinstance(number, int))
            for name in ("abilities", "amounts")
        )
        return [(ability, point) for ability in abilities for point in points]

    def boards(self, abilities: int, points: int) -> Iterator[Proposal]:
        """The boards of one size."""
        for atoms in self._found.models([fn("abilities", abilities), fn("amounts", points)]):
            yield self._proposal(atoms, abilities, points)

    def cover(self) -> Iterator[Proposal]:
        """Boards that show between them every card in every place and state that there may be."""
        for atoms in self._found.cover(("lies", "rank", "mark", "stock", "takes")):
            yield self._proposal(atoms, 0, 0)

    def _proposal(self, atoms: Sequence[Term], abilities: int, points: int) -> Proposal:
        rows: dict[str, list[tuple[Value, ...]]] = {}
        for atom in atoms:
            rows.setdefault(atom.name, []).append(atom.args)
        event = str(rows["happens"][0][0])
        kinds = tuple(sorted(str(_kind(card)) for card, _ in rows["lies"]))
        text = _Writer(self._game, rows).text(offer(self._game).events[event])
        return Proposal(kinds, event, self._cards, abilities, points, text)


def _kind(card: Value) -> Value:
    assert isinstance(card, Term)
    return card.args[0]


class _Writer:
    """Puts the atoms of a stable model together to a board file."""

    def __init__(self, game: Game, rows: Mapping[str, list[tuple[Value, ...]]]) -> None:
        self.game, self.rows = game, rows
        self.lies = {card: where for card, where in rows["lies"] if isinstance(where, Term)}
        self.rank: dict[Value, Any] = {card: rank for card, rank, *_ in rows.get("rank", ())}
        self.marks: dict[Value, dict[str, Any]] = {}
        for card, key, value in sorted(rows.get("mark", ()), key=str):
            self.marks.setdefault(card, {})[str(key)] = _plain(value)
        self.called = self._names()

    def _names(self) -> dict[Value, tuple[str, str | None]]:
        """Name and id of each card: an id where an event needs it to tell copies apart."""
        titles = {card: self.game.cards.by_id[str(_kind(card))].name for card in self.lies}
        taken = {card for _, _, card in self.rows.get("takes", ())}
        called: dict[Value, tuple[str, str | None]] = {}
        for number, card in enumerate(sorted(self.lies, key=str), 1):
            alone = list(titles.values()).count(titles[card]) == 1
            called[card] = (titles[card], f"card{number}" if card in taken and not alone else None)
        return called

    def text(self, event: str) -> str:
        """The board file; ``event`` is the text of its event with {1}, {2} for the cards that it takes."""
        from lastrites.yamlio import dump, quote

        players = sorted({str(player) for player, _ in self.rows["plays"]})
        root: dict[str, Any] = {"game": self.game.name, **self._stock(fn("board"))}
        root["players"] = {player: self._stock(player) for player in players}
        for level, place in sorted(self.rows.get("place", ()), key=str):
            root.setdefault(str(level), {})[str(place)] = self._stock(fn("place", level, place))
        for card in sorted(self.lies, key=lambda card: (str(self.lies[card]), self.rank.get(card, 0), str(card))):
            match self.lies[card]:
                case Term("zone", (str(player), str(key))):
                    cards: list[Any] = root["players"][player].setdefault(key, [])
                    cards.append(self._card(card, player))
                case Term("placed", (str(level), str(place), str(key), str(player))):
                    cards = root[level][place].setdefault(key, {}).setdefault(player, [])
                    cards.append(self._card(card, player))
        for _, number, card in self.rows.get("takes", ()):
            title, id = self.called[card]
            event = event.replace("{" + str(number) + "}", quote(id or title))
        return f"{dump(root)}event: {event}\n"

    def _stock(self, who: Value) -> dict[str, Any]:
        rows = [*self.rows.get("given", ()), *self.rows.get("stock", ())]
        return {str(key): _plain(value) for owner, key, value in sorted(rows, key=str) if owner == who}

    def _card(self, card: Value, lies_with: str) -> Any:
        title, id = self.called[card]
        state = dict(self.marks.get(card, {}))
        owner = next(str(player) for player, mine in self.rows["owns"] if mine == card)
        if owner != lies_with:
            state.setdefault("owner", owner)
        if id is not None:
            state["id"] = id
        for other in sorted(self.lies, key=str):
            where = self.lies[other]
            if where.name == "host" and where.args[0] == card:
                state.setdefault(str(where.args[1]), []).append(self._card(other, lies_with))
        return {title: state} if state else title


def _plain(value: Value) -> Any:
    return True if value == "true" else value if isinstance(value, int | str) else str(value)
