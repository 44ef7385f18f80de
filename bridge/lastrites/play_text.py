"""Playing a board by hand at a terminal, or by lines that are piped in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from lastrites.errors import BoardError
from lastrites.layout import columns, fold
from lastrites.play import CONFLICT, FINAL, LOOP, REFUSED, STUCK, Place, Play
from lastrites.terminal import Style, counted, page_width, state_lines, steps_lines

HELP = (
    ("NUMBER", "take this option"),
    ("b", "back to the decision before"),
    ("l", "show the state reached"),
    ("s FILE", "save the state reached as a board file"),
    ("q", "end"),
)

ENDS = {
    FINAL: "Nothing is left to do.",
    STUCK: "Stuck: nothing is possible, though nothing is finished.",
    REFUSED: "The event is refused.",
    CONFLICT: "Two clauses say different things, and neither gives way.",
    LOOP: "These steps repeat for ever.",
}

_DIGITS, _SHOWN = 7, 200
"""Longer numbers are those of no option; so much of a line is shown again."""

Ask = Callable[[], "str | None"]
"""The next line of the user, None when there is none."""

Say = Callable[[str], None]
"""Prints a text as it is."""


def play_text(play: Play, ask: Ask, say: Say, *, echo: bool = False, style: Style | None = None) -> bool:
    """Let the user play until they end it. Gives whether no line was misunderstood and the game ended as it should, or
    was ended by the user. ``echo`` repeats what was read, for input that does not show by itself."""
    return _Table(play, ask, say, echo, style or Style()).run()


class _Table:
    def __init__(self, play: Play, ask: Ask, say: Say, echo: bool, style: Style) -> None:
        self.play, self.ask, self._say, self.echo, self.style = play, ask, say, echo, style
        self.width = page_width()
        self.understood = True

    def say(self, lines: Iterable[str]) -> None:
        self._say("".join(f"{line}\n" for line in lines))

    def run(self) -> bool:
        board = self.play.board
        title = fold(board.title or board.path, self.width, "", "")
        self.say([*(self.style.strong(line) for line in title), *_settings(self.play, self.width), ""])
        self.say(columns(state_lines(self.play.state()), "  ", self.width) if not self.play.here.since else [])
        self.show()
        while True:
            line = self.ask()
            if line is None:
                break
            words = line.strip()
            if self.echo and words:
                self.say([f"> {_printable(words)}"])
            if words in ("q", "quit"):
                break
            if words:
                self.obey(words)
        return self.understood and self.play.here.ended in ("", FINAL)

    def obey(self, words: str) -> None:
        command, _, rest = words.partition(" ")
        if command.isascii() and command.isdigit() and not rest:
            self.choose(int(command) if len(command) < _DIGITS else 0)
        elif words in ("b", "back"):
            if self.play.back() is None:
                self.complain("this is the first decision")
            else:
                self.show()
        elif words in ("l", "look"):
            self.say(columns(state_lines(self.play.state()), "  ", self.width))
        elif command in ("s", "save"):
            self.save(rest.strip())
        elif words in ("?", "h", "help"):
            self.say(columns(list(HELP), "  ", self.width))
        else:
            self.complain(f"`{_printable(words)}` is not understood; ? tells what can be said")

    def complain(self, text: str) -> None:
        self.understood = False
        self.say([self.style.bad(text)])

    def choose(self, number: int) -> None:
        options = len(self.play.here.options)
        if not 1 <= number <= options:
            self.complain(f"the options are numbered from 1 to {options}" if options else "there is nothing to choose")
            return
        self.play.choose(number - 1)
        self.show()

    def show(self) -> None:
        here = self.play.here
        steps = [step.to_json() for step in here.since]
        self.say(steps_lines(steps, "  ", self.width, self.style) if steps else [])
        self.say(self.ended(here) if here.ended else self.options(here))

    def ended(self, here: Place) -> list[str]:
        told = f" ({here.about})" if here.about else ""
        lines = ["", self.style.strong(f"{ENDS[here.ended]}{told} {counted(self.play.decisions, 'decision')}.")]
        return [*lines, *columns(state_lines(self.play.state()), "  ", self.width)]

    def options(self, here: Place) -> list[str]:
        question = f"The text leaves open: {here.about}" if here.about else f"{here.by} decides:"
        lines = ["", *(self.style.strong(line) for line in fold(question, self.width, "", "  "))]
        for number, option in enumerate(here.options, 1):
            head = f"  {number}. "
            lines += fold(option, self.width, head, " " * len(head))
        for text in here.barred:
            lines += [self.style.warn(line) for line in fold(f"barred: {text}", self.width, "  - ", "    ")]
        return lines

    def save(self, name: str) -> None:
        if not name:
            self.complain("s FILE: the name of the file is missing")
            return
        try:
            given = self.play.given_back()
            Path(name).write_text(given.commented(), encoding="utf-8")
        except (OSError, ValueError) as error:  # ValueError: a name that holds the character NUL
            self.complain(f"{_printable(name)} cannot be written: {getattr(error, 'strerror', '') or error}")
            return
        except BoardError as error:
            self.complain("\n".join(map(str, ["this state cannot be written as a board:", *error.problems])))
            return
        self.say([f"saved as {name}"])
        if given.left_out:
            self.say(["  (not part of it, because no board can say it:"])
            for what in given.left_out:
                self.say(fold(what, self.width, "   - ", "     "))
            self.say(["  )"])


def _printable(words: str) -> str:
    """What somebody typed, as far as it can be shown in a line."""
    return "".join(letter if letter.isprintable() else "?" for letter in words[:_SHOWN])


def _settings(play: Play, width: int) -> list[str]:
    reading = play.reading
    told = [play.board.game, f"edition {reading.edition}", *(f"{q}: {a}" for q, a in reading.explicit.items())]
    told += [f"without {clause}" for clause in reading.without] + [f"against {clause}" for clause in reading.against]
    return fold(", ".join(told), width, "", "  ")
