"""Abilities that no printed card brings: effects that already last (``lasting:``), and what a card has been given."""

from __future__ import annotations

from itertools import count
from typing import Any

from lastrites.definitions import DefinitionReader
from lastrites.notes import Notes
from lastrites.references import References
from lastrites.terms import Term, fn
from lastrites.words import Words
from lastrites.yamlio import List, Node, Scalar


def read_lasting(level: str, node: Node, active: Node | None, notes: Notes, words: Words, to: References) -> list[Term]:
    """The facts of each effect: a card of its own that lies nowhere, with the ability, and ``lasting(Ability,Player)``.

    ``level`` names the keys of an entry; the player is the active one if the entry does not say another. Mistakes
    are noted.
    """
    facts: list[Term] = []
    reader = DefinitionReader(words, notes, to.find)
    for place, item in enumerate(notes.items(node, "effects"), 1):
        id, card = f"lasting:{place}", _named(place)
        player = active.text if isinstance(active, Scalar) else ""
        number = 0
        ability: list[Term] = []
        for key, value in notes.entries(level, item, required=("ability",)):
            with notes.collecting():
                if key.form.name == "ability":
                    number, ability = reader.ability(id, value, count(1))
                elif key.form.name == "by":
                    player = to.player(value)
                else:
                    words.value(key.constant(), value)
        if ability:
            facts += [fn("title", id, card), fn("card", card), fn("prints", card, id), fn("owner", card, player)]
            facts += [*ability, fn("init", fn("lasting", fn("ab", card, number), player))]
    return facts


def lasting_as_written(node: Node) -> dict[str, Any]:
    """Each effect as the file writes it, by the card that the facts give it."""
    from lastrites.layouts import plain

    return {_named(place): plain(item) for place, item in enumerate(node.items, 1)} if isinstance(node, List) else {}


def _named(place: int) -> str:
    return f"lasting effect {place}"


def read_granted(functor: str, card: str, node: Node, notes: Notes, words: Words, to: References) -> list[Term]:
    """The facts of what ``card`` has been given: a card G that lies nowhere, with the abilities, and functor(C,G).

    Mistakes are noted.
    """
    source, facts = given_to(card, node, notes, words, to)
    return [*facts, fn("init", fn(functor, card, source))] if facts else []


def granted_card(card: str) -> str:
    """The name of the card for what ``card`` has been given."""
    return f"what was granted to {card}"


def given_to(card: str, node: Node, notes: Notes, words: Words, to: References) -> tuple[str, list[Term]]:
    """A card of their own for the abilities that ``card`` has been given, and its facts. Mistakes are noted."""
    reader = DefinitionReader(words, notes, to.find)
    id, source = f"granted:{card}", granted_card(card)
    numbers = count(1)
    abilities: list[Term] = []
    for item in notes.items(node, "abilities"):
        abilities += reader.ability(id, item, numbers)[1]
    facts = [fn("title", id, source), fn("card", source), fn("prints", source, id), fn("owner", source, to.players[0])]
    return source, [*facts, *abilities] if abilities else []
