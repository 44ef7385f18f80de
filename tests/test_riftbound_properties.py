"""What holds on every Riftbound board: modes agree, nothing is lost, deaths and steps of a Cleanup keep their order."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from fixture_help import disagreements, layer_disagreements, small_enough, summary
from hypothesis import given, settings
from riftbound_strategies import RENAMED, Json, layouts, rewritten
from test_properties import bounded

import lastrites
from lastrites.board import Board
from lastrites.explore import StateGraph
from lastrites.resolution import Resolution
from lastrites.terms import Term

BOARDS = int(os.environ.get("LASTRITES_RANDOM_BOARDS", "3"))
"""How many boards each property is tried on."""

STEPS = {
    "1.4": ("victory", "designations", "capture", "kill", "heal", "withdraw", "expire", "empty", "control", "correct",
            "contested"),
    "1.2": ("victory", "capture", "kill", "heal", "withdraw", "undesignate", "designations", "control", "correct"),
}  # fmt: skip
"""The steps of a Cleanup in their order, written down apart from the rules."""

def resolve(layout: Json, edition: str = "1.4") -> Resolution:
    """The layout, resolved with the questions that the edition leaves open."""
    board = Board.from_text(json.dumps(layout, ensure_ascii=False))
    return lastrites.resolve(board, edition=edition, limits=lastrites.Limits(states=1_500))


@settings(bounded, max_examples=BOARDS)
@given(layouts())
def test_the_modes_agree(layout: Json) -> None:
    """Layer mode on every state; trace mode wherever the board is small enough for it."""
    resolution = resolve(layout)
    assert not layer_disagreements(resolution)
    if small_enough(resolution):
        assert not disagreements(resolution)


def places(fluents: frozenset[Term]) -> dict[str, str]:
    """Where each card is: the name of its zone."""
    zones = [(str(fluent.args[0]), fluent.args[2]) for fluent in fluents if fluent.name == "zone"]
    assert len(zones) == len(dict(zones))
    return {card: zone.name for card, zone in zones if isinstance(zone, Term)}


def top(fluents: frozenset[Term]) -> Term | None:
    """The topmost frame, if it is that of a Cleanup."""
    frames = {int(str(fluent.args[0])): fluent.args[1] for fluent in fluents if fluent.name == "frame"}
    frame = frames[max(frames)]
    return frame if isinstance(frame, Term) and frame.name == "cleanup" else None


def steps_out_of_order(graph: StateGraph, edition: str) -> list[tuple[str, str]]:
    """Pairs of steps of one pass of a Cleanup that do not follow each other in the list of the edition."""
    order = STEPS[edition]
    here = [top(graph.fluents.terms(node.state)) for node in graph.nodes]
    taken = [[str(o.term.args[0]) for o in node.options if o.term.name == "clean"] for node in graph.nodes]
    last: dict[Term, str] = {}
    for node, names in zip(graph.nodes, taken, strict=True):
        for name, target in zip(names, node.targets, strict=False):
            frame = here[target]
            if name != "done" and frame is not None:
                assert last.setdefault(frame, name) == name
    return [
        (last[frame], name)
        for frame, names in zip(here, taken, strict=True)
        for name in names
        if frame is not None and name != "done" and order.index(name) <= order.index(last[frame])
    ]


@settings(bounded, max_examples=BOARDS)
@given(layouts(most=4))
def test_nothing_is_lost_nothing_dies_twice_and_steps_keep_their_order(layout: Json) -> None:
    """Each card is in one place, tokens may cease; what has left the board does not come back by itself."""
    for edition in STEPS:
        resolution = resolve(layout, edition)
        graph = resolution.graph
        where = [places(graph.fluents.terms(node.state)) for node in graph.nodes]
        named = {card for card, zone in where[0].items() if zone != "beyond"}
        for node, here in zip(graph.nodes, where, strict=True):
            assert named <= set(here)
            for target in node.targets:
                for card, zone in here.items():
                    if zone in ("trash", "beyond"):
                        assert where[target][card] == zone
        assert not steps_out_of_order(graph, edition)


NAMES = {other: name for name, other in RENAMED.items()}


def plain(value: Any) -> Any:
    """A state in which copies are not told apart, lists have no order, and players have their first names."""
    if isinstance(value, dict):
        return tuple(sorted((plain(key), plain(inside)) for key, inside in value.items()))
    if isinstance(value, list):
        return tuple(sorted(map(plain, value), key=str))
    if isinstance(value, str):
        return NAMES.get(value, re.sub(r"#\d+$", "", value))
    return value


@settings(bounded, max_examples=BOARDS)
@given(layouts(most=4))
def test_numbers_do_not_depend_on_names_or_on_the_order_of_the_file(layout: Json) -> None:
    first, second = resolve(layout), resolve(rewritten(layout))
    if first.complete and second.complete:
        assert summary(first, plain) == summary(second, plain)
