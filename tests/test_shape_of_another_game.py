"""A game with places beside the players is described by facts alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from boards_help import RULES

from lastrites.board import Board
from lastrites.errors import BoardError
from lastrites.factfile import facts_text
from lastrites.state import changes, state
from lastrites.terms import fn
from lastrites.yamlio import dump

SHAPE = """
key(board,1,"game",game). key(board,2,"active",active). key(board,3,"players",players(1,4)).
key(board,4,"hills",places(hill)). key(board,5,"goal",setting_number(goal)). key(board,6,"event",event).
key(board,7,"season",setting(season,season)).
key(player,1,"gold",number(gold)). key(player,2,"mana",numbers(mana,colour)).
key(player,3,"row",zone(row,line)). key(player,4,"grave",zone(grave,pile)).
key(hill,1,"fame",number(fame)). key(hill,2,"held by",holder(holds)). key(hill,3,"seen by",holders(seen)).
key(hill,4,"land",card(land)). key(hill,5,"units",cards(unit,line)). key(hill,6,"trap",one_each(trap)).
key(card,1,"damage",numbers_by_player(damage)). key(card,2,"role",state(role)). key(card,3,"gear",attached(worn)).
key(card,4,"lent to",holder(lent)). key(board,10,"storms",pairs(storm,season)).
key(event,1,"storm",yes(storm)). key(event,2,"march",card(march)). key(event,3,"to",detail(to,place)).
key(event,4,"by",by). key(event,5,"begin",word(begin,season)). key(event,6,"clash",amounts_between(clash)).
key(event,7,"times",detail(times,number)). key(event,8,"price",detail(price,effect)).
key(board,8,"may",offers). key(offer,1,"march",card(march)). key(board,9,"cards",cards).
key(definition,1,"kind",word(kind,kind)). key(definition,2,"abilities",abilities).
key(ability,1,"when",when). key(ability,2,"steps",steps).
key(outcome,1,"winner",holder(winner)). reserved("winner").
"""
WORDS = """
word(colour,"red",red). word(colour,"blue",blue). word(season,"winter",winter). word(role,"guard",guard).
says(worn,1,"worn by {1}"). word(kind,"beast",beast). word(when,"winter",winter).
verb("hatch",hatch,created). word(created,"Ant",ant). says(hatch,2,"hatch {2} {1}").
"""
CARDS = "".join(f"% @card({name.lower()}) {name}\n" for name in ("Ant", "Bee", "Cat", "Hat", "Moor"))
TEXT = """game: hills
active: P1
players:
  P1: {gold: 2, mana: {red: 1, blue: 0}, row: [Ant: {damage: {P2: 2}, role: guard, gear: [Hat]}]}
  P2: {grave: [Bee]}
  P3: {}
goal: 8
season: winter
hills:
  north: {fame: 3, held by: P2, seen by: [P1, P3], land: Moor, units: {P1: [Cat, Ant], P2: [Bee]}, trap: {P2: Cat}}
  south: {held by: none}
event:
  - {march: "Ant#1", to: north, times: 2}
  - {storm: true, by: P3, price: {hatch: {Ant: 1}}}
  - {clash: {"Ant#1": {"Bee#1": 1, "Bee#2": 2}}}
  - begin: winter
