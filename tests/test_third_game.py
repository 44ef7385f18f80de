"""A tiny game of its own, ten rules long, goes through the same Python; and that Python knows no game."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from fixture_help import ROOT, disagreements, layer_disagreements

import lastrites
from lastrites.book import read_book
from lastrites.editions import questions_of
from lastrites.game import known_games, load_game
from lastrites.jobs import expectations
from lastrites.verify import FAILED, Json, Verdict, verify

HERE = Path(__file__).resolve().parent / "tinygame"
BOARDS = sorted((HERE / "boards").glob("*.yaml"))


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shared rules with those of the orchard beside them."""
    folder = tmp_path_factory.mktemp("orchard")
    shutil.copytree(ROOT / "rules" / "core", folder / "core")
    shutil.copytree(HERE / "rules" / "orchard", folder / "orchard")
    return folder


def verdict(path: Path, rules: Path, *, without: tuple[str, ...] = ()) -> Verdict:
    board = lastrites.load(path, rules=rules)

    def answer(readings: Mapping[str, str], edition: str | None, pile_order: bool) -> Json:
        found = lastrites.resolve(
            board, readings=readings, edition=edition, pile_order=pile_order, without=without
        )
        return found.to_json(witnesses=False)

    def settled(edition: str) -> Mapping[str, str]:
        return questions_of(rules / "orchard").settles.get(edition, {})

    return verify(expectations(board), answer, settled=settled)


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_what_is_expected_comes_out(path: Path, rules: Path) -> None:
    found = verdict(path, rules)
    assert found.status == "ok", "\n".join(found.failures + found.notes)


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_the_modes_agree(path: Path, rules: Path) -> None:
    resolution = lastrites.resolve(lastrites.load(path, rules=rules))
    assert not layer_disagreements(resolution)
    assert not disagreements(resolution)


def test_every_clause_shows_on_a_board(rules: Path) -> None:
    book = read_book(load_game("orchard", rules))
    assert len(book.clauses) == 9
    for clause in book.clauses:
        assert any(verdict(path, rules, without=(clause.id,)).status == FAILED for path in BOARDS), clause.id


def test_an_outcome_is_a_board(rules: Path) -> None:
    """What comes out, written into a board file again, is a board at rest."""
    for path in BOARDS:
        for outcome in lastrites.resolve(lastrites.load(path, rules=rules)).outcomes:
            text = json.dumps({"game": "orchard", "active": "Ida", "players": outcome.state}, ensure_ascii=False)
            if "Cherry" in text:
                continue  # a card that only its own board defines
            board = lastrites.Board.from_text(text, rules=rules)
            assert lastrites.resolve(board).outcomes[0].state == outcome.state


def test_its_commands(rules: Path) -> None:
    """The command line knows the game as soon as it is told where its rules are."""
    path = HERE / "boards" / "apple-and-medlar.yaml"
    command = [sys.executable, "-m", "lastrites", "outcomes", str(path), "--rules", str(rules), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "bridge", check=True)
    found = json.loads(done.stdout)
    assert (found["game"], found["orders"], len(found["outcomes"])) == ("orchard", "6", 4)


def words_of_games() -> set[str]:
    """What Python must not know of any game: names of zones, numbers, states, verbs, cards, questions, clauses."""
    found = set()
    for name in known_games():
        game = load_game(name)
        found |= {name, *game.cards.by_id, *questions_of(game.rules / name).answers}
        found |= {clause.id for clause in read_book(game).clauses}
        for level in ("board", "player", "card", "event", "definition"):
            for key in game.shape.keys(level):
                found |= {key.text, *(str(part) for part in key.form.args)}
    shared = set(re.findall(r"\w+", (ROOT / "rules" / "core" / "shape.lp").read_text(encoding="utf-8")))
    return {word for word in found if len(word) > 2} - shared - OPTIONS


OPTIONS = {"pile_order", "resolve", "known to", "base", "record", "type", "play", "begin"}
"""Names of commands, of the Python API, of expectations, of clingo and of JSON Schema, the same for every game."""

TELLING = {
    "battleline", "keyforge", "riftbound", "tagged", "archives", "aember", "soulkeeper", "deathknell",
    "battlefield", "gateway", "orchard",
}  # fmt: skip
"""Words that no line may contain, comments and docstrings included."""


def strings_of(file: Path) -> Iterator[tuple[int, str]]:
    """The strings of a module that are no docstrings, with their lines."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documents = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node.lineno, node.value


def test_python_knows_no_game() -> None:
    banned = words_of_games()
    assert {"battleline", "cascade", "dust-imp", "reap", "kf.destroyed.tag"} <= banned
    telling = re.compile(r"\b(" + "|".join(sorted(TELLING)) + r")\b", re.IGNORECASE)
    found = []
    for file in sorted((ROOT / "bridge" / "lastrites").glob("**/*.py")):
        found += [f"{file.name}:{line}: {text!r}" for line, text in strings_of(file) if text in banned]
        if file.name == "cli.py":
            continue  # its examples name a game
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            found += [f"{file.name}:{number}: {match[0]}" for match in telling.finditer(line)]
    assert not found, "\n".join(found)
