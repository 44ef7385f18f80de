"""Set-ups of another engine as board files: what is read, what is said about mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lastrites
from lastrites import cli
from lastrites.errors import BoardError
from lastrites.game import load_game
from lastrites.importer import guide, import_file, importing_games
from lastrites.yamlio import dump

Capture = pytest.CaptureFixture[str]

SCENARIO: dict[str, Any] = {
    "active": "player2",
    "house": "dis",
    "player1": {
        "amber": 3,
        "keys": {"red": True, "blue": False},
        "inPlay": ["troll", {"card": "dust-imp", "damage": 1, "upgrades": ["soulkeeper"]}, "flint-s-stash"],
        "hand": [],
    },
    "player2": {
        "chains": 2,
        "inPlay": [{"card": "dust-imp", "ward": True, "stun": 0}, {"card": "dust-imp", "power": 2, "exhausted": True}],
        "hand": ["gateway-to-dis"],
        "deckSize": 7,
        "discard": ["tolas"],
    },
}


def written(folder: Path, value: Any, name: str = "setup.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def board_of(folder: Path, value: Any) -> dict[str, Any]:
    (found,), problems = import_file(written(folder, value))
    assert not problems
    return found.board


def with_action(**action: Any) -> dict[str, Any]:
    return {**SCENARIO, "action": action}


def test_a_scenario_becomes_a_board(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path, SCENARIO)
    assert cli.main(["import", str(path)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        "game: keyforge\n"
        "title: setup\n"
        "active: player2\n"
        "house: dis\n"
        "players:\n"
        "  player1:\n"
        "    aember: 3\n"
        "    keys: 1\n"
        "    deck size: 5\n"
        "    battleline:\n"
        "      - Troll\n"
        "      - Dust Imp: {damage: 1, upgrades: [Soulkeeper]}\n"
        "    artifacts:\n"
        "      - Flint’s Stash\n"
        "  player2:\n"
        "    chains: 2\n"
        "    deck size: 7\n"
        "    battleline:\n"
        "      - Dust Imp: {ward: true}\n"
        '      - Dust Imp: {counters: {"+1 power": 2}, exhausted: true}\n'
        "    hand:\n"
        "      - Gateway to Dis\n"
        "    discard:\n"
        "      - Tolas\n"
    )


@pytest.mark.parametrize(
    ("action", "event"),
    [
        ({"play": "gateway-to-dis"}, {"play": "Gateway to Dis"}),
        ({"fight": ["player2:dust-imp#2", "troll"]}, {"fight": ["Dust Imp#3", "Troll"]}),
        ({"fight": ["player2:dust-imp", "player1:dust-imp"]}, {"fight": ["Dust Imp#2", "Dust Imp#1"]}),
        ({"destroy": ["soulkeeper"]}, {"destroy": ["Soulkeeper"]}),
        ({"destroy": "all creatures"}, {"destroy": ["Troll", "Dust Imp#1", "Dust Imp#2", "Dust Imp#3"]}),
        ({"damage": {"player1:dust-imp": 2, "troll": 1}}, {"damage": {"Dust Imp#1": 2, "Troll": 1}}),
    ],
)  # fmt: skip
def test_actions(tmp_path: Path, action: dict[str, Any], event: dict[str, Any]) -> None:
    board = board_of(tmp_path, with_action(**action))
    assert board["event"] == event
    assert lastrites.Board.from_text(dump(board)).facts


def test_a_bare_set_up_begins_with_the_first_player_whose_house_counts(tmp_path: Path) -> None:
    board = board_of(tmp_path, {"player2": {"house": "dis"}, "player1": {"house": "brobnar", "deck": ["troll"]}})
    assert (board["active"], board["house"]) == ("player1", "brobnar")
    assert board["players"]["player1"] == {"deck": ["Troll"]}
    assert "event" not in board


def test_outcomes_come_along(tmp_path: Path) -> None:
    state = {"player1": {"amber": 1, "inPlay": [{"card": "troll", "ward": 1}]}, "player2": {"deckSize": 5}}
    record = {"id": "one", "scenario": SCENARIO, "sequences": 1, "outcomes": [{"sequences": 1, "state": state}]}
    (found,), problems = import_file(written(tmp_path, record))
    assert not problems
    assert found.name == found.board["title"] == "one"
    assert found.outcomes == [
        {"player1": {"aember": 1, "battleline": [{"Troll": {"ward": True}}]}, "player2": {"deck size": 5}}
    ]


def mistakes(folder: Path, value: Any) -> list[tuple[str, str]]:
    """Code and message of each mistake."""
    try:
        _, problems = import_file(written(folder, value))
    except BoardError as error:
        problems = list(error.problems)
    return [(problem.code, problem.message) for problem in problems]


@pytest.mark.parametrize(
    ("value", "code", "words"),
    [
        ("", "LR-E009", "empty"),
        ("{", "LR-E036", "not JSON"),
        ("[1]", "LR-E014", "a mapping"),
        ('{"active": "x", "active": "y"}', "LR-E006", "`active` stands twice"),
        ("[" * 60 + "]" * 60, "LR-E010", "40 levels"),
        ("[" * 100_000 + "]" * 100_000, "LR-E010", "40 levels"),
        ('{"id": "\\u0007", "scenario": {}}', "LR-E003", "control characters"),
        ('{"\\ud800": 1}', "LR-E003", "no character"),
        ('{"player1": {"amber": NaN}}', "LR-E015", "player1.amber"),
        ('{"player1": {"amber": ' + "9" * 5000 + "}}", "LR-E015", "out of range"),
        ({**SCENARIO, "hause": "dis"}, "LR-E012", "unknown key `hause`"),
        ({**SCENARIO, "active": "player3"}, "LR-E024", "unknown player `player3`"),
        ({**SCENARIO, "active": 1}, "LR-E014", "active: a text"),
        ({}, "LR-E013", "no player"),
        ({"player1": []}, "LR-E014", "player1: a mapping"),
        ({"player1": {"amber": True}}, "LR-E015", "player1.amber: a whole number"),
        ({"player1": {"amber": 1000}}, "LR-E015", "player1.amber"),
        ({"player1": {"inPlay": "troll"}}, "LR-E014", "player1.inPlay: a list"),
        ({"player1": {"inPlay": [{"damage": 1}]}}, "LR-E013", "player1.inPlay[0]"),
        ({"player1": {"inPlay": ["soulkeeper"]}}, "LR-E016", "`soulkeeper` (upgrade) cannot lie here"),
        ({"player1": {"inPlay": ["trol"]}}, "LR-E018", "player1.inPlay[0]: unknown card `trol`"),
        (with_action(play="bumpsy"), "LR-E020", "action.play: `bumpsy` is not on this board"),
        (with_action(play="no-such"), "LR-E018", "unknown card `no-such`"),
        (with_action(destroy=["player2:dust-imp#3"]), "LR-E020", "`player2:dust-imp#3`"),
        (with_action(destroy=["dust-imp"]), "LR-E019", "fits cards of several players"),
        (with_action(destroy="nobody"), "LR-E014", "action.destroy: a list"),
        (with_action(damage=["troll"]), "LR-E014", "action.damage: a mapping"),
        (with_action(damage={"troll": -1}), "LR-E015", "action.damage"),
        (with_action(), "LR-E025", "exactly one action"),
        ({"id": "x", "scenario": SCENARIO, "outcomes": [{}]}, "LR-E014", "outcomes[0]"),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: Path, value: Any, code: str, words: str) -> None:
    ((found, message),) = mistakes(tmp_path, value)
    assert found == code
    assert words in message


def test_each_unknown_card_is_named_once(tmp_path: Path) -> None:
    found = mistakes(tmp_path, {"player1": {"inPlay": ["aaaa", "bbbb", "aaaa"]}, "action": {"destroy": ["aaaa"]}})
    assert [message.partition(": ")[2] for _, message in found] == ["unknown card `aaaa`", "unknown card `bbbb`"]


def test_a_line_each_into_a_folder(tmp_path: Path, capsys: Capture) -> None:
    named = {"id": "A b", "scenario": SCENARIO}
    lines = [named, named, {"player1": {"hand": ["no-such"]}}]
    path = written(tmp_path, "\n".join(json.dumps(line) for line in lines) + "\n", "many.ndjson")
    assert cli.main(["import", str(path), "-o", str(tmp_path / "out" / "boards")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{path}:3:1: LR-E018 player1.hand[0]: unknown card `no-such`" in err
    assert "2 boards written" in err
    files = sorted((tmp_path / "out" / "boards").iterdir())
    assert [file.name for file in files] == ["a-b-2.yaml", "a-b.yaml"]
    assert all(lastrites.load(file).title == "A b" for file in files)


def test_several_need_a_folder(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path, f"{json.dumps(SCENARIO)}\n{json.dumps(SCENARIO)}", "many.ndjson")
    assert cli.main(["import", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "LR-E008" in err
    assert "-o DIR" in err


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path, SCENARIO)
    assert cli.main(["import", str(path), "-o", str(path / "inside")]) == 2
    assert "LR-E001" in capsys.readouterr().err
    assert cli.main(["import", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "is a folder\n    give the path of a file with set-ups of another engine" in told


def test_which_games_can_import(tmp_path: Path) -> None:
    assert importing_games() == ["keyforge"]
    for name in ("core", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "shape.lp").write_text('key(board,1,"game",game).\n', encoding="utf-8")
    with pytest.raises(BoardError, match="--game; there is: none"):
        import_file(written(tmp_path, SCENARIO), rules=tmp_path)
    with pytest.raises(BoardError, match="the rules of other do not say how"):
        guide(load_game("other", tmp_path))
