"""Which clauses a fixture rests on: those that its steps cite, and those that bar something, in what it reaches.

The table stands as facts in `rules/GAME/rests.lp`. `python tests/resting.py` renews it, or with arguments only the
rows of fixtures whose names (`game/name`) begin with one of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fixture_help import FIXTURES, editions, fixture_files, name_of

from lastrites.game import load_game
from lastrites.listings import resting_on

MOST_STATES = 150
"""In so many states, the first that were reached, steps are asked for their clauses."""

HEAD = """%# Boards that rest on the clauses
%
% A board rests on a clause that a step cites, or that bars something, in one of the first {most} states that it
% reaches, under any edition of which it expects something. One fact a board: rests(Board,(Clause;...)).
% Written by tests/resting.py; read by `lastrites clauses` and by the tests, not by boards.

"""


def clauses_of(path: Path) -> set[str]:
    """The clauses that a fixture rests on."""
    found: set[str] = set()
    for resolution in editions(path):
        found.update(clause for refusal in resolution.refused for clause in refusal["clauses"])
        found.update(clause for conflict in resolution.conflicts for clause in conflict["clauses"])
        teller = resolution.explained(MOST_STATES)
        found.update(teller.cited())
        found.update(clause for _, clause in teller.in_the_way())
    return found


def write(game: str, table: dict[str, set[str]]) -> None:
    """Write the rows of a game, by board."""
    rows = []
    for board, clauses in sorted(table.items()):
        named = ";".join(f'"{clause}"' for clause in sorted(clauses))
        rows.append(f'rests("{board}",({named})).\n')
    file = load_game(game).rules / game / "rests.lp"
    file.write_text(HEAD.format(most=MOST_STATES) + "".join(rows), encoding="utf-8")


def main() -> None:
    """Renew the table."""
    wanted = tuple(sys.argv[1:]) or ("",)
    files: dict[str, list[Path]] = {}
    for path in fixture_files():
        files.setdefault(path.parent.name, []).append(path)
    for game, paths in files.items():
        known = {path.stem for path in paths}
        table: dict[str, set[str]] = {}
        for clause, boards in resting_on(load_game(game)).items():
            for board in boards:
                name = board.removeprefix(f"{game}/")
                if name in known:
                    table.setdefault(name, set()).add(clause)
        for path in paths:
            if name_of(path).startswith(wanted) or path.stem not in table:
                table[path.stem] = clauses_of(path)
                print(name_of(path), len(table[path.stem]), flush=True)
        write(game, {board: clauses for board, clauses in table.items() if clauses})


if __name__ == "__main__":
    assert FIXTURES.is_dir()
    main()
