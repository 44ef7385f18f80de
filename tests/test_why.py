"""What ``lastrites why`` tells: the list of steps that a judge would give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fixture_help import FIXTURES, resolved

from lastrites import cli
from lastrites.book import clause_texts
from lastrites.editions import NO_SOURCE, questions_of
from lastrites.game import load_game
from lastrites.results import Step
from lastrites.ruling import rulings

SENTRY = FIXTURES / "riftbound" / "a-sentry-dies-in-the-cleanup-and-draws.yaml"


def why(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command prints, its lines joined."""
    assert cli.main(["why", *arguments]) == 0
    return " ".join(capsys.readouterr().out.split())


def in_order(text: str, *parts: str) -> None:
    """Each part stands in the text, after the one before."""
    place = 0
    for part in parts:
        assert part in text[place:], part
        place = text.index(part, place) + len(part)


def test_a_sentry_dies_step_by_step(capsys: pytest.CaptureFixture[str]) -> None:
    item = 'Watchful Sentry\'s "Deathknell: draw 1" of P2'
    in_order(
        why(capsys, str(SENTRY), "--outcome", "A"),
        "edition 1.4",
        "instruction: deal 1 damage to each unit at a battlefield",
        "Cleanup, pass 1",
        "step 3a (Core Rules 1.4, 323.4)",
        'becomes pending for P2: Watchful Sentry\'s "Deathknell: draw 1"',
        f"the Chain, bottom to top: {item} (pending)",
        "step 3b (Core Rules 1.4, 323.5)",
        "Watchful Sentry: bf1 -> trash",
        "pass 2 would change nothing",
        "barred: P2 loses control of bf1 (rb.cleanup.open)",
        f"the Chain, bottom to top: {item} -",
        "(Core Rules 1.4, 334, 337, 2026-07)",
        "priority, and passing: P2, then P1",
        "P2: hand size 0 -> 1",
        "the Chain is empty",
        "Cleanup, pass 1",
        "step 4 (Core Rules 1.4, 323.6)",
        "bf1: controller P2 -> none",
    )


def test_numbers_are_those_of_the_edition_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    text = why(capsys, str(SENTRY), "--outcome", "A", "--edition", "1.2")
    in_order(text, "edition 1.2", "step 2a (Core Rules 1.2, 322.3)", "step 2b (Core Rules 1.2, 322.4)")
    assert "(Core Rules 1.2, 322.3 and 322.4)" in text
    assert "step 2 (Core Rules 1.1, 322.2)" in why(capsys, str(SENTRY), "--outcome", "A", "--edition", "1.1")


