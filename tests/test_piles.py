"""Arrangements of piles, counted without listing, against listing them."""

from __future__ import annotations

from collections import Counter

import pytest
from fixture_help import FIXTURES
from hypothesis import given, settings
from hypothesis import strategies as st
from random_boards import keyforge_board

import lastrites
from lastrites import explore
from lastrites.count import Tally, View, assignments
from lastrites.piles import Batches, History, Pile, PileHistories, _put_down, arrangements, merge, spread, start
from lastrites.reductions import LOOKUP
from lastrites.terms import fn

CARDS = "abcdef"
HERE: Pile = ("P1", "discard")
THERE: Pile = ("P2", "discard")


@st.composite
def batches(draw: st.DrawFn, cards: str) -> Batches:
    """The cards in some order, cut into batches."""
    shuffled = draw(st.permutations(cards))
    found: list[tuple[str, ...]] = []
    batch: list[str] = []
    for card in shuffled:
        batch.append(card)
        if draw(st.booleans()):
            found.append(tuple(sorted(batch)))
            batch = []
    return (*found, tuple(sorted(batch))) if batch else tuple(found)


@st.composite
def histories(draw: st.DrawFn) -> list[History]:
    """Several histories of the same piles."""
    mine = CARDS[: draw(st.integers(0, 4))]
    theirs = CARDS[4 : 4 + draw(st.integers(0, 2))]
    found: list[History] = []
    for _ in range(draw(st.integers(1, 4))):
        row = [(HERE, draw(batches(mine)))] if mine else []
        row += [(THERE, draw(batches(theirs)))] if theirs else []
        found.append(tuple(row))
    return found


@settings(derandomize=True, database=None, max_examples=300, deadline=None)
@given(histories())
def test_counting_agrees_with_listing(rows: list[History]) -> None:
    listed = {tuple(sorted(piles.items())) for row in rows for piles in spread(row)}
    assert arrangements(rows) == len(listed)


def test_simple_numbers() -> None:
    assert arrangements([]) == 0
    assert arrangements([()]) == 1
    assert arrangements([((HERE, (tuple(CARDS),)),)]) == 720
    apart: History = ((HERE, (("a",), ("b",))),)
    together: History = ((HERE, (("a", "b"),)),)
    assert arrangements([apart]) == 1
    assert arrangements([apart, together]) == 2
    assert [piles[HERE] for piles in spread(apart)] == [("b", "a")]


def test_a_pile_that_is_written_lies_as_it_is_written() -> None:
    """The first card named is the one on top, so it arrived last."""
    lying = [fn("zone", card, "P1", fn("discard")) for card in "ab"] + [fn("zone", "c", "P1", fn("hand"))]
    assert start(lying, frozenset({"discard"}), {"a": 1, "b": 2}) == ((HERE, (("b",), ("a",))),)


def test_orders_of_equal_histories_add_up() -> None:
    one: History = ((HERE, (("a", "b"),)),)
    other: History = ((HERE, (("a",), ("b",))),)
    assert merge([{one: 2}, {one: 1, other: 5}]) == {one: 3, other: 5}


def test_what_is_no_players_own_stays_as_it_is_when_piles_are_told_apart() -> None:
    """An outcome that names a winner beside the players."""
    board = lastrites.load(FIXTURES / "riftbound" / "a-climb-asks-for-one-more-point.yaml")
    plain, apart = lastrites.resolve(board), lastrites.resolve(board, pile_order=True)
    winners = [{outcome.state.get("winner") for outcome in each.outcomes} for each in (plain, apart)]
    assert winners[0] == winners[1] != {None}


def followed(histories: PileHistories, view: View) -> dict[int, Counter[History]]:
    """End -> history -> number of orders, by following each history from state to state."""
    graph = view.graph
    found: dict[int, Counter[History]] = {node: Counter() for node in view.order}
    found[view.order[0]][start(graph.fluents.terms(graph.state(0)), histories._zones, {})] = 1
    for node in view.order:
        for number, target in view.edges(node):
            for history, orders in found[node].items():
                found[target][histories._moved(history, graph.starts[node] + number, node)] += orders
    return {node: Counter(_put_down(found[node])) for node in view.ends()}


@pytest.mark.parametrize("seed", [134])
@pytest.mark.parametrize("reduction", [(), (LOOKUP,)])
def test_each_history_with_its_number_of_orders(
    seed: int, reduction: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way states are explored, and in whatever order they are met."""
    monkeypatch.setattr(explore, "_FEW_STATES", 1)
    board = keyforge_board(seed)
    resolution = lastrites.resolve(board, reduction=reduction)
    histories = PileHistories(resolution.explored, frozenset(board.rules.shape.piles()), {})
    for view in assignments(resolution.explored):
        assert histories.of(Tally(view)) == {end: dict(found) for end, found in followed(histories, view).items()}


@pytest.mark.parametrize(("answer", "number"), [("together", 6), ("after", 2)])
def test_a_reading_of_piles_counts_the_same_with_and_without_listing(answer: str, number: int) -> None:
    board = lastrites.Board.from_text("""game: keyforge
active: P1
players:
  P1: {}
  P2: {battleline: [Commander Remiel: {upgrades: [Armageddon Cloak]}, Troll, Bumpsy]}
event: {destroy: [Commander Remiel, Troll, Bumpsy]}
""")
    counted = lastrites.resolve(board, readings={"cloak_moment": answer})
    assert [outcome.pile_arrangements for outcome in counted.outcomes] == [number]
    assert len(lastrites.resolve(board, readings={"cloak_moment": answer}, pile_order=True).outcomes) == number
