"""Factors multiplied out are the plain answer: outcomes, their numbers of orders, who decides, who can force what.

``LASTRITES_RANDOM_BOARDS=500 pytest tests/test_factors.py -k random`` looks at that many boards of each game.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from bench.families import FAMILIES
from random_boards import holding, keyforge_board_of_ends, riftbound_board_of_ends

import lastrites
from lastrites import cli, explore
from lastrites.board import Board
from lastrites.errors import BoardError
from lastrites.factors import OutcomesUntold, shuffled
from lastrites.focus import distance, focused, nearest, never
from lastrites.readable import entries, subject
from lastrites.reductions import LOOKUP, REDUCTIONS
from lastrites.results import Outcome
from lastrites.terms import fn
from lastrites.whynot import compile_state

BOARDS = int(os.environ.get("LASTRITES_RANDOM_BOARDS", "2"))
MOST_STATES = 6_000 if BOARDS > 2 else 400
BEYOND_ONE = lastrites.Limits(outcomes=1)


@pytest.fixture(autouse=True)
def _reduced_from_the_first_state_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "_FEW_STATES", 1)


def text(state: Any) -> str:
    return json.dumps(state, sort_keys=True, ensure_ascii=False)


def multiplied(answer: lastrites.Resolution) -> list[tuple[dict[str, str], dict[str, Outcome]]]:
    """For each combination of answers that matters the outcomes, by their states."""
    assert answer.factors is not None
    found = []
    for row in answer.factors:
        outcomes = [row.outcome(ends) for ends in product(*(group.ends for group in row.groups))]
        by_state = {text(outcome.state): outcome for outcome in outcomes}
        assert len(by_state) == len(outcomes) == row.outcome_count
        assert sum(outcome.orders for outcome in outcomes) == row.orders
        found.append((row.when, by_state))
    return found


def check(board: Board) -> lastrites.Resolution | None:
    """Compare factors with plain exploration. The answer if it has any."""
    plain = lastrites.resolve(board, reduction=(LOOKUP,), limits=lastrites.Limits(states=MOST_STATES))
    if not plain.complete:
        return None
    answer = lastrites.resolve(board, limits=BEYOND_ONE)
    if answer.factors is None:
        assert [text(each.state) for each in answer.outcomes] == [text(each.state) for each in plain.outcomes]
        return None
    assert (answer.order_count, answer.questions) == (plain.order_count, plain.questions)
    assert (answer.counting, answer.warnings) == (plain.counting, plain.warnings)
    rows = multiplied(answer)
    states = {outcome.id: text(outcome.state) for outcome in plain.outcomes}
    for assignment in plain.assignments:
        (outcomes,) = [
            found for when, found in rows if all(assignment.when.get(q, a) == a for q, a in when.items())
        ]
        orders = {state: outcome.orders for state, outcome in outcomes.items()}
        assert orders == {states[id]: number for id, number in assignment.outcomes.items()}
    for outcome in plain.outcomes:
        same = [found[states[outcome.id]] for _, found in rows if states[outcome.id] in found]
        assert set(outcome.deciders) == set().union(*(each.deciders for each in same))
        assert set(outcome.can_force) == set.intersection(*(set(each.can_force) for each in same))
        assert outcome.chance == any(each.chance for each in same)
        for when, found in rows:
            (row,) = [each for each in answer.factors if each.when == when]
            ends = row.find(outcome.state)
            assert (ends is None) == (states[outcome.id] not in found)
            assert ends is None or row.outcome(ends).state == outcome.state
    # The order told is that of a legal walk to this very state: it is looked up step by step, and ends nowhere else.
    outcome = rows[-1][1][max(rows[-1][1])]
    assert outcome.witness[-1].decision
    return answer


@pytest.mark.parametrize("make", [keyforge_board_of_ends, riftbound_board_of_ends])
def test_random_boards(make: Callable[[int], Board]) -> None:
    factored = holding(lambda board: check(board) is not None, make, BOARDS)
    print(f"{factored} of {BOARDS} boards have factors")
    assert factored >= BOARDS // 2


def test_a_question_within_a_group() -> None:
    """Whether what a group destroys resolves first is asked only while others wait; each answer by itself."""
    answer = check(keyforge_board_of_ends(19))
    assert answer is not None
    assert answer.counting == {"cascade": ["nested", "pooled"]}
    assert [row.when for row in answer.factors or ()] == [{"cascade": "nested"}, {"cascade": "pooled"}]
    assert answer.order_count is None
    assert answer.outcome_count == 2


def standing_by(*events: Any) -> Board:
    """Two creatures are destroyed, each of which may send one who stands by to hand; then more happens."""
    cards: dict[str, Any] = {}
    line, dying = [], []
    for kind in ("elf", "imp"):
        steps = ["you may", {"move": {f"each {kind} creature": "hand"}}]
        dead, standing = f"Dying {kind}", f"Standing {kind}"
        cards[dead] = {"type": "creature", "power": 3, "abilities": [{"when": "destroyed", "steps": steps}]}
        cards[standing] = {"type": "creature", "power": 3, "traits": [kind]}
        line += [dead, standing]
        dying.append(dead)
    made = {"game": "keyforge", "active": "P1", "cards": cards, "event": [{"destroy": dying}, *events]}
    return Board.from_text(json.dumps({**made, "players": {"P1": {"battleline": line}, "P2": {}}}))


def test_what_follows_may_depend_on_all_groups_as_long_as_it_comes_to_the_same() -> None:
    """Whether anybody is left to destroy depends on both; what becomes of each does not."""
    assert check(standing_by({"instructions": [{"destroy": "each friendly creature"}]}))


@pytest.mark.parametrize(
    "steps",
    [
        [{"destroy": "each friendly creature"}, "if you do", {"gain": 1}],  # an end of both together
        [{"destroy": "a friendly creature"}],  # a choice after the groups
    ],
)
def test_what_joins_the_groups_again_is_listed(steps: list[Any]) -> None:
    board = standing_by({"instructions": steps})
    answer = lastrites.resolve(board, limits=BEYOND_ONE)
    assert answer.factors is None
    assert len(answer.outcomes) >= 4


def ends(number: int) -> Board:
    return Board.from_text(json.dumps(FAMILIES["ends"].board(number)))


def test_the_family_of_the_bench() -> None:
    known = FAMILIES["ends"].known(4)
    answer = check(ends(4))
    assert answer is not None
    assert (answer.order_count, answer.outcome_count) == (known.orders, known.outcomes)
    assert answer.state_count < 30
    told = answer.to_json(witnesses=False)
    assert told["outcomes"] is None
    assert told["outcome_count"] == str(known.outcomes)
    (row,) = told["factors"]
    assert row["shuffles"] == "24"
    assert [len(group["ends"]) for group in row["groups"]] == [2, 2, 2, 3]


def test_outcomes_that_are_not_told_do_not_look_like_a_list() -> None:
    answer = lastrites.resolve(ends(2), limits=BEYOND_ONE)
    assert answer.outcome_count == 4
    for look in (len, list, bool, lambda outcomes: outcomes[0]):
        with pytest.raises(OutcomesUntold):
            look(answer.outcomes)
    assert "told as factors" in repr(answer)
    assert "Standing 2.1: ward" in answer._repr_html_()
    assert len(answer.plain.outcomes) == 4


def test_factors_can_be_switched_off_and_are_for_many_outcomes_only() -> None:
    without = tuple(each for each in REDUCTIONS if each != "factors")
    assert len(lastrites.resolve(ends(2), limits=BEYOND_ONE, reduction=without).outcomes) == 4
    assert len(lastrites.resolve(ends(2), limits=lastrites.Limits(outcomes=4)).outcomes) == 4
    assert len(lastrites.resolve(ends(2), limits=BEYOND_ONE, pile_order=True).outcomes) > 4


def test_a_surplus_answer_is_found_where_outcomes_are_not_listed() -> None:
    made = FAMILIES["ends"].board(2)
    made["event"]["choose"] = ["Standing 2.1"]
    with pytest.raises(BoardError, match="LR-E034"):
        lastrites.resolve(Board.from_text(json.dumps(made)), limits=BEYOND_ONE)


def test_what_is_read_off_a_state_speaks_of_one_subject_each() -> None:
    """Cards beyond those named are counted by themselves; a card on another one is told by where it hangs."""
    board = ends(1)
    state = {
        "P1": {"aember": 2, "deck size": 5, "deck": ["Troll"], "hand": [{"Drumble": {"damage": 1}}]},
        "P2": {"battleline": [{"Bumpsy": {"upgrades": ["Soulkeeper"], "ward": True}}]},
    }
    assert entries(board.rules.shape, state, board.players) == {
        ("P1", "aember"): "2",
        ("P1", "deck size"): "4",
        ("card", "Troll"): '[["P1", "deck"], {}]',
        ("card", "Drumble"): '[["P1", "hand"], {"damage": 1}]',
        ("card", "Bumpsy"): '[["P2", "battleline"], {"ward": true}]',
        ("card", "Soulkeeper"): '[["with", "Bumpsy", "upgrades"], {}]',
    }
    assert subject(fn("num", fn("damage", "Bumpsy"), 2), board.players) == ("card", "Bumpsy")
    assert subject(fn("zone", "Bumpsy", "P2", fn("hand")), board.players) == ("card", "Bumpsy")
    assert subject(fn("num", fn("pool", "P1"), 2), board.players) == ("num", fn("pool", "P1"))
    assert subject(fn("is", "P1", fn("shuffled")), board.players) == ("is", "P1", fn("shuffled"))


def test_shuffles_of_orders_of_different_lengths() -> None:
    """Two orders of one pick, or one of two, between one of two: 2 * 3 + 6 ways."""
    assert shuffled([{1: 2, 2: 1}, {2: 1}]) == {3: 6, 4: 6}


def test_the_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ends-3.yaml"
    path.write_text(json.dumps(FAMILIES["ends"].board(3)), encoding="utf-8")
    assert cli.main(["outcomes", str(path), "--limit-outcomes", "11", "-q"]) == 0
    shown = capsys.readouterr().out
    assert "12 outcomes in 72 legal orders: too many to list, told as factors" in shown
    assert "2 x 2 x 3 outcomes. Each comes about in 6 times as many orders" in shown
    assert "Standing 3.2: damage 0 -> 1" in shown
    assert "kf.destroyed.discard" in shown


def test_orders_are_listed_without_exploring() -> None:
    board = ends(2)
    plain, answer = lastrites.resolve(board), lastrites.resolve(board, limits=BEYOND_ONE)

    def told(resolution: lastrites.Resolution) -> Counter[tuple[tuple[str, tuple[str, ...]], ...]]:
        return Counter(tuple((step.decision, step.clauses) for step in order.steps) for order in resolution.orders())

    assert told(answer) == told(plain)
    assert Counter(order.outcome for order in answer.orders()) == {f"1{a} 2{b}": 2 for a in "AB" for b in "AB"}
    assert len(list(answer.orders(limit=3))) == 3


def test_the_nearest_outcome() -> None:
    board = ends(3)
    listed = lastrites.resolve(board).to_json(witnesses=False)["outcomes"]
    answer = lastrites.resolve(board, limits=BEYOND_ONE)
    for state, differing in (
        ("{P1: {hand: [Dying 1], battleline: [{Standing 2.1: {ward: true}}, Standing 2.2]}}", 0),
        ("{P1: {hand: [Dying 1, Dying 2], discard: [Dying 3]}, P2: {battleline: {contains: [Standing 3.1]}}}", 2),
        ("{P1: {hand: [Dying 1], discard: [Dying 1, Dying 2, Dying 3]}, P2: {aember: 3}}", 2),
    ):
        entry = compile_state(state, board)
        (outcome,) = focused(answer, nearest(entry)).outcomes
        found = distance(entry.differences({"state": outcome.state}))
        assert found == min(distance(entry.differences(each)) for each in listed)
        assert found[0] == differing
        assert bool(never(entry, answer.factors or ())) == (differing > 0)


def on_disk(tmp_path: Any, number: int, **more: Any) -> str:
    path = tmp_path / f"ends-{number}.yaml"
    path.write_text(json.dumps({**FAMILIES["ends"].board(number), **more}), encoding="utf-8")
    return str(path)


def test_other_commands(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path, few = on_disk(tmp_path, 2), ("--limit-outcomes", "3", "-q")
    assert cli.main(["why", path, *few, "--outcome", "1A 2B"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Standing 2.1: ward; Dying 1: battleline -> hand; Dying 2: battleline -> discard" in shown
    assert cli.main(["why", path, *few, "--outcome", "1A 2C"]) == 2
    assert 'for example "1A 2A"' in capsys.readouterr().err
    for command in (["compare", path, "cascade"], ["orders", path, "--outcome", "A"]):
        assert cli.main([*command, *few]) == 2
        assert "LR-E035" in capsys.readouterr().err
    assert cli.main(["report", path, "-o", str(tmp_path / "page.html"), *few]) == 0
    assert "4 outcomes in 8 legal orders: each end of a group" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("expected", "status"), [({"orders": 8, "distinct": 4}, 0), ({"distinct": 5}, 1)])
def test_numbers_are_verified(tmp_path: Any, expected: dict[str, int], status: int) -> None:
    assert cli.main(["verify", on_disk(tmp_path, 2, expect=expected), "--limit-outcomes", "3"]) == status


def test_a_limit_of_states_ends_the_search_for_groups() -> None:
    answer = lastrites.resolve(ends(3), limits=lastrites.Limits(states=8, outcomes=1))
    assert answer.factors is None
    assert not answer.complete
    assert answer.incomplete_reason == "the limit of 8 states was reached"


def dying(card: str, *steps: Any) -> dict[str, Any]:
    return {card: {"type": "creature", "power": 5, "abilities": [{"when": "destroyed", "steps": list(steps)}]}}


def test_a_number_that_is_nothing_under_one_answer_only() -> None:
    """It is told in no outcome of the one answer and in some of the other: the outcomes are not the same."""
    watcher = {"when": "each time destroyed", "watches": "friendly elf creature", "steps": [{"gain": 1}]}
    cards = {
        "O": {"type": "creature", "power": 5, "abilities": [watcher]},
        "X": {"type": "creature", "power": 5, "traits": ["cat"]},
        **dying("A", {"move": {"self": "hand"}}),
        **dying("Z", "you may", {"lose": 1}, {"stun": "a cat creature"}),
        **dying("H", "you may", {"move": {"self": "archives"}}),
    }
    cards["A"]["traits"] = ["elf"]
    board: dict[str, Any] = {"game": "keyforge", "active": "P1", "cards": cards}
    board["players"] = {"P1": {"battleline": ["O", "A", "Z", "H"], "aember": 1}, "P2": {"battleline": ["X"]}}
    board["event"] = [{"destroy": ["A", "Z", "H", "O"]}, {"instructions": [{"lose": 1}]}]
    answer = check(Board.from_text(json.dumps(board)))
    assert answer is not None
    assert answer.questions == {"observer_moment": ["when_leaving", "with_the_batch"]}
    assert answer.outcome_count is None


def test_what_is_attached_is_told_with_its_card() -> None:
    """Gear says whose it is where another player controls its unit: one group exhausts it, another takes the unit."""
    steps = {
        "A": {"take control": "each enemy exhausted unit in a base"},
        "B": {"ready": "each enemy exhausted unit in a base"},
        "D": {"exhaust": "each gear"},
        "E": {"ready": "each gear"},
    }
    cards: dict[str, Any] = {
        card: {"type": "unit", "might": 3, "abilities": [{"when": "deathknell", "steps": [step]}]}
        for card, step in steps.items()
    }
    cards |= {"X": {"type": "unit", "might": 4}, "G": {"type": "gear"}}
    base = {"P1": {"base": list(steps)}, "P2": {"base": [{"X": {"exhausted": "true", "gear": ["G"]}}]}}
    board = {"game": "riftbound", "active": "P1", "cards": cards, "players": base, "event": {"kill": list(steps)}}
    assert check(Board.from_text(json.dumps(board))) is None
