"""The window of ``entangled`` and ``uneven`` without cards: what each creature that is destroyed does to the pools."""

from __future__ import annotations

from bench.families import ENTANGLED, POOL, uneven_effects

Effect = tuple[int, str, int]
"""Player (0 or 1), what the ability does, how much."""

_ENTANGLED = {
    "Dust Imp": ("gain", 2),
    "Brend the Fanatic": ("steal", 3),
    "Grenade Snib": ("lose", 2),
    "Sacro-Fiend": ("steal", 1),
}
START = (POOL, POOL)


def effects(family: str, number: int) -> list[Effect]:
    """The abilities of a board of these families."""
    if family == "entangled":
        rows = [(player, *_ENTANGLED[name]) for player, name in (ENTANGLED[place % 4] for place in range(number))]
    else:
        rows = uneven_effects(number)
    return [(int(player == "P2"), kind, amount) for player, kind, amount in rows]
