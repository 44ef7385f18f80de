"""Where the time of one board goes: ``python phases.py BOARD`` prints seconds of processor time by phase, as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import lastrites
from lastrites import answer, count, explore, local, piles, solver, symmetry


class Clock:
    """Adds up the time of functions; what one of them spends in another counts for the other alone."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._running: list[str] = []
        self._since = time.process_time()

    def _turn(self) -> None:
        now = time.process_time()
        if self._running:
            self.spent[self._running[-1]] = self.spent.get(self._running[-1], 0.0) + now - self._since
        self._since = now

    def watch(self, owner: Any, name: str, phase: str) -> None:
        """Count the time of a function for a phase."""
        watched: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **named: Any) -> Any:
            self._turn()
            self._running.append(phase)
            try:
                return watched(*args, **named)
            finally:
                self._turn()
                self._running.pop()

        setattr(owner, name, timed)


def main() -> None:
    """Resolve the board that the command line names, and print the phases."""
    clock = Clock()
    clock.watch(solver, "_control", "grounding")
    clock.watch(explore.Walk, "solve", "solving")
    clock.watch(local.LocalRules, "__init__", "reading the ground program")
    clock.watch(symmetry.Symmetries, "classes", "symmetries")
    clock.watch(local.LocalRules, "_learn", "reasons")
    clock.watch(explore.Walk, "look_up", "look-up")
    clock.watch(explore.Walk, "fold", "look-up")
    for owner, name in ((count, "assignments"), (count.Tally, "__post_init__"), (count, "decided")):
        clock.watch(owner, name, "counting")
    clock.watch(piles.PileHistories, "of", "piles")
    clock.watch(answer.Answer, "_witnesses", "examples")
    board = lastrites.load(sys.argv[1])
    begin = time.process_time()
    resolution = lastrites.resolve(board)
    whole = time.process_time() - begin
    spent = {phase: round(seconds, 3) for phase, seconds in clock.spent.items()}
    spent["rest"] = round(whole - sum(clock.spent.values()), 3)
    print(json.dumps({"states": resolution.state_count, "seconds": spent}))


if __name__ == "__main__":
    main()
