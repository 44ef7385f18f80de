"""What holds on every board: three modes agree, nothing is lost, numbers do not depend on names."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import Any

from fixture_help import disagreements, layer_disagreements, small_enough, summary
from hypothesis import HealthCheck, assume, given, settings
from strategies import PLAYERS, STAND_INS, Json, board_of, layouts, rewritten

import lastrites
from lastrites.terms import Term

BOARDS = int(os.environ.get("LASTRITES_RANDOM_BOARDS", "12"))
"""How many boards each property is tried on."""

bounded = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


@settings(bounded, max_examples=BOARDS)
@given(layouts())
def test_the_modes_agree(layout: Json) -> None:
    """Layer mode on every state; trace mode wherever the board is small enough for it."""
    resolution = lastrites.resolve(board_of(layout))
    assert not layer_disagreements(resolution)
    if small_enough(resolution):
        assert not disagreements(resolution)


GAINING = ("Dust Imp", "Volax", "Tolas", "Neffru")
LOSING = ("Grenade Snib",)


def total(fluents: frozenset[Term]) -> int:
    """All Æmber in pools and on creatures."""
    return sum(
        fluent.args[1]
        for fluent in fluents
        if fluent.name == "num"
        and isinstance(fluent.args[0], Term)
        and fluent.args[0].name in ("pool", "aember")
        and isinstance(fluent.args[1], int)
    )


def source(decision: Term) -> str:
    """The card whose ability a decision resolves; empty if it resolves none."""
    if decision.name != "resolve":
        return ""
    instance = decision.args[0]
    assert isinstance(instance, Term)
    assert isinstance(instance.args[1], Term)
    return re.sub(r"#\d+$", "", str(instance.args[1].args[0]))


@settings(bounded, max_examples=BOARDS)
@given(layouts(most=5))
def test_nothing_is_lost_or_doubled(layout: Json) -> None:
    """In every state each card is in one place; Æmber changes only where something is gained or lost."""
    board = board_of(layout)
    graph = lastrites.resolve(board, readings={"cascade": "nested"}, limits=lastrites.Limits(states=1_000)).graph
    cards = set(board.cards.prints)
    states = [graph.fluents.terms(node.state) for node in graph.nodes]
    for node, fluents in zip(graph.nodes, states, strict=True):
        where = Counter(fluent.args[0] for fluent in fluents if fluent.name == "zone")
        assert set(where) == cards
        assert set(where.values()) == {1}
        attached = {fluent.args[0] for fluent in fluents if fluent.name == "zone" and str(fluent.args[2]) == "attached"}
        assert attached == {fluent.args[0] for fluent in fluents if fluent.name == "host"}
        numbers = Counter(fluent.args[0] for fluent in fluents if fluent.name == "num")
        assert not numbers or max(numbers.values()) == 1
        lined = {fluent.args[0] for fluent in fluents if fluent.name == "zone" and str(fluent.args[2]) == "battleline"}
        assert lined == {fluent.args[0] for fluent in fluents if fluent.name == "place"}
        if node.final:
            left = {fluent.name for fluent in fluents} & {"pend", "locked", "spare", "wave", "departed", "witnessed"}
            assert not left
            assert not [fluent for fluent in fluents if fluent.name == "is" and str(fluent.args[1]) == "tagged"]
        for option, target in zip(node.options, node.targets, strict=False):
            difference = total(states[target]) - total(fluents)
            name = source(option.term)
            if name in GAINING:
                assert difference >= 0
            elif name in LOSING:
                assert difference <= 0
            elif option.term.name == "icon":
                assert difference == 1
            else:
                assert difference == 0, option.term


NAMES = {own: name for name, (own, _) in STAND_INS.items()} | {own: name for name, own in PLAYERS.items()}


def plain(value: Any) -> Any:
    """A state in which copies are not told apart and stand-ins have the names of what they stand for."""
    if isinstance(value, dict):
        return tuple(sorted((plain(key), plain(inside)) for key, inside in value.items()))
    if isinstance(value, list):
        return tuple(map(plain, value))
    if isinstance(value, str):
        name = re.sub(r"#\d+$", "", value)
        return NAMES.get(name, name)
    return value


def unordered(state: Json) -> Json:
    """A state whose piles and hands are sorted: only battlelines have an order there."""

    def sort(key: str, value: Any) -> Any:
        free = isinstance(value, list) and key != "battleline"
        return sorted(value, key=lambda card: str(plain(card))) if free else value

    return {player: {key: sort(key, value) for key, value in part.items()} for player, part in state.items()}


def seen(state: Any) -> Any:
    """What must be the same of a state, whatever its cards are called and in whatever order they stand."""
    return plain(unordered(state))


@settings(bounded, max_examples=BOARDS)
@given(layouts())
def test_numbers_do_not_depend_on_names_or_on_the_order_in_the_file(layout: Json) -> None:
    resolution = lastrites.resolve(board_of(layout))
    again = lastrites.resolve(board_of(rewritten(layout)))
    assert summary(again, seen) == summary(resolution, seen)
    assert again.state_count == resolution.state_count
    assert again.questions == resolution.questions


@settings(bounded, max_examples=BOARDS)
@given(layouts(most=3))
def test_an_outcome_is_a_board_at_rest(layout: Json) -> None:
    """Put into a board file without an event, an outcome stays as it is."""
    resolution = lastrites.resolve(board_of(layout))
    assume(resolution.outcomes)
    for outcome in resolution.outcomes[:2]:
        board = board_of({"game": "keyforge", "active": "P1", "players": outcome.state})
        (rest,) = lastrites.resolve(board).outcomes
        assert rest.state == outcome.state
        assert rest.orders == 1
