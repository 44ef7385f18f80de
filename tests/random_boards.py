"""Random boards of both games with several copies of a card on them, for comparing ways of exploring."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
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


APART = (
    {"move": {"self": "hand"}}, {"move": {"self": "archives"}}, {"gain": 1}, {"gain": {"opponent": 1}}, {"steal": 1},
    {"draw": 1}, {"draw": {"opponent": 1}}, {"discard from deck": 1}, {"ward": "each friendly TRAIT creature"},
    {"ward": "a friendly TRAIT creature"}, {"stun": "an enemy TRAIT creature"}, {"destroy": "each TRAIT creature"},
    {"damage": {"a TRAIT creature": 1}}, {"damage": {"each enemy TRAIT creature": 2}}, {"exhaust": "a TRAIT creature"},
    {"heal": "each TRAIT creature"}, {"destroy": "a TRAIT creature"},
)  # fmt: skip
"""What an ability does, mostly to those of one trait."""


def keyforge_board_of_groups(seed: int) -> Board:
    """A KeyForge board: abilities that resolve in one window, most of which have nothing to do with each other."""
    chance = random.Random(f"groups {seed}")
    traits = ("imp", "elf", "cat", "demon")
    lines: dict[str, list[Json]] = {"P1": [], "P2": []}
    cards: Json = {}
    dying = []
    for place in range(chance.randint(2, 4)):
        trait = traits[place] if chance.random() < 0.85 else chance.choice(traits)
        steps = [json.loads(json.dumps(chance.choice(APART)).replace("TRAIT", trait))]
        if chance.random() < 0.2:
            steps.insert(0, "you may")
        if chance.random() < 0.2:
            steps.append({"gain": 1})
        name = f"Dying {place}"
        cards[name] = {"type": "creature", "power": 3, "abilities": [{"when": "destroyed", "steps": steps}]}
        dying.append(name)
        lines[chance.choice(("P1", "P1", "P2"))].append({name: {}})
    for place in range(chance.randint(2, 5)):
        name = f"Standing {place}"
        cards[name] = {"type": "creature", "power": chance.randint(1, 4), "traits": [chance.choice(traits)]}
        if chance.random() < 0.3:
            steps = [chance.choice(({"gain": 1}, {"move": {"self": "hand"}}, {"draw": 1}))]
            cards[name]["abilities"] = [{"when": "destroyed", "steps": steps}]
        lines[chance.choice(("P1", "P2"))].append({name: {"ward": "true"} if chance.random() < 0.15 else {}})
    players: Json = {
        player: {"aember": chance.randint(0, 2), "deck size": 4, "battleline": line} for player, line in lines.items()
    }
    layout: Json = {"game": "keyforge", "active": "P1", "cards": cards, "players": players, "event": {"destroy": dying}}
    return _board(layout, seed)


SEVERAL_ENDS = (
    ["you may", {"move": {"self": "hand"}}], ["you may", {"move": {"self": "archives"}}],
    [{"ward": "a friendly TRAIT creature"}], [{"stun": "a TRAIT creature"}], [{"damage": {"a TRAIT creature": 2}}],
    [{"destroy": "a TRAIT creature"}], ["you may", {"destroy": "each TRAIT creature"}], ["you may", {"gain": 1}],
    ["you may", {"draw": 1}], [{"exhaust": "a TRAIT creature"}], [{"heal": "a TRAIT creature"}],
    [{"move": {"a TRAIT creature": "hand"}}], ["you may", {"steal": 1}], [{"move": {"a TRAIT creature": "archives"}}],
)  # fmt: skip
"""What an ability does, mostly in several ways."""


def keyforge_board_of_ends(seed: int) -> Board:
    """A KeyForge board: groups of one or two abilities, most of which can end in several ways; also in an order that
    matters, and with questions."""
    chance = random.Random(f"ends {seed}")
    lines: dict[str, list[Json]] = {"P1": [], "P2": []}
    cards: Json = {}
    dying = []
    for trait in ("imp", "elf", "cat")[: chance.choice((2, 2, 3))]:
        for place in range(chance.choice((1, 1, 1, 2))):
            steps = json.loads(json.dumps(chance.choice(SEVERAL_ENDS)).replace("TRAIT", trait))
            name = f"{trait.capitalize()} dying {place}"
            cards[name] = {"type": "creature", "power": 3, "abilities": [{"when": "destroyed", "steps": steps}]}
            dying.append(name)
            lines[chance.choice(("P1", "P1", "P2"))].append({name: {}})
        for place in range(chance.choice((1, 2, 2))):
            name = f"{trait.capitalize()} {place}"
            cards[name] = {"type": "creature", "power": chance.randint(1, 4), "traits": [trait]}
            if chance.random() < 0.25:
                steps = chance.choice(([{"move": {"self": "hand"}}], ["you may", {"move": {"self": "archives"}}]))
                cards[name]["abilities"] = [{"when": "destroyed", "steps": steps}]
            state = {"damage": 1} if chance.random() < 0.2 and cards[name]["power"] > 1 else {}
            lines[chance.choice(("P1", "P2"))].append({name: state})
    players: Json = {
        player: {"aember": chance.randint(0, 2), "deck size": 4, "battleline": line} for player, line in lines.items()
    }
    layout: Json = {"game": "keyforge", "active": "P1", "cards": cards, "players": players, "event": {"destroy": dying}}
    return _board(layout, seed)


KNELLS = (
    {"draw": 1}, {"draw": {"opponent": 1}}, {"score": 1}, {"score": {"opponent": 1}},
    {"buff": "each friendly exhausted unit"}, {"buff": "a friendly unit"}, {"stun": "an enemy unit"},
    {"stun": "each friendly exhausted unit"}, {"kill": "each enemy damaged unit"}, {"ready": "each exhausted unit"},
    {"damage": {"each enemy exhausted unit": 1}}, {"might this turn": {"each friendly exhausted unit": 1}},
)  # fmt: skip
"""What a Deathknell does, mostly to units in some condition."""


def riftbound_board_of_groups(seed: int) -> Board:
    """A Riftbound board: Deathknells of units that die together, many of which have nothing to do with each other."""
    chance = random.Random(f"knells {seed}")
    bases: dict[str, list[Json]] = {"P1": [], "P2": []}
    cards: Json = {}
    dying = []
    for place, step in enumerate(chance.sample(KNELLS, chance.randint(3, 4))):
        name = f"Dying {place}"
        cards[name] = {"type": "unit", "might": 3, "abilities": [{"when": "deathknell", "steps": [step]}]}
        dying.append(name)
        bases[chance.choice(("P1", "P1", "P1", "P2"))].append({name: {}})
    for place in range(chance.randint(2, 4)):
        name = f"Standing {place}"
        cards[name] = {"type": "unit", "might": chance.randint(2, 4)}
        if chance.random() < 0.3:
            cards[name]["abilities"] = [{"when": "deathknell", "steps": [{"draw": 1}]}]
        state: Json = {"damage": 1} if chance.random() < 0.4 else {}
        if chance.random() < 0.4:
            state["exhausted"] = "true"
        bases[chance.choice(("P1", "P2"))].append({name: state})
    players: Json = {player: {"deck size": 6, "base": units} for player, units in bases.items()}
    layout: Json = {"game": "riftbound", "active": "P1", "cards": cards, "players": players, "event": {"kill": dying}}
    return _board(layout, seed)


def riftbound_board_of_ends(seed: int) -> Board:
    """A Riftbound board: Deathknells in twos, of which one asks for exhausted units and the other readies them, so that
    their order matters; each two speak of other units than the others."""
    chance = random.Random(f"last words {seed}")
    bases: dict[str, list[Json]] = {"P1": [], "P2": []}
    field: dict[str, list[Json]] = {"P1": [], "P2": []}
    cards: Json = {}
    dying = []
    sides = [(side, where) for side in ("friendly", "enemy") for where in ("in a base", "at a battlefield")]
    for side, where in chance.sample(sides, chance.randint(2, 2 + (seed % 3 == 0))):
        those = f"each {side} exhausted unit {where}"
        before = chance.choice(({"buff": those}, {"damage": {those: 1}}, {"stun": those}, {"kill": those}))
        steps = [before, {"ready": those}] if chance.random() < 0.8 else [before]
        for step in steps:
            name = f"Dying {len(dying)}"
            cards[name] = {"type": "unit", "might": 3, "abilities": [{"when": "deathknell", "steps": [step]}]}
            dying.append(name)
        name = f"Standing {len(dying)}"
        cards[name] = {"type": "unit", "might": chance.randint(2, 4)}
        place = bases if where == "in a base" else field
        state: Json = {"exhausted": "true"} if chance.random() < 0.9 else {}
        place["P1" if side == "friendly" else "P2"].append({name: state})
    # Units of one player only stand at each battlefield: no combat is to come.
    places = {f"bf{n}": {"card": "Obelisk", "units": {p: units}} for n, (p, units) in enumerate(field.items()) if units}
    bases["P1"] += dying
    players: Json = {player: {"deck size": 6, "base": units} for player, units in bases.items()}
    layout: Json = {"game": "riftbound", "active": "P1", "cards": cards, "players": players, "event": {"kill": dying}}
    if places:
        layout["battlefields"] = places
        cards["Obelisk"] = {"type": "battlefield"}
    return _board(layout, seed)


def _board(layout: Json, seed: int) -> Board:
    layout["title"] = f"random board {seed}"
    return Board.from_text(json.dumps(layout, ensure_ascii=False))


def holding(check: Callable[[Board], bool], make: Callable[[int], Board], boards: int) -> int:
    """On how many of the first boards a check takes effect. Raises AssertionError for the board on which it fails."""
    found = 0
    for seed in range(boards):
        try:
            found += check(make(seed))
        except AssertionError as error:
            raise AssertionError(f"board {seed} of {make.__name__}") from error
    return found
