"""The command ``separate``: arguments, progress, output."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastrites.errors import BoardError, Problem
from lastrites.names import fold, nearest
from lastrites.options import duration, option_groups, positive, readings_of, whole_number

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from lastrites.game import Game
    from lastrites.search.separate import Pool, Scope, Separation

ANSWERED, INCOMPLETE = 0, 3
INSTALL_DASK = "install the extra `cluster`: pip install 'lastrites[cluster]'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``separate`` is told."""
    parser.add_argument("question", nargs="?", metavar="QUESTION", help="a question, as `lastrites questions` names it")
    parser.add_argument("--editions", nargs=2, metavar=("A", "B"), help="two editions or profiles instead")
    parser.add_argument("--all", action="store_true", help="every question, and each edition and the one before it")
    group = parser.add_argument_group("what is searched")
    group.add_argument("--max-cards", type=positive, metavar="N",
                       help="boards with at most N cards (default: what the rules say for a pool)")  # fmt: skip
    group.add_argument("--numbers", type=whole_number, metavar="N",
                       help="damage, wards, Æmber and so on, at most N in all (default: likewise)")  # fmt: skip
    group.add_argument("--pool", action="append", default=[], metavar="CARDS",
                       help="names or ids of cards, separated by semicolons, instead of those of the rules; "
                            "may be repeated; `all` for the whole library")  # fmt: skip
    group.add_argument("--event", action="append", default=[], metavar="NAME",
                       help="only this event; may be repeated (a wrong name lists them)")  # fmt: skip
    group.add_argument("--limit", type=positive, metavar="N",
                       help="so many boards are enough (default: 3, with --all 1)")  # fmt: skip
    group.add_argument("--trace", action="store_true",
                       help="what players may choose makes a difference too")  # fmt: skip
    option_groups(parser, "readings", "no opposites")
    group = parser.add_argument_group("limits and work")
    group.add_argument("--timeout", type=duration, metavar="S", help="stop after S seconds with what was found")
    group.add_argument("--board-timeout", type=duration, default=60.0, metavar="S",
                       help="give a board up, and say so, where nothing is known of it after S seconds "
                            "(default: 60)")  # fmt: skip
    group.add_argument("--limit-states", type=positive, metavar="N",
                       help="leave boards with more states out, and say so (default: 2000, --all: 400)")  # fmt: skip
    group.add_argument("--workers", type=positive, default=1, metavar="N",
                       help="processes that look at boards (default: 1)")  # fmt: skip
    group.add_argument("--dask", metavar="ADDRESS", help="the scheduler of a dask cluster that looks at boards")
    group.add_argument("--journal", type=Path, metavar="FILE",
                       help="keep what is done here, and go on from it next time")  # fmt: skip
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", type=Path, metavar="DIR", help="write the boards into this folder")


def run(args: argparse.Namespace, progress: Callable[[str], None], clear: Callable[[], None]) -> tuple[int, str]:
    """Search, and give the exit status and what is to be printed. Raises BoardError."""
    from lastrites import worker
    from lastrites.search import told
    from lastrites.search.apart import examine_apart
    from lastrites.search.examine import fits
    from lastrites.search.separate import separate
    from lastrites.search.sweep import Journal, Sweep, version_of
    from lastrites.terminal import page_width

    target, game, scope = _asked(args)
    made: list[Separation] = []
    if args.output is not None:
        made_ready(args.output)
    journal = Journal(args.journal, version_of(game.rules, game.name), fits)
    deadline = None if args.timeout is None else time.monotonic() + args.timeout

    def search(emit: Callable[[str, Any], None], argument: Any) -> None:
        with _executor(args) as (executor, gone):
            own = args.dask is None
            alone = own and args.workers == 1
            # Nothing but the job itself can end it in time where it is done in this process.
            work = partial(examine_apart, seconds=args.board_timeout, deadline=deadline if alone else None)
            ahead = 1 if alone else 4 * args.workers
            sweep = Sweep(work, executor, journal, ahead, deadline, args.board_timeout, not own, gone)
            made.append(separate(game, target, scope, sweep, progress))

    def give_up() -> None:
        clear()
        print("interrupted", file=sys.stderr)
        os._exit(INCOMPLETE)

    try:
        worker.run(search, None, lambda kind, content: None, give_up=give_up)
    finally:
        journal.close()
        clear()
    result = told.to_json(made[0])
    if args.output is not None:
        for path in told.write(result, args.output):
            print(f"written: {path}", file=sys.stderr)
    status = ANSWERED if result["complete"] else INCOMPLETE
    if args.json:
        import json

        return status, json.dumps(result, ensure_ascii=False, indent=2) + "\n"
    return status, told.text(result, page_width())


