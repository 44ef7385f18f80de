"""Cards that do not exist yet, but may come to be: names are kept ready for them.

A step whose verb has the form ``created`` brings new cards. Rules cannot make up names, so each player gets
as many spare cards of the kind as the steps on the board can bring at once, and some more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lastrites.boardcards import BoardCards, split_copy
from lastrites.game import Game
from lastrites.terms import Term, fn

MORE = 2
"""How many spare cards of a kind each player has beyond what the steps on the board create together."""


def spare_cards(game: Game, cards: BoardCards, players: Sequence[str], facts: Iterable[Term]) -> list[Term]:
    """Facts about the spare cards of a board: ``card``, ``prints``, ``owner``, and ``spare(Card,Player,N)``.

    ``facts`` are those that the board itself brings; the steps of its library cards are looked up.
    """
    creators = {functor for verbs in game.words.verbs.values() for functor, form in verbs if form == "created"}
    if not creators:
        return []
    library = sorted({id for id in cards.prints.values() if id in game.cards.by_id})
    known = list(facts)
    if any(f"{functor}(" in game.card_blocks(library) for functor in creators):
        known += game.card_facts(library)
    printed = list(cards.prints.values())
    wanted: dict[str, int] = {}
    for fact in known:
        match fact:
            case Term("step", (str(id), int(), int(), Term(name, (Term(kind, ()), int(number))))) if name in creators:
                wanted[kind] = wanted.get(kind, 0) + number * printed.count(id)
            case Term("instruct", (int(), int(), Term(name, (Term(kind, ()), int(number))))) if name in creators:
                wanted[kind] = wanted.get(kind, 0) + number
    found: list[Term] = []
    for kind, number in sorted(wanted.items()):
        new = game.cards.find(kind)
        if new is None or not number:
            continue
        title = cards.title(new)
        taken = [split_copy(card)[1] or 1 for card, other in cards.prints.items() if other == new]
        copy = max(taken, default=0)
        for player in players:
            for place in range(1, number + MORE + 1):
                copy += 1
                card = f"{title}#{copy}"
                cards.add(card, new)
                found += [fn("card", card), fn("prints", card, new), fn("owner", card, player)]
                found.append(fn("spare", card, player, place))
    return found
