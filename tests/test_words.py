"""Phrases to terms, terms to phrases."""

from __future__ import annotations

import re

import pytest
from boards_help import board, small_rules, zones

from lastrites.game import load_game
from lastrites.terms import Term, Value, fn
from lastrites.words import Speaker, WordError, Words
from lastrites.yamlio import Node, parse

CREATURE, ENEMY, FRIENDLY, OTHER = fn("creature"), fn("enemy"), fn("friendly"), fn("other")


@pytest.fixture(scope="module")
def words() -> Words:
    return load_game("keyforge", small_rules()).words


def node(text: str) -> Node:
    return parse(text)


@pytest.mark.parametrize(
    ("phrase", "term"),
    [
        ("self", fn("self")),
        ("this creature", fn("self")),
        ("each creature", fn("each", CREATURE)),
        ("Each Enemy  Creature", fn("each", fn("and", ENEMY, CREATURE))),
        ("each other friendly creature", fn("each", fn("and", OTHER, fn("and", FRIENDLY, CREATURE)))),
        ("a creature", fn("a", CREATURE)),
        ("an enemy creature", fn("a", fn("and", ENEMY, CREATURE))),
        ("the most powerful enemy creature", fn("most_powerful", fn("and", ENEMY, CREATURE))),
        ("least powerful creature", fn("least_powerful", CREATURE)),
        ("each creature on a flank", fn("each", fn("and", CREATURE, fn("on_flank")))),
        ("each creature on the left flank", fn("each", fn("and", CREATURE, fn("on_flank", fn("left"))))),
        ("each star alliance creature", fn("each", fn("and", fn("house", fn("staralliance")), CREATURE))),
        ("each non-dinosaur creature", fn("each", fn("and", fn("non", fn("trait", fn("dinosaur"))), CREATURE))),
        ("each creature not on a flank", fn("each", fn("and", CREATURE, fn("non", fn("on_flank"))))),
    ],
)
def test_selectors(words: Words, phrase: str, term: Term) -> None:
    assert words.selector(node(phrase)) == term


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("{gain: 2}", fn("gain", fn("you"), 2)),
        ("{gain: {opponent: 2}}", fn("gain", fn("opponent"), 2)),
        ("{gain: your pool}", fn("gain", fn("you"), fn("pool", fn("you")))),
        ("{steal: 1}", fn("steal", 1)),
        ("{destroy: each creature}", fn("destroy", fn("each", CREATURE))),
        ("{heal: self}", fn("heal", fn("self"), fn("all"))),
        ("{heal: {self: 2}}", fn("heal", fn("self"), 2)),
        ("{damage: {each creature: 3}}", fn("damage", fn("each", CREATURE), 3)),
        ("{forge: you}", fn("forge", fn("you"))),
        ("{give control: {self: opponent}}", fn("control", fn("self"), fn("opponent"))),
        ("if you do", fn("if_done")),
        ("{move: {self: archives}}", fn("move", fn("self"), fn("archives"))),
    ],
)
def test_effects(words: Words, text: str, term: Term) -> None:
    assert words.effect(node(text)) == term


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("{destry: self}", "LR-E026", "`destroy`"),
        ("{destroy: each enmy creature}", "LR-E026", "`enemy`"),
        ("{destroy: each}", "LR-E026", "each"),
        ("{destroy: each not}", "LR-E026", "which cards"),
        ("{destroy: [self]}", "LR-E014", "one step for each"),
        ("{destroy: {self: 1}}", "LR-E014", "destroy: card or phrase"),
        ("{damage: self}", "LR-E014", "{card or phrase: number}"),
        ("{damage: {self: 1, it: 2}}", "LR-E014", "one entry"),
        ("{damage: {self: 1000}}", "LR-E015", "0 to 999"),
        ("{move: {self: hnd}}", "LR-E016", "`hand`"),
        ("{gain: {oponent: 1}}", "LR-E016", "`opponent`"),
        ("destroy", "LR-E014", "verb"),
        ("{destroy: self, gain: 1}", "LR-E014", "one entry"),
    ],
)
def test_wrong_effects(words: Words, text: str, code: str, part: str) -> None:
    with pytest.raises(WordError) as caught:
        words.effect(node(text))
    assert caught.value.code == code
    assert part in f"{caught.value.message} {caught.value.hint}"


def test_a_card_of_the_board_in_a_phrase(words: Words) -> None:
    assert words.selector(node("Each Way"), lambda name: name.text) == fn("card", "Each Way")
    assert words.selector(node("each creature"), lambda name: name.text) == fn("each", CREATURE)


