"""The command ``lastrites``: reads the arguments, runs the jobs, prints what comes of them."""

from __future__ import annotations

import argparse
import functools
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import lastrites
from lastrites import stop
from lastrites.arguments import Parser
from lastrites.errors import BoardError, Problem
from lastrites.options import card_files, duration, option_groups, positive, readings_of, whole_number
from lastrites.reductions import REDUCTIONS
from lastrites.terminal import Progress, Style, page_width, refusal_text

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.book import ClauseText
    from lastrites.comparison import Side
    from lastrites.expect import Expectation
    from lastrites.game import Game
    from lastrites.jobs import Request
    from lastrites.verify import Verdict
    from lastrites.worker import Task

ANSWERED, FAILED, BAD_INPUT, INCOMPLETE = 0, 1, 2, 3

_UNSHOWN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal would obey instead of showing it, if a mistake quotes it."""

DESCRIPTION = """\
What happens when everything dies at once: every legal outcome of a card game board, in how many orders it
can be reached, who decides, and the clauses of the rulebook behind each step.
"""

EPILOG = """\
exit status:
  0  answered
  1  a check or an expectation fails, the event is refused, or the rules leave no outcome
  2  bad input: one message for each mistake, nothing is run
  3  incomplete: a limit, a timeout or an interrupt; what is known by then is printed

