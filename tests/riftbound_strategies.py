"""Random small Riftbound boards on which units die."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]

UNITS = (
    "Watchful Sentry", "Lonely Poro", "Unsung Hero", "Kog'Maw", "Ruined Rex", "Machine Evangel", "Karthus",
    "Viktor, Leader", "Wraith of Echoes", "Spectral Centaur", "Soraka", "Darius", "Mystic Poro", "Shipyard Skulker",
)  # fmt: skip
SPELLS = ("Flurry of Blades", "The Ruination")
PLAYERS = ("P1", "P2")


@st.composite
def units(draw: st.DrawFn) -> Json:
    """A unit with some state, as it stands in a base or at a battlefield."""
    state: Json = {}
    if draw(st.integers(0, 3)) == 0:
        state["buffed"] = "true"
    if draw(st.integers(0, 3)) == 0:
        state["gear"] = [draw(st.sampled_from(["Guardian Angel", "Doran's Blade"]))]
    return {draw(st.sampled_from(UNITS)): state}


@st.composite
def layouts(draw: st.DrawFn, most: int = 3) -> Json:
    """A whole board file as a mapping. Every unit has an id, by which events speak of it."""
    found = draw(st.lists(st.tuples(units(), st.sampled_from(PLAYERS), st.booleans()), min_size=2, max_size=most))
    players: Json = {name: {"deck size": 6, "base": [], "hand": []} for name in PLAYERS}
    there: Json = {name: [] for name in PLAYERS}
    for number, (unit, player, afield) in enumerate(found):
        next(iter(unit.values()))["id"] = f"u{number}"
        (there if afield else {name: players[name]["base"] for name in PLAYERS})[player].append(unit)
    if draw(st.integers(0, 2)) == 0:
        players[draw(st.sampled_from(PLAYERS))]["base"].append("Zhonya's Hourglass")
    ids = [f"u{number}" for number in range(len(found))]
    kind = draw(st.sampled_from(["kill", "damage", "damage", "resolve"]))
    event: Json
    if kind == "kill":
        event = {"kill": draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))}
    elif kind == "damage":
        hit = draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
        event = {"damage": {id: draw(st.integers(1, 8)) for id in hit}}
    else:
        spell = draw(st.sampled_from(SPELLS))
        players["P1"]["hand"].append(spell)
        event = {"resolve": spell}
    return {
        "game": "riftbound",
        "active": draw(st.sampled_from(PLAYERS)),
        "players": players,
        "battlefields": {"bf1": {"controller": draw(st.sampled_from([*PLAYERS, "none"])), "units": there}},
        "event": {**event, "by": "P1"},
    }


RENAMED = {"P1": "Zoe", "P2": "Ann", **{f"u{number}": f"v{9 - number}" for number in range(10)}}
"""Other names for players and units, which sort otherwise."""


def renamed(value: Any) -> Any:
    """The same with other names."""
    if isinstance(value, dict):
        return {renamed(key): renamed(inside) for key, inside in value.items()}
    if isinstance(value, list):
        return [renamed(item) for item in value]
    return RENAMED.get(value, value) if isinstance(value, str) else value


def rewritten(layout: Json) -> Json:
    """The same board with other names, its keys and its lists in another order where that means nothing."""
    made = deepcopy(layout)
    lists = [player["base"] for player in made["players"].values()]
    for units_there in [*lists, *made["battlefields"]["bf1"]["units"].values(), made["event"].get("kill", [])]:
        units_there.reverse()
    if "damage" in made["event"]:
        made["event"]["damage"] = dict(reversed(made["event"]["damage"].items()))
    for name in ("players", "battlefields"):
        made[name] = {key: dict(reversed(part.items())) for key, part in made[name].items()}
    changed: Json = renamed(dict(reversed(made.items())))
    return changed
