"""Many small jobs through a ``concurrent.futures.Executor``: results as they come, and a journal of what is done.

A process pool by default; any other executor will do, a dask cluster's among them. A job is a function of a module
and one argument, both picklable. An interrupted sweep goes on from its journal without doing work twice.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from lastrites import stop
from lastrites.errors import BoardError, Problem
from lastrites.game import APART

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

Json = dict[str, Any]
Work = Callable[[Json], Json]
"""What is done for a job: takes and gives plain data, so that both can go between processes and into a journal."""


@dataclass(frozen=True)
class Done:
    """A job with its result, or with what went wrong (``error``)."""

    job: Json
    result: Json
    error: str = ""


BEGIN = b'{"key": "'
"""How a line of a journal begins."""


class Journal:
    """What has been done, one line of JSON for each job, written as results come."""

    def __init__(
        self, path: Path | None, version: str = "", fits: Callable[[Json, Json], bool] = lambda job, result: True
    ) -> None:
        """``path`` is read if it exists; None keeps the journal in memory only. What was noted under another
        ``version`` (of the rules, say), or does not fit the job (``fits``), is not taken for known.
        Raises BoardError where the file is something else, or cannot be read and written.
        """
        self._version, self._fits = version, fits
        self._known: dict[str, Json] = {}
        self._file: IO[str] | None = None
        if path is not None:
            try:
                if path.exists() and not path.is_file():
                    raise BoardError([Problem("LR-E001", str(path), 0, 0, "a journal cannot be kept here: no file")])
                before = path.read_bytes() if path.exists() else b""
                if before and not before.startswith(BEGIN):
                    hint = "name a file of its own: a journal is added to"
                    raise BoardError([Problem("LR-E001", str(path), 0, 0, "this is no journal of a sweep", hint)])
                self._file = path.open("a", encoding="utf-8")
            except OSError as error:
                message = f"a journal cannot be kept here: {error.strerror or error}"
                raise BoardError([Problem("LR-E001", str(path), 0, 0, message)]) from None
            for line in before.splitlines():
                self._read(line)
            if before and not before.endswith(b"\n"):
                self._file.write("\n")

    def _read(self, line: bytes) -> None:
        try:
            row = json.loads(line)
            if isinstance(row["result"], dict):
                self._known[row["key"]] = row["result"]
        except (ValueError, KeyError, TypeError):
            return  # a line that was cut off when the sweep was interrupted

    def key(self, job: Json) -> str:
        """A name for a job that is the same whenever its content and the version are."""
        text = self._version + json.dumps(job, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def find(self, job: Json) -> Json | None:
        """The result of a job that has been done before."""
        known = self._known.get(self.key(job))
        return known if known is not None and self._fits(job, known) else None

    def note(self, job: Json, result: Json) -> None:
        """Remember a result."""
        key = self.key(job)
        self._known[key] = result
        if self._file is not None:
            self._file.write(json.dumps({"key": key, "result": result}, ensure_ascii=False) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def version_of(rules: Path, game: str) -> str:
    """A name for the content of the rules of a game, but for what no board reads (it says which boards are looked at,
    say, or which fixtures rest on a clause)."""
    digest = hashlib.sha256()
    files = (path for folder in (rules / "core", rules / game) for path in folder.rglob("*.lp"))
    for file in sorted(path for path in files if path.parent.name != "search" and path.name not in APART):
        digest.update(str(file.relative_to(rules)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


class Serial(Executor):
    """Does each job at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The result is there when this returns."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Processes(Executor):
    """A pool of processes that is made anew when one of them was killed, which is the end of a pool of the library.

    What was on its way then has to be submitted once more (:class:`Sweep` does).
    """

    def __init__(self, workers: int, initializer: Callable[[], None] | None = None) -> None:
        """``initializer`` is called in every process first."""
        self._workers, self._initializer = workers, initializer
        self._pool = self._made()

    def _made(self) -> ProcessPoolExecutor:
        from concurrent.futures import ProcessPoolExecutor

        return ProcessPoolExecutor(self._workers, initializer=self._initializer)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As of any executor."""
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenExecutor:
            self._pool = self._made()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Without ``wait`` what still runs is ended."""
        if not wait:
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


TRIES = 5
"""So often a job is handed out to an executor that breaks (a worker was killed, with whatever was on its way)."""


@dataclass
class Sweep:
    """Jobs on their way through an executor.

    ``ahead`` jobs wait in the executor at a time, so that an interrupt loses little. ``patience`` is how many seconds
    a part of a job may take: what the journal says was given less time (``late``) is done again. Without ``cancels``
    jobs that are not waited for any longer are left to the executor, which is about to end. ``gone`` says why nothing
    comes from the executor any more, and nothing otherwise.
    """

    work: Work
    executor: Executor
    journal: Journal = field(default_factory=lambda: Journal(None))
    ahead: int = 8
    deadline: float | None = None
    patience: float | None = None
    cancels: bool = True
    gone: Callable[[], str] = str

    def run(self, jobs: Iterable[Json]) -> Iterator[Done]:
        """Results as they come. Raises KeyboardInterrupt after Ctrl-C, TimeoutError at the deadline, BrokenExecutor
        where the executor takes no more jobs."""
        waiting: dict[Future[Json], tuple[Json, int]] = {}
        coming = ((job, 1) for job in jobs)
        again: list[tuple[Json, int]] = []
        try:
            while True:
                while len(waiting) < self.ahead:
                    self._check()
                    one = again.pop() if again else next(coming, None)
                    if one is None:
                        break
                    known = self.journal.find(one[0])
                    if known is not None and not self._too_soon(known):
                        yield Done(one[0], known)
                    else:
                        waiting[self._submit(one[0])] = one
                if not waiting:
                    return
                ended, _ = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
                self._check()
                for future in ended:
                    job, tries = waiting.pop(future)
                    lost = future.cancelled() or isinstance(future.exception(), BrokenExecutor)
                    if lost and tries < TRIES:
                        again.append((job, tries + 1))
                    else:
                        yield self._done(job, future)
        finally:
            for future in waiting if self.cancels and not self.gone() else ():
                future.cancel()

    def _submit(self, job: Json) -> Future[Json]:
        try:
            return self.executor.submit(self.work, job)
        except BrokenExecutor:
            raise
        except Exception as error:  # every executor has errors of its own: a cluster that is gone, say
            raise BrokenExecutor(f"{type(error).__name__}: {error}") from error

    def _too_soon(self, known: Json) -> bool:
        late = known.get("late")
        return late is not None and (self.patience is None or self.patience > late)

    def _check(self) -> None:
        stop.check()
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise TimeoutError
        if why := self.gone():
            raise BrokenExecutor(why)

    def _done(self, job: Json, future: Future[Json]) -> Done:
        try:
            result = future.result()
        except TimeoutError:
            self._check()  # the job knows of the deadline
            return Done(job, {}, "TimeoutError")
        except Exception as error:  # whatever a job runs into is told beside the results of the others
            return Done(job, {}, f"{type(error).__name__}: {error}")
        self.journal.note(job, result)
        return Done(job, result)


__all__: Sequence[str] = ["Done", "Journal", "Processes", "Serial", "Sweep", "Work", "version_of"]
