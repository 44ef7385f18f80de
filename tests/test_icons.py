"""Bonus icons: the page that goes through the text, and what the boards of `fixtures/` cannot say by themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from clause_help import fails_without

import lastrites
from lastrites.book import read_book
from lastrites.game import load_game
from lastrites.trace import trace

ROOT = Path(__file__).parent.parent
BOARDS = ROOT / "fixtures" / "keyforge"
PAGE = (ROOT / "docs" / "bonus-icons.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| [^|]+ \| `([^`]+)` \| (\w+) \| \[([^\]]+)\]\(\.\./([^)]+)\) \|$", PAGE, re.MULTILINE)
ALL, LEFT, SPECIFIC = "kf.icons.all", "kf.destroyed.left", "kf.icons.specific"


@pytest.fixture(scope="module")
def kinds() -> dict[str, str]:
    return {clause.id: clause.kind for clause in read_book(load_game("keyforge")).clauses}


@pytest.mark.parametrize("row", sorted(set(ROWS)), ids=lambda row: row[0])
def test_a_row_of_the_page(row: tuple[str, str, str, str], kinds: dict[str, str]) -> None:
    clause, kind, name, path = row
    assert kinds[clause] == kind
    assert Path(path).stem == name
    assert fails_without(ROOT / path, clause, kind)


def test_every_clause_about_icons_is_on_the_page(kinds: dict[str, str]) -> None:
    about = {clause for clause in kinds if clause.startswith("kf.icons.")}
    assert about <= {clause for clause, *_ in ROWS}


def resolved(name: str, without: tuple[str, ...] = ()) -> lastrites.Resolution:
    return lastrites.resolve(lastrites.load(BOARDS / f"{name}.yaml"), without=without)


# ---- a card that has left play


def test_why_rad_penny_draws_and_does_not_steal() -> None:
    (outcome,) = resolved("rad-penny-has-left-play-and-still-draws").outcomes
    clauses = {step.decision: step.clauses for step in outcome.witness}
    assert {ALL, SPECIFIC, "kf.icons.draw"} <= set(clauses["resolve a draw icon"])
    assert LEFT in clauses["the card has been played"]
    (played,) = [step for step in outcome.witness if step.decision == "the card has been played"]
    assert any("steal 1" in text and LEFT in text for text in played.barred)


def test_without_the_precedence_the_two_clauses_are_in_conflict() -> None:
    found = resolved("rad-penny-has-left-play-and-still-draws", without=(SPECIFIC,))
    assert [conflict["clauses"] for conflict in found.conflicts] == [[ALL, LEFT]]
    assert found.conflicts[0]["after"][-1] == "discard the tagged cards"
    assert not found.outcomes
    assert not found.stuck
    assert found.to_json()["conflicts"] == found.conflicts
    assert not any(order.outcome for order in trace(found))


@pytest.mark.parametrize("gone", [ALL, LEFT, "kf.icons.abilities"])
def test_there_is_no_conflict_without_one_of_its_parts(gone: str) -> None:
    found = resolved("rad-penny-has-left-play-and-still-draws", without=(SPECIFIC, gone))
    assert not found.conflicts
    (outcome,) = found.outcomes
    drawn = "hand" in outcome.state["P1"]
    assert drawn == (gone != ALL)


def test_the_book_says_which_clause_gives_way() -> None:
    (left,) = [clause for clause in read_book(load_game("keyforge")).clauses if clause.id == LEFT]
    assert ALL in left.yields_to


# ---- chance and choice


def test_luck_alone_decides_what_is_drawn() -> None:
    found = resolved("a-draw-icon-reshuffles-an-empty-deck")
    for outcome in found.outcomes:
        assert (outcome.deciders, outcome.can_force, outcome.chance) == (("chance",), (), True)
    assert [outcome["chance"] for outcome in found.to_json()["outcomes"]] == [True, True]


def test_luck_and_choice_are_kept_apart() -> None:
    """Who discards after a lucky draw decides, but can force nothing."""
    for outcome in resolved("chance-draws-and-the-player-discards").outcomes:
        assert (outcome.deciders, outcome.can_force, outcome.chance) == (("P1", "chance"), (), True)


def test_a_choice_of_the_active_player_can_be_forced() -> None:
    for outcome in resolved("amphora-captura-and-scrivener-favian").outcomes:
        assert (outcome.deciders, outcome.can_force, outcome.chance) == (("P1",), ("P1",), False)


# ---- answers that the event gives


def board(tmp_path: Path, text: str) -> lastrites.Board:
    path = tmp_path / "board.yaml"
    path.write_text(text, encoding="utf-8")
    return lastrites.load(path)


HEAD = "game: keyforge\ntitle: t\nactive: P1\nplayers:\n"
HAND = HEAD + "  P1: {battleline: [Bumpsy, Nexus], hand: [%s]}\n  P2: {}\nevent: %s\n"


@pytest.mark.parametrize(
    ("card", "answers"),
    [("Troll", "[Bumpsy]"), ("Soulkeeper", "[left]"), ("Troll: {icons: [damage]}", "[left, right]")],
)
def test_an_answer_that_is_no_legal_choice(tmp_path: Path, card: str, answers: str) -> None:
    event = f"{{play: {card.split(':')[0]}, choose: {answers}}}"
    with pytest.raises(lastrites.BoardError, match="no legal choice"):
        lastrites.resolve(board(tmp_path, HAND % (card, event)))


def test_the_only_flank_may_be_named(tmp_path: Path) -> None:
    text = HEAD + "  P1: {hand: [Troll: {icons: [damage]}]}\n  P2: {battleline: [Bumpsy]}\n"
    found = lastrites.resolve(board(tmp_path, text + "event: {play: Troll, choose: [left, Bumpsy]}\n"))
    assert found.order_count == 1
    assert found.outcomes[0].state["P2"]["battleline"] == [{"Bumpsy": {"damage": 1}}]


def test_what_is_triggered_stays_open(tmp_path: Path) -> None:
    """The choice of a "Destroyed:" ability of the played card is not answered by the event."""
    text = (
        HEAD + "  P1: {hand: [Burnished Nickles: {power: 1, icons: [damage, damage]}]}\n"
        "  P2: {battleline: [Bumpsy, Troll]}\n"
        "event: {play: Burnished Nickles, choose: [Burnished Nickles, Troll]}\n"
    )
    found = lastrites.resolve(board(tmp_path, text))
    hands = sorted(outcome.state["P2"]["hand"][0] for outcome in found.outcomes)
    assert hands == ["Bumpsy", "Troll"]
