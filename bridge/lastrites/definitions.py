"""Cards that a board file defines itself, under ``cards:``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from lastrites.names import slug
from lastrites.notes import Notes
from lastrites.shape import Key
from lastrites.terms import Term, Value, fn
from lastrites.words import FindCard, WordError, Words, number, only_entry, truth
from lastrites.yamlio import List, Node, Scalar


class DefinitionReader:
    """Turns one definition into library facts. Mistakes go to ``note`` and reading goes on."""

    def __init__(self, words: Words, reader: Notes, find: FindCard) -> None:
        self.words, self.reader, self.find = words, reader, find
        self.nodes: dict[int, Node] = {}

    def read(self, id: str, name: Scalar, node: Node) -> list[Term]:
        """The facts of the card ``id``, whose definition is ``node``."""
        facts = [fn("title", id, name.text)]
        for key, value in self.reader.entries("definition", node, required=("word",), at=name):
            with self.reader.collecting():
                facts += self.facts(id, key, value)
        self.check_kinds(facts)
        return facts

    def check_kinds(self, facts: list[Term]) -> None:
        """Note own abilities that do nothing on a card of this kind."""
        kinds = [fact.args[1] for fact in facts if fact.name == "kind"]
        given = {fact.args[3] for fact in facts if fact.name == "gives"}
        for fact in facts:
            if fact.name != "ability" or fact.args[1] in given or not isinstance(fact.args[2], Term):
                continue
            allowed = self.words.only_on.get(fact.args[2], [])
            if kinds and allowed and not set(kinds) & set(allowed):
                told = self.words.text("when", fact.args[2])
                here, there = (
                    ", ".join(str(self.words.text("type", kind)) for kind in some) for some in (kinds, allowed)
                )
                fit = [when for when, on in self.words.only_on.items() if set(on) <= set(kinds)]
                instead = f"; this type has `when: {self.words.text('when', fit[0])}` instead" if len(fit) == 1 else ""
                hint = f"it belongs on: {there}{instead}"
                node = self.nodes[int(str(fact.args[1]))]
                message = f"an ability with `when: {told}` does nothing on a card of the type {here}"
                self.reader.note("LR-E042", node, message, hint)

    def facts(self, id: str, key: Key, node: Node) -> list[Term]:
        form = key.form.name
        if form == "abilities":
            numbers = count(1)
            return [fact for item in _items(node) for _, facts in [self.ability(id, item, numbers)] for fact in facts]
        functor = key.constant(0)
        if form in ("stat", "positive"):
            value = number(node)
            return [fn("stat", id, fn(functor), value)] if value or form == "stat" else []
        if form == "word":
            return [fn(functor, id, self.words.value(key.constant(1), node))]
        items = node.items if isinstance(node, List) else (node,)
        if form == "symbols":
            return [fn(functor, id, _symbol(item)) for item in items]
        kind = key.constant(1)
        if form == "words":
            return [fn(functor, id, self.words.value(kind, item)) for item in items]
        return [fn(functor, id, place, self.words.value(kind, item)) for place, item in enumerate(_items(node), 1)]

    def ability(self, id: str, node: Node, numbers: Iterator[int]) -> tuple[int, list[Term]]:
        """Number and facts of one ability; what it gives to others is numbered after it."""
        own = next(numbers)
        self.nodes[own] = node
        facts: list[Term] = []
        entries = list(self.reader.entries("ability", node, required=("when",), at=node))
        for key, value in entries:
            with self.reader.collecting():
                facts += self.part(id, own, key, value, numbers)
        for fact in facts:
            if fact.name == "ability" and fact.args[:2] == (id, own):
                self.check_parts(fact.args[2], node, {key.text: value for key, value in entries})
        return own, facts

    def check_parts(self, when: Value, node: Node, parts: dict[str, Node]) -> None:
        """Note what an ability lacks without which it can do nothing, and what does nothing in it."""
        if not isinstance(when, Term):
            return
        told = self.words.text("when", when)
        for keys in self.words.wanted.get(when, {}).values():
            if not parts.keys() & set(keys):
                named = " or ".join(f"`{key}:`" for key in keys)
                self.reader.note("LR-E042", node, f"an ability with `when: {told}` does nothing without {named}")
        for key in self.words.useless.get(when, ()):
            if key in parts:
                message = f"`{key}:` does nothing in an ability with `when: {told}`"
                wanted = [" or ".join(f"`{key}:`" for key in keys) for keys in self.words.wanted.get(when, {}).values()]
                self.reader.note("LR-E042", parts[key], message, f"it goes by {' and '.join(wanted)}" if wanted else "")

    def part(self, id: str, own: int, key: Key, node: Node, numbers: Iterator[int]) -> list[Term]:
        words, form = self.words, key.form.name
        if form == "when":
            return [fn("ability", id, own, words.value("when", node))]
        if form == "if":
            items = node.items if isinstance(node, List) else (node,)
            return [fn("condition", id, own, words.value("condition", item, self.find)) for item in items]
        if form == "watches":
            return [fn("watches", id, own, words.filters(node))]
        if form == "words":
            items = node.items if isinstance(node, List) else (node,)
            return [fn(key.constant(0), id, own, words.value(key.constant(1), item)) for item in items]
        if form == "flag":
            return [fn(key.constant(0), id, own)] if truth(node) else []
        if form == "gives":
            selector_node, given = only_entry(node, "{who gains: [abilities]}")
            selector = words.selector(selector_node, self.find)
            facts: list[Term] = []
            for item in _items(given):
                other, more = self.ability(id, item, numbers)
                facts += [fn("gives", id, own, selector, other), *more]
            return facts
        if not isinstance(node, List):
            words.effects(node, self.find)  # says what is wrong
            return []
        steps: list[Term] = []
        for place, item in enumerate(node.items, 1):
            with self.reader.collecting():
                steps.append(fn("step", id, own, place, words.effect(item, self.find)))
        return [fn("instead", id, own), *steps] if form == "instead" else steps


def _items(node: Node) -> tuple[Node, ...]:
    if not isinstance(node, List):
        raise WordError("LR-E014", node, "a list is expected here", "write it in [brackets] or with - before each")
    return node.items


def _symbol(node: Node) -> Term:
    if not isinstance(node, Scalar) or not re.search(r"[A-Za-z]", node.text):
        raise WordError("LR-E014", node, "a word is expected here")
    name = re.sub(r"^[0-9_]+", "", slug(node.text).replace("-", "_"))
    return Term(f"x_{name}" if name == "not" else name)
