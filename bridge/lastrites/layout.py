"""Words in lines, columns and tables of a given width."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence


def fold(text: str, width: int, first: str, rest: str) -> list[str]:
    """A text in lines of this width, the first one begun with `first`, all others with `rest`."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    ) or [first.rstrip()]


def columns(rows: Sequence[tuple[str, str]], indent: str, width: int) -> list[str]:
    """Pairs of words as two columns."""
    pad = max((len(left) for left, _ in rows), default=0)
    lines = []
    for left, right in rows:
        head = f"{indent}{left.ljust(pad)}  "
        lines += fold(right, width, head, " " * len(head))
    return lines


def table(head: Sequence[str], rows: Sequence[Sequence[str]], indent: str, width: int) -> list[str]:
    """A table with a line of headings. Where it is too wide, each row becomes a block of lines."""
    sizes = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    if len(indent) + sum(sizes) + 2 * (len(sizes) - 1) <= width:
        return [
            (indent + "  ".join(cell.ljust(size) for cell, size in zip(row, sizes, strict=True))).rstrip()
            for row in (head, *rows)
        ]
    lines: list[str] = []
    for row in rows:
        lines += columns(list(zip(head, row, strict=True)), indent, width)
        lines.append("")
    return lines[:-1]
