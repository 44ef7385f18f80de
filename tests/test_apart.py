"""A board that hangs or that ends its process costs only itself, whoever does the work."""

from __future__ import annotations

import os
import shutil
import signal
import time
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest
from fixture_help import ROOT

from lastrites import worker
from lastrites.game import load_game
from lastrites.search import apart
from lastrites.search.apart import examine_apart
from lastrites.search.examine import Begin, Json, Target, examine, row_of_a_failure
from lastrites.search.separate import Pool, Scope, separate
from lastrites.search.sweep import Journal, Processes, Serial, Sweep

ENDLESS = '\ngrows(0) :- prints(_,"quince").\ngrows(N+1) :- grows(N).\n'
"""Where there is a quince the grounder never comes to an end."""
BRANCHES = (["Plum"], ["Plum", "Quince"], ["Plum", "Apple"])
LONG = 1000.0


def runs(process: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def job(tmp_path: Path) -> Json:
    """Boards that share a grounding, one of them with a quince."""
    shutil.copytree(ROOT / "rules" / "core", tmp_path / "core")
    shutil.copytree(ROOT / "tests" / "tinygame" / "rules" / "orchard", tmp_path / "orchard")
    boards = [
        f"game: orchard\nactive: Ida\nplayers: {{Ida: {{branch: [{', '.join(branch)}]}}, Ole: {{}}}}\n"
        "event: {shake: [Plum]}\n"
        for branch in BRANCHES
    ]
    target = Target("orchard", question="late_fruit", edition="second", rules=str(tmp_path))
    return {"target": target.to_json(), "names": ["late_fruit"], "states": 500, "piles": False, "boards": boards}


def test_a_grounding_without_end_is_ended(job: Json, tmp_path: Path) -> None:
    with (tmp_path / "orchard" / "falling.lp").open("a", encoding="utf-8") as file:
        file.write(ENDLESS)
    job["boards"] = job["boards"][1:2]
    journal = Journal(tmp_path / "journal")
    with ProcessPoolExecutor(1) as workers:
        (done,) = Sweep(partial(examine_apart, seconds=0.5), workers, journal, patience=0.5).run([job])
    assert not done.error
    assert done.result == {"rows": [row_of_a_failure("not looked at within 0.5 s")], "late": 0.5}

    def again(job: Json) -> Json:
        raise AssertionError("this has been done")

    (known,) = Sweep(again, Serial(), journal, patience=0.5).run([job])
    assert known.result == done.result
    (longer,) = Sweep(again, Serial(), journal, patience=1.0).run([job])
    assert "this has been done" in longer.error


def test_a_deadline_ends_a_job_in_this_process(job: Json, tmp_path: Path) -> None:
    with (tmp_path / "orchard" / "falling.lp").open("a", encoding="utf-8") as file:
        file.write(ENDLESS)
    job["boards"] = job["boards"][1:2]
    deadline = time.monotonic() + 0.2
    sweep = Sweep(partial(examine_apart, seconds=LONG, deadline=deadline), Serial(), deadline=deadline)
    with pytest.raises(TimeoutError):
        list(sweep.run([job]))


def test_a_board_that_hangs_costs_only_itself(job: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards that would share a grounding with it are looked at one by one. A clock of our own: no real time is up."""
    expected = examine(job)["rows"]
    hanging = tmp_path / "hanging"
    hanging.mkdir()

    def endless(job: Json, begin: Begin) -> Json:
        begin(range(len(job["boards"])))
        if any("Quince" in board for board in job["boards"]):
            (hanging / str(os.getpid())).touch()
            time.sleep(LONG)
        return examine(job, begin)

    gone = 0.0

    def clock() -> float:
        """Goes on by leaps while a board hangs, and not while others are looked at, however long that takes."""
        nonlocal gone
        gone += LONG / 2 * any(runs(int(file.name)) for file in hanging.iterdir())
        return time.monotonic() + gone

    monkeypatch.setattr(apart, "examine", endless)
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=clock, sleep=time.sleep))
    result = examine_apart(job, LONG)
    assert [row["error"] for row in result["rows"]] == ["", "not looked at within 1000 s", ""]
    assert [result["rows"][0], result["rows"][2]] == [expected[0], expected[2]]
    assert result["late"] == LONG


def test_a_board_that_ends_its_process_costs_only_itself(job: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = examine(job)["rows"]

    def deadly(job: Json, begin: Begin) -> Json:
        if any("Quince" in board for board in job["boards"]):
            os._exit(9)
        return examine(job, begin)

    monkeypatch.setattr(apart, "examine", deadly)
    result = examine_apart(job, LONG)
    assert [row["error"] for row in result["rows"]] == ["", "the worker ended with status 9", ""]
    assert result["rows"][2] == expected[2]
    assert "late" not in result


def test_a_process_that_is_killed_once_costs_nothing(
    job: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = examine(job)["rows"]
    killed = tmp_path / "killed"

    def deadly(job: Json, begin: Begin) -> Json:
        begin([0])
        if not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return examine(job, begin)

    monkeypatch.setattr(apart, "examine", deadly)
    assert examine_apart(job, LONG) == {"rows": expected}


def killed_once(job: Json) -> Json:
    """Ends the worker of the pool, not only a process beneath it, when it is begun for the first time."""
    begun = Path(job["begun"])
    if not begun.exists():
        begun.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"done": job["number"]}


def test_an_executor_that_is_gone_is_not_waited_for() -> None:
    class Silent(Serial):
        def submit(self, fn: object, /, *args: object, **kwargs: object) -> Future[object]:
            return Future()

    with pytest.raises(BrokenExecutor, match="the cluster is gone"):
        list(Sweep(examine, Silent(), gone=lambda: "the cluster is gone").run([{}]))


def killed(job: Json) -> Json:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path) -> None:
    jobs = [{"number": number, "begun": str(tmp_path / "begun")} for number in range(4)]
    with Processes(1) as workers:
        found = list(Sweep(killed_once, workers).run(jobs))
    assert [done.error for done in found] == [""] * 4
    assert sorted(done.result["done"] for done in found) == [0, 1, 2, 3]


def test_workers_that_are_killed_again_and_again_are_not_waited_for(tmp_path: Path) -> None:
    with Processes(1) as workers:
        (done,) = Sweep(killed, workers).run([{}])
    assert "BrokenProcessPool" in done.error


@pytest.mark.parametrize("error", [BrokenExecutor("gone"), ValueError("gone")])
def test_a_search_whose_executor_breaks_is_incomplete(error: Exception) -> None:
    class Broken(Serial):
        def submit(self, fn: object, /, *args: object, **kwargs: object) -> NoReturn:
            raise error

    game = load_game("keyforge")
    scope = Scope((Pool("", ("dust-imp",), ("destroy_all",), cards=1, points=0),))
    made = separate(game, Target("keyforge", question="lost_ability"), scope, Sweep(examine, Broken()))
    assert not made.complete
    assert "gone" in made.reason
