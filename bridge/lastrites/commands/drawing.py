"""The command ``graph``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from lastrites.commands.running import Answer, load_boards, print_json, request_of, run_job, status_of
from lastrites.errors import BoardError, Problem
from lastrites.terminal import Progress, Style, refusal_text


def run_graph(args: argparse.Namespace) -> int:
    """The command ``graph``."""
    from lastrites import drawings, jobs
    from lastrites.graphtext import graph_text

    target: Path | None = args.output
    if target is not None and target.suffix.lower() not in drawings.WRITERS:
        message = f"a graph cannot be written as `{target.suffix or target.name}`"
        raise BoardError([Problem("LR-E016", str(target), 0, 0, message, f"endings: {', '.join(drawings.WRITERS)}")])
    request = request_of(load_boards([args.board], args)[0][0], args)
    answer = Answer(request, Progress(quiet=args.quiet))

    def show() -> dict[str, Any]:
        data = answer.result if answer.result is not None else jobs.no_graph(request)
        if answer.reason and not data["complete"]:
            data["graph"]["incomplete_reason"] = answer.reason
        if args.json:
            print_json(data)
        elif data["refused"]:
            for refusal in data["refused"]:
                print(f"the event is refused: {refusal_text(refusal)}")
        elif target is None or not data["nodes"]:
            sys.stdout.write(graph_text(data, Style.of(sys.stdout)))
        if target is not None and data["nodes"]:
            _write_graph(target, data, args)
        return data

    def give_up() -> None:
        show()

    run_job(jobs.graph, answer, give_up)
    return status_of([show()])


def _write_graph(target: Path, data: dict[str, Any], args: argparse.Namespace) -> None:
    from lastrites import drawings

    try:
        text = drawings.WRITERS[target.suffix.lower()](data, args.possible)
        target.write_text(text, encoding="utf-8")
    except drawings.NoDot as error:
        hint = "install Graphviz, or write .html, .dot or .mmd, which need no other program"
        raise BoardError([Problem("LR-E038", str(target), 0, 0, str(error), hint)]) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise BoardError([Problem("LR-E001", str(target), 0, 0, f"cannot be written: {reason}")]) from None
    if not args.quiet:
        print(f"written to {target}", file=sys.stderr)