`lastrites COMMAND --help` explains a command and shows examples.
"""

A_BOARD = "a board file: YAML, or ASP facts where its name ends in .lp"
A_GAME = "the name of a game, for example keyforge"


# ---------------------------------------------------------------- arguments

def build_parser() -> argparse.ArgumentParser:
    """The parser with all commands."""
    parser = Parser(prog="lastrites", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action="version", version=f"lastrites {lastrites.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(
        name: str, run: Callable[[argparse.Namespace], int], short: str, long: str, examples: Sequence[str]
    ) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name,
            help=short,
            description=long,
            epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
        )
        made.set_defaults(run=run)
        return made

    outcomes = command(
        "outcomes", run_outcomes, "every distinct outcome, with exact numbers of orders",
        "Every distinct outcome of the board, the exact number of legal orders that end in it, who decides between\n"
        "them, and one order that leads to it, each step with the clauses it rests on. Where the rules are silent:\n"
        "the outcomes under each reading, and the questions that matter on this board.",
        ["lastrites outcomes board.yaml",
         "lastrites outcomes board.yaml --reading cascade=pooled",
         "lastrites outcomes --json --timeout 60 board.yaml > answer.json"],
    )  # fmt: skip
    outcomes.add_argument("boards", nargs="+", metavar="BOARD", type=Path, help=A_BOARD)
    option_groups(outcomes, "sources", "cards", "readings", "limits", "outcomes", "workers", "output", "quiet")

    orders = command(
        "orders", run_orders, "the legal orders themselves, one after another",
        "Lists the legal orders as they are found: who decides what at each step, the clauses, what changes.\n"
        "With --json each order is one line of JSON.",
        ["lastrites orders board.yaml",
         "lastrites orders board.yaml --outcome B --limit 5",
         "lastrites orders board.yaml --json | head -1"],
    )  # fmt: skip
    orders.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    orders.add_argument("--outcome", metavar="ID", help="only orders that end in this outcome")
    orders.add_argument("--limit", type=positive, metavar="N", help="at most N orders")
    option_groups(orders, "sources", "cards", "readings", "limits", "outcomes", "output", "quiet")

    why = command(
        "why", run_why, "the ruling on an outcome, and an order that leads there, with every clause",
        "Rules on an outcome as a judge would: what comes out, who could decide it, under which reading it holds and\n"
        "who reads it so, the best source first. Then one order step by step: who decides, what changes, each clause\n"
        "with its sentence and its source, and what would have been possible but for a clause. Without --outcome the\n"
        "ruling on every outcome, with an order only if there is no other.",
        ["lastrites why board.yaml",
         "lastrites why board.yaml --outcome B"],
    )  # fmt: skip
    why.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    why.add_argument("--outcome", metavar="ID", help="the outcome, as `lastrites outcomes` names it")
    option_groups(why, "sources", "cards", "readings", "limits", "outcomes", "output", "quiet")

    graph = command(
        "graph", run_graph, "which abilities can affect one another, and how",
        "The trigger graph: the abilities on the board and those that may arrive; which may trigger, remove or\n"
        "prevent another or change its condition or target; for each pair whether their order ever matters, with an\n"
        "example; groups that cannot affect one another; possible endless loops. With -o a picture, or a file for\n"
        "programs.",
        ["lastrites graph board.yaml",
         "lastrites graph board.yaml -o graph.svg     (needs `dot` of Graphviz)",
         "lastrites graph board.yaml -o graph.html    (or .dot, .mmd, .graphml, .json)"],
    )  # fmt: skip
    graph.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    graph.add_argument("-o", "--output", metavar="FILE", type=Path,
                       help="write the graph; the ending says how: .svg .dot .mmd .graphml .json .html")  # fmt: skip
    graph.add_argument("--possible", action="store_true",
                       help="draw too what could be in principle, but never matters on this board")  # fmt: skip
    graph.set_defaults(pile_order=False)
    option_groups(graph, "sources", "cards", "readings", "no piles", "limits", "outcomes", "output", "quiet")

    why_not = command(
        "why-not", run_why_not, "why a state that one might expect does not come out",
        "Takes a state, written as an outcome under `expect:` in a board file. If it comes out: in which outcomes,\n"
        "under which readings. If not: the answers or editions under which it would, the legal order that ends\n"
        "nearest to it and what differs there, what clauses bar, and each single clause without which it would come\n"
        "out (for a consequence: with the opposite of which).",
        ["lastrites why-not board.yaml '{Ann: {hand: [Dust Imp]}}'",
         "lastrites why-not board.yaml '{Ann: {aember: 3}, Bob: {discard: {contains: [Troll]}}}' --tries 10"],
    )  # fmt: skip
    why_not.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    why_not.add_argument("state", metavar="STATE",
                         help="what should come out; what it does not mention is not looked at")  # fmt: skip
    option_groups(why_not, "sources", "cards", "readings", "limits", "outcomes", "output", "quiet")
    why_not.add_argument("--tries", type=whole_number, default=40, metavar="N",
                         help="switch at most N clauses, one at a time (default: 40)")  # fmt: skip

    play = command(
        "play", run_play, "walk a board by hand",
        "Plays a board step by step: at each decision the legal options with what clauses bar, the steps that nobody\n"
        "decides with their clauses and changes; back; save the state reached as a board file. Lines can be piped in:\n"
        "a number takes an option, b goes back, l shows the state, s FILE saves it, q ends.",
        ["lastrites play board.yaml",
         "printf '2\\n1\\ns reached.yaml\\n' | lastrites play board.yaml"],
    )  # fmt: skip
    play.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    option_groups(play, "sources", "cards", "readings")

    report = command(
        "report", run_report, "one self-contained page about a board",
        "Writes a page that needs nothing from elsewhere: the board, every outcome with the ruling on it and an order\n"
        "that leads there, the readings and who holds them, the clauses with their sources.",
        ["lastrites report board.yaml -o report.html"],
    )  # fmt: skip
    report.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    report.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="the page to write")
    option_groups(report, "sources", "cards", "readings", "limits", "outcomes", "quiet")

    verify = command(
        "verify", run_verify, "whether what boards expect comes out",
        "Runs the `expect:` of every board, of folders with all they hold: a line for each board, the differences\n"
        "for each failure.",
        ["lastrites verify fixtures",
         "lastrites verify board.yaml --edition 17.3",
         "lastrites verify -q --workers 2 fixtures"],
    )  # fmt: skip
    verify.add_argument("paths", nargs="+", metavar="PATH", type=Path, help="board files, and folders that hold some")
    option_groups(verify, "sources", "cards", "readings", "limits", "outcomes", "workers", "output", "quiet")

    compare = command(
        "compare", run_compare, "what differs between answers, editions or wordings",
        "Puts side by side what comes out of the board under each answer to a question, under two or more editions\n"
        "(or profiles of engines), or with the old and the new wording of cards: the outcomes that all have, those\n"
        "that only some have, and the first decision at which they part, with the clauses on both sides. Questions\n"
        "that stay open are told apart, a row for each combination of answers.",
        ["lastrites compare board.yaml cascade",
         "lastrites compare board.yaml --editions 1.3 1.4",
         "lastrites compare board.yaml --cards old.yaml new.yaml"],
    )  # fmt: skip
    compare.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    compare.add_argument("question", nargs="?", metavar="QUESTION",
                         help="a question of the rules; all its answers are compared")  # fmt: skip
    compare.add_argument("--editions", nargs="+", metavar="EDITION", help="two or more editions or profiles to compare")
    compare.add_argument("--cards", nargs="+", metavar="PATH", type=card_files,
                         help="two files or folders with cards to compare; or one, with cards that the board needs. "
                              "Stands after BOARD and QUESTION")  # fmt: skip
    option_groups(compare, "sources", "readings", "limits", "outcomes", "output", "quiet")

    check = command(
        "check", run_check, "whether the rules of a game agree with themselves",
        "Looks at many boards and tells where the text of a game contradicts itself or says nothing: contradictions,\n"
        "gaps, unexplained branching, loops, questions left open, clauses without effect; each with its smallest\n"
        "board, the clauses and a verdict. Also the faults of a folder of rules (--rules) or of files of cards\n"
        "(--cards) that show without a board. What was looked at is told; nothing is said about other boards.",
        ["lastrites check keyforge --workers 2",
         "lastrites check riftbound --edition 1.3 --edition 1.4 --only boards",
         "lastrites check keyforge --rules my-rules --only static",
         "lastrites check keyforge --scope boards/ --generated 0 --without kf.icons.specific"],
    )  # fmt: skip
    check.add_argument("game", metavar="GAME", help=A_GAME)
    check.add_argument("--edition", action="append", default=[], metavar="NAME",
                       help="an edition to look at (default: the newest); may be repeated; `all` for every one",
                       )  # fmt: skip
    check.add_argument("--scope", nargs="+", type=Path, default=[], metavar="PATH",
                       help="boards and folders of boards to look at (default: the fixtures beside the rules)",
                       )  # fmt: skip
    check.add_argument("--generated", type=whole_number, default=100, metavar="N",
                       help="how many more boards to make from them, by putting other cards in (default: 100)",
                       )  # fmt: skip
    check.add_argument("--seed", type=whole_number, default=1, metavar="N",
                       help="another number makes other boards (default: 1)")  # fmt: skip
    check.add_argument("--only", action="append", choices=("static", "boards", "clauses"), default=[],
                       help="only faults of files, what boards show, or clauses without effect; may be repeated",
                       )  # fmt: skip
    check.add_argument("--without", action="append", default=[], metavar="CLAUSE",
                       help="as if this clause were not in the book; may be repeated")  # fmt: skip
    check.add_argument("--pile-order", action="store_true", help="look at the order of cards in piles too")
    check.add_argument("--fail-on", choices=("error", "warning", "note", "never"), default="error",
                       help="exit status 1 from this severity on (default: error)")  # fmt: skip
    check.add_argument("-o", "--output", metavar="DIR", type=Path,
                       help="write the boards of the findings into this folder")  # fmt: skip
    option_groups(check, "sources", "cards")
    group = check.add_argument_group("limits")
    group.add_argument("--timeout", type=duration, metavar="S", help="stop after S seconds; what is known then is told")
    group.add_argument("--workers", type=positive, default=1, metavar="N",
                       help="work on N boards at the same time (default: 1)")  # fmt: skip
    option_groups(check, "output", "quiet")

    imported = command(
        "import", run_import, "a set-up of another engine as a board file",
        "Reads the JSON of an engine's test set-up or scenario (KeyForge: Keyteki) and prints it as a board file. A\n"
        "file with one set-up a line is written into a folder, a board file for each; where some cannot be read,\n"
        "the others are written all the same.",
        ["lastrites import scenario.json > board.yaml",
         "lastrites import scenarios.ndjson -o boards"],
    )  # fmt: skip
    imported.add_argument("file", metavar="FILE", type=Path, help="what the other engine wrote")
    imported.add_argument("-o", "--output", metavar="DIR", type=Path, help="write the boards into this folder")
    imported.add_argument("--game", metavar="GAME", help="the game, if rules for more than one can import")
    option_groups(imported, "sources", "quiet")

    facts = command(
        "facts", run_facts, "the board as ASP facts",
        "Prints the facts that the board becomes, in the vocabulary of the rules. A file of such facts whose name\n"
        "ends in .lp is a board file too.",
        ["lastrites facts board.yaml > board.lp"],
    )  # fmt: skip
    facts.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    option_groups(facts, "sources", "cards")

    program = command(
        "program", run_program, "the whole program, for plain clingo",
        "Prints rules, cards and board as one program that plain clingo runs: one stable model for each legal\n"
        "order under the readings given. It says at its beginning how to run it.",
        ["lastrites program board.yaml > p.lp && python -m clingo p.lp 0"],
    )  # fmt: skip
    program.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    option_groups(program, "sources", "cards", "readings", "limits", "quiet")

    def about_game(
        name: str, run: Callable[[argparse.Namespace], int], short: str, long: str, examples: Sequence[str]
    ) -> argparse.ArgumentParser:
        made = command(name, run, short, long, examples)
        made.add_argument("game", metavar="GAME", help=A_GAME)
        option_groups(made, "sources", "output")
        return made

    separate = about_game(
        "separate", run_separate, "the smallest boards on which two readings differ",
        "Searches boards from the smallest up until the answers to a question, or two editions, come to different\n"
        "outcomes on one. Says what was searched; that nothing was found is a statement about that scope only.",
        ["lastrites separate keyforge replacement --pool 'Dust Imp; The Body Snatchers'",
         "lastrites separate keyforge lost_ability --workers 2",
         "lastrites separate riftbound --editions 1.3 1.4 -o boards"],
    )  # fmt: skip
    _add_search(separate)

    about_game(
        "questions", run_questions, "what the rules leave open, and who answers it how",
        "Every question with its answers, who holds which, and what editions and profiles of engines answer.",
        ["lastrites questions keyforge"],
    )  # fmt: skip
    clauses = about_game(
        "clauses", run_clauses, "every clause of the rules",
        "Every clause of the rules: its name, kind, sentence and source, where its rules stand, the board that shows\n"
        "what it does and the boards that rest on it.",
        ["lastrites clauses keyforge", "lastrites clauses keyforge --text", "lastrites clauses keyforge --boards"],
    )  # fmt: skip
    clauses.add_argument("--text", action="store_true", help="with the rules themselves")
    clauses.add_argument("--boards", action="store_true", help="name all boards that rest on a clause, not only some")
    schema = command(
        "schema", run_schema, "a JSON Schema of the board file, for editors",
        "Prints a JSON Schema of the board files of a game, made from its shape and its words. An editor that knows\n"
        "it offers keys, cards and words, and marks mistakes while a board is being written.",
        ["lastrites schema keyforge -o keyforge.schema.json"],
    )  # fmt: skip
    schema.add_argument("game", metavar="GAME", help=A_GAME)
    schema.add_argument("-o", "--output", metavar="FILE", type=Path, help="write it into this file")
    option_groups(schema, "sources")
    cards = about_game(
        "cards", run_cards, "the card library, in words and in facts",
        "Without a name: the names and ids of all cards. With one: the card in words and in facts. With --words: the\n"
        "words in which cards and instructions are written.",
        ["lastrites cards keyforge", "lastrites cards keyforge 'Dust Imp'", "lastrites cards keyforge --words"],
    )  # fmt: skip
    cards.add_argument("name", nargs="?", metavar="NAME", help="name or id of a card")
    cards.add_argument("--words", action="store_true", help="the vocabulary of cards and instructions")
    return parser


def _add_search(parser: argparse.ArgumentParser) -> None:
    from lastrites.search.command import add_arguments

    add_arguments(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress and no remarks on stderr")


# ---------------------------------------------------------------- common

def _load(paths: Sequence[Path], args: argparse.Namespace) -> list[tuple[Board, tuple[Expectation, ...]]]:
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


def _request(board: Board, args: argparse.Namespace, **more: Any) -> Request:
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


def _print_json(value: Any) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False, indent=2))


def _complain(problems: Sequence[Problem]) -> None:
    for problem in problems:
        print(_UNSHOWN.sub(lambda found: repr(found[0])[1:-1], str(problem)), file=sys.stderr)


class _Answer:
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


def _run(task: Task, answer: _Answer, give_up: Callable[[], None], argument: Any = None) -> None:
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


def _nothing_known(answer: _Answer, args: argparse.Namespace, schema: str, **more: Any) -> int:
    """Say why a work ended of which nothing is known, to programs too. Gives the exit status."""
    if args.json:
        _print_json({"schema": schema, **more, "complete": False, "incomplete_reason": answer.excuse()})
    print(f"incomplete: {answer.excuse()}; nothing is known yet", file=sys.stderr)
    return INCOMPLETE


def _status(results: Sequence[dict[str, Any]]) -> int:
    """The exit status: a refused event fails, and so does a board on which the rules leave no outcome."""
    if any(not result["complete"] for result in results):
        return INCOMPLETE
    endings = ("stuck", "conflicts", "loops")
    ends_badly = (not result.get("outcomes", True) and any(map(result.get, endings)) for result in results)
    return FAILED if any(result["refused"] for result in results) or any(ends_badly) else ANSWERED


# ---------------------------------------------------------------- outcomes and orders

def _show_outcomes(request: Request, result: dict[str, Any], first: bool) -> None:
    from lastrites.book import clause_texts
    from lastrites.terminal import outcomes_text

    clauses = clause_texts(request.board.rules, result["edition"])
    text = outcomes_text(
        result, title=request.board.title, changed=_changed(request), clauses=clauses, style=Style.of(sys.stdout)
    )
    sys.stdout.write(text if first else "\n" + text)
    sys.stdout.flush()


def run_outcomes(args: argparse.Namespace) -> int:
    """The command ``outcomes``."""
    requests = [_request(board, args) for board, _ in _load(args.boards, args)]
    results: list[dict[str, Any]] = []

    def show(request: Request, result: dict[str, Any]) -> None:
        results.append(result)
        if not args.json:
            _show_outcomes(request, result, first=len(results) == 1)

    def close() -> None:
        if args.json:
            _print_json(results[0] if len(requests) == 1 else results)

    for request, result in _answers(requests, args, show, close):
        show(request, result)
    close()
    if len(results) < len(requests):
        print(f"{len(requests) - len(results)} boards were not looked at", file=sys.stderr)
        return INCOMPLETE
    return _status(results)


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
        answer = _Answer(request, Progress(quiet=args.quiet))

        def give_up(request: Request = request, answer: _Answer = answer) -> None:
            show(request, answer.final())
            close()

        _run(jobs.outcomes, answer, give_up)
        yield request, answer.final()
        if answer.reason == "interrupted":
            return


def _answers_at_once(
    requests: Sequence[Request], args: argparse.Namespace
) -> Iterator[tuple[Request, dict[str, Any]]]:
    from lastrites import jobs

    for place, answer in _in_order(_at_once(jobs.outcomes, requests, args)):
        yield requests[place], answer.final()


def _at_once(
    task: Task, requests: Sequence[Request], args: argparse.Namespace, *, keeps_problems: bool = False
) -> Iterator[tuple[int, _Answer]]:
    """Does a job on several boards at the same time and gives what came of each, as they end."""
    from lastrites import worker

    progress = Progress(quiet=args.quiet)
    running = worker.run_all(
        task, requests, workers=args.workers, timeout=args.timeout, max_memory=args.max_memory
    )
    for done, (place, messages, error) in enumerate(running, 1):
        progress(f"{done} of {len(requests)} boards")
        answer = _Answer(requests[place], Progress(quiet=True), keeps_problems=keeps_problems)
        for kind, content in messages:
            answer(kind, content)
        if isinstance(error, (worker.Stopped, worker.Crashed)):
            answer.reason = str(error)
        elif error is not None:
            raise error
        progress.clear()
        yield place, answer


T = TypeVar("T")


def _in_order(numbered: Iterable[tuple[int, T]]) -> Iterator[tuple[int, T]]:
    """What comes numbered from 0 in any order, in order; what follows a gap comes last."""
    kept: dict[int, T] = {}
    wanted = 0
    for place, value in numbered:
        kept[place] = value
        while wanted in kept:
            yield wanted, kept.pop(wanted)
            wanted += 1
    yield from sorted(kept.items(), key=lambda item: item[0])


def run_why(args: argparse.Namespace) -> int:
    """The command ``why``."""
    from lastrites import jobs
    from lastrites.book import clause_texts
    from lastrites.ruling_text import brief_text, ruling_text
    from lastrites.terminal import cited

    request = _request(_load([args.board], args)[0][0], args, outcome=args.outcome)
    answer = _Answer(request, Progress(quiet=args.quiet))

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
                {**ruling, "clauses": _clauses_json(cited({"outcomes": [ruling]}), clauses)} for ruling in found
            ]
            whole = {**result, "schema": "lastrites.why/1", "clauses": _clauses_json(cited(result), clauses)}
            _print_json(told[0] if len(told) == 1 else told if told else whole)
        else:
            title, style, changed = request.board.title, Style.of(sys.stdout), _changed(request)
            if len(found) == 1:
                text = ruling_text(found[0], title, clauses, style, changed=changed)
            else:
                text = brief_text(result, found, title, clauses, style, changed=changed)
            sys.stdout.write(text)
        return _status([result])

    def give_up() -> None:
        show()

    _run(jobs.why, answer, give_up)
    return show()


def _clauses_json(names: Iterable[str], clauses: Mapping[str, ClauseText]) -> dict[str, Any]:
    """The clauses named, with their sentences and sources, for programs."""
    return {name: clauses[name]._asdict() for name in names if name in clauses}


def _changed(request: Request) -> list[str]:
    """What differs from the book, in words."""
    return [f"without {name}" for name in request.without] + [f"against {name}" for name in request.against]


def run_why_not(args: argparse.Namespace) -> int:
    """The command ``why-not``."""
    from lastrites import jobs
    from lastrites.book import clause_texts
    from lastrites.whynot import compile_state
    from lastrites.whynot_text import named, whynot_text

    request = _request(_load([args.board], args)[0][0], args)
    asked = jobs.WhyNotRequest(args.state, compile_state(args.state, request.board), args.tries, request)
    answer = _Answer(request, Progress(quiet=args.quiet))

    def show() -> int:
        result = answer.result
        if result is None:
            return _nothing_known(answer, args, "lastrites.why-not/1")
        if answer.reason and not result["complete"]:
            result["incomplete_reason"] = answer.reason
        clauses = clause_texts(request.board.rules, result["edition"])
        if args.json:
            _print_json({**result, "clause_texts": _clauses_json(named(result), clauses)})
        else:
            title, style = request.board.title, Style.of(sys.stdout)
            sys.stdout.write(whynot_text(result, title, changed=_changed(request), clauses=clauses, style=style))
        return ANSWERED if result["complete"] else INCOMPLETE

    def give_up() -> None:
        show()

    _run(jobs.why_not, answer, give_up, asked)
    return show()


def run_orders(args: argparse.Namespace) -> int:
    """The command ``orders``."""
    import json

    from lastrites import jobs
    from lastrites.terminal import headline, order_text

    ((board, _),) = _load([args.board], args)
    request = _request(board, args, outcome=args.outcome, limit=args.limit)
    style, width = Style.of(sys.stdout), page_width()
    shown = 0

    def show(order: dict[str, Any]) -> None:
        nonlocal shown
        shown += 1
        if args.json:
            print(json.dumps(order, ensure_ascii=False), flush=True)
        else:
            print(order_text(shown, order, width=width, style=style), flush=True)

    answer = _Answer(request, Progress(quiet=args.quiet), show)
    _run(jobs.orders, answer, lambda: print(f"incomplete: {answer.excuse()}", file=sys.stderr))
    result = answer.final()
    if not args.quiet:
        for refusal in result["refused"]:
            print(f"the event is refused: {refusal_text(refusal)}", file=sys.stderr)
        if not result["refused"]:
            print(f"{shown:,} of: {headline(result)}", file=sys.stderr)
        if not result["complete"]:
            print(f"incomplete: {result.get('incomplete_reason')}", file=sys.stderr)
    return INCOMPLETE if answer.reason else _status([result])


# ---------------------------------------------------------------- compare

def run_compare(args: argparse.Namespace) -> int:
    """The command ``compare``."""
    from lastrites import jobs
    from lastrites.book import clause_texts
    from lastrites.comparison_text import comparison_text

    stop.at_work(f"{args.board} was read")
    sides, about = _compared(args)
    stop.at_work("")
    request = _request(sides[0].board, args)
    asked = jobs.CompareRequest(tuple(sides), about, request)
    answer = _Answer(request, Progress(quiet=args.quiet))

    def show() -> int:
        result = answer.result
        if result is None:
            return _nothing_known(answer, args, "lastrites.compare/1", about=about, sides=[])
        if args.json:
            _print_json(result)
        else:
            clauses, style = clause_texts(request.board.rules), Style.of(sys.stdout)
            sys.stdout.write(comparison_text(result, changed=_changed(request), clauses=clauses, style=style))
        if not result["complete"]:
            return INCOMPLETE
        return FAILED if all(side["refused"] for side in result["sides"]) else ANSWERED

    def give_up() -> None:
        show()

    _run(jobs.compare, answer, give_up, asked)
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


# ---------------------------------------------------------------- graph

def run_graph(args: argparse.Namespace) -> int:
    """The command ``graph``."""
    from lastrites import drawings, jobs
    from lastrites.graphtext import graph_text

    target: Path | None = args.output
    if target is not None and target.suffix.lower() not in drawings.WRITERS:
        message = f"a graph cannot be written as `{target.suffix or target.name}`"
        raise BoardError([Problem("LR-E016", str(target), 0, 0, message, f"endings: {', '.join(drawings.WRITERS)}")])
    request = _request(_load([args.board], args)[0][0], args)
    answer = _Answer(request, Progress(quiet=args.quiet))

    def show() -> dict[str, Any]:
        data = answer.result if answer.result is not None else jobs.no_graph(request)
        if answer.reason and not data["complete"]:
            data["graph"]["incomplete_reason"] = answer.reason
        if args.json:
            _print_json(data)
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

    _run(jobs.graph, answer, give_up)
    return _status([show()])


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


# ---------------------------------------------------------------- check

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
        _print_json(check_text.check_json(result, clauses))
    else:
        sys.stdout.write(check_text.check_text(result, clauses, style=Style.of(sys.stdout)))
    if args.output is not None:
        _write_boards(args.output, check_text.board_files(result))
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


def _write_boards(folder: Path, boards: Sequence[tuple[str, str]]) -> None:
    """Write boards as files into a folder. Raises BoardError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in boards:
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise BoardError([Problem("LR-E001", str(folder), 0, 0, f"cannot be written: {reason}")]) from None


