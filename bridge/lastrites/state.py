"""From fluents back to the words of a board file, and what changed between two states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lastrites.board import Board
from lastrites.boardcards import split_copy
from lastrites.names import fold
from lastrites.shape import Key
from lastrites.terms import Term, Value, fn, order
from lastrites.waiting import EntryWriter

State: TypeAlias = dict[str, Any]
"""What stands under ``players:`` in a board file, with named places beside the players."""


@dataclass
class _Fluents:
    """A set of fluents, sorted by what they are about. What no board file could say is left out."""

    zone: dict[str, tuple[str, Value]] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)
    host: dict[str, str] = field(default_factory=dict)
    numbers: dict[Term, int] = field(default_factory=dict)
    marks: dict[str, set[Term]] = field(default_factory=dict)
    others: dict[tuple[str, str], list[Value]] = field(default_factory=dict)
    whole: dict[str, str] = field(default_factory=dict)
    pairs: dict[str, dict[Term, str]] = field(default_factory=dict)
    claims: dict[tuple[str, str], dict[int, dict[str, str]]] = field(default_factory=dict)
    lasting: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, fluents: Iterable[Term]) -> _Fluents:
        found = cls()
        for fluent in fluents:
            match fluent:
                case Term("zone", (str(card), str(player), zone)):
                    found.zone[card] = (player, zone)
                case Term("place", (str(card), int(place))):
                    found.place[card] = place
                case Term("host", (str(card), str(host))):
                    found.host[card] = host
                case Term("num", (Term() as quantity, int(number))):
                    found.numbers[quantity] = number
                case Term("is", (str(card), Term() as mark)):
                    found.marks.setdefault(card, set()).add(mark)
                case Term(name, (str(who),)):
                    found.whole[name] = who
                case Term("lasting", (Term("ab", (str(card), _)), _)):
                    found.lasting.add(card)
                case Term(name, (Term(_, ()) as word, str(value))):
                    found.pairs.setdefault(name, {})[word] = value
                case Term(name, (str(subject), str(other), str(player), int(place))):
                    found.claims.setdefault((name, subject), {})[place] = {player: other}
                case Term(name, (str(subject), value)):
                    found.others.setdefault((name, subject), []).append(value)
        return found

    def subjects(self) -> set[str]:
        """Cards, players and others of which a place, a number or a mark is told."""
        return {*self.zone, *self.host, *self.marks, *(str(q.args[0]) for q in self.numbers if q.args)}


class StateWriter:
    """Writes states of one board. Make it once for a board and use it for all its states."""

    def __init__(self, board: Board) -> None:
        self.board, self.shape, self.words = board, board.rules.shape, board.rules.words
        self.owner: dict[str, str] = {}
        self.overrides: dict[tuple[str, str], int] = {}
        self.items: dict[tuple[str, str], dict[int, Value]] = {}
        self.named_places: dict[str, list[str]] = {}
        self.cards: list[str] = []
        for fact in board.facts:
            match fact:
                case Term("card", (str(card),)):
                    self.cards.append(card)
                case Term("owner", (str(card), str(player))):
                    self.owner[card] = player
                case Term("override", (str(card), Term(key, ()), int(number))):
                    self.overrides[card, key] = number
                case Term("override_item", (str(card), Term(key, ()), int(place), value)):
                    self.items.setdefault((card, key), {})[place] = value
                case Term("init", (Term("is_place", (Term(level, ()), str(place))),)):
                    self.named_places.setdefault(level, []).append(place)
        entries = self.shape.of_form("outcome", "entries")
        self.entry_writers = {key: EntryWriter(key, self.shape, self.words, board.written) for key in entries}
        self.sizes = {key.constant(): key for key in self.shape.of_form("player", "size")}
        self.speaker = self.words.speaker()
        self.zone_texts = {zone: text for zone, (text, _) in self.shape.zones().items()}

    # ---- whole states

    def state(self, fluents: Iterable[Term]) -> State:
        """The whole state: per player every zone that is not empty and every number that is not 0."""
        fluents = list(fluents)
        found = _Fluents.of(fluents)
        lying: dict[tuple[str, Value], list[str]] = {}
        for card, (player, zone) in found.zone.items():
            lying.setdefault((player, zone), []).append(card)
        attached: dict[str, list[str]] = {}
        for card, host in found.host.items():
            attached.setdefault(host, []).append(card)
        writer = _Writer(self, found, lying, attached)
        state: State = {player: writer.player(player) for player in self.board.players}
        for key in self.shape.of_form("board", "places"):
            level = key.constant()
            if level in self.named_places:
                state[key.text] = {place: writer.place(level, place) for place in self.named_places[level]}
        for key in self.shape.of_form("outcome", "holder"):
            if key.constant() in found.whole:
                state[key.text] = found.whole[key.constant()]
        for key in self.shape.of_form("outcome", "pairs"):
            words = sorted(found.pairs.get(key.constant(0), {}).items(), key=lambda pair: order(pair[0]))
            if words:
                state[key.text] = {str(self.words.text(key.constant(1), word)): value for word, value in words}
        for key in self.shape.of_form("board", "lasting"):
            lasting = sorted(card for card in found.lasting if card in self.board.written)
            if lasting:
                state[key.text] = [self.board.written[card] for card in lasting]
        for key in self.shape.of_form("outcome", "entries"):
            items = self.entry_writers[key].entries(fluents)
            if items:
                state[key.text] = items
        return state

    # ---- changes

    def changes(self, before: Iterable[Term], after: Iterable[Term]) -> list[str]:
        """What changed, in words, in the order of the board: numbers of players first, then card by card."""
        old, new = _Fluents.of(before), _Fluents.of(after)
        lines: list[str] = []
        for player in self.board.players:
            lines += self._player_changes(player, old, new)
        others = {*old.zone, *new.zone}.difference(self.cards)
        spoken_of = old.subjects() | new.subjects()
        for card in dict.fromkeys([*self.cards, *sorted(others, key=name_order)]):
            if card in spoken_of:
                lines += self._card_changes(card, old, new)
        for key in self.shape.of_form("board", "places"):
            for place in self.named_places.get(key.constant(), ()):
                lines += self._place_changes(key.constant(), place, old, new)
        for key in self.shape.of_form("outcome", "holder"):
            if key.constant() in new.whole and key.constant() not in old.whole:
                lines.append(f"{key.text}: {new.whole[key.constant()]}")
        for key in self.shape.of_form("outcome", "pairs"):
            was, now = (part.pairs.get(key.constant(0), {}) for part in (old, new))
            for word in sorted({*was, *now}, key=order):
                if was.get(word) != now.get(word):
                    text = self.words.text(key.constant(1), word)
                    lines.append(f"{text}: {was.get(word, 'none')} -> {now.get(word, 'none')}")
        return lines

    def _place_changes(self, level: str, place: str, old: _Fluents, new: _Fluents) -> list[str]:
        lines = []
        for key in self.shape.of_form(level, "holder", "holders"):
            was, now = (
                ", ".join(sorted(str(who) for who in fluents.others.get((key.constant(), place), ()))) or "none"
                for fluents in (old, new)
            )
            if was != now:
                lines.append(f"{place}: {key.text} {was} -> {now}")
        return lines

    def _player_changes(self, player: str, old: _Fluents, new: _Fluents) -> list[str]:
        lines = []
        for key in self.shape.of_form("player", "number", "size"):
            if key.form.name == "number":
                quantity = fn(key.constant(), player)
                was, now = old.numbers.get(quantity, 0), new.numbers.get(quantity, 0)
            else:
                quantity = fn("anonymous", player, fn(key.constant()))
                if old.numbers.get(quantity, 0) == new.numbers.get(quantity, 0):
                    continue
                was, now = (self._size(player, key, fluents) for fluents in (old, new))
            if was != now:
                lines.append(f"{player}: {key.text} {was} -> {now}")
        for key in self.shape.of_form("player", "flag"):
            was_set, is_set = (key.form.args[0] in part.marks.get(player, ()) for part in (old, new))
            if was_set != is_set:
                lines.append(f"{player}: {'' if is_set else 'no longer '}{key.text}")
        words = {key.constant(): key for key in self.shape.of_form("player", "numbers")}
        quantities = {quantity for quantity in {*old.numbers, *new.numbers} if quantity.name in words}
        for quantity in sorted((q for q in quantities if q.args[0] == player), key=order):
            was, now = old.numbers.get(quantity, 0), new.numbers.get(quantity, 0)
            if was != now:
                key = words[quantity.name]
                word = self.words.text(key.constant(1), quantity.args[1])
                lines.append(f"{player}: {word} {key.text} {was} -> {now}")
        return lines

    def _size(self, player: str, key: Key, fluents: _Fluents) -> int:
        zone = fn(key.constant())
        named = sum(1 for place in fluents.zone.values() if place == (player, zone))
        return named + fluents.numbers.get(fn("anonymous", player, zone), 0)

    def _card_changes(self, card: str, old: _Fluents, new: _Fluents) -> list[str]:
        lines = []
        before, after = old.zone.get(card), new.zone.get(card)
        changed_hands = before is not None and after is not None and before[0] != after[0]
        was, now = (self._whereabouts(card, fluents, changed_hands) for fluents in (old, new))
        moved = was != now
        if moved:
            lines.append(f"{card}: {was} -> {now}")
        numbers = dict.fromkeys([*old.numbers, *new.numbers])
        for quantity in sorted((q for q in numbers if q.args[:1] == (card,)), key=order):
            first, last = old.numbers.get(quantity, 0), new.numbers.get(quantity, 0)
            if first != last and not (moved and last == 0):
                lines.append(f"{card}: {self._label(quantity)} {first} -> {last}")
        gone, come = old.marks.get(card, set()), new.marks.get(card, set())
        lines += [f"{card}: {self.mark(mark)}" for mark in sorted(come - gone, key=order)]
        if not moved:
            lines += [f"{card}: no longer {self.mark(mark)}" for mark in sorted(gone - come, key=order)]
        return lines

    def _whereabouts(self, card: str, fluents: _Fluents, with_player: bool) -> str:
        """Where a card is, in words; ``with_player`` says whose zone it is."""
        if card not in fluents.zone:
            return "nowhere"
        player, zone = fluents.zone[card]
        if card in fluents.host and isinstance(zone, Term):
            return self.speaker.render(Term(zone.name, (fluents.host[card],)))
        constant = zone.name if isinstance(zone, Term) else ""
        text = self.zone_texts.get(constant) or self.speaker.render(zone)
        return f"{player}'s {text}" if with_player else text

    def _label(self, quantity: Term) -> str:
        for key in self.shape.of_form("card", "number", "numbers", "numbers_by_player"):
            if key.constant() == quantity.name:
                if len(quantity.args) == 1:
                    return key.text
                if key.form.name == "numbers":
                    return f"{self.words.text(key.constant(1), quantity.args[1])} {key.text}"
                return f"{key.text} by {quantity.args[1]}"
        return quantity.name.replace("_", " ")

    def mark(self, mark: Term) -> str:
        """A mark that a card has, in words."""
        for key in self.shape.of_form("card", "flag"):
            if key.form.args[0] == mark:
                return key.text
        return self.speaker.render(mark)


def name_order(card: str) -> tuple[object, ...]:
    """Sort key for names of cards: by name, then by number of the copy."""
    name, copy = split_copy(card)
    return (fold(name), copy or 0, card)


@dataclass
class _Writer:
    """One state being written."""

    owner: StateWriter
    found: _Fluents
    lying: dict[tuple[str, Value], list[str]]
    attached: dict[str, list[str]]

    def player(self, player: str) -> dict[str, Any]:
        written: dict[str, Any] = {}
        for key in self.owner.shape.keys("player"):
            form = key.form.name
            if form == "number":
                number = self.found.numbers.get(fn(key.constant(), player), 0)
                if number:
                    written[key.text] = number
            elif form == "numbers":
                numbers = self.numbers(player, key)
                if numbers:
                    written[key.text] = numbers
            elif form == "flag":
                if key.form.args[0] in self.found.marks.get(player, ()):
                    written[key.text] = True
            elif form == "size":
                zone = fn(key.constant())
                unnamed = self.found.numbers.get(fn("anonymous", player, zone), 0)
                if unnamed:
                    written[key.text] = unnamed + len(self.lying.get((player, zone), ()))
            elif form == "zone":
                cards = self.zone(player, fn(key.constant(0)), key.constant(1))
                if cards:
                    written[key.text] = cards
        return written

    def place(self, level: str, place: str) -> dict[str, Any]:
        written: dict[str, Any] = {}
        for key in self.owner.shape.keys(level):
            form, functor = key.form.name, key.constant()
            value: Any = None
            if form == "number":
                value = self.found.numbers.get(fn(functor, place), 0)
            elif form == "holder":
                value = next(iter(self.found.others.get((functor, place), ())), None)
            elif form == "holders":
                value = sorted(str(player) for player in self.found.others.get((functor, place), ()))
            elif form == "card":
                value = next(iter(self.zone(place, fn(functor), "set")), None)
            elif form in ("cards", "one_each"):
                zone = fn("at", fn(functor), place)
                ordered = key.constant(1) if form == "cards" else "set"
                by_player = {name: self.zone(name, zone, ordered) for name in self.owner.board.players}
                value = {name: cards for name, cards in by_player.items() if cards}
                if form == "one_each":
                    value = {name: cards[0] for name, cards in value.items()}
            if value:
                written[key.text] = value
        return written

    def zone(self, player: str, zone: Term, ordered: str) -> list[Any]:
        cards = self.lying.get((player, zone), [])
        cards = sorted((card for card in cards if card not in self.found.host), key=name_order)
        if ordered != "set" and (ordered != "pile" or all(card in self.found.place for card in cards)):
            cards.sort(key=lambda card: self.found.place.get(card, 0))
        return [self.card(card, player) for card in cards]

    def card(self, card: str, player: str) -> Any:
        """A card with its state, lying with ``player``."""
        owner, state = self.owner, {}
        for key in owner.shape.keys("card"):
            value = self.card_value(card, key, player)
            if value is not None:
                state[key.text] = value
        return {card: state} if state else card

    def card_value(self, card: str, key: Key, player: str) -> Any:
        form = key.form.name
        if form == "owner":
            owner = self.owner.owner.get(card, player)
            return owner if owner != player else None
        if form == "flag":
            return True if key.form.args[0] in self.found.marks.get(card, ()) else None
        if form == "state":
            texts = self.owner.words.terms.get(key.constant(), {}).items()
            marks = self.found.marks.get(card, ())
            return next((text for text, term in texts if term in marks), None)
        if form in ("override", "overrides"):
            return self.override(card, key)
        if form == "holder":
            return next(iter(self.found.others.get((key.constant(), card), ())), None)
        if form == "claims":
            claims = self.found.claims.get((key.constant(), card), {})
            return [claims[place] for place in sorted(claims)] or None
        if form == "granted":
            given = self.found.others.get((key.constant(), card))
            return self.owner.board.written.get(card) if given else None
        if form == "attached":
            zone = fn(key.constant())
            cards = [other for other in self.attached.get(card, ()) if self.found.zone.get(other, ("", ""))[1] == zone]
            return [self.card(other, player) for other in sorted(cards, key=name_order)] or None
        if form == "number":
            return self.found.numbers.get(fn(key.constant(), card)) or None
        if form in ("numbers", "numbers_by_player"):
            return self.numbers(card, key)
        return None

    def override(self, card: str, key: Key) -> Any:
        name = key.constant()
        number = self.owner.overrides.get((card, name))
        if key.form.name == "override" or number is None:
            return number
        items = self.owner.items.get((card, name), {})
        return [self.owner.words.text(key.constant(1), items[place]) for place in sorted(items)]

    def numbers(self, card: str, key: Key) -> Any:
        functor = key.constant()
        whole = self.found.numbers.get(fn(functor, card))
        if whole and key.form.name == "numbers_by_player":
            return whole
        found: dict[Any, int] = {}
        for quantity in sorted((q for q in self.found.numbers if q.name == functor and len(q.args) == 2), key=order):
            if quantity.args[0] == card:
                about = quantity.args[1]
                text = about if isinstance(about, str) else self.owner.words.text(key.constant(1), about)
                found[text] = self.found.numbers[quantity]
        return found or None


def state(board: Board, fluents: Iterable[Term]) -> State:
    """The whole state that these fluents describe, in the shape of ``players:`` in a board file."""
    return StateWriter(board).state(fluents)


def changes(board: Board, before: Iterable[Term], after: Iterable[Term]) -> list[str]:
    """What changed between two states of a board, in words."""
    return StateWriter(board).changes(before, after)


__all__: Sequence[str] = ["State", "StateWriter", "changes", "name_order", "state"]
