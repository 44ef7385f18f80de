"""One self-contained page about a board: what comes out, under which reading, who decides, an order to each outcome.

The page is made from the JSON form of an answer and of the rulings on its outcomes. It needs nothing from elsewhere and
runs no script; whatever comes from a board is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from lastrites.decisions import decision_table
from lastrites.ruling import ALWAYS, NEVER, source_text
from lastrites.terminal import (
    Style,
    cited,
    counted,
    headline,
    number,
    orders_of,
    power_lines,
    refusal_text,
    remarks_lines,
    state_lines,
    when_text,
)

if TYPE_CHECKING:
    from lastrites.book import ClauseText

Json = Mapping[str, Any]

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1.05rem; }
table { border-collapse: collapse; margin: .5rem 0; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; }
ol.order > li { margin: .4rem 0; } ol.order h4 { margin: .8rem 0 .2rem; }
ul.quiet { list-style: none; padding-left: 0; margin: .1rem 0; }
.faint { opacity: .75; font-size: .9rem; } .warn { border-left: 4px solid #c80; padding-left: .75rem; }
.outcome { border-top: 1px solid #8888; margin-top: 1.5rem; }
code { font-size: .9em; } a { color: inherit; }
@media print { details > summary { display: none; } }
""".strip()


def report_html(
    result: Json,
    rulings: Sequence[Json],
    *,
    title: str = "",
    source: str = "",
    start: Json | None = None,
    clauses: Mapping[str, ClauseText] | None = None,
    changed: Iterable[str] = (),
) -> str:
    """The page as a text. ``result`` is the JSON form of an answer, ``rulings`` are those on its outcomes, ``start`` is
    the state before the event, ``clauses`` are the texts of the clauses, ``changed`` says what differs from the book.
    """
    page = _Page(result, rulings, clauses or {})
    return page.whole(title or str(result["board"]), source, start or {}, list(changed))


