"""Peer: the same window as a model for SPIN, with the states that it stores and the final pools that it prints.

``python promela.py FAMILY N FOLDER`` writes ``window.pml`` there. SPIN finds final states, it counts no orders.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.peers.window import START, Effect, effects


def statement(effect: Effect) -> str:
    """What an ability does to the pools, in Promela."""
    player, kind, amount = effect
    own, other = ("a", "b") if player == 0 else ("b", "a")
    if kind == "gain":
        return f"{own} = {own} + {amount}"
    some = f"{other} = {other} - {amount}" + (f"; {own} = {own} + {amount}" if kind == "steal" else "")
    rest = (f"{own} = {own} + {other}; " if kind == "steal" else "") + f"{other} = 0"
    return f"if :: {other} >= {amount} -> {some} :: else -> {rest} fi"


def model(abilities: list[Effect]) -> str:
    """The model of a window with these abilities."""
    lines = [f"byte a = {START[0]};", f"byte b = {START[1]};"]
    lines += [f"bit d{place};" for place in range(len(abilities))]
    lines += ["active proctype window() {", "  do"]
    for place, ability in enumerate(abilities):
        lines.append(f"  :: d_step {{ d{place} == 0 -> d{place} = 1; {statement(ability)} }}")
    done = " && ".join(f"d{place} == 1" for place in range(len(abilities)))
    lines += [f"  :: d_step {{ {done} -> c_code {{ printf(\"outcome %d %d\\n\", now.a, now.b); }} }}; break"]
    lines += ["  od", "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[3], "window.pml").write_text(model(effects(sys.argv[1], int(sys.argv[2]))), encoding="utf-8")
