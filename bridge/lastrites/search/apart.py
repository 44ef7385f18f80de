"""Looking at the boards of a job in a process that can be killed.

Nothing can interrupt clingo while it grounds, so a board that hangs there must take a process with it: that one, and
not the worker of a pool or a cluster, which goes on with the other boards.
"""

from __future__ import annotations

import time
from typing import Any

from lastrites import stop, worker
from lastrites.search.examine import Json, Target, examine, row_of_a_failure

INTERRUPTED = "interrupted"


def examine_apart(job: Json, seconds: float, deadline: float | None = None) -> Json:
    """What :func:`lastrites.search.examine.examine` says, where no board and no grounding takes longer than that.

    Boards that do, or that end their process twice (once it may have been killed by chance), have an ``error``; what
    shares a grounding with them is looked at again, board by board. The result has ``late``, the seconds, if some board
    was not looked at in time.
    Raises KeyboardInterrupt, and TimeoutError at the ``deadline`` (of ``time.monotonic``, for this machine only).
    """
    _prepare(job)
    boards = job["boards"]
    rows: dict[int, Json] = {}
    late = False
    crashes: set[int] = set()
    todo = [tuple(range(len(boards)))]
    while todo:
        places = todo.pop()
        said: dict[str, Any] = {}
        some = {**job, "boards": [boards[place] for place in places]}
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            worker.run(_look, some, said.__setitem__, timeout=left, silence=seconds)
            rows.update(zip(places, said["rows"], strict=True))
            continue
        except worker.Stopped as stopped:
            again = False
            stop.check()
            if str(stopped) == INTERRUPTED:
                raise KeyboardInterrupt from None
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError from None
            why, late = f"not looked at within {seconds:g} s", True
        except worker.Crashed as crashed:
            again, why = True, str(crashed)
        at = [places[number] for number in said.get("begin", range(len(places)))]
        rest = tuple(place for place in places if place not in at)
        todo += [rest] if rest else []
        if len(at) == 1 and again and at[0] not in crashes:
            crashes.add(at[0])
            todo.append((at[0],))
        elif len(at) == 1:
            rows[at[0]] = row_of_a_failure(why)
        else:
            todo += [(place,) for place in at]
    return {"rows": [rows[place] for place in range(len(boards))], **({"late": seconds} if late else {})}


def _prepare(job: Json) -> None:
    """Read here what every board needs, so that no process has to do it again."""
    target = Target.from_json(job["target"])
    for name in job["names"]:
        target.needed(name)


def _look(emit: worker.Emit, job: Json) -> None:
    emit("rows", examine(job, lambda places: emit("begin", places))["rows"])
