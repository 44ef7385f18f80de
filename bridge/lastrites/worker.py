"""Hard limits: work in a process of its own that can be killed.

Neither a deadline nor Ctrl-C can stop clingo while it grounds, so a limit that must hold needs a second
process. It reports through a pipe as it goes, and what it has reported survives its end. Without limits the
work is done here and costs nothing extra.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

Emit = Callable[[str, Any], None]
"""Called with the kind of a message and its content, which must be picklable."""

Task = Callable[[Emit, Any], None]
"""A function of a module that does the work on one argument; it and its argument must be picklable."""

GRACE = 0.75
"""Seconds that the work is given to hand over what it knows when its time is up."""

MEBIBYTE = 1 << 20


class Stopped(Exception):
    """The work was ended before it was done; the text says why."""


class Crashed(Exception):
    """The worker died by itself; the text says what is known about it."""


def run(
    task: Task, argument: Any, receive: Emit, *, timeout: float | None = None, max_memory: int | None = None
) -> None:
    """Do ``task(emit, argument)`` and pass everything it emits to `receive`.

    `timeout` is in seconds, `max_memory` in MiB for the worker alone. An exception of the task is raised here.
    Raises `Stopped` when a limit is reached and `Crashed` when the worker dies.
    """
    if timeout is None and max_memory is None:
        task(receive, argument)
        return
    _run_apart(task, argument, receive, timeout, max_memory)


def _run_apart(
    task: Task, argument: Any, receive: Emit, timeout: float | None, max_memory: int | None
) -> None:
    context = _context()
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(theirs, task, argument), daemon=True)  # type: ignore[attr-defined]  # typeshed: only the concrete contexts have Process
    began = time.monotonic()
    process.start()
    theirs.close()
    try:
        _watch(process, ours, receive, began, timeout, max_memory)
    finally:
        if process.is_alive():
            process.kill()
        process.join()
        ours.close()


def _context() -> BaseContext:
    import multiprocessing

    # A fork starts at once; `spawn` costs all imports again.
    return multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")


def _watch(
    process: BaseProcess,
    pipe: Connection,
    receive: Emit,
    began: float,
    timeout: float | None,
    max_memory: int | None,
) -> None:
    kill_at = None if timeout is None else began + timeout + GRACE
    asked = False
    reason = ""
    look_at_memory = 0.0
    while True:
        try:
            now = time.monotonic()
            if timeout is not None and not asked and now >= began + timeout:
                asked, reason = True, f"time limit of {timeout:g} s"
                _interrupt(process)
            if kill_at is not None and now >= kill_at:
                raise Stopped(reason)
            if max_memory is not None and now >= look_at_memory:
                look_at_memory = now + 0.05
                if resident(process.pid) > max_memory * MEBIBYTE:
                    raise Stopped(f"memory limit of {max_memory} MiB")
            if not pipe.poll(0.02):
                continue
            kind, content = pipe.recv()
            if kind == "done":
                return
            if kind == "raised":
                raise content
            if kind == "interrupted":
                raise Stopped(reason or "interrupted")
            receive(kind, content)
        except EOFError:
            process.join()
            raise _obituary(process, reason, max_memory) from None
        except KeyboardInterrupt:
            # The terminal has sent the signal to the worker as well. A second one does not wait.
            if reason == "interrupted":
                raise Stopped(reason) from None
            if not asked:
                _interrupt(process)
            asked, reason, kill_at = True, "interrupted", time.monotonic() + GRACE


def _obituary(process: BaseProcess, reason: str, max_memory: int | None) -> Exception:
    if reason:
        return Stopped(reason)
    if max_memory is not None:
        # Under a memory limit an allocation that fails ends the worker in whatever way clingo finds.
        return Stopped(f"memory limit of {max_memory} MiB")
    code = process.exitcode
    return Crashed(f"the worker ended with signal {-code}" if code and code < 0 else f"the worker ended with status {code}")


def _interrupt(process: BaseProcess) -> None:
    if process.pid is not None and hasattr(signal, "SIGINT") and os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGINT)


def _work(pipe: Connection, task: Task, argument: Any) -> None:
    def emit(kind: str, content: Any) -> None:
        pipe.send((kind, content))

    try:
        task(emit, argument)
    except KeyboardInterrupt:
        emit("interrupted", None)
    except BrokenPipeError:
        return
    except BaseException as error:  # whatever it is, it is for the other side to handle
        _raise_over_there(emit, error)
    else:
        emit("done", None)


def _raise_over_there(emit: Emit, error: BaseException) -> None:
    import pickle

    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        emit("raised", RuntimeError(f"{type(error).__name__}: {error}"))
    else:
        emit("raised", error)


def resident(pid: int | None) -> int:
    """Bytes of memory that a process holds; 0 where that cannot be found out."""
    if pid is None:
        return 0
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        pass
    try:
        told = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return int(told.stdout.strip() or 0) * 1024
    except (OSError, ValueError):
        return 0


def can_limit_memory() -> bool:
    """Whether the memory of another process can be looked at on this machine."""
    return resident(os.getpid()) > 0 and sys.platform != "win32"
