"""Lastrites: every legal outcome of a card game board on which things die at the same time.

    import lastrites
    board = lastrites.load("board.yaml")
    answer = lastrites.resolve(board, readings={"cascade": "nested"})
    answer.outcomes, answer.order_count, answer.orders(), answer.questions

The names below are imported when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.board import load_board as load
    from lastrites.errors import BoardError, Problem
    from lastrites.resolution import Assignment, Limits, Order, Outcome, Resolution, Step, resolve

_HOMES = {
    "Assignment": "resolution",
    "Board": "board",
    "BoardError": "errors",
    "Limits": "resolution",
    "Order": "resolution",
    "Outcome": "resolution",
    "Problem": "errors",
    "Resolution": "resolution",
    "Step": "resolution",
    "load": "board:load_board",
    "resolve": "resolution",
}

__all__ = [
    "Assignment",
    "Board",
    "BoardError",
    "Limits",
    "Order",
    "Outcome",
    "Problem",
    "Resolution",
    "Step",
    "__version__",
    "load",
    "resolve",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module

        module, _, inside = _HOMES[name].partition(":")
        value = getattr(import_module(f"lastrites.{module}"), inside or name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
