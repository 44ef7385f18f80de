"""Switching clauses off, and their opposites on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fixture_help import FIXTURES, loaded

import lastrites
from lastrites.book import read_book
from lastrites.game import known_games, load_game
from lastrites.solver import RulesError
from lastrites.verify import FAILED, Json, verify


def clauses() -> list[tuple[str, str, str]]:
    """Game, name and kind of every clause of every game that has boards."""
    games = [game for game in known_games() if (FIXTURES / game).is_dir()]
    return [(game, clause.id, clause.kind) for game in games for clause in read_book(load_game(game)).clauses]


def fixture_of(name: str) -> Path:
    """The file of the board called `game/name`."""
    return FIXTURES / f"{name}.yaml"


def fails_without(path: Path, clause: str, kind: str) -> bool:
    """Whether what the board expects no longer comes out without the clause (with the opposite of a consequence)."""
    board, expected = loaded(path)
    off = () if kind == "consequence" else (clause,)
    on = (clause,) if kind == "consequence" else ()

    def answer(readings: Mapping[str, str], edition: str | None, pile_order: bool) -> Json:
        found = lastrites.resolve(
            board, readings=readings, edition=edition, pile_order=pile_order, without=off, against=on
        )
        return found.to_json(witnesses=False)

    try:
        return any(verify((expectation,), answer).status == FAILED for expectation in expected)
    except RulesError:
        return False
