"""Texts for the terminal, made from answers written by hand."""

from __future__ import annotations

import io
from itertools import product
from typing import Any

import pytest

from lastrites import terminal
from lastrites.book import ClauseText
from lastrites.decisions import agree, decision_table
from lastrites.terminal import Progress, Style
from lastrites.verify import Verdict


def answer(**changes: Any) -> dict[str, Any]:
    """An answer with one outcome under every reading."""
    outcome = {
        "id": "A",
        "orders": "40320",
        "pile_arrangements": "6",
        "under": [{"when": {}, "orders": "40320"}],
        "deciders": [],
        "can_force": ["Ann", "Bob"],
        "chance": False,
        "state": {
            "Ann": {
                "aember": 2,
                "hand": ["Imp"],
                "battleline": [{"Troll": {"damage": 3, "ward": True, "upgrades": ["Cap"]}}],
            },
            "Bob": {},
        },
        "witness": [
            {"by": None, "decision": "Troll fights Imp", "clauses": [], "changes": []},
            {
                "by": "Ann",
                "decision": "resolve Imp",
                "clauses": ["g.order", "g.tag"],
                "changes": ["Ann: aember 0 -> 2"],
            },
        ],
    }
    return {
        "board": "b.yaml", "game": "g", "edition": "2", "readings": {"x": "one"}, "complete": True, "states": 9,
        "orders": "40320", "readings_explored": [{"when": {}, "orders": "40320"}], "refused": [], "questions": {},
        "counting": {}, "outcomes": [outcome], "stuck": [], "loops": [], "unexplained": [], "warnings": [], **changes,
    }  # fmt: skip


def two_readings() -> dict[str, Any]:
    """An answer in which the reading of `q` decides which outcomes there are."""
    first, second = ({**answer()["outcomes"][0], "id": name, "orders": None, "witness": []} for name in "AB")
    first |= {"under": [{"when": {}, "orders": "2"}]}
    second |= {"under": [{"when": {"q": "wide"}, "orders": "4"}], "deciders": ["Ann", "Bob"], "can_force": ["Bob"]}
    rows = [{"when": {"q": "narrow"}, "orders": "2"}, {"when": {"q": "wide"}, "orders": "6"}]
    return answer(
        orders=None, readings_explored=rows, questions={"q": ["narrow", "wide"]}, outcomes=[first, second]
    )


def text(result: dict[str, Any], **more: Any) -> str:
    return terminal.outcomes_text(result, width=80, **more)


def test_headline_and_outcome() -> None:
    shown = text(answer(), title="A board")
    assert shown.startswith("A board\ng, edition 2, x: one\n\n1 outcome in 40,320 legal orders\n")
    assert "Outcome A: 40,320 orders" in shown
    assert "  Ann  aember 2; hand: Imp; battleline: Troll (damage 3, ward, upgrades: Cap)" in shown
    assert "  Bob  nothing" in shown
    assert "it comes out whatever anybody does" in shown
    assert "6 arrangements of the piles" in shown


def test_witness_step_by_step_with_clauses() -> None:
    lines = text(answer()).splitlines()
    place = lines.index("    1. Troll fights Imp")
    assert lines[place + 1 : place + 4] == [
        "    2. Ann: resolve Imp",
        "       [g.order, g.tag]",
        "         Ann: aember 0 -> 2",
    ]


def test_clauses_are_explained_in_the_order_of_their_mention() -> None:
    clauses = {"g.tag": ClauseText("It is tagged.", "Book, 2020"), "g.order": ClauseText("One chooses.", "")}
    shown = text(answer(), clauses=clauses)
    assert shown.index("One chooses.") < shown.index("It is tagged.") < shown.index("Book, 2020")
    assert "Clauses" not in text(answer())


def several_questions() -> dict[str, Any]:
    """An answer with two questions that change outcomes, and one that changes numbers of orders only."""
    made = [{**answer()["outcomes"][0], "id": name, "orders": None, "under": [], "witness": []} for name in "AB"]
    rows = [
        {"when": {"q": "narrow", "c": "few"}, "orders": "2", "outcomes": ["A"]},
        {"when": {"q": "narrow", "c": "many"}, "orders": "3", "outcomes": ["A"]},
        {"when": {"q": "wide", "r": "one"}, "orders": "6", "outcomes": ["A", "B"]},
        {"when": {"q": "wide", "r": "two"}, "orders": "4", "outcomes": ["B"]},
        {"when": {"q": "wide", "r": "three"}, "orders": "4", "outcomes": ["B"]},
    ]
    return answer(
        orders=None,
        readings_explored=rows,
        questions={"q": ["narrow", "wide"], "r": ["one", "two", "three"]},
        counting={"c": ["few", "many"]},
        outcomes=made,
    )


def test_several_questions_make_a_table() -> None:
    shown = text(several_questions())
    assert (
        "Readings\n"
        "  q       r             orders  outcomes\n"
        "  narrow  any           2 or 3  A\n"
        "  wide    one           6       A, B\n"
        "  wide    two or three  4       B\n"
    ) in shown
    assert "  q and r\n  c: changes only the number of orders: few 2, 6 or 4; many 3, 6 or 4\n" in shown


def test_a_table_that_is_too_wide_becomes_blocks() -> None:
    shown = terminal.outcomes_text(several_questions(), width=30)
    assert "  q         narrow\n  r         any\n  orders    2 or 3\n  outcomes  A\n\n  q" in shown


