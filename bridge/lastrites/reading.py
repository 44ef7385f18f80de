"""From the nodes of a board file to facts, by the shape of the game."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lastrites.boardcards import BoardCards, split_copy
from lastrites.cardfiles import BEGINNING, files_of_cards, read_cards
from lastrites.definitions import DefinitionReader
from lastrites.errors import Problem
from lastrites.events import EventReader
from lastrites.game import Game
from lastrites.lasting import lasting_as_written, read_granted, read_lasting
from lastrites.names import slug
from lastrites.notes import Notes
from lastrites.references import References, name_of
from lastrites.shape import Key
from lastrites.spares import spare_cards
from lastrites.terms import Term, Value, fn
from lastrites.words import WordError, number, only_entry, truth
from lastrites.yamlio import List, Mapping, Node, Scalar

_ID = re.compile(r"[A-Za-z0-9_-]{1,60}")
_LONGEST_NAME = 60
_NOWHERE = fn("nowhere")
"""Stands for the zone of a card of which a board says only that something of it waits."""


@dataclass
class _Card:
    """A card as the file writes it: where it lies, and its state, to be read when all cards are known."""

    name: Scalar
    printed: str
    copy: int | None
    player: str
    zone: Value
    place: int
    ordered: str
    state: Node | None
    host: _Card | None = None
    called: str = ""
    owner: str = ""
    attached: list[_Card] = field(default_factory=list)


@dataclass(frozen=True)
class _Definition:
    """A card that a file defines, and the notes of that file."""

    name: Scalar
    node: Node
    notes: Notes


@dataclass
class Reading:
    """What was read: texts of the head, players in turn order, facts, and the nodes that are kept."""

    players: list[str]
    head: dict[str, str] = field(default_factory=dict)
    readings: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    facts: list[Term] = field(default_factory=list)
    expect: Node | None = None
    written: dict[str, Any] = field(default_factory=dict)


class BoardReader:
    """Reads one board of a game. ``read`` gives everything or raises BoardError with every mistake.

    ``numbered`` are printed cards whose copies are written ``Name#k`` also where the board has only one.
    """

    def __init__(self, game: Game, file: str, numbered: frozenset[str] = frozenset()) -> None:
        self.game, self.shape, self.words = game, game.shape, game.words
        self.notes = Notes(game.shape, file)
        self.cards = BoardCards(game.cards)
        self.to = References(self.notes, self.cards)
        self.found: list[_Card] = []
        self.out = Reading(self.to.players)
        self.definitions: dict[str, _Definition] = {}
        self.offered = 0
        self.numbered = numbered

    # ---- the whole file

    def read(self, root: Mapping) -> Reading:
        """Read the file whose top mapping is ``root``."""
        entries = self.notes.entries("board", root, required=("game", "players", "active"))
        forms = {key.form.name: value for key, value in entries}
        if "cards" in forms:
            self.define(forms["cards"], self.notes)
        players = self.read_players(entries)
        places = self.read_places(entries)
        self.read_sources(entries)
        self.name_copies()
        self.check_ids()
        initial = self.card_facts()
        for key, value in entries:
            with self.notes.collecting():
                self.top(key, value)
        kept = {key.constant() for key in self.shape.of_form("player", "printed")}
        used = {card.printed for card in self.found} | {str(fact.args[1]) for fact in players if fact.name in kept}
        for id, definition in self.definitions.items():
            if id in used or definition.notes is self.notes:
                reader = DefinitionReader(self.words, definition.notes, self.to.find)
                self.out.facts += reader.read(id, definition.name, definition.node)
                if definition.notes is not self.notes:
                    definition.notes.done()
        self.out.facts += [*players, *places, *initial]
        for key, node in entries:
            if key.form.name == "lasting":
                active = forms.get("active")
                self.out.facts += read_lasting(key.constant(), node, active, self.notes, self.words, self.to)
                written = lasting_as_written(node)
                self.out.written |= written
                for name, item in zip(written, node.items if isinstance(node, List) else (), strict=True):
                    self.out.places[f"card.{name}"] = (item.line, item.column)
        if "event" in forms:
            events = EventReader(self.notes, self.words, self.to)
            self.out.facts += events.read(forms["event"], forms.get("active"))
            self.out.places.update(events.places)
        self.out.facts += spare_cards(self.game, self.cards, self.to.players, self.out.facts)
        self.notes.done()
        return self.out

    def top(self, key: Key, node: Node) -> None:
        form, out = key.form.name, self.out
        if form in ("game", "title", "source", "edition"):
            text = self.notes.scalar(node, "text")
            if text is not None:
                out.head[form] = text
                out.places[form] = (node.line, node.column)
        elif form == "readings":
            if not isinstance(node, Mapping):
                raise WordError("LR-E014", node, "a mapping is expected here", "write {question: answer}")
            for question, answer in node.entries:
                text = self.notes.scalar(answer, "an answer")
                if text is not None:
                    out.readings[question.text] = text
                    out.places[f"readings.{question.text}"] = (question.line, question.column)
        elif form == "active" and self.to.players:
            out.facts.append(fn("active", self.to.player(node)))
        elif form == "setting":
            out.facts.append(fn("setting", fn(key.constant(0)), self.words.value(key.constant(1), node)))
        elif form in ("setting_number", "progress"):
            out.facts.append(fn("setting", fn(key.constant(0)), number(node)))
            out.places[f"entry.{key.constant(0)}"] = (node.line, node.column)
        elif form == "pairs":
            out.facts += self.pairs(key, node)
        elif form == "entries":
            out.facts += self.entries(key, node)
        elif form == "holder":
            out.facts.append(_init(key.constant(), self.to.player_or_place(node)))
        elif form == "holders":
            named: set[str] = set()
            for item in self.notes.items(node, "players"):
                player = self.to.player(item)
                if player in named:
                    raise WordError("LR-E024", item, f"`{player}` stands here twice", "name each player once")
                named.add(player)
                out.facts.append(_init(key.constant(), player))
        elif form == "offers":
            out.facts += self.offers(node)
        elif form == "expect":
            out.expect = node
        elif form == "unsupported":
            self.notes.note(
                "LR-E027",
                node,
                f"`{key.text}` is not supported yet by the rules of {self.game.name}",
                "leave it out",
            )

    def pairs(self, key: Key, node: Node) -> list[Term]:
        """``{word: player or place}``, each a fluent of its own."""
        if not isinstance(node, Mapping):
            raise WordError("LR-E014", node, "a mapping is expected here", f"write {key.text}: {{word: name}}")
        facts: list[Term] = []
        for name, value in node.entries:
            with self.notes.collecting():
                word = self.words.value(key.constant(1), name)
                what = self.to.player_or_place(value)
                facts.append(_init(key.constant(0), word, what))
                self.out.places[f"entry.{fn(key.constant(0), word)}"] = (name.line, name.column)
        return facts

    def read_sources(self, entries: list[tuple[Key, Node]]) -> None:
        """Cards that lie nowhere but among the entries of a list of items: the rules say where they are."""
        for key, node in entries:
            if key.form.name != "entries" or not isinstance(node, List):
                continue
            forms = {inner.text: inner.form.name for inner in self.shape.keys(key.constant(1))}
            for item in node.items:
                inside = item.entries if isinstance(item, Mapping) else ()
                parts = [(forms.get(name.text), value) for name, value in inside]
                players = {form: value.text for form, value in parts if isinstance(value, Scalar)}
                for form, value in parts:
                    player = players.get("whose" if form == "card" and "whose" in players else "player")
                    if form not in ("source", "card") or player not in self.to.players or not isinstance(value, Scalar):
                        continue
                    printed, copy = self.cards.card_and_copy(value.text)
                    copies = [card.copy for card in self.found if card.printed == printed]
                    if printed is not None and _another(copy, copies):
                        self.read_card(value, player, _NOWHERE, 1, "set")

    def entries(self, key: Key, node: Node) -> list[Term]:
        """A list of items, each with the keys of a level: name(N,What,X) for each of them."""
        facts: list[Term] = []
        functor, level = key.constant(0), key.constant(1)
        for place, item in enumerate(self.notes.items(node, "items"), 1):
            self.out.places[f"entry.{fn(functor, place)}"] = (item.line, item.column)
            for inner, value in self.notes.entries(level, item, required=("source", "player"), at=item):
                with self.notes.collecting():
                    if inner.form.name == "granted":
                        giver, given = self.granted_to_source(level, item, value)
                        facts += [*given, fn(functor, place, fn(inner.constant()), giver)]
                        continue
                    for name, what in self.part_of_entry(inner, value):
                        facts.append(fn(functor, place, name, what))
        return facts

    def granted_to_source(self, level: str, item: Node, node: Node) -> tuple[str, list[Term]]:
        """The abilities that the card of an item had been given. Raises WordError."""
        from lastrites.lasting import given_to
        from lastrites.layouts import plain

        (key,) = self.shape.of_form(level, "source")
        name = item.get(key.text) if isinstance(item, Mapping) else None
        card = self.to.one(name if name is not None else node)
        self.out.written[card] = plain(node)
        return given_to(card, node, self.notes, self.words, self.to)

    def part_of_entry(self, key: Key, node: Node) -> list[tuple[Term, Value]]:
        form, name = key.form.name, fn(key.constant())
        if form == "source":
            return [(name, self.to.one(node))]
        if form in ("player", "whose"):
            return [(name, self.to.player(node))]
        if form == "number":
            return [(name, number(node))]
        if form == "flag":
            return [(name, fn("true"))] if truth(node) else []
        if form == "card":
            return [(name, self.to.one(node))]
        if form == "word":
            return [(name, self.words.value(key.constant(1), node))]
        if form == "cards":
            items = list(enumerate(self.notes.items(node, "cards"), 1))
            gone = {place for place, item in items if isinstance(item, Scalar) and item.text == "none"}
            return [
                (fn(name.name, place), fn("none") if place in gone else self.to.one(item)) for place, item in items
            ]
        return [(name, self.place(node))]

    def place(self, node: Node) -> Value:
        """A place of the board, a word for one, or ``{word: player}``. Raises WordError (LR-E016, LR-E024)."""
        if isinstance(node, Scalar) and node.text in self.to.places:
            return node.text
        name, player = only_entry(node, "{place: player}") if isinstance(node, Mapping) else (node, None)
        word = self.words.word("place", name.text) if isinstance(name, Scalar) else None
        if word is None:
            hint = self.to.places_hint(*self.words.known("place"))
            raise WordError("LR-E016", name, "this is no place of the board", hint)
        return word if player is None else fn(word.name, self.to.player(player))

    def offers(self, node: Node) -> list[Term]:
        """What players may do of their own accord: ``{player: [verb Card, ...]}``; verbs are keys of ``offer``."""
        if not isinstance(node, Mapping):
            raise WordError("LR-E014", node, "a mapping is expected here", "write {player: [verb Card, ...]}")
        facts: list[Term] = []
        for name, items in node.entries:
            with self.notes.collecting():
                player = self.to.player(name)
                for item in self.notes.items(items, "offers"):
                    verb, card, details = self.parts_of_offer(item)
                    number = self.offered = self.offered + 1
                    facts.append(fn("offer", player, number, fn(verb, card)))
                    facts += [fn("offer_detail", number, fn(detail), value) for detail, value in details]
                    self.out.places[f"offer.{fn('offer', number)}"] = (item.line, item.column)
        return facts

    def parts_of_offer(self, item: Node) -> tuple[str, str, list[tuple[str, int]]]:
        """Verb, card and details of ``verb Card``, or of ``{verb: Card, detail: number}``. Raises WordError."""
        known = {key.text: key for key in self.shape.of_form("offer", "card")}
        more = {key.text: key for key in self.shape.of_form("offer", "detail")}
        written: list[tuple[str, Node]] = []
        if isinstance(item, Scalar):
            verb, _, card = item.text.strip().partition(" ")
            written = [(verb, Scalar(card.strip(), item.line, item.column))]
        elif isinstance(item, Mapping):
            written = [(name.text, value) for name, value in item.entries]
        verbs = [(known[name].constant(), value) for name, value in written if name in known]
        if len(verbs) != 1 or any(name not in known and name not in more for name, _ in written):
            ways = [*(f"`{text} Card`" for text in known), *(f"`{{verb: Card, {text}: n}}`" for text in more)]
            raise WordError("LR-E014", item, "this is no offer", "write " + " or ".join(ways))
        details = [(more[name].constant(), number(value)) for name, value in written if name in more]
        return verbs[0][0], self.to.one(verbs[0][1]), details

    # ---- cards of one's own

    def define(self, node: Node, notes: Notes) -> None:
        """Make the cards under ``cards:`` known; their abilities are read when the board is known."""
        if not isinstance(node, Mapping):
            notes.note("LR-E014", node, "a mapping is expected here", "write the name of each card as a key")
            return
        for name, definition in node.entries:
            if not name.text.strip():
                notes.note("LR-E018", name, "a card without a name")
                continue
            hidden = self.cards.printed(name.text)
            if hidden in self.definitions and self.definitions[hidden].notes is notes:
                notes.note("LR-E033", name, f"`{name.text}` is defined twice", "names differ in more than case")
                continue
            id = slug(name.text)
            while id in self.game.cards.by_id or id in self.definitions:
                id = f"board:{id}"
            self.cards.define(id, name.text)
            self.definitions[id] = _Definition(name, definition, notes)

    def define_files(self, folder: Path) -> None:
        """Make the cards of a folder of files known, or of one file, each holding ``cards:``. Raises BoardError."""
        for path in files_of_cards(folder):
            root = read_cards(path)
            notes = Notes(self.shape, str(path))
            node = root.get("cards") if isinstance(root, Mapping) else None
            if node is None:
                notes.note("LR-E013", root, "`cards` is missing", BEGINNING)
            else:
                self.define(node, notes)
            notes.done()

    def faults_of_definitions(self) -> list[Problem]:
        """The mistakes in all definitions that are known, whether the board uses them or not."""
        found: dict[Problem, None] = {}
        for printed, definition in self.definitions.items():
            with definition.notes.collecting():
                self.facts_of_definition(printed)
            found.update(dict.fromkeys(definition.notes.problems))
        return list(found)

    def facts_of_definition(self, id: str) -> list[Term]:
        """The library facts of a card that has been defined; mistakes go to its notes."""
        definition = self.definitions[id]
        return DefinitionReader(self.words, definition.notes, self.to.find).read(id, definition.name, definition.node)

    # ---- players, zones, cards

    def read_players(self, entries: list[tuple[Key, Node]]) -> list[Term]:
        facts: list[Term] = []
        for key, node in entries:
            if key.form.name != "players":
                continue
            if not isinstance(node, Mapping):
                self.notes.note("LR-E014", node, "a mapping of players is expected here", "write `Name:` for each")
                continue
            least, most = key.form.args
            if not int(str(least)) <= len(node.entries) <= int(str(most)):
                need = f"{least}" if least == most else f"{least} to {most}"
                self.notes.note(
                    "LR-E032",
                    node,
                    f"this game has {need} players, here are {len(node.entries)}",
                    "a player with nothing is written `Name: {}`",
                )
            self.to.players[:] = [name.text for name, _ in node.entries]
            for turn, (name, _) in enumerate(node.entries, 1):
                self.check_player_name(name)
                facts += [fn("player", name.text), fn("turn", name.text, turn)]
            for name, zones in node.entries:
                facts += self.read_player(name.text, zones)
        return facts

    def check_player_name(self, name: Scalar) -> None:
        taken = {key.text for key in self.shape.keys("board")} | self.shape.reserved
        if name.text in taken:
            self.notes.note("LR-E024", name, f"no player may be called `{name.text}`", "the word has a meaning there")
        elif not name.text.strip() or len(name.text) > _LONGEST_NAME or "\n" in name.text:
            self.notes.note("LR-E024", name, f"a player's name is one line of 1 to {_LONGEST_NAME} characters")

    def read_player(self, player: str, node: Node) -> list[Term]:
        facts: list[Term] = []
        sizes: list[tuple[str, int, Node]] = []
        named: dict[str, int] = {}
        for key, value in self.notes.entries("player", node):
            form = key.form.name
            with self.notes.collecting():
                if form == "number":
                    amount = number(value)
                    if amount:
                        facts.append(_init("num", fn(key.constant(), player), amount))
                elif form == "numbers":
                    facts += self.numbers(key, player, value)
                elif form == "printed":
                    facts.append(fn(key.constant(), player, self.printed(value)))
                elif form == "flag":
                    facts += [_init("is", player, fn(key.constant()))] if truth(value) else []
                elif form == "size":
                    sizes.append((key.constant(), number(value), value))
                elif form == "zone":
                    zone, ordered = key.constant(0), key.constant(1)
                    before = len(self.found)
                    self.read_zone(value, player, fn(zone), ordered)
                    named[zone] = sum(1 for card in self.found[before:] if card.host is None)
        for zone, size, value in sizes:
            beyond = size - named.get(zone, 0)
            if beyond < 0:
                self.notes.note(
                    "LR-E028",
                    value,
                    f"the size is {size}, but {named[zone]} cards are named there",
                    "the size counts the named cards too",
                )
            elif beyond:
                facts.append(_init("num", fn("anonymous", player, fn(zone)), beyond))
        return facts

    def printed(self, node: Node) -> str:
        """The id of a printed card that need not lie on the board. Raises WordError."""
        id = self.cards.printed(node.text) if isinstance(node, Scalar) else None
        if id is None:
            shown = node.text if isinstance(node, Scalar) else "this"
            raise WordError("LR-E018", node, f"unknown card `{shown}`", self.cards.suggest(shown))
        return id

    def read_zone(self, node: Node, player: str, zone: Value, ordered: str, host: _Card | None = None) -> None:
        items = self.to.whole_names(self.notes.items(node, "cards"))
        for place, item in enumerate(items, 1):
            self.read_card(item, player, zone, place, ordered, host)

    def read_card(
        self, node: Node, player: str, zone: Value, place: int, ordered: str, host: _Card | None = None
    ) -> None:
        name = name_of(node)
        if name is None or (isinstance(node, Mapping) and len(node.entries) != 1):
            if self.to.broken_name(node):
                return
            self.note_shape_of_card(node)
            return
        if self.to.broken_name(node):
            return
        state = node.entries[0][1] if isinstance(node, Mapping) else None
        if not name.text.strip():
            self.notes.note("LR-E018", name, "a card without a name", "take the empty item out")
            return
        printed, copy = self.cards.card_and_copy(name.text)
        if copy == 0:
            self.notes.note("LR-E023", name, "copies are numbered from 1")
        if printed is None:
            base = split_copy(name.text)[0]
            self.notes.note("LR-E018", name, f"unknown card `{name.text}`", self.cards.suggest(base))
            return
        card = _Card(name, printed, copy, player, zone, place, ordered, state, host)
        self.found.append(card)
        if host is not None:
            host.attached.append(card)
        if state is not None:
            for key, value in self.notes.entries("card", state, what=f" for the state of {name.text}"):
                if key.form.name == "attached":
                    self.read_zone(value, player, fn(key.constant()), "set", card)

    def note_shape_of_card(self, node: Node) -> None:
        hint = "write a name, or `Name: {state}`"
        if isinstance(node, Mapping) and len(node.entries) > 1:
            second = node.entries[1][0]
            if self.shape.key("card", second.text):
                first = node.entries[0][0].text
                hint = f"indent `{second.text}` deeper than the name, or write `{first}: {{...}}`"
            else:
                hint = "each card is an item of its own"
        elif isinstance(node, List) and len(node.items) == 1 and isinstance(node.items[0], Scalar):
            bracketed = f"[{node.items[0].text}]"
            if self.cards.printed(bracketed):
                hint = f'a name that begins with a bracket needs quotes: "{bracketed}"'
        self.notes.note("LR-E014", node, "this is no card", hint)

    # ---- places beside the players

    def read_places(self, entries: list[tuple[Key, Node]]) -> list[Term]:
        facts: list[Term] = []
        for key, node in entries:
            if key.form.name != "places":
                continue
            level = key.constant()
            if not isinstance(node, Mapping):
                self.notes.note("LR-E014", node, "a mapping is expected here", "write a name for each place")
                continue
            for name, value in node.entries:
                self.check_place_name(name)
                self.to.places[name.text] = level
                facts.append(_init("is_place", fn(level), name.text))
                for inner, content in self.notes.entries(level, value):
                    with self.notes.collecting():
                        facts += self.place_part(name.text, inner, content)
        return facts

    def check_place_name(self, name: Scalar) -> None:
        """A place has a name of its own: no player's, and no word that means a place anyway."""
        if name.text in self.to.players or self.words.word("place", name.text) is not None:
            whose = "a player is called so" if name.text in self.to.players else "the word means another place"
            self.notes.note("LR-E024", name, f"no place may be called `{name.text}`", whose)

    def place_part(self, place: str, key: Key, node: Node) -> list[Term]:
        form, functor = key.form.name, key.constant()
        if form == "number":
            amount = number(node)
            return [_init("num", fn(functor, place), amount)] if amount else []
        if form == "holder":
            nobody = isinstance(node, Scalar) and node.text == "none"
            return [] if nobody else [_init(functor, place, self.to.player(node))]
        if form == "holders":
            return [_init(functor, place, self.to.player(item)) for item in self.notes.items(node, "players")]
        if form == "card":
            self.read_card(node, place, fn(functor), 1, "set")
            return []
        if not isinstance(node, Mapping):
            raise WordError("LR-E014", node, "a mapping is expected here", "write {player: ...}")
        zone = fn("at", fn(functor), place)
        for name, cards in node.entries:
            with self.notes.collecting():
                if form == "one_each":
                    self.read_card(cards, self.to.player(name), zone, 1, "set")
                else:
                    self.read_zone(cards, self.to.player(name), zone, key.constant(1))
        return []

    # ---- names of cards

    def joined_by_spares(self) -> frozenset[str]:
        """Printed cards of which one stands on the board without a number, and others may come to be."""
        spare = {self.cards.prints[str(fact.args[0])] for fact in self.out.facts if fact.name == "spare"}
        alone = (card for card in self.found if card.called == self.cards.title(card.printed))
        return frozenset(card.printed for card in alone if card.printed in spare)

    def name_copies(self) -> None:
        """Give every card the name that outcomes print, counted over the whole file."""
        groups: dict[str, list[_Card]] = {}
        for card in self.found:
            groups.setdefault(card.printed, []).append(card)
        for printed, group in groups.items():
            title = self.cards.title(printed)
            taken: dict[int, _Card] = {}
            for card in group:
                if card.copy is not None and card.copy in taken:
                    first = taken[card.copy].name
                    self.notes.note(
                        "LR-E023",
                        card.name,
                        f"{title}#{card.copy} stands on the board twice: lines {first.line} and {card.name.line}",
                        "number the copies apart",
                    )
                elif card.copy is not None:
                    taken[card.copy] = card
            free = (count for count in range(1, len(group) + len(taken) + 1) if count not in taken)
            for card in group:
                if card.copy is None and len(group) == 1 and printed not in self.numbered:
                    card.called = title
                else:
                    card.called = f"{title}#{card.copy if card.copy is not None else next(free)}"
                self.cards.add(card.called, printed)
        keys: dict[tuple[str, Value], str] = {}
        for level in ("player", "card"):
            for key in self.shape.of_form(level, "zone", "attached"):
                keys[key.form.name, fn(key.constant())] = key.text
        for card in self.found:
            text = keys.get(("attached" if card.host else "zone", card.zone))
            of = card.host.called if card.host else card.player
            self.cards.lies[card.called] = f"`{text}` of {of}" if text else f"line {card.name.line}"

    def check_ids(self) -> None:
        """Note the names given by ``id:``, which must be unique and no name of another card."""
        for card in self.found:
            if not isinstance(card.state, Mapping):
                continue
            for key in self.shape.of_form("card", "id"):
                node = card.state.get(key.text)
                if node is None:
                    continue
                text = node.text if isinstance(node, Scalar) else ""
                if not _ID.fullmatch(text):
                    self.notes.note("LR-E022", node, "this is no id", "an id has letters, digits, - and _ only")
                elif text in self.cards.ids:
                    self.notes.note("LR-E022", node, f"the id `{text}` is used twice", "ids must be unique")
                elif any(other != card.called for other in self.cards.find(text)):
                    self.notes.note("LR-E022", node, f"the id `{text}` is the name of another card here")
                else:
                    self.cards.ids[text] = card.called

    # ---- facts of cards

    def card_facts(self) -> list[Term]:
        facts: list[Term] = []
        for card in self.found:
            with self.notes.collecting():
                card.owner = self.owner_of(card)
        for card in self.found:
            facts += [fn("card", card.called), fn("prints", card.called, card.printed)]
            self.out.places[f"card.{card.called}"] = (card.name.line, card.name.column)
            facts.append(fn("owner", card.called, card.owner or card.player))
            if card.zone == _NOWHERE:
                facts.append(fn("unplaced", card.called, card.player))
            elif card.host is None:
                facts.append(_init("zone", card.called, card.player, card.zone))
            else:
                facts.append(_init("zone", card.called, self.controller_of(card), card.zone))
                facts.append(_init("host", card.called, card.host.called))
            if card.ordered in ("line", "stack"):
                facts.append(_init("place", card.called, card.place))
            elif card.ordered == "pile":
                facts.append(fn("listed", card.called, card.place))
            if isinstance(card.state, Mapping):
                for name, node in card.state.entries:
                    key = self.shape.key("card", name.text)
                    if key is not None:
                        with self.notes.collecting():
                            facts += self.state_facts(card.called, key, node)
        return facts

    def owner_of(self, card: _Card) -> str:
        """The owner: as written, else the player with whom the card lies."""
        card.owner = card.player
        if isinstance(card.state, Mapping):
            for key in self.shape.of_form("card", "owner"):
                node = card.state.get(key.text)
                if node is not None:
                    return self.to.player(node)
        return card.player

    def controller_of(self, card: _Card) -> str:
        """Who controls an attached card: the last who has taken it, else its owner."""
        claims = [key for key in self.shape.of_form("card", "claims") if len(key.form.args) > 1]
        for key in claims:
            node = card.state.get(key.text) if isinstance(card.state, Mapping) else None
            if isinstance(node, List) and node.items:
                with self.notes.collecting():
                    player, _ = only_entry(node.items[-1], "{player: card}")
                    return self.to.player(player)
        return card.owner

    def state_facts(self, card: str, key: Key, node: Node) -> list[Term]:
        form = key.form.name
        if form in ("id", "owner", "attached"):
            return []
        if form == "flag":
            return [_init("is", card, fn(key.constant()))] if truth(node) else []
        if form == "state":
            return [_init("is", card, self.words.value(key.constant(), node))]
        functor = key.constant()
        if form == "granted":
            from lastrites.layouts import plain

            self.out.written[card] = plain(node)
            return read_granted(functor, card, node, self.notes, self.words, self.to)
        if form == "holder":
            return [_init(functor, card, self.to.player(node))]
        if form == "claims":
            claims = [only_entry(item, "{player: card}") for item in self.notes.items(node, "claims")]
            pairs = [(self.to.one(claimant), self.to.player(player)) for player, claimant in claims]
            return [_init(functor, card, other, player, place) for place, (other, player) in enumerate(pairs, 1)]
        if form == "number" or (form == "numbers_by_player" and isinstance(node, Scalar)):
            self.not_negative(key, node)
            return _count(fn(functor, card), number(node))
        if form == "override":
            return [fn("override", card, fn(functor), number(node))]
        if form == "overrides":
            items = self.notes.items(node, "words")
            words = [self.words.value(key.constant(1), item) for item in items]
            listed = [fn("override_item", card, fn(functor), place, word) for place, word in enumerate(words, 1)]
            return [fn("override", card, fn(functor), len(words)), *listed]
        return self.numbers(key, card, node)

    def not_negative(self, key: Key, node: Node) -> None:
        """Where another number counts the other way, a negative one belongs there. Raises WordError (LR-E015)."""
        others = (other.text for other in self.shape.of_form("card", "number") if other.text.endswith(f" {key.text}"))
        opposite = next(others, None)
        if opposite is not None and isinstance(node, Scalar) and re.fullmatch(r"-[0-9]{1,9}", node.text):
            message = f"`{node.text}` is no whole number, and `{key.text}` is not negative"
            raise WordError("LR-E015", node, message, f"write {opposite}: {node.text[1:]}")

    def numbers(self, key: Key, subject: str, node: Node) -> list[Term]:
        """Numbers of one card or player, told apart by a word or by a player."""
        if not isinstance(node, Mapping):
            raise WordError("LR-E014", node, "a mapping is expected here", f"write {key.text}: {{...: number}}")
        facts: list[Term] = []
        for name, amount in node.entries:
            with self.notes.collecting():
                by_player = key.form.name == "numbers_by_player"
                about = self.to.player(name) if by_player else self.words.value(key.constant(1), name)
                facts += _count(fn(key.constant(), subject, about), number(amount))
        return facts


def _another(copy: int | None, copies: list[int | None]) -> bool:
    """Whether a card, by the number of its copy, is none of those with these numbers (None: not numbered yet)."""
    if copy is None or not copies:
        return not copies
    return copy not in copies and (None not in copies or copy > len(copies))


def _init(name: str, *args: Value) -> Term:
    return fn("init", fn(name, *args))


def _count(quantity: Term, amount: int) -> list[Term]:
    return [_init("num", quantity, amount)] if amount else []
