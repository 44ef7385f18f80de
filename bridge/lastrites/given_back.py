"""A state of a board, also one in the middle, as a board file that goes on from there.

A state at rest can be written as a whole: zones, numbers, what waits on a Chain, how many of the events have begun.
What a state has besides, such as an ability of which half the instructions are carried out, no file can say. It is
found by reading the file back and comparing fluents, and told; nothing is left out in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastrites.board import Board
from lastrites.editions import Reading, choose_reading
from lastrites.errors import BoardError
from lastrites.resolution import rulebook
from lastrites.solver import query
from lastrites.state import StateWriter
from lastrites.terms import Term, Value, fn, order
from lastrites.yamlio import dump, parse

if TYPE_CHECKING:
    from lastrites.shape import Shape

Layout = dict[str, Any]

_ANSWERED, _CHOSEN, _OFFERED = "answered", "chosen", "offered"
_STACK = "frame"


@dataclass(frozen=True)
class GivenBack:
    """A state as a board file: its text, and what the state has that the file does not say (in words)."""

    text: str
    left_out: tuple[str, ...]

    def commented(self) -> str:
        """The text, with what it does not say in comments."""
        return "".join(f"# Not written: {what}\n" for what in self.left_out) + self.text


class GivesBack:
    """Writes states of one board, read by ``reading``, as board files. Make it once for a board.

    Where something is still to be done the events of the board stay in the file, with the number of those that have
    begun, so that what they say of later steps (a cost, a choice, what is offered) still holds.
    """

    def __init__(self, board: Board, reading: Reading) -> None:
        self.board, self.reading, self.shape = board, reading, board.rules.shape
        self._writer = StateWriter(board)
        self._offers = _offers(board)

    def file(self, fluents: Iterable[Term], over: bool = False) -> GivenBack:
        """The state with these fluents as a board file; ``over``: nothing is left to do in it.

        Raises BoardError if that cannot be read back.
        """
        known = frozenset(fluents)
        layout = self.layout(known, over)
        lost: list[str] = []
        happens = {"event", "offer"} & {fact.name for fact in self.board.facts}
        if happens and not self.board.text and not over:
            lost = ["the events of a board of facts, and what it offers"]
        try:
            again = self._read(layout)
        except BoardError:
            # A card that is in the middle of something lies nowhere, and the events may be about it.
            texts = {key.text for key in self.shape.of_form("board", "event", "offers")}
            if not texts & set(layout):
                raise
            lost = ["the events, which are about cards that lie nowhere now"]
            layout = {key: value for key, value in layout.items() if key not in texts}
            again = self._read(layout)
        return GivenBack(dump(layout), (*lost, *self._left_out(known, again, over)))

    def _read(self, layout: Layout) -> Board:
        file = self.board.path.removesuffix(".lp") or "board.yaml"
        return Board.from_text(dump(layout), file, rules=self.board.rules.rules)

    # ---- the file

    def layout(self, fluents: frozenset[Term], over: bool) -> Layout:
        """The state as the nested values of a board file."""
        state = self._writer.state(fluents)
        written = self._as_written()
        players = {player: state.pop(player) for player in self.board.players}
        head = self._head(written, fluents)
        begun = _begun(fluents)
        for key in self.shape.of_form("board", "lasting"):
            lasting = [entry for card, entry in self.board.written.items() if _lasts(card, fluents)]
            head.pop(key.text, None)
            state.pop(key.text, None)
            if lasting:
                head[key.text] = lasting
        for player, zones in players.items():
            zones.update(self._printed(written, player))
        found: Layout = {**head, "players": players, **state}
        if over:
            return found
        for key in self.shape.keys("board"):
            form = key.form.name
            if form == "event" and key.text in written:
                found[key.text] = _less_answers(written[key.text], fluents, self._answers())
            elif form == "offers" and key.text in written:
                offers = self._still_offered(written[key.text], fluents)
                if offers:
                    found[key.text] = offers
            elif form == "holders":
                players_named = sorted(str(fluent.args[0]) for fluent in fluents if fluent.name == key.constant())
                if players_named:
                    found[key.text] = players_named
            elif form == "progress" and begun:
                found[key.text] = begun
        return found

    def _as_written(self) -> Layout:
        from lastrites.layouts import plain

        if self.board.text:
            layout: Layout = plain(parse(self.board.text, self.board.path))
            return layout
        active = next((str(fact.args[0]) for fact in self.board.facts if fact.name == "active"), "")
        return {"game": self.board.game, "active": active}

    def _head(self, written: Layout, fluents: frozenset[Term]) -> Layout:
        """The keys of the board's file that say nothing of the state and nothing of what happens."""
        left_out = {"players", "places", "event", "expect", "offers", "note", "source", "entries", "pairs", "holder"}
        left_out |= {"holders", "readings", "progress"}
        forms = {key.text: key.form for key in self.shape.keys("board")}
        head = {key: value for key, value in written.items() if key in forms and forms[key].name not in left_out}
        texts = {form.name: text for text, form in forms.items()}
        if self.reading.edition != self.board.edition and "edition" in head:
            head[texts["edition"]] = self.reading.edition
        answers = {**self.reading.explicit, **_answers(fluents)}
        if answers:
            head[texts["readings"]] = dict(sorted(answers.items()))
        return head

    def _answers(self) -> set[str]:
        return {key.text for key in self.shape.of_form("event", "choose")}

    def _printed(self, written: Layout, player: str) -> Layout:
        """What the file says of a player that is no part of a state: cards that need not lie on the board."""
        keys = {key.text for key in self.shape.of_form("player", "printed")}
        (players,) = self.shape.of_form("board", "players")
        zones = written.get(players.text, {}).get(player) or {}
        return {key: value for key, value in zones.items() if key in keys}

    def _still_offered(self, offers: Any, fluents: frozenset[Term]) -> Layout:
        left = {fluent.args[0] for fluent in fluents if fluent.name == _OFFERED}
        number, found = 0, {}
        for player, items in offers.items():
            kept = []
            for item in items:
                number += 1
                if number in left:
                    kept.append(item)
            if kept:
                found[player] = kept
        return found

    # ---- what it does not say

    def _left_out(self, fluents: frozenset[Term], again: Board, over: bool) -> Iterable[str]:
        reading = choose_reading(again, {}, None if again.edition else self.reading.edition, (), ())
        terms = query(rulebook(again, reading), ["init"])["init"]
        read = frozenset(term.args[0] for term in terms if isinstance(term.args[0], Term))
        skipped = self.shape.found_again
        if over:
            skipped |= {_OFFERED, _STACK, *(key.constant() for key in self.shape.of_form("board", "holders"))}
        was, now = (_comparable(part, of, self.shape) for part, of in ((fluents, self._offers), (read, _offers(again))))
        told: dict[str, None] = {}
        for fluent in sorted({*was - now, *now - was}, key=order):
            if fluent.name in skipped:
                continue
            told[self._words(fluent)] = None
        for fact in sorted(self._unsaid(again), key=order):
            told[f"{fact.name.replace('_', ' ')} ({', '.join(map(str, fact.args))})"] = None
        for switched, clauses in (("without", self.reading.without), ("against", self.reading.against)):
            if clauses:
                told[f"{switched} {', '.join(clauses)}"] = None
        return told

    def _unsaid(self, again: Board) -> set[Term]:
        """What the board says for all of its states, and the file does not."""
        names = {"setting", *(key.constant() for key in self.shape.of_form("player", "printed"))}
        progress = {fn(key.constant()) for key in self.shape.of_form("board", "progress")}
        was, now = (
            {fact for fact in board.facts if fact.name in names and fact.args[0] not in progress}
            for board in (self.board, again)
        )
        return was - now

    def _words(self, fluent: Term) -> str:
        inner = fluent.args[1] if fluent.name == _STACK else fluent
        name = inner.name if isinstance(inner, Term) else fluent.name
        if fluent.name == "num" and isinstance(fluent.args[0], Term):
            name = fluent.args[0].name
        if fluent.name == "is" and isinstance(fluent.args[-1], Term):
            return f"{fluent.args[0]}: {self._writer.mark(fluent.args[-1])}"
        text = self.shape.left_out.get(name)
        return text or f"{name.replace('_', ' ')} ({', '.join(_cards(fluent)) or fluent})"


