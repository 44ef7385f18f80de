"""What the commands have in common: boards are read, put to work, and what is said of them is gathered."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import lastrites
from lastrites import stop
from lastrites.errors import BoardError, Problem
from lastrites.options import readings_of
from lastrites.reductions import REDUCTIONS
from lastrites.terminal import Progress

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.book import ClauseText
    from lastrites.expect import Expectation
    from lastrites.jobs import Request
    from lastrites.worker import Task

ANSWERED, FAILED, BAD_INPUT, INCOMPLETE = 0, 1, 2, 3
"""The exit status."""

_UNSHOWN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal would obey instead of showing it, if a mistake quotes it."""


def load_boards(paths: Sequence[Path], args: argparse.Namespace) -> list[tuple[Board, tuple[Expectation, ...]]]:
    """All boards with what they expect. Raises BoardError with the mistakes of all of them."""
    from lastrites import jobs

    boards = []
    problems: list[Problem] = []
    for path in paths:
        stop.at_work(f"{path} was read")
        try:
            board = lastrites.load(path, rules=args.rules, cards=args.cards)
            boards.append((board, jobs.expectations(board)))
        except BoardError as error:
            problems += error.problems
    stop.at_work("")
    if problems:
        raise BoardError(problems)
    return boards


def request_of(board: Board, args: argparse.Namespace, **more: Any) -> Request:
    """What a job is asked about a board: its limits, readings and reductions as the options say."""
    from lastrites.jobs import Request

    return Request(
        board,
        readings_of(args),
        args.edition,
        tuple(args.without),
        tuple(args.against),
        args.pile_order,
        args.limit_states,
        args.timeout,
        args.max_memory,
        limit_outcomes=getattr(args, "limit_outcomes", None),
        reduction=() if "all" in args.no_reduction else tuple(r for r in REDUCTIONS if r not in args.no_reduction),
        **more,
    )


def print_json(value: Any) -> None:
    """Tell programs."""
    import json

    print(json.dumps(value, ensure_ascii=False, indent=2))


def complain(problems: Sequence[Problem]) -> None:
    """Tell mistakes on stderr, each with its place."""
    for problem in problems:
        print(_UNSHOWN.sub(lambda found: repr(found[0])[1:-1], str(problem)), file=sys.stderr)


class Answer:
    """What a job has said so far; the last word is a whole or a partial answer."""

    def __init__(
        self,
        request: Request,
        progress: Progress,
        show: Callable[[Any], None] | None = None,
        *,
        keeps_problems: bool = False,
    ) -> None:
        self.request = request
        self.progress = progress
        self.show = show
        self.keeps_problems = keeps_problems
        self.problems: Sequence[Problem] = ()
        self.result: dict[str, Any] | None = None
        self.reason = ""
        self.begun = False

    def __call__(self, kind: str, content: Any) -> None:
        """Receive one message of a job."""
        self.begun |= kind in ("progress", "result", "order")
        if kind == "progress":
            self.progress(content)
        elif kind == "result":
            self.result = content
        elif kind == "reason":
            self.reason = content
        elif kind == "problems":
            if not self.keeps_problems:
                raise BoardError(content)
            self.problems = content
        elif self.show is not None:
            self.progress.clear()
            self.show(content)

    def excuse(self) -> str:
        """Why the work ended before it was done, and what it was at where it had told nothing at all."""
        return self.reason if self.begun else f"{self.reason} while the rules were grounded"

    def final(self) -> dict[str, Any]:
        """The answer in its JSON form; one without outcomes if nothing was known when the work ended."""
        from lastrites import jobs

        result = self.result if self.result is not None else jobs.nothing_known(self.request)
        if self.reason and not result["complete"]:
            result["incomplete_reason"] = self.excuse()
        return result


