"""Ctrl-C, taken notice of where that is safe.

An exception that a signal handler raises may surface anywhere, also inside clingo's callbacks, where it is lost or ends
the process. So the handler only asks, and the work looks now and then whether it was asked.
"""

from __future__ import annotations

_asked = False
_what = ""


def request() -> None:
    """Ask the work to stop."""
    global _asked
    _asked = True


def reset() -> None:
    """Forget that the work was asked to stop."""
    global _asked
    _asked = False


def requested() -> bool:
    """Whether the work was asked to stop."""
    return _asked


def check() -> None:
    """Raise KeyboardInterrupt if the work was asked to stop."""
    if _asked:
        raise KeyboardInterrupt


def at_work(what: str) -> None:
    """Keep what is being done before there can be an answer, "the board was read", for whoever interrupts it."""
    global _what
    _what = what


def what() -> str:
    """What was being done before there could be an answer; empty where there may be one."""
    return _what
