"""Times the families of ``families.py`` as whole processes, side by side with what a user would take instead.

    PYTHONPATH=bridge python tests/bench/run.py                    the whole table
    PYTHONPATH=bridge python tests/bench/run.py uneven --sizes 12 14 --peers spin search
    PYTHONPATH=bridge python tests/bench/run.py entangled --phases  where the time goes

Every answer is checked against what is known; exit status 1 if one is wrong. Figures are those of the whole process:
time by the clock and of the processor, and the most memory it had.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from bench.families import FAMILIES  # noqa: E402  # found only with the line above: this is run as a file
from bench.peers import promela, search, window  # noqa: E402  # likewise

PEERS = ("spin", "search", "trace")
WINDOWS = ("entangled", "uneven")
MOST = {"spin": 16, "search": 14, "trace": 6}
"""The largest size for each peer: beyond it SPIN and the search run out of memory, and plain clingo, which lists every
order, of time."""


@dataclass(frozen=True)
class Run:
    """One process: what it printed, seconds by the clock and of the processor, MiB of memory; None: it was ended."""

    out: str
    clock: float
    cpu: float
    memory: float


def run(command: list[str], folder: Path, limit: float) -> Run | None:
    """Run a command as a whole process. None when it took longer than ``limit`` seconds of processor time."""
    with tempfile.TemporaryFile("w+") as out:
        begin = time.perf_counter()
        wrapped = ["sh", "-c", f'ulimit -t {int(limit)}; exec "$@"', "sh", *command]
        process = subprocess.Popen(wrapped, cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        clock = time.perf_counter() - begin
        out.seek(0)
        text = out.read()
    if process.returncode < 0 or process.returncode in (137, 152):
        return None
    return Run(text, clock, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def figures(done: Run | None) -> str:
    """Time by the clock, of the processor, and memory, as columns."""
    if done is None:
        return f"{'over the limit':>26}"
    return f"{done.clock:8.2f} {done.cpu:8.2f} {done.memory:8.0f}"


class Bench:
    """Runs what the command line asks for, and remembers what went wrong."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.wrong: list[str] = []

    def expect(self, what: str, found: object, known: object) -> None:
        if found != known:
            self.wrong.append(f"{what}: {found}, should be {known}")

    def ours(self, family: str, number: int, folder: Path, before: Run | None) -> Run | None:
        made = FAMILIES[family]
        board = folder / f"{family}-{number}.yaml"
        board.write_text(json.dumps(made.board(number)), encoding="utf-8")
        done = run([sys.executable, "-m", "lastrites", "outcomes", "--json", str(board)], folder, self.limit)
        name = f"{family}-{number}"
        if done is None:
            print(f"{name:20} lastrites          {figures(done)}", flush=True)
            return None
        answer = json.loads(done.out)
        known = made.known(number)
        if known.orders is not None:
            self.expect(f"{name}: orders", answer["orders"], str(known.orders))
        listed = answer["outcomes"]
        outcomes = int(answer["outcome_count"]) if listed is None else len(listed)
        if known.outcomes is not None:
            self.expect(f"{name}: outcomes", outcomes, known.outcomes)
        if family in WINDOWS and number <= 10:
            _, pools = search.search(window.effects(family, number))
            self.expect(f"{name}: pools", pools_of(answer), pools)
        growth = f" x{done.cpu / before.cpu:.1f}" if before is not None else ""
        each = 1e6 * done.cpu / answer["states"]
        print(
            f"{name:20} lastrites          {figures(done)} {answer['states']:>9,} states {each:7.0f} us each{growth}"
            f"  {outcomes:,} outcomes{' as factors' * (listed is None)}, {int(answer['orders']):,} orders",
            flush=True,
        )
        return done

    def phases(self, family: str, number: int, folder: Path) -> None:
        done = run([sys.executable, str(HERE / "phases.py"), f"{family}-{number}.yaml"], folder, self.limit)
        if done is not None:
            spent = json.loads(done.out)["seconds"]
            print(" " * 21 + ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in spent.items() if seconds >= 0.01))

    def spin(self, family: str, number: int, folder: Path) -> None:
        abilities = window.effects(family, number)
        (folder / "window.pml").write_text(promela.model(abilities), encoding="utf-8")
        made = run(["spin", "-a", "window.pml"], folder, self.limit)
        built = run(["gcc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"], folder, self.limit)
        done = run(["./pan", "-m10000", "-w24"], folder, self.limit)
        if made is None or built is None or done is None:
            print(f"{'':20} SPIN               {figures(None)}")
            return
        total = Run("", made.clock + built.clock + done.clock, made.cpu + built.cpu + done.cpu, done.memory)
        ends = {line for line in done.out.splitlines() if line.startswith("outcome")}
        stored = next((line.split()[0] for line in done.out.splitlines() if "states, stored" in line), "?")
        print(f"{'':20} SPIN, in all       {figures(total)} {int(stored):>9,} states stored, {len(ends)} outcomes")
        print(f"{'':20}   generate         {figures(made)}")
        print(f"{'':20}   compile          {figures(built)}")
        print(f"{'':20}   run              {figures(done)}", flush=True)

    def search(self, family: str, number: int, folder: Path) -> None:
        done = run([sys.executable, str(HERE / "peers" / "search.py"), family, str(number)], folder, self.limit)
        states = int(done.out.split()[1]) if done is not None else 0
        print(f"{'':20} search in Python   {figures(done)} {states:>9,} states", flush=True)

    def trace(self, family: str, number: int, folder: Path) -> None:
        made = run([sys.executable, "-m", "lastrites", "program", f"{family}-{number}.yaml"], folder, self.limit)
        if made is None:
            return
        (folder / "program.lp").write_text(made.out, encoding="utf-8")
        done = run([sys.executable, "-m", "clingo", "program.lp", "0", "--quiet=2"], folder, self.limit)
        models = next((line.split()[-1] for line in (done.out if done else "").splitlines() if "Models" in line), "?")
        print(f"{'':20} plain clingo       {figures(done)} {models:>9} models", flush=True)


