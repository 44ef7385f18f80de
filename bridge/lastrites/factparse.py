"""ASP facts as text, taken apart without evaluating anything.

Rules, variables, directives and scripts are refused before any solver could see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lastrites.errors import BoardError, Problem
from lastrites.terms import Term, Value
from lastrites.words import MAX_NUMBER

_TOKEN = re.compile(
    r"""(?P<space>\s+|%\*(?:.|\n)*?\*%|%(?!\*)[^\n]*)
      | (?P<name>_*[a-z][A-Za-z0-9_']*)
      | (?P<number>-?[0-9]+)
      | (?P<string>"(?:[^"\\\n]|\\["\\n])*")
      | (?P<mark>[(),]|\.(?!\.))""",
    re.VERBOSE,
)
_WRONG = (
    (re.compile(r":-|:~"), "a rule", "a board holds facts only"),
    (re.compile(r"#\w*"), "a directive", "a board holds facts only: no #script, #include, #show"),
    (re.compile(r"_*[A-Z]\w*|_"), "a variable", "a board holds facts only: names begin with a small letter"),
    (re.compile(r"[;|{}]|\.\."), "a pool, choice or interval", "write every fact out"),
    (re.compile(r"[-+*/\\^&~]"), "arithmetic", "write the number itself"),
    (
        re.compile(r'"'),
        "a string that does not end",
        'strings end with " on the same line; \\" stands for a quote',
    ),
)
_MAX_DEPTH = 20


class _WrongFactError(Exception):
    """The text is no list of facts; says where and why."""

    def __init__(self, place: int, message: str, hint: str = "") -> None:
        self.place, self.message, self.hint = place, message, hint
        super().__init__(message)


def parse_facts(text: str, file: str = "<text>") -> list[tuple[Term, int, int]]:
    """The facts of a text with line and column of each. Raises BoardError (LR-E029) at the first mistake."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        found = []
        line, start, upto = 1, 0, 0
        for term, place in _Parser(text).facts():
            newlines = text.count("\n", upto, place)
            if newlines:
                line, start = line + newlines, text.rindex("\n", upto, place) + 1
            upto = place
            found.append((term, line, place - start + 1))
        return found
    except _WrongFactError as error:
        line, column = _position(text, error.place)
        raise BoardError([Problem("LR-E029", file, line, column, error.message, error.hint)]) from None


def _position(text: str, place: int) -> tuple[int, int]:
    return text.count("\n", 0, place) + 1, place - (text.rfind("\n", 0, place) + 1) + 1


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.next = 0

    def _tokens(self) -> Iterator[tuple[str, str, int]]:
        place = 0
        while place < len(self.text):
            match = _TOKEN.match(self.text, place)
            if match is None:
                for pattern, what, hint in _WRONG:
                    if pattern.match(self.text, place):
                        raise _WrongFactError(place, f"{what} cannot stand in a board of facts", hint)
                raise _WrongFactError(place, f"`{self.text[place]}` cannot stand in a board of facts")
            if match.lastgroup != "space":
                yield str(match.lastgroup), match[0], place
            place = match.end()

    def peek(self) -> tuple[str, str, int]:
        return self.tokens[self.next] if self.next < len(self.tokens) else ("end", "the end", len(self.text))

    def take(self, *wanted: str) -> str:
        kind, token, place = self.peek()
        if token not in wanted or kind == "string":
            raise _WrongFactError(place, f"{' or '.join(wanted)} is expected here, not {token}")
        self.next += 1
        return token

    def facts(self) -> Iterator[tuple[Term, int]]:
        while self.next < len(self.tokens):
            kind, token, place = self.peek()
            if kind != "name" or token == "not":
                raise _WrongFactError(place, f"a fact begins with a name, not with {token}", "write name(arguments).")
            fact = self.term(0)
            if not isinstance(fact, Term):
                raise _WrongFactError(place, "a fact is expected here")
            self.take(".")
            yield fact, place

    def term(self, depth: int) -> Value:
        kind, token, place = self.peek()
        if depth > _MAX_DEPTH:
            raise _WrongFactError(place, "nested too deeply")
        if kind == "number":
            if len(token) > 9:
                raise _WrongFactError(place, f"{token} is out of range", f"numbers go from 0 to {MAX_NUMBER}")
            self.next += 1
            return int(token)
        if kind == "string":
            self.next += 1
            return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], token[1:-1])
        if kind == "name" and token != "not":
            self.next += 1
            return Term(token, self.arguments(depth)) if self.peek()[1:2] == ("(",) else Term(token)
        if token == "(":
            return Term("", self.arguments(depth))
        raise _WrongFactError(place, f"a term is expected here, not {token}")

    def arguments(self, depth: int) -> tuple[Value, ...]:
        self.take("(")
        found = [self.term(depth + 1)]
        while self.take(",", ")") == ",":
            found.append(self.term(depth + 1))
        return tuple(found)
