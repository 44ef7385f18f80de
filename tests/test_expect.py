"""Expectations: how they are read, and what they match."""

from __future__ import annotations

from typing import Any

import pytest

from lastrites.boardcards import BoardCards
from lastrites.errors import BoardError, Problem
from lastrites.expect import Entry, Expectation, Scope, compile_entry, compile_expectations
from lastrites.names import CardIndex, Printed
from lastrites.shape import Key, Shape
from lastrites.terms import Term, fn
from lastrites.yamlio import parse


def _key(rank: int, text: str, form: str, *arguments: str) -> Key:
    return Key(text, rank, Term(form, tuple(fn(argument) for argument in arguments)))


SHAPE = Shape(
    {
        "board": (_key(1, "fields", "places", "field"),),
        "outcome": (_key(1, "winner", "owner"), _key(2, "chain", "zone", "chain", "line")),
        "player": (
            _key(1, "coins", "number", "pool"),
            _key(2, "line", "zone", "line", "line"),
            _key(3, "hand", "zone", "hand", "set"),
            _key(4, "deck", "zone", "deck", "stack"),
            _key(5, "heap", "zone", "heap", "pile"),
            _key(6, "hand size", "size", "hand"),
            _key(7, "deck size", "size", "deck"),
        ),
        "field": (_key(1, "holder", "holder", "held"), _key(2, "units", "cards", "units", "set")),
        "card": (
            _key(1, "damage", "number", "damage"),
            _key(2, "ward", "flag", "ward"),
            _key(3, "power", "override", "power"),
            _key(4, "counters", "numbers", "counter", "counter"),
            _key(5, "icons", "overrides", "icons", "icon"),
            _key(6, "caps", "attached", "attached"),
            _key(7, "owner", "owner"),
            _key(8, "id", "id"),
        ),
    }
)
PRINTED = ["Imp", "Troll", "Cap", "Ley, Earl", "Token"]
INDEX = CardIndex([Printed(name.lower().replace(", ", "-"), name, __file__, 0, 0) for name in PRINTED])  # type: ignore[arg-type]  # the file is not read
CARDS = BoardCards(INDEX, ids={"big": "Troll", "left-imp": "Imp#1"})
for _card, _printed in (("Imp#1", "imp"), ("Imp#2", "imp"), ("Troll", "troll"), ("Cap", "cap")):
    CARDS.add(_card, _printed)
SCOPE = Scope(
    "b.yaml",
    SHAPE,
    ("Ann", "Bob"),
    CARDS,
    lambda: ({"q": ("narrow", "wide"), "r": ("yes", "no")}, ("1", "2", "engine")),
)


def entry(text: str) -> Entry:
    return compile_entry(parse(text, "b.yaml"), SCOPE)


def expectation(text: str) -> Expectation:
    (found,) = compile_expectations(parse(text, "b.yaml"), SCOPE)
    return found


def told(text: str, state: dict[str, Any], **more: Any) -> list[str]:
    """What is said of a state that an entry is compared with; nothing if it matches."""
    outcome = {"id": "A", "state": {"Ann": {}, "Bob": {}, **state}, **more}
    return [str(mismatch) for mismatch in entry(text).differences(outcome)]


def problems(text: str) -> list[Problem]:
    with pytest.raises(BoardError) as caught:
        compile_expectations(parse(text, "b.yaml"), SCOPE)
    return list(caught.value.problems)


# ---- what is looked at


def test_what_is_not_mentioned_is_not_looked_at() -> None:
    assert told("{Ann: {coins: 2}}", {"Ann": {"coins": 2, "hand": ["Imp#1"]}, "Bob": {"coins": 9}}) == []


def test_an_absent_number_is_zero_and_an_absent_flag_false() -> None:
    assert told("{Ann: {coins: 0, line: [Troll: {damage: 0, ward: false}]}}", {"Ann": {"line": ["Troll"]}}) == []
    assert told("{Ann: {coins: 1}}", {}) == ["Ann, coins: expected 1, found 0"]


