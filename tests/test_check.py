"""`check`: what it finds in rules with known faults, in the texts of the games, and that boards are the smallest."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fixture_help import ROOT

from lastrites import check, cli, lptext
from lastrites.book import read_book
from lastrites.check import Check, Outcome, Scope
from lastrites.findings import Finding, precedences
from lastrites.game import load_game
from lastrites.layouts import Layout, generated, plain, read_layout, smaller, smallest, weight, written
from lastrites.static import check_cards, check_rules
from lastrites.survey import Setting, Sought, Switch, differs, look, shows
from lastrites.yamlio import parse

TINY = ROOT / "tests" / "tinygame"
OTHER = ROOT / "fixtures" / "riftbound" / "a-banished-sentry-draws-nothing.yaml"
Capture = pytest.CaptureFixture[str]


def layout(text: str) -> Layout:
    made: Layout = plain(parse(text))
    return made


def run(*arguments: str | Path) -> int:
    try:
        return cli.main(["check", *map(str, arguments)])
    except SystemExit as end:
        return int(end.code or 0)


def of_kind(result: Outcome, kind: str) -> list[Finding]:
    return [finding for finding in result.findings if finding.kind == kind]


# ---- an invented game with faults put in

def orchard(folder: Path, more: str = "", *, old: str = "", new: str = "") -> Path:
    """The rules of the orchard with a file of more rules, and with a piece of text replaced."""
    rules = folder / "rules"
    shutil.copytree(ROOT / "rules" / "core", rules / "core")
    shutil.copytree(TINY / "rules" / "orchard", rules / "orchard")
    if more:
        (rules / "orchard" / "more.lp").write_text(more, encoding="utf-8")
    if old:
        for file in (rules / "orchard").glob("*.lp"):
            file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return rules


def clause(name: str, *rules: str, kind: str = "rule") -> str:
    text = f"What {name} says."
    return (
        f"% @clause({name}) {text}\n"
        f'clause("{name}",{kind}). source("{name}","Orchard, 9","2026-01"). paraphrase("{name}","{text}").\n'
        + "\n".join(rules)
        + "\n\n"
    )


def checked(rules: Path, boards: Sequence[Path], *parts: str, without: tuple[str, ...] = (), made: int = 0) -> Outcome:
    game = load_game("orchard", rules)
    setting = Setting(rules=rules, without=without)
    return Check(game, Scope(tuple(boards), made, 1, parts), editions=["second"], setting=setting).run()


WIND = TINY / "boards" / "the-wind-shakes-one.yaml"
MEDLAR = TINY / "boards" / "apple-and-medlar.yaml"
PICK = "game: orchard\nactive: Ida\nplayers: {Ida: {branch: [Apple, Quince]}, Ole: {seeds: 3}}\nevent: {pick: Apple}\n"

MUST = clause("or.must", 'requires(S,calm_air,"or.must") :- at_top(S,gust), in_force("or.must").')
MUST_NOT = clause("or.mustnot", 'forbids(S,calm_air,"or.mustnot") :- at_top(S,gust), in_force("or.mustnot").')
FIRST = clause("or.first", 'yields("or.must","or.mustnot") :- in_force("or.first").')


def test_a_contradiction_that_nothing_settles(tmp_path: Path) -> None:
    result = checked(orchard(tmp_path, MUST + MUST_NOT), [WIND, MEDLAR], "boards")
    (found,) = of_kind(result, "contradiction")
    assert found.severity == "error"
    assert set(found.clauses) == {"or.must", "or.mustnot"}
    assert found.verdict == "or.must requires what or.mustnot forbids, and nothing says which of them gives way."
    assert layout(found.board) == {
        "game": "orchard", "active": "Ida", "players": {"Ida": {}, "Ole": {}}, "event": {"wind": True}
    }  # fmt: skip
    assert found.smallest


def test_a_clause_that_contradicts_itself(tmp_path: Path) -> None:
    """It is told once."""
    both = 'requires(S,calm_air,"or.both") :- at_top(S,gust), in_force("or.both").'
    result = checked(orchard(tmp_path, clause("or.both", both, both.replace("requires", "forbids"))), [WIND], "boards")
    (found,) = of_kind(result, "contradiction")
    assert found.clauses == ("or.both",)
    assert found.verdict == "or.both requires twice what can be only once, and nothing says which gives way."


def test_a_stated_precedence_settles_it_and_without_it_the_contradiction_is_back(tmp_path: Path) -> None:
    rules = orchard(tmp_path, MUST + MUST_NOT + FIRST)
    result = checked(rules, [WIND], "boards")
    (found,) = of_kind(result, "settled")
    assert not of_kind(result, "contradiction")
    assert found.details["precedence"] == "or.first"
    assert "or.first" in found.clauses
    (back,) = of_kind(checked(rules, [WIND], "boards", without=("or.first",)), "contradiction")
    assert set(back.clauses) == {"or.must", "or.mustnot"}


def test_a_gap(tmp_path: Path) -> None:
    pit = clause("or.pit", 'push(S,begin(K,pick(C)),pit) :- option(S,begin(K,pick(C))), in_force("or.pit").')
    board = tmp_path / "pick.yaml"
    board.write_text(PICK, encoding="utf-8")
    (found,) = of_kind(checked(orchard(tmp_path, pit), [board], "boards"), "gap")
    assert found.severity == "error"
    assert layout(found.board)["players"] == {"Ida": {"branch": ["Apple"]}, "Ole": {}}


def test_unexplained_branching(tmp_path: Path) -> None:
    fork = clause(
        "or.fork",
        'option(S,dry) :- acting(S), at_top(S,ground), not any_ready(S), in_force("or.fork").',
        "chooser(S,nobody) :- option(S,dry).",
        "pop(S,dry) :- option(S,dry).",
    )
    (found,) = of_kind(checked(orchard(tmp_path, fork), [MEDLAR], "boards"), "branching")
    assert "dry" in found.verdict
    assert "what lies on the ground rots" in found.verdict
    assert found.details["entry"]["after"]
    assert "or.rot" in found.clauses


def test_what_must_not_be(tmp_path: Path) -> None:
    """Boards on which the rules break down are findings, not boards that are left out."""
    spin = clause(
        "or.spin",
        'option(S,spin) :- acting(S), at_top(S,gust), in_force("or.spin").',
        "chooser(S,chance) :- option(S,spin). chooser(S,player(P)) :- option(S,spin), player(P).",
    )
    result = checked(orchard(tmp_path, spin), [WIND, MEDLAR], "boards")
    (found,) = of_kind(result, "broken")
    assert found.severity == "error"
    assert "two_choosers" in found.verdict
    assert layout(found.board)["event"] == {"wind": True}
    assert result.seen[0].invalid == 0


def test_a_loop(tmp_path: Path) -> None:
    spin = clause(
        "or.spin",
        'option(S,spin) :- acting(S), at_top(S,gust), in_force("or.spin").',
        "chooser(S,chance) :- option(S,spin).",
    )
    (found,) = of_kind(checked(orchard(tmp_path, spin, old=", not stirred(S).", new=", not stirred(S), spun."), [WIND],
                               "boards"), "loop")  # fmt: skip
    assert "spin" in found.verdict


def test_idle_clauses_and_a_redundant_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "MOST_IDLE_PAIRS", 2)
    twin = clause(
        "or.twin",
        'falls(S,D,C) :- shaken(S,D,C), not caught(S,D,C), not holds(S,is(C,loose)), in_force("or.twin").',
    )
    idle = clause("or.idle", 'breeze(S) :- state(S), in_force("or.idle").')
    result = checked(orchard(tmp_path, twin + idle), [TINY / "boards"], "clauses")
    found = {finding.clauses[0] for finding in of_kind(result, "idle")}
    assert found == {"or.twin", "or.fall", "or.idle"}
    pairs = {finding.clauses for finding in of_kind(result, "redundant")}
    assert pairs == {("or.fall", "or.twin")}
    assert any("of 3 pairs of idle clauses those 1 that" in note for note in result.notes)


def test_a_clause_that_matters_under_other_answers_only_is_dormant(tmp_path: Path) -> None:
    rules = orchard(tmp_path, old='settles("first",', new='settles("second",late_fruit,joins). settles("first",')
    result = checked(rules, [TINY / "boards" / "plum-shakes-its-neighbors.yaml"], "clauses")
    (found,) = of_kind(result, "dormant")
    assert found.clauses == ("or.late",)
    assert found.details["shown_by"] == "plum-shakes-its-neighbors"
    assert "or.late" not in {finding.clauses[0] for finding in of_kind(result, "idle")}


@pytest.mark.parametrize("name", ["keyforge/soleft-and-burnished-nickles", "riftbound/damage-and-healing-in-one-item"])
def test_a_board_comes_out_the_same_without_what_it_cannot_rest_on(name: str) -> None:
    """Which clauses a board rests on is read off the ground program; the others are really without effect there."""
    path = ROOT / "fixtures" / f"{name}.yaml"
    made = read_layout(path)
    seen: list[Any] = []
    setting = Setting()
    look(lambda kind, told: seen.append(told), (made, setting, True))
    report = seen[0]
    assert set(report["rests"]) <= set(report["widely"])
    clauses = {each.id: each.kind for each in read_book(load_game(name.split("/")[0])).clauses}
    free = [clause for clause in sorted(clauses) if clause not in report["rests"]]
    assert free
    for clause_id in free[::12]:
        switch = Switch(clause_id, clauses[clause_id] == "consequence", (), setting, 60.0)
        assert differs(made, switch, report["signature"]) is False, clause_id
    assert any(
        differs(made, Switch(each, clauses[each] == "consequence", (), setting, 60.0), report["signature"])
        for each in report["rests"]
    )


def test_open_questions_with_their_smallest_board(tmp_path: Path) -> None:
    plum = TINY / "boards" / "plum-shakes-its-neighbors.yaml"
    rules = orchard(tmp_path)
    result = checked(rules, [plum], "boards")
    (found,) = of_kind(result, "silence")
    (pair,) = found.details["pairs"]
    assert pair["answers"] == ["forgotten", "joins"]
    sought = Sought("answers", ("late_fruit", "forgotten", "joins"))
    small, setting = layout(pair["board"]), Setting("second", rules=rules)
    assert shows(small, setting, sought)
    assert not any(shows(less, setting, sought) for less in smaller(small) if weight(less) < weight(small))


# ---- faults that show without a board

def test_static_faults_of_rules(tmp_path: Path) -> None:
    rules = orchard(
        tmp_path,
        clause("or.typo", 'sour(S,C) :- lose(S,C), holds(S,C,1), in_force("or.typ").', "loose(S,C) :- in_play(S,C).")
        + clause("or.unsafe", 'wet(S,C) :- state(S), in_force("or.unsafe").')
        + 'question(mud,2). answers(mud,(thick;thin)).\nsettles("thrid",late_fruit,joyns).\n'
        + "dry(S) :- reads(S,mudd,thick).\n",
        old='source("or.net","Orchard, 2","2026-01").',
    )
    found = [complaint.text for complaint in check_rules(rules, "orchard")]

    def told(*parts: str) -> bool:
        return any(all(part in text for part in parts) for text in found)

    assert told("lose/2 is derived nowhere; did you mean loose")
    assert told("holds/3 is derived nowhere; holds/2 is: a wrong number of arguments")
    assert told("there is no clause or.typ; did you mean or.typo")
    assert told("or.typo: no rule of the block is switched")
    assert told("unsafe variables", "'C' is unsafe")
    assert told("or.net: the block has no fact source")
    assert told("no rule asks the question mud")
    assert told("no rule tells the answers thick and thin to mud apart")
    assert told("there is no question mudd; did you mean mud?")
    assert told("joyns is no answer to the question late_fruit; did you mean joins?")
    assert told("there is no edition thrid")


def test_rules_that_cannot_be_read_are_told_and_no_board_is_looked_at(tmp_path: Path, capsys: Capture) -> None:
    rules = orchard(tmp_path, "broken(S :- state(S).\n")
    assert run("orchard", "--rules", rules, "--scope", WIND) == 1
    out = capsys.readouterr().out
    assert "more.lp:1" in out
    assert "looked at" not in out


def test_the_rules_of_the_games_have_no_static_faults() -> None:
    assert not check_rules(ROOT / "rules", "keyforge")
    assert not check_rules(ROOT / "rules", "riftbound")


def test_misspelt_words_of_cards(tmp_path: Path, capsys: Capture) -> None:
    cards = tmp_path / "cards.yaml"
    cards.write_text(
        "cards:\n"
        "  Ash Imp: {type: creature, power: 2, abilities: [{when: destroied, steps: [{gain: 1}]}]}\n"
        "  Mud Imp: {type: creture, powr: 2, abilities: [{when: destroyed, steps: [{gian: 1}, {destory: self}]}]}\n",
        encoding="utf-8",
    )
    problems = check_cards([cards], "keyforge", None)
    hints = " ".join(problem.hint for problem in problems)
    assert [problem.line for problem in problems] == [2, 3, 3, 3, 3]
    assert all(word in hints for word in ("`destroyed`", "`creature`", "`power`", "`gain`", "`destroy`"))
    assert run("keyforge", "--cards", cards, "--only", "static") == 1
    assert "did you mean `destroyed`" in capsys.readouterr().out


# ---- the texts of the games

PENNY = """
game: keyforge
active: P1
players: {P1: {hand: [Rad Penny: {icons: [damage, draw]}]}, P2: {}}
event: {play: Rad Penny}
"""
TOLAS = """
game: keyforge
active: P1
players: {P1: {}, P2: {battleline: [Tolas, Bad Penny]}}
event: {destroy: [Bad Penny]}
"""
SOLEFTS = """
game: keyforge
active: P1
players: {P1: {battleline: [Soleft, Soleft]}, P2: {battleline: [Bad Penny, Troll]}}
event: {destroy: ["Soleft#1", "Soleft#2"]}
"""
NICKLES = """
game: keyforge
active: P1
players: {P1: {battleline: [Soleft, Burnished Nickles]}, P2: {battleline: [Dust Imp]}}
event: {destroy: [Soleft, Burnished Nickles]}
"""
TAKEN = """
game: riftbound
active: P1
players: {P1: {}, P2: {}}
battlefields: {bf1: {controller: P2, units: {P1: [Shipyard Skulker], P2: [Mystic Poro]}}}
event: {kill: [Mystic Poro]}
"""
HEALED = """
game: riftbound
active: P1
players: {P1: {}, P2: {}}
battlefields: {bf1: {controller: P2, units: {P2: [Mystic Poro]}}}
event: {instructions: [damage: {Mystic Poro: 9}, heal: Mystic Poro]}
"""


def found_in(text: str, edition: str, folder: Path, without: tuple[str, ...] = ()) -> list[Finding]:
    """What the boards part of a check finds on one board."""
    path = folder / "board.yaml"
    path.write_text(text, encoding="utf-8")
    game = load_game(str(layout(text)["game"]))
    scope = Scope((path,), 0, 1, ("boards",))
    result = Check(game, scope, editions=[edition], setting=Setting(without=without)).run()
    assert result.complete
    return result.findings


@pytest.mark.parametrize(
    ("text", "edition", "clauses", "precedence", "answer"),
    [
        (PENNY, "17.4", {"kf.icons.all", "kf.destroyed.left", "kf.icons.abilities"}, "kf.icons.specific", None),
        (TOLAS, "17.4", {"kf.destroyed.moved", "kf.destroyed.not-before"}, "kf.destroyed.observer-moment", None),
        (TAKEN, "1.3", {"rb.cleanup.control", "rb.cleanup.empty"}, "rb.cleanup.erratum", None),
        (HEALED, "1.4", {"rb.lethal.ever", "rb.lethal.cleanup"}, "rb.lethal.specific", "cleanup"),
    ],
    ids=["icons of a card that has left", "moved cards", "1.3: 187.4 and 323.6", "1.4: 143.2 and 323.5"],
)
def test_contradictions_of_the_texts(
    tmp_path: Path, text: str, edition: str, clauses: set[str], precedence: str, answer: str | None
) -> None:
    """The two sides and what settles them; without that the contradiction is there. A question that an edition
    answers though its text holds both sides is told apart."""
    found = found_in(text, edition, tmp_path)
    (settled,) = [finding for finding in found if finding.kind == "settled"]
    assert clauses <= set(settled.clauses)
    assert settled.details["precedence"] == precedence
    claims = [finding.details["answer"] for finding in found if finding.kind == "overclaim"]
    assert claims == ([answer] if answer else [])
    back = [each for each in found_in(text, edition, tmp_path, (precedence,)) if each.kind == "contradiction"]
    assert [clauses <= set(finding.clauses) for finding in back] == [True]


def test_1_4_has_reworded_what_contradicted_itself_in_1_3(tmp_path: Path) -> None:
    assert not [finding for finding in found_in(TAKEN, "1.4", tmp_path) if finding.kind in ("settled", "contradiction")]


def test_the_text_of_september_2019_is_silent_on_the_discard_in_a_cascade(tmp_path: Path) -> None:
    """Only that text does not rule out that cascaded cards are discarded when their own window closes."""

    def pairs(edition: str) -> list[list[str]]:
        found = found_in(NICKLES, edition, tmp_path)
        silences = [each.details for each in found if each.kind == "silence" and each.details["question"] == "cascade"]
        return [pair["answers"] for details in silences for pair in details["pairs"]]

    assert ["nested", "nested_discard"] in pairs("2019-09")
    assert not any("nested_discard" in pair for pair in pairs("17.4"))


def test_every_precedence_of_the_games_can_be_switched_off() -> None:
    for name in ("keyforge", "riftbound"):
        game = load_game(name)
        blocks = [b for file in game.files for b in lptext.blocks(file, file.read_text(encoding="utf-8"))]
        stated = precedences(blocks)
        assert all(each.clause for each in stated)
        assert stated
        known = {block.id for block in blocks}
        assert all({*each.pair, each.clause} <= known for each in stated)


# ---- boards made from boards, and made smaller

def test_made_up_boards_are_the_same_every_time() -> None:
    from lastrites.layouts import Spot

    game = load_game("keyforge")
    spots = [Spot("solefts", layout(SOLEFTS)), Spot("tolas", layout(TOLAS))]
    made = list(generated(game, spots, 6, seed=3))
    assert len({written(spot.layout) for spot in made}) == 6
    assert made == list(generated(game, spots, 6, seed=3))
    assert made != list(generated(game, spots, 6, seed=4))
    assert all(spot.layout["event"] for spot in made)


def test_what_is_smallest_cannot_lose_anything() -> None:
    whole = read_layout(TINY / "boards" / "apple-and-medlar.yaml")

    def holds_medlar(candidate: Layout) -> bool:
        return "Medlar" in written(candidate)

    small = smallest(whole, holds_medlar)
    assert holds_medlar(small)
    assert not any(holds_medlar(less) for less in smaller(small) if weight(less) < weight(small))


# ---- the command

def test_the_command_as_json(tmp_path: Path, capsys: Capture) -> None:
    rules = orchard(tmp_path, MUST + MUST_NOT)
    arguments = ("orchard", "--rules", rules, "--scope", WIND, "--only", "boards", "--generated", "2", "--workers", "2")
    assert run(*arguments, "--json", "-o", tmp_path / "out") == 1
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert result["schema"] == "lastrites.check/1"
    assert result["complete"]
    (seen,) = result["scope"]["editions"]
    assert (seen["boards"] - seen["generated"], seen["edition"]) == (1, "second")
    (found,) = [finding for finding in result["findings"] if finding["kind"] == "contradiction"]
    assert [each["id"] for each in found["clauses"]] == ["or.must", "or.mustnot"]
    assert found["clauses"][0]["source"] == "Orchard, 9, 2026-01"
    files = sorted((tmp_path / "out").glob("*.yaml"))
    assert any(read_layout(file) == layout(found["board"]) for file in files)
    assert run(*arguments, "--fail-on", "never") == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["keyforg"], "did you mean keyforge?"),
        (["keyforge", "--edition", "17.5"], "unknown edition `17.5`"),
        (["keyforge", "--scope", "nowhere"], "there is no such board or folder"),
        (["keyforge", "--without", "kf.destroyed.retagg"], "did you mean kf.destroyed.retag"),
        (["keyforge", "--generated", "many"], "not a whole number"),
        (["keyforge", "--only", "boards", "--scope", str(OTHER)], "LR-E017 this is no board of keyforge"),
    ],
)
def test_bad_input(capsys: Capture, arguments: list[str], said: str) -> None:
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err


def test_a_timeout_marks_the_check_incomplete(capsys: Capture) -> None:
    assert run("keyforge", "--timeout", "0.01", "--only", "boards", "--generated", "0") == 3
    out = capsys.readouterr().out
    assert "INCOMPLETE (the time limit was reached)" in out
    assert "looked at, edition 17.4: 1 board" in out


def test_what_was_found_before_the_time_is_up_is_told(tmp_path: Path) -> None:
    """The board is then told as it is, not made smaller."""
    rules = orchard(tmp_path, MUST + MUST_NOT)
    game = load_game("orchard", rules)
    scope = Scope((WIND, MEDLAR), 0, 1, ("boards",))
    result = Check(game, scope, editions=["second"], setting=Setting(rules=rules), seconds=0.001).run()
    assert (result.complete, result.reason) == (False, "the time limit was reached")
    (found,) = of_kind(result, "contradiction")
    assert not found.smallest
    assert layout(found.board) == read_layout(WIND)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_tells_what_is_known() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "lastrites", "check", "keyforge", "--only", "boards", "--generated", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "bridge")},
    )  # fmt: skip
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "INCOMPLETE (interrupted)" in out


def test_a_game_without_editions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = orchard(tmp_path, old='edition("first",1). edition("second",2).', new="")
    questions = rules / "orchard" / "questions.lp"
    questions.write_text(questions.read_text(encoding="utf-8").replace('settles("first"', "% "), encoding="utf-8")
    assert run("orchard", "--rules", rules, "--scope", WIND, "--only", "boards", "--generated", "0") == 0
    assert "looked at: 1 board," in capsys.readouterr().out


def killed_once(emit: Any, marker: Path) -> None:
    if marker.name != "spared" and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    emit("result", marker.name)


def test_a_process_that_is_killed_is_begun_again(tmp_path: Path) -> None:
    made = Check(load_game("keyforge"), Scope(()), editions=["17.4"], setting=Setting())
    done = made._many(killed_once, [tmp_path / "killed", tmp_path / "spared"], 60.0, "boards")
    assert sorted(done) == [(0, "killed"), (1, "spared")]
