"""Collecting mistakes while a board file is read, so that one run reports them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lastrites.errors import BoardError, Problem
from lastrites.names import nearest
from lastrites.shape import Key, Shape
from lastrites.words import WordError
from lastrites.yamlio import List, Mapping, Node, Scalar


class Notes:
    """The mistakes found in one file, and the reading of keyed mappings that finds most of them."""

    def __init__(self, shape: Shape, file: str) -> None:
        self.shape, self.file = shape, file
        self.problems: list[Problem] = []

    def note(self, code: str, node: Node, message: str, hint: str = "") -> None:
        """One more mistake, at the place of a node."""
        self.problems.append(Problem(code, self.file, node.line, node.column, message, hint))

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """What goes wrong inside is noted, and reading goes on after it."""
        try:
            yield
        except WordError as error:
            self.note(error.code, error.node, error.message, error.hint)

    def done(self) -> None:
        """Raise BoardError with everything noted so far, if anything was."""
        if self.problems:
            unique = dict.fromkeys(self.problems)
            raise BoardError(sorted(unique, key=lambda problem: (problem.line, problem.column, problem.code)))

    def entries(
        self, level: str, node: Node, *, required: Sequence[str] = (), at: Node | None = None, what: str = ""
    ) -> list[tuple[Key, Node]]:
        """The known keys of a mapping with their values, in the order of the shape; others are noted.

        ``required`` names forms whose keys must be there. An absent value counts as an empty mapping.
        """
        if isinstance(node, Scalar) and node.absent:
            node = Mapping((), node.line, node.column)
        if not isinstance(node, Mapping):
            keys = ", ".join(f"`{key.text}`" for key in self.shape.keys(level)[:6])
            self.note("LR-E014", node, f"a mapping is expected here{what}", f"keys such as {keys}")
            return []
        found: list[tuple[Key, Node]] = []
        for name, value in node.entries:
            key = self.shape.key(level, name.text)
            if key is None:
                self.unknown_key(level, name)
            else:
                found.append((key, value))
        texts = {key.text for key, _ in found}
        for key in self.shape.of_form(level, *required):
            if key.text not in texts:
                place = at or node
                self.note("LR-E013", place, f"`{key.text}` is missing", f"add `{key.text}: ...`")
        return sorted(found, key=lambda pair: pair[0].rank)

    def unknown_key(self, level: str, name: Scalar) -> None:
        """Note a key that the level does not have, with the nearest ones."""
        known = [key.text for key in self.shape.keys(level)]
        close = nearest(name.text, known)
        hint = f"did you mean `{close[0]}`?" if close else "known here: " + ", ".join(known)
        elsewhere = [other for other in ("board", "player", "card", "event") if self.shape.key(other, name.text)]
        if not close and elsewhere:
            hint = f"`{name.text}` belongs to {_LEVELS[elsewhere[0]]}; is it indented as meant? {hint}"
        self.note("LR-E012", name, f"unknown key `{name.text}`", hint)

    def scalar(self, node: Node, what: str) -> str | None:
        """The text of a scalar that must not be empty; None (noted) for anything else."""
        if isinstance(node, Scalar) and node.text.strip():
            return node.text
        self.note(
            "LR-E014",
            node,
            f"{what} is expected here",
            "" if isinstance(node, Scalar) else "write plain text",
        )
        return None

    def items(self, node: Node, what: str) -> tuple[Node, ...]:
        """The items of a list; nothing written is an empty list, anything else is noted."""
        if isinstance(node, List):
            return node.items
        if not (isinstance(node, Scalar) and node.absent):
            self.note("LR-E014", node, f"a list of {what} is expected here", _list_hint(node))
        return ()


_LEVELS = {
    "board": "the top of the file",
    "player": "a player",
    "card": "the state of a card",
    "event": "an event",
}


def _list_hint(node: Node) -> str:
    if isinstance(node, Scalar):
        return f"write [{node.text}], or - {node.text} on a line of its own"
    return "write - before each"