def test_a_zone_that_is_mentioned_is_the_whole_zone() -> None:
    assert told("{Ann: {hand: [Troll]}}", {"Ann": {"hand": ["Cap", "Troll"]}}) == ["Ann, hand: unexpected Cap"]
    assert told("{Ann: {hand: []}}", {"Ann": {"hand": ["Cap"]}}) == ["Ann, hand: unexpected Cap"]
    assert told("{Ann: {hand: [Cap]}}", {}) == ["Ann, hand: missing Cap"]


def test_unnamed_cards_belong_to_the_whole_zone() -> None:
    drawn = {"Ann": {"hand": ["Cap"], "hand size": 2}}
    assert told("{Ann: {hand: [Cap]}}", drawn) == ["Ann, hand: unexpected 1 unnamed card"]
    assert told("{Ann: {hand: [Cap], hand size: 2}}", drawn) == []
    assert told("{Ann: {hand: {contains: [Cap]}}}", drawn) == []
    assert told("{Ann: {hand: {count: 2}}}", drawn) == []
    assert told("{Ann: {hand size: 1}}", {"Ann": {"hand": ["Cap"]}}) == []


# ---- order


def test_lines_and_stacks_are_ordered_sets_and_piles_are_not() -> None:
    cards = ["Troll", "Cap"]
    state = {"Ann": {"line": cards, "deck": cards, "hand": cards, "heap": cards}}
    assert told("{Ann: {line: [Troll, Cap], deck: [Troll, Cap]}}", state) == []
    assert told("{Ann: {hand: [Cap, Troll], heap: [Cap, Troll]}}", state) == []
    assert told("{Ann: {line: [Cap, Troll]}}", state) == [
        "Ann, line: expected the order [Cap, Troll], found [Troll, Cap]"
    ]
    assert len(told("{Ann: {deck: [Cap, Troll]}}", state)) == 1


def test_pile_order_makes_piles_ordered() -> None:
    outcome = {"id": "A", "state": {"Ann": {"heap": ["Troll", "Cap"]}}}
    assert not expectation("{pile order: true, outcomes: [{Ann: {heap: [Troll, Cap]}}]}").failures([outcome], "1")
    assert expectation("{pile order: true, outcomes: [{Ann: {heap: [Cap, Troll]}}]}").failures([outcome], "1")
    assert not expectation("{outcomes: [{Ann: {heap: [Cap, Troll]}}]}").failures([outcome], "1")


def test_any_order_leaves_a_part_free() -> None:
    part = "{Ann: {line: [Troll, {any order: [Imp, Cap]}]}}"
    assert told(part, {"Ann": {"line": ["Troll", "Cap", "Imp#1"]}}) == []
    assert told(part, {"Ann": {"line": ["Troll", "Imp#2", "Cap"]}}) == []
    assert len(told(part, {"Ann": {"line": ["Cap", "Troll", "Imp#1"]}})) == 1
    assert told("{Ann: {line: {any order: [Cap, Troll]}}}", {"Ann": {"line": ["Troll", "Cap"]}}) == []


# ---- cards


def test_cards_of_one_name_are_interchangeable_unless_one_is_meant() -> None:
    state = {"Ann": {"line": ["Imp#2", "Imp#1"]}}
    assert told("{Ann: {line: [Imp, Imp]}}", state) == []
    assert told('{Ann: {line: ["Imp#2", "Imp#1"]}}', state) == []
    assert len(told('{Ann: {line: ["Imp#1", "Imp#2"]}}', state)) == 1
    assert told("{Ann: {line: [Imp, left-imp]}}", state) == []
    assert told("{Ann: {hand: [Imp]}}", {"Ann": {"hand": ["Imp#2"]}}) == []


def test_interchangeable_cards_with_state_are_paired_as_they_fit() -> None:
    state = {"Ann": {"hand": [{"Imp#1": {"damage": 1}}, {"Imp#2": {"damage": 2, "ward": True}}]}}
    assert told("{Ann: {hand: [Imp: {damage: 2}, Imp]}}", state) == []
    assert told("{Ann: {hand: [Imp, Imp: {ward: true}]}}", state) == []
    assert told("{Ann: {hand: [Imp: {damage: 2}, Imp: {ward: true}]}}", state) == [
        "Ann, hand: missing Imp: {ward: true}; unexpected Imp#1: {damage: 1}"
    ]


def test_names_are_compared_as_on_boards() -> None:
    assert told("{Ann: {hand: [IMP, big]}}", {"Ann": {"hand": ["Imp#1", "Troll"]}}) == []