def _offers(board: Board) -> dict[int, tuple[Value, ...]]:
    """What each offer is, by number: whose, what, and its details."""
    found: dict[int, tuple[Value, ...]] = {}
    for fact in board.facts:
        if fact.name == "offer":
            found[int(str(fact.args[1]))] = (fact.args[0], fact.args[2])
        elif fact.name == "offer_detail":
            found[int(str(fact.args[0]))] += fact.args[1:]
    return found


def _cards(value: Value) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for arg in value.args for text in _cards(arg)] if isinstance(value, Term) else []


def _answers(fluents: Iterable[Term]) -> dict[str, str]:
    return {str(fluent.args[0]): str(fluent.args[1]) for fluent in fluents if fluent.name == _ANSWERED}


def _begun(fluents: Iterable[Term]) -> int:
    """How many events have begun: the bottommost frame says which comes next."""
    for fluent in fluents:
        match fluent:
            case Term("frame", (1, Term("script", (int(number),)))):
                return number - 1
    return 0


def _lasts(card: str, fluents: Iterable[Term]) -> bool:
    return any(
        fluent.name == "lasting" and isinstance(fluent.args[0], Term) and fluent.args[0].args[0] == card
        for fluent in fluents
    )


def _less_answers(events: Any, fluents: Iterable[Term], keys: set[str]) -> Any:
    """The events without the answers that have been used."""
    used: dict[int, int] = {}
    for fluent in fluents:
        match fluent:
            case Term("num", (Term("chosen", (int(event),)), int(number))):
                used[event] = number
    listed = events if isinstance(events, list) else [events]
    found = []
    for place, event in enumerate(listed, 1):
        kept = dict(event)
        for key in keys & set(kept):
            if isinstance(kept[key], list):
                kept[key] = kept[key][used.get(place, 0) :]
                if not kept[key]:
                    del kept[key]
        found.append(kept)
    return found if isinstance(events, list) else found[0]


