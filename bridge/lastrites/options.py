"""What options of commands mean, and those that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from lastrites.errors import BoardError, Problem
from lastrites.reductions import REDUCTIONS

LISTED_OUTCOMES = 1_000
"""So many outcomes are listed by default where they could be told as factors."""


def an_answer(text: str) -> tuple[str, str]:
    """QUESTION=ANSWER."""
    question, equals, answer = text.partition("=")
    if not equals or not question.strip() or not answer.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not QUESTION=ANSWER, for example cascade=nested")
    return question.strip(), answer.strip()


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isascii() or not text.isdigit() or not text.strip("0"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return _of_digits(text, 18)


def whole_number(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return _of_digits(text, 9)


def _of_digits(text: str, most: int) -> int:
    if len(text) > most:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is too large: at most {most} digits")
    return int(text)


def duration(text: str) -> float:
    """Seconds, above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def a_folder(text: str) -> Path:
    """A folder that exists."""
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return path


def card_files(text: str) -> Path:
    """A file or folder of cards that exists."""
    path = Path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError(f"{text} is no file or folder of cards")
    return path


def option_groups(parser: argparse.ArgumentParser, *names: str) -> None:
    """Give a command the options of these groups; `cards` and `no piles` say more of a group."""
    if "sources" in names:
        group = parser.add_argument_group("where rules and cards come from")
        group.add_argument("--rules", type=a_folder, metavar="DIR",
                           help="rules instead of those installed: core/ and a folder for each game")  # fmt: skip
        if "cards" in names:
            group.add_argument("--cards", type=card_files, metavar="DIR",
                               help="a folder with .yaml files of cards of one's own, or one such file")  # fmt: skip
    if "readings" in names:
        group = parser.add_argument_group("how the rules are read")
        group.add_argument("--reading", type=an_answer, action="append", default=[], metavar="Q=A",
                           help="answer the question Q by A, before board and edition; may be repeated")  # fmt: skip
        group.add_argument("--edition", metavar="NAME", help="an edition of the rules, or the profile of an engine")
        group.add_argument("--without", action="append", default=[], metavar="CLAUSE",
                           help="as if this clause were not in the book; may be repeated")  # fmt: skip
        if "no opposites" not in names:
            group.add_argument("--against", action="append", default=[], metavar="CLAUSE",
                               help="as if the opposite of this clause, a consequence, were in the book")  # fmt: skip
        if "no piles" not in names:
            group.add_argument("--pile-order", action="store_true",
                               help="tell outcomes apart that differ only in the order of cards in a pile")  # fmt: skip
    if "limits" in names:
        group = parser.add_argument_group("limits")
        group.add_argument("--limit-states", type=positive, metavar="N", help="stop after N states")
        group.add_argument("--timeout", type=duration, metavar="S", help="stop after S seconds, whatever is going on")
        group.add_argument("--max-memory", type=positive, metavar="M", help="stop when M MiB of memory are in use")
        group.add_argument("--no-reduction", action="append", default=[], metavar="NAME", choices=["all", *REDUCTIONS],
                           help="explore without a reduction (--no-reduction=symmetry, =lookup, =independence, "
                           "=factors), or without any where none is named; the answer is the same")  # fmt: skip
        if "outcomes" in names:
            group.add_argument("--limit-outcomes", type=positive, default=LISTED_OUTCOMES, metavar="N",
                               help="tell more than N outcomes of groups that do not affect each other as factors: the "
                               f"ends of each group (default: {LISTED_OUTCOMES})")  # fmt: skip
    if "workers" in names:
        group.add_argument("--workers", type=positive, default=1, metavar="N",
                           help="work on N boards at the same time (default: 1)")  # fmt: skip
    if "output" in names:
        group = parser.add_argument_group("output")
        group.add_argument("--json", action="store_true", help="for programs: JSON on stdout")
    if "quiet" in names:
        group.add_argument("-q", "--quiet", action="store_true", help="no progress and no remarks on stderr")


def readings_of(args: argparse.Namespace) -> dict[str, str]:
    """The answers of the command line. Raises BoardError where it gives two to one question."""
    readings: dict[str, str] = {}
    for question, answer in args.reading:
        if readings.setdefault(question, answer) != answer:
            raise BoardError([Problem("LR-E031", "--reading", 0, 0, f"two answers to {question} are given")])
    return readings
