"""Strict YAML: text to located nodes, and plain values back to YAML.

The only module that knows YAML. Every scalar stays the text that was written, so that the reader of a board
types it by what stands there (``17.10``, ``no`` and ``010`` are never guessed at).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from lastrites.errors import BoardError, Problem

MAX_BYTES = 1_000_000
MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text at a place. ``quoted`` tells ``""`` from nothing at all."""

    text: str
    line: int
    column: int
    quoted: bool = False

    @property
    def absent(self) -> bool:
        """Whether nothing was written (``key:`` with no value)."""
        return not self.text and not self.quoted


@dataclass(frozen=True, slots=True)
class List:
    """A sequence of nodes at a place."""

    items: tuple[Node, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys with their nodes in the order of the file; keys are unique."""

    entries: tuple[tuple[Scalar, Node], ...]
    line: int
    column: int

    def get(self, key: str) -> Node | None:
        """The node under ``key``, or None."""
        return next((node for name, node in self.entries if name.text == key), None)


Node: TypeAlias = Scalar | List | Mapping


def read_text(path: Path, wanted: str = "a board file") -> str:
    """The text of a file: at most 1 MB (looked at before reading), UTF-8, with or without BOM.

    ``wanted`` is the kind of file that should have been named where this is none.

    Raises BoardError when there is no such file, it is too large or not text.
    """
    try:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "does not exist or is no ordinary file"
            raise BoardError([Problem("LR-E001", str(path), 0, 0, f"{path} {what}", f"give the path of {wanted}")])
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise BoardError([_too_large(str(path), size)])
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise BoardError([Problem("LR-E001", str(path), 0, 0, f"cannot be read: {reason}")]) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rsplit(b"\n", 1)[-1].decode("utf-8", "replace")) + 1
        raise BoardError(
            [Problem("LR-E003", str(path), line, column, "this is not UTF-8 text", "save the file as UTF-8")]
        ) from None


EMPTY = ("the file is empty", "a board file begins with `game:`")


def parse(text: str, file: str = "<text>", empty: tuple[str, str] = EMPTY) -> Node:
    """Read one YAML document. Raises BoardError with every mistake of form that could be found.

    ``empty`` is what is wrong, and what to write, where the text says nothing.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise BoardError([_too_large(file, size)])
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _Builder(text, file, empty).build()


def load(path: Path) -> Node:
    """Read one YAML file. Raises BoardError."""
    return parse(read_text(path), str(path))


def _too_large(file: str, size: int) -> Problem:
    return Problem("LR-E002", file, 0, 0, f"the file has {size} bytes; a board has at most {MAX_BYTES}")


class _StopError(Exception):
    """Reading cannot go on; what is wrong has been noted."""


_BAD_CHARACTER = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\ufeff")
_COPY_COMMENT = re.compile(r"[ \t]+#(\d+)")


class _Builder:
    def __init__(self, text: str, file: str, empty: tuple[str, str] = EMPTY) -> None:
        self.text = text
        self.empty = empty
        self.lines = text.split("\n")
        self.file = file
        self.problems: list[Problem] = []

    def build(self) -> Node:
        root: Node | None = None
        try:
            self.characters()
            root = self.document()
        except _StopError:
            pass
        if root is None and not self.problems:
            self.note("LR-E009", 1, 1, *self.empty)
        if self.problems or root is None:
            raise BoardError(sorted(self.problems, key=lambda problem: (problem.line, problem.column)))
        return root

    def note(self, code: str, line: int, column: int, message: str, hint: str = "") -> None:
        self.problems.append(Problem(code, self.file, line, column, message, hint))

    def characters(self) -> None:
        for number, line in enumerate(self.lines, 1):
            bad = _BAD_CHARACTER.search(line)
            if bad:
                self.bad_character(bad.group(), number, bad.start() + 1)
        if self.problems:
            raise _StopError

    def bad_character(self, character: str, line: int, column: int) -> None:
        self.note("LR-E003", line, column, f"the character U+{ord(character):04X} is not allowed in a board file")

    def escaped(self, text: str, line: int, column: int) -> None:
        """A text in double quotes may hold characters that its line does not show."""
        bad = _BAD_CHARACTER.search(text)
        if bad:
            self.bad_character(bad.group(), line, column)

    def events(self) -> Iterator[Any]:
        """The parser's events; a mistake of syntax is noted and ends them."""
        import yaml

        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        try:
            yield from yaml.parse(self.text, Loader=loader)
        except yaml.MarkedYAMLError as error:
            self.syntax(error)
            raise _StopError from None

    def syntax(self, error: Any) -> None:
        mark = error.problem_mark or error.context_mark
        row, column = (mark.line, mark.column) if mark else (0, 0)
        upto = self.lines[: row + 1]
        for number, line in enumerate(upto, 1):
            # A comment swallowed the rest of a flow list: say that, not what the parser stumbled on later.
            hidden = re.search(r"[\w\"'’.!?]([ \t]+)#(\d+)", line)
            if hidden and not line.lstrip().startswith("#") and not self.problems:
                self.copy_comment(number, hidden.end(1) + 1, hidden.group(2))
        if self.problems:
            return
        for number, line in enumerate(upto[-2:], max(1, row)):
            indent = line[: len(line) - len(line.lstrip(" \t"))]
            if "\t" in indent:
                self.note(
                    "LR-E005",
                    number,
                    indent.index("\t") + 1,
                    "a tab is used for indentation",
                    "indent with spaces",
                )
                return
        what = (error.problem or "the text is not well-formed YAML").replace("\n", " ")
        line = self.lines[row] if row < len(self.lines) else ""
        hint = ""
        glued = re.search(r"(?<=\w):[\[{]", line)
        if glued:
            key = line[max(0, glued.start() - 30) : glued.start()].rpartition(",")[2].split("{")[-1].strip()
            hint = f"a colon needs a space after it: `{key}: {glued[0][-1]}`"
        elif "mapping values" in what or (line.count(":") > 1 and "escape" not in what):
            hint = 'a name with a colon needs quotes: "Name: of the card"'
        elif re.match(r"\s*(- *)?[\"'].*[\"']\s*[^\s:,#]", line):
            hint = "a name that holds quotation marks needs quotes around the whole of it"
        elif re.search(r"[*&!%@`|>]", line[column : column + 1]):
            hint = f'text that begins with {line[column]} needs quotes: "{line[column:].strip()}"'
        elif "expected ',' or" in what:
            hint = "check the brackets; a name with a comma or colon needs quotes"
        self.note("LR-E004", row + 1, column + 1, f"not well-formed YAML: {what}", hint)

    def copy_comment(self, line: int, column: int, digits: str) -> None:
        self.note(
            "LR-E011",
            line,
            column,
            f"`#{digits}` after a space begins a comment, so it is not read",
            f'for a copy of a card write "Name#{digits}" in quotes, without the space',
        )

    def document(self) -> Node | None:
        import yaml

        stack: list[tuple[Any, list[Node], int, int]] = []
        root: Node | None = None
        documents = 0
        for event in self.events():
            node: Node | None = None
            line, column = event.start_mark.line + 1, event.start_mark.column + 1
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.note("LR-E008", line, column, "a second document begins here", "one board a file")
                    raise _StopError
                if event.tags or event.version:
                    self.note("LR-E007", line, column, "YAML directives (%) are not allowed")
            elif isinstance(event, yaml.AliasEvent):
                self.note("LR-E007", line, column, f"the alias *{event.anchor} is not allowed", _QUOTE_HINT)
                node = Scalar("*" + str(event.anchor), line, column, True)
            elif isinstance(event, yaml.NodeEvent):
                self.plain(event, line, column)
                if isinstance(event, yaml.ScalarEvent):
                    self.escaped(event.value, line, column)
                    node = Scalar(event.value, line, column, bool(event.style))
                    self.comment_after(event)
                elif len(stack) >= MAX_DEPTH:
                    self.note("LR-E010", line, column, f"nested more than {MAX_DEPTH} levels deep")
                    raise _StopError
                else:
                    stack.append((event, [], line, column))
            elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                opened, children, first, at = stack.pop()
                if isinstance(opened, yaml.SequenceStartEvent):
                    node = List(tuple(children), first, at)
                else:
                    node = self.mapping(children, first, at)
            if node is not None and stack:
                stack[-1][1].append(node)
            elif node is not None:
                root = node
        if isinstance(root, Scalar) and root.absent:
            return None
        return root

    def plain(self, event: Any, line: int, column: int) -> None:
        if event.anchor is not None:
            self.note("LR-E007", line, column, f"the anchor &{event.anchor} is not allowed", _QUOTE_HINT)
        if event.tag is not None:
            self.note("LR-E007", line, column, f"the tag {event.tag} is not allowed", _QUOTE_HINT)

    def comment_after(self, event: Any) -> None:
        end = event.end_mark
        if end.line < len(self.lines):
            rest = self.lines[end.line][end.column :]
            hidden = _COPY_COMMENT.match(rest)
            if hidden:
                self.copy_comment(end.line + 1, end.column + hidden.start(1), hidden.group(1))

    def mapping(self, children: list[Node], line: int, column: int) -> Mapping:
        entries: list[tuple[Scalar, Node]] = []
        seen: dict[str, Scalar] = {}
        for key, value in zip(children[::2], children[1::2], strict=True):
            if not isinstance(key, Scalar):
                self.note("LR-E007", key.line, key.column, "a key must be text", _QUOTE_HINT)
                continue
            if key.text == "<<" and not key.quoted:
                self.note("LR-E007", key.line, key.column, "merge keys (<<) are not allowed")
                continue
            if key.text in seen:
                first = seen[key.text]
                self.note(
                    "LR-E006",
                    key.line,
                    key.column,
                    f"`{key.text}` stands twice in this mapping: lines {first.line} and {key.line}",
                    "keep one of them",
                )
                continue
            seen[key.text] = key
            entries.append((key, value))
        return Mapping(tuple(entries), line, column)


_QUOTE_HINT = "text that begins with one of & * ! [ { needs quotes"

_BARE = re.compile(r"[A-Za-z\u00c0-\u024f][^\x00-\x1f\"#:,\[\]{}&*!|>%@`?\\\x7f-\x9f\u2028\u2029\ufeff]*")
_SPECIAL = frozenset(["null", "true", "false", "yes", "no", "on", "off", "y", "n"])


def quote(text: str, key: bool = False) -> str:
    """A scalar as YAML: bare where every YAML reader takes it for the same text, else in double quotes.

    A key is always read as text here, so one like ``no`` is quoted only for the sake of other readers.
    """
    bare = _BARE.fullmatch(text) and text == text.strip() and text.lower() not in _SPECIAL
    if bare and "  " not in text and "\u00a0" not in text:
        return text
    return json.dumps(text, ensure_ascii=False)


def _scalar(value: object) -> str:
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return '""'
    if isinstance(value, int):
        return str(value)
    return quote(str(value))


def _flow(value: object) -> str:
    if isinstance(value, AnyMapping):
        return "{" + ", ".join(f"{quote(str(key))}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _scalar(value)


def dump(value: object, indent: int = 0) -> str:
    """Plain values (dict, list, str, int, bool) as YAML text that :func:`parse` reads back the same.

    Mappings and lists stand in block style, what lies inside an item of a list in flow style.
    """
    lines: list[str] = []
    _block(value, indent, lines)
    return "\n".join(lines) + "\n"


def _block(value: object, indent: int, lines: list[str]) -> None:
    pad = " " * indent
    if isinstance(value, AnyMapping) and value:
        for key, item in value.items():
            head = f"{pad}{quote(str(key))}:"
            nested = isinstance(item, (AnyMapping, list, tuple)) and bool(item)
            if nested:
                lines.append(head)
                _block(item, indent + 2, lines)
            else:
                lines.append(f"{head} {_flow(item)}")
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for item in value:
            if isinstance(item, AnyMapping) and len(item) == 1:
                ((key, inner),) = item.items()
                lines.append(f"{pad}- {quote(str(key))}: {_flow(inner)}")
            else:
                lines.append(f"{pad}- {_flow(item)}")
    else:
        lines.append(pad + _flow(value))