# ---------------------------------------------------------------- verify

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

    loaded = _load(_board_files(args.paths), args)
    requests = [_request(board, args, expectations=expected) for board, expected in loaded]
    style = Style.of(sys.stdout)
    verdicts: list[Verdict] = []

    def show(request: Request, verdict: Verdict) -> None:
        verdicts.append(verdict)
        if not args.json and not (args.quiet and verdict.status in (OK, NOTHING)):
            print("\n".join(verdict_lines(request.board.path, verdict, style)), flush=True)

    def close() -> None:
        if args.json:
            _print_json(
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

    def verdict_of(answer: _Answer) -> Verdict:
        if answer.problems:
            told = [line for problem in answer.problems for line in str(problem).splitlines()]
            return Verdict(REFUSED, failures=told)
        if answer.result is not None:
            return Verdict(**answer.result)
        return Verdict(INCOMPLETE_VERDICT, notes=[f"{answer.excuse()}; nothing is known yet"])

    if args.workers > 1 and len(requests) > 1:
        for place, answer in _in_order(_at_once(jobs.verify, requests, args, keeps_problems=True)):
            yield place, verdict_of(answer)
        return
    for place, request in enumerate(requests):
        answer = _Answer(request, Progress(quiet=args.quiet), keeps_problems=True)

        def give_up(request: Request = request, answer: _Answer = answer) -> None:
            show(request, verdict_of(answer))
            close()

        _run(jobs.verify, answer, give_up)
        yield place, verdict_of(answer)
        if answer.reason == "interrupted":
            return


# ---------------------------------------------------------------- import, facts, program

def run_import(args: argparse.Namespace) -> int:
    """The command ``import``."""
    from lastrites.importer import import_file
    from lastrites.names import slug
    from lastrites.yamlio import dump

    found, problems = import_file(args.file, args.game, args.rules)
    several = len(found) + bool(problems) > 1
    if args.output is None:
        if several and found:
            problems.append(Problem("LR-E008", str(args.file), 0, 0, "the file holds more than one set-up",
                                    "give a folder with -o DIR"))  # fmt: skip
        if problems:
            raise BoardError(problems)
        sys.stdout.write(dump(found[0].board))
        return ANSWERED
    taken: set[str] = set()
    try:
        args.output.mkdir(parents=True, exist_ok=True)
        for each in found:
            stem = name = slug(each.name)
            while name in taken:
                name = f"{stem}-{len(taken) + 1}"
            taken.add(name)
            (args.output / f"{name}.yaml").write_text(dump(each.board), encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise BoardError([Problem("LR-E001", str(args.output), 0, 0, f"cannot be written: {reason}")]) from None
    _complain(problems)
    if not args.quiet:
        print(f"{len(taken)} board{'s' * (len(taken) != 1)} written to {args.output}", file=sys.stderr)
    return BAD_INPUT if problems else ANSWERED


def run_facts(args: argparse.Namespace) -> int:
    """The command ``facts``."""
    from lastrites.factfile import facts_text

    ((board, _),) = _load([args.board], args)
    sys.stdout.write(facts_text(board))
    return ANSWERED


def run_program(args: argparse.Namespace) -> int:
    """The command ``program``."""
    from lastrites import jobs

    ((board, _),) = _load([args.board], args)
    answer = _Answer(_request(board, args), Progress(quiet=args.quiet))
    _run(jobs.program, answer, lambda: print(f"incomplete: {answer.excuse()}", file=sys.stderr))
    if answer.result is None:
        print(f"incomplete: {answer.excuse()}", file=sys.stderr)
        return INCOMPLETE
    sys.stdout.write(str(answer.result))
    return ANSWERED


# ---------------------------------------------------------------- what the rules say about themselves

def run_separate(args: argparse.Namespace) -> int:
    """The command ``separate``."""
    from lastrites.search.command import run

    progress = Progress(quiet=args.quiet)
    status, text = run(args, progress, progress.clear)
    sys.stdout.write(text)
    return status


def run_questions(args: argparse.Namespace) -> int:
    """The command ``questions``."""
    from lastrites import listings
    from lastrites.book import read_book
    from lastrites.game import load_game

    book = read_book(load_game(args.game, args.rules, file="GAME"))
    if args.json:
        _print_json(listings.questions_json(book))
    else:
        sys.stdout.write(listings.questions_text(book, page_width()))
    return ANSWERED


def run_clauses(args: argparse.Namespace) -> int:
    """The command ``clauses``."""
    from lastrites import listings
    from lastrites.book import read_book
    from lastrites.game import load_game

    game = load_game(args.game, args.rules, file="GAME")
    book = read_book(game)
    if args.json:
        _print_json(listings.clauses_json(game, book))
    else:
        sys.stdout.write(listings.clauses_text(game, book, page_width(), args.text, args.boards))
    return ANSWERED


def run_cards(args: argparse.Namespace) -> int:
    """The command ``cards``."""
    from lastrites import listings
    from lastrites.game import load_game
    from lastrites.names import nearest

    game = load_game(args.game, args.rules, file="GAME")
    if args.words:
        if args.json:
            _print_json(listings.words_json(game))
        else:
            sys.stdout.write(listings.words_text(game, page_width()))
        return ANSWERED
    if args.name is None:
        names = listings.card_names(game)
        if args.json:
            _print_json([{"id": each, "name": name} for name, each in names])
        else:
            for name, each in names:
                print(f"{name} ({each})")
        return ANSWERED
    identifier = game.cards.find(args.name)
    if identifier is None:
        close = nearest(args.name, game.cards.names())
        hint = f"did you mean {' or '.join(close)}?" if close else ""
        raise BoardError([Problem("LR-E018", "NAME", 0, 0, f"unknown card `{args.name}`", hint)])
    if args.json:
        _print_json(listings.card_json(game, identifier))
    else:
        sys.stdout.write(listings.card_text(game, identifier, page_width()))
    return ANSWERED


def run_play(args: argparse.Namespace) -> int:
    """The command ``play``."""
    from lastrites.play import Play
    from lastrites.play_text import play_text

    ((board, _),) = _load([args.board], args)
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

    ((board, _),) = _load([args.board], args)
    request = _request(board, args)
    answer = _Answer(request, Progress(quiet=args.quiet))

    def write() -> int:
        result = answer.final()
        rulings = result.pop("rulings", [])
        page = report_html(
            result, rulings, title=board.title, source=board.source, start=StateWriter(board).state(board.initial()),
            clauses=clause_texts(board.rules, result["edition"]), changed=_changed(request),
        )  # fmt: skip
        _write(page, args.output)
        return _status([result])

    def give_up() -> None:
        write()

    _run(jobs.report, answer, give_up)
    status = write()
    if not args.quiet:
        print(f"written: {args.output}", file=sys.stderr)
    return status


def run_schema(args: argparse.Namespace) -> int:
    """The command ``schema``."""
    import json

    from lastrites.game import load_game
    from lastrites.schema import board_schema

    text = json.dumps(board_schema(load_game(args.game, args.rules, file="GAME")), ensure_ascii=False, indent=2) + "\n"
    _write(text, args.output)
    return ANSWERED


def _write(text: str, file: Path | None) -> None:
    """Write a text into a file, or print it. Raises BoardError where the file cannot be written."""
    if file is None:
        sys.stdout.write(text)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise BoardError([Problem("LR-E001", str(file), 0, 0, f"cannot be written: {reason}")]) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    _open_streams()
    args = argparse.Namespace()
    stop.at_work("the command began")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # an old terminal must not stop an answer
    try:
        given = sys.argv[1:] if arguments is None else arguments
        if not given:
            build_parser().print_help(sys.stderr)
            return BAD_INPUT
        # Without a name it stands for all; argparse would take a board that follows for the name.
        args = build_parser().parse_args(["--no-reduction=all" if word == "--no-reduction" else word for word in given])
        stop.at_work("")
        _remark_on_cards(args)
        status: int = args.run(args)
        sys.stdout.flush()
    except BoardError as error:
        _complain(error.problems)
        return BAD_INPUT
    except BrokenPipeError:
        # Whoever read the output has had enough; nothing more can be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ANSWERED
    except KeyboardInterrupt:
        return _interrupted(args)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.filename:
            _complain([Problem("LR-E001", str(error.filename), 0, 0, f"cannot be used: {reason}")])
            return BAD_INPUT
        print(f"the answer cannot be written: {reason}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_INPUT
    except Exception as error:
        return _blame(error)
    return status


def _interrupted(args: argparse.Namespace) -> int:
    """Say what Ctrl-C found at work, where no answer had been begun."""
    what = stop.what()
    told = f"interrupted while {what}; nothing is known yet" if what else "interrupted"
    if what and getattr(args, "json", False):
        _print_json({"complete": False, "incomplete_reason": told})
    print(told, file=sys.stderr)
    return INCOMPLETE


def _remark_on_cards(args: argparse.Namespace) -> None:
    """Say which files of cards are not read. Raises BoardError for a folder that cannot be looked at."""
    given = getattr(args, "cards", None)
    paths = given if isinstance(given, list) else [given] if given is not None else []
    if paths and not getattr(args, "quiet", False):
        from lastrites.cardfiles import passed_over

        for path in paths:
            for remark in passed_over(path):
                print(remark, file=sys.stderr)
        if any(board.suffix == ".lp" for board in getattr(args, "boards", None) or [getattr(args, "board", Path())]):
            print("--cards is not read for a board of facts (.lp): it holds its cards itself", file=sys.stderr)


def _open_streams() -> None:
    """Give the program the streams that whoever started it has closed: nobody reads what is written there."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # open to the end


def _blame(error: Exception) -> int:
    """Tell mistakes in the rules, which are input too; anything else is a mistake of ours and goes on."""
    from lastrites.solver import RulesError

    if not isinstance(error, RulesError):
        raise error
    print(f"the rules are at fault: {error}", file=sys.stderr)
    return BAD_INPUT
