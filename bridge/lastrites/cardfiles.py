"""Files of cards of one's own, each a mapping with ``cards:``: which files of a folder are some, and their text."""

from __future__ import annotations

from pathlib import Path

from lastrites.errors import BoardError, Problem
from lastrites.yamlio import Node, parse, read_text

ENDINGS = (".yaml", ".yml")
BEGINNING = "a file of cards begins with `cards:`"

_WRITTEN_OTHERWISE = (".lp", ".json")
"""Endings of files that might be meant to hold cards, too."""


def files_of_cards(path: Path) -> list[Path]:
    """The files of cards in a folder, not in those inside it, or the one file named. Raises BoardError for none."""
    ends = f"files of cards end in {' or '.join(ENDINGS)}"
    if not path.exists():
        raise BoardError([Problem("LR-E001", str(path), 0, 0, "there is no such file or folder of cards")])
    if not path.is_dir():
        if path.suffix.lower() == ".lp":
            hint = f"{ends}; cards as facts belong to the rules, see --rules"
            raise BoardError([Problem("LR-E001", str(path), 0, 0, "cards are not read from facts", hint)])
        return [path]
    found = [file for file in _files(path) if file.suffix.lower() in ENDINGS]
    if not found:
        raise BoardError([Problem("LR-E001", str(path), 0, 0, "no file of cards lies in this folder", ends)])
    return found


def passed_over(path: Path) -> list[str]:
    """What is to be said of files in a folder of cards that are not read, although they might hold some."""
    others = [file for file in _files(path) if file.suffix.lower() in _WRITTEN_OTHERWISE] if path.is_dir() else []
    return [f"{file} is not read: files of cards end in {' or '.join(ENDINGS)}" for file in others]


def read_cards(path: Path) -> Node:
    """What one file of cards holds. Raises BoardError."""
    return parse(read_text(path, "a file of cards"), str(path), ("the file is empty", BEGINNING))


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if not file.name.startswith(".") and not file.is_dir())
    except OSError as error:
        reason = error.strerror or str(error)
        raise BoardError([Problem("LR-E001", str(folder), 0, 0, f"cannot be read: {reason}")]) from None