def _tag(name: str, inner: str, **attributes: str) -> str:
    """An element; ``inner`` is HTML already, the attributes are plain text."""
    given = "".join(f' {key.rstrip("_")}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{inner}</{name}>"


def _text(name: str, text: str, **attributes: str) -> str:
    """An element that holds plain text."""
    return _tag(name, escape(text), **attributes)


def _list(items: Iterable[str], **attributes: str) -> str:
    """A list of plain texts; nothing for none."""
    inner = "".join(_text("li", item) for item in items)
    return _tag("ul", inner, **attributes) if inner else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain texts; the first cell of a row heads it."""
    heads = _tag("thead", _tag("tr", "".join(_text("th", cell, scope="col") for cell in head))) if head else ""
    lines = []
    for first, *rest in rows:
        lines.append(_tag("tr", _text("th", first, scope="row") + "".join(_text("td", cell) for cell in rest)))
    return _tag("table", heads + _tag("tbody", "".join(lines)))


class _Page:
    def __init__(self, result: Json, rulings: Sequence[Json], clauses: Mapping[str, ClauseText]) -> None:
        self.result, self.rulings, self.clauses = result, rulings, clauses
        named = dict.fromkeys([*cited(result), *(name for each in rulings for name in cited({"outcomes": [each]}))])
        self.named = [name for name in named if name in clauses]
        self.anchors = {name: f"clause-{number}" for number, name in enumerate(self.named, 1)}

    def whole(self, title: str, source: str, start: Json, changed: list[str]) -> str:
        result = self.result
        settings = [str(result["game"]), f"edition {result['edition']}"]
        settings += [when_text(result["readings"])] if result["readings"] else []
        parts = [
            _text("h1", title),
            _text("p", ", ".join([*settings, *changed]), class_="faint"),
            _text("p", f"Source: {source}", class_="faint") if source else "",
            self.incomplete(),
            _tag("p", _text("strong", headline(result))),
            self.refused(),
            self.section("The board", _table((), state_lines(start)) if start else ""),
            self.section("Readings", self.readings()),
            self.section("What the text leaves open", self.questions()),
            "".join(map(self.outcome, self.rulings)),
            "".join(map(self.factors, result.get("factors") or ())),
            self.section("Remarks", self.remarks()),
            self.section("Clauses", self.legend()),
        ]
        head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width">{_text("title", title)}'
        head += _tag("style", STYLE)
        body = "\n".join(filter(None, parts))
        page = _tag("head", head) + "\n" + _tag("body", f"\n{body}\n")
        return f"<!DOCTYPE html>\n{_tag('html', page, lang='en')}\n"

    def section(self, title: str, inner: str) -> str:
        return _tag("section", _text("h2", title) + inner) if inner else ""

    def incomplete(self) -> str:
        if self.result["complete"]:
            return ""
        reason = self.result.get("incomplete_reason")
        told = f"Incomplete{f' ({reason})' if reason else ''}: what follows is what is known so far."
        return _text("p", told, class_="warn")

    def refused(self) -> str:
        told = (f"refused: {refusal_text(refusal)}" for refusal in self.result["refused"])
        return _list(told, class_="warn")

    def readings(self) -> str:
        questions, rows = decision_table(self.result) if not self.result.get("factors") else ({}, [])
        if len(rows) < 2:
            return ""
        cells = [
            [*(" or ".join(given) for given in row.answers), " or ".join(row.orders), ", ".join(row.outcomes) or "none"]
            for row in rows
        ]
        return _table([*questions, "orders", "outcomes"], cells)

    def questions(self) -> str:
        """Every question on which a ruling rests, once: its answers, who gives them, the best source first."""
        found: dict[str, Json] = {}
        for ruling in self.rulings:
            for question in ruling["questions"]:
                if question["matters"]:
                    found.setdefault(question["question"], question)
        parts = []
        for name, question in found.items():
            rows = []
            for answer in question["answers"]:
                rows.append([answer["answer"], self.role(question, answer), self.sources(answer)])
            parts.append(_tag("h3", _text("code", name)) + _text("p", question["about"])
                         + _table(("answer", "here", "sources"), rows))  # fmt: skip
        return "".join(parts)

    def role(self, question: Json, answer: Json) -> str:
        """What an answer does here: it is the fixed one, or it allows some outcomes."""
        name, given = question["question"], answer["answer"]
        if question["fixed"] is not None:
            return "read so" if question["fixed"] == given else ""
        ids = []
        for ruling in self.rulings:
            same = next((each for each in ruling["questions"] if each["question"] == name), None)
            rows = same["answers"] if same else ()
            # A ruling that does not name the question holds under all its answers.
            told = next((each.get("comes_out") for each in rows if each["answer"] == given), None if same else ALWAYS)
            if told not in (None, NEVER):
                ids.append(f"{ruling['id']}{'' if told == ALWAYS else ' (also depends on other answers)'}")
        return f"allows {', '.join(ids)}" if ids else "allows nothing" if "comes_out" in answer else "ruled out"

    def sources(self, answer: Json) -> str:
        return "; ".join(map(source_text, answer["sources"]))

    def outcome(self, ruling: Json) -> str:
        head = f"Outcome {ruling['id']}"
        orders = orders_of(ruling)
        parts = [
            _text("h2", f"{head}: {orders}" if orders else head),
            _text("p", ruling["ruling"]),
            _table((), state_lines(ruling["state"])),
        ]
        under = [
            f"under {when_text(row['when'])}{f': {orders_of(row)}' if orders_of(row) else ''}"
            for row in ruling["under"]
            if row["when"]
        ]
        piles = ruling.get("pile_arrangements")
        parts.append(_list([*under, *([f"{piles} arrangements of the piles"] if piles not in (None, "1") else [])]))
        idle = frozenset(each["question"] for each in ruling["questions"] if not each["matters"])
        steps = "".join(self.step(step, idle) for step in ruling["witness"])
        when = when_text(ruling["when"])
        told = f"An order that leads there{f', under {when}' if when else ''}"
        if steps:
            order = _text("summary", told) + _tag("ol", steps, class_="order")
            parts.append(f"<details open>{order}</details>")
        return _tag("section", "".join(parts), class_="outcome", id=f"outcome-{ruling['id']}")

    def factors(self, row: Json) -> str:
        """What comes out under some answers, group by group, where outcomes are too many to list."""
        when = when_text(row["when"])
        size = f"{number(row['outcome_count'])} outcomes in {number(row['orders'])} legal orders"
        parts = [
            _text("h2", f"Under {when}" if when else "Groups that do not affect each other"),
            _text("p", f"{size}: each end of a group goes with each end of any other."),
            _list(row["changes"]),
        ]
        for group in row["groups"]:
            parts.append(_tag("h3", escape("; ".join(group["picks"]))))
            for end in group["ends"]:
                power = power_lines(end, len(group["ends"]) == 1)
                orders = ", ".join(
                    f"{counted(each['orders'], 'order')} of {counted(each['picks'], 'pick')}" for each in end["orders"]
                )
                steps = _tag("ol", "".join(map(self.step, end["witness"])), class_="order")
                told = _text("summary", "; ".join([f"{end['id']}: {orders}", *filter(None, [power])]))
                parts.append(_list(end["changes"]) + _tag("details", told + steps))
        return _tag("section", "".join(parts), class_="outcome")

    def step(self, step: Json, idle: frozenset[str] = frozenset()) -> str:
        """A step of an order; the outcome does not rest on the fixed answers to the ``idle`` questions."""
        by = f"{_text('strong', step['by'])}: " if step.get("by") else ""
        section = _text("h4", step["section"]) if step.get("section") else ""
        lines = [*step.get("notes", ()), *step.get("changes", ()), *step.get("lists", ())]
        readings = step.get("readings", {}).items()
        lines += [f"read as {question}: {answer}" for question, answer in readings if question not in idle]
        barred = [f"barred: {text}" for text in step.get("barred", ())]
        names = ", ".join(map(self.link, step.get("clauses", ())))
        clauses = _tag("div", names, class_="faint") if names else ""
        inner = section + by + escape(str(step["decision"])) + clauses + _list([*lines, *barred], class_="quiet")
        return _tag("li", inner)

    def link(self, name: str) -> str:
        anchor = self.anchors.get(name)
        if anchor is None:
            return _text("code", name)
        return _tag("a", _text("code", name), href=f"#{anchor}", title=self.clauses[name].paraphrase)

    def remarks(self) -> str:
        lines = (line.strip().removeprefix("- ") for line in remarks_lines(self.result, 10_000, Style()))
        return _list(filter(None, lines))

    def legend(self) -> str:
        rows = []
        for name in self.named:
            said = self.clauses[name]
            what = _text("dt", name, id=self.anchors[name])
            rows.append(what + _tag("dd", escape(said.paraphrase) + _text("div", said.source, class_="faint")))
        return _tag("dl", "".join(rows)) if rows else ""