def test_state_of_a_card() -> None:
    actual = {"power": 5, "counters": {"+1": 2}, "icons": ["coin", {"house": "x"}], "caps": ["Cap"]}
    state = {"Ann": {"line": [{"Troll": actual}]}}
    assert told('{Ann: {line: [Troll: {power: 5, counters: {"+1": 2, "-1": 0}}]}}', state) == []
    assert told("{Ann: {line: [Troll: {icons: [coin, {house: x}], caps: [Cap]}]}}", state) == []
    assert len(told("{Ann: {line: [Troll: {caps: []}]}}", state)) == 1
    assert len(told("{Ann: {line: [Troll: {power: 4}]}}", state)) == 1


def test_owner_is_by_default_the_player_it_lies_with() -> None:
    state = {"Ann": {"line": ["Cap", {"Troll": {"owner": "Bob"}}]}}
    assert told("{Ann: {line: [Cap: {owner: Ann}, Troll: {owner: Bob}]}}", state) == []
    assert len(told("{Ann: {line: [Cap: {owner: Bob}, Troll]}}", state)) == 1


def test_created_cards_have_the_name_of_what_they_are() -> None:
    assert told("{Ann: {hand: [Token, Token]}}", {"Ann": {"hand": ["Token#1", "Token#2"]}}) == []


def test_contains_and_count() -> None:
    state = {"Ann": {"heap": ["Imp#1", "Imp#2", "Cap"]}}
    assert told("{Ann: {heap: {contains: [Cap, Imp]}}}", state) == []
    assert told("{Ann: {heap: {contains: [Imp, Imp, Troll]}}}", state) == ["Ann, heap: missing Troll; there is Cap"]
    assert told("{Ann: {heap: {count: 3}}}", state) == []
    assert told("{Ann: {heap: {count: 1}}}", state) == ["Ann, heap: expected 1 card, found 3"]


def test_things_beside_the_players() -> None:
    state = {"winner": "Ann", "chain": ["Imp#1"], "fields": {"bf": {"holder": "Bob", "units": {"Bob": ["Troll"]}}}}
    assert told("{winner: Ann, chain: [Imp], fields: {bf: {holder: Bob, units: {Bob: [Troll], Ann: []}}}}", state) == []
    assert told("{fields: {bf: {holder: none}}}", state) == ["fields, bf, holder: expected none, found Bob"]
    assert told("{winner: Bob}", {}) == ["winner: expected Bob, found nothing"]


# ---- outcomes


def test_deciders_and_chance() -> None:
    assert told("{deciders: [Ann]}", {}, deciders=["Ann"], chance=False) == []
    assert told("{deciders: [chance]}", {}, deciders=["chance"], chance=True) == []
    assert told("{deciders: [Ann]}", {}, deciders=["Ann", "chance"])
    assert told("{deciders: []}", {}, deciders=["Ann"]) == ["deciders: expected nobody, found Ann"]
    assert told("{chance: true}", {}, chance=False) == ["chance: expected true, found false"]


def test_every_outcome_and_every_entry_must_be_matched() -> None:
    expected = expectation("outcomes:\n- Ann: {coins: 1}\n- Ann: {coins: 2}\n")
    outcomes = [{"id": name, "state": {"Ann": {"coins": coins}}} for name, coins in (("A", 1), ("B", 3))]
    assert expected.failures(outcomes, "2") == [
        "outcome B was not expected",
        "  the nearest is the entry in line 2, but:",
        "    Ann, coins: expected 1, found 3",
        "the outcome expected in line 3 does not come out",
        "  the nearest is outcome A, but:",
        "    Ann, coins: expected 2, found 1",
    ]
    assert not expectation("outcomes: [{Ann: {}}]").failures(outcomes, "2")


def test_no_outcome_at_all() -> None:
    assert not expectation("{outcomes: [], orders: 0}").failures([], "0")
    outcome = {"id": "A", "state": {"Ann": {"hand": ["Cap"]}}}
    assert expectation("{outcomes: []}").failures([outcome], "1") == [
        "outcome A was not expected",
        "    {Ann: {hand: [Cap]}}",
    ]


