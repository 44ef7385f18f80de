"""Answers as plain text for a terminal.

Everything here works from the JSON form of an answer (``Resolution.to_json()``), so that what is printed
is what a script would get, and so that it can be tested with dictionaries written by hand.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from lastrites.layout import columns as _columns
from lastrites.layout import fold as _fold
from lastrites.layout import table

if TYPE_CHECKING:
    from lastrites.book import ClauseText
    from lastrites.verify import Verdict

Json = Mapping[str, Any]


class Style:
    """Emphasis by terminal colours, or none."""

    def __init__(self, colour: bool = False) -> None:
        self.colour = colour

    @classmethod
    def of(cls, stream: TextIO) -> Style:
        """Colours when `stream` is a terminal that takes them and NO_COLOR is not set."""
        wanted = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        return cls(wanted)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def strong(self, text: str) -> str:
        """Headings and the names of outcomes."""
        return self._wrap("1", text)

    def faint(self, text: str) -> str:
        """Clauses and remarks."""
        return self._wrap("2", text)

    def good(self, text: str) -> str:
        """What holds."""
        return self._wrap("32", text)

    def bad(self, text: str) -> str:
        """What fails."""
        return self._wrap("31", text)

    def warn(self, text: str) -> str:
        """What to be careful about."""
        return self._wrap("33", text)


def page_width() -> int:
    """Columns to write in: those of the terminal, but never beyond what reads well."""
    return max(40, min(shutil.get_terminal_size((96, 24)).columns, 100))


# ---------------------------------------------------------------- words

def number(count: int | str) -> str:
    """An exact count with separators between thousands; a word (``infinite``) stays as it is."""
    text = str(count)
    return f"{int(text):,}" if text.isdecimal() else text


def counted(count: int | str, noun: str, plural: str | None = None) -> str:
    """``1 order``, ``2 orders``, ``infinite orders``."""
    return f"{number(count)} {noun if str(count) == '1' else plural or noun + 's'}"


def orders_of(entry: Json) -> str:
    """The number of orders that an entry tells, or the least number if the answer is incomplete; empty for none."""
    if entry.get("orders") is not None:
        return counted(entry["orders"], "order")
    least = entry.get("orders_at_least")
    return "" if least is None else f"at least {counted(least, 'order')}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """``a, b and c``."""
    parts = list(words)
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def when_text(when: Json) -> str:
    """A combination of answers in words; empty for the empty combination."""
    return ", ".join(f"{question}: {answer}" for question, answer in when.items())


def item_text(item: Any) -> str:
    """A card of a zone, with its state in brackets; also plain words and nested mappings."""
    if isinstance(item, Mapping):
        parts = []
        for name, state in item.items():
            inside = _state_words(state) if isinstance(state, Mapping) else value_text(state)
            parts.append(f"{name} ({inside})" if inside else str(name))
        return ", ".join(parts)
    return str(item)


def _state_words(state: Json) -> str:
    words = []
    for key, value in state.items():
        if value is True:
            words.append(str(key))
        elif value is False:
            words.append(f"not {key}")
        elif isinstance(value, (list, Mapping)):
            words.append(f"{key}: {value_text(value)}")
        else:
            words.append(f"{key} {value}")
    return ", ".join(words)


def value_text(value: Any) -> str:
    """Any value of a state in words."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {value_text(inside)}" for key, inside in value.items()) or "nothing"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(item_text, value)) if value else "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def state_lines(state: Json) -> list[tuple[str, str]]:
    """A final state as pairs of who (or what) and what is there."""
    rows = []
    for owner, content in state.items():
        if isinstance(content, Mapping):
            parts = []
            for key, value in content.items():
                glue = ": " if isinstance(value, (list, Mapping)) else " "
                parts.append(f"{key}{glue}{value_text(value)}")
            rows.append((str(owner), "; ".join(parts) or "nothing"))
        else:
            rows.append((str(owner), value_text(content)))
    return rows


