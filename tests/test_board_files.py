"""Board files: what they become, and what is said about wrong ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from boards_help import HEAD, NAMES, RULES, board, small_rules, zones

from lastrites.board import Board
from lastrites.errors import CODES, BoardError, Problem
from lastrites.factfile import facts_text
from lastrites.game import known_games, load_game
from lastrites.terms import Term, fn

FIGHT = "event: {fight: [Troll, Dust Imp]}\n"


def init(name: str, *args: object) -> Term:
    return fn("init", Term(name, args))  # type: ignore[arg-type]  # any mixture of values


def problems(text: str, path: str = "b.yaml") -> list[Problem]:
    with pytest.raises(BoardError) as caught:
        board(text, path)
    assert all(problem.code in CODES for problem in caught.value.problems)
    assert all(problem.file == path for problem in caught.value.problems)
    return list(caught.value.problems)


# ---- what a board becomes


EXAMPLE = """
game: keyforge
title: Marcus fights a Dust Imp that wears a Soulkeeper
edition: "17.4"
readings: {cascade: nested}
active: Marcus
house: brobnar
players:
  Marcus:
    aember: 0
    battleline:
      - Groggins: {upgrades: [Phoenix Heart]}
  Janelle:
    battleline:
      - Dust Imp: {damage: 0, upgrades: [Soulkeeper]}
      - Drumble
      - Shaffles
event: {fight: [Groggins, Dust Imp]}
expect: {orders: 2}
"""


def test_an_example_with_the_library_that_is_shipped() -> None:
    read = Board.from_text(EXAMPLE)
    assert (read.game, read.players, read.edition) == ("keyforge", ("Marcus", "Janelle"), "17.4")
    assert read.readings == {"cascade": "nested"}
    assert read.places["readings.cascade"] == (5, 12)
    assert read.expect is not None
    assert {
        fn("turn", "Janelle", 2),
        fn("active", "Marcus"),
        fn("setting", fn("house"), fn("brobnar")),
        fn("prints", "Phoenix Heart", "phoenix-heart"),
        init("host", "Soulkeeper", "Dust Imp"),
        init("zone", "Soulkeeper", "Janelle", fn("attached")),
        init("place", "Shaffles", 3),
        fn("event", 1, fn("fight", "Groggins", "Dust Imp"), "Marcus"),
    } <= set(read.facts)


def test_numbers_states_and_zones() -> None:
    read = board(
        zones(
            """aember: 3
