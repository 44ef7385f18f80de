"""The commands that resolve a board: ``outcomes``, ``why``, ``orders`` and the like."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lastrites.commands.running import (
    ANSWERED,
    FAILED,
    INCOMPLETE,
    Answer,
    at_once,
    changes,
    clauses_json,
    in_order,
    load_boards,
    nothing_known,
    print_json,
    request_of,
    run_job,
    status_of,
    write_out,
)
from lastrites.errors import BoardError, Problem
from lastrites.options import readings_of
from lastrites.terminal import Progress, Style, page_width, refusal_text

if TYPE_CHECKING:
    from lastrites.jobs import Request


def _show_outcomes(request: Request, result: dict[str, Any], first: bool) -> None:
    from lastrites.book import clause_texts
    from lastrites.terminal import outcomes_text

    clauses = clause_texts(request.board.rules, result["edition"])
    text = outcomes_text(
        result, title=request.board.title, changed=changes(request), clauses=clauses, style=Style.of(sys.stdout)
    )
    sys.stdout.write(text if first else "\n" + text)
    sys.stdout.flush()


def run_outcomes(args: argparse.Namespace) -> int:
    """The command ``outcomes``."""
    requests = [request_of(board, args) for board, _ in load_boards(args.boards, args)]
    results: list[dict[str, Any]] = []

    def show(request: Request, result: dict[str, Any]) -> None:
        results.append(result)
        if not args.json:
            _show_outcomes(request, result, first=len(results) == 1)

    def close() -> None:
        if args.json:
            print_json(results[0] if len(requests) == 1 else results)

    for request, result in _answers(requests, args, show, close):
        show(request, result)
    close()
    if len(results) < len(requests):
        print(f"{len(requests) - len(results)} boards were not looked at", file=sys.stderr)
        return INCOMPLETE
    return status_of(results)


def _answers(
    requests: Sequence[Request],
    args: argparse.Namespace,
    show: Callable[[Request, dict[str, Any]], None],
    close: Callable[[], None],
) -> Iterator[tuple[Request, dict[str, Any]]]:
    """The answers to the requests, in their order, as long as nobody interrupts."""
    from lastrites import jobs

    if args.workers > 1 and len(requests) > 1:
        yield from _answers_at_once(requests, args)
        return
    for request in requests:
        answer = Answer(request, Progress(quiet=args.quiet))

        def give_up(request: Request = request, answer: Answer = answer) -> None:
            show(request, answer.final())
            close()

        run_job(jobs.outcomes, answer, give_up)
        yield request, answer.final()
        if answer.reason == "interrupted":
            return


def _answers_at_once(
    requests: Sequence[Request], args: argparse.Namespace
) -> Iterator[tuple[Request, dict[str, Any]]]:
    from lastrites import jobs

    for place, answer in in_order(at_once(jobs.outcomes, requests, args)):
        yield requests[place], answer.final()


def run_why(args: argparse.Namespace) -> int:
    """The command ``why``."""
    from lastrites import jobs
    from lastrites.book import clause_texts
    from lastrites.ruling_text import brief_text, ruling_text
    from lastrites.terminal import cited

    request = request_of(load_boards([args.board], args)[0][0], args, outcome=args.outcome)
    answer = Answer(request, Progress(quiet=args.quiet))

    def show() -> int:
        result = answer.final()
        rulings = result.pop("rulings", [])
        found = [ruling for ruling in rulings if args.outcome in (None, ruling["id"])]
        if not found and args.outcome is not None and result["complete"]:
            known = ", ".join(outcome["id"] for outcome in result["outcomes"]) or "none"
            message = f"there is no outcome {args.outcome}"
            raise BoardError([Problem("LR-E016", str(request.board.path), 0, 0, message, f"outcomes: {known}")])
        clauses = clause_texts(request.board.rules, result["edition"])
        if args.json:
            told = [
                {**ruling, "clauses": clauses_json(cited({"outcomes": [ruling]}), clauses)} for ruling in found
            ]
            whole = {**result, "schema": "lastrites.why/1", "clauses": clauses_json(cited(result), clauses)}
            print_json(told[0] if len(told) == 1 else told if told else whole)
        else:
            title, style, changed = request.board.title, Style.of(sys.stdout), changes(request)
            if len(found) == 1:
                text = ruling_text(found[0], title, clauses, style, changed=changed)
            else:
                text = brief_text(result, found, title, clauses, style, changed=changed)
            sys.stdout.write(text)
        return status_of([result])

    def give_up() -> None:
        show()

    run_job(jobs.why, answer, give_up)
    return show()


def run_why_not(args: argparse.Namespace) -> int:
    """The command ``why-not``."""
    from lastrites import jobs
    from lastrites.book import clause_texts
    from lastrites.whynot import compile_state
    from lastrites.whynot_text import named, whynot_text

    request = request_of(load_boards([args.board], args)[0][0], args)
    asked = jobs.WhyNotRequest(args.state, compile_state(args.state, request.board), args.tries, request)
    answer = Answer(request, Progress(quiet=args.quiet))

    def show() -> int:
        result = answer.result
        if result is None:
            return nothing_known(answer, args, "lastrites.why-not/1")
        if answer.reason and not result["complete"]:
            result["incomplete_reason"] = answer.reason
        clauses = clause_texts(request.board.rules, result["edition"])
        if args.json:
            print_json({**result, "clause_texts": clauses_json(named(result), clauses)})
        else:
            title, style = request.board.title, Style.of(sys.stdout)
            sys.stdout.write(whynot_text(result, title, changed=changes(request), clauses=clauses, style=style))
        return ANSWERED if result["complete"] else INCOMPLETE

    def give_up() -> None:
        show()

    run_job(jobs.why_not, answer, give_up, asked)
    return show()


def run_orders(args: argparse.Namespace) -> int:
    """The command ``orders``."""
    import json

    from lastrites import jobs
    from lastrites.terminal import headline, order_text

    ((board, _),) = load_boards([args.board], args)
    request = request_of(board, args, outcome=args.outcome, limit=args.limit)
    style, width = Style.of(sys.stdout), page_width()
    shown = 0

    def show(order: dict[str, Any]) -> None:
        nonlocal shown
        shown += 1
        if args.json:
            print(json.dumps(order, ensure_ascii=False), flush=True)
        else:
            print(order_text(shown, order, width=width, style=style), flush=True)

    answer = Answer(request, Progress(quiet=args.quiet), show)
    run_job(jobs.orders, answer, lambda: print(f"incomplete: {answer.excuse()}", file=sys.stderr))
    result = answer.final()
    if not args.quiet:
        for refusal in result["refused"]:
            print(f"the event is refused: {refusal_text(refusal)}", file=sys.stderr)
        if not result["refused"]:
            print(f"{shown:,} of: {headline(result)}", file=sys.stderr)
        if not result["complete"]:
            print(f"incomplete: {result.get('incomplete_reason')}", file=sys.stderr)
    return INCOMPLETE if answer.reason else status_of([result])


def run_facts(args: argparse.Namespace) -> int:
    """The command ``facts``."""
    from lastrites.factfile import facts_text

    ((board, _),) = load_boards([args.board], args)
    sys.stdout.write(facts_text(board))
    return ANSWERED


def run_program(args: argparse.Namespace) -> int:
    """The command ``program``."""
    from lastrites import jobs

    ((board, _),) = load_boards([args.board], args)
    answer = Answer(request_of(board, args), Progress(quiet=args.quiet))
    run_job(jobs.program, answer, lambda: print(f"incomplete: {answer.excuse()}", file=sys.stderr))
    if answer.result is None:
        print(f"incomplete: {answer.excuse()}", file=sys.stderr)
        return INCOMPLETE
    sys.stdout.write(str(answer.result))
    return ANSWERED


def run_play(args: argparse.Namespace) -> int:
    """The command ``play``."""
    from lastrites.play import Play
    from lastrites.play_text import play_text

    ((board, _),) = load_boards([args.board], args)
    play = Play(
        board, readings=readings_of(args), edition=args.edition, without=args.without, against=args.against
    )
    terminal = sys.stdin.isatty()

    def ask() -> str | None:
        if terminal:
            print("> ", end="", flush=True)
        line = sys.stdin.readline()
        return line or None

    def say(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    fine = play_text(play, ask, say, echo=not terminal, style=Style.of(sys.stdout))
    return ANSWERED if fine else FAILED


def run_report(args: argparse.Namespace) -> int:
    """The command ``report``."""
    from lastrites import jobs
    from lastrites.book import clause_texts
    from lastrites.report import report_html
    from lastrites.state import StateWriter

    ((board, _),) = load_boards([args.board], args)
    request = request_of(board, args)
    answer = Answer(request, Progress(quiet=args.quiet))

    def write() -> int:
        result = answer.final()
        rulings = result.pop("rulings", [])
        page = report_html(
            result, rulings, title=board.title, source=board.source, start=StateWriter(board).state(board.initial()),
            clauses=clause_texts(board.rules, result["edition"]), changed=changes(request),
        )  # fmt: skip
        write_out(page, args.output)
        return status_of([result])

    def give_up() -> None:
        write()

    run_job(jobs.report, answer, give_up)
    status = write()
    if not args.quiet:
        print(f"written: {args.output}", file=sys.stderr)
    return status