def _comparable(fluents: Iterable[Term], offers: Mapping[int, Any], shape: Shape) -> set[Term]:
    """Fluents in which only what makes a difference differs: ranks are dense, offers are told by what they offer."""
    fluents = list(fluents)
    waiting = {key.constant(3) for key in shape.of_form("board", "entries")}
    ranks = sorted({fluent.args[0] for fluent in fluents if fluent.name in waiting}, key=order)
    zones = {fluent.args[0]: fluent.args[1:] for fluent in fluents if fluent.name == "zone"}
    ordered = {key.constant() for key in shape.of_form("card", "claims")}
    claims: dict[tuple[str, Value], list[tuple[int, tuple[Value, ...]]]] = {}
    found: set[Term] = set()
    places: dict[Value, list[tuple[int, Value]]] = {}
    offered: Counter[Any] = Counter()
    for fluent in fluents:
        name, args = fluent.name, fluent.args
        if name == "place" and isinstance(args[1], int):
            places.setdefault(fn("in", *zones.get(args[0], ())), []).append((args[1], args[0]))
        elif name in waiting:
            found.add(fn(name, ranks.index(args[0]) + 1, *args[1:]))
        elif name in ordered:
            claims.setdefault((name, args[0]), []).append((int(str(args[-1])), args[1:-1]))
        elif name == _OFFERED and args[0] in offers:
            offer = offers[int(str(args[0]))]
            offered[offer] += 1
            found.add(fn(_OFFERED, *offer, offered[offer]))
        elif name != _ANSWERED and not (name == "num" and isinstance(args[0], Term) and args[0].name == _CHOSEN):
            found.add(fluent)
    for (name, card), claimed in claims.items():
        found |= {fn(name, card, *claim, number) for number, (_, claim) in enumerate(sorted(claimed, key=str), 1)}
    for zone, cards in places.items():
        found |= {fn("place", zone, number, card) for number, (_, card) in enumerate(sorted(cards, key=str), 1)}
    return found
