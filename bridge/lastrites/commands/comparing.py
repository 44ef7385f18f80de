"""The command ``compare``."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import lastrites
from lastrites import stop
from lastrites.commands.running import (
    ANSWERED,
    FAILED,
    INCOMPLETE,
    Answer,
    changes,
    nothing_known,
    print_json,
    request_of,
    run_job,
)
from lastrites.errors import BoardError, Problem
from lastrites.options import readings_of
from lastrites.terminal import Progress, Style

if TYPE_CHECKING:
    from lastrites.comparison import Side


def run_compare(args: argparse.Namespace) -> int:
    """The command ``compare``."""
    from lastrites import jobs
    from lastrites.book import clause_texts
    from lastrites.comparison_text import comparison_text

    stop.at_work(f"{args.board} was read")
    sides, about = _compared(args)
    stop.at_work("")
    request = request_of(sides[0].board, args)
    asked = jobs.CompareRequest(tuple(sides), about, request)
    answer = Answer(request, Progress(quiet=args.quiet))

    def show() -> int:
        result = answer.result
        if result is None:
            return nothing_known(answer, args, "lastrites.compare/1", about=about, sides=[])
        if args.json:
            print_json(result)
        else:
            clauses, style = clause_texts(request.board.rules), Style.of(sys.stdout)
            sys.stdout.write(comparison_text(result, changed=changes(request), clauses=clauses, style=style))
        if not result["complete"]:
            return INCOMPLETE
        return FAILED if all(side["refused"] for side in result["sides"]) else ANSWERED

    def give_up() -> None:
        show()

    run_job(jobs.compare, answer, give_up, asked)
    return show()


def _compared(args: argparse.Namespace) -> tuple[list[Side], dict[str, Any]]:
    """The sides that the arguments ask for, and what they are about. Raises BoardError."""
    from lastrites import comparison

    wordings = args.cards if args.cards and len(args.cards) > 1 else []
    wanted = [bool(args.question), bool(args.editions), bool(wordings)]
    if wanted.count(True) != 1:
        message = "nothing to compare" if not any(wanted) else "several things to compare at once"
        hint = "name one of: a QUESTION, --editions A B, --cards OLD NEW"
        raise BoardError([Problem("LR-E016", "compare", 0, 0, message, hint)])
    readings = readings_of(args)
    if wordings:
        names = [path.name for path in wordings]
        if len(set(names)) < len(names):
            names = [str(path) for path in wordings]
        if len(set(names)) < len(names):
            raise BoardError([Problem("LR-E031", "--cards", 0, 0, f"{names[0]} is compared with itself")])
        boards = [
            (name, lastrites.load(args.board, rules=args.rules, cards=path))
            for name, path in zip(names, wordings, strict=True)
        ]
        return comparison.by_cards(boards, readings, args.edition), {"cards": [name for name, _ in boards]}
    from lastrites import jobs

    board = lastrites.load(args.board, rules=args.rules, cards=args.cards[0] if args.cards else None)
    jobs.expectations(board)  # mistakes in them are mistakes of the file
    if args.editions:
        if args.edition is not None or len(args.editions) < 2:
            message = "--edition is not needed beside --editions" if args.edition else "one edition is not enough"
            raise BoardError([Problem("LR-E031", "--editions", 0, 0, message, "write --editions A B")])
        return comparison.by_edition(board, args.editions, readings), {"editions": list(args.editions)}
    sides = comparison.by_answer(board, args.question, readings, args.edition)
    from lastrites.book import read_book

    text = next((q.about for q in read_book(board.rules).questions if q.name == args.question), "")
    return sides, {"question": args.question, "text": text}
