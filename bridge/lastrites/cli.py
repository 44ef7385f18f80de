"""The command ``lastrites``: what it is told, and what ends it; the commands themselves are in ``commands``."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import lastrites
from lastrites import stop
from lastrites.arguments import Parser
from lastrites.commands import comparing, drawing, judging, listing, resolving
from lastrites.commands.running import ANSWERED, BAD_INPUT, INCOMPLETE, complain, print_json
from lastrites.errors import BoardError, Problem
from lastrites.options import card_files, duration, option_groups, positive, whole_number

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
        "outcomes", resolving.run_outcomes, "every distinct outcome, with exact numbers of orders",
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
        "orders", resolving.run_orders, "the legal orders themselves, one after another",
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
        "why", resolving.run_why, "the ruling on an outcome, and an order that leads there, with every clause",
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
        "graph", drawing.run_graph, "which abilities can affect one another, and how",
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
        "why-not", resolving.run_why_not, "why a state that one might expect does not come out",
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
        "play", resolving.run_play, "walk a board by hand",
        "Plays a board step by step: at each decision the legal options with what clauses bar, the steps that nobody\n"
        "decides with their clauses and changes; back; save the state reached as a board file. Lines can be piped in:\n"
        "a number takes an option, b goes back, l shows the state, s FILE saves it, q ends.",
        ["lastrites play board.yaml",
         "printf '2\\n1\\ns reached.yaml\\n' | lastrites play board.yaml"],
    )  # fmt: skip
    play.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    option_groups(play, "sources", "cards", "readings")

    report = command(
        "report", resolving.run_report, "one self-contained page about a board",
        "Writes a page that needs nothing from elsewhere: the board, every outcome with the ruling on it and an order\n"
        "that leads there, the readings and who holds them, the clauses with their sources.",
        ["lastrites report board.yaml -o report.html"],
    )  # fmt: skip
    report.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    report.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="the page to write")
    option_groups(report, "sources", "cards", "readings", "limits", "outcomes", "quiet")

    verify = command(
        "verify", judging.run_verify, "whether what boards expect comes out",
        "Runs the `expect:` of every board, of folders with all they hold: a line for each board, the differences\n"
        "for each failure.",
        ["lastrites verify fixtures",
         "lastrites verify board.yaml --edition 17.3",
         "lastrites verify -q --workers 2 fixtures"],
    )  # fmt: skip
    verify.add_argument("paths", nargs="+", metavar="PATH", type=Path, help="board files, and folders that hold some")
    option_groups(verify, "sources", "cards", "readings", "limits", "outcomes", "workers", "output", "quiet")

    compare = command(
        "compare", comparing.run_compare, "what differs between answers, editions or wordings",
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
        "check", judging.run_check, "whether the rules of a game agree with themselves",
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
        "import", listing.run_import, "a set-up of another engine as a board file",
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
        "facts", resolving.run_facts, "the board as ASP facts",
        "Prints the facts that the board becomes, in the vocabulary of the rules. A file of such facts whose name\n"
        "ends in .lp is a board file too.",
        ["lastrites facts board.yaml > board.lp"],
    )  # fmt: skip
    facts.add_argument("board", metavar="BOARD", type=Path, help=A_BOARD)
    option_groups(facts, "sources", "cards")

    program = command(
        "program", resolving.run_program, "the whole program, for plain clingo",
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
        "separate", judging.run_separate, "the smallest boards on which two readings differ",
        "Searches boards from the smallest up until the answers to a question, or two editions, come to different\n"
        "outcomes on one. Says what was searched; that nothing was found is a statement about that scope only.",
        ["lastrites separate keyforge replacement --pool 'Dust Imp; The Body Snatchers'",
         "lastrites separate keyforge lost_ability --workers 2",
         "lastrites separate riftbound --editions 1.3 1.4 -o boards"],
    )  # fmt: skip
    _add_search(separate)

    about_game(
        "questions", listing.run_questions, "what the rules leave open, and who answers it how",
        "Every question with its answers, who holds which, and what editions and profiles of engines answer.",
        ["lastrites questions keyforge"],
    )  # fmt: skip
    clauses = about_game(
        "clauses", listing.run_clauses, "every clause of the rules",
        "Every clause of the rules: its name, kind, sentence and source, where its rules stand, the board that shows\n"
        "what it does and the boards that rest on it.",
        ["lastrites clauses keyforge", "lastrites clauses keyforge --text", "lastrites clauses keyforge --boards"],
    )  # fmt: skip
    clauses.add_argument("--text", action="store_true", help="with the rules themselves")
    clauses.add_argument("--boards", action="store_true", help="name all boards that rest on a clause, not only some")
    schema = command(
        "schema", listing.run_schema, "a JSON Schema of the board file, for editors",
        "Prints a JSON Schema of the board files of a game, made from its shape and its words. An editor that knows\n"
        "it offers keys, cards and words, and marks mistakes while a board is being written.",
        ["lastrites schema keyforge -o keyforge.schema.json"],
    )  # fmt: skip
    schema.add_argument("game", metavar="GAME", help=A_GAME)
    schema.add_argument("-o", "--output", metavar="FILE", type=Path, help="write it into this file")
    option_groups(schema, "sources")
    cards = about_game(
        "cards", listing.run_cards, "the card library, in words and in facts",
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
        complain(error.problems)
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
            complain([Problem("LR-E001", str(error.filename), 0, 0, f"cannot be used: {reason}")])
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
        print_json({"complete": False, "incomplete_reason": told})
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