# ---------------------------------------------------------------- blocks of lines

def steps_lines(steps: Sequence[Json], indent: str, width: int, style: Style) -> list[str]:
    """An order step by step: who decides what, the clauses it rests on, and what it changes."""
    lines = []
    pad = len(str(len(steps)))
    for place, step in enumerate(steps, 1):
        by = step.get("by")
        who = f"{by}: " if by else ""
        head = f"{indent}{str(place).rjust(pad)}. "
        inner = " " * len(head)
        lines += _fold(f"{who}{step.get('decision', '')}", width, head, inner)
        if step.get("clauses"):
            lines += [style.faint(line) for line in _fold(", ".join(step["clauses"]), width, inner + "[", inner)]
            lines[-1] = lines[-1] + style.faint("]")
        for change in step.get("changes", ()):
            lines += _fold(str(change), width, inner + "  ", inner + "    ")
    return lines


def _agrees(one: Json, other: Json) -> bool:
    return all(other.get(question, answer) == answer for question, answer in one.items())


def _occurs(outcome: Json, when: Json) -> bool:
    return any(_agrees(under["when"], when) for under in outcome.get("under", ()))


def headline(result: Json) -> str:
    """The answer in one sentence."""
    if result.get("refused"):
        return "The event is refused: nothing happens."
    if result.get("factors"):
        from lastrites.factors_text import factors_headline

        return factors_headline(result)
    outcomes = counted(len(result.get("outcomes", ())), "outcome")
    readings = result.get("readings_explored", ())
    if not result.get("complete", True):
        states = counted(result.get("states", 0), "state")
        return f"{outcomes} so far, after {states}"
    if result.get("orders") is not None:
        return f"{outcomes} in {counted(result['orders'], 'legal order')}"
    if not readings:
        return outcomes
    counts = _numbers(str(reading["orders"]) for reading in readings)
    if any(not _occurs(outcome, reading["when"]) for outcome in result["outcomes"] for reading in readings):
        return f"{outcomes} in all; which of them, in {counts} legal orders, depends on the reading"
    return f"{outcomes} in {counts} legal orders, depending on the reading"


def _readings_table(result: Json, width: int, style: Style) -> list[str]:
    from lastrites.decisions import decision_table, number_told

    questions, decided = decision_table(result)
    if len(questions) > 1 and len(decided) > 1:
        cells = [
            [
                *("any" if len(given) == len(every) else " or ".join(given)
                  for given, every in zip(row.answers, questions.values(), strict=True)),
                _numbers(row.orders),
                ", ".join(row.outcomes) or "none",
            ]
            for row in decided
        ]  # fmt: skip
        return ["", style.strong("Readings"), *table([*questions, "orders", "outcomes"], cells, "  ", width)]
    rows: list[tuple[str, str]] = []

    def say(label: str, orders: Iterable[str], ids: Sequence[str]) -> None:
        found = f"{'outcome' if len(ids) == 1 else 'outcomes'} {listed(ids)}" if ids else "no outcome"
        count = _numbers(orders)
        rows.append((label, f"{count} order{'s' * (count not in ('1', 'at least 1'))}, {found}"))

    for row in decided if len(questions) == 1 else ():
        say(f"{next(iter(questions))}: {listed(row.answers[0], 'or')}", row.orders, row.outcomes)
    for reading in () if rows else result.get("readings_explored", ()):
        ids = [str(outcome["id"]) for outcome in result["outcomes"] if _told(outcome, reading)]
        say(when_text(reading["when"]) or "under every reading", [number_told(reading)], ids)
    if len(rows) < 2:
        return []
    return ["", style.strong("Readings"), *_columns(rows, "  ", width)]


def _numbers(counts: Iterable[str]) -> str:
    """Numbers that occur: all of a few, the least and the greatest of many."""
    different = list(dict.fromkeys(counts))
    if len(different) > 3 and all(count.isdecimal() for count in different):
        values = sorted(map(int, different))
        return f"{number(values[0])} to {number(values[-1])}"
    return listed(map(number, different), "or")


