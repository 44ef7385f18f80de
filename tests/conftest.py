"""Tests of one board run on one worker, one after another: what the board resolves to is computed once for all."""

from __future__ import annotations

from pathlib import Path

import pytest


def _board_of(item: pytest.Item) -> str:
    """The file of the board that a test is about; of a test about no single board, its own name."""
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    path = parameters.get("path")
    return str(path) if isinstance(path, Path) else item.nodeid


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group by board, in the order in which boards are met first."""
    met = {board: number for number, board in enumerate(dict.fromkeys(map(_board_of, items)))}
    items.sort(key=lambda item: met[_board_of(item)])
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_board_of(item)))
