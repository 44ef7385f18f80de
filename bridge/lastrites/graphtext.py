"""The trigger graph as plain text for a terminal, from its JSON form (``TriggerGraph.to_json()``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lastrites.drawings import example_lines
from lastrites.layout import fold
from lastrites.terminal import Style, counted, listed, page_width, when_text

Json = Mapping[str, Any]

_SAYS = {"trigger": "triggers", "remove": "can remove or prevent", "change": "changes the condition or target of"}
_MOST_PAIRS = 60
_MOST_NAMED = 4


def graph_text(data: Json, style: Style | None = None, width: int | None = None) -> str:
    """The abilities, what one can do to another, whether their order matters, groups and loops."""
    style = style or Style()
    width = width or page_width()
    about = data["graph"]
    settings = [about["game"], f"edition {about['edition']}" if about["edition"] else "", when_text(about["readings"])]
    lines = [*fold(str(about["board"]), width, "", ""), style.faint(", ".join(filter(None, settings)))]
    abilities = [node for node in data["nodes"] if node["kind"] == "ability"]
    if not about["complete"]:
        but = "what is not seen to matter is possible all the same" if data["nodes"] else "nothing is known yet"
        lines += ["", *fold(style.warn(f"incomplete: {about['incomplete_reason']}; {but}"), width, "", "  ")]
        if not data["nodes"]:
            return "\n".join(lines) + "\n"
    if not abilities:
        return "\n".join([*lines, "", "No ability can be triggered on this board."]) + "\n"
    number = {node["id"]: str(place) for place, node in enumerate(abilities, 1)}
    number["event"] = "the event"
    lines += ["", style.strong(counted(len(abilities), "ability", "abilities"))]
    for node in abilities:
        lines += _ability_lines(node, number[node["id"]], len(abilities), width)
    idle = [node for node in data["nodes"] if node["kind"] == "idle"]
    for node in idle:
        lines += _ability_lines(node, "-", len(abilities), width)
    lines += _edges_lines(data, number, width, style)
    lines += _pairs_lines(data, number, width, style)
    if len(abilities) > 1:
        groups = [" ".join(number[each] for each in group) for group in data["groups"]]
        lines += ["", style.strong("Groups that cannot affect one another")]
        lines += fold(" | ".join(groups) if groups else "none", width, "  ", "  ")
    if data["cycles"]:
        lines += ["", style.warn("Possible endless loops: these can trigger one another again and again")]
        lines += [f"  {listed(number[each] for each in group)}" for group in data["cycles"]]
    return "\n".join(lines) + "\n"


def _ability_lines(node: Json, number: str, total: int, width: int) -> list[str]:
    head = f"  {number.rjust(len(str(total)))}  "
    told = f"{node['card']} ({node['controller']}): {node['text']}" if node["controller"] else (
        f"{node['card']}: {node['text']}"
    )  # fmt: skip
    if node["source"] != node["card"]:
        told += f" (from {node['source']})"
    if node["used"] is False:
        told += "; not picked here" if node["kind"] == "idle" else "; never comes up"
    return fold(told, width, head, " " * len(head))


def _edges_lines(data: Json, number: Mapping[str, str], width: int, style: Style) -> list[str]:
    """One way after the other: what one ability does to others."""
    lines = []
    never = 0
    for link in data["links"]:
        if link["kind"] == "commute":
            continue
        if link["real"] is False:
            never += 1
            continue
        perhaps = "perhaps " if link["real"] is None else ""
        lines += fold(
            f"{number[link['source']]} {perhaps}{_SAYS[link['kind']]} {number[link['target']]}", width, "  ", "    "
        )
        fluents = [fluent for fluent in link["fluents"] if "(t(" not in fluent]
        about = [
            *fluents[:_MOST_NAMED],
            *(["..."] if len(fluents) > _MOST_NAMED else []),
            *link["clauses"][:_MOST_NAMED],
        ]
        if about:
            lines += [style.faint(line) for line in fold(f"[{', '.join(about)}]", width, "      ", "      ")]
    if never:
        could = counted(never, "more effect", "more effects")
        lines += fold(
            f"{could} of one on another could be, but never {'matters' if never == 1 else 'matter'} on this board.",
            width,
            "  ",
            "  ",
        )
    return ["", style.strong("What one does to another"), *lines] if lines else []


def _pairs_lines(data: Json, number: Mapping[str, str], width: int, style: Style) -> list[str]:
    """Whether the order of two matters, with an example where it does."""
    lines = []
    quiet: dict[str, list[str]] = {}
    matters = [pair for pair in data["pairs"] if pair["order"] == "matters"]
    for pair in matters[:_MOST_PAIRS]:
        lines += fold(
            f"{number[pair['first']]} and {number[pair['second']]}: matters, for example", width, "  ", "    "
        )
        for line in example_lines(pair.get("example"), number[pair["first"]], number[pair["second"]]):
            lines += fold(line, width, "      ", "        ")
    if len(matters) > _MOST_PAIRS:
        lines.append(
            f"  and {counted(len(matters) - _MOST_PAIRS, 'more pair')} whose order matters (--json lists them)"
        )
    for pair in data["pairs"]:
        if pair["order"] != "matters":
            quiet.setdefault(pair["order"], []).append(f"{number[pair['first']]}-{number[pair['second']]}")
    for status, told in _QUIET.items():
        if quiet.get(status):
            lines += fold(f"{told}: {_some(quiet[status])}", width, "  ", "    ")
    return ["", style.strong("The order of two"), *lines] if lines else []


_QUIET = {
    "never matters": "never matters",
    "never together": "never both wait to be picked",
    "unknown": "may matter; not everything was looked at",
}


def _some(pairs: Sequence[str]) -> str:
    if len(pairs) <= _MOST_PAIRS:
        return ", ".join(pairs)
    return f"{', '.join(pairs[:_MOST_PAIRS])} and {len(pairs) - _MOST_PAIRS} more"
