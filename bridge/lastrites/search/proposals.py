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
from lastrites.game import Game, load_game, search_files
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
class Pool:
    """Boards of a search: kinds of cards and events that go together.

    ``cards`` is the most cards on a board, ``points`` the greatest sum of the numbers on it (damage, wards, ...),
    ``copies`` how many cards of a kind a player may have, ``sides`` the players who have cards (none named: all).
    """

    name: str
    kinds: tuple[str, ...]
    events: tuple[str, ...]
    cards: int = 3
    points: int = 1
    copies: int = 2
    sides: tuple[str, ...] = ()


@dataclass(frozen=True)
class Invented:
    """A card that the library lacks: its name, its definition as a board file writes it, its library facts."""

    name: str
    definition: str
    facts: tuple[Term, ...]


@dataclass(frozen=True)
class Offer:
    """What a game offers to a search: pools of cards that stand for all others, events with their texts, and cards
    invented for searches, by id."""

    pools: tuple[Pool, ...]
    events: Mapping[str, str]
    invented: Mapping[str, Invented]

    def title(self, game: Game, id: str) -> str:
        """The name of a card of the library or of an invented one."""
        return self.invented[id].name if id in self.invented else game.cards.by_id[id].name


def offer(game: Game) -> Offer:
    """What stands in a game's ``search`` folder. Raises BoardError (LR-E041) where the game has none."""
    return _offer(game.name, game.rules)


@lru_cache(maxsize=8)
def _offer(name: str, rules: Path) -> Offer:
    file = rules / name / "search" / "offer.lp"
    if not file.is_file():
        message = "the rules do not say what boards a search may use"
        hint = "a folder `search` with offer.lp and boards.lp says so"
        raise BoardError([Problem("LR-E041", str(file), 0, 0, message, hint)])
    game = load_game(name, rules)
    rows: dict[str, list[tuple[Value, ...]]] = {}
    for fact in read_facts([file]):
        rows.setdefault(fact.name, []).append(fact.args)
    invented = _inventions(game, {str(name): str(text) for name, text in rows.get("invented", ())}, str(file))

    def of(name: str, pool: Value) -> tuple[str, ...]:
        return tuple(sorted(str(what) for where, what in rows.get(name, ()) if where == pool))

    problems = list(_faults(rows, game, invented, str(file)))
    if problems:
        raise BoardError(problems)
    copies = {pool: int(str(number)) for pool, number in rows.get("pool_copies", ())}
    pools = [
        Pool(
            str(pool), of("pool_card", pool), of("pool_event", pool), int(str(cards)), int(str(points)),
            copies.get(pool, 2), of("pool_side", pool),
        )
        for _, pool, cards, points in sorted(rows.get("pool_size", ()), key=lambda row: int(str(row[0])))
    ]  # fmt: skip
    if not pools:
        raise BoardError([Problem("LR-E041", str(file), 0, 0, "it names no pool to search", "pool_size/4 names one")])
    return Offer(tuple(pools), {str(event): str(text) for event, text in rows.get("happening", ())}, invented)


def _faults(
    rows: Mapping[str, Sequence[tuple[Value, ...]]], game: Game, invented: Mapping[str, Invented], file: str
) -> Iterator[Problem]:
    """What is wrong with the pools: numbers that are none, cards and events that are not there."""
    from lastrites.editions import unknown

    numbers = [(row, (row[0], *row[2:])) for row in rows.get("pool_size", ())]
    numbers += [(row, row[1:]) for row in rows.get("pool_copies", ())]
    for row, wanted in numbers:
        if not all(isinstance(number, int) for number in wanted):
            said = ", ".join(map(str, row))
            yield Problem("LR-E041", file, 0, 0, f"the size of a pool is told in whole numbers, not by `{said}`")
    events = {str(row[0]) for row in rows.get("happening", ())}
    known = {"pool_card": ("card", {*game.cards.by_id, *invented}), "pool_event": ("event", events)}
    for name, (what, names) in known.items():
        for wrong in sorted({str(row[1]) for row in rows.get(name, ())} - names):
            told = unknown(file, what, wrong, names, known=f"pools name {what}s that are there")
            yield told._replace(code="LR-E041")


def _inventions(game: Game, written: Mapping[str, str], path: str) -> dict[str, Invented]:
    from lastrites.reading import BoardReader
    from lastrites.yamlio import Mapping as MappingNode
    from lastrites.yamlio import parse, quote

    if not written:
        return {}
    reader = BoardReader(game, path)
    root = parse("".join(f"{quote(name)}: {text}\n" for name, text in sorted(written.items())), path)
    assert isinstance(root, MappingNode)
    reader.define(root, reader.notes)
    found = {}
    for id, definition in reader.definitions.items():
        name = definition.name.text
        found[id] = Invented(name, written[name], tuple(reader.facts_of_definition(id)))
    reader.notes.done()
    return found


class Proposer:
    """All boards with a number of cards, each once, from the smallest up.

    ``most`` is the greatest sum of the numbers on a board; ``copies`` and ``sides`` as in a pool.
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
        sides: Sequence[str] = (),
    ) -> None:
        pool = list(pool)
        facts = [fn("candidate", id) for id in pool] + [fn("wanted", fn(event)) for event in events]
        facts += [fn("sided")] * bool(sides) + [fn("side", player) for player in sides]
        invented = offer(game).invented
        facts += [fact for id in pool if id in invented for fact in invented[id].facts]
        files = search_files(game.rules, game.name)
        constants = {"cards": cards, "most": most, "copies": copies}
        self._found = Enumeration(files, game.card_blocks(pool), facts, constants)
        self._game, self._cards = game, cards

    def sizes(self) -> list[int]:
        """The numbers of abilities that the boards may have, the smallest first."""
        atoms = self._found.terms("abilities", 1)
        return sorted(number for atom in atoms for number in atom.args if isinstance(number, int))

    def boards(self, abilities: int) -> Iterator[Proposal]:
        """The boards with so many abilities."""
        for atoms in self._found.models([fn("abilities", abilities)]):
            yield self._proposal(atoms, abilities)

    def _proposal(self, atoms: Sequence[Term], abilities: int) -> Proposal:
        rows: dict[str, list[tuple[Value, ...]]] = {}
        for atom in atoms:
            rows.setdefault(atom.name, []).append(atom.args)
        event = str(rows["happens"][0][0])
        kinds = tuple(sorted(str(_kind(card)) for card, _ in rows["lies"]))
        points = sum(int(str(points)) for (points,) in rows["amounts"])
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
        offered = offer(self.game)
        titles = {card: offered.title(self.game, str(_kind(card))) for card in self.lies}
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
        defined = offer(self.game).invented
        own = sorted({str(_kind(card)) for card in self.lies} & defined.keys())
        lines = [f"  {quote(defined[id].name)}: {defined[id].definition}\n" for id in own]
        return f"{dump(root)}{'cards:' * bool(lines)}{chr(10) * bool(lines)}{''.join(lines)}event: {event}\n"

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
