"""The package: cheap to import, its rules found, its names there."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import lastrites
from lastrites.game import known_games, rules_folder

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("clingo", "networkx", "yaml", "multiprocessing", "difflib", "unittest", "asyncio")


def modules_after(code: str) -> set[str]:
    """Top-level modules that `code` loads in a fresh interpreter."""
    path = f"sys.path.insert(0, {str(ROOT / 'bridge')!r})"
    script = f"import sys\n{path}\nbefore = set(sys.modules)\n{code}\nprint(*set(sys.modules) - before)"
    told = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in told.stdout.split("\n")[-2].split(" ")}


def test_importing_the_package_costs_next_to_nothing() -> None:
    loaded = modules_after("import lastrites")
    assert loaded.isdisjoint((*HEAVY, "argparse", "dataclasses", "pathlib"))


def test_help_needs_neither_solver_nor_yaml() -> None:
    loaded = modules_after("import lastrites.cli as c\ntry: c.main(['outcomes', '--help'])\nexcept SystemExit: pass")
    assert loaded.isdisjoint(HEAVY)


def test_outcomes_need_no_networkx() -> None:
    board = next((ROOT / "fixtures" / "keyforge").glob("groggins-fights*.yaml"))
    loaded = modules_after(f"import lastrites.cli as c\nassert c.main(['outcomes', {str(board)!r}]) == 0")
    assert "clingo" in loaded
    assert loaded.isdisjoint(("networkx", "multiprocessing"))


@pytest.mark.parametrize("name", lastrites.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(lastrites, name) is not None
    assert name in dir(lastrites)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lastrites.nothing  # noqa: B018  # looking is what is tested


def test_rules_of_the_checkout_are_found() -> None:
    assert rules_folder() == ROOT / "rules"
    assert "keyforge" in known_games()


def test_the_wheel_carries_the_rules() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"rules": "lastrites/rules"}
    assert wheel["packages"] == ["bridge/lastrites"]
    assert settings["project"]["scripts"] == {"lastrites": "lastrites.__main__:main"}
