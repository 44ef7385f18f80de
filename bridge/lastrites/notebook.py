"""Boards and answers as HTML, the way a notebook shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from lastrites.terminal import headline, orders_of, state_lines, when_text

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.resolution import Resolution


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    heads = "".join(f"<th style='text-align:left'>{escape(text)}</th>" for text in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _state(state: Mapping[str, Any]) -> str:
    return "<br>".join(f"<b>{escape(who)}</b>: {escape(what)}" for who, what in state_lines(state))


def board_html(board: Board) -> str:
    """A board: its title, and what lies where at the start."""
    from lastrites.state import StateWriter

    settings = [board.game, f"edition {board.edition}" if board.edition else "", when_text(board.readings)]
    told = escape(", ".join(filter(None, settings)))
    start = _state(StateWriter(board).state(board.initial()))
    return f"<div><p><b>{escape(board.title or board.path)}</b><br>{told}</p><p>{start}</p></div>"


def resolution_html(resolution: Resolution) -> str:
    """An answer: its headline, and a table of the outcomes, or of the ends of groups."""
    result = resolution.to_json()
    if result.get("factors"):
        return _factors_html(result)
    rows = []
    for outcome in result["outcomes"]:
        under = "<br>".join(
            escape(": ".join(filter(None, (when_text(entry["when"]) or "every reading", orders_of(entry)))))
            for entry in outcome["under"]
        )  # fmt: skip
        deciders = "not known" if outcome["deciders"] is None else ", ".join(outcome["deciders"]) or "nobody"
        rows.append([escape(outcome["id"]), under, _state(outcome["state"]), escape(deciders)])
    title = escape(result["board"])
    notes = "" if result["complete"] else f"<p><b>incomplete</b>: {escape(result['incomplete_reason'])}</p>"
    table = _table(["outcome", "orders", "final state", "decided by"], rows)
    return f"<div><p><b>{title}</b><br>{escape(headline(result))}</p>{notes}{table}</div>"


def _factors_html(result: Mapping[str, Any]) -> str:
    rows = []
    for row in result["factors"]:
        for group in row["groups"]:
            for end in group["ends"]:
                orders = ", ".join(f"{each['orders']} of {each['picks']} picks" for each in end["orders"])
                cells = [when_text(row["when"]) or "every reading", end["id"], orders, "; ".join(end["changes"])]
                rows.append([escape(cell) for cell in [*cells, ", ".join(end["deciders"]) or "nobody"]])
    table = _table(["under", "end of a group", "orders", "changes", "decided by"], rows)
    return f"<div><p><b>{escape(result['board'])}</b><br>{escape(headline(result))}</p>{table}</div>"
