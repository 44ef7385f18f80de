"""The JSON Schema of board files: it lets every fixture through, and stops common mistakes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fixture_help import FIXTURES, fixture_files, name_of

from lastrites import cli
from lastrites.game import known_games, load_game
from lastrites.schema import board_schema
from lastrites.yamlio import List, Node, Scalar, load, parse

Json = Any

SCHEMAS = {game: board_schema(load_game(game)) for game in known_games()}

TYPES = {
    "object": dict, "array": list, "string": str, "null": type(None), "boolean": bool, "integer": int, "number": float,
}  # fmt: skip


def plain(node: Node) -> Json:
    """A file as an editor reads it: numbers and truth values where they are not quoted."""
    if isinstance(node, List):
        return [plain(item) for item in node.items]
    if not isinstance(node, Scalar):
        return {key.text: plain(value) for key, value in node.entries}
    if node.absent:
        return None
    if node.quoted:
        return node.text
    if node.text in ("true", "false"):
        return node.text == "true"
    if re.fullmatch(r"0|[1-9]\d*", node.text):
        return int(node.text)
    return float(node.text) if re.fullmatch(r"\d+\.\d+", node.text) else node.text


def is_a(value: Json, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "number":
        return isinstance(value, (int, float))
    return isinstance(value, TYPES[name])


USED = {
    "type", "enum", "const", "anyOf", "$ref", "properties", "additionalProperties", "required", "items", "minimum",
    "maximum", "minItems", "maxItems", "minProperties", "maxProperties", "pattern", "$schema", "$id", "title", "$defs",
}  # fmt: skip
"""The words of JSON Schema that the check below knows."""


def mistakes(value: Json, schema: Json, root: Json, path: str = "") -> Iterator[str]:
    """Where a value is not as the schema says."""
    assert set(schema) <= USED, set(schema) - USED
    if "$ref" in schema:
        yield from mistakes(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, path)
    if "anyOf" in schema and all(any(mistakes(value, each, root, path)) for each in schema["anyOf"]):
        yield f"{path}: {value!r} is none of the possibilities"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is not in the list"
    if "const" in schema and value != schema["const"]:
        yield f"{path}: {value!r} is not {schema['const']!r}"
    kinds = schema.get("type")
    if kinds is not None and not any(is_a(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        yield f"{path}: {value!r} is no {kinds}"
    if is_a(value, "integer") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{path}: {value} is out of range"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{path}: {value!r} does not match"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{path}: {len(value)} items"
        for place, item in enumerate(value):
            yield from mistakes(item, schema.get("items", {}), root, f"{path}/{place}")
    if isinstance(value, Mapping):
        if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", len(value)):
            yield f"{path}: {len(value)} keys"
        yield from (f"{path}: {key} is missing" for key in schema.get("required", ()) if key not in value)
        for key, inner in value.items():
            rule = schema.get("properties", {}).get(key, schema.get("additionalProperties", True))
            if rule is False:
                yield f"{path}: {key} is not possible"
            elif rule is not True:
                yield from mistakes(inner, rule, root, f"{path}/{key}")


@pytest.mark.parametrize("game", sorted(SCHEMAS))
def test_every_fixture_is_valid(game: str) -> None:
    found = []
    for path in fixture_files():
        if path.parent.name == game:
            found += [f"{name_of(path)}{text}" for text in mistakes(plain(load(path)), SCHEMAS[game], SCHEMAS[game])]
    assert not found, "\n".join(found)


BOARD = """
game: keyforge
title: 17
active: Ann
players:
  Ann:
    aember: 2
    battleline: [Dust Imp, Troll: {damage: 3, upgrades: [Soulkeeper]}]
  Bob: {deck: [], hand: }
cards:
  Grunt:
    type: creature
    power: 2
    abilities: [{when: destroyed, steps: [{gain: 1}]}]
event: {fight: [Dust Imp, Troll], choose: [Troll, [left, 2]]}
expect: {orders: 2, outcomes: [{Ann: {hand: {count: 2}}, deciders: [Ann]}]}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("", "", ""),
        ("battleline", "batleline", "batleline is not possible"),
        ("aember: 2", "aember: two", "'two' is no integer"),
        ("aember: 2", "aember: 1000", "1000 is out of range"),
        ("active: Ann", "aktive: Ann", "active is missing"),
        ("game: keyforge", "game: chess", "'chess' is not 'keyforge'"),
        ("damage: 3", "damag: 3", "none of the possibilities"),
        ("type: creature", "type: monster", "'monster' is not in the list"),
        ("when: destroyed, ", "", "when is missing"),
        ("gain: 1", "gian: 1", "none of the possibilities"),
        ("[Dust Imp, Troll], choose", "[Dust Imp], choose", "none of the possibilities"),
        ("count: 2", "kount: 2", "none of the possibilities"),
    ],
)
def test_mistakes_are_found(right: str, wrong: str, message: str) -> None:
    text = BOARD.replace(right, wrong, 1) if right else BOARD
    assert not right or text != BOARD
    schema = SCHEMAS["keyforge"]
    found = list(mistakes(plain(parse(text)), schema, schema))
    assert (message in "\n".join(found)) if right else not found


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for game, schema in SCHEMAS.items():
        assert cli.main(["schema", game]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told == json.loads(json.dumps(schema))
        assert told["$schema"].startswith("https://json-schema.org/")
        references = set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(told)))
        assert references <= set(told["$defs"])
        assert (FIXTURES / game).is_dir()
    file = tmp_path / "board.schema.json"
    assert cli.main(["schema", "keyforge", "-o", str(file)]) == 0
    assert json.loads(file.read_text(encoding="utf-8")) == json.loads(json.dumps(SCHEMAS["keyforge"]))
    assert cli.main(["schema", "chess"]) == 2