deck size: 4
deck: [Troll]
discard: [Soleft, Dust Imp]
battleline:
  - Old Egad: {damage: 1, ward: true, stunned: false, armor used: 2, power: 9, counters: {"+1 power": 2},
               icons: [aember, {house: dis}], owner: Bob, upgrades: [Soulkeeper: {owner: Ann}], under: [Zan: the #2]}
""".replace("[Zan: the #2]", '["Zan: the #2"]')
        )
    )
    facts = set(read.facts)
    assert {
        init("num", fn("pool", "Ann"), 3),
        init("num", fn("anonymous", "Ann", fn("deck")), 3),
        init("place", "Troll", 1),
        fn("listed", "Dust Imp", 2),
        init("num", fn("damage", "Old Egad"), 1),
        init("is", "Old Egad", fn("ward")),
        init("num", fn("used", "Old Egad"), 2),
        fn("override", "Old Egad", fn("power"), 9),
        init("num", fn("counter", "Old Egad", fn("power")), 2),
        fn("override", "Old Egad", fn("icons"), 2),
        fn("override_item", "Old Egad", fn("icons"), 2, fn("house", fn("dis"))),
        fn("owner", "Old Egad", "Bob"),
        init("zone", "Old Egad", "Ann", fn("battleline")),
        fn("owner", "Soulkeeper", "Ann"),
        init("zone", "Zan: the #2", "Ann", fn("under")),
        init("host", "Zan: the #2", "Old Egad"),
    } <= facts
    assert init("is", "Old Egad", fn("stunned")) not in facts
    assert not [fact for fact in facts if fact.name == "init" and str(fact).startswith('init(place("Soleft')]


@pytest.mark.parametrize(
    ("written", "id"),
    [
        ("dust imp", "dust-imp"),
        ("DUST  IMP", "dust-imp"),
        ("dust-imp", "dust-imp"),
        ("Flint's Stash", "flint-s-stash"),
        ("FLINT’S STASH", "flint-s-stash"),
        ("Daemo-Thief", "dæmo-thief"),
        ("dÆmo-thief", "dæmo-thief"),
        ("Old Egad", "old-egad"),
        ("Old Egad (Evil Twin)", "old-egad-evil-twin"),
        ("old-egad-evil-twin", "old-egad-evil-twin"),
        ("'Ley, Earl of Hurl'", "ley-earl-of-hurl"),
        ("Ley", "ley-earl-of-hurl"),
        ("Duck", "duck-duck-superb-duck"),
        ("'[REDACTED]'", "[redacted]"),
        ("'Shae \"Cloudkicker\"'", "shae-cloudkicker"),
        ("'Zan: the #2'", "zan-the-second"),
    ],
)
def test_how_names_match(written: str, id: str) -> None:
    read = board(zones(f"hand: [{written}]"))
    assert list(read.cards.prints.values()) == [id]


def test_copies_are_counted_over_the_whole_file() -> None:
    """Players as written, zones in the order of the page, upgrades right after their creature."""
    read = board(
        zones(
            "discard: [Soulkeeper]\nhand: [Soleft]\n"
            "battleline:\n  - Soleft: {upgrades: [Soulkeeper]}\n  - Soleft: {id: x}",
            "{battleline: [Soleft, Troll]}",
            "event: {destroy: [x, 'Soleft#3', 'soleft#4', Troll]}\n",
        )
    )
    where = {fact.args[0].args[0]: fact.args[0].args[1:] for fact in read.facts if str(fact).startswith("init(zone")}  # type: ignore[union-attr]  # an init holds a term
    assert where == {
        "Soleft#1": ("Ann", fn("battleline")),
        "Soulkeeper#1": ("Ann", fn("attached")),
        "Soleft#2": ("Ann", fn("battleline")),
        "Soleft#3": ("Ann", fn("hand")),
        "Soulkeeper#2": ("Ann", fn("discard")),
        "Soleft#4": ("Bob", fn("battleline")),
        "Troll": ("Bob", fn("battleline")),
    }
    assert [fact.args[2] for fact in read.facts if fact.name == "event_card"] == [
        "Soleft#2",
        "Soleft#3",
        "Soleft#4",
        "Troll",
    ]


def test_copies_with_numbers_keep_them() -> None:
    read = board(zones('hand: ["Soleft#2", Soleft, "Troll#3"]'))
    assert list(read.cards.prints) == ["Soleft#2", "Soleft#1", "Troll#3"]


def test_one_card_may_be_called_by_its_number() -> None:
    read = board(zones("battleline: [Troll]", event="event: {destroy: ['Troll#1']}\n"))
    assert fn("event_card", 1, 1, "Troll") in read.facts


def test_events() -> None:
    text = zones(
        "battleline: [Troll, Soleft]\nhand: [Dust Imp]",
        event="""event:
  - {play: Dust Imp, by: Bob, choose: [left, Troll, [Troll, Soleft], [], yes, 2, Bob]}
  - {damage: {Troll: 2, Soleft: 1}}
  - {bonus icons: Troll}
  - instructions: [{damage: {Troll: 3}}, {destroy: each enemy creature}]
""",
    )
    facts = [fact for fact in board(text).facts if fact.name.startswith("event") or fact.name == "instruct"]
    assert set(facts) == {
        fn("event", 1, fn("play", "Dust Imp"), "Bob"),
        fn("event_choice", 1, 1, fn("left")),
        fn("event_choice", 1, 2, "Troll"),
        fn("event_subset", 1, 3),
        fn("event_choice", 1, 3, "Troll"),
        fn("event_choice", 1, 3, "Soleft"),
        fn("event_subset", 1, 4),
        fn("event_choice", 1, 5, fn("yes")),
        fn("event_choice", 1, 6, 2),
        fn("event_choice", 1, 7, "Bob"),
        fn("event", 2, fn("damage"), "Ann"),
        fn("event_amount", 2, "Troll", 2),
        fn("event_amount", 2, "Soleft", 1),
        fn("event", 3, fn("bonus_icons", "Troll"), "Ann"),
        fn("event", 4, fn("instructions"), "Ann"),
        fn("instruct", 4, 1, fn("damage", fn("card", "Troll"), 3)),
        fn("instruct", 4, 2, fn("destroy", fn("each", fn("and", fn("enemy"), fn("creature"))))),
    }


def test_cards_of_ones_own() -> None:
    read = board(
        """cards:
  Ash Imp:
    type: creature
    house: [dis, star alliance]
    traits: [imp, Old One]
    keywords: [elusive, hazardous 2]
    power: 2
    armor: 0
    icons: [aember, draw]
    abilities:
      - when: destroyed
        if: {not: on a flank}
        steps: [{gain: 1}, {damage: {each enemy creature: 1}}]
      - when: constant
        gives: {neighbors: [{when: destroyed, steps: [{steal: 1}]}]}
      - when: destroyed
        instead: [{heal: self}, {destroy: this upgrade}]
  Troll: {type: creature, power: 1}
"""
        + zones("hand: [Ash Imp, troll]")
    )
    flank = fn("non", fn("on_flank"))
    assert {
        fn("title", "ash-imp", "Ash Imp"),
        fn("kind", "ash-imp", fn("creature")),
        fn("house", "ash-imp", fn("staralliance")),
        fn("trait", "ash-imp", fn("old_one")),
        fn("keyword", "ash-imp", fn("hazardous", 2)),
        fn("stat", "ash-imp", fn("power"), 2),
        fn("icon", "ash-imp", 2, fn("draw")),
        fn("ability", "ash-imp", 1, fn("destroyed")),
        fn("condition", "ash-imp", 1, flank),
        fn("step", "ash-imp", 1, 2, fn("damage", fn("each", fn("and", fn("enemy"), fn("creature"))), 1)),
        fn("gives", "ash-imp", 2, fn("neighbors"), 3),
        fn("step", "ash-imp", 3, 1, fn("steal", 1)),
        fn("instead", "ash-imp", 4),
        fn("step", "ash-imp", 4, 1, fn("heal", fn("self"), fn("all"))),
        fn("prints", "Ash Imp", "ash-imp"),
        fn("prints", "Troll", "board:troll"),
        fn("stat", "board:troll", fn("power"), 1),
    } <= set(read.facts)
    assert fn("stat", "ash-imp", fn("armor"), 0) not in read.facts
    assert read.library_ids() == []


def test_a_folder_of_cards(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("cards:\n  Ash Imp: {type: creature, power: 2}\n  Unused: {type: action}\n")
    read = Board.from_text(zones("hand: [Ash Imp]"), rules=small_rules(), cards=tmp_path)
    assert fn("title", "ash-imp", "Ash Imp") in read.facts
    assert not [fact for fact in read.facts if "Unused" in str(fact)]
    (tmp_path / "wrong.yaml").write_text("cards:\n  Bad Imp: {type: beast, power: 2}\n")
    with pytest.raises(BoardError, match=r"wrong\.yaml:2:19: LR-E016"):
        Board.from_text(zones("hand: [Bad Imp]"), rules=small_rules(), cards=tmp_path)
    with pytest.raises(BoardError, match="LR-E001"):
        Board.from_text(zones("hand: [Bad Imp]"), rules=small_rules(), cards=tmp_path / "none")


def test_every_awkward_name_can_lie_on_a_board() -> None:
    listed = ", ".join('"' + name.replace('"', '\\"') + '"' for name in NAMES)
    assert list(board(zones(f"hand: [{listed}]")).cards.prints) == list(NAMES)


# ---- what is said about wrong ones


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "part"),
    [
        # the file
        ("- a\n", "LR-E009", 1, 1, "game:"),
        ("title: x\n", "LR-E013", 1, 1, "keyforge"),
        ("game: keyforg\n", "LR-E017", 1, 7, "did you mean keyforge?"),
        ("game: ../../etc\n", "LR-E017", 1, 7, "known games"),
        ("game: [keyforge]\n", "LR-E017", 1, 7, "known games"),
        ("game: keyforge\nactive: Ann\n", "LR-E013", 1, 1, "players"),
        (zones("aember: 1").replace("active: Ann\n", ""), "LR-E013", 1, 1, "active"),
        (zones("aember: 1") + "playrs: x\n", "LR-E012", 7, 1, "did you mean `players`?"),
        (zones("aember: 1") + "title: [a]\n", "LR-E014", 7, 8, "text"),
        (zones("aember: 1") + "house: discoball\n", "LR-E016", 7, 8, "house"),
        (zones("aember: 1") + "readings: nested\n", "LR-E014", 7, 11, "question: answer"),
        (zones("aember: 1") + "lasting: [{until: end of turn}]\n", "LR-E013", 7, 11, "`ability` is missing"),
        (
            zones("aember: 1") + "lasting: [{ability: {when: omni, steps: [gain: 1]}, until: dawn}]\n",
            "LR-E016", 7, 60, "not a moment",
        ),
        (zones("aember: 1") + "may: {Ann: [x]}\n", "LR-E027", 7, 6, "not supported"),
        # players
        (HEAD.replace("active: Ann", "active: An") + "    aember: 1\n  Bob:\n", "LR-E024", 2, 9, "Ann, Bob"),
        (HEAD + "    aember: 1\n", "LR-E032", 4, 3, "2 players"),
        (HEAD + "    aember: 1\n  Bob:\n  Cyd:\n", "LR-E032", 4, 3, "here are 3"),
        (HEAD + "    aember: 1\n  deciders:\n", "LR-E024", 6, 3, "deciders"),
        (HEAD + "    aember: 1\n  players:\n", "LR-E024", 6, 3, "players"),
        (HEAD + "    aember: 1\n  '':\n", "LR-E024", 6, 3, "name"),
        # numbers
        (zones("aember: 1000"), "LR-E015", 5, 13, "0 to 999"),
        (zones("aember: -1"), "LR-E015", 5, 13, "0 to 999"),
        (zones("aember: two"), "LR-E015", 5, 13, "0 to 999"),
        (zones("aember: 1.0"), "LR-E015", 5, 13, "0 to 999"),
        (zones("aember: [1]"), "LR-E015", 5, 13, "number"),
        (zones("deck size: 1\ndeck: [Troll, Soleft]"), "LR-E028", 5, 16, "2 cards"),
        # zones and cards
        (zones("batleline: [Troll]"), "LR-E012", 5, 5, "battleline"),
        (zones("damage: 3"), "LR-E012", 5, 5, "state of a card"),
        (zones("hand: Troll"), "LR-E014", 5, 11, "[Troll]"),
        (zones("hand: {Troll: {}}"), "LR-E014", 5, 11, "list of cards"),
        (zones("hand: [Trol]"), "LR-E018", 5, 12, "did you mean Troll?"),
        (zones("hand: [Dust]"), "LR-E018", 5, 12, "Dust Imp"),
        (zones("hand: ['']"), "LR-E018", 5, 12, "without a name"),
        (zones("hand: [[REDACTED]]"), "LR-E014", 5, 12, '"[REDACTED]"'),
        (zones("hand: [[Troll, Soleft]]"), "LR-E014", 5, 12, "no card"),
        (zones("hand: [Ley, Earl of Hurl]"), "LR-E021", 5, 12, '"Ley, Earl of Hurl"'),
        (zones("hand: [Troll, Duck, Duck, Superb Duck]"), "LR-E021", 5, 19, "3 cards"),
        (zones("hand: [Ley, Earl of Hurl: {damage: 1}]"), "LR-E021", 5, 12, "quotes"),
        (zones("battleline:\n  - Troll:\n    damage: 2"), "LR-E014", 6, 9, "indent `damage` deeper"),
        (zones("hand: [{Troll: {}, Soleft: {}}]"), "LR-E014", 5, 12, "item of its own"),
        (zones("hand: [Troll #2]"), "LR-E011", 5, 18, '"Name#2"'),
        (zones("hand: ['Troll#0']"), "LR-E023", 5, 12, "from 1"),
        (zones("hand: ['Troll#2', 'Troll#2']"), "LR-E023", 5, 23, "lines 5 and 5"),
        (zones("hand: [Troll: {damag: 2}]"), "LR-E012", 5, 20, "damage"),
        (zones("hand: [Troll: 2]"), "LR-E014", 5, 19, "mapping"),
        (zones("hand: [Troll: {ward: yes}]"), "LR-E016", 5, 26, "true or false"),
        (zones("hand: [Troll: {owner: Cyd}]"), "LR-E024", 5, 27, "Ann, Bob"),
        (zones("hand: [Troll: {icons: [dew]}]"), "LR-E016", 5, 28, "icon"),
        (zones("hand: [Troll: {icons: [{house: x}]}]"), "LR-E016", 5, 36, "house"),
        (zones("hand: [Troll: {counters: {'+2 power': 1}}]"), "LR-E016", 5, 31, "+1 power"),
        (zones("hand: [Troll: {counters: 1}]"), "LR-E014", 5, 30, "mapping"),
        (zones("hand: [Troll: {upgrades: Soulkeeper}]"), "LR-E014", 5, 30, "list"),
        (zones("hand: [Troll: {upgrades: [Soulkeper]}]"), "LR-E018", 5, 31, "Soulkeeper"),
        (zones("hand: [Troll: {id: a b}]"), "LR-E022", 5, 24, "letters"),
        (zones("hand: [Troll: {id: a}, Soleft: {id: a}]"), "LR-E022", 5, 41, "twice"),
        (zones("hand: [Troll: {id: soleft}, Soleft]"), "LR-E022", 5, 24, "another card"),
        (zones("hand: [Kai: Reborn]"), "LR-E021", 5, 12, '"Kai: Reborn"'),
        (zones("hand:\n  - Kai: Reborn"), "LR-E021", 6, 9, '"Kai: Reborn"'),
        (zones("hand: [{Ley, Earl of Hurl: {damage: 1}}]"), "LR-E021", 5, 13, '"Ley, Earl of Hurl"'),
        (f"game: keyforge\nactive: Ann\nplayers:\n  {'B' * 50_000}: {{}}\n", "LR-E004", 4, 50003, ""),  # in no time
        # events
        (zones("hand: [Troll]", event="event: {pley: Troll}\n"), "LR-E012", 7, 9, "play"),
        (zones("hand: [Troll]", event="event: {by: Ann}\n"), "LR-E025", 7, 8, "no verb"),
        (zones("hand: [Troll]", event="event: {play: Troll, use: Troll}\n"), "LR-E025", 7, 22, "list of events"),
        (zones("hand: [Troll]", event="event: play Troll\n"), "LR-E014", 7, 8, "mapping"),
        (zones("hand: [Troll]", event="event: {play: Trol}\n"), "LR-E018", 7, 15, "Troll"),
        (zones("hand: [Troll]", event="event: {play: Soleft}\n"), "LR-E020", 7, 15, "on this board: Troll"),
        (zones("hand: [Troll]", event="event: {play: [Troll]}\n"), "LR-E014", 7, 15, "name of a card"),
        (
            zones("hand: [Soleft, Soleft]", event="event: {play: Soleft}\n"),
            "LR-E019",
            7,
            15,
            '"Soleft#1" (`hand` of Ann) or "Soleft#2" (`hand` of Ann)',
        ),
        (
            zones("battleline: [Troll: {made of: [Soleft]}, Soleft]", event="event: {destroy: [Soleft]}\n"),
            "LR-E019",
            7,
            19,
            '"Soleft#1" (`made of` of Troll) or "Soleft#2" (`battleline` of Ann)',
        ),
        (zones("hand: [Soleft, Soleft]", event="event: {play: 'Soleft#3'}\n"), "LR-E020", 7, 15, "board"),
        (zones("battleline: [Troll]", event="event: {fight: [Troll]}\n"), "LR-E014", 7, 16, "two cards"),
        (zones("battleline: [Troll]", event="event: {fight: [Troll, Troll]}\n"), "LR-E019", 7, 24, "different"),
        (zones("battleline: [Troll]", event="event: {fight: [Ley, Earl of Hurl]}\n"), "LR-E021", 7, 17, "quotes"),
        (zones("battleline: [Troll]", event="event: {destroy: Troll}\n"), "LR-E014", 7, 18, "[Troll]"),
        (zones("battleline: [Troll]", event="event: {destroy: []}\n"), "LR-E014", 7, 18, "at least one"),
        (zones("battleline: [Troll]", event="event: {destroy: [Troll, troll]}\n"), "LR-E019", 7, 26, "twice"),
        (zones("battleline: [Troll]", event="event: {damage: 3}\n"), "LR-E014", 7, 17, "Card: number"),
        (zones("battleline: ['Ley']", event="event: {damage: {Ley, Earl of Hurl: 2}}\n"), "LR-E021", 7, 18, "quotes"),
        (zones("battleline: [Troll]", event="event: {damage: {Troll: x}}\n"), "LR-E015", 7, 25, "0 to 999"),
        (zones("battleline: [Troll]", event="event: {reap: Troll, by: Cyd}\n"), "LR-E024", 7, 26, "Ann, Bob"),
        (zones("battleline: [Troll]", event="event: {reap: Troll, choose: [lft]}\n"), "LR-E018", 7, 31, "left"),
        (zones("battleline: [Troll]", event="event: {reap: Troll, choose: left}\n"), "LR-E014", 7, 30, "[left]"),
        (
            zones("battleline: [Troll]", event="event: {reap: Troll, choose: [left], targets: [left]}\n"),
            "LR-E006",
            7,
            47,
            "same",
        ),
        (zones("battleline: [Troll]", event="event: {instructions: [{hurt: Troll}]}\n"), "LR-E026", 7, 25, "verb"),
        (
            zones("battleline: [Troll]", event="event: {instructions: [{destroy: each enmy creature}]}\n"),
            "LR-E026",
            7,
            34,
            "enemy",
        ),
        (zones("battleline: [Troll]", event="event: {instructions: [{gain: lots}]}\n"), "LR-E015", 7, 31, "amount"),
        # cards of one's own
        ("cards: [x]\n" + zones("hand: []"), "LR-E014", 1, 8, "mapping"),
        ("cards:\n  Imp: {power: 2}\n" + zones("hand: []"), "LR-E013", 2, 3, "type"),
        ("cards:\n  Imp: {type: beast}\n" + zones("hand: []"), "LR-E016", 2, 15, "creature"),
        ("cards:\n  Imp: {type: action}\n  IMP: {type: action}\n" + zones("hand: []"), "LR-E033", 3, 3, "twice"),
        (
            "cards:\n  Imp: {type: action, abilities: [{steps: []}]}\n" + zones("hand: []"),
            "LR-E013",
            2,
            35,
            "when",
        ),
        (
            "cards:\n  Imp: {type: action, abilities: [{when: dying}]}\n" + zones("hand: []"),
            "LR-E016",
            2,
            42,
            "when",
        ),
    ],
)
def test_wrong_files(text: str, code: str, line: int, column: int, part: str) -> None:
    found = problems(text)
    assert (found[0].code, found[0].line, found[0].column) == (code, line, column), found
    assert len(found) == 1, found
    assert part in str(found[0])


def test_all_mistakes_are_reported_together_in_the_order_of_the_file() -> None:
    text = zones(
        "aember: x\nbattleline: [Trol, Troll: {damage: -1, wrd: true}]",
        "{hand: [Soleft], keys: 1.5}",
        "house: diss\nevent: {fight: [Troll, Nobody]}\n",
    )
    codes = [(problem.code, problem.line) for problem in problems(text)]
    assert codes == [
        ("LR-E015", 5),
        ("LR-E018", 6),
        ("LR-E015", 6),
        ("LR-E012", 6),
        ("LR-E015", 7),
        ("LR-E016", 8),
        ("LR-E018", 9),
    ]


def test_every_code_is_given_somewhere_and_stands_in_the_table() -> None:
    package = RULES.parent / "bridge" / "lastrites"
    used = {
        code
        for file in package.rglob("*.py")
        if file.name != "errors.py"
        for code in re.findall(r"LR-E\d+", file.read_text(encoding="utf-8"))
    }
    assert used == set(CODES)


def test_nothing_written_means_empty() -> None:
    read = board(HEAD + "    battleline:\n    hand: []\n  Bob:\n")
    assert read.players == ("Ann", "Bob")
    assert not [fact for fact in read.facts if fact.name == "card"]


def test_games_are_those_of_the_folder_of_rules() -> None:
    assert "keyforge" in known_games()
    assert "core" not in known_games()
    assert known_games(small_rules()) == ["keyforge"]
    with pytest.raises(BoardError, match="LR-E017"):
        load_game("core", small_rules())
    with pytest.raises(BoardError, match="LR-E017"):
        load_game("keyforge", small_rules() / "nowhere")


def test_blocks_of_cards() -> None:
    game = load_game("keyforge", small_rules())
    text = game.card_blocks(["troll", "dust-imp", "unknown"])
    assert text.count("% @card(") == 2
    assert "gain(you,2)" in text
    assert "soleft" not in text


# ---- facts


def test_facts_are_printed_and_read_back() -> None:
    text = (
        "title: 'a \"title\"'\nreadings: {cascade: nested}\nedition: '17.4'\ncards:\n"
        "  Ash Imp: {type: creature, power: 2, icons: [draw], abilities: [{when: destroyed, steps: [{gain: 1}]}]}\n"
        + zones(
            "hand: [Ash Imp, Soleft, Soleft]\nbattleline: [Troll: {damage: 2, upgrades: [Soulkeeper]}]",
            "{battleline: [Dust Imp: {icons: [aember]}]}",
            FIGHT,
        )
    )
    read = board(text)
    printed = facts_text(read)
    again = board(printed, "b.lp")
    assert set(again.facts) == set(read.facts)
    assert (again.title, again.edition, again.readings) == (read.title, read.edition, read.readings)
    assert (again.players, again.cards.prints) == (read.players, read.cards.prints)
    assert facts_text(again) == printed


def test_facts_of_a_board_with_cards_that_may_come_to_be_are_read_back() -> None:
    text = "cards: {Grunt: {type: token creature, power: 3}}\n" + zones(
        "token creature: Grunt\ndeck shuffled: true\ndeck: [Dust Imp]",
        "{battleline: [Grunt: {made of: [Troll]}]}",
        "event: {instructions: [{make token creatures: 1}]}\n",
    )
    read = board(text)
    assert "Grunt#2" in {fact.args[0] for fact in read.facts if fact.name == "spare"}
    assert set(board(facts_text(read), "b.lp").facts) == set(read.facts)


SMALL = """about(game,"keyforge"). player("Ann"). player("Bob"). turn("Ann",1). turn("Bob",2). active("Ann").
card("Troll"). prints("Troll","troll"). owner("Troll","Ann"). init(zone("Troll","Ann",hand)).
"""


def test_a_board_of_facts() -> None:
    read = board(SMALL, "b.lp")
    assert (read.game, read.players, read.cards.prints) == ("keyforge", ("Ann", "Bob"), {"Troll": "troll"})


@pytest.mark.parametrize(
    ("line", "code", "column", "part"),
    [
        ('card("X") :- player("Ann").', "LR-E029", 11, "rule"),
        (':- player("Ann").', "LR-E029", 1, "rule"),
        ("#script (python) import os #end.", "LR-E029", 1, "directive"),
        ('#include "/etc/passwd".', "LR-E029", 1, "directive"),
        ("card(X).", "LR-E029", 6, "variable"),
        ('turn("Ann",1+1).', "LR-E029", 13, "arithmetic"),
        ('turn("Ann",1..3).', "LR-E029", 13, "interval"),
        ('card("a";"b").', "LR-E029", 9, "pool"),
        ('card("a', "LR-E029", 6, "does not end"),
        ("not card(1).", "LR-E029", 1, "begins with a name"),
        ("card(@f).", "LR-E029", 6, "@"),
        ("{card(1)}.", "LR-E029", 1, "choice"),
        ('card("a")', "LR-E029", 1, "expected"),
        ("card(" + "f(" * 50 + "1" + ")" * 51 + ".", "LR-E029", 6 + 40, "deep"),
        ('turn("Ann",99999999999).', "LR-E029", 12, "range"),
        ('option(1,"a").', "LR-E030", 1, "option"),
        ("card(1).", "LR-E030", 1, "a string"),
        ('turn("Ann",1000).', "LR-E030", 1, "999"),
        ("init(frame(1,script(1))).", "LR-E030", 1, "frame"),
        ('init(num(pool("Ann"),-2)).', "LR-E030", 1, "999"),
        ('card("Soleft").', "LR-E013", 1, "prints"),
        ('prints("Soleft","soleft").', "LR-E020", 1, "Soleft"),
        ('prints("Troll","trull").', "LR-E018", 1, "trull"),
        ('step("troll",1,1,gain(you,9)).', "LR-E033", 1, "library"),
        ('init(zone("Troll","Bob",hand)).', "LR-E030", 1, "contradicts"),
        ('active("Bob").', "LR-E030", 1, "contradicts"),
        ('init(is("Troll",tagged)).', "LR-E030", 1, "ward"),
        ('init(zone("Troll","Ann",limbo)).', "LR-E030", 1, "battleline"),
        ('init(num(luck("Ann"),3)).', "LR-E030", 1, "pool"),
        ('init(num(pool("Cyd"),3)).', "LR-E020", 1, "Cyd"),
        ('event(1,fight("Troll","Nobody"),"Ann").', "LR-E020", 1, "Nobody"),
        ('active("Cyd").', "LR-E024", 1, "Cyd"),
        ('about(game,"chess").', "LR-E017", 1, "known games"),
    ],
)
def test_wrong_facts(line: str, code: str, column: int | None, part: str) -> None:
    first = problems(SMALL + line + "\n", "b.lp")[0]
    assert first.code == code, first
    assert part in str(first)
    if column is not None and line != 'card("a")':
        assert (first.line, first.column) == (3, column), first
