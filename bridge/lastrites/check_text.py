"""The result of a check as plain text and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lastrites.findings import KINDS, SEVERITIES
from lastrites.layout import fold
from lastrites.terminal import Style, counted, incomplete_lines, listed, number, page_width, state_lines, when_text

if TYPE_CHECKING:
    from lastrites.book import ClauseText
    from lastrites.check import Outcome

    Texts = Callable[[str], Mapping[str, ClauseText]]
    """The texts of all clauses, with the places where they stand in an edition."""

Json = Mapping[str, Any]


def check_json(result: Outcome, clauses: Texts) -> dict[str, Any]:
    """The result of a check in its JSON form (``lastrites.check/1``)."""
    return {
        "schema": "lastrites.check/1",
        "game": result.game,
        "complete": result.complete,
        **({} if result.complete else {"incomplete_reason": result.reason}),
        "scope": {"editions": [seen.to_json() for seen in result.seen], "clauses": result.clauses},
        "findings": [finding.to_json(clauses(finding.edition)) for finding in ordered(result)],
        "notes": result.notes,
    }


def ordered(result: Outcome) -> list[Any]:
    """The findings, grave ones first, each kind together."""
    kinds = list(KINDS)
    return sorted(result.findings, key=lambda finding: kinds.index(finding.kind))


def check_text(result: Outcome, clauses: Texts, *, width: int | None = None, style: Style | None = None) -> str:
    """The result of a check as text, ending in a newline."""
    told = check_json(result, clauses)
    width, style = width or page_width(), style or Style()
    lines: list[str] = []
    if not told["complete"]:
        lines += [*incomplete_lines(told, width, style), ""]
    lines += [style.strong(line) for line in fold(headline(told), width, "", "  ")]
    lines += _scope(told, width)
    kind = ""
    for finding in told["findings"]:
        if finding["kind"] != kind:
            kind = finding["kind"]
            lines += ["", *(style.strong(line) for line in fold(KINDS[kind][1], width, "", ""))]
        lines += _finding(finding, width, style)
    for note in told["notes"]:
        lines += ["", *fold(f"note: {note}", width, "", "  ")]
    return "\n".join(lines) + "\n"


def headline(told: Json) -> str:
    """How many findings there are, by severity."""
    severities = [finding["severity"] for finding in told["findings"]]
    counts = [counted(severities.count(each), each) for each in SEVERITIES if each in severities]
    return f"{told['game']}: {listed(counts) or 'nothing found'}"


def _scope(told: Json, width: int) -> list[str]:
    lines = []
    for seen in told["scope"]["editions"]:
        own = seen["boards"] - seen["generated"]
        parts = [counted(own, "board"), f"{number(seen['generated'])} made from them"]
        parts += [counted(seen["cards"], "card"), counted(seen["events"], "event"), counted(seen["states"], "state")]
        if seen["refused"]:
            parts.append(f"{counted(seen['refused'], 'event')} refused")
        if seen["invalid"]:
            no = "that is no board" if seen["invalid"] == 1 else "that are no boards"
            parts.append(f"{number(seen['invalid'])} left out {no}")
        if seen["unfinished"]:
            parts.append(f"{number(seen['unfinished'])} not looked at to the end")
        edition = f", edition {seen['edition']}" if seen["edition"] else ""
        lines += fold(f"looked at{edition}: {', '.join(parts)}", width, "", "  ")
    if told["scope"]["clauses"]:
        lines.append(f"{counted(told['scope']['clauses'], 'clause')} switched off, one at a time")
    return lines


def _finding(finding: Json, width: int, style: Style) -> list[str]:
    place = f"{finding['place']}: " if finding.get("place") else ""
    paint = style.bad if finding["severity"] == "error" else style.warn if finding["severity"] == "warning" else str
    lines = [paint(line) for line in fold(f"{place}{finding['verdict']}", width, "  - ", "    ")]
    if finding.get("after"):
        lines += fold(f"after: {', '.join(finding['after'])}", width, "    ", "      ")
    for clause in finding["clauses"]:
        text = f"{clause['id']}: {clause.get('paraphrase', '')} ({clause.get('source', '')})"
        lines += [style.faint(line) for line in fold(text, width, "    ", "      ")]
    if finding.get("pairs"):
        for pair in finding["pairs"]:
            lines += _pair(pair, width, style)
    elif finding["board"]:
        lines += _board(finding, width)
    return lines


def _pair(pair: Json, width: int, style: Style) -> list[str]:
    one, other = pair["answers"]
    lines = [f"    {style.strong(f'{one} and {other}')}"]
    if pair.get("when"):
        lines += fold(f"with {when_text(pair['when'])}", width, "      ", "      ")
    for answer, states in (pair.get("only") or {}).items():
        for state in states[:2]:
            told = "; ".join(f"{who} {what}" for who, what in state_lines(state))
            lines += fold(f"only under {answer}: {told}", width, "      ", "        ")
    return lines + _board(pair, width, "      ")


def _board(finding: Json, width: int, indent: str = "    ") -> list[str]:
    small = "smallest board" if finding["smallest"] else "a board"
    origin = f", from {finding['made_from']}" if finding.get("made_from") else ""
    boards = f", {counted(finding['boards'], 'board')} in all" if finding.get("boards", 1) > 1 else ""
    lines = fold(f"{small}{origin}{boards}:", width, indent, indent + "  ")
    return lines + [f"{indent}  {line}" for line in finding["board"].rstrip().split("\n")]


def board_files(result: Outcome) -> Sequence[tuple[str, str]]:
    """A name and a text for each board of the findings, to be written as files."""
    found: list[tuple[str, str]] = []
    for place, finding in enumerate(ordered(result), 1):
        rows = finding.details.get("pairs") or ([{"board": finding.board}] if finding.board else [])
        for row in rows:
            words = [finding.kind, str(finding.details.get("question") or ""), *row.get("answers", ())]
            name = "-".join([f"{place:03}", *filter(None, words)])
            found.append((name, f"# {finding.verdict}\n{row['board']}"))
    return found
