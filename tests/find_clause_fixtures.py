"""Look for the cheapest board that fails without each clause, and write the table of `clause_fixtures.py`.

Rows of the present table that still hold are kept. Clauses that no board shows are told on stderr. With arguments
only clauses whose names begin with one of them are looked at; without, all.
"""

from __future__ import annotations

import sys
import time

from clause_fixtures import TABLE, write
from clause_help import clauses, fails_without, fixture_of
from fixture_help import fixture_files, loaded, name_of, resolved

import lastrites
from lastrites.resolution import Resolution
from lastrites.solver import RulesError


def signature(resolution: Resolution) -> object:
    """What a resolution gives, witnesses apart."""
    rows = [(outcome.state, outcome.under, outcome.orders, outcome.deciders) for outcome in resolution.outcomes]
    return rows, resolution.labels, resolution.refused, resolution.stuck


def changes(name: str, clause: str, kind: str) -> bool:
    """Whether it is worth while to look at all that the board expects: a first look, which is cheap."""
    path = fixture_of(name)
    board, expected = loaded(path)
    if any(expectation.when or expectation.editions or expectation.pile_order for expectation in expected):
        return True
    try:
        found = lastrites.resolve(
            board,
            without=() if kind == "consequence" else (clause,),
            against=(clause,) if kind == "consequence" else (),
        )
    except RulesError:
        return False
    return signature(found) != signature(resolved(path))


def main() -> None:
    """Write the table."""
    costs: dict[str, float] = {}
    cited: dict[str, set[str]] = {}
    wanted = tuple(sys.argv[1:]) or ("",)
    games = {game for game, id, _ in clauses() if id.startswith(wanted)}
    for path in fixture_files():
        if name_of(path).split("/")[0] not in games:
            continue
        began = time.perf_counter()
        resolution = resolved(path)
        costs[name_of(path)] = time.perf_counter() - began
        steps = [step for outcome in resolution.outcomes for step in outcome.witness]
        cited[name_of(path)] = {clause for step in steps for clause in step.clauses}
        cited[name_of(path)] |= {clause for refused in resolution.refused for clause in refused["clauses"]}
    table: dict[str, str] = {}
    for game, id, kind in clauses():
        if not id.startswith(wanted):
            continue
        names = sorted((name for name in costs if name.startswith(f"{game}/")), key=lambda name: costs[name])
        names.sort(key=lambda name: (name != TABLE.get(id), id not in cited[name]))
        worth = (name for name in names if changes(name, id, kind))
        found = next((name for name in worth if fails_without(fixture_of(name), id, kind)), None)
        if found is None:
            print(f"no fixture shows {id} ({kind})", file=sys.stderr, flush=True)
        else:
            table[id] = found
            print(f"{id}: {found}", flush=True)
    write({**{id: board for id, board in TABLE.items() if not id.startswith(wanted)}, **table})


if __name__ == "__main__":
    main()