def test_numbers_of_orders_and_outcomes() -> None:
    outcome = {"id": "A", "state": {}}
    assert not expectation("{orders: 1_000_000, distinct: 1}").failures([outcome], "1000000")
    assert not expectation("{orders: infinite}").failures([outcome], "infinite")
    assert expectation("{orders: 3, distinct: 2}").failures([outcome], "4") == [
        "orders: expected 3, found 4",
        "distinct: expected 2, found 1",
    ]
    huge = "9" * 80
    assert not expectation(f"{{orders: {huge}}}").failures([outcome], huge)


def test_when() -> None:
    found = compile_expectations(
        parse("- when: {q: narrow, r: [yes, no], edition: ['1', engine]}\n  orders: 1\n- orders: 2\n", "b.yaml"), SCOPE
    )
    assert found[0].when == {"q": ("narrow",), "r": ("yes", "no")}
    assert found[0].editions == ("1", "engine")
    assert found[1].when == {}


# ---- mistakes


@pytest.mark.parametrize(
    ("text", "code", "column", "said"),
    [
        ("{outcome: []}", "LR-E012", 2, "did you mean `outcomes`?"),
        ("{outcomes: [{Anna: {}}]}", "LR-E024", 14, "did you mean `Ann`?"),
        ("{outcomes: [{Ann: {coin: 1}}]}", "LR-E012", 20, "did you mean `coins`?"),
        ("{outcomes: [{Ann: {coins: two}}]}", "LR-E015", 27, "whole number"),
        ("{outcomes: [{Ann: {coins: 1000}}]}", "LR-E015", 27, "from 0 to 999"),
        ("{outcomes: [{Ann: {hand: Cap}}]}", "LR-E014", 26, "[Name]"),
        ("{outcomes: [{Ann: {hand: [Trol]}}]}", "LR-E018", 27, "did you mean Troll?"),
        ("{outcomes: [{Ann: {hand: ['Imp#3']}}]}", "LR-E020", 27, "there is Imp#1, Imp#2"),
        ("{outcomes: [{Ann: {hand: [Ley, Earl]}}]}", "LR-E021", 27, '"Ley, Earl"'),
        ("{outcomes: [{Ann: {line: [Troll: {damge: 1}]}}]}", "LR-E012", 35, "did you mean `damage`?"),
        ("{outcomes: [{Ann: {line: [Troll: {ward: yes}]}}]}", "LR-E014", 41, "true or false"),
        ("{outcomes: [{Ann: {line: [Troll: {id: x}]}}]}", "LR-E012", 35, "unknown key `id`"),
        ("{outcomes: [{Ann: {line: [{count: 1}]}}]}", "LR-E014", 27, "whole zone"),
        ("{outcomes: [{Ann: {line: {holds: [Cap]}}}]}", "LR-E014", 26, "contains"),
        ("{outcomes: [{deciders: [Eve]}]}", "LR-E024", 25, "Ann, Bob"),
        ("{outcomes: {Ann: {}}}", "LR-E014", 12, "is a list"),
        ("{orders: many}", "LR-E015", 10, "infinite"),
        ("{when: {s: narrow}}", "LR-E031", 9, "unknown question `s`"),
        ("{when: {q: narow}}", "LR-E031", 12, "narrow, wide"),
        ("{when: {edition: '9'}}", "LR-E031", 18, "unknown edition"),
        ("text", "LR-E014", 1, "is a mapping"),
        ("{}", "LR-E013", 1, "checks nothing"),
        ("{when: {q: narrow}}", "LR-E013", 1, "checks nothing"),
    ],
)
def test_mistakes_are_reported_where_they_are(text: str, code: str, column: int, said: str) -> None:
    (problem,) = problems(text)[:1]
    assert (problem.code, problem.file, problem.line, problem.column) == (code, "b.yaml", 1, column)
    assert said in f"{problem.message} {problem.hint}"


def test_every_mistake_is_reported_in_the_order_of_the_file() -> None:
    found = problems("outcomes:\n- Ann: {hand: [Nobody], coins: x}\n- Eve: {}\norders: -1\n")
    assert [problem.line for problem in found] == [2, 2, 3, 4]


def test_what_is_known_of_engines_is_never_checked() -> None:
    assert expectation("{orders: 1, known to: {engine: forgets the second trigger}}").outcomes is None
