"""The command line: what it prints where, and its exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lastrites import cli

ROOT = Path(__file__).resolve().parents[1]
BOARD = ROOT / "fixtures" / "keyforge" / "groggins-fights-dust-imp-with-soulkeeper.yaml"

Capture = pytest.CaptureFixture[str]


def run(*arguments: str | Path) -> int:
    """The exit status, whether it is returned or raised by the parser."""
    try:
        return cli.main([str(argument) for argument in arguments])
    except SystemExit as end:
        return int(end.code or 0)


def entangled(folder: Path, creatures: int) -> Path:
    """A board on which many creatures die together: its states double with each."""
    names = ("Dust Imp", "Brend the Fanatic", "Grenade Snib", "Sacro-Fiend")
    lines = [", ".join(names[place % 4] for place in range(creatures) if place % 2 == side) for side in (0, 1)]
    path = folder / f"entangled-{creatures}.yaml"
    path.write_text(
        "game: keyforge\n"
        "readings: {cascade: nested}\n"
        "active: P1\n"
        "players:\n"
        f"  P1: {{aember: 3, hand: [Gateway to Dis], battleline: [{lines[0]}]}}\n"
        f"  P2: {{aember: 3, battleline: [{lines[1]}]}}\n"
        "event: {play: Gateway to Dis}\n",
        encoding="utf-8",
    )
    return path


def command(*arguments: str | Path) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "lastrites", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "bridge")},
    )


# ---- outcomes


def test_outcomes_as_text(capsys: Capture) -> None:
    assert run("outcomes", BOARD) == 0
    out, err = capsys.readouterr()
    assert "1 outcome in 2 legal orders" in out
    assert "hand: Groggins; discard: Phoenix Heart" in out
    assert "Clauses" in out
    assert err == ""


def test_outcomes_as_json_keep_the_form_of_the_contract(capsys: Capture) -> None:
    assert run("outcomes", "--json", BOARD) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["schema"] == "lastrites.outcomes/1"
    assert (result["orders"], result["complete"], result["readings"]) == ("2", True, {"cascade": "nested"})
    assert result["outcomes"][0]["state"]["Janelle"]["aember"] == 2
    assert all(isinstance(row["orders"], str) for row in result["readings_explored"])


def test_a_reading_from_the_command_line_wins(capsys: Capture) -> None:
    assert run("outcomes", BOARD, "--reading", "cascade=pooled") == 0
    assert "1 outcome in 3 legal orders" in capsys.readouterr().out


def test_several_boards(capsys: Capture, tmp_path: Path) -> None:
    boards = [BOARD, entangled(tmp_path, 4)]
    assert run("outcomes", "--json", *boards) == 0
    one_by_one = json.loads(capsys.readouterr().out)
    assert [result["orders"] for result in one_by_one] == ["2", "24"]
    assert run("outcomes", "--json", "--workers", "2", *boards) == 0
    assert json.loads(capsys.readouterr().out) == one_by_one


def test_a_worker_that_is_killed_leaves_its_board_incomplete(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lastrites import jobs

    def killed(emit: object, request: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    for name in ("one.yaml", "two.yaml"):
        (tmp_path / name).write_text("game: keyforge\nactive: A\nplayers: {A: {}, B: {}}\nexpect: {orders: 1}\n")
    monkeypatch.setattr(jobs, "verify", killed)
    assert run("verify", "--workers", "2", tmp_path) == 3
    assert capsys.readouterr().out.count("ended with signal 9 while the rules were grounded") == 2
    assert run("verify", "--timeout", "60", tmp_path) == 3


def test_a_refused_event_is_no_bad_file(capsys: Capture, tmp_path: Path) -> None:
    stunned = BOARD.read_text(encoding="utf-8").replace("Groggins: {", "Groggins: {stunned: true, ")
    path = tmp_path / "stunned.yaml"
    path.write_text(stunned, encoding="utf-8")
    assert run("outcomes", path) == 1
    assert "The event is refused" in capsys.readouterr().out


# ---- orders, facts, program


def test_orders_are_listed(capsys: Capture) -> None:
    assert run("orders", BOARD, "--reading", "cascade=pooled") == 0
    out, err = capsys.readouterr()
    assert [line for line in out.splitlines() if line[:1].isdigit()] == [
        "1. outcome A",
        "2. outcome A",
        "3. outcome A",
    ]
    assert "3 of: 1 outcome in 3 legal orders" in err


def test_orders_as_lines_of_json(capsys: Capture) -> None:
    assert run("orders", BOARD, "--json", "--limit", "1", "-q") == 0
    out, err = capsys.readouterr()
    (line,) = out.splitlines()
    order = json.loads(line)
    assert (order["outcome"], err) == ("A", "")
    assert order["steps"][0]["by"] == "Marcus"


def test_orders_that_a_limit_cuts_short_say_so(tmp_path: Path, capsys: Capture) -> None:
    """Alike cards need few states to be counted, and all of them to be listed."""
    pennies = tmp_path / "pennies.yaml"
    pennies.write_text(
        "game: keyforge\nactive: P1\nplayers: {P1: {battleline: [Bad Penny, Bad Penny, Bad Penny, Bad Penny, Bad Penny,"
        " Bad Penny, Bad Penny]}, P2: {}}\nevent: {instructions: [{destroy: each creature}]}\n"
    )
    assert run("outcomes", pennies, "--limit-states", "100", "-q") == 0
    assert run("orders", pennies, "--limit-states", "100", "--limit", "3", "--json", "-q") == 0
    capsys.readouterr()
    assert run("orders", pennies, "--limit-states", "100", "--json") == 3
    out, err = capsys.readouterr()
    assert 0 < len(out.splitlines()) < 5_040
    assert "incomplete: the limit of 100 states was reached" in err


def test_orders_of_an_outcome_that_there_is_not(capsys: Capture) -> None:
    assert run("orders", BOARD, "--outcome", "Z") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "there is no outcome Z" in err
    assert "outcomes of this board: A" in err


def test_facts(capsys: Capture) -> None:
    assert run("facts", BOARD) == 0
    assert 'event(1,fight("Groggins","Dust Imp"),"Marcus").' in capsys.readouterr().out


@pytest.mark.parametrize(("reading", "orders"), [("nested", 2), ("pooled", 3)])
def test_the_program_has_a_stable_model_for_each_order(
    capsys: Capture, tmp_path: Path, reading: str, orders: int
) -> None:
    assert run("program", BOARD, "--reading", f"cascade={reading}") == 0
    path = tmp_path / "p.lp"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    told = subprocess.run(
        [sys.executable, "-m", "clingo", str(path), "0", "--outf=2"], capture_output=True, text=True, check=False
    )
    assert told.stderr == ""
    assert json.loads(told.stdout)["Models"]["Number"] == orders


# ---- verify


def test_verify(capsys: Capture) -> None:
    assert run("verify", BOARD) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [f"ok  {BOARD} (1 outcome, 2 orders)", "1 board: 1 ok"]


def test_verify_shows_what_differs(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    text = BOARD.read_text(encoding="utf-8").replace("orders: 2 ", "orders: 7 ").replace("hand: [Groggins]", "hand: []")
    path.write_text(text, encoding="utf-8")
    assert run("verify", "-q", path, BOARD) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"FAILED  {path}")
    assert "orders: expected 7, found 2" in out
    assert "Marcus, hand: unexpected Groggins" in out
    assert out.endswith("2 boards: 1 failed, 1 ok\n")


def test_verify_looks_into_folders(capsys: Capture, tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yml", "ignored.txt"):
        (tmp_path / "inner").mkdir(exist_ok=True)
        (tmp_path / "inner" / name).write_text(BOARD.read_text(encoding="utf-8"), encoding="utf-8")
    assert run("verify", "--json", "--workers", "2", tmp_path) == 0
    verdicts = json.loads(capsys.readouterr().out)
    assert [(Path(verdict["board"]).name, verdict["status"]) for verdict in verdicts] == [
        ("a.yaml", "ok"),
        ("b.yml", "ok"),
    ]


def test_verify_of_an_empty_folder(capsys: Capture, tmp_path: Path) -> None:
    assert run("verify", tmp_path) == 2
    assert "no board file" in capsys.readouterr().err


def test_a_board_that_expects_nothing(capsys: Capture, tmp_path: Path) -> None:
    assert run("verify", entangled(tmp_path, 4)) == 0
    assert "nothing expected" in capsys.readouterr().out


def test_verify_goes_on_after_a_board_that_the_rules_refuse(capsys: Capture, tmp_path: Path) -> None:
    """With expectations and without; in the end the exit status says that there was bad input."""
    own = "Own: {type: creature, power: 2, abilities: [{when: destroyed, steps: [{ward: it}]}]}"
    players = "{Ann: {battleline: [Own]}, Bob: {}}"
    refused = f"game: keyforge\nactive: Ann\nplayers: {players}\ncards: {{{own}}}\nevent: {{destroy: [Own]}}\n"
    (tmp_path / "a.yaml").write_text(refused, encoding="utf-8")
    (tmp_path / "b.yaml").write_text(f"{refused}expect: {{orders: 1}}\n", encoding="utf-8")
    (tmp_path / "c.yaml").write_text(BOARD.read_text(encoding="utf-8"), encoding="utf-8")
    assert run("verify", tmp_path) == 2
    out = capsys.readouterr().out
    assert out.count("LR-E027 these rules do not support `it` where no card has triggered the ability") == 2
    assert out.endswith("3 boards: 2 bad input, 1 ok\n")


def test_verify_within_limits(capsys: Capture, tmp_path: Path) -> None:
    path = entangled(tmp_path, 8)
    path.write_text(path.read_text(encoding="utf-8") + "expect: {orders: 40320}\n", encoding="utf-8")
    assert run("verify", path, "--limit-states", "50") == 3
    assert "the limit of 50 states" in capsys.readouterr().out


# ---- bad input


def test_bad_boards_get_a_message_for_each_mistake_and_nothing_is_run(capsys: Capture, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    text = BOARD.read_text(encoding="utf-8").replace("Drumble\n", "Drumbel\n").replace("orders: 2 ", "oders: 2 ")
    wrong.write_text(text, encoding="utf-8")
    assert run("outcomes", BOARD, wrong, tmp_path / "missing.yaml") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "did you mean Drumble" in err
    assert f"{tmp_path / 'missing.yaml'}: LR-E001" in err


def test_mistakes_in_expectations_are_mistakes_of_the_file(capsys: Capture, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(BOARD.read_text(encoding="utf-8").replace("orders: 2 ", "oders: 2 "), encoding="utf-8")
    assert run("outcomes", wrong) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "unknown key `oders`" in err
    assert "did you mean `orders`?" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--reading", "cascade"), "not QUESTION=ANSWER"),
        (("--reading", "cascad=nested"), "did you mean cascade?"),
        (("--reading", "cascade=nest"), "nested"),
        (("--reading", "cascade=nested", "--reading", "cascade=pooled"), "two answers to cascade"),
        (("--edition", "99"), "unknown edition `99`"),
        (("--without", "kf.nothing"), "unknown clause `kf.nothing`"),
        (("--limit-states", "0"), "whole number from 1 on"),
        (("--timeout", "soon"), "number of seconds"),
        (("--rules", "nowhere"), "nowhere is not a folder"),
    ],
)
def test_bad_options(capsys: Capture, arguments: tuple[str, ...], said: str) -> None:
    assert run("outcomes", BOARD, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_options_that_a_command_cannot_honour_are_refused(capsys: Capture) -> None:
    assert run("facts", BOARD, "--timeout", "5") == 2
    assert run("orders", BOARD, "--workers", "2") == 2
    assert capsys.readouterr().out == ""


# ---- what the rules say about themselves


def test_questions(capsys: Capture) -> None:
    assert run("questions", "keyforge") == 0
    out = capsys.readouterr().out
    assert out.startswith("cascade\n")
    assert "answer of keyteki-2026-05" in out
    assert run("questions", "keyforge", "--json") == 0
    asked = json.loads(capsys.readouterr().out)
    assert [answer["answer"] for answer in asked["questions"][0]["answers"]] == ["nested", "pooled", "nested_discard"]
    assert asked["editions"][-1] == "17.4"


def test_clauses(capsys: Capture) -> None:
    assert run("clauses", "keyforge", "--text") == 0
    out = capsys.readouterr().out
    assert "kf.destroyed.retag (barrier)" in out
    assert 'in_force("kf.destroyed.retag")' in out
    assert run("clauses", "keyforge", "--json") == 0
    by_id = {clause["id"]: clause for clause in json.loads(capsys.readouterr().out)}
    assert by_id["kf.destroyed.retag"]["kind"] == "barrier"
    assert by_id["kf.destroyed.retag"]["rules"]


def test_cards(capsys: Capture) -> None:
    assert run("cards", "keyforge") == 0
    assert "Dust Imp (dust-imp)\n" in capsys.readouterr().out
    assert run("cards", "keyforge", "soulkeeper") == 0
    out = capsys.readouterr().out
    assert "  type: upgrade\n" in out
    assert 'gives("soulkeeper",1,host,2).' in out
    assert run("cards", "keyforge", "Old Egad") == 0
    assert "armor: 2" in capsys.readouterr().out
    assert run("cards", "keyforge", "Dust Im") == 2
    assert "did you mean Dust Imp?" in capsys.readouterr().err


@pytest.mark.parametrize("before", [["outcomes"], ["verify"], ["outcomes", BOARD, "--cards"]])
def test_a_name_that_no_file_can_have(capsys: Capture, before: list[str | Path]) -> None:
    assert run(*before, "n" * 300) == 2
    assert f"{'n' * 300}: LR-E001 cannot be " in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [("questions", "chess"), ("separate", "chess", "--all")])
def test_unknown_game(capsys: Capture, arguments: tuple[str, ...]) -> None:
    assert run(*arguments) == 2
    assert capsys.readouterr().err.startswith("GAME: LR-E017 unknown game `chess`")


def test_what_a_terminal_would_obey_is_spelt_out(capsys: Capture) -> None:
    assert run("questions", "\x1b[31mkeyforge\u202e") == 2
    assert r"unknown game `\x1b[31mkeyforge\u202e`" in capsys.readouterr().err


def test_files_of_cards_that_are_not_read(capsys: Capture, tmp_path: Path) -> None:
    facts = tmp_path / "more.lp"
    facts.write_text('title("more","More").\n', encoding="utf-8")
    assert run("facts", BOARD, "--cards", tmp_path) == run("facts", BOARD, "--cards", facts) == 2
    told = capsys.readouterr().err.splitlines()
    ends = "files of cards end in .yaml or .yml"
    assert told[:3] == [
        f"{facts} is not read: {ends}", f"{tmp_path}: LR-E001 no file of cards lies in this folder", f"    {ends}"
    ]  # fmt: skip
    assert told[3] == f"{facts}: LR-E001 cards are not read from facts"
    (tmp_path / "own.YAML").write_text("", encoding="utf-8")
    assert run("facts", BOARD, "--cards", tmp_path) == 2
    assert "LR-E009 the file is empty\n    a file of cards begins with `cards:`" in capsys.readouterr().err
    (tmp_path / "own.YAML").write_text("cards: {Ash Imp: {type: creature, power: 2}}\n", encoding="utf-8")
    assert run("facts", BOARD, "--cards", tmp_path) == 0
    assert capsys.readouterr().err == f"{facts} is not read: {ends}\n"


def test_help_names_every_command_and_exit_status(capsys: Capture) -> None:
    assert run("--help") == 0
    out = capsys.readouterr().out
    for word in ("outcomes", "orders", "verify", "facts", "program", "questions", "clauses", "cards", "exit status"):
        assert word in out


def test_help_is_as_wide_as_the_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def lines(width: int, *arguments: str) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        assert run(*arguments, "--help") == 0
        return capsys.readouterr().out.splitlines()

    for command in ((), ("outcomes",), ("separate",)):
        told = {width: lines(width, *command) for width in (40, 60, 100)}
        assert all(max(map(len, told[width])) <= width for width in told)
        words = {width: " ".join(told[width]).partition("options:")[2].split() for width in told}
        assert words[40] == words[60] == words[100]
    assert lines(40, "orders")[0] == "usage: lastrites orders [OPTION ...]"
    assert "  2  bad input: one message for each\n     mistake, nothing is run\n" in "\n".join(lines(40))
    assert "    outcomes    every distinct outcome, with exact numbers of orders" in lines(100)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["outcom", "b.yaml"], ["lastrites: there is no command 'outcom'", "did you mean outcomes?"]),
        (["frobnicate"], ["there is no command 'frobnicate'\n`lastrites --help` lists the commands"]),
        (["orders", "b.yaml", "--limt", "3"], ["lastrites orders: there is no option --limt", "mean --limit?"]),
        (["facts", "b.yaml", "--zzz=1"], ["there is no option --zzz\n`lastrites facts --help` lists its options"]),
        (["facts", "b.yaml", "c.yaml"], ["lastrites facts: error: too many arguments: c.yaml"]),
        (["check", "keyforge", "--only", "bords"], ["no choice 'bords'", "mean boards?", "from static, boards, cl"]),
        (["why-not", "b.yaml", "{}", "--tries", "9" * 11], ["'99999999999' is too large: at most 9 digits"]),
        ([], ["usage: lastrites", "exit status:"]),
    ],
)
def test_misspelt_words_of_the_command_line(capsys: Capture, arguments: list[str], said: list[str]) -> None:
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert all(each in captured.err for each in said), captured.err


# ---- limits


def test_limit_of_states(capsys: Capture, tmp_path: Path) -> None:
    assert run("outcomes", "--json", "--limit-states", "20", entangled(tmp_path, 8)) == 3
    result = json.loads(capsys.readouterr().out)
    assert (result["complete"], result["states"]) == (False, 20)
    assert (result["orders"], result["readings_explored"][0]["orders"]) == (None, None)
    assert all(outcome["orders"] is outcome["can_force"] is None for outcome in result["outcomes"])
    assert int(result["orders_at_least"]) == int(result["readings_explored"][0]["orders_at_least"]) < 40_320


def test_limit_of_time(capsys: Capture, tmp_path: Path) -> None:
    began = time.monotonic()
    assert run("outcomes", "--json", "--timeout", "1", entangled(tmp_path, 40)) == 3
    assert time.monotonic() - began < 10
    result = json.loads(capsys.readouterr().out)
    assert result["complete"] is False
    assert "time limit of 1 s" in result["incomplete_reason"]


def test_limit_of_memory(capsys: Capture, tmp_path: Path) -> None:
    assert run("outcomes", "--json", "--max-memory", "1", entangled(tmp_path, 12)) == 3
    assert "memory limit of 1 MiB" in json.loads(capsys.readouterr().out)["incomplete_reason"]


def test_limits_that_are_not_reached_change_nothing(capsys: Capture) -> None:
    assert run("outcomes", "--json", BOARD) == 0
    free = capsys.readouterr().out
    assert run("outcomes", "--json", "--timeout", "100", "--max-memory", "4000", BOARD) == 0
    assert capsys.readouterr().out == free


@pytest.mark.parametrize("options", [(), ("--timeout", "100")])
def test_an_interrupt_gives_what_is_known(tmp_path: Path, options: tuple[str, ...]) -> None:
    process = command("outcomes", "--json", *options, entangled(tmp_path, 24))
    assert process.stderr is not None
    assert "states explored" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    result = json.loads(out)
    assert process.returncode == 3
    assert (result["complete"], result["incomplete_reason"]) == (False, "interrupted")


@pytest.mark.parametrize("command", ["outcomes", "why", "compare", "why-not", "verify", "orders", "program"])
def test_an_early_interrupt_says_what_was_being_done(
    command: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*given: object, **named: object) -> None:
        raise KeyboardInterrupt

    asked = {"compare": ["cascade"], "why-not": ["{Janelle: {aember: 1}}"]}.get(command, [])
    output = ["--json"] * (command not in ("orders", "program"))
    monkeypatch.setattr(f"lastrites.jobs.{command.replace('-', '_')}", interrupt)
    assert run(command, BOARD, *asked, *output) == 3
    captured = capsys.readouterr()
    assert "interrupted while the rules were grounded" in (captured.out if output else captured.err)
    assert not output or json.loads(captured.out)
    monkeypatch.setattr("lastrites.load", interrupt)
    assert run(command, BOARD, *asked, *output) == 3
    captured = capsys.readouterr()
    told = f"interrupted while {BOARD} was read; nothing is known yet"
    assert captured.err == told + "\n"
    assert not output or json.loads(captured.out) == {"complete": False, "incomplete_reason": told}


def test_a_reader_that_has_had_enough_is_no_error(tmp_path: Path) -> None:
    process = command("orders", "-q", entangled(tmp_path, 8))
    assert process.stdout is not None
    assert process.stdout.readline().startswith("1. outcome ")
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0


@pytest.mark.parametrize("closed", [1, 2])
def test_a_stream_that_is_closed_is_no_error(closed: int, tmp_path: Path) -> None:
    script = f"import os, sys; os.close({closed}); os.execv(sys.argv[1], sys.argv[1:])"
    words = [sys.executable, "-m", "lastrites", "outcomes", str(entangled(tmp_path, 2))]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("orders" in done.stdout) == (closed == 2)


def test_an_answer_of_which_nothing_is_known_names_its_edition() -> None:
    from lastrites import jobs, load

    board = load(BOARD)
    assert jobs.nothing_known(jobs.Request(board))["edition"] == "17.4"
    assert jobs.nothing_known(jobs.Request(board, edition="17.3"))["edition"] == "17.3"
