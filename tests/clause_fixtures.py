"""Which board shows what a clause does: it fails when the clause is switched off, or, for a consequence, when its
opposite is switched on. The table stands as facts in `rules/GAME/boards.lp`; `python tests/find_clause_fixtures.py`
renews it."""

from __future__ import annotations

from pathlib import Path

from lastrites.game import known_games, load_game
from lastrites.listings import boards_of

HEAD = """%# Boards that show what the clauses do
%
% A board comes out otherwise when its clause is switched off or, for a consequence, when its opposite is switched on.
% Written by tests/find_clause_fixtures.py; read by `lastrites clauses` and by the tests, not by boards.

"""

TABLE: dict[str, str] = {
    clause: boards[0] for game in known_games() for clause, boards in boards_of(load_game(game)).items()
}


def write(table: dict[str, str]) -> None:
    """Write the table, each game's part into its folder of rules."""
    for name in known_games():
        rows = [
            f'shown_by("{clause}","{board}").\n' for clause, board in sorted(table.items())
            if board.startswith(f"{name}/")
        ]
        if rows:
            file: Path = load_game(name).rules / name / "boards.lp"
            file.write_text(HEAD + "".join(rows), encoding="utf-8")
