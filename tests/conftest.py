"""Tests of one board run on one worker, one after another: what the board resolves to is computed once for all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.remote import Producer

_OF_A_BOARD = re.compile(r"\[(\w+/[^\]]+)\]$")
"""How the id of a test ends that is about one board: `[game/name]`."""


def board_of(test: str) -> str:
    """The board that a test is about, by its id; of a test about no single board the id itself."""
    found = _OF_A_BOARD.search(test)
    return found[1] if found else test


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of a board together, in the order in which boards are met first."""
    met = {board: number for number, board in enumerate(dict.fromkeys(board_of(item.nodeid) for item in items))}
    items.sort(key=lambda item: met[board_of(item.nodeid)])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Any:
    """Give all tests of a board to one worker.

    Marks would do it (`--dist loadgroup`), but with pytest 9.2 pytest-xdist 3.8 passes over them (its issue 1386).
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByBoard(LoadScopeScheduling):
        """Tests of one board are handed out together."""

        def _split_scope(self, nodeid: str) -> str:
            return board_of(nodeid)

    return ByBoard(config, log)
