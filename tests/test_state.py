"""Fluents back to board files, and what changed in words."""

from __future__ import annotations

from typing import Any

from boards_help import NAMES, board, zones
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lastrites.board import Board
from lastrites.state import StateWriter, changes, state
from lastrites.terms import Term, fn
from lastrites.yamlio import dump


def as_file(written: dict[str, Any], definitions: str = "") -> str:
    """A board file with this state under ``players:``."""
    players = {player: written[player] for player in ("Ann", "Bob")}
    return definitions + dump({"game": "keyforge", "active": "Ann", "players": players})


def written(read: Board) -> dict[str, Any]:
    return state(read, read.initial())


def test_a_whole_state() -> None:
    read = board(
        zones(
            """aember: 3
keys: 0
deck size: 4
deck: [Troll]
discard: [Soleft, Dust Imp, Soleft]
battleline:
  - Old Egad: {damage: 1, ward: true, enraged: false, armor used: 2, power: 9, owner: Bob,
               counters: {"+1 power": 2}, icons: [aember, {house: dis}], upgrades: [Soulkeeper]}
  - "[REDACTED]": {id: x}
"""
        )
    )
    assert written(read) == {
        "Ann": {
            "aember": 3,
            "deck size": 4,
            "battleline": [
                {
                    "Old Egad": {
                        "owner": "Bob",
                        "damage": 1,
                        "ward": True,
                        "armor used": 2,
                        "power": 9,
                        "icons": ["aember", {"house": "dis"}],
                        "counters": {"+1 power": 2},
                        "upgrades": ["Soulkeeper"],
                    }
                },
                "[REDACTED]",
            ],
            "deck": ["Troll"],
            "discard": ["Dust Imp", "Soleft#1", "Soleft#2"],
        },
        "Bob": {},
    }


def test_order_of_lines_and_piles() -> None:
    read = board(zones("battleline: [Troll, Dust Imp, Soleft]"))
    moved = [fn("zone", card, "Ann", fn("discard")) for card in ("Troll", "Dust Imp", "Soleft")]
    assert state(read, moved)["Ann"] == {"discard": ["Dust Imp", "Soleft", "Troll"]}
    arranged = [*moved, *(fn("place", card, place) for place, card in enumerate(("Soleft", "Troll", "Dust Imp")))]
    assert state(read, arranged)["Ann"] == {"discard": ["Soleft", "Troll", "Dust Imp"]}
    line = [fn("zone", card, "Ann", fn("battleline")) for card in ("Troll", "Dust Imp", "Soleft")]
    ranks = [fn("place", "Troll", 7), fn("place", "Dust Imp", -1), fn("place", "Soleft", 3)]
    assert state(read, [*line, *ranks])["Ann"] == {"battleline": ["Dust Imp", "Soleft", "Troll"]}


def test_what_a_board_cannot_say_is_left_out() -> None:
    read = board(zones("battleline: [Troll]"))
    extra = [
        fn("frame", 1, fn("script", 2)),
        fn("pend", 1, fn("t", "Troll", fn("ab", "Troll", 1), fn("none"))),
        fn("is", "Troll", fn("tagged")),
        fn("num", fn("chosen", 1), 2),
        fn("answered", fn("cascade"), fn("nested")),
    ]
    assert state(read, [*read.initial(), *extra]) == {"Ann": {"battleline": ["Troll"]}, "Bob": {}}


def test_tenth_copies_come_after_second_ones() -> None:
    read = board(zones(f"hand: [{', '.join(['Troll'] * 11)}]"))
    assert written(read)["Ann"]["hand"] == [f"Troll#{number}" for number in range(1, 12)]


# ---- every state is a board


FLAGS = ("ward", "stunned", "enraged", "exhausted")
OWNED = st.dictionaries(st.just("owner"), st.sampled_from(["Ann", "Bob"]))
STATES = st.fixed_dictionaries(
    {},
    optional={
        "damage": st.integers(0, 9),
        "aember": st.integers(0, 3),
        "armor used": st.integers(0, 2),
        "power": st.integers(0, 12),
        "counters": st.fixed_dictionaries({}, optional={"+1 power": st.integers(0, 3)}),
        "icons": st.lists(st.sampled_from(["aember", "draw", {"house": "star alliance"}]), max_size=3),
        "owner": st.sampled_from(["Ann", "Bob"]),
        **{flag: st.booleans() for flag in FLAGS},
    },
)
# Names alone, and copies that say which they are: these must come out as they went in.
PLAIN = st.sampled_from(NAMES).map(str)