"""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rules")
    (folder / "core").mkdir()
    for part in ("shape.lp", "words.lp"):
        shutil.copy(RULES / "core" / part, folder / "core" / part)
    (folder / "hills" / "cards").mkdir(parents=True)
    (folder / "hills" / "shape.lp").write_text(SHAPE)
    (folder / "hills" / "words.lp").write_text(WORDS)
    (folder / "hills" / "cards" / "all.lp").write_text(CARDS)
    return folder


def test_what_its_boards_become(rules: Path) -> None:
    read = Board.from_text(TEXT, rules=rules)
    assert {
        fn("setting", fn("goal"), 8),
        fn("setting", fn("season"), fn("winter")),
        fn("init", fn("num", fn("mana", "P1", fn("red")), 1)),
        fn("init", fn("num", fn("damage", "Ant#1", "P2"), 2)),
        fn("init", fn("is", "Ant#1", fn("guard"))),
        fn("init", fn("is_place", fn("hill"), "south")),
        fn("init", fn("num", fn("fame", "north"), 3)),
        fn("init", fn("holds", "north", "P2")),
        fn("init", fn("seen", "north", "P3")),
        fn("init", fn("zone", "Moor", "north", fn("land"))),
        fn("init", fn("zone", "Ant#2", "P1", fn("at", fn("unit"), "north"))),
        fn("init", fn("place", "Ant#2", 2)),
        fn("init", fn("zone", "Cat#2", "P2", fn("at", fn("trap"), "north"))),
        fn("event", 1, fn("march", "Ant#1"), "P1"),
        fn("event_detail", 1, fn("to"), "north"),
        fn("event_detail", 1, fn("times"), 2),
        fn("event_detail", 2, fn("price"), fn("hatch", fn("ant"), 1)),
        fn("event", 2, fn("storm"), "P3"),
        fn("event_amount", 3, "Ant#1", "Bee#2", 2),
        fn("event", 4, fn("begin", fn("winter")), "P1"),
    } <= set(read.facts)
    again = Board.from_text(facts_text(read), "hills.lp", rules=rules)
    assert set(again.facts) == set(read.facts)


def test_its_states_are_boards(rules: Path) -> None:
    read = Board.from_text(TEXT, rules=rules)
    written = state(read, read.initial())
    assert written["hills"]["north"] == {
        "fame": 3,
        "held by": "P2",
        "seen by": ["P1", "P3"],
        "land": "Moor",
        "units": {"P1": ["Cat#1", "Ant#2"], "P2": ["Bee#2"]},
        "trap": {"P2": "Cat#2"},
    }
    hills = written.pop("hills")
    file = dump({"game": "hills", "active": "P1", "players": written, "hills": hills})
    assert Board.from_text(file, rules=rules).initial() == read.initial()


def test_its_changes_in_words(rules: Path) -> None:
    read = Board.from_text(TEXT, rules=rules)
    before = read.initial()
    after = before - {
        fn("num", fn("mana", "P1", fn("red")), 1),
        fn("num", fn("damage", "Ant#1", "P2"), 2),
        fn("zone", "Hat", "P1", fn("worn")),
        fn("host", "Hat", "Ant#1"),
    }
    after |= {fn("zone", "Hat", "P1", fn("grave")), fn("num", fn("damage", "Ant#1", "P2"), 3)}
    assert changes(read, before, after) == [
        "P1: red mana 1 -> 0",
        "Ant#1: damage by P2 2 -> 3",
        "Hat: worn by Ant#1 -> grave",
    ]
    taken = before - {fn("holds", "north", "P2")} | {fn("holds", "north", "P1"), fn("seen", "north", "P2")}
    assert changes(read, before, taken) == ["north: held by P2 -> P1", "north: seen by P1, P3 -> P1, P2, P3"]
    won = before | {fn("winner", "P3")}
    assert changes(read, before, won) == ["winner: P3"]
    assert state(read, won)["winner"] == "P3"
    assert "winner" not in state(read, before)


def test_what_players_may_do_of_their_own_accord(rules: Path) -> None:
    read = Board.from_text(TEXT + "may: {P1: [march Cat#1, march Hat], P2: [march Bee#2]}\n", rules=rules)
    assert [fact for fact in read.facts if fact.name == "offer"] == [
        fn("offer", "P1", 1, fn("march", "Cat#1")),
        fn("offer", "P1", 2, fn("march", "Hat")),
        fn("offer", "P2", 3, fn("march", "Bee#2")),
    ]
    for wrong, code in (("dance Hat", "LR-E014"), ("march Dog", "LR-E018"), ("march", "LR-E018"), ("[Hat]", "LR-E014")):
        with pytest.raises(BoardError) as error:
            Board.from_text(TEXT + f"may: {{P1: [{wrong}]}}\n", rules=rules)
        assert [problem.code for problem in error.value.problems] == [code]


def test_cards_and_boards_that_name_players_and_places(rules: Path) -> None:
    text = TEXT.replace("{P2: 2}, role", "{P2: 2}, lent to: P2, role") + "storms: {winter: north}\n"
    read = Board.from_text(text, rules=rules)
    assert {fn("init", fn("lent", "Ant#1", "P2")), fn("init", fn("storm", fn("winter"), "north"))} <= set(read.facts)
    assert state(read, read.initial())["P1"]["row"][0]["Ant#1"]["lent to"] == "P2"
    for wrong in ("storms: north", "storms: {summer: north}", "storms: {winter: south-west}"):
        with pytest.raises(BoardError):
            Board.from_text(TEXT + wrong + "\n", rules=rules)


def test_names_are_kept_ready_for_cards_that_may_come_to_be(rules: Path) -> None:
    extra = "cards: {Queen: {kind: beast, abilities: [{when: winter, steps: [{hatch: {Ant: 1}}]}]}}\n"
    read = Board.from_text(TEXT.replace("grave: [Bee]", "grave: [Bee, Queen, Queen]") + extra, rules=rules)
    spare = [fact for fact in read.facts if fact.name == "spare"]
    assert spare[:4] == [fn("spare", f"Ant#{2 + place}", "P1", place) for place in range(1, 5)]
    assert [fact.args[1] for fact in spare] == ["P1"] * 4 + ["P2"] * 4 + ["P3"] * 4
    assert {fn("card", "Ant#14"), fn("prints", "Ant#14", "ant"), fn("owner", "Ant#14", "P3")} <= set(read.facts)
    assert not any(fact.name == "init" and "Ant#3" in fact.args[0].args for fact in read.facts)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("held by: P2", "held by: P9", "LR-E024"),
        ("fame: 3", "fame: x", "LR-E015"),
        ("fame: 3", "fam: 3", "LR-E012"),
        ("trap: {P2: Cat}", "trap: Cat", "LR-E014"),
        ("units: {P1:", "units: {P7:", "LR-E024"),
        ("to: north", "to: west", "LR-E016"),
        ("storm: true", "storm: maybe", "LR-E016"),
        ("begin: winter", "begin: summer", "LR-E016"),
        ("  P3: {}", "  winner: {}", "LR-E024"),
        ("goal: 8", "goal: eight", "LR-E015"),
    ],
)
def test_its_wrong_files(rules: Path, old: str, new: str, code: str) -> None:
    with pytest.raises(BoardError) as caught:
        Board.from_text(TEXT.replace(old, new), rules=rules)
    assert code in {problem.code for problem in caught.value.problems}
