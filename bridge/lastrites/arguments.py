"""The parser of the command line: help as wide as the page, and what a misspelt word was probably meant to be."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from lastrites.layout import fold
from lastrites.names import nearest
from lastrites.terminal import page_width

_NARROW = 72
"""On narrower pages the explanations of options begin further to the left."""

_LABEL = re.compile(r" +(?:\d+  )?")
"""What an indented line begins with; where it is folded it goes on below its text, or further in without a number."""


class Help(argparse.HelpFormatter):
    """Help in the width of the page: lines of a paragraph are folded together, indented ones each by itself."""

    def __init__(self, prog: str) -> None:
        width = page_width()
        self._narrow = width < _NARROW
        super().__init__(prog, max_help_position=8 if self._narrow else 24, width=width)

    def add_argument(self, action: argparse.Action) -> None:
        """As everywhere, but room is kept for the names of commands, which are indented once more."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment

    def _format_usage(
        self, usage: str | None, actions: Iterable[argparse.Action], groups: Any, prefix: str | None
    ) -> str:
        """Where there is no room, options that may be left out are not listed twice."""
        actions = list(actions)
        needed = [action for action in actions if action.required or not action.option_strings]
        if not self._narrow or not any(action.option_strings for action in actions):
            return super()._format_usage(usage, actions, groups, prefix)
        text = super()._format_usage(usage, needed, [], prefix).replace(self._prog, f"{self._prog} [OPTION ...]", 1)
        return "\n".join(fold(" ".join(text.split()), self._width, "", "  ")) + "\n\n"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return fold(" ".join(text.split()), width, "", "")

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for line in re.sub(r"(?<=[^\n])\n(?=\S)", " ", text.strip("\n")).split("\n"):
            label = _LABEL.match(line)
            first = label[0] if label else ""
            rest = len(first) + 2 * (first.isspace())
            lines += fold(line[len(first) :], width, indent + first, indent + " " * rest)
        return "\n".join(lines)


class Parser(argparse.ArgumentParser):
    """A parser that says of a misspelt command, option or choice which one was probably meant."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": Help, **settings})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As everywhere, but what nothing takes is a mistake, told by the command that it was given to."""
        found, left = super().parse_known_args(args, namespace)
        options = [word.partition("=")[0] for word in left if word.startswith("-") and word.strip("-")]
        if options:
            known = [name.lstrip("-") for name in self._option_string_actions if name.startswith("--")]
            told = [f"there is no option {name}{_meant(name.lstrip('-'), known, '--')}" for name in options]
            self._misspelt(told, "its options")
        if left:
            self.error(f"too many arguments: {' '.join(left)}")
        return found, left

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        if action.option_strings:
            listed = f"\n    choose from {', '.join(known)}"
            raise argparse.ArgumentError(action, f"there is no choice {value!r}{_meant(value, known)}{listed}")
        self._misspelt([f"there is no command {value!r}{_meant(value, known)}"], "the commands")

    def _misspelt(self, messages: Sequence[str], listed: str) -> NoReturn:
        """End with what was meant, without the usage: that is long, and says nothing more about it."""
        told = "".join(f"{self.prog}: {message}\n" for message in messages)
        self.exit(2, f"{told}`{self.prog} --help` lists {listed}\n")


def _meant(word: str, known: Iterable[str], before: str = "") -> str:
    close = nearest(word, known, 1)
    return f"\n    did you mean {before}{close[0]}?" if close else ""
