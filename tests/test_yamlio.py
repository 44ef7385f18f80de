"""Strict YAML: what is refused, where, and that what is printed is read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lastrites.errors import CODES, BoardError
from lastrites.yamlio import MAX_BYTES, MAX_DEPTH, List, Mapping, Node, Scalar, dump, load, parse


def plain(node: Node) -> Any:
    """Nodes as dict, list and str."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, List):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.entries}


def as_text(value: Any) -> Any:
    """What a reader sees of plain values: every scalar is text."""
    if isinstance(value, dict):
        return {key: as_text(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_text(inner) for inner in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def test_every_scalar_is_text_at_its_place() -> None:
    root = parse("edition: 17.10\nflag: no\nold: [010, 2019-09, ~]\n")
    assert plain(root) == {"edition": "17.10", "flag": "no", "old": ["010", "2019-09", "~"]}
    assert isinstance(root, Mapping)
    assert root.get("old") == List((Scalar("010", 3, 7), Scalar("2019-09", 3, 12), Scalar("~", 3, 21)), 3, 6)


def test_nothing_is_told_from_an_empty_text() -> None:
    root = parse("a:\nb: ''\n")
    assert isinstance(root, Mapping)
    assert [value.absent for _, value in root.entries if isinstance(value, Scalar)] == [True, False]


def test_byte_order_mark_and_carriage_returns(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\nb:\r\n  - c\r\n")
    assert plain(load(file)) == {"a": "1", "b": ["c"]}


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "part"),
    [
        ("", "LR-E009", 1, 1, "empty"),
        ("# only a comment\n", "LR-E009", 1, 1, "empty"),
        ("a: 1\nb: 2\na: 3\n", "LR-E006", 3, 1, "lines 1 and 3"),
        ("a: {b: 1, b: 2}\n", "LR-E006", 1, 11, "lines 1 and 1"),
        ("a: &x 1\n", "LR-E007", 1, 4, "anchor"),
        ("a: [*x]\n", "LR-E007", 1, 5, "alias"),
        ("a: !!str 1\n", "LR-E007", 1, 4, "tag"),
        ("a: !run [1]\n", "LR-E007", 1, 4, "tag"),
        ("<<: {a: 1}\n", "LR-E007", 1, 1, "merge"),
        ("[a]: 1\n", "LR-E007", 1, 1, "key must be text"),
        ("%YAML 1.1\n---\na: 1\n", "LR-E007", 1, 1, "directives"),
        ("a: 1\n---\nb: 2\n", "LR-E008", 2, 1, "second document"),
        ("a:\n\t- b\n", "LR-E005", 2, 1, "tab"),
        ("a:\n  - Soleft #2\n", "LR-E011", 2, 12, '"Name#2"'),
        ("a:\n  - Soleft #2: {damage: 1}\n", "LR-E011", 2, 12, "comment"),
        ("a: [Soleft #2, Troll]\n", "LR-E011", 1, 12, '"Name#2"'),
        ('a: "Soleft" #2\n', "LR-E011", 1, 13, '"Name#2"'),
        ("a: Zan: the Great\n", "LR-E004", 1, 7, "quotes"),
        ('a:\n  - "Lion" Bautrem\n', "LR-E004", 2, 12, "quotes"),
        ("a: [b\n", "LR-E004", 2, 1, "YAML"),
        ("a: b\x07\n", "LR-E003", 1, 5, "U+0007"),
        ("a: \u2028b\n", "LR-E003", 1, 4, "U+2028"),
        ('a: "x\\e[2J"\n', "LR-E003", 1, 4, "U+001B"),
        ('"\\u0007": b\n', "LR-E003", 1, 1, "U+0007"),
        ("a: " + "[" * 100, "LR-E010", 1, 43, "deep"),
    ],
)
def test_refused(text: str, code: str, line: int, column: int, part: str) -> None:
    with pytest.raises(BoardError) as caught:
        parse(text, "b.yaml")
    first = caught.value.problems[0]
    assert (first.code, first.line, first.column) == (code, line, column), str(caught.value)
    assert part in str(first)
    assert all(problem.code in CODES for problem in caught.value.problems)


def test_all_mistakes_of_form_are_reported_together() -> None:
    with pytest.raises(BoardError) as caught:
        parse("a: &x 1\na: 2\nb: Soleft #2\nc: !t d\n", "b.yaml")
    assert [problem.code for problem in caught.value.problems] == ["LR-E007", "LR-E006", "LR-E011", "LR-E007"]
    assert len(str(caught.value).splitlines()) == 8


def test_ordinary_comments_are_fine() -> None:
    assert plain(parse("# 1 first\na: b # one\nc: d   # the 2nd\n#2 more\n")) == {"a": "b", "c": "d"}


def test_deep_but_allowed() -> None:
    parse("[" * MAX_DEPTH + "]" * MAX_DEPTH)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    large, latin = tmp_path / "large.yaml", tmp_path / "latin.yaml"
    with large.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    latin.write_bytes(b"a: 1\nb: M\xe6lstrom\n")
    for path, code, line, column in (
        (tmp_path / "none.yaml", "LR-E001", 0, 0),
        (tmp_path, "LR-E001", 0, 0),
        (large, "LR-E002", 0, 0),
        (latin, "LR-E003", 2, 5),
    ):
        with pytest.raises(BoardError) as caught:
            load(path)
        assert [(p.code, p.line, p.column) for p in caught.value.problems] == [(code, line, column)]


# What no board file may hold: control characters, surrogates, what breaks lines elsewhere or is no character.
TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn", "Zl", "Zp"], exclude_characters="\ufeff"))
VALUES = st.recursive(
    TEXT | st.integers(0, 999) | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT.filter(lambda key: key != "<<"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(TEXT, VALUES, min_size=1, max_size=4))
def test_what_is_printed_is_read_back(value: dict[str, Any]) -> None:
    text = dump(value)
    assert plain(parse(text)) == as_text(value)
    assert yaml.safe_load(text) == value  # and other readers see the same types
