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
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lastrites import stop

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from types import FrameType

Emit = Callable[[str, Any], None]
"""Called with the kind of a message and its content, which must be picklable."""

Task = Callable[[Emit, Any], None]
"""A function of a module that does the work on one argument; it and its argument must be picklable."""

GRACE = 1.0
"""Seconds that the work is given to hand over what it knows when its time is up; a tenth of a long time."""

HEADROOM = 1.25
"""How far beyond a limit of memory the work may go while it hands over what it knows."""

MEBIBYTE = 1 << 20


class Stopped(Exception):
    """The work was ended before it was done; the text says why."""


class Crashed(Exception):
    """The worker died by itself; the text says what is known about it."""


def run(
    task: Task,
    argument: Any,
    receive: Emit,
    *,
    timeout: float | None = None,
    max_memory: int | None = None,
    silence: float | None = None,
    give_up: Callable[[], None] | None = None,
) -> None:
    """Do ``task(emit, argument)`` and pass everything it emits to `receive`.

    `timeout` is in seconds, `max_memory` in MiB for the worker alone; `silence` is how many seconds may pass between
    two messages. The task is expected to look at the clock
    and at Ctrl-C itself; it is killed when it does not. Without limits the work is done in this process; if
    Ctrl-C finds it inside a long call of clingo, `give_up` is called in a thread, and has to end the process.
    An exception of the task is raised here. Raises `Stopped` when a limit is reached, or after Ctrl-C, and
    `Crashed` when the worker dies.
    """
    if timeout is not None or max_memory is not None or silence is not None:
        _run_apart(task, argument, receive, timeout, max_memory, silence)
        return
    try:
        with _attentive(give_up):
            task(receive, argument)
    except KeyboardInterrupt:
        raise Stopped("interrupted") from None


@contextlib.contextmanager
def _attentive(give_up: Callable[[], None] | None) -> Iterator[None]:
    """Have `give_up` called when Ctrl-C was pressed and Python does not get to handle it.

    Python handles signals between its own instructions, so never while clingo grounds; but the signal is
    written to a pipe at once, and clingo lets other threads run.
    """
    usable = os.name == "posix" and threading.current_thread() is threading.main_thread()
    if give_up is None or not usable:
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    finished = threading.Event()
    handled = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: FrameType | None) -> None:
        handled.set()
        if stop.requested():
            give_up()
        stop.request()

    def wait() -> None:
        while data := os.read(reading, 1):
            if data[0] == signal.SIGINT and not handled.wait(GRACE) and not finished.is_set():
                give_up()

    old_descriptor = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, handle)
    thread = threading.Thread(target=wait, daemon=True)
    stop.reset()
    thread.start()
    try:
        yield
    finally:
        finished.set()
        stop.reset()
        signal.set_wakeup_fd(old_descriptor)
        signal.signal(signal.SIGINT, before)
        os.close(writing)
        thread.join()
        os.close(reading)


def run_all(
    task: Task,
    arguments: Sequence[Any],
    *,
    workers: int,
    timeout: float | None = None,
    max_memory: int | None = None,
) -> Generator[tuple[int, list[tuple[str, Any]], Exception | None], None, None]:
    """Do the task on several arguments at the same time, each in a process of its own with limits of its own.

    Yields, as they end, the place of the argument, the messages (without progress) and what `run` would have
    raised. After Ctrl-C what runs is ended like that, and what has not begun is left out.
    """
    waiting = list(enumerate(arguments))[::-1]
    running: dict[int, tuple[_Job, list[tuple[str, Any]]]] = {}
    try:
        while waiting or running:
            try:
                while waiting and len(running) < workers:
                    place, argument = waiting.pop()
                    messages: list[tuple[str, Any]] = []
                    running[place] = (_Job(task, argument, _keep(messages), timeout, max_memory), messages)
                ended = [place for place, (job, _) in running.items() if job.attend()]
                if not ended:
                    _wait([job for job, _ in running.values()])
            except KeyboardInterrupt:
                waiting.clear()
                ended = []
                for job, _ in running.values():
                    job.interrupt()
            for place in ended:
                job, messages = running.pop(place)
                job.close()
                yield place, messages, job.error
    finally:
        for job, _ in running.values():
            job.close()


def _keep(messages: list[tuple[str, Any]]) -> Emit:
    def receive(kind: str, content: Any) -> None:
        if kind != "progress":
            messages.append((kind, content))

    return receive