def run_job(task: Task, answer: Answer, give_up: Callable[[], None], argument: Any = None) -> None:
    """Do a job within the limits of its request; `give_up` prints what is known.

    `argument` is what the task is given, if that is more than the request.
    """
    from lastrites import worker

    def end_it_all() -> None:
        answer.reason = "interrupted"
        answer.progress.clear()
        give_up()
        sys.stdout.flush()
        os._exit(INCOMPLETE)

    request = answer.request
    try:
        worker.run(
            task,
            request if argument is None else argument,
            answer,
            timeout=request.timeout,
            max_memory=request.max_memory,
            give_up=end_it_all,
        )
    except (worker.Stopped, worker.Crashed) as end:
        answer.reason = str(end)
    finally:
        answer.progress.clear()


def nothing_known(answer: Answer, args: argparse.Namespace, schema: str, **more: Any) -> int:
    """Say why a work ended of which nothing is known, to programs too. Gives the exit status."""
    if args.json:
        print_json({"schema": schema, **more, "complete": False, "incomplete_reason": answer.excuse()})
    print(f"incomplete: {answer.excuse()}; nothing is known yet", file=sys.stderr)
    return INCOMPLETE


def status_of(results: Sequence[dict[str, Any]]) -> int:
    """The exit status: a refused event fails, and so does a board on which the rules leave no outcome."""
    if any(not result["complete"] for result in results):
        return INCOMPLETE
    endings = ("stuck", "conflicts", "loops")
    ends_badly = (not result.get("outcomes", True) and any(map(result.get, endings)) for result in results)
    return FAILED if any(result["refused"] for result in results) or any(ends_badly) else ANSWERED


def at_once(
    task: Task, requests: Sequence[Request], args: argparse.Namespace, *, keeps_problems: bool = False
) -> Iterator[tuple[int, Answer]]:
    """Does a job on several boards at the same time and gives what came of each, as they end."""
    from lastrites import worker

    progress = Progress(quiet=args.quiet)
    running = worker.run_all(
        task, requests, workers=args.workers, timeout=args.timeout, max_memory=args.max_memory
    )
    for done, (place, messages, error) in enumerate(running, 1):
        progress(f"{done} of {len(requests)} boards")
        answer = Answer(requests[place], Progress(quiet=True), keeps_problems=keeps_problems)
        for kind, content in messages:
            answer(kind, content)
        if isinstance(error, (worker.Stopped, worker.Crashed)):
            answer.reason = str(error)
        elif error is not None:
            raise error
        progress.clear()
        yield place, answer


T = TypeVar("T")


def in_order(numbered: Iterable[tuple[int, T]]) -> Iterator[tuple[int, T]]:
    """What comes numbered from 0 in any order, in order; what follows a gap comes last."""
    kept: dict[int, T] = {}
    wanted = 0
    for place, value in numbered:
        kept[place] = value
        while wanted in kept:
            yield wanted, kept.pop(wanted)
            wanted += 1
    yield from sorted(kept.items(), key=lambda item: item[0])


def clauses_json(names: Iterable[str], clauses: Mapping[str, ClauseText]) -> dict[str, Any]:
    """The clauses named, with their sentences and sources, for programs."""
    return {name: clauses[name]._asdict() for name in names if name in clauses}


def changes(request: Request) -> list[str]:
    """What differs from the book, in words."""
    return [f"without {name}" for name in request.without] + [f"against {name}" for name in request.against]


def write_boards(folder: Path, boards: Sequence[tuple[str, str]]) -> None:
    """Write boards as files into a folder. Raises BoardError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in boards:
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise BoardError([Problem("LR-E001", str(folder), 0, 0, f"cannot be written: {reason}")]) from None


def write_out(text: str, file: Path | None) -> None:
    """Write a text into a file, or print it. Raises BoardError where the file cannot be written."""
    if file is None:
        sys.stdout.write(text)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise BoardError([Problem("LR-E001", str(file), 0, 0, f"cannot be written: {reason}")]) from None
