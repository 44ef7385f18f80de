"""The page of findings agrees with the rules: nothing is missing on it, and its boards come out as it says."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from findings_boards import wrong
from findings_page import TITLES
from fixture_help import ROOT
from mutants import asking, raised

from lastrites.book import Book, read_book
from lastrites.game import load_game

PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
BOARDS = sorted((ROOT / "docs" / "boards").glob("*/*.yaml"))
GAMES = tuple(TITLES)


def part(game: str) -> str:
    """What the page says about a game."""
    return re.split(r"^## ", PAGE.partition(f"\n## {TITLES[game]}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def book(game: str) -> Book:
    return read_book(load_game(game))


@pytest.mark.parametrize("game", GAMES)
def test_every_question_and_pair_of_editions_has_a_section(game: str) -> None:
    headings = re.findall(r"^#### (.+)$", part(game), re.MULTILINE)
    wanted = [question.name for question in book(game).questions]
    wanted += [f"{one} and {other}" for one, other in pairwise(book(game).editions)]
    assert [heading for heading in headings if not heading.startswith("`")] == wanted


@pytest.mark.parametrize("game", GAMES)
def test_the_page_speaks_of_these_rules(game: str) -> None:
    """As many clauses and questions as there are, and no clause or answer that is not."""
    assert f"\n{len(book(game).clauses)} clauses, {len(book(game).questions)} questions, " in part(game)
    clauses = {clause.id for clause in book(game).clauses}
    assert set(re.findall(r"`((?:kf|rb)\.[\w.-]+)`", part(game))) <= clauses
    for question in book(game).questions:
        section = part(game).partition(f"\n#### {question.name}\n")[2].partition("\n#### ")[0]
        assert [f"\n- `{answer}`: " in section for answer in question.answers] == [True] * len(question.answers)


def test_every_board_is_linked_and_every_link_leads_to_a_board() -> None:
    linked = {ROOT / "docs" / path for path in re.findall(r"\]\((boards/[^)]+\.yaml)\)", PAGE)}
    assert linked == set(BOARDS)


@pytest.mark.parametrize(("question", "path"), [row for game in GAMES for row in asking(game)][::6])
def test_a_question_comes_up_on_its_board(question: str, path: Path) -> None:
    """Also where the edition of the board has answered it; a sample."""
    assert raised(path, question)


@pytest.mark.parametrize("path", BOARDS[::6], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_board_comes_out_as_it_says(path: Path) -> None:
    """A sample; all of them are verified when the page is made."""
    assert not wrong(path)
