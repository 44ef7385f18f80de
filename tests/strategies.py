"""Random small boards of the library cards on which destruction does something."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from lastrites.board import Board

Json = dict[str, Any]

CREATURES = {
    "Bad Penny": 1, "Dust Imp": 2, "Brend the Fanatic": 3, "Grenade Snib": 2, "Sacro-Fiend": 4, "Volax": 14,
    "Duma the Martyr": 3, "Old Egad": 1, "Soleft": 3, "Scaethe": 2, "Burnished Nickles": 2, "Dark Minion": 1,
    "Harbinger of Doom": 2, "Titan Guardian": 5, "Archimedes": 2, "Johnny Longfingers": 4, "Tolas": 1, "Neffru": 4,
    "Troll": 8, "Bumpsy": 5, "Drumble": 2, "Reassembling Automaton": 3,
}  # fmt: skip
"""Creatures with their power."""

UPGRADES = ("Soulkeeper", "Phoenix Heart", "Biomatrix Backup", "Armageddon Cloak")
ACTIONS = ("Gateway to Dis", "Poison Wave")


@st.composite
def creatures(draw: st.DrawFn) -> Json:
    """A creature with some state, as it stands in a battleline."""
    name = draw(st.sampled_from(sorted(CREATURES)))
    state: Json = {}
    if CREATURES[name] > 1 and draw(st.booleans()):
        state["damage"] = draw(st.integers(1, CREATURES[name] - 1))
    if draw(st.integers(0, 5)) == 0:
        state["ward"] = "true"
    if draw(st.integers(0, 4)) == 0:
        state["aember"] = draw(st.integers(1, 2))
    if draw(st.integers(0, 3)) == 0:
        state["upgrades"] = [draw(st.sampled_from(UPGRADES))]
    return {name: state}


@st.composite
def layouts(draw: st.DrawFn, most: int = 4) -> Json:
    """A whole board file as a mapping. Every creature has an id, by which events speak of it."""
    mine = draw(st.lists(creatures(), min_size=1, max_size=max(1, most - 1)))
    theirs = draw(st.lists(creatures(), min_size=1, max_size=max(1, most - len(mine))))
    for number, creature in enumerate([*mine, *theirs]):
        next(iter(creature.values()))["id"] = f"c{number}"
    ids = [f"c{number}" for number in range(len(mine) + len(theirs))]
    kind = draw(st.sampled_from(["destroy", "destroy", "damage", "play", "fight"]))
    hand: list[str] = []
    event: Json
    if kind == "destroy":
        event = {"destroy": draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))}
    elif kind == "damage":
        hit = draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
        event = {"damage": {id: draw(st.integers(1, 5)) for id in hit}}
    elif kind == "play":
        hand = [draw(st.sampled_from(ACTIONS))]
        event = {"play": hand[0]}
    else:
        event = {"fight": [ids[0], ids[-1]]}
    pools = st.integers(0, 4)
    return {
        "game": "keyforge",
        "active": "P1",
        "players": {
            "P1": {"aember": draw(pools), "deck size": 6, "battleline": mine, "hand": hand},
            "P2": {"aember": draw(pools), "deck size": 6, "battleline": theirs},
        },
        "event": event,
    }


UNITS = {
    "Watchful Sentry": 1, "LeBlanc, Fragmented": 3, "Lonely Poro": 2, "Unsung Hero": 2, "Kog'Maw, Caustic": 1,
    "Ruined Rex": 6, "Draven, Audacious": 6, "Machine Evangel": 4, "Karthus, Eternal": 3, "Viktor, Leader": 4,
    "Wraith of Echoes": 5, "Spectral Centaur": 5, "Shipyard Skulker": 3, "Pyke, Returned": 3, "Stalwart Poro": 2,
}  # fmt: skip
"""Riftbound units with their Might."""

GEAR = ("Zhonya's Hourglass", "Guardian Angel")


@st.composite
def deathbeds(draw: st.DrawFn, most: int = 5) -> Json:
    """A whole Riftbound board as a mapping, on which units die together. Every unit has an id."""
    numbers = iter(range(100))

    def unit() -> Json:
        name = draw(st.sampled_from(sorted(UNITS)))
        state: Json = {"id": f"u{next(numbers)}"}
        if UNITS[name] > 1 and draw(st.integers(0, 2)) == 0:
            state["damage"] = draw(st.integers(1, UNITS[name] - 1))
        if draw(st.integers(0, 5)) == 0:
            state["gear"] = ["Guardian Angel"]
        return {name: state}

    sizes = [draw(st.integers(1, most - 1)), draw(st.integers(0, 2))]
    places = [[unit() for _ in range(size)] for size in (*sizes, 1)]
    ids = [next(iter(each.values()))["id"] for place in places for each in place]
    chosen = draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
    kind = draw(st.sampled_from(["kill", "damage", "spell"]))
    event: Json = {"kill": chosen}
    if kind == "damage":
        event = {"damage": {each: draw(st.integers(1, 6)) for each in chosen}}
    elif kind == "spell":
        event = {"resolve": "Flurry of Blades"}
    gear = [draw(st.sampled_from(GEAR))] if draw(st.integers(0, 4)) == 0 else []
    return {
        "game": "riftbound",
        "active": draw(st.sampled_from(["P1", "P2"])),
        "players": {
            "P1": {"deck size": 9, "base": [*places[0], *gear], "hand": ["Flurry of Blades"]},
            "P2": {"deck size": 9, "base": places[1]},
        },
        "battlefields": {"bf1": {"controller": "P2", "units": {"P2": places[2]}}},
        "event": event if kind != "spell" else {**event, "by": "P1"},
    }


def board_of(layout: Json) -> Board:
    """The board of a layout."""
    return Board.from_text(json.dumps(layout, ensure_ascii=False))


# ---- the same board, written otherwise

STAND_INS: dict[str, tuple[str, Json]] = {
    "Dust Imp": ("Zebra", {"type": "creature", "house": "dis", "traits": ["imp"], "power": 2,
                           "abilities": [{"when": "destroyed", "steps": [{"gain": 2}]}]}),
    "Bad Penny": ("Aardvark", {"type": "creature", "house": "shadows", "traits": ["human", "thief"], "power": 1,
                               "abilities": [{"when": "destroyed", "steps": [{"move": {"self": "hand"}}]}]}),
    "Soleft": ("Yak", {"type": "creature", "house": "unfathomable", "traits": ["aquan"], "power": 3,
                       "abilities": [{"when": "destroyed",
                                      "steps": [{"destroy": "an enemy creature on the left flank"}]}]}),
    "Troll": ("Ant", {"type": "creature", "house": "brobnar", "traits": ["giant"], "power": 8}),
}  # fmt: skip
"""Cards of one's own that do the same as cards of the library."""

PLAYERS = {"P1": "Zoe", "P2": "Ann"}


def rewritten(layout: Json) -> Json:
    """The same board with other names of cards and players, keys and lists in another order where it means nothing."""
    made = deepcopy(layout)
    for player in made["players"].values():
        for creature in player["battleline"]:
            ((name, state),) = list(creature.items())
            if name in STAND_INS:
                del creature[name]
                creature[STAND_INS[name][0]] = state
    made["cards"] = dict(STAND_INS.values())
    if "destroy" in made["event"]:
        made["event"]["destroy"].reverse()
    if "damage" in made["event"]:
        made["event"]["damage"] = dict(reversed(made["event"]["damage"].items()))
    made["players"] = {
        PLAYERS[name]: dict(reversed(player.items())) for name, player in reversed(made["players"].items())
    }
    made["active"] = PLAYERS["P1"]
    return dict(reversed(made.items()))