def test_the_table_says_what_the_readings_say() -> None:
    """Every combination of answers falls into one row, with the outcomes and orders of the readings it agrees with."""
    result = several_questions()
    questions, rows = decision_table(result)
    assert list(questions) == ["q", "r"]
    for label in result["readings_explored"]:
        for combination in product(*questions.values()):
            when = dict(zip(questions, combination, strict=True))
            if agree(label["when"], when):
                fits = (all(a in cell for a, cell in zip(combination, row.answers, strict=True)) for row in rows)
                (row,) = [row for row, fit in zip(rows, fits, strict=True) if fit]
                assert row.outcomes == tuple(label["outcomes"])
                assert label["orders"] in row.orders


def test_readings_and_the_questions_that_matter() -> None:
    shown = text(two_readings())
    assert "2 outcomes in all; which of them, in 2 or 6 legal orders, depends on the reading" in shown
    assert "  q: narrow  2 orders, outcome A\n  q: wide    6 orders, outcomes A and B\n" in shown
    assert "q: narrow allows A; wide allows A and B" in shown
    assert "under q: wide: 4 orders" in shown
    assert "decided by Ann and Bob; Bob can force it" in shown


def test_a_question_that_changes_the_numbers_only() -> None:
    rows = [{"when": {"q": "narrow"}, "orders": "2"}, {"when": {"q": "wide"}, "orders": "infinite"}]
    shown = text(answer(orders=None, readings_explored=rows, counting={"q": ["narrow", "wide"]}))
    assert "1 outcome in 2 or infinite legal orders, depending on the reading" in shown
    assert "q: changes only the number of orders: narrow 2; wide infinite" in shown


def test_nobody_can_force_what_luck_decides() -> None:
    outcome = {**answer()["outcomes"][0], "chance": True, "can_force": []}
    assert "luck has a say; nobody can force it alone" in text(answer(outcomes=[outcome]))


def test_refused_event_is_no_outcome() -> None:
    shown = text(answer(refused=[{"event": 1, "clauses": ["g.stunned"]}], outcomes=[], orders="0"))
    assert "The event is refused: nothing happens." in shown
    assert "refused: 1 (g.stunned)" in shown


def test_incomplete_answers_say_so_first_and_claim_no_exact_numbers() -> None:
    shown = text(answer(complete=False, incomplete_reason="interrupted", outcomes=[], orders="0", states=1200))
    assert shown.splitlines()[3].startswith("INCOMPLETE (interrupted)")
    assert "0 outcomes so far, after 1,200 states" in shown
    shown = text(answer(complete=False, incomplete_reason="interrupted", outcomes=[], orders=None, states=0))
    assert shown.splitlines()[3:] == ["INCOMPLETE (interrupted): nothing is known yet."]


def test_numbers_of_orders_of_an_incomplete_answer_are_lower_bounds() -> None:
    known = {"orders": None, "orders_at_least": "3"}
    rows = [{"when": {}, **known}]
    outcome = {**answer()["outcomes"][0], **known, "under": rows, "deciders": None, "can_force": None}
    shown = text(answer(complete=False, orders=None, orders_at_least="3", outcomes=[outcome], readings_explored=rows))
    assert "Outcome A: at least 3 orders" in shown
    assert "whatever anybody does" not in shown


def test_remarks() -> None:
    step = {"by": "Ann", "decision": "again", "changes": []}
    shown = text(
        answer(
            warnings=["the board is not at rest"],
            loops=[{"when": {"q": "wide"}, "cycle": [step, {**step, "by": None, "decision": "and back"}]}],
            stuck=[{"after": ["first", "then"], "options": []}],
            unexplained=[{"after": [], "options": ["left", "right"]}],
        )
    )
    assert "  - the board is not at rest" in shown
    assert "  - Ann: again, and back (q: wide)" in shown
    assert "  - after: first, then" in shown
    assert "  - after: at the start; possible: left / right" in shown


def test_nothing_is_wider_than_the_page() -> None:
    long_name = " ".join(["Name"] * 30)
    outcome = {**answer()["outcomes"][0], "state": {"Ann": {"hand": [long_name, long_name]}, "Bob": {}}}
    assert max(map(len, text(answer(outcomes=[outcome]), title=long_name).splitlines())) <= 80


def test_one_order() -> None:
    order = {"when": {"q": "wide"}, "outcome": "B", "steps": answer()["outcomes"][0]["witness"]}
    shown = terminal.order_text(1234, order, width=80).splitlines()
    assert shown[0] == "1,234. outcome B (q: wide)"
    assert shown[2] == "   2. Ann: resolve Imp"


def test_verdicts() -> None:
    failures = ["expectation in line 3:", "  orders: expected 5, found 4"]
    verdict = Verdict("failed", "2 outcomes, 4 orders", failures, ["note"])
    assert terminal.verdict_lines("b.yaml", verdict, Style()) == [
        "FAILED  b.yaml (2 outcomes, 4 orders)",
        "    expectation in line 3:",
        "      orders: expected 5, found 4",
        "    note: note",
    ]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colours_only_on_a_terminal_that_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert Style.of(io.StringIO()).strong("x") == "x"
    assert Style.of(Terminal()).strong("x") == "\x1b[1mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert Style.of(Terminal()).strong("x") == "x"


def test_progress_waits_and_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now)
    stream = Terminal()
    progress = Progress(stream)
    progress("too early")
    assert stream.getvalue() == ""
    now += 1.5
    progress("5 states")
    progress("not again so soon")
    assert stream.getvalue() == "\r5 states"
    progress.clear()
    assert stream.getvalue().endswith("\r        \r")


def test_quiet_progress_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    progress = Progress(stream, quiet=True)
    monkeypatch.setattr(progress, "next", 0.0)
    progress("5 states")
    assert stream.getvalue() == ""
