"""The page about a board: whole, self-contained, and safe whatever the board calls itself."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fixture_help import FIXTURES

from lastrites import cli
from lastrites.book import clause_texts
from lastrites.game import load_game

EMPTY = {"meta", "br"}


class Page(HTMLParser):
    """A page that is read: its tags in balance, its text, its anchors and where links lead."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        assert not {name for name in given if name.startswith("on")} | set(given) & {"src", "style", "srcset"}
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name == "href" and value]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.words.append(data)
        else:
            assert not re.search(r"url\(|@import|http", data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def page_of(folder: Path, board: Path, *arguments: str, status: int = 0) -> Page:
    file = folder / "page.html"
    assert cli.main(["report", str(board), "-o", str(file), "-q", *arguments]) == status
    page = Page(file.read_text(encoding="utf-8"))
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= {f"#{name}" for name in page.ids}
    assert not page.tags & {"script", "link", "img", "iframe", "object", "form", "base"}
    return page


def test_a_board_of_two_readings(tmp_path: Path) -> None:
    page = page_of(tmp_path, FIXTURES / "keyforge" / "two-solefts-against-bad-penny.yaml")
    for told in (
        "Two Solefts are destroyed together",
        "edition 17.4",
        "2 outcomes in all",
        "Outcome A : 2 orders".replace(" :", ":"),
        "P1 can bring about outcome B, whatever the others do",
        "under cascade: pooled",
        "nested allows A rulebook of December 2020",
        "nested_discard ruled out",
        "pooled allows A, B Keyteki since June 2026, Vex",
        "An order that leads there, under cascade: pooled",
        "barred: Bad Penny would have been affected by",
    ):
        assert told in page.text, told
    assert {"outcome-A", "outcome-B"} <= set(page.ids)
    said = clause_texts(load_game("keyforge"), "17.4")["kf.destroyed.retag"]
    assert said.paraphrase in page.text
    assert said.source in page.text


def test_the_other_game(tmp_path: Path) -> None:
    page = page_of(tmp_path, FIXTURES / "riftbound" / "glasc-shot-outside-combat.yaml")
    for told in ("Cleanup, pass 1", "the Chain, bottom to top", "read as control_while_closed: kept", "kept read so"):
        assert told in page.text, told


def test_whatever_a_board_says_is_text(tmp_path: Path) -> None:
    board = tmp_path / "board.yaml"
    board.write_text(
        """
game: keyforge
title: '<script>alert("1")</script> & <b onload=x>'
source: '"><img src=x onerror=alert(1)>'
active: '<i>Ann</i>'
players:
  '<i>Ann</i>': {battleline: ['<u>Imp</u>', Troll]}
  'B"ob': {battleline: [Troll: {id: x-1}]}
cards:
  '<u>Imp</u>': {type: creature, power: 2, abilities: [{when: destroyed, steps: [{gain: 1}]}]}
event: {destroy: ['<u>Imp</u>']}
""",
        encoding="utf-8",
    )
    page = page_of(tmp_path, board)
    assert not page.tags & {"i", "u", "b"}
    for told in ('<script>alert("1")</script> & <b onload=x>', "<i>Ann</i>", "<u>Imp</u>", 'B"ob', "onerror=alert(1)"):
        assert told in page.text, told


def test_what_is_refused_and_what_is_not_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused = FIXTURES / "keyforge" / "refused-a-stunned-creature-cannot-fight.yaml"
    page = page_of(tmp_path, refused, status=1)
    assert "refused: Troll fights Dust Imp (kf.fight.ready)" in page.text
    assert "Only a ready creature" in page.text
    page = page_of(tmp_path, FIXTURES / "keyforge" / "entangled-4.yaml", "--limit-states", "9", status=3)
    assert "Incomplete (the limit of 9 states was reached)" in page.text
    assert cli.main(["report", str(refused), "-o", str(tmp_path / "no" / "page.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err