def _told(outcome: Json, reading: Json) -> bool:
    """Whether an outcome occurs under a reading; an answer need not say which do."""
    if "outcomes" in reading:
        return outcome["id"] in reading["outcomes"]
    return _occurs(outcome, reading["when"])


def _questions_lines(result: Json, width: int, style: Style) -> list[str]:
    lines: list[str] = []
    rows = result.get("readings_explored", ())
    questions = result.get("questions") or {}
    if len(questions) > 1:  # which answers allow what stands in the table
        lines += _fold(listed(questions), width, "  ", "  ")
    for question, answers in questions.items() if len(questions) == 1 else ():
        told = []
        for answer in answers:
            agreeing = [row for row in rows if row["when"].get(question, answer) == answer]
            ids = [
                str(outcome["id"])
                for outcome in result["outcomes"]
                if any(_told(outcome, row) for row in agreeing)
            ]
            told.append(f"{answer} allows {listed(ids) or 'none'}")
        lines += _fold(f"{question}: {'; '.join(told)}", width, "  ", "    ")
    counting = (result.get("counting") or {}) if result.get("complete", True) else {}
    for question, answers in counting.items():
        told = []
        for answer in answers:
            numbers = [str(row["orders"]) for row in rows if row["when"].get(question, answer) == answer]
            told.append(f"{answer} {listed(map(number, dict.fromkeys(numbers)), 'or')}")
        lines += _fold(f"{question}: changes only the number of orders: {'; '.join(told)}", width, "  ", "    ")
    return ["", style.strong("Questions that matter here"), *lines] if lines else []


def power_lines(outcome: Json, alone: bool) -> str:
    """Who decides about an outcome, and who can force it."""
    deciders = list(outcome.get("deciders") or ())
    forcing = list(outcome.get("can_force") or ())
    told = []
    if deciders:
        told.append(f"decided by {listed(deciders)}")
    if outcome.get("chance"):
        told.append("luck has a say")
    if forcing and deciders:
        told.append(f"{listed(forcing)} can force it")
    elif deciders or outcome.get("chance"):
        told.append("nobody can force it alone")
    elif alone and outcome.get("deciders") is not None:
        told.append("it comes out whatever anybody does")
    return "; ".join(told)


def _outcome_lines(outcome: Json, alone: bool, width: int, style: Style) -> list[str]:
    under = [entry for entry in outcome.get("under", ()) if entry["when"]]
    orders = orders_of(outcome)
    head = f"Outcome {outcome['id']}"
    if orders:
        head += f": {orders}"
    elif len(under) == 0:
        head += ": the number of orders depends on the reading"
    lines = ["", style.strong(head)]
    lines += _columns(state_lines(outcome["state"]), "  ", width)
    for entry in under:
        number_of = orders_of(entry)
        lines += _fold(f"under {when_text(entry['when'])}{': ' if number_of else ''}{number_of}", width, "  ", "    ")
    power = power_lines(outcome, alone)
    if power:
        lines += _fold(power, width, "  ", "    ")
    piles = outcome.get("pile_arrangements")
    if piles is not None and str(piles) != "1":
        lines.append(f"  {counted(piles, 'arrangement')} of the piles")
    if outcome.get("witness"):
        lines += ["  One order that leads here:", *steps_lines(outcome["witness"], "    ", width, style)]
    return lines


def remarks_lines(result: Json, width: int, style: Style) -> list[str]:
    """What is odd about an answer: where it is stuck, contradicts itself, never ends; and its warnings."""
    lines: list[str] = []

    def block(title: str, entries: Iterable[Any]) -> None:
        texts = [str(entry) for entry in entries]
        if texts:
            lines.extend(["", style.warn(title)])
            for text in texts:
                lines.extend(_fold(text, width, "  - ", "    "))

    block("Stuck: nothing is possible, though nothing is finished", map(_odd_text, result.get("stuck", ())))
    block(
        "Conflicts: two clauses say different things, and neither gives way",
        map(_conflict_text, result.get("conflicts", ())),
    )
    block("Loops: these steps can be repeated for ever", map(_loop_text, result.get("loops", ())))
    block(
        "Unexplained: several things may happen, but no player, reading or luck decides",
        map(_odd_text, result.get("unexplained", ())),
    )
    block("Warnings", result.get("warnings", ()))
    return lines