def made_ready(folder: Path) -> None:
    """Make a folder before the long work whose boards it is for. Raises BoardError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"boards cannot be written here: {error.strerror or error}"
        raise BoardError([Problem("LR-E001", str(folder), 0, 0, message)]) from None


def _asked(args: argparse.Namespace) -> tuple[Any, Game, Scope]:
    from lastrites.game import load_game
    from lastrites.search.examine import Target
    from lastrites.search.separate import Scope

    game = load_game(args.game, args.rules, file="GAME")
    wanted = [bool(args.question), bool(args.editions), args.all]
    if wanted.count(True) != 1:
        message = "several things to tell apart at once" if any(wanted) else "nothing to tell apart"
        raise BoardError([Problem("LR-E016", "separate", 0, 0, message, "name a QUESTION, --editions A B, or --all")])
    readings = list(readings_of(args).items())
    target = Target(
        args.game, args.question or "", tuple(args.editions or ()), tuple(readings), args.edition or "",
        tuple(args.without), str(args.rules or ""),
    )  # fmt: skip
    target.check()
    limit = args.limit or (1 if args.all else 3)
    pools = _pools(game, args)
    states = args.limit_states or (400 if args.all else 2_000)
    return target, game, Scope(pools, states, limit, args.pile_order, args.trace, deeper=True)


def _pools(game: Game, args: argparse.Namespace) -> tuple[Pool, ...]:
    """The pools of the game, or one of the cards and events that the arguments name."""
    from lastrites.search.proposals import Pool, offer

    offered = offer(game)
    events = _events(args.event, tuple(offered.events))
    if args.pool or args.event:
        kinds = dict.fromkeys(kind for pool in offered.pools for kind in pool.kinds)
        chosen = [Pool("", _pool(game, args.pool, tuple(kinds)), events)]
    else:
        chosen = list(offered.pools)
    return tuple(
        replace(
            pool,
            cards=pool.cards if args.max_cards is None else args.max_cards,
            points=pool.points if args.numbers is None else args.numbers,
        )
        for pool in chosen
    )


def _pool(game: Game, texts: list[str], offered: tuple[str, ...]) -> tuple[str, ...]:
    if not texts:
        return offered
    from lastrites.search.proposals import offer

    found: list[str] = []
    problems = []
    invented = {text: id for id, card in offer(game).invented.items() for text in (id, fold(card.name))}
    for name in (name.strip() for text in texts for name in text.split(";")):
        if name == "all":
            found += sorted(game.cards.by_id)
        elif name:
            id = invented.get(fold(name)) or game.cards.find(name)
            if id is None:
                close = nearest(name, game.cards.names())
                hint = f"did you mean {' or '.join(close)}?" if close else "separate names by semicolons"
                problems.append(Problem("LR-E018", "--pool", 0, 0, f"unknown card `{name}`", hint))
            else:
                found.append(id)
    if not problems and not found:
        problems.append(Problem("LR-E016", "--pool", 0, 0, "no card is named", "name cards, or `all`"))
    if problems:
        raise BoardError(problems)
    return tuple(dict.fromkeys(found))


def _events(names: list[str], offered: tuple[str, ...]) -> tuple[str, ...]:
    wanted = [name.replace(" ", "_").replace("-", "_") for name in names]
    problems = [
        Problem("LR-E016", "--event", 0, 0, f"unknown event `{name}`", f"known here: {', '.join(offered)}")
        for name in wanted
        if name not in offered
    ]
    if problems:
        raise BoardError(problems)
    return tuple(wanted) or offered


@contextmanager
def _executor(args: argparse.Namespace) -> Iterator[tuple[Executor, Callable[[], str]]]:
    """The executor that the arguments ask for, and what says why it is gone; what still runs there is ended with it."""
    from lastrites.search.sweep import Processes, Serial

    if args.dask is not None:
        import importlib

        try:
            cluster: Any = importlib.import_module("distributed")
        except ImportError:
            raise BoardError([Problem("LR-E016", "--dask", 0, 0, "dask is not installed", INSTALL_DASK)]) from None
        try:
            client = cluster.Client(args.dask, timeout="10s")
        except (OSError, ValueError) as error:
            raise BoardError([Problem("LR-E016", "--dask", 0, 0, f"no scheduler at {args.dask}: {error}")]) from None
        try:
            yield client.get_executor(), lambda: "the cluster is gone" if client.status == "closed" else ""
        finally:
            client.close()
    elif args.workers == 1:
        yield Serial(), str
    else:
        pool = Processes(args.workers, _deaf)
        try:
            yield pool, str
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _deaf() -> None:
    """Ctrl-C is for the process that hands out the work; where that has been killed nothing more is to be done."""
    import signal

    from lastrites import worker

    worker.end_with_the_parent(os.getppid())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
