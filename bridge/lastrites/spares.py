"""Cards that do not exist yet, but may come to be: names are kept ready for them.

A step whose verb has the form ``created`` or ``made`` brings new cards. Rules cannot make up names, so each player
gets as many spare cards of the kind as the steps on the board can bring at once, and some more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lastrites.boardcards import BoardCards, split_copy
from lastrites.terms import Term, fn

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.game import Game
    from lastrites.solver import Rulebook

MORE = 2
"""How many spare cards of a kind each player has beyond what the steps on the board create together."""
MOST = 24
"""How many a player can have of a kind: what needs more is taken for what never stops."""


def spare_cards(game: Game, cards: BoardCards, players: Sequence[str], facts: Iterable[Term]) -> list[Term]:
    """Facts about the spare cards of a board: ``card``, ``prints``, ``owner``, and ``spare(Card,Player,N)``.

    ``facts`` are those that the board itself brings; the steps of its library cards are looked up. A step of the
    form ``created`` names the kind of card; what a step of the form ``made`` brings is said of each player by a
    key of the form ``printed``.
    """
    forms = {functor: form for verbs in game.words.verbs.values() for functor, form in verbs}
    creators = {functor for functor, form in forms.items() if form in ("created", "made")}
    if not creators:
        return []
    known = list(facts)
    library = sorted({id for id in cards.prints.values() if id in game.cards.by_id})
    if any(f"{functor}(" in game.card_blocks(library) for functor in creators):
        known += game.card_facts(library)
    created, made = _asked_for(known, forms, list(cards.prints.values()))
    wanted = [(player, kind, number) for kind, number in sorted(created.items()) for player in players]
    kept = {key.constant() for key in game.shape.of_form("player", "printed")}
    own = [(str(fact.args[0]), str(fact.args[1])) for fact in known if fact.name in kept and len(fact.args) == 2]
    wanted += [(player, id, made) for player, id in own]
    found: list[Term] = []
    for player, kind, number in wanted:
        new = kind if kind in cards.titles or kind in game.cards.by_id else game.cards.find(kind)
        if new is None or not number:
            continue
        title = cards.title(new)
        taken = [split_copy(card)[1] or 1 for card, other in cards.prints.items() if other == new]
        copy = max(taken, default=0)
        for place in range(1, number + MORE + 1):
            card = f"{title}#{copy + place}"
            cards.add(card, new)
            found += _kept_ready(card, new, player, place)
    return found


def number(rulebook: Rulebook, player: str, kind: str) -> int:
    """How many cards of the kind, a library id, are ready for the player."""
    return len(_ready(rulebook, player, kind))


def doubled(rulebook: Rulebook, player: str, kind: str) -> Rulebook | None:
    """The rulebook with twice as many cards of a kind ready for a player; None where they are more than can be meant.

    How often an ability triggers is known only when a board has been explored: where there were too few, it is
    explored once more. Raises RulesError where none is ready, so that their name is not known.
    """
    from lastrites.solver import RulesError

    ready = _ready(rulebook, player, kind)
    if not ready:
        raise RulesError(f"no card {kind} is kept ready for {player}")
    if len(ready) >= MOST:
        return None
    printed = [str(fact.args[0]) for fact in rulebook.facts if fact.name == "prints" and fact.args[1] == kind]
    title = split_copy(ready[0])[0]
    last = max(split_copy(card)[1] or 1 for card in printed)
    more: list[Term] = []
    for place in range(1, min(len(ready), MOST - len(ready)) + 1):
        more += _kept_ready(f"{title}#{last + place}", kind, player, len(ready) + place)
    return replace(rulebook, facts=(*rulebook.facts, *more))


def with_more_spares(board: Board, facts: Sequence[Term]) -> Board:
    """The board with the cards that these facts, which begin with its own or not, have beyond it; itself if none."""
    known = board.cards.prints
    new = {fact.args[0]: fact.args[1] for fact in facts if fact.name == "prints" and fact.args[0] not in known}
    if not new:
        return board
    cards = board.cards.copy()
    for card, kind in new.items():
        cards.add(str(card), str(kind))
    about = ("card", "prints", "owner", "spare")
    return replace(
        board, cards=cards, facts=(*board.facts, *(f for f in facts if f.name in about and f.args[0] in new))
    )


def _ready(rulebook: Rulebook, player: str, kind: str) -> list[str]:
    """The spare cards of a kind and a player."""
    of_kind = {fact.args[0] for fact in rulebook.facts if fact.name == "prints" and fact.args[1] == kind}
    return [
        str(fact.args[0])
        for fact in rulebook.facts
        if fact.name == "spare" and fact.args[1] == player and fact.args[0] in of_kind
    ]


def _kept_ready(card: str, kind: str, player: str, place: int) -> list[Term]:
    return [fn("card", card), fn("prints", card, kind), fn("owner", card, player), fn("spare", card, player, place)]


def _asked_for(
    facts: Sequence[Term], forms: dict[str, str], printed: Sequence[str]
) -> tuple[dict[str, int], int]:
    """How many cards of each kind the steps of the form ``created`` bring together, and how many those of ``made``.

    An ability that is given to others may be had by every card.
    """
    given = {fact.args[::3] for fact in facts if fact.name == "gives" and len(fact.args) == 4}
    created: dict[str, int] = {}
    made = 0
    for fact in facts:
        match fact:
            case Term("step", (str(id), int(ability), int(), Term() as effect)):
                times = len(printed) if (id, ability) in given else printed.count(id)
            case Term("instruct", (int(), int(), Term() as effect)):
                times = 1
            case _:
                continue
        match forms.get(effect.name), effect.args:
            case "created", (Term(kind, ()), int(number)):
                created[kind] = created.get(kind, 0) + number * times
            case "made", (int(number),):
                made += number * times
    return created, made