def _odd_text(entry: Any) -> str:
    if not isinstance(entry, Mapping):
        return str(entry)
    after = ", ".join(entry.get("after", ())) or "at the start"
    options = " / ".join(entry.get("options", ()))
    return f"after: {after}" + (f"; possible: {options}" if options else "")


def _conflict_text(entry: Any) -> str:
    if not isinstance(entry, Mapping):
        return str(entry)
    after = ", ".join(entry.get("after", ())) or "at the start"
    return f"{' and '.join(entry['clauses'])}; after: {after}"


def refusal_text(refusal: Json) -> str:
    """A refused event, the clauses that do not let it happen, and what is wrong with it where they tell."""
    because = f" ({', '.join(refusal['clauses'])})" if refusal.get("clauses") else ""
    why = f": {'; '.join(refusal['why'])}" if refusal.get("why") else ""
    return f"{refusal.get('what') or value_text(refusal['event'])}{because}{why}"


def _loop_text(entry: Any) -> str:
    if not isinstance(entry, Mapping):
        return str(entry)
    told = [f"{step['by']}: {step['decision']}" if step.get("by") else step["decision"] for step in entry["cycle"]]
    steps = ", ".join(told)
    when = when_text(entry.get("when") or {})
    return f"{steps} ({when})" if when else steps


def cited(result: Json) -> list[str]:
    """The clauses that the answer names, in the order of their first mention."""
    found: dict[str, None] = {}
    for refusal in result.get("refused", ()):
        found.update(dict.fromkeys(refusal.get("clauses", ())))
    ends = [end for row in result.get("factors") or () for group in row["groups"] for end in group["ends"]]
    for outcome in (*(result.get("outcomes") or ()), *ends):
        for step in outcome.get("witness", ()):
            found.update(dict.fromkeys(step.get("clauses", ())))
    return list(found)


def clause_lines(ids: Iterable[str], clauses: Mapping[str, ClauseText], width: int, style: Style) -> list[str]:
    """The clauses in words, with their sources."""
    lines: list[str] = []
    for name in ids:
        text = clauses.get(name)
        if text is None:
            continue
        lines.append(f"  {name}")
        lines += _fold(text.paraphrase, width, "    ", "    ")
        if text.source:
            lines += [style.faint(line) for line in _fold(text.source, width, "    ", "    ")]
    return ["", style.strong("Clauses"), *lines] if lines else []


def is_known(result: Json) -> bool:
    """Whether anything is known of an answer, which may have been ended before it was whole."""
    parts = ("outcomes", "factors", "refused")
    return result.get("complete", True) or bool(result.get("states", 1)) or any(result.get(part) for part in parts)


def incomplete_lines(result: Json, width: int, style: Style) -> list[str]:
    """That an answer is not whole, and why."""
    if result.get("complete", True):
        return []
    reason = result.get("incomplete_reason")
    what = "what follows is what is known so far" if is_known(result) else "nothing is known yet"
    return [style.warn(line) for line in _fold(f"INCOMPLETE{f' ({reason})' * bool(reason)}: {what}.", width, "", "")]