def pools_of(answer: dict[str, Any]) -> Counter[tuple[int, int]]:
    """Pools of both players -> number of orders."""
    found: Counter[tuple[int, int]] = Counter()
    for outcome in answer["outcomes"]:
        pools = tuple(outcome["state"][player].get("aember", 0) for player in ("P1", "P2"))
        found[pools] += int(outcome["orders"])
    return found


def main() -> int:
    """Run the bench and return the exit status."""
    parser = argparse.ArgumentParser(description="Times the families of boards, and peers beside them.")
    families = f"{', '.join(FAMILIES)} (default: all)"
    parser.add_argument("family", nargs="*", choices=[*FAMILIES, []], metavar="FAMILY", help=families)
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="sizes instead of the usual ones")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS), help="peers to run beside")
    parser.add_argument("--phases", action="store_true", help="show where the time goes")
    parser.add_argument("--limit", type=float, default=300, metavar="S", help="seconds for each process (300)")
    args = parser.parse_args()
    bench = Bench(args.limit)
    peers = [peer for peer in args.peers if peer != "spin" or (shutil.which("spin") and shutil.which("gcc"))]
    print(f"{'board':20} {'program':18} {'clock s':>8} {'cpu s':>8} {'MiB':>8}")
    for family in args.family or FAMILIES:
        before: Run | None = None
        for number in args.sizes or FAMILIES[family].sizes:
            with tempfile.TemporaryDirectory() as folder:
                before = bench.ours(family, number, Path(folder), before)
                if args.phases:
                    bench.phases(family, number, Path(folder))
                for peer in peers:
                    if number <= MOST[peer] and (peer == "trace" or family in WINDOWS):
                        getattr(bench, peer)(family, number, Path(folder))
    for text in bench.wrong:
        print("WRONG", text)
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
