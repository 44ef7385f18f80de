"""The events of a board file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from lastrites.notes import Notes
from lastrites.references import References
from lastrites.shape import Key
from lastrites.terms import Term, Value, fn
from lastrites.words import WordError, Words, number
from lastrites.yamlio import List, Mapping, Node, Scalar

T = TypeVar("T")

_OPTIONS = ("by", "choose", "detail")


class EventReader:
    """Turns ``event:`` into ``event/3`` and the facts that belong to it.

    ``places`` says where events stand, and the answers to their decisions: ``"event.event(1)"``, ``"choose.1.2"`` ->
    line, column.
    """

    def __init__(self, notes: Notes, words: Words, references: References) -> None:
        self.notes, self.words, self.references = notes, words, references
        self.places: dict[str, tuple[int, int]] = {}

    def read(self, node: Node, active: Node | None) -> list[Term]:
        """The facts of one event, or of a list of them that happen one after another."""
        default = active.text if isinstance(active, Scalar) else ""
        facts: list[Term] = []
        for place, item in enumerate(node.items if isinstance(node, List) else (node,), 1):
            facts += self.event(place, item, default)
        return facts

    def event(self, place: int, node: Node, default: str) -> list[Term]:
        entries = self.notes.entries("event", node)
        self.places[f"event.{fn('event', place)}"] = (node.line, node.column)
        verbs = [(key, value) for key, value in entries if key.form.name not in _OPTIONS]
        strange = isinstance(node, Mapping) and len(entries) < len(node.entries)  # noted already
        if isinstance(node, Mapping) and len(verbs) != 1 and not (strange and not verbs):
            names = " and ".join(f"`{key.text}`" for key, _ in verbs)
            message = f"an event has one verb, here are {len(verbs)}: {names}" if verbs else "this event has no verb"
            known = ", ".join(k.text for k in self.notes.shape.keys("event") if k.form.name not in _OPTIONS)
            hint = "write a list of events for several, one after another" if verbs else f"verbs: {known}"
            spot = next((name for name, _ in node.entries if verbs and name.text == verbs[1][0].text), node)
            self.notes.note("LR-E025", spot, message, hint)
        by = default
        facts: list[Term] = []
        answered = False
        for key, value in entries:
            with self.notes.collecting():
                if key.form.name == "by":
                    by = self.references.player(value)
                elif key.form.name == "choose":
                    if answered:
                        raise WordError("LR-E006", value, "`choose` and `targets` mean the same", "keep one of them")
                    answered = True
                    facts += self.choices(place, value)
                elif key.form.name == "detail":
                    facts.append(fn("event_detail", place, fn(key.constant(0)), self.detail(key, value)))
        for key, value in verbs[:1]:
            with self.notes.collecting():
                what, more = self.verb(place, key, value)
                facts = [fn("event", place, what, by), *more, *facts]
        return facts

    def detail(self, key: Key, node: Node) -> Value:
        kind = key.constant(1)
        if kind == "number":
            return number(node)
        if kind == "card":
            return self.references.one(node)
        if kind == "player":
            return self.references.player(node)
        if kind == "effect":
            if len(key.form.args) > 2 and isinstance(node, Scalar):
                word = self.words.word(key.constant(2), node.text)
                if word is not None:
                    return word
            return self.words.effect(node, self.references.find)
        if kind in ("place", "named_place") and isinstance(node, Scalar):
            word = self.words.word("place", node.text) if kind == "place" else None
            if node.text not in self.references.places and word is None:
                hint = self.references.places_hint(*(self.words.known("place") if kind == "place" else ()))
                shown = f"`{node.text}` is no place of this board that can be meant here"
                raise WordError("LR-E016", node, shown, hint)
            return word or node.text
        return self.words.value(kind, node)

    def verb(self, place: int, key: Key, node: Node) -> tuple[Term, list[Term]]:
        form, verb = key.form.name, key.constant()
        if form == "card":
            return fn(verb, self.references.one(node)), []
        if form == "cards":
            items = self.list_of_cards(node)
            if (isinstance(node, List) and len(items) < len(node.items)) or not isinstance(node, List):
                return fn(verb), []  # noted already
            if len(items) != 2:
                raise WordError(
                    "LR-E014",
                    node,
                    f"`{key.text}` takes two cards, here are {len(items)}",
                    f"write {key.text}: [Card, Card]",
                )
            first, second = (self.references.one(item) for item in items)
            if first == second:
                raise WordError("LR-E019", items[1], f"`{key.text}` takes two different cards")
            return fn(verb, first, second), []
        if form == "some":
            return fn(verb), self.some(place, key, node)
        if form == "amounts":
            return fn(verb), [
                fn("event_amount", place, card, amount) for card, amount in self.amounts(key, node, number)
            ]
        if form == "amounts_between":
            between: list[Term] = []
            for source, inner in self.amounts(key, node, lambda inner: inner):
                pairs = self.amounts(key, inner, number)
                between += [fn("event_amount", place, source, card, amount) for card, amount in pairs]
            return fn(verb), between
        if form == "instructions":
            effects = []
            for item in self.notes.items(node, "instructions"):
                with self.notes.collecting():
                    effects.append(self.words.effect(item, self.references.find))
            return fn(verb), [fn("instruct", place, step, effect) for step, effect in enumerate(effects, 1)]
        if form == "word":
            return fn(verb, self.words.value(key.constant(1), node)), []
        if not (isinstance(node, Scalar) and node.text == "true"):
            raise WordError("LR-E016", node, "only `true` can stand here", f"write {key.text}: true")
        return fn(verb), []

    def list_of_cards(self, node: Node) -> tuple[Node, ...]:
        return tuple(self.references.whole_names(self.notes.items(node, "cards")))

    def some(self, place: int, key: Key, node: Node) -> list[Term]:
        facts: list[Term] = []
        seen: set[str] = set()
        for item in self.list_of_cards(node):
            with self.notes.collecting():
                card = self.references.one(item)
                if card in seen:
                    raise WordError("LR-E019", item, f"`{card}` stands in this list twice")
                seen.add(card)
                facts.append(fn("event_card", place, len(seen), card))
        if isinstance(node, List) and not node.items:
            raise WordError("LR-E014", node, f"`{key.text}` needs at least one card")
        return facts

    def amounts(self, key: Key, node: Node, read: Callable[[Node], T]) -> list[tuple[str, T]]:
        if not isinstance(node, Mapping) or not node.entries:
            raise WordError("LR-E014", node, "a mapping is expected here", f"write {key.text}: {{Card: number}}")
        if self.references.broken_name(node):
            return []
        found: dict[str, T] = {}
        for name, value in node.entries:
            with self.notes.collecting():
                card = self.references.one(name)
                if card in found:
                    raise WordError("LR-E019", name, f"`{card}` stands in this mapping twice")
                found[card] = read(value)
        return list(found.items())

    def choices(self, place: int, node: Node) -> list[Term]:
        facts: list[Term] = []
        for answer, item in enumerate(self.notes.items(node, "answers"), 1):
            self.places[f"choose.{place}.{answer}"] = (item.line, item.column)
            with self.notes.collecting():
                if isinstance(item, List):
                    facts.append(fn("event_subset", place, answer))
                    facts += [fn("event_choice", place, answer, self.choice(inner)) for inner in item.items]
                else:
                    facts.append(fn("event_choice", place, answer, self.choice(item)))
        return facts

    def choice(self, node: Node) -> Value:
        """An answer: a card of the board, a word such as ``left``, a number, or a player."""
        if not isinstance(node, Scalar):
            raise WordError("LR-E014", node, "an answer is expected here: a card or a word")
        card = self.references.find(node)
        if card is not None:
            return card
        word = self.words.word("choice", node.text)
        if word is not None:
            return word
        if re.fullmatch("[0-9]+", node.text):
            return number(node)
        if node.text in self.references.players or node.text in self.references.places:
            return node.text
        known = ", ".join(self.words.known("choice"))
        try:
            self.references.one(node)
        except WordError as error:
            raise WordError(
                "LR-E018",
                node,
                f"`{node.text}` is no card of this board and no answer in words",
                f"{error.hint} Words: {known}".strip(),
            ) from None
        return node.text