def outcomes_text(
    result: Json,
    *,
    title: str = "",
    changed: Iterable[str] = (),
    clauses: Mapping[str, ClauseText] | None = None,
    width: int | None = None,
    style: Style | None = None,
) -> str:
    """The whole answer of ``lastrites outcomes`` as text, ending in a newline.

    `result` is the JSON form of a resolution, `changed` says what differs from the book, `clauses` are the texts
    for the legend at the end (none: no legend).
    """
    width = width or page_width()
    style = style or Style()
    lines: list[str] = []
    lines += [style.strong(line) for line in _fold(title or str(result.get("board", "")), width, "", "")]
    settings = [str(result.get("game", ""))]
    if result.get("edition"):
        settings.append(f"edition {result['edition']}")
    if result.get("readings"):
        settings.append(when_text(result["readings"]))
    settings += changed
    lines += [style.faint(line) for line in _fold(", ".join(filter(None, settings)), width, "", "  ")]
    lines.append("")
    lines += incomplete_lines(result, width, style)
    if is_known(result):
        lines += [style.strong(line) for line in _fold(headline(result), width, "", "")]
    for refusal in result.get("refused", ()):
        lines += _fold(f"refused: {refusal_text(refusal)}", width, "  ", "    ")
    if result.get("factors"):
        from lastrites.factors_text import factors_lines

        lines += factors_lines(result, width, style)
    else:
        lines += _readings_table(result, width, style)
        lines += _questions_lines(result, width, style)
    outcomes = result.get("outcomes") or ()
    for outcome in outcomes:
        lines += _outcome_lines(outcome, len(outcomes) == 1, width, style)
    lines += remarks_lines(result, width, style)
    lines += clause_lines(cited(result), clauses or {}, width, style)
    return "\n".join(lines) + "\n"


def order_text(place: int, order: Json, *, width: int | None = None, style: Style | None = None) -> str:
    """One legal order: its number, the outcome it ends in, and its steps."""
    width = width or page_width()
    style = style or Style()
    when = when_text(order.get("when") or {})
    head = f"{number(place)}. outcome {order.get('outcome')}{f' ({when})' if when else ''}"
    return "\n".join([style.strong(head), *steps_lines(order["steps"], "   ", width, style), ""])


def verdict_lines(path: str, verdict: Verdict, style: Style) -> list[str]:
    """A verdict as a line, with the differences below it."""
    paint = {"ok": style.good, "failed": style.bad, "bad input": style.bad}.get(verdict.status, style.warn)
    summary = f" ({verdict.summary})" if verdict.summary else ""
    lines = [f"{paint(verdict.status.upper() if verdict.status == 'failed' else verdict.status)}  {path}{summary}"]
    lines += [f"    {line}" for line in verdict.failures]
    lines += [style.faint(f"    note: {note}") for note in verdict.notes if note]
    return lines


# ---------------------------------------------------------------- progress

class Progress:
    """A line on stderr for work that takes long: rewritten on a terminal, now and then elsewhere."""

    PATIENCE = 1.0
    PAUSE_TERMINAL = 0.2
    PAUSE_ELSEWHERE = 10.0

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self.stream = stream or sys.stderr
        self.quiet = quiet
        self.terminal = self.stream.isatty()
        self.next = time.monotonic() + self.PATIENCE
        self.shown = 0

    def __call__(self, text: str) -> None:
        """Show `text` if it is time to."""
        now = time.monotonic()
        if self.quiet or now < self.next:
            return
        self.next = now + (self.PAUSE_TERMINAL if self.terminal else self.PAUSE_ELSEWHERE)
        if self.terminal:
            text = text[: shutil.get_terminal_size().columns - 1]
            self.stream.write("\r" + text.ljust(self.shown))
            self.shown = len(text)
        else:
            self.stream.write(text + "\n")
        self.stream.flush()

    def clear(self) -> None:
        """Take the line away before anything else is written."""
        if self.shown:
            self.stream.write("\r" + " " * self.shown + "\r")
            self.stream.flush()
            self.shown = 0


def order_stream(orders: Iterable[Json], style: Style) -> Iterator[str]:
    """The texts of orders, one by one, numbered from 1."""
    width = page_width()
    for place, order in enumerate(orders, 1):
        yield order_text(place, order, width=width, style=style)
