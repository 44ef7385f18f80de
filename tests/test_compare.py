"""`compare`: answers, editions and wordings side by side, and where they part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from strategies import Json, board_of, layouts

import lastrites
from lastrites import cli
from lastrites.book import asked_by, read_book
from lastrites.comparison import by_answer, by_edition, compare
from lastrites.editions import questions_of
from lastrites.game import load_game

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
SOLEFTS = FIXTURES / "keyforge" / "two-solefts-against-bad-penny.yaml"
GROGGINS = FIXTURES / "keyforge" / "groggins-phoenix-heart-and-soulkeeper-in-either-reading.yaml"
ALONE = FIXTURES / "keyforge" / "gateway-to-dis-destroys-dust-imp.yaml"
TAKEN = FIXTURES / "riftbound" / "a-unit-left-with-enemies-loses-control.yaml"
HIDDEN = FIXTURES / "riftbound" / "control-and-hidden-card-by-edition.yaml"

Capture = pytest.CaptureFixture[str]


def run(*arguments: str | Path) -> int:
    try:
        return cli.main(["compare", *map(str, arguments)])
    except SystemExit as end:
        return int(end.code or 0)


def answer(capsys: Capture, *arguments: str | Path) -> Json:
    """The JSON form of a comparison that was answered."""
    assert run("--json", *arguments) == 0
    result: Json = json.loads(capsys.readouterr().out)
    return result


def test_answers_to_a_question(capsys: Capture) -> None:
    result = answer(capsys, SOLEFTS, "cascade")
    assert result["schema"] == "lastrites.compare/1"
    assert [side["name"] for side in result["sides"]] == ["nested", "pooled", "nested_discard"]
    assert result["common"] == ["A"]
    assert result["only"]["pooled"] == ["B"]
    ((row,),) = [result["rows"]]
    assert row["sides"]["pooled"] == {"orders": "4", "outcomes": ["A", "B"]}
    assert result["sides"][2]["note"].endswith("ruled out by 17.4")
    (part,) = result["partings"]
    assert part["sides"] == ["nested", "pooled"]
    assert part["since"]["clauses"] == [["kf.destroyed.cascade"], ["kf.destroyed.cascade"]]
    nested, pooled = part["at"]
    assert [len(here["options"]) for here in (nested, pooled)] == [1, 2]
    assert "kf.destroyed.order" in pooled["options"][1]["clauses"]


def test_the_clause_that_is_read_otherwise(capsys: Capture) -> None:
    """It stands for a side on which no clause is cited where they part."""
    assert run(FIXTURES / "keyforge" / "a-running-ability-inside-a-window.yaml", "running_ability") == 0
    told = capsys.readouterr().out
    assert "they read otherwise: [kf.destroyed.running]\n  finishes\n    go on\n" in told
    for name in ("keyforge", "riftbound"):
        game = load_game(name)
        known = {clause.id for clause in read_book(game).clauses}
        for question in questions_of(game.rules / name).answers:
            found = asked_by(game, question)
            assert found, question
            assert known.issuperset(found), question
    assert asked_by(load_game("keyforge"), "pile_order") == ("kf.discard.arrange",)


def test_only_the_numbers_of_orders_differ(capsys: Capture) -> None:
    assert run(GROGGINS, "cascade") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "have the same outcomes; only the numbers of orders differ" in out
    assert "Where nested and pooled part" in out


def test_the_board_does_not_raise_the_question(capsys: Capture) -> None:
    assert run(ALONE, "replacement") == 0
    out = capsys.readouterr().out
    assert "does not raise the question replacement" in out
    assert "Side by side" not in out
    assert answer(capsys, ALONE, "replacement")["raised"] is False


def test_an_answer_of_the_board_does_not_hide_the_others() -> None:
    """The board fixes `cascade: nested`; the comparison asks all the same."""
    board = lastrites.load(FIXTURES / "keyforge" / "groggins-fights-dust-imp-with-soulkeeper.yaml")
    found = compare(by_answer(board, "cascade", {}, None), {"question": "cascade"})
    assert [result.order_count for result in found.results] == [2, 3, 2]
    assert found.raised
    assert found.counts_differ
    assert not found.differ


def test_editions_and_what_they_say_otherwise(capsys: Capture) -> None:
    result = answer(capsys, TAKEN, "--editions", "1.3", "1.4")
    assert result["because"] == [
        {"question": "control_enemy_units", "answers": {"1.3": None, "1.4": "lost"}},
        {"clause": "rb.cleanup.empty", "sides": ["1.3"]},
        {"clause": "rb.cleanup.erratum", "sides": ["1.3"]},
    ]
    rows = {row["when"]["control_enemy_units"]: row["sides"] for row in result["rows"]}
    assert rows["lost"]["1.3"] == rows["lost"]["1.4"]
    assert rows["kept"]["1.3"] != rows["kept"]["1.4"]


def test_an_answer_that_one_edition_rules_out(capsys: Capture) -> None:
    """It comes to what another answer comes to as well."""
    assert run(SOLEFTS, "--editions", "2019-09", "17.4") == 0
    told = capsys.readouterr().out
    assert "2019-09 and 17.4 come to the same; what 17.4 rules out adds nothing" in told
    assert "Outcome A, under both\n" in told
    assert "Outcome B, under both, under some answers to other questions" in told


def test_a_clause_that_one_edition_lacks(capsys: Capture) -> None:
    result = answer(capsys, HIDDEN, "--editions", "1.2", "1.4")
    assert {"clause": "rb.cleanup.open", "sides": ["1.4"]} in result["because"]
    (part,) = result["partings"]
    assert any("rb.cleanup.open" in text for text in part["at"][1]["barred"])


def test_two_wordings_of_a_card(capsys: Capture, tmp_path: Path) -> None:
    text = "cards: {Ash Imp: {type: creature, power: 2, abilities: [{when: destroyed, steps: [{gain: %d}]}]}}\n"
    for name, gain in (("old.yaml", 1), ("new.yaml", 2)):
        (tmp_path / name).write_text(text % gain, encoding="utf-8")
    board = tmp_path / "board.yaml"
    board.write_text(
        "game: keyforge\nactive: Ann\nplayers: {Ann: {battleline: [Ash Imp]}, Bob: {}}\nevent: {destroy: [Ash Imp]}\n",
        encoding="utf-8",
    )
    result = answer(capsys, board, "--cards", tmp_path / "old.yaml", tmp_path / "new.yaml")
    assert (result["common"], result["only"]) == ([], {"old.yaml": ["A"], "new.yaml": ["B"]})
    changes = [here["options"][0]["changes"] for here in result["partings"][0]["at"]]
    assert changes == [["Ann: aember 0 -> 1"], ["Ann: aember 0 -> 2"]]


def test_piles_count_if_they_are_asked_for(capsys: Capture) -> None:
    board = FIXTURES / "keyforge" / "groggins-example-piles-are-arranged.yaml"
    without = answer(capsys, board, "upgrade_piles")
    with_piles = answer(capsys, board, "upgrade_piles", "--pile-order")
    assert len(with_piles["outcomes"]) > len(without["outcomes"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "nothing to compare"),
        (["cascade", "--editions", "17.3", "17.4"], "several things to compare at once"),
        (["cascad"], "did you mean cascade?"),
        (["--editions", "17.4"], "one edition is not enough"),
        (["--editions", "17.4", "17.4"], "compared with itself"),
        (["--editions", "17.4", "1.4"], "unknown edition `1.4`"),
        (["cascade", "--reading", "cascade=nested"], "the question that is to be compared"),
        (["--cards", ".", "."], "compared with itself"),
        (["--cards", "nowhere.yaml"], "no file or folder of cards"),
    ],
)
def test_what_cannot_be_compared(capsys: Capture, arguments: list[str], said: str) -> None:
    assert run(SOLEFTS, *arguments) == 2
    assert said in capsys.readouterr().err


def test_a_limit_marks_the_comparison_incomplete(capsys: Capture) -> None:
    assert run(SOLEFTS, "cascade", "--limit-states", "3") == 3
    assert "INCOMPLETE (the limit of 3 states was reached)" in capsys.readouterr().out


def test_what_is_not_known_is_no_difference(capsys: Capture) -> None:
    assert run(FIXTURES / "keyforge" / "entangled-4.yaml", "cascade", "--limit-states", "5") == 3
    told = capsys.readouterr().out
    assert "INCOMPLETE" in told
    assert "come to the same, as far as is known" in told
    assert not any(wrong in told for wrong in ("does not raise", "None", "nothing is possible"))


def test_a_card_that_the_board_words_itself(capsys: Capture, tmp_path: Path) -> None:
    for name, power in (("old.yaml", 1), ("new.yaml", 2)):
        (tmp_path / name).write_text(f"cards: {{Ash Imp: {{type: creature, power: {power}}}}}\n", encoding="utf-8")
    board = tmp_path / "board.yaml"
    board.write_text(
        "game: keyforge\nactive: Ann\ncards: {Ash Imp: {type: creature, power: 9}}\n"
        "players: {Ann: {battleline: [Ash Imp]}, Bob: {}}\n",
        encoding="utf-8",
    )
    assert run(board, "--cards", tmp_path / "old.yaml", tmp_path / "new.yaml") == 0
    assert "No card of this board is worded otherwise in old.yaml or new.yaml" in capsys.readouterr().out


def test_a_refused_event(capsys: Capture) -> None:
    board = FIXTURES / "keyforge" / "refused-a-stunned-creature-cannot-fight.yaml"
    assert run(board, "cascade") == 1
    assert "The event is refused" in capsys.readouterr().out


@settings(max_examples=3, deadline=None)
@given(layouts(2))
def test_sides_agree_with_the_board_resolved_by_itself(layout: Json) -> None:
    """Every cell is what `resolve` says under these answers; sides that differ part somewhere."""
    board = board_of(layout)
    found = compare(by_answer(board, "cascade", {}, None), {"question": "cascade"})
    for side, result in zip(found.sides, found.results, strict=True):
        alone = lastrites.resolve(board, readings={"cascade": side.name})
        assert [o.state for o in alone.outcomes] == [o.state for o in result.outcomes]
        assert alone.order_count == result.order_count
    assert bool(found.partings) == (found.differ or found.counts_differ)


def test_an_edition_and_itself_under_another_name_never_part() -> None:
    """17.3 and 17.4 answer everything alike."""
    found = compare(by_edition(lastrites.load(SOLEFTS), ["17.3", "17.4"], {}), {"editions": ["17.3", "17.4"]})
    assert not found.differ
    assert not found.partings


def test_a_timeout(capsys: Capture, tmp_path: Path) -> None:
    """However little is known when the time is up, it is marked incomplete."""
    names = ", ".join(["Dust Imp", "Brend the Fanatic", "Grenade Snib", "Sacro-Fiend"] * 5)
    board = tmp_path / "large.yaml"
    board.write_text(
        f"game: keyforge\nactive: P1\nplayers:\n  P1: {{aember: 9, hand: [Gateway to Dis], battleline: [{names}]}}\n"
        "  P2: {}\nevent: {play: Gateway to Dis}\n",
        encoding="utf-8",
    )
    assert run(board, "cascade", "--timeout", "0.5", "--json", "-q") == 3
    result = json.loads(capsys.readouterr().out)
    assert not result["complete"]
    assert "time limit" in result["incomplete_reason"]


def test_a_question_that_no_rule_asks_is_told_between_editions(capsys: Capture) -> None:
    """Its answers stand for different rules from the start."""
    board = FIXTURES / "keyforge" / "before-the-tag-a-neighbor-is-gone-when-the-guardian-looks.yaml"
    result = answer(capsys, board, "--editions", "17.3", "2019-01")
    assert result["because"] == [{"question": "departure", "answers": {"17.3": "together", "2019-01": "each"}}]
    assert result["asked_by"] == {"departure": ["kf.destroyed.together"]}