def test_the_steps_stand_in_the_witness(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["why", str(SENTRY), "--outcome", "A", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    capture = next(step for step in told["witness"] if step.get("section"))
    assert capture["section"] == "Cleanup, pass 1"
    assert capture["notes"][0] == "step 3a (Core Rules 1.4, 323.4)"
    assert capture["lists"] == ['the Chain, bottom to top: Watchful Sentry\'s "Deathknell: draw 1" of P2 (pending)']
    assert told["clauses"]["rb.cleanup.capture"]["source"] == "Core Rules 1.4, 323.4 and 323.5, 2026-07"
    assert set(told["clauses"]) == {clause for step in told["witness"] for clause in step["clauses"]}


# ---------------------------------------------------------------- the ruling

GLASC = FIXTURES / "riftbound" / "glasc-shot-outside-combat.yaml"
SOLEFTS = FIXTURES / "keyforge" / "two-solefts-against-bad-penny.yaml"
GROGGINS = FIXTURES / "keyforge" / "groggins-fights-dust-imp-with-soulkeeper.yaml"


def test_the_ruling_says_who_decides_what_comes_out_and_under_which_reading(
    capsys: pytest.CaptureFixture[str],
) -> None:
    in_order(
        why(capsys, str(SOLEFTS), "--outcome", "B"),
        "Ruling P1 can bring about outcome B, whatever the others do:",
        "Soleft#1 and Soleft#2: battleline -> discard; Bad Penny: battleline -> hand.",
        "This holds under the reading cascade: pooled (Keyteki since June 2026, Vex), and under no other.",
        "cascade: A \"Destroyed:\" ability tags more cards",
        "- nested, it does not come out: rulebook of December 2020, Ability",
        "- nested_discard, ruled out by edition 17.4",
        "- pooled, it comes out: Keyteki since June 2026, Vex",
        "reading: cascade: pooled - cascade is open and read as pooled (Keyteki since June 2026, Vex)",
        "kf.destroyed.order: as in step 3 (Master Rulebook 17.3, Destroyed, 2024-03)",
    )


def test_the_order_is_one_of_the_best_sourced_reading() -> None:
    resolution = resolved(SOLEFTS, edition="2019-09")
    (ruling,) = [each for each in rulings(resolution) if each["id"] == "A"]
    assert {row["when"].get("cascade") for row in resolution.to_json()["outcomes"][0]["under"]} != {"nested"}
    assert ruling["when"]["cascade"] == "nested"


def test_an_answer_that_is_fixed_is_named_with_who_fixes_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    board, source = tmp_path / "board.yaml", "pooled (Keyteki since June 2026, Vex)"
    text = SOLEFTS.read_text(encoding="utf-8").partition("expect:")[0]
    board.write_text(f"{text}readings: {{cascade: pooled}}\n", encoding="utf-8")
    in_order(
        why(capsys, str(board), "--outcome", "A"),
        f"It rests on cascade: {source}, as the board says.",
        "- pooled, read so here:",
        f"cascade is read as {source}, as the board says",
    )
    assert f"{source}, as asked for" in why(capsys, str(SOLEFTS), "--outcome", "A", "--reading", "cascade=pooled")
    kept = "control_while_closed: kept (Core Rules 1.3 and 1.4, 323.6, 2026-07), as in edition 1.4"
    assert kept in why(capsys, str(GLASC), "--outcome", "C")
    assert "cascade: pooled" not in why(capsys, str(board), "--outcome", "B")


def test_an_answer_is_not_named_for_an_outcome_that_is_the_same_without_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "control_while_closed" not in why(capsys, str(SENTRY))
    assert cli.main(["why", str(SENTRY), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(each["question"], each["matters"]) for each in told["questions"]] == [("control_while_closed", False)]
    # Only the number of orders is another.
    assert "cascade: nested" not in why(capsys, str(GROGGINS))


def test_arrangements_of_piles_have_an_order_too(capsys: pytest.CaptureFixture[str]) -> None:
    piles = FIXTURES / "keyforge" / "groggins-example-piles-are-arranged.yaml"
    text = why(capsys, str(piles), "--pile-order", "--outcome", "C")
    in_order(
        text,
        "Outcome C comes out whatever anybody does: Janelle: aember 0 -> 2; Groggins: battleline -> hand;",
        "This holds under every reading.",
        "pile_order: chosen (every rulebook), as in edition 17.4",
        "1. Groggins fights Dust Imp",
    )


def test_without_an_outcome_each_is_ruled_on(capsys: pytest.CaptureFixture[str]) -> None:
    in_order(why(capsys, str(SOLEFTS)), "2 outcomes", "Outcome A", "This holds under every reading.", "Outcome B")
    assert cli.main(["why", str(SOLEFTS), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [ruling["id"] for ruling in told] == ["A", "B"]
    (question,) = told[1]["questions"]
    assert {answer["answer"]: answer.get("comes_out") for answer in question["answers"]} == {
        "nested": "never", "nested_discard": None, "pooled": "always",
    }  # fmt: skip
    assert question["answers"][0]["sources"][0]["where"] == "rulebook of December 2020, Ability"


def test_a_refused_event_and_an_outcome_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    refused = FIXTURES / "keyforge" / "refused-a-stunned-creature-cannot-fight.yaml"
    assert cli.main(["why", str(refused)]) == 1
    assert "Only a ready creature" in capsys.readouterr().out
    assert cli.main(["why", str(SOLEFTS), "--outcome", "C"]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert "outcomes: A, B" in captured.err


def test_an_incomplete_answer_rules_on_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["why", str(SOLEFTS), "--limit-states", "10"]) == 3
    text = " ".join(capsys.readouterr().out.split())
    assert "INCOMPLETE" in text
    assert "can come out; who decides is not known" in text


@pytest.mark.parametrize("game", ["keyforge", "riftbound"])
def test_every_answer_of_a_question_has_a_source_that_weighs(game: str) -> None:
    known = questions_of(load_game(game).rules / game)
    weights = {(q, a): known.weight(q, a) for q, answers in known.answers.items() for a in answers}
    assert all(weight < NO_SOURCE for weight in weights.values())
    assert len(set(weights.values())) > 3
    assert weights["cascade", "nested"] < weights["cascade", "pooled"] if game == "keyforge" else True


def sections(name: str) -> list[str]:
    """The headings on the way to the first outcome of a board."""
    steps: list[Step] = resolved(FIXTURES / "riftbound" / f"{name}.yaml").outcomes[0].witness
    return [step.section for step in steps if step.section]


def test_passes_are_numbered_as_long_as_nothing_else_happens() -> None:
    assert sections("an-aura-ends-and-the-next-cleanup-kills")[:2] == ["Cleanup, pass 1", "Cleanup, pass 2"]
    assert "Combat Cleanup at bf1, pass 1" in sections("kogmaw-hits-a-healed-unit-after-combat")
    assert "Ending Cleanup, pass 1" in sections("units-are-healed-before-this-turn-ends")


def test_records_and_what_is_taken_off_the_chain_are_told() -> None:
    alone = resolved(FIXTURES / "riftbound" / "a-lonely-poro-that-died-alone.yaml").outcomes[0].witness
    assert "noted: it was alone" in [note for step in alone for note in step.notes]
    saved = resolved(FIXTURES / "riftbound" / "an-hourglass-saves-a-sentry-which-then-draws-nothing.yaml").outcomes[0]
    notes = [note for step in saved.witness for note in step.notes]
    assert 'taken off the Chain: Watchful Sentry\'s "Deathknell: draw 1"' in notes


def test_a_block_of_triggers_lies_at_one_place_of_the_chain() -> None:
    steps = resolved(FIXTURES / "riftbound" / "two-triggers-of-each-player.yaml").outcomes[0].witness
    chains = [line for step in steps for line in step.lists]
    assert any(" | " in line and line.count("(pending)") == 4 for line in chains)


def test_keyforge_tells_what_is_locked_in_and_what_waits() -> None:
    steps = resolved(FIXTURES / "keyforge" / "gateway-to-dis-destroys-dust-imp.yaml").outcomes[0].witness
    notes = [note for step in steps for note in step.notes]
    assert 'locked in: Dust Imp\'s "Destroyed: gain 2"' in notes
    assert "instruction: gain 3 chains" in notes
    lists = [line for step in steps for line in step.lists]
    assert lists == ['waiting, the innermost window last: Dust Imp\'s "Destroyed: gain 2"', "no ability waits any more"]


def test_places_in_older_editions_are_those_of_clauses_and_editions_that_exist() -> None:
    game = load_game("riftbound")
    newest = clause_texts(game, "1.4")
    for edition in ("1.0", "1.1", "1.2", "1.3"):
        moved = {name for name, said in clause_texts(game, edition).items() if said != newest[name]}
        assert len(moved) > 10
        assert all(f"Core Rules {edition}, " in clause_texts(game, edition)[name].source for name in moved)
    written = (game.rules / "riftbound" / "numbers.lp").read_text(encoding="utf-8").splitlines()
    facts = [line.split('"') for line in written if line.startswith("source_in(")]
    assert {parts[1] for parts in facts} <= set(newest)
    assert {parts[3] for parts in facts} == {"1.0", "1.1", "1.2", "1.3"}
