"""Why a described state does not come out, as plain text for a terminal, from its JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lastrites.layout import fold
from lastrites.ruling import source_text
from lastrites.terminal import (
    Style,
    clause_lines,
    incomplete_lines,
    listed,
    page_width,
    refusal_text,
    remarks_lines,
    steps_lines,
    when_text,
)

if TYPE_CHECKING:
    from lastrites.book import ClauseText

Json = Mapping[str, Any]


def named(result: Json) -> list[str]:
    """The clauses that the answer names."""
    found = [clause for refusal in result["refused"] for clause in refusal["clauses"]]
    found += [each["clause"] for each in result["clauses"]]
    found += [each["clause"] for each in result["barred"]]
    if result["closest"]:
        found += [clause for step in result["closest"]["ruling"]["witness"] for clause in step["clauses"]]
    return list(dict.fromkeys(found))


def headline(result: Json) -> str:
    """The answer in a sentence."""
    if result["occurs"]:
        ids = result["outcomes"]
        example = ", for example" if result.get("of_factors") else ":"
        told = f"It does come out{example} outcome{'s' * (len(ids) > 1)} {listed(ids)}"
        under = [when_text(when) for when in result["under"] if when]
        if not under or not result["not_under"]:
            return f"{told}."
        return f"{told}, under {'; '.join(under)}; not under {'; '.join(map(when_text, result['not_under']))}."
    if result["refused"]:
        return "It does not come out: the event is refused, and nothing happens."
    if not result["explored"]:
        return "It is not among what has been found so far."
    told = "It does not come out"
    return f"{told} under any reading that is open here." if result["closest"] else f"{told}: nothing does."


def whynot_text(
    result: Json,
    title: str,
    *,
    changed: Iterable[str] = (),
    clauses: Mapping[str, ClauseText] | None = None,
    style: Style | None = None,
    width: int | None = None,
) -> str:
    """The whole answer of ``lastrites why-not`` as text, ending in a newline."""
    style, width = style or Style(), width or page_width()
    lines = [style.strong(line) for line in fold(title or str(result["board"]), width, "", "")]
    settings = [str(result["game"]), f"edition {result['edition']}"]
    settings += [when_text(result["readings"])] if result["readings"] else []
    lines += [style.faint(line) for line in fold(", ".join([*settings, *changed]), width, "", "  ")]
    lines += fold(f"asked for: {result['state']}", width, "", "  ")
    lines.append("")
    lines += incomplete_lines(result, width, style)
    lines += [style.strong(line) for line in fold(headline(result), width, "", "  ")]
    for refusal in result["refused"]:
        lines += fold(f"refused: {refusal_text(refusal)}", width, "  ", "    ")
    if not result["occurs"]:
        lines += _never(result, width)
        lines += _elsewhere(result, width, style)
        lines += _closest(result, width, style)
        lines += _barred(result, width, style)
        lines += _clauses(result, width, style)
    lines += remarks_lines(result, width, style)
    if not result["occurs"]:
        lines += clause_lines(named(result), clauses or {}, width, style)
    return "\n".join(lines) + "\n"


def _never(result: Json, width: int) -> list[str]:
    if result["never"]:
        none = "no outcome" if result["explored"] else "no outcome found so far"
        return fold(f"In {none} as asked for: {'; '.join(result['never'])}.", width, "  ", "    ")
    if result["closest"]:
        return fold("Each part of it is in some outcome, but not all of them together.", width, "  ", "    ")
    return []


def _elsewhere(result: Json, width: int, style: Style) -> list[str]:
    lines: list[str] = []
    for entry in result["elsewhere"]["answers"]:
        for answer in entry["answers"]:
            sources = "; ".join(map(source_text, answer["sources"])) or "no source"
            told = f"{answer['question']}: {answer['answer']} instead of {answer['instead_of']} ({sources})"
            lines += fold(told, width, "  - " if answer is entry["answers"][0] else "    and ", "      ")
    editions = result["elsewhere"]["editions"]
    if editions:
        lines += fold(f"edition or profile {listed(editions, 'or')}", width, "  - ", "    ")
    return ["", style.strong("It comes out under other answers or editions"), *lines] if lines else []


def _closest(result: Json, width: int, style: Style) -> list[str]:
    closest = result["closest"]
    if closest is None:
        return []
    ruling = closest["ruling"]
    lines = ["", style.strong(f"The nearest legal order ends in outcome {ruling['id']}")]
    if ruling["when"]:
        lines += fold(f"under {when_text(ruling['when'])}", width, "  ", "    ")
    for difference in closest["differences"]:
        text = f"{difference['path']}: {difference['text']}" if difference["path"] else difference["text"]
        lines += [style.bad(line) for line in fold(text, width, "  - ", "    ")]
    return [*lines, *steps_lines(ruling["witness"], "    ", width, style)]


def _barred(result: Json, width: int, style: Style) -> list[str]:
    lines: list[str] = []
    for each in result["barred"]:
        lines += fold(f"{each['what']} ({each['clause']})", width, "  - ", "    ")
    return ["", style.strong("What a clause bars on the way there, or on another way"), *lines] if lines else []


def _clauses(result: Json, width: int, style: Style) -> list[str]:
    lines: list[str] = []
    for each in result["clauses"]:
        switched = "without" if each["how"] == "without" else "with the opposite of"
        under = "; ".join(when_text(when) for when in each["under"] if when)
        lines += fold(f"{switched} {each['clause']}{f', under {under}' if under else ''}", width, "  ", "    ")
        order = [f"{step['by']}: {step['decision']}" if step["by"] else step["decision"] for step in each["order"]]
        lines += [style.faint(line) for line in fold(" > ".join(order), width, "      ", "      ")]
    if not result["tried"]:
        return []
    tried = f"{len(result['tried'])} clauses tried one at a time"
    tried += f", {len(result['untried'])} not tried (--tries N)" if result["untried"] else ""
    tried += f"; not followed to the end without {listed(result['unsure'])}" if result["unsure"] else ""
    if not lines:
        lines = fold(f"No single clause is in the way ({tried}).", width, "  ", "    ")
        return ["", style.strong("Clauses in the way"), *lines]
    return ["", style.strong("Clauses in the way: it would come out"), *lines, *fold(f"({tried})", width, "  ", "    ")]
