"""Rules as text: statements, the predicates they define and use, clause blocks, docstrings.

Reads just enough of the syntax of clingo to check the style of the rules and to show the rules of a clause.
It does not evaluate anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

Signature = tuple[str, int]
"""Name and number of arguments of a predicate."""

_SKIPPED = re.compile(
    r"""(?P<docstring>%\*.*?(?:\*%|\Z))   # a comment over several lines
      | (?P<comment>%[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")""",
    re.DOTALL | re.VERBOSE,
)
_ATOM = re.compile(r"^-?(?P<name>_*[a-z]\w*'*)\s*(?P<arguments>\(.*\))?$", re.DOTALL)
_AGGREGATE = re.compile(r"#(?:sum\+?|count|min|max)?\s*\{|\{")
_COMPARISON = re.compile(r"[=<>]|!=")
_HEADER = re.compile(r"^% @(?P<kind>\w+)\((?P<id>[^)\s]+)\)\s*(?P<text>.*)$")
_MORE = re.compile(r"^%\s{2,}(?P<text>\S.*)$")
_DOCSTRING = re.compile(r"%\*!\s*(?P<name>_*[a-z]\w*)\s*(?:\((?P<arguments>[^)]*)\))?")
_IN_FORCE = re.compile(r'(?<!not )in_force\("([^"]+)"\)')


class Statement(NamedTuple):
    """A rule, fact or directive: its first line, its text with strings, and the same with strings emptied."""

    line: int
    text: str
    bare: str

    @property
    def needed(self) -> list[str]:
        """The clauses that must be in force for the rule to hold."""
        return _IN_FORCE.findall(self.text)


class Block(NamedTuple):
    """A headed block of rules, ``% @clause(kf.destroyed.retag) A sentence.``, up to the next header."""

    kind: str
    id: str
    text: str
    file: Path
    line: int
    statements: tuple[Statement, ...]


def _blank(text: str) -> tuple[str, str]:
    """The text without comments, and without comments and strings; both as long as the text was."""

    def spaces(piece: str) -> str:
        return re.sub(r"[^\n]", " ", piece)

    def without_comments(match: re.Match[str]) -> str:
        return match[0] if match["string"] else spaces(match[0])

    def bare(match: re.Match[str]) -> str:
        return '"' + "_" * (len(match[0]) - 2) + '"' if match["string"] else spaces(match[0])

    return _SKIPPED.sub(without_comments, text), _SKIPPED.sub(bare, text)


def statements(text: str) -> list[Statement]:
    """The statements of a program, comments left out."""
    kept, bare = _blank(text)
    found = []
    start = 0
    for match in re.finditer(r"(?<!\.)\.(?!\.)", bare):
        end = match.end()
        piece = bare[start:end]
        lead = len(piece) - len(piece.lstrip())
        if piece.strip():
            line = text.count("\n", 0, start + lead) + 1
            found.append(Statement(line, kept[start + lead : end], piece[lead:]))
        start = end
    return found


def _split(text: str, separators: str) -> list[str]:
    """Parts between separators that stand outside all brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif depth == 0 and letter in separators:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return parts


def _signature(text: str) -> Signature | None:
    match = _ATOM.match(text.strip())
    if match is None or match["name"] == "not":
        return None
    arguments = match["arguments"]
    if arguments is None:
        return match["name"], 0
    first = _split(arguments[1:-1], ";")[0]
    return match["name"], len(_split(first, ",")) if first.strip() else 0


def _literals(text: str) -> Iterator[Signature]:
    """Predicates of a list of literals, with conditions and aggregates."""
    for piece in _split(text, ",;:"):
        literal = piece.strip()
        while literal.startswith(("not ", "not(")):
            literal = literal[3:].strip()
        opening = _AGGREGATE.search(literal)
        if opening is not None:
            closing = literal.rindex("}")
            numeric = opening[0].startswith("#")
            for element in _split(literal[opening.end() : closing], ";"):
                head, *condition = _split(element, ":")
                if not numeric:
                    yield from _literals(head)
                for part in condition:
                    yield from _literals(part)
            continue
        if _COMPARISON.search(re.sub(r"\(.*\)", "", literal, flags=re.DOTALL)):
            continue
        signature = _signature(literal)
        if signature is not None:
            yield signature


def _head_and_condition(head: str) -> tuple[list[Signature], list[Signature]]:
    """What a head defines, and what the conditions inside it use."""
    defined, used = [], []
    opening = _AGGREGATE.search(head)
    inside = head[opening.end() : head.rindex("}")] if opening is not None else head
    for element in _split(inside, ";" if opening is not None else ";|"):
        first, *condition = _split(element, ":")
        defined += list(_literals(first))
        for part in condition:
            used += list(_literals(part))
    return defined, used


def predicates(statement: Statement) -> tuple[list[Signature], list[Signature]]:
    """Predicates that a statement defines, and those it uses."""
    bare = statement.bare.rstrip().removesuffix(".")
    if bare.startswith("#external"):
        head, _, body = bare.removeprefix("#external").partition(":")
        return list(_literals(head)), list(_literals(body.partition("[")[0]))
    if bare.startswith("#show"):
        shown, _, body = bare.removeprefix("#show").partition(":")
        name, slash, arity = shown.strip().partition("/")
        if slash:
            return [], [(name, int(arity))]
        return [], list(_literals(body))
    if bare.startswith("#") and not bare.startswith("#false"):
        return [], []
    head, _, body = bare.partition(":-")
    defined, used = _head_and_condition(head) if head.strip() not in ("", "#false") else ([], [])
    return defined, used + list(_literals(body))


def documented(text: str) -> set[Signature]:
    """Predicates that have a docstring ``%*! name(Arguments)``."""
    return {
        (match["name"], len(match["arguments"].split(",")) if (match["arguments"] or "").strip() else 0)
        for match in _DOCSTRING.finditer(text)
    }


def declared(text: str) -> set[Signature]:
    """Predicates that ``#defined`` declares to come from elsewhere."""
    _, bare = _blank(text)
    return {(name, int(arity)) for name, arity in re.findall(r"#defined\s+(\w+)/(\d+)\s*\.", bare)}


def blocks(path: Path, text: str) -> list[Block]:
    """The headed blocks of a file. A header goes on in comment lines that are indented further."""
    lines = text.split("\n")
    all_statements = statements(text)
    heads: list[tuple[int, re.Match[str], str]] = []
    for place, line in enumerate(lines):
        match = _HEADER.match(line)
        if match is None:
            continue
        words = [match["text"].strip()]
        for after in lines[place + 1 :]:
            more = _MORE.match(after)
            if more is None:
                break
            words.append(more["text"].strip())
        heads.append((place + 1, match, " ".join(filter(None, words))))
    found = []
    for index, (line_number, match, sentence) in enumerate(heads):
        end = heads[index + 1][0] if index + 1 < len(heads) else len(lines) + 1
        inside = tuple(s for s in all_statements if line_number < s.line < end)
        found.append(Block(match["kind"], match["id"], sentence, path, line_number, inside))
    return found


_FACT = re.compile(r'^(?P<name>\w+)\((?P<arguments>.*)\)\.$', re.DOTALL)


def fact(statement: Statement, name: str) -> list[str] | None:
    """Arguments of the fact `name`(...), strings unquoted; ``None`` for any other statement."""
    match = _FACT.match(statement.text.strip())
    if match is None or match["name"] != name or ":-" in statement.bare:
        return None
    bare = _FACT.match(statement.bare.strip())
    assert bare is not None  # it differs from the text in strings only
    arguments, start = [], 0
    for piece in _split(bare["arguments"], ","):
        arguments.append(unquoted(match["arguments"][start : start + len(piece)].strip()))
        start += len(piece) + 1
    return arguments


def unquoted(text: str) -> str:
    """A string without its quotes and escapes; any other term as it is."""
    if len(text) < 2 or text[0] != '"':
        return text
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text[1:-1])
