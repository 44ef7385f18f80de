"""What the README shows is what happens.

When words of the rules have changed on purpose, ``python tests/test_readme.py`` puts the new answers into the README.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lastrites import cli
from lastrites.board import Board
from lastrites.resolution import resolve

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
MAIN_JOB = next(text for kind, text in BLOCKS if kind == "sh").split("lastrites outcomes ")[1].strip()


def blocks(kind: str) -> list[str]:
    return [text for name, text in BLOCKS if name == kind]


def beginning(out: str, kind: str) -> str:
    """As much of an answer as the README shows: all steps and one clause, or what stands before the steps."""
    if kind == "text":
        steps, _, clauses = out.partition("\nClauses\n")
        first = re.match(r"  \S.*\n(    .*\n)+", clauses)
        assert first is not None
        return f"{steps}\nClauses\n{first[0]}  ...\n"
    return out.partition("  One order that leads here:")[0].rstrip("\n") + "\n...\n"


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    monkeypatch.setenv("COLUMNS", "96")
    monkeypatch.chdir(ROOT)
    cli.main(arguments)
    told = capsys.readouterr()
    return told.out + told.err


def test_the_main_job(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = blocks("text")
    assert shown == beginning(run(capsys, monkeypatch, "outcomes", MAIN_JOB), "text")


OWN_TESTS = ("clingo", "bad.yaml")


@pytest.mark.parametrize("block", [text for text in blocks("console") if not any(w in text for w in OWN_TESTS)])
def test_commands_and_what_they_print(
    block: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command, *shown = block.rstrip("\n").split("\n")
    out = run(capsys, monkeypatch, *command.removeprefix("$ lastrites ").split())
    for part in "\n".join(shown).split("...\n"):
        assert part.removesuffix("\n...").strip("\n") in out


def test_the_bad_board(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = (text for text in blocks("console") if "bad.yaml" in text)
    shown = block.split("\n", 1)[1]
    path = tmp_path / "bad.yaml"
    path.write_text(
        "game: keyforge\nactive: Ann\nplayers:\n  Ann:\n    batleline: [Dust Imp]\n"
        "  Bob:\n    hand: [Ley, Earl of Hurl]\n",
        encoding="utf-8",
    )
    assert run(capsys, monkeypatch, "outcomes", str(path)).replace(f"{path}", "bad.yaml") == shown


def test_the_board_with_a_card_of_its_own() -> None:
    board = next(text for text in blocks("yaml") if text.startswith("game:"))
    card = next(text for text in blocks("yaml") if text.startswith("cards:"))
    assert len(resolve(Board.from_text(board + card)).outcomes) > 1


def test_the_python_lines() -> None:
    (code,) = blocks("python")
    names: dict[str, object] = {}
    for line in code.replace("\n    ", " ").replace("fixtures/", f"{ROOT}/fixtures/").split("\n"):
        expression, comment, value = line.partition("  # ")
        if comment and value[:1] in "0123456789{('":
            assert repr(eval(expression.strip(), names)) == value.strip()
        else:
            exec(line, names)


def _renew() -> None:
    """Put fresh answers into the README; blocks that are cut in the middle are left as they are."""
    import contextlib
    import io
    import os

    os.environ["COLUMNS"] = "96"
    os.chdir(ROOT)
    readme = README
    for kind, text in BLOCKS:
        first, _, shown = text.partition("\n")
        if kind == "text":
            command = ["outcomes", MAIN_JOB]
        elif kind == "console" and first.startswith("$ lastrites outcomes fixtures") and not shown.startswith("..."):
            command = first.removeprefix("$ lastrites ").split()
        else:
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            cli.main(command)
        fresh = beginning(out.getvalue(), kind)
        readme = readme.replace(text, fresh if kind == "text" else f"{first}\n{fresh}")
    (ROOT / "README.md").write_text(readme, encoding="utf-8")


if __name__ == "__main__":
    _renew()
