"""Rulings as plain text for a terminal, made from their JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lastrites.layout import columns, fold
from lastrites.ruling import ALWAYS, NEVER, fixed_text, source_text
from lastrites.terminal import (
    Style,
    clause_lines,
    headline,
    incomplete_lines,
    is_known,
    page_width,
    refusal_text,
    remarks_lines,
    state_lines,
)

if TYPE_CHECKING:
    from lastrites.book import ClauseText

Json = Mapping[str, Any]
Clauses = Mapping[str, "ClauseText"]

COMES_OUT = {ALWAYS: "it comes out", NEVER: "it does not come out"}


def ruling_text(
    ruling: Json,
    title: str,
    clauses: Clauses,
    style: Style | None = None,
    width: int | None = None,
    changed: Iterable[str] = (),
) -> str:
    """A ruling: the sentence, the readings with their sources, and an order step by step with its clauses in words."""
    style = style or Style()
    width = width or page_width()
    lines = _head(ruling, title, changed, style, width)
    lines += ["", style.strong("Ruling"), *fold(ruling["ruling"], width, "  ", "  ")]
    lines += ["", style.strong(f"Outcome {ruling['id']}"), *columns(state_lines(ruling["state"]), "  ", width)]
    lines += _questions(ruling, width, style)
    lines += _steps(ruling, clauses, width, style)
    return "\n".join(lines) + "\n"


def brief_text(
    result: Json,
    rulings: Sequence[Json],
    title: str,
    clauses: Clauses,
    style: Style | None = None,
    width: int | None = None,
    changed: Iterable[str] = (),
) -> str:
    """The rulings on all outcomes without their orders; why there is none, where there is none."""
    style = style or Style()
    width = width or page_width()
    lines = _head(result, title, changed, style, width)
    if is_known(result):
        lines += ["", *(style.strong(line) for line in fold(headline(result), width, "", ""))]
    for ruling in rulings:
        lines += ["", style.strong(f"Outcome {ruling['id']}"), *fold(ruling["ruling"], width, "  ", "  ")]
    if rulings:
        lines += ["", *fold("An order step by step: --outcome ID", width, "", "")]
    for refusal in result.get("refused", ()):
        lines += fold(f"refused: {refusal_text(refusal)}", width, "  ", "    ")
    lines += remarks_lines(result, width, style)
    named = [clause for refusal in result.get("refused", ()) for clause in refusal["clauses"]]
    lines += clause_lines(dict.fromkeys(named), clauses, width, style)
    return "\n".join(lines) + "\n"


def _head(result: Json, title: str, changed: Iterable[str], style: Style, width: int) -> list[str]:
    lines = fold(title, width, "", "") if title else []
    settings = [*([f"edition {result['edition']}"] if result.get("edition") else []), *changed]
    lines += [style.faint(line) for line in fold(", ".join(settings), width, "", "  ")] if settings else []
    return lines + incomplete_lines(result, width, style)


def _questions(ruling: Json, width: int, style: Style) -> list[str]:
    lines: list[str] = []
    for question in ruling["questions"]:
        if not question["matters"]:
            continue
        lines += fold(f"{question['question']}: {question['about']}", width, "  ", "    ")
        for answer in question["answers"]:
            if question["fixed"] is not None:
                told = "read so here" if answer["answer"] == question["fixed"] else ""
            elif "comes_out" not in answer:
                told = f"ruled out by edition {ruling['edition']}"
            else:
                told = COMES_OUT.get(answer["comes_out"], "it depends on the other questions")
            sources = "; ".join(map(source_text, answer["sources"])) or "no source"
            text = f"{answer['answer']}{f', {told}' if told else ''}: {sources}"
            lines += fold(text, width, "    - ", "      ")
    return ["", style.strong("Readings, the best source first"), *lines] if lines else []


def _steps(ruling: Json, clauses: Clauses, width: int, style: Style) -> list[str]:
    lines: list[str] = []
    steps = ruling["witness"]
    pad = len(str(len(steps)))
    first: dict[str, int] = {}
    questions = {question["question"]: question for question in ruling["questions"]}
    for place, step in enumerate(steps, 1):
        head = f"{str(place).rjust(pad)}. "
        inner = " " * len(head)
        who = f"{step['by']}: " if step.get("by") else ""
        if step.get("section"):
            lines += ["", *(style.strong(line) for line in fold(str(step["section"]), width, "", ""))]
        lines += ["", *fold(f"{who}{step['decision']}", width, head, inner)]
        for told in (*step.get("notes", ()), *step.get("changes", ()), *step.get("lists", ())):
            lines += fold(str(told), width, inner + "  ", inner + "    ")
        for name in step.get("clauses", ()):
            text = _clause(name, clauses.get(name), first.get(name))
            first.setdefault(name, place)
            lines += [style.faint(line) for line in fold(text, width, inner + "- ", inner + "  ")]
        for name, answer in step.get("readings", {}).items():
            if not questions[name]["matters"]:
                continue
            text = _reading(questions[name], answer, ruling["edition"])
            lines += [style.warn(line) for line in fold(text, width, inner + "- ", inner + "  ")]
        for text in step.get("barred", ()):
            if text not in steps[place - 2].get("barred", ()) or place == 1:
                lines += [style.warn(line) for line in fold(f"barred: {text}", width, inner + "- ", inner + "  ")]
    return lines


def _clause(name: str, said: ClauseText | None, before: int | None) -> str:
    """A clause with its source; its sentence only where it is named for the first time."""
    if said is None:
        return name
    return f"{name}: {f'as in step {before}' if before else said.paraphrase} ({said.source})"


def _reading(question: Json, answer: str, edition: str) -> str:
    """On which answer a step rests, with its best source."""
    if question["fixed"] is not None:
        return f"{question['question']} is read as {fixed_text(question, edition)}"
    sources = next(each["sources"] for each in question["answers"] if each["answer"] == answer)
    backed = f" ({source_text(sources[0])})" if sources else ""
    return f"{question['question']} is open and read as {answer}{backed}"