def with_state(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda name, kept, ups, under: {name: {**kept, "upgrades": ups, "under": under}},
        PLAIN,
        STATES,
        st.lists(inner, max_size=2),
        st.lists(inner, max_size=1),
    )


CARDS = st.recursive(PLAIN | st.builds(lambda name, kept: {name: kept}, PLAIN, STATES), with_state, max_leaves=4)
ZONES = st.fixed_dictionaries(
    {},
    optional={
        "aember": st.integers(0, 20),
        "chains": st.integers(0, 3),
        "deck size": st.integers(20, 40),
        **{
            zone: st.lists(CARDS, max_size=3)
            for zone in ("battleline", "artifacts", "hand", "deck", "discard", "archives", "purged")
        },
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ZONES, ZONES)
def test_a_whole_state_is_a_board_with_the_same_fluents(ann: dict[str, Any], bob: dict[str, Any]) -> None:
    first = board(as_file({"Ann": ann, "Bob": bob}))
    once = written(first)
    again = board(as_file(once))
    assert again.initial() == first.initial()
    assert written(again) == once
    static = ("card", "prints", "owner", "override", "override_item", "player", "turn")
    assert {fact for fact in again.facts if fact.name in static} == {
        fact for fact in first.facts if fact.name in static
    }


def test_states_do_not_depend_on_the_order_of_fluents() -> None:
    read = board(zones("battleline: [Troll, Troll, Dust Imp: {upgrades: [Soulkeeper, Soulkeeper]}]\nhand: [Soleft]"))
    fluents = sorted(read.initial(), key=str)
    writer = StateWriter(read)
    assert dump(writer.state(fluents)) == dump(writer.state(reversed(fluents)))


# ---- changes


def test_changes_in_words() -> None:
    read = board(
        zones(
            "deck size: 5\n"
            "battleline: [Troll: {damage: 2}, Dust Imp: {damage: 1, ward: true, upgrades: [Soulkeeper]}]\n"
            "hand: [Soleft: {ward: true}]",
            "{battleline: [Old Egad]}",
        )
    )
    before = read.initial()

    def num(quantity: Term, number: int) -> Term:
        return fn("num", quantity, number)

    gone = {
        fn("zone", "Dust Imp", "Ann", fn("battleline")),
        fn("place", "Dust Imp", 2),
        fn("is", "Dust Imp", fn("ward")),
        num(fn("damage", "Dust Imp"), 1),
        fn("zone", "Soulkeeper", "Ann", fn("attached")),
        fn("host", "Soulkeeper", "Dust Imp"),
        fn("zone", "Old Egad", "Bob", fn("battleline")),
        num(fn("damage", "Troll"), 2),
        num(fn("anonymous", "Ann", fn("deck")), 5),
        fn("is", "Soleft", fn("ward")),
    }
    come = {
        fn("zone", "Dust Imp", "Ann", fn("discard")),
        fn("zone", "Soulkeeper", "Ann", fn("discard")),
        fn("zone", "Old Egad", "Ann", fn("battleline")),
        fn("is", "Troll", fn("tagged")),
        num(fn("damage", "Troll"), 3),
        num(fn("counter", "Troll", fn("power")), 1),
        num(fn("pool", "Bob"), 2),
        num(fn("anonymous", "Ann", fn("deck")), 3),
        num(fn("anonymous", "Ann", fn("hand")), 2),
        fn("frame", 2, fn("x")),
    }
    assert gone <= before
    assert changes(read, before, before - gone | come) == [
        "Ann: deck size 5 -> 3",
        "Ann: hand size 1 -> 3",
        "Bob: aember 0 -> 2",
        "Troll: +1 power counters 0 -> 1",
        "Troll: damage 2 -> 3",
        "Troll: tagged",
        "Dust Imp: battleline -> discard",
        "Soulkeeper: on Dust Imp -> discard",
        "Soleft: no longer ward",
        "Old Egad: Bob's battleline -> Ann's battleline",
    ]
    assert changes(read, before, before) == []
