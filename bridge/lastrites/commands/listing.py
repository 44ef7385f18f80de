"""The commands that list what a game has, ``questions``, ``clauses``, ``cards``, ``schema``, and ``import``."""

from __future__ import annotations

import argparse
import sys

from lastrites.commands.running import ANSWERED, BAD_INPUT, complain, print_json, write_boards, write_out
from lastrites.errors import BoardError, Problem
from lastrites.terminal import page_width


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
    taken: dict[str, str] = {}
    for each in found:
        stem = name = slug(each.name)
        while name in taken:
            name = f"{stem}-{len(taken) + 1}"
        taken[name] = dump(each.board)
    write_boards(args.output, list(taken.items()))
    complain(problems)
    if not args.quiet:
        print(f"{len(taken)} board{'s' * (len(taken) != 1)} written to {args.output}", file=sys.stderr)
    return BAD_INPUT if problems else ANSWERED


def run_questions(args: argparse.Namespace) -> int:
    """The command ``questions``."""
    from lastrites import listings
    from lastrites.book import read_book
    from lastrites.game import load_game

    book = read_book(load_game(args.game, args.rules, file="GAME"))
    if args.json:
        print_json(listings.questions_json(book))
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
        print_json(listings.clauses_json(game, book))
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
            print_json(listings.words_json(game))
        else:
            sys.stdout.write(listings.words_text(game, page_width()))
        return ANSWERED
    if args.name is None:
        names = listings.card_names(game)
        if args.json:
            print_json([{"id": each, "name": name} for name, each in names])
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
        print_json(listings.card_json(game, identifier))
    else:
        sys.stdout.write(listings.card_text(game, identifier, page_width()))
    return ANSWERED


def run_schema(args: argparse.Namespace) -> int:
    """The command ``schema``."""
    import json

    from lastrites.game import load_game
    from lastrites.schema import board_schema

    text = json.dumps(board_schema(load_game(args.game, args.rules, file="GAME")), ensure_ascii=False, indent=2) + "\n"
    write_out(text, args.output)
    return ANSWERED
