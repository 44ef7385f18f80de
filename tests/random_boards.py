"""Random boards of both games with several copies of a card on them, for comparing ways of exploring."""

from __future__ import annotations

import json
import random
from typing import Any

from lastrites.board import Board

Json = dict[str, Any]

KEYFORGE = (
    "Bad Penny", "Dust Imp", "Brend the Fanatic", "Grenade Snib", "Sacro-Fiend", "Soleft", "Scaethe", "Dark Minion",
    "Harbinger of Doom", "Burnished Nickles", "Archimedes", "Tolas", "Old Egad", "Duma the Martyr", "Drumble", "Troll",
)  # fmt: skip
UPGRADES = ("Soulkeeper", "Phoenix Heart", "Biomatrix Backup", "Armageddon Cloak")
RIFTBOUND = (
    "Watchful Sentry", "Spectral Centaur", "Shipyard Skulker", "Mystic Poro", "LeBlanc, Fragmented", "Kog'Maw, Caustic",
)  # fmt: skip


def keyforge_board(seed: int) -> Board:
    """A KeyForge board: two or three kinds of creatures, most of them more than once, destroyed together or damaged."""
    chance = random.Random(f"keyforge {seed}")
    kinds = []
    for name in chance.sample(KEYFORGE, chance.randint(1, 3)):
        state: Json = {}
        if chance.random() < 0.25:
            state["upgrades"] = [chance.choice(UPGRADES)]
        if chance.random() < 0.15:
            state["ward"] = "true"
        if chance.random() < 0.2:
            state["aember"] = chance.randint(1, 2)
        kinds.append((name, state))
    lines: dict[str, list[Json]] = {"P1": [], "P2": []}
    ids: list[str] = []
    for _ in range(chance.randint(3, 5)):
        name, state = chance.choice(kinds)
        id = f"c{len(ids)}"
        ids.append(id)
        lines[chance.choice(("P1", "P1", "P2"))].append({name: {**state, "id": id}})
    kind = chance.choice(("destroy", "destroy", "damage", "play"))
    event: Json = {"play": "Gateway to Dis"}
    if kind == "destroy":
        event = {"destroy": chance.sample(ids, chance.randint(2, len(ids)))}
    elif kind == "damage":
        amount = chance.randint(2, 5)
        event = {"damage": dict.fromkeys(ids, amount)}
    players: Json = {
        player: {"aember": chance.randint(0, 4), "deck size": 6, "battleline": line} for player, line in lines.items()
    }
    players["P1"]["hand"] = ["Gateway to Dis"] if kind == "play" else []
    return _board({"game": "keyforge", "active": "P1", "players": players, "event": event}, seed)


def riftbound_board(seed: int) -> Board:
    """A Riftbound board: two or three kinds of units, most of them more than once, that die together or one by one."""
    chance = random.Random(f"riftbound {seed}")
    kinds = [
        {name: {"damage": 1} if chance.random() < 0.5 else {}}
        for name in chance.sample(RIFTBOUND, chance.randint(1, 3))
    ]
    places: dict[str, list[Json]] = {"P1": [], "P2": []}
    ids: list[str] = []
    for _ in range(chance.randint(3, 5)):
        ((name, state),) = chance.choice(kinds).items()
        id = f"u{len(ids)}"
        ids.append(id)
        places[chance.choice(("P1", "P2"))].append({name: {**state, "id": id}})
    players: Json = {player: {"deck size": 8, "base": units} for player, units in places.items()}
    if chance.random() < 0.3:
        players[chance.choice(("P1", "P2"))]["base"].append("Zhonya's Hourglass")
    event: Json = {"kill": chance.sample(ids, chance.randint(2, len(ids)))}
    if chance.random() < 0.4:
        event = {"damage": dict.fromkeys(ids, chance.randint(1, 5))}
    return _board({"game": "riftbound", "active": "P1", "players": players, "event": event}, seed)


def _board(layout: Json, seed: int) -> Board:
    layout["title"] = f"random board {seed}"
    return Board.from_text(json.dumps(layout, ensure_ascii=False))
