"""The boards that speed is measured on, and what is known to come out of them.

Each family is a function of N that gives a whole board file as a mapping. YAML is a superset of JSON, so a board is
written as JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial
from typing import Any

Json = dict[str, Any]

ENTANGLED = (("P1", "Dust Imp"), ("P2", "Brend the Fanatic"), ("P1", "Grenade Snib"), ("P2", "Sacro-Fiend"))
"""Creatures in turn, each with its controller: gain 2, steal 3, the opponent loses 2, steal 1."""

UNEVEN = (("P1", "gain"), ("P2", "steal"), ("P1", "lose"), ("P2", "steal"))
"""The same in kind, for creatures of which no two are alike."""

POOL = 3


def _board(title: str, players: Json, event: Json, **more: Any) -> Json:
    return {"game": "keyforge", "title": title, "active": "P1", "players": players, "event": event, **more}


def _entangled_lines(number: int) -> dict[str, list[Any]]:
    lines: dict[str, list[Any]] = {"P1": [], "P2": []}
    for place in range(number):
        player, name = ENTANGLED[place % 4]
        lines[player].append(name)
    return lines


def entangled(number: int) -> Json:
    """Creatures destroyed together by one action, whose abilities disturb each other's."""
    lines = _entangled_lines(number)
    players = {player: {"aember": POOL, "battleline": line} for player, line in lines.items()}
    players["P1"]["hand"] = ["Gateway to Dis"]
    return _board(f"entangled-{number}", players, {"play": "Gateway to Dis"})


def uneven_effects(number: int) -> list[tuple[str, str, int]]:
    """(controller, what the ability does, how much) for each creature of ``uneven``."""
    found, used = [], {"gain": 0, "steal": 0, "lose": 0}
    for place in range(number):
        player, kind = UNEVEN[place % 4]
        used[kind] += 1
        found.append((player, kind, used[kind]))
    return found


def uneven(number: int) -> Json:
    """Like ``entangled``, but no two creatures are alike, so that none can stand for another."""
    lines: dict[str, list[Any]] = {"P1": [], "P2": []}
    cards: Json = {}
    for player, kind, amount in uneven_effects(number):
        name = f"{kind.capitalize()} {amount}"
        step = {kind: {"opponent": amount}} if kind == "lose" else {kind: amount}
        cards[name] = {"type": "creature", "power": 3, "abilities": [{"when": "destroyed", "steps": [step]}]}
        lines[player].append(name)
    players = {player: {"aember": POOL, "battleline": line} for player, line in lines.items()}
    players["P1"]["hand"] = ["Gateway to Dis"]
    return _board(f"uneven-{number}", players, {"play": "Gateway to Dis"}, cards=cards)


def independent(number: int) -> Json:
    """Bad Pennies of one player that are destroyed together: each returns to hand."""
    players: Json = {"P1": {"battleline": ["Bad Penny"] * number}, "P2": {}}
    return _board(f"independent-{number}", players, {"destroy": _copies("Bad Penny", number)})


def cascade(number: int, reading: str = "pooled") -> Json:
    """Creatures with a Soulkeeper each, against as many of equal power: each ability destroys one more."""
    mine = [{"Dust Imp": {"upgrades": ["Soulkeeper"]}} for _ in range(number)]
    players = {"P1": {"battleline": mine}, "P2": {"battleline": ["Bad Penny"] * number}}
    return _board(
        f"cascade-{number}", players, {"destroy": _copies("Dust Imp", number)}, readings={"cascade": reading}
    )


def cascade_nested(number: int) -> Json:
    """The same where what is destroyed inside the window resolves before what already waits."""
    return cascade(number, "nested")


def cleanup(number: int) -> Json:
    """Riftbound: Watchful Sentries of both players die in one Cleanup, and a Centaur of each player watches."""
    mine = number // 2
    sentry = {"Watchful Sentry": {"damage": 1}}
    return {
        "game": "riftbound",
        "title": f"cleanup-{number}",
        "active": "P1",
        "players": {
            "P1": {"deck size": number, "base": [sentry] * mine + ["Spectral Centaur"]},
            "P2": {"deck size": number, "base": [sentry] * (number - mine) + ["Spectral Centaur"]},
        },
        "event": {"cleanup": "ordinary"},
    }


def crowd(number: int) -> Json:
    """Six entangled creatures are destroyed while plain ones stand by."""
    lines = _entangled_lines(6)
    ids = []
    for player, line in lines.items():
        for place, name in enumerate(line):
            id = f"{player}-{place}"
            ids.append(id)
            line[place] = {name: {"id": id}}
    for place in range(number):
        lines["P1" if place % 2 == 0 else "P2"].append("Drumble" if place % 3 else "Bumpsy")
    players = {player: {"aember": POOL, "battleline": line} for player, line in lines.items()}
    return _board(f"crowd-{number}", players, {"destroy": ids})