def _run_apart(
    task: Task, argument: Any, receive: Emit, timeout: float | None, max_memory: int | None, silence: float | None
) -> None:
    job = _Job(task, argument, receive, timeout, max_memory, silence)
    try:
        while True:
            try:
                if job.attend():
                    break
                _wait([job])
            except KeyboardInterrupt:
                job.interrupt()
    finally:
        job.close()
    if job.error is not None:
        raise job.error


def _context() -> Any:
    import multiprocessing

    # A fork starts at once; `spawn` costs all imports again.
    return multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")


def _wait(jobs: Sequence[_Job]) -> None:
    from multiprocessing.connection import wait

    wait([job.pipe for job in jobs], timeout=0.05)


class _Job:
    """A task at work in a process of its own, and the limits that are kept on it."""

    def __init__(
        self,
        task: Task,
        argument: Any,
        receive: Emit,
        timeout: float | None,
        max_memory: int | None,
        silence: float | None = None,
    ) -> None:
        context = _context()
        self.receive = receive
        self.max_memory = max_memory
        self.error: Exception | None = None
        self.reason = ""
        self.late = f"the time limit of {timeout:g} s was reached" if timeout is not None else ""
        self.pipe: Connection
        self.pipe, theirs = context.Pipe(duplex=False)
        told = (theirs, task, argument, os.getpid())
        self.process: BaseProcess = context.Process(target=_work, args=told, daemon=True)
        self.kill_at = None if timeout is None else time.monotonic() + timeout + max(GRACE, timeout / 10)
        self.silence = silence
        self.heard_at = time.monotonic()
        self.look_at_memory = 0.0
        with _may_have_children():
            self.process.start()
        theirs.close()

    def attend(self) -> bool:
        """Take what has been sent and keep the limits. True when the job has ended; `error` says how."""
        try:
            while self.pipe.poll():
                kind, content = self.pipe.recv()
                if kind == "done":
                    return True
                if kind == "raised":
                    self.error = content
                    return True
                if kind == "interrupted":
                    self.error = Stopped(self.reason or "interrupted")
                    return True
                self.heard_at = time.monotonic()
                self.receive(kind, content)
        except EOFError:
            self.process.join()
            self.error = self._obituary()
            return True
        now = time.monotonic()
        if self.kill_at is not None and now >= self.kill_at:
            self.error = Stopped(self.reason or self.late)
            return True
        if self.silence is not None and now >= self.heard_at + self.silence:
            self.error = Stopped(self.reason or f"nothing was heard for {self.silence:g} s")
            return True
        if self.max_memory is not None and now >= self.look_at_memory:
            self.look_at_memory = now + 0.05
            return self._memory_is_up(self.max_memory)
        return False

    def _memory_is_up(self, most: int) -> bool:
        used = resident(self.process.pid)
        if used > most * MEBIBYTE and not self.reason:
            self.interrupt(f"the memory limit of {most} MiB was reached")
            self.receive("reason", self.reason)
        if used > most * MEBIBYTE * HEADROOM:
            self.error = Stopped(self.reason)
            return True
        return False

    def interrupt(self, reason: str = "interrupted") -> None:
        """Ask the job to hand over what it knows; asked again, it is not waited for any longer."""
        self.kill_at = time.monotonic() + (0.0 if self.reason else GRACE)
        self.reason = self.reason or reason
        if self.process.pid is not None and os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGINT)

    def close(self) -> None:
        """End the process if it still runs."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()

    def _obituary(self) -> Exception:
        if self.reason:
            return Stopped(self.reason)
        code = self.process.exitcode
        ended = f"signal {-code}" if code is not None and code < 0 else f"status {code}"
        return Crashed(f"the worker ended with {ended}")


@contextlib.contextmanager
def _may_have_children() -> Iterator[None]:
    """Let a worker of a cluster, which is a daemon as a rule, have a process of its own: it ends with the worker."""
    from multiprocessing import current_process

    own = current_process()
    was = own.daemon
    settings: dict[str, Any] = vars(own)["_config"]
    settings["daemon"] = False
    try:
        yield
    finally:
        settings["daemon"] = was


def end_with_the_parent(parent: int) -> None:
    """Nobody listens any more when the process that began the work has been killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _interrupt_once(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _work(pipe: Connection, task: Task, argument: Any, parent: int) -> None:
    signal.signal(signal.SIGINT, _interrupt_once)
    if os.name == "posix":
        end_with_the_parent(parent)

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
