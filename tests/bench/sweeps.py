"""Boards a minute: a sweep on two processes, against one process for each board. Run by hand:

    PYTHONPATH=bridge python tests/bench/sweeps.py [BOARDS]

Both look at the same boards of KeyForge, each with the question `lost_ability` open. Wall time is that of the machine
as it is; processor time is that of all processes together and does not depend on what else runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

from lastrites.game import load_game
from lastrites.search.apart import examine_apart
from lastrites.search.examine import Json, Target
from lastrites.search.proposals import Proposal, Proposer
from lastrites.search.separate import BOARDS_OF_A_JOB
from lastrites.search.sweep import Sweep

KINDS = ("archimedes", "dust-imp", "soulkeeper", "phoenix-heart", "biomatrix-backup", "bad-penny")
PROCESSES = 2
ALONE = 40
"""So many boards are enough to see what a process of its own costs."""


def proposed(most: int) -> list[Proposal]:
    """Boards with three cards, as a search proposes them."""
    proposer = Proposer(load_game("keyforge"), KINDS, ["destroy_all"], 3, most=0)
    return list(islice((board for size in proposer.sizes() for board in proposer.boards(size)), most))


def jobs(proposals: list[Proposal]) -> Iterator[Json]:
    groups: dict[tuple[str, ...], list[str]] = {}
    for proposal in proposals:
        groups.setdefault(tuple(sorted(set(proposal.kinds))), []).append(proposal.text)
    target = Target("keyforge", question="lost_ability").to_json()
    for texts in groups.values():
        for first in range(0, len(texts), BOARDS_OF_A_JOB):
            boards = texts[first : first + BOARDS_OF_A_JOB]
            yield {"target": target, "names": ["lost_ability"], "states": 2_000, "piles": False, "boards": boards}


def sweep(proposals: list[Proposal]) -> int:
    with ProcessPoolExecutor(PROCESSES) as pool:
        done = list(Sweep(partial(examine_apart, seconds=60.0), pool, ahead=4 * PROCESSES).run(jobs(proposals)))
    return sum(not row["error"] for each in done for row in each.result["rows"])


def one_by_one(proposals: list[Proposal]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.yaml" for number in range(len(proposals))]
        for path, proposal in zip(paths, proposals, strict=True):
            path.write_text(proposal.text, encoding="utf-8")
        command = [sys.executable, "-m", "lastrites", "outcomes", "--json"]
        with ThreadPoolExecutor(PROCESSES) as threads:
            run = partial(subprocess.run, capture_output=True, check=True)
            return len(list(threads.map(lambda path: run([*command, str(path)]), paths)))


def measure(name: str, work: Callable[[list[Proposal]], int], proposals: list[Proposal]) -> None:
    wall, before = time.monotonic(), os.times()
    number = work(proposals)
    wall, after = time.monotonic() - wall, os.times()
    used = sum(after[:4]) - sum(before[:4])
    print(
        f"{name}: {number} boards in {wall:.1f} s, {60 * number / wall:,.0f} a minute; "
        f"{used:.1f} s of processor time, {60 * PROCESSES * number / used:,.0f} a minute on {PROCESSES} free processors"
    )


if __name__ == "__main__":
    boards = proposed(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    measure(f"a sweep with {PROCESSES} processes", sweep, boards)
    measure("a process for each board", one_by_one, boards[:: max(1, len(boards) // ALONE)])
