"""A board that hangs or that ends its process costs only itself, whoever does the work."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from fixture_help import ROOT

from lastrites.search import apart
from lastrites.search.apart import examine_apart
from lastrites.search.examine import Begin, Json, Target, examine
from lastrites.search.sweep import Journal, Serial, Sweep

ENDLESS = '\ngrows(0) :- prints(_,"quince").\ngrows(N+1) :- grows(N).\n'
"""Where there is a quince the grounder never comes to an end."""
BRANCHES = (["Plum"], ["Plum", "Quince"], ["Plum", "Apple"])


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


def hang(job: Json) -> None:
    with (Path(job["target"]["rules"]) / "orchard" / "falling.lp").open("a", encoding="utf-8") as file:
        file.write(ENDLESS)


def test_a_board_that_hangs_costs_only_itself(job: Json, tmp_path: Path) -> None:
    expected = examine(job)["rows"]
    hang(job)
    journal = Journal(tmp_path / "journal")
    with ProcessPoolExecutor(1) as workers:
        (done,) = Sweep(partial(examine_apart, seconds=0.8), workers, journal, patience=0.8).run([job])
    assert not done.error
    assert done.result["late"] == 0.8
    rows = done.result["rows"]
    assert [row["error"] for row in rows] == ["", "not looked at within 0.8 s", ""]
    assert [rows[0], rows[2]] == [expected[0], expected[2]]

    def again(job: Json) -> Json:
        raise AssertionError("this has been done")

    (known,) = Sweep(again, Serial(), journal, patience=0.8).run([job])
    assert known.result == done.result
    (longer,) = Sweep(again, Serial(), journal, patience=1.0).run([job])
    assert "this has been done" in longer.error


def test_a_board_that_ends_its_process_costs_only_itself(job: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = examine(job)["rows"]

    def deadly(job: Json, begin: Begin) -> Json:
        if any("Quince" in board for board in job["boards"]):
            os._exit(9)
        return examine(job, begin)

    monkeypatch.setattr(apart, "examine", deadly)
    result = examine_apart(job, 30.0)
    assert [row["error"] for row in result["rows"]] == ["", "the worker ended with status 9", ""]
    assert result["rows"][2] == expected[2]
    assert "late" not in result
