"""An answer by factors as plain text, from its JSON form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lastrites.layout import fold
from lastrites.terminal import Style, counted, listed, number, power_lines, steps_lines, when_text

Json = Mapping[str, Any]


def factors_headline(result: Json) -> str:
    """The answer in one sentence."""
    rows = result["factors"]
    outcomes = listed(dict.fromkeys(number(row["outcome_count"]) for row in rows), "or")
    orders = listed(dict.fromkeys(number(row["orders"]) for row in rows), "or")
    reading = ", depending on the reading" if len({(row["outcome_count"], row["orders"]) for row in rows}) > 1 else ""
    return f"{outcomes} outcomes in {orders} legal orders{reading}: too many to list, told as factors"


def factors_lines(result: Json, width: int, style: Style) -> list[str]:
    """For each combination of answers that matters: what every outcome has, and the ends of each group."""
    lines: list[str] = []
    told: list[Json] = []
    for row in result["factors"]:
        if row["when"]:
            head = f"Under {when_text(row['when'])}"
            lines += ["", style.strong(f"{head}: {_counts(row)}")]
        known = next((other for other in told if _alike(other, row)), None)
        if known is not None:
            lines += fold(f"groups and ends as under {when_text(known['when'])}", width, "  ", "  ")
            continue
        told.append(row)
        lines += _block(row, width, style)
    for name, text in (("questions", "Questions that matter here"), ("counting", "Questions that change only numbers")):
        asked = result.get(name) or {}
        if asked:
            lines += ["", style.strong(text)]
            for question, answers in asked.items():
                lines += fold(f"{question}: {listed(answers, 'or')}", width, "  ", "    ")
    return lines


def _alike(one: Json, other: Json) -> bool:
    """Whether the groups end alike under both, but for the steps that lead there."""

    def ends(row: Json) -> list[object]:
        return [
            (group["picks"], [{key: value for key, value in end.items() if key != "witness"} for end in group["ends"]])
            for group in row["groups"]
        ]

    return one["changes"] == other["changes"] and ends(one) == ends(other)


def _counts(row: Json) -> str:
    return f"{counted(row['outcome_count'], 'outcome')} in {counted(row['orders'], 'legal order')}"


def _block(row: Json, width: int, style: Style) -> list[str]:
    groups = row["groups"]
    several = [group for group in groups if len(group["ends"]) > 1]
    text = f"{len(groups)} groups of abilities do not affect each other. "
    text += "Each end of one goes with each end of any other: "
    text += f"{' x '.join(str(len(group['ends'])) for group in several) or '1'} outcomes."
    if row["shuffles"] is not None:
        text += f" Each comes about in {number(row['shuffles'])} times as many orders as its ends have, multiplied."
    else:
        text += " How many orders an outcome has depends on how many picks its ends take."
    lines = ["", *fold(text, width, "", "")]
    if row["changes"]:
        lines += ["", style.strong("In every outcome")]
        for change in row["changes"]:
            lines += fold(change, width, "  ", "    ")
    for place, group in enumerate(groups, 1):
        head = fold(f"Group {place}: {listed(group['picks'])}", width, "", "  ")
        lines += ["", *map(style.strong, head)]
        if len(group["ends"]) == 1:
            (end,) = group["ends"]
            lines += fold(f"{end['id']}: its only end, {_orders(end, row)}", width, "  ", "    ")
            continue
        for end in group["ends"]:
            lines += _end_lines(end, row, width, style)
    if row.get("witness"):
        first = " ".join(group["ends"][0]["id"] for group in groups)
        lines += ["", *map(style.strong, fold(f"One order from the start to the end, with {first}", width, "", "  "))]
        lines += steps_lines(row["witness"], "  ", width, style)
    return lines


def _orders(end: Json, row: Json) -> str:
    """The orders of an end, by numbers of picks where these are not always the same."""
    even = row["shuffles"] is not None
    return listed(
        counted(entry["orders"], "order") + ("" if even else f" of {counted(entry['picks'], 'pick')}")
        for entry in end["orders"]
    )


def _end_lines(end: Json, row: Json, width: int, style: Style) -> list[str]:
    lines = fold(f"{end['id']}: {_orders(end, row)}", width, "  ", "    ")
    for change in end["changes"] or ("nothing else changes",):
        lines += fold(change, width, "      ", "        ")
    lines += fold(power_lines(end, False), width, "      ", "        ")
    if end.get("witness"):
        lines += ["      One order that leads here:", *steps_lines(end["witness"], "        ", width, style)]
    return lines


__all__: Sequence[str] = ["factors_headline", "factors_lines"]
