"""Hard limits: work that does not look at the clock is ended all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import clingo
import pytest

from lastrites import worker
from lastrites.worker import Emit

BRIDGE = Path(__file__).resolve().parents[1] / "bridge"


def ground_for_ever(emit: Emit, argument: Any) -> None:
    """Something that neither a deadline nor Ctrl-C can stop from inside."""
    emit("began", argument)
    control = clingo.Control()
    control.add("base", [], "p(X,Y,Z) :- X = 1..3000, Y = 1..3000, Z = 1..3000, X * Y * Z = 17.")
    control.ground([("base", [])])
    emit("ended", argument)


def double(emit: Emit, argument: Any) -> None:
    emit("result", argument * 2)


def fill_memory(emit: Emit, argument: Any) -> None:
    emit("began", argument)
    kept = []
    while True:
        kept.append(bytearray(4 << 20))
        time.sleep(0.005)


def fail(emit: Emit, argument: Any) -> None:
    raise ValueError(f"no {argument}")


def die(emit: Emit, argument: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for_the_signal(emit: Emit, argument: Any) -> None:
    try:
        while True:
            time.sleep(0.01)
    except KeyboardInterrupt:
        emit("partial", argument)


class Heard:
    """Keeps what a task says."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, Any]] = []

    def __call__(self, kind: str, content: Any) -> None:
        self.messages.append((kind, content))


@pytest.mark.parametrize("timeout", [None, 30.0])
def test_work_here_and_apart_gives_the_same(timeout: float | None) -> None:
    heard = Heard()
    worker.run(double, 21, heard, timeout=timeout)
    assert heard.messages == [("result", 42)]


@pytest.mark.parametrize("timeout", [None, 30.0])
def test_exceptions_come_back(timeout: float | None) -> None:
    with pytest.raises(ValueError, match="no board"):
        worker.run(fail, "board", Heard(), timeout=timeout)


def test_a_limit_of_time_holds_while_clingo_grounds() -> None:
    heard = Heard()
    began = time.monotonic()
    with pytest.raises(worker.Stopped, match=r"time limit of 0\.3 s"):
        worker.run(ground_for_ever, 1, heard, timeout=0.3)
    assert time.monotonic() - began < 0.3 + worker.GRACE + 2
    assert heard.messages == [("began", 1)]


def test_a_limit_of_memory_is_kept_and_what_was_said_is_kept_too() -> None:
    heard = Heard()
    limit = worker.resident(os.getpid()) // worker.MEBIBYTE + 100
    with pytest.raises(worker.Stopped, match=f"memory limit of {limit} MiB"):
        worker.run(fill_memory, 1, heard, max_memory=limit)
    assert heard.messages[0] == ("began", 1)


def test_a_worker_that_dies_is_told() -> None:
    with pytest.raises(worker.Crashed, match="signal 9"):
        worker.run(die, 1, Heard(), timeout=30)


def test_several_at_a_time_with_limits_of_their_own() -> None:
    found = {
        place: (messages, error)
        for place, messages, error in worker.run_all(double, [1, 2, 3, 4, 5], workers=2, timeout=30)
    }
    assert found == {place: ([("result", 2 * (place + 1))], None) for place in range(5)}
    ((place, messages, error),) = worker.run_all(ground_for_ever, [7], workers=2, timeout=0.2)
    assert (place, messages) == (0, [("began", 7)])
    assert isinstance(error, worker.Stopped)


SCRIPT = """
import os, sys
sys.path[:0] = [{bridge!r}, {tests!r}]
from lastrites import worker
import test_worker

def give_up():
    print("given up", flush=True)
    os._exit(3)

def hear(kind, content):
    print(kind, flush=True)

try:
    worker.run(test_worker.{task}, 1, hear, timeout={timeout}, give_up=give_up)
except worker.Stopped as stop:
    print("stopped:", stop, flush=True)
"""


@pytest.mark.parametrize(
    ("task", "timeout", "said"),
    [
        ("ground_for_ever", None, ["began", "given up"]),
        ("ground_for_ever", 60, ["began", "stopped: interrupted"]),
        ("wait_for_the_signal", 60, ["partial"]),
    ],
)
def test_an_interrupt_holds_while_clingo_grounds(task: str, timeout: float | None, said: list[str]) -> None:
    script = SCRIPT.format(bridge=str(BRIDGE), tests=str(Path(__file__).parent), task=task, timeout=timeout)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = []
    if said[0] == "began":
        lines.append(process.stdout.readline().strip())
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert lines + out.split("\n")[:-1] == said
