"""A comparison as plain text for a terminal, from its JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lastrites.layout import columns, fold, table
from lastrites.terminal import (
    Style,
    clause_lines,
    counted,
    incomplete_lines,
    listed,
    page_width,
    remarks_lines,
    state_lines,
    when_text,
)

if TYPE_CHECKING:
    from lastrites.book import ClauseText

Json = Mapping[str, Any]


def comparison_text(
    result: Json,
    *,
    changed: Iterable[str] = (),
    clauses: Mapping[str, ClauseText] | None = None,
    width: int | None = None,
    style: Style | None = None,
) -> str:
    """The whole answer of ``lastrites compare`` as text, ending in a newline."""
    width, style = width or page_width(), style or Style()
    lines = [style.strong(line) for line in fold(str(result["board"]), width, "", "")]
    settings = [str(result["game"]), *_editions(result), *changed]
    lines += [style.faint(line) for line in fold(", ".join(settings), width, "", "  ")]
    about = result["about"]
    if about.get("question"):
        lines += fold(f"{about['question']}: {about.get('text') or ''}", width, "", "  ")
    lines.append("")
    lines += incomplete_lines(result, width, style)
    lines += [style.strong(line) for line in fold(headline(result), width, "", "  ")]
    lines += _sides(result, width, style)
    if result["raised"]:
        lines += _side_by_side(result, width, style)
        for outcome in result["outcomes"]:
            lines += _outcome(outcome, result, width, style)
        lines += _because(result, width, style)
        for part in result["partings"]:
            lines += _parting(part, result["asked_by"], width, style)
    for side in result["sides"]:
        remarks = remarks_lines(side, width, style)
        if remarks:
            lines += ["", style.strong(f"Under {side['name']}"), *remarks[1:]]
    lines += clause_lines(_cited(result), clauses or {}, width, style)
    return "\n".join(lines) + "\n"


def _editions(result: Json) -> list[str]:
    if "editions" in result["about"]:
        told = [f"editions {listed(result['about']['editions'])}"]
    else:
        told = [f"edition {edition}" for edition in dict.fromkeys(side["edition"] for side in result["sides"])]
    question = result["about"].get("question")
    fixed = {q: a for side in result["sides"] for q, a in side["readings"].items() if q != question}
    return told + ([when_text(fixed)] if fixed else [])


def _groups(result: Json) -> list[list[str]]:
    """Names of the sides that have the same outcomes everywhere, together."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for side in result["sides"]:
        key = tuple(_ids(row["sides"][side["name"]]) for row in result["rows"])
        groups.setdefault(key, []).append(side["name"])
    return list(groups.values())


def _ids(cell: Json | None) -> tuple[str, ...] | None:
    return None if cell is None else tuple(cell["outcomes"])


def headline(result: Json) -> str:
    """What differs, in one sentence."""
    names = [side["name"] for side in result["sides"]]
    so_far = "" if result["complete"] else ", as far as is known"
    if all(side["refused"] for side in result["sides"]):
        return f"The event is refused under {listed(names)}."
    if not result["raised"] and "cards" in result["about"]:
        return f"No card of this board is worded otherwise in {listed(names, 'or')}: nothing changes."
    if not result["raised"]:
        question = result["about"]["question"]
        return f"This board does not raise the question {question}: whatever its answer, nothing changes."
    if result["differ"]:
        groups = _groups(result)
        told = "; ".join(f"{listed(group)} agree" if len(group) > 1 else group[0] for group in groups if len(group) > 1)
        alone = [group[0] for group in groups if len(group) == 1]
        common, every = len(result["common"]), len(result["outcomes"])
        if told:
            start = f"{told}; {listed(alone)} {'differ' if len(alone) > 1 else 'differs'}" if alone else told
        else:
            start = f"{listed(names)} differ"
        have = "all have" if len(names) > 2 else "have"
        return f"{start}: {counted(every, 'outcome')} in all, of which they {have} {common} in common"
    if result["counts_differ"]:
        return f"{listed(names)} have the same outcomes{so_far}; only the numbers of orders differ"
    lacking = [name for name in names if any(row["sides"][name] is None for row in result["rows"])]
    if lacking:
        rule = "rules" if len(lacking) == 1 else "rule"
        return f"{listed(names)} come to the same; what {listed(lacking)} {rule} out adds nothing"
    return f"{listed(names)} come to the same{so_far}, outcomes and numbers of orders"


def _sides(result: Json, width: int, style: Style) -> list[str]:
    rows = [(side["name"], side["note"]) for side in result["sides"] if side["note"]]
    return ["", style.strong("What is compared"), *columns(rows, "  ", width)] if rows else []


