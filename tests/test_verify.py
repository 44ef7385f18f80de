"""Verdicts on boards, from answers written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lastrites.expect import Entries, Entry, Exactly, Expectation, Place
from lastrites.verify import FAILED, INCOMPLETE, NOTHING, OK, verify

Result = dict[str, Any]


def outcome(name: str, coins: int, *under: Mapping[str, str], deciders: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "id": name,
        "state": {"Ann": {"coins": coins}},
        "under": [{"when": dict(when), "orders": "1"} for when in under],
        "deciders": list(deciders),
    }


def result(rows: Mapping[tuple[tuple[str, str], ...], str], *outcomes: dict[str, Any], **more: Any) -> Result:
    explored = [{"when": dict(when), "orders": orders} for when, orders in rows.items()]
    known = {"complete": True, "edition": "2", "readings": {}, "readings_explored": explored}
    return {**known, "outcomes": list(outcomes), **more}


class Engine:
    """Answers from a table by readings; remembers what it was asked."""

    def __init__(self, table: Mapping[tuple[tuple[str, str], ...], Result]) -> None:
        self.table = table
        self.asked: list[tuple[dict[str, str], str | None, bool]] = []

    def __call__(self, readings: Mapping[str, str], edition: str | None, piles: bool) -> Result:
        self.asked.append((dict(readings), edition, piles))
        return self.table[tuple(sorted(readings.items()))]


def coins(number: int, **more: Any) -> Entry:
    return Entry(7, Entries((("Ann", Place((("coins", Exactly(number, 0)),))),)), **more)


NARROW, WIDE = (("q", "narrow"),), (("q", "wide"),)
OPEN = result({NARROW: "1", WIDE: "2"}, outcome("A", 1, {}), outcome("B", 2, {"q": "wide"}))
TABLE = {
    (): OPEN,
    NARROW: result({(): "1"}, outcome("A", 1, {})),
    WIDE: result({(): "2"}, outcome("A", 1, {}), outcome("B", 2, {}, deciders=("Ann",))),
}


def test_without_when_it_must_hold_under_every_combination() -> None:
    engine = Engine(TABLE)
    assert verify([Expectation(3, outcomes=(coins(1), coins(2)))], engine).failures == [
        "expectation in line 3 under q: narrow:",
        "  the outcome expected in line 7 does not come out",
        "    the nearest is outcome A, but:",
        "      Ann, coins: expected 2, found 1",
    ]
    assert verify([Expectation(3, outcomes=(coins(1),))], engine).failures[0] == "expectation in line 3 under q: wide:"


def test_when_fixes_answers_and_every_answer_of_a_list_is_tried() -> None:
    engine = Engine(TABLE)
    verdict = verify(
        [
            Expectation(3, {"q": ("narrow",)}, outcomes=(coins(1),), orders="1"),
            Expectation(9, {"q": ("wide",)}, outcomes=(coins(1), coins(2)), orders="2"),
        ],
        engine,
    )
    assert (verdict.status, verdict.notes, verdict.summary) == (OK, [], "1 to 2 outcomes, 1 to 2 orders")
    assert verify([Expectation(3, {"q": ("narrow", "wide")}, orders="1")], engine).failures == [
        "expectation in line 3 under q: wide:",
        "  orders: expected 1, found 2",
    ]


def test_the_same_failure_under_several_readings_is_told_once() -> None:
    engine = Engine({(): result({NARROW: "1", WIDE: "1"}, outcome("A", 1, {}))})
    assert verify([Expectation(3, distinct=5)], engine).failures == [
        "expectation in line 3 under q: narrow / q: wide:",
        "  distinct: expected 5, found 1",
    ]


def test_readings_that_nothing_covers_are_said() -> None:
    verdict = verify([Expectation(3, {"q": ("narrow",)}, orders="1")], Engine(TABLE))
    assert (verdict.status, verdict.notes) == (OK, ["no expectation covers q: wide"])


def test_what_the_edition_settles_is_covered_only_by_that_answer() -> None:
    engine = Engine({**TABLE, (): result({(): "1"}, outcome("A", 1, {}))})
    covering = [Expectation(3, {"q": ("narrow",)}, orders="1")]
    assert verify(covering, engine, settled=lambda edition: {"q": "narrow"}).notes == []
    assert verify(covering, engine, settled=lambda edition: {"q": "wide"}).notes == [
        "no expectation covers the readings in use"
    ]


def test_readings_from_outside_leave_only_what_agrees_with_them() -> None:
    engine = Engine(TABLE)
    verdict = verify([Expectation(3, {"q": ("wide",)}, orders="9")], engine, readings={"q": "narrow"})
    assert verdict.status == NOTHING
    assert verdict.notes[0] == "the expectation in line 3 does not apply to the given readings"
    both = Expectation(3, {"q": ("narrow", "wide")}, orders="1")
    assert verify([both], engine, readings={"q": "narrow"}).status == OK


def test_editions_are_passed_on() -> None:
    engine = Engine({(): result({(): "1"}, outcome("A", 1, {}))})
    verify([Expectation(3, editions=("1", "2"), orders="1")], engine)
    assert [edition for _, edition, _ in engine.asked][:2] == ["1", "2"]
    assert verify([Expectation(3, editions=("1",), orders="1")], engine, edition="2").status == NOTHING


def test_pile_order_is_asked_for() -> None:
    engine = Engine(TABLE)
    verify([Expectation(3, orders="1", pile_order=True)], engine)
    assert engine.asked == [({}, None, True)]


def test_who_decides_is_asked_for_each_reading_by_itself() -> None:
    engine = Engine(TABLE)
    expected = Expectation(3, {"q": ("wide",)}, outcomes=(coins(1), coins(2, deciders=frozenset({"Ann"}))))
    assert verify([expected], engine).status == OK
    anywhere = Expectation(3, outcomes=(coins(1, deciders=frozenset()), coins(2, deciders=frozenset({"Ann"}))))
    assert verify([anywhere], engine).failures[0] == "expectation in line 3 under q: narrow:"
    assert ({"q": "wide"}, None, False) in engine.asked


def test_an_incomplete_answer_is_no_verdict() -> None:
    partial = result({(): "1"}, outcome("A", 5, {}), complete=False, incomplete_reason="time is up")
    verdict = verify([Expectation(3, orders="1")], Engine({(): partial}))
    assert (verdict.status, verdict.notes) == (INCOMPLETE, ["not checked: time is up"])


def test_a_stuck_state_is_a_failure() -> None:
    stuck = result({(): "1"}, outcome("A", 1, {}), stuck=[{"after": ["a step"], "options": []}])
    verdict = verify([Expectation(3, orders="1")], Engine({(): stuck}))
    assert verdict.status == FAILED


def test_a_refused_event_has_no_outcome_and_no_order() -> None:
    refused = {**result({(): "0"}), "refused": [{"event": 1, "clauses": ["g.stunned"]}]}
    assert verify([Expectation(3, outcomes=(), orders="0")], Engine({(): refused})).status == OK


def test_a_refusal_beside_outcomes_must_be_spoken_of() -> None:
    refusal = [{"event": 2, "what": "the showdown ends", "clauses": ["g.alone"]}]
    plain = result({(): "1"}, outcome("A", 1, {}))
    both = Engine({(): {**plain, "refused": refusal}})
    assert verify([Expectation(3, orders="1")], both).failures == [
        "expectation in line 3:",
        "  refused beside outcomes: the showdown ends (g.alone)",
    ]
    assert verify([Expectation(3, orders="1", refused=True)], both).status == OK
    assert verify([Expectation(3, orders="1", refused=True)], Engine({(): plain})).status == FAILED
    # Alone it says that nothing has an outcome.
    alone = [Expectation(3, outcomes=(), refused=True)]
    assert verify(alone, Engine({(): {**result({(): "0"}), "refused": refusal}})).status == OK
    assert verify(alone, both).status == verify(alone, Engine({(): plain})).status == FAILED
    # Refused under one reading only.
    halves = {(): {**OPEN, "refused": refusal}, NARROW: TABLE[NARROW], WIDE: {**TABLE[WIDE], "refused": refusal}}
    (failed, _) = verify([Expectation(3, outcomes=None)], Engine(halves)).failures
    assert failed == "expectation in line 3 under q: wide:"


def test_a_board_without_expectations() -> None:
    assert verify([], Engine({})).status == NOTHING