APART_TRAITS = (
    "alien", "angel", "beast", "cat", "cyborg", "demon", "dragon", "elf", "faerie", "fungus", "giant", "goblin",
    "horseman", "human", "imp", "insect", "item", "knight", "krxix", "leader", "martian", "merchant", "monk", "mutant",
)  # fmt: skip
"""Traits that tell apart those who stand by."""


def apart(number: int) -> Json:
    """Creatures destroyed together of which no two are alike and no two abilities touch the same: one gains, one makes
    the opponent gain, the others return to hand, ward one who stands by, deal damage to another, or are archived."""
    lines: dict[str, list[Any]] = {"P1": [], "P2": []}
    cards: Json = {}
    dying = []
    for place in range(number):
        name, trait = f"Dying {place + 1}", APART_TRAITS[place]
        step: Json = (
            {"move": {"self": "hand"}},
            {"ward": f"each friendly {trait} creature"},
            {"damage": {f"each enemy {trait} creature": 1}},
            {"move": {"self": "archives"}},
        )[place % 4]
        if place in (4, 8):
            step = {"gain": 1} if place == 4 else {"gain": {"opponent": 1}}
        elif place % 4 in (1, 2):
            standing = f"Standing {place + 1}"
            cards[standing] = {"type": "creature", "traits": [trait], "power": 9}
            lines["P1" if place % 4 == 1 else "P2"].append(standing)
        cards[name] = {"type": "creature", "power": place + 1, "abilities": [{"when": "destroyed", "steps": [step]}]}
        dying.append(name)
    lines["P1"] += dying
    players: Json = {player: {"battleline": line} for player, line in lines.items()}
    return _board(f"apart-{number}", players, {"destroy": dying}, cards=cards)


def ends(number: int) -> Json:
    """Like ``apart``, but each ability has two or three ends: who returns to hand or is archived may stay, one of two
    who stand by gets a ward, one of three is dealt damage."""
    lines: dict[str, list[Any]] = {"P1": [], "P2": []}
    cards: Json = {}
    dying = []
    for place in range(number):
        name, trait = f"Dying {place + 1}", APART_TRAITS[place]
        steps: list[Any] = [
            ["you may", {"move": {"self": "hand"}}],
            [{"ward": f"a friendly {trait} creature"}],
            [{"damage": {f"an enemy {trait} creature": 1}}],
            ["you may", {"move": {"self": "archives"}}],
        ][place % 4]
        for copy in range(1, (0, 2, 3, 0)[place % 4] + 1):
            standing = f"Standing {place + 1}.{copy}"
            cards[standing] = {"type": "creature", "traits": [trait], "power": 9}
            lines["P1" if place % 4 == 1 else "P2"].append(standing)
        cards[name] = {"type": "creature", "power": place + 1, "abilities": [{"when": "destroyed", "steps": steps}]}
        dying.append(name)
    lines["P1"] += dying
    players: Json = {player: {"battleline": line} for player, line in lines.items()}
    return _board(f"ends-{number}", players, {"destroy": dying}, cards=cards)


def _ends_known(number: int) -> Known:
    outcomes = 1
    for place in range(number):
        outcomes *= (2, 2, 3, 2)[place % 4]
    return Known(factorial(number) * outcomes, outcomes)


def _copies(name: str, number: int) -> list[str]:
    return [name] if number == 1 else [f"{name}#{copy}" for copy in range(1, number + 1)]


@dataclass(frozen=True)
class Known:
    """What is known without running anything: the number of orders, and of distinct final states."""

    orders: int | None = None
    outcomes: int | None = None


@dataclass(frozen=True)
class Family:
    """A family of boards: how a board is made, the sizes that are measured by default, what is known."""

    board: Callable[[int], Json]
    sizes: tuple[int, ...]
    known: Callable[[int], Known]


FAMILIES: dict[str, Family] = {
    "entangled": Family(entangled, (8, 10, 12, 14, 16, 20, 24), lambda n: Known(factorial(n))),
    "uneven": Family(uneven, (8, 10, 12, 14, 16), lambda n: Known(factorial(n))),
    "independent": Family(independent, (6, 8, 10, 12, 16, 20), lambda n: Known(factorial(n), 1)),
    "cascade": Family(cascade, (2, 3, 4, 5, 6), lambda n: Known()),
    "cascade-nested": Family(cascade_nested, (2, 3, 4, 5, 6), lambda n: Known()),
    "cleanup": Family(cleanup, (2, 4, 6, 8, 10, 12), lambda n: Known(None, 1)),
    "apart": Family(apart, (6, 8, 10, 12, 16, 20), lambda n: Known(factorial(n), 1)),
    "ends": Family(ends, (4, 8, 12, 16, 20), _ends_known),
    "crowd": Family(crowd, (0, 2, 4, 8, 16, 32), lambda n: Known(720)),
}