def _side_by_side(result: Json, width: int, style: Style) -> list[str]:
    """A row for each combination of the answers that are open, a column for each side."""
    names = [side["name"] for side in result["sides"]]
    questions = list(dict.fromkeys(question for row in result["rows"] for question in row["when"]))
    body = []
    for row in result["rows"]:
        cells = [row["when"].get(question, "any") for question in questions]
        for name in names:
            cell = row["sides"][name]
            if cell is None:
                cells.append("ruled out")
            elif not cell["outcomes"]:
                cells.append("no outcome")
            else:
                orders = f" ({counted(cell['orders'], 'order')})" if cell["orders"] is not None else ""
                cells.append(f"{', '.join(cell['outcomes'])}{orders}")
        body.append(cells)
    return ["", style.strong("Side by side"), *table([*questions, *names], body, "  ", width)]


def _outcome(outcome: Json, result: Json, width: int, style: Style) -> list[str]:
    names = [side["name"] for side in result["sides"]]
    holding = outcome["sides"]
    if len(holding) == len(names):
        where = f"under {'both' if len(names) == 2 else 'all'}"
        if not outcome["always"]:
            cells = [row["sides"].values() for row in result["rows"]]
            together = any(all(cell and outcome["id"] in cell["outcomes"] for cell in row) for row in cells)
            where += ", under some answers to other questions" if together else ", but never under the same answers"
    else:
        where = f"only under {listed(holding)}"
    lines = ["", style.strong(f"Outcome {outcome['id']}, {where}")]
    lines += columns(state_lines(outcome["state"]), "  ", width)
    if len(holding) < len(names):
        told = [f"{step['by']}: {step['decision']}" for step in outcome["witness"] if step["by"]]
        told = told or [step["decision"] for step in outcome["witness"]]
        lines += fold(f"one order: {'; '.join(told)}", width, "  ", "    ")
    return lines


def _because(result: Json, width: int, style: Style) -> list[str]:
    """What the editions say otherwise that matters on this board."""
    lines = []
    for each in result["because"]:
        if "question" in each:
            told = [f"{name} reads {answer or '(open)'}" for name, answer in each["answers"].items()]
            lines += fold(f"{each['question']}: {'; '.join(told)}", width, "  ", "    ")
        else:
            lines += fold(f"{each['clause']}: only in {listed(each['sides'])}", width, "  ", "    ")
    return ["", style.strong("What they say otherwise"), *lines] if lines else []


def _parting(part: Json, asked_by: Mapping[str, Sequence[str]], width: int, style: Style) -> list[str]:
    lines = ["", style.strong(f"Where {listed(part['sides'])} part")]
    for place, step in enumerate(part["after"], 1):
        who = f"{step['by']}: " if step["by"] else ""
        lines += fold(f"{who}{step['decision']}", width, f"  {place:>2}. ", "      ")
    if not part["after"]:
        lines.append("  at the very first step")
    since = part["since"]
    if since and any(since["clauses"]):
        one, two = since["clauses"]
        sides = [", ".join(clauses) or "no clause" for clauses in ([one] if one == two else [one, two])]
        told = " against ".join(sides)
        lines += fold(f"they begin to differ, unseen, with: {since['decision']} [{told}]", width, "      ", "      ")
    read = dict.fromkeys(clause for clauses in asked_by.values() for clause in clauses)
    if read:
        lines += fold(f"they read otherwise: [{', '.join(read)}]", width, "  ", "    ")
    for name, here in zip(part["sides"], part["at"], strict=True):
        lines.append(f"  {style.strong(name)}")
        options = here["options"]
        if not options:
            odd = here["odd"] or "refused"
            lines.append("    nothing more happens" if here["ends"] else f"    nothing is possible ({odd})")
        by = f"{here['by']}: " if here["by"] and len(options) > 0 else ""
        for place, option in enumerate(options):
            head = by if place == 0 else " " * (len(by) - 3) + "or " if by else ""
            cited = f" [{', '.join(option['clauses'])}]" if option["clauses"] else ""
            lines += fold(f"{option['decision']}{cited}", width, f"    {head}", "      " + " " * len(by))
            for change in option["changes"]:
                lines += fold(change, width, "      " + " " * len(by), "        " + " " * len(by))
        for text in here["barred"]:
            lines += [style.warn(line) for line in fold(f"barred: {text}", width, "    ", "      ")]
    return lines


def _cited(result: Json) -> list[str]:
    found: dict[str, None] = {each["clause"]: None for each in result["because"] if "clause" in each}
    for names in result["asked_by"].values() if result["partings"] else ():
        found.update(dict.fromkeys(names))
    for part in result["partings"]:
        for names in (part["since"] or {}).get("clauses", ()):
            found.update(dict.fromkeys(names))
        for here in part["at"]:
            for option in here["options"]:
                found.update(dict.fromkeys(option["clauses"]))
            found.update(dict.fromkeys(_barring(here["barred"])))
    for side in result["sides"]:
        for refusal in side["refused"]:
            found.update(dict.fromkeys(refusal["clauses"]))
    return list(found)


def _barring(texts: Sequence[str]) -> list[str]:
    """The clauses named at the end of what they bar."""
    return [text.rpartition("(")[2].rstrip(")") for text in texts]



