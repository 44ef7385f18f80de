"""The commands that judge boards and rules: ``verify``, ``check``, ``separate``."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lastrites.commands.running import (
    ANSWERED,
    BAD_INPUT,
    FAILED,
    INCOMPLETE,
    Answer,
    at_once,
    in_order,
    load_boards,
    print_json,
    request_of,
    run_job,
    write_boards,
)
from lastrites.errors import BoardError, Problem
from lastrites.terminal import Progress, Style

if TYPE_CHECKING:
    from lastrites.game import Game
    from lastrites.jobs import Request
    from lastrites.verify import Verdict


def run_check(args: argparse.Namespace) -> int:
    """The command ``check``."""
    from lastrites import check, check_text
    from lastrites.book import clause_texts
    from lastrites.findings import at_least
    from lastrites.game import load_game
    from lastrites.survey import Setting

    game = load_game(args.game, args.rules, file="GAME")
    parts = tuple(args.only) or check.PARTS
    paths = args.scope or [folder for folder in [check.fixtures_of(game)] if folder is not None]
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise BoardError(Problem("LR-E001", str(path), 0, 0, "there is no such board or folder") for path in missing)
    editions = _editions(game, args.edition) if set(parts) != {"static"} else []
    _known_clauses(game, args.without)
    progress = Progress(quiet=args.quiet)
    work = check.Check(
        game,
        check.Scope(tuple(paths), args.generated, args.seed, parts),
        editions=editions,
        setting=Setting(without=tuple(args.without), rules=args.rules, cards=args.cards, pile_order=args.pile_order),
        workers=args.workers,
        seconds=args.timeout,
        progress=progress,
    )
    result = work.run()
    progress.clear()
    clauses = functools.cache(functools.partial(clause_texts, game))
    if args.json:
        print_json(check_text.check_json(result, clauses))
    else:
        sys.stdout.write(check_text.check_text(result, clauses, style=Style.of(sys.stdout)))
    if args.output is not None:
        write_boards(args.output, check_text.board_files(result))
    if not result.complete:
        return INCOMPLETE
    grave = args.fail_on != "never" and any(at_least(each.severity, args.fail_on) for each in result.findings)
    return FAILED if grave else ANSWERED


def _editions(game: Game, wanted: Sequence[str]) -> list[str | None]:
    """The editions that are asked for, the newest if none are; None where a game has none.

    Raises BoardError for an unknown one."""
    from lastrites.editions import questions_of
    from lastrites.names import nearest
    from lastrites.solver import RulesError

    try:
        known = questions_of(game.rules / game.name)
    except RulesError:
        return [None]  # what is wrong with the questions is a finding
    if "all" in wanted:
        return list(known.editions[::-1]) or [None]  # clauses are switched off under the first
    problems = []
    for name in wanted:
        if name not in (*known.editions, *known.profiles):
            close = nearest(name, (*known.editions, *known.profiles))
            hint = f"known here: all, {', '.join((*known.editions, *known.profiles))}"
            hint = f"did you mean {' or '.join(close)}? {hint}" if close else hint
            problems.append(Problem("LR-E031", "--edition", 0, 0, f"unknown edition `{name}`", hint))
    if problems:
        raise BoardError(problems)
    return list(dict.fromkeys(wanted)) or [known.editions[-1] if known.editions else None]


def _known_clauses(game: Game, names: Sequence[str]) -> None:
    """Raise BoardError for clauses that the game does not have."""
    from lastrites.book import clause_texts
    from lastrites.editions import LISTED_BY_CLAUSES, unknown

    known = clause_texts(game) if names else {}
    problems = [
        unknown("--without", "clause", name, known, known=LISTED_BY_CLAUSES) for name in names if name not in known
    ]
    if problems:
        raise BoardError(problems)


SUFFIXES = (".yaml", ".yml")


def _board_files(paths: Sequence[Path]) -> list[Path]:
    """The files named, and all boards in the folders named. Raises BoardError when there are none."""
    found: list[Path] = []
    problems = []
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
            if not inside:
                problems.append(Problem("LR-E001", str(path), 0, 0, "no board file lies in this folder"))
            found += inside
        else:
            found.append(path)
    if problems:
        raise BoardError(problems)
    return list(dict.fromkeys(found))


def run_verify(args: argparse.Namespace) -> int:
    """The command ``verify``."""
    from lastrites.terminal import verdict_lines
    from lastrites.verify import FAILED as FAILED_VERDICT
    from lastrites.verify import INCOMPLETE as INCOMPLETE_VERDICT
    from lastrites.verify import NOTHING, OK, REFUSED

    loaded = load_boards(_board_files(args.paths), args)
    requests = [request_of(board, args, expectations=expected) for board, expected in loaded]
    style = Style.of(sys.stdout)
    verdicts: list[Verdict] = []

    def show(request: Request, verdict: Verdict) -> None:
        verdicts.append(verdict)
        if not args.json and not (args.quiet and verdict.status in (OK, NOTHING)):
            print("\n".join(verdict_lines(request.board.path, verdict, style)), flush=True)

    def close() -> None:
        if args.json:
            print_json(
                [
                    {"board": request.board.path, "status": verdict.status, "summary": verdict.summary,
                     "failures": verdict.failures, "notes": verdict.notes}
                    for request, verdict in zip(requests, verdicts, strict=False)
                ]
            )  # fmt: skip
        else:
            statuses = [verdict.status for verdict in verdicts]
            told = ", ".join(f"{statuses.count(status)} {status}" for status in dict.fromkeys(statuses))
            print(f"{len(verdicts)} board{'s' * (len(verdicts) != 1)}: {told or 'none looked at'}")

    for place, verdict in _verdicts(requests, args, show, close):
        show(requests[place], verdict)
    close()
    statuses = {verdict.status for verdict in verdicts}
    if REFUSED in statuses:
        return BAD_INPUT
    if FAILED_VERDICT in statuses:
        return FAILED
    if INCOMPLETE_VERDICT in statuses or len(verdicts) < len(requests):
        return INCOMPLETE
    return ANSWERED


def _verdicts(
    requests: Sequence[Request],
    args: argparse.Namespace,
    show: Callable[[Request, Verdict], None],
    close: Callable[[], None],
) -> Iterator[tuple[int, Verdict]]:
    from lastrites import jobs
    from lastrites.verify import INCOMPLETE as INCOMPLETE_VERDICT
    from lastrites.verify import REFUSED, Verdict

    def verdict_of(answer: Answer) -> Verdict:
        if answer.problems:
            told = [line for problem in answer.problems for line in str(problem).splitlines()]
            return Verdict(REFUSED, failures=told)
        if answer.result is not None:
            return Verdict(**answer.result)
        return Verdict(INCOMPLETE_VERDICT, notes=[f"{answer.excuse()}; nothing is known yet"])

    if args.workers > 1 and len(requests) > 1:
        for place, answer in in_order(at_once(jobs.verify, requests, args, keeps_problems=True)):
            yield place, verdict_of(answer)
        return
    for place, request in enumerate(requests):
        answer = Answer(request, Progress(quiet=args.quiet), keeps_problems=True)

        def give_up(request: Request = request, answer: Answer = answer) -> None:
            show(request, verdict_of(answer))
            close()

        run_job(jobs.verify, answer, give_up)
        yield place, verdict_of(answer)
        if answer.reason == "interrupted":
            return


def run_separate(args: argparse.Namespace) -> int:
    """The command ``separate``."""
    from lastrites.search.command import run

    progress = Progress(quiet=args.quiet)
    status, text = run(args, progress, progress.clear)
    sys.stdout.write(text)
    return status