@pytest.mark.parametrize(
    ("kind", "written", "term"),
    [
        ("house", "Star Alliance", fn("staralliance")),
        ("keyword", "hazardous 3", fn("hazardous", 3)),
        ("icon", "{house: dis}", fn("house", fn("dis"))),
        ("condition", "{not: on a flank}", fn("non", fn("on_flank"))),
        (
            "condition",
            "{there is: other friendly creature}",
            fn("exists", fn("and", OTHER, fn("and", FRIENDLY, CREATURE))),
        ),
    ],
)
def test_words_and_mappings(words: Words, kind: str, written: str, term: Term) -> None:
    assert words.value(kind, node(written)) == term


def test_what_is_written_for_a_term_is_read_back(words: Words) -> None:
    for kind in ("house", "keyword", "icon", "counter", "place", "choice"):
        for term in [*words.terms[kind].values(), fn("hazardous", 3) if kind == "keyword" else None]:
            if term is not None:
                written = words.text(kind, term)
                assert isinstance(written, str)
                assert words.word(kind, written) == term
    assert words.text("icon", fn("house", fn("dis"))) == {"house": "dis"}


# ---- terms to words


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    read = board(
        zones(
            "battleline: [Troll: {upgrades: [Soulkeeper]}, Dust Imp]",
            event="event: {instructions: [{damage: {Troll: 3}}, {destroy: each enemy creature}]}\n",
        )
    )
    return read.rules.words.speaker([*read.facts, *read.rules.card_facts(read.library_ids())])


@pytest.mark.parametrize(
    ("term", "said"),
    [
        (fn("gain", fn("you"), 2), "gain 2"),
        (fn("gain", fn("opponent"), 2), "your opponent gains 2"),
        (fn("damage", fn("each", fn("and", ENEMY, CREATURE)), 1), "deal 1 damage to each enemy creature"),
        (fn("destroy", fn("a", fn("and", ENEMY, CREATURE))), "destroy an enemy creature"),
        (fn("destroy", fn("a", CREATURE)), "destroy a creature"),
        (fn("each", fn("and", fn("house", fn("staralliance")), CREATURE)), "each star alliance creature"),
        (fn("choose", "Dust Imp"), "choose Dust Imp"),
        (fn("fight", "Troll", "Dust Imp"), "Troll fights Dust Imp"),
        (fn("answer", fn("cascade"), fn("nested_discard")), "cascade: nested discard"),
        (fn("hazardous", 2), "hazardous 2"),
        (fn("ab", "Dust Imp", 1), "Destroyed: gain 2"),
        (fn("resolve", fn("trig", "Dust Imp", fn("ab", "Dust Imp", 1))), 'resolve Dust Imp\'s "Destroyed: gain 2"'),
        (
            fn("resolve", fn("trig", "Troll", fn("ab", "Soulkeeper", 2))),
            'resolve Troll\'s "Destroyed: destroy the most powerful enemy creature" (from Soulkeeper)',
        ),
        (fn("ab", fn("event", 1), 1), "deal 3 damage to Troll, then destroy each enemy creature"),
        (fn("never_heard_of", "Troll", fn("x", 2)), "never heard of Troll, x 2"),
        (7, "7"),
        ("Troll", "Troll"),
    ],
)
def test_how_terms_are_said(speaker: Speaker, term: Value, said: str) -> None:
    assert speaker.render(term) == said


def test_abilities_in_words() -> None:
    read = board(
        """cards:
  Ash Imp:
    type: creature
    power: 2
    abilities:
      - {when: destroyed, if: {not: on a flank}, steps: [{gain: 1}, {destroy: neighbors}]}
      - {when: destroyed, instead: [{heal: self}]}
      - {when: after destroyed, watches: friendly creature, steps: [{steal: 1}]}
      - {when: constant, gives: {neighbors: [{when: destroyed, steps: [{draw: 1}]}]}}
"""
        + zones("hand: [Ash Imp]")
    )
    speak = read.rules.words.speaker(read.facts)
    assert [speak.ability("ash-imp", number) for number in range(1, 7)] == [
        "Destroyed: if not on a flank, gain 1, then destroy each neighbor",
        "Destroyed: heal all damage from this card instead",
        "After destroyed (friendly creature): steal 1",
        "Constant: each neighbor gains “Destroyed: draw 1”",
        "Destroyed: draw 1",
        None,
    ]


@pytest.mark.parametrize("name", ["keyforge", "riftbound"])
def test_what_the_library_leaves_out_is_looked_at(name: str) -> None:
    """Each part that a card omits is one whose absence the rules tell."""
    game = load_game(name)
    looked_at = (game.rules / name / "omissions.lp").read_text(encoding="utf-8")
    facts = game.card_facts(sorted(game.cards.by_id))
    parts = {str(fact.args[1]) for fact in facts if fact.name == "omits"}
    assert parts
    assert not [part for part in parts if not re.search(rf'\b{part}\b', looked_at)]
