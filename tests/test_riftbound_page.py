"""The page about Riftbound names clauses, kinds, sources, boards, questions and editions that exist."""

from __future__ import annotations

import re

import pytest
from fixture_help import ROOT, loaded

from lastrites.book import Clause, read_book
from lastrites.game import load_game

PAGE = (ROOT / "docs" / "riftbound.md").read_text(encoding="utf-8")
BOARD = r"\[([^\]]+)\]\(\.\./(fixtures/riftbound/[^)]+)\)"
ROWS = re.findall(rf"^\| [^|]+ \| `([^`]+)` \| (\w+) \| {BOARD} \| ([^|]+) \|$", PAGE, re.MULTILINE)
CHANGES = PAGE[PAGE.index("## What changes between editions") : PAGE.index("## Contested points")]
POINTS = re.findall(rf"^\| (X\d+[ab]?) \| [^|]+ \| ([^|]+) \| (?:{BOARD})? ?\|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def clauses() -> dict[str, Clause]:
    return {clause.id: clause for clause in read_book(load_game("riftbound")).clauses}


def test_the_page_has_a_row_for_each_sentence() -> None:
    assert len(ROWS) >= 60


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[2]}")
def test_row(row: tuple[str, str, str, str, str], clauses: dict[str, Clause]) -> None:
    clause, kind, name, path, source = row
    assert clauses[clause].kind == kind
    assert "; ".join(where for where, _ in clauses[clause].sources) == source
    assert path == f"fixtures/riftbound/{name}.yaml"
    assert loaded(ROOT / path)[1]


def test_every_clause_about_cleanup_deaths_and_the_chain_is_on_the_page(clauses: dict[str, Clause]) -> None:
    told = set(re.findall(r"`(rb\.[\w.-]+)`", PAGE))
    chapters = ("rb.cleanup.", "rb.deathknell.", "rb.chain.", "rb.lethal.", "rb.kill.", "rb.observer.", "rb.ending.")
    silent = {
        "rb.chain.closed", "rb.chain.targets", "rb.chain.may", "rb.cleanup.contested-kept", "rb.ending.step",
        "rb.kill.attributed", "rb.lethal.redefined", "rb.observer.first", "rb.observer.saved",
    }  # fmt: skip
    assert {clause for clause in clauses if clause.startswith(chapters)} - told <= silent


def test_what_changes_between_editions_is_shown_under_several_editions() -> None:
    boards = re.findall(BOARD, CHANGES)
    assert len(boards) >= 15
    for _, path in boards:
        expected = loaded(ROOT / path)[1]
        fixed = {said for each in expected for said in (*each.editions, *each.when)}
        assert fixed or path.endswith("both-at-the-victory-score.yaml"), path


def test_every_contested_point_has_a_question_or_says_why_not() -> None:
    numbers = {int(re.sub(r"\D", "", point)) for point, *_ in POINTS}
    assert numbers == set(range(1, 31))
    known = {question.name: question.answers for question in read_book(load_game("riftbound")).questions}
    asked = {name for _, text, *_ in POINTS for name in re.findall(r"^`(\w+)`", text)}
    assert asked == set(known)


@pytest.mark.parametrize("point", [p for p in POINTS if p[1].startswith("`")], ids=lambda point: str(point[0]))
def test_the_board_of_a_question_expects_something_of_two_answers(point: tuple[str, str, str, str]) -> None:
    """An answer is fixed by an expectation, by an edition that settles it, or by the newest edition."""
    _, text, _, path = point
    (question,) = re.findall(r"^`(\w+)`", text)
    book = read_book(load_game("riftbound"))
    answers = set()
    for expectation in loaded(ROOT / path)[1]:
        fixed = dict(expectation.when)
        for edition in expectation.editions or (None,):
            settled = book.settled(edition).get(question)
            answers |= set(fixed.get(question, [settled] if settled else []))
    assert len(answers) > 1
