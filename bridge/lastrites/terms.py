"""Terms of Answer Set Programming as plain Python values.

Everything that travels between a board file, the rules and the answers is a :class:`Term`, an ASP string
(a Python ``str``) or a number (a Python ``int``). No solver is needed to make, compare or print one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias, Union

Value: TypeAlias = Union["Term", str, int]


class Term(NamedTuple):
    """A function term ``name(args)``; a constant has no arguments, a tuple has the name ``""``."""

    name: str
    args: tuple[Value, ...] = ()

    def __str__(self) -> str:
        inner = ",".join(text(arg) for arg in self.args)
        if self.name and not self.args:
            return self.name
        if not self.name and len(self.args) == 1:
            inner += ","
        return f"{self.name}({inner})"


def fn(name: str, *args: Value) -> Term:
    """Build ``name(args...)``."""
    return Term(name, args)


def text(value: Value) -> str:
    """ASP syntax of a value: strings quoted and escaped, numbers as digits."""
    if isinstance(value, Term):
        return str(value)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    return str(int(value))


def order(value: Value) -> tuple[object, ...]:
    """Sort key for mixed values: numbers, then strings, then terms by name, arity and arguments."""
    if isinstance(value, Term):
        return (2, value.name, len(value.args), tuple(order(arg) for arg in value.args))
    if isinstance(value, str):
        return (1, value)
    return (0, value)


def strings(value: Value) -> Iterator[str]:
    """All strings in a term."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Term):
        for argument in value.args:
            yield from strings(argument)
