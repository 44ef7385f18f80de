"""The text of docs/findings.md, from what ``check`` and ``separate`` have told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from findings_boards import Boards, Shown

from lastrites.editions import alike, questions_of
from lastrites.terminal import counted, listed, number

Json = Mapping[str, Any]
TITLES = {"keyforge": "KeyForge", "riftbound": "Riftbound"}

HEAD = """# What the rules say about themselves

What `lastrites check` and `lastrites separate` find in the rules of both games: where the text contradicts itself,
where it says nothing, which clauses make no difference, and for every open question and every two neighbouring editions
a small board on which the readings part. The page is made by

```sh
PYTHONPATH=bridge python tests/findings.py --workers 2
```

and says nothing about what was not looked at; [check.md](check.md) and [separate.md](separate.md) tell how the boards
are found. Boards are in [boards/](boards), each with what comes out of it, ready for `lastrites verify`.
"""

ODD = {
    "gap": "states in which nothing says what happens next",
    "branching": "states in which several things may happen and nobody chooses",
    "loop": "orders that never end",
}


def page(sections: Sequence[tuple[Boards, Json, Json]]) -> str:
    """The whole page."""
    lines = [HEAD.rstrip()]
    for boards, check, separate in sections:
        lines += ["", f"## {TITLES[boards.game.name]}", "", *_scope(boards, check, separate)]
        lines += _contradictions(boards, check)
        lines += _odd(check)
        lines += _clauses(boards, check)
        lines += _questions(boards, check, separate)
        lines += _editions(boards, separate)
    return "\n".join(lines) + "\n"


def _scope(boards: Boards, check: Json, separate: Json) -> Iterator[str]:
    book, scope = boards.book, check["scope"]
    yield (
        f"{len(book.clauses)} clauses, {len(book.questions)} questions, editions {listed(book.editions)}"
        + (f", profiles {listed(book.profiles)}" if book.profiles else "") + "."
    )  # fmt: skip
    yield ""
    yield "| looked at by `check`, edition | boards | made from them | cards | events | states | not to the end |"
    yield "|---|---|---|---|---|---|---|"
    for seen in scope["editions"]:
        own = seen["boards"] - seen["generated"]
        cells = (own, seen["generated"], seen["cards"], seen["events"], seen["states"], seen["unfinished"])
        same = [each for each in book.editions if each != seen["edition"] and alike(boards.game, each, seen["edition"])]
        also = f" (and {listed(same)}, which give the same answers)" if same else ""
        yield f"| {seen['edition']}{also} | {' | '.join(map(number, cells))} |"
    yield ""
    first = scope["editions"][0]["edition"] if scope["editions"] else ""
    yield (
        f"{number(scope['clauses'])} clauses were switched off one at a time under {first}, "
        "each on the boards that can rest on it, until the first that came out otherwise."
    )
    stale = [seen["edition"] for seen in scope["editions"] if seen.get("before")]
    if stale:
        yield f"What is told of {listed(stale)} comes from a run before the last change of the rules."
    if not check["complete"]:
        yield f"The check did not get to its end: {check['incomplete_reason']}."
    yield ""
    looked = separate["searched"]
    ended = "" if separate["complete"] else f" It did not get to its end: {separate['incomplete_reason']}."
    ended += " The rules have changed since." if separate["before"] else ""
    yield (
        f"`separate --all` looked at {counted(looked['boards'], 'board')}, {number(looked['to the point'])} "
        f"of them to the point, with {counted(looked['states'], 'state')}.{ended} It took them from these cards:"
    )
    yield ""
    yield "| cards | kinds | events | most cards on a board | numbers up to |"
    yield "|---|---|---|---|---|"
    for pool in separate["scope"]["pools"]:
        events = listed(event.replace("_", " ") for event in pool["events"])
        yield f"| {pool['name']} | {len(pool['kinds'])} | {events} | {pool['cards']} | {pool['numbers']} |"
    for reason, times in looked["failed"].items():
        yield ""
        yield f"{counted(times, 'board')} could not be looked at: {reason}."


def _listing(clauses: Sequence[Json]) -> Iterator[str]:
    for clause in clauses:
        yield f"- `{clause['id']}`: {clause.get('paraphrase', '')} ({clause.get('source', '')})"


def _yaml(text: str) -> list[str]:
    return ["```yaml", *text.rstrip().split("\n"), "```"]


def _board(finding: Json) -> list[str]:
    small = "Smallest board" if finding["smallest"] else "A board"
    return [f"{small}, made from {finding['made_from']}:", "", *_yaml(finding["board"])]


# ---- contradictions

def _contradictions(boards: Boards, check: Json) -> list[str]:
    lines = ["", "### Contradictions", ""]
    pairs: dict[tuple[str, ...], list[Json]] = {}
    for finding in check["findings"]:
        if finding["kind"] in ("contradiction", "settled", "overclaim"):
            pairs.setdefault(tuple(finding["pair"]), []).append(finding)
    if not pairs:
        return [*lines, "None was found on these boards."]
    order = [seen["edition"] for seen in check["scope"]["editions"]]
    for (one, other), found in pairs.items():
        found.sort(key=lambda finding: order.index(finding["edition"]))
        twice = f"#### `{one}` requires twice what can be only once"
        lines += [f"#### `{one}` requires what `{other}` forbids" if one != other else twice, ""]
        for finding in found:
            if finding["kind"] != "overclaim":
                lines.append(f"- {finding['edition']}: {_settled(finding, found)}")
        first = next(finding for finding in found if finding["kind"] != "overclaim")
        lines += ["", *_listing(first["clauses"]), "", *_board(first), ""]
        if first.get("after"):
            lines += [f"They clash after: {', '.join(first['after'])}.", ""]
        shown = boards.questions.get(first.get("question") or "")
        if shown is not None:
            lines += [f"What the answers come to: see [{first['question']}](#{first['question']}).", ""]
    return lines[:-1]


def _settled(finding: Json, found: Sequence[Json]) -> str:
    if finding["kind"] == "contradiction":
        return f"nothing says which{' of them' * (len(set(finding['pair'])) > 1)} gives way."
    question = finding.get("question")
    if not question:
        gives = "it is stated apart which gives way"
        return f"{gives} (`{finding['precedence']}`)." if finding["precedence"] else f"{gives}."
    if not finding["answer"]:
        return f"left to the question `{question}`, which is open."
    over = any(each["kind"] == "overclaim" and each["edition"] == finding["edition"] for each in found)
    claims = "; the text holds both sides, so that the answer is more than it says" if over else ""
    return f"left to the question `{question}`, which is taken to be answered by `{finding['answer']}`{claims}."


# ---- what must not be, and clauses

def _odd(check: Json) -> list[str]:
    lines = ["", "### Gaps, unexplained branching, loops", ""]
    for kind, words in ODD.items():
        rows = [finding for finding in check["findings"] if finding["kind"] == kind]
        boards: dict[str, list[Json]] = {}
        for finding in rows:
            boards.setdefault(finding["board"], []).append(finding)
        if not rows:
            lines += [f"No {words}.", ""]
        for same in boards.values():
            editions = ", ".join(finding["edition"] for finding in same)
            lines += [f"{editions}: {same[0]['verdict']}", "", *_board(same[0]), ""]
    return lines[:-1]


KINDS = {
    "idle": "Idle: nothing that was looked at comes out otherwise without them, whatever the answers to questions.",
    "dormant": "Dormant: they matter only under answers that the newest edition does not give.",
    "uncovered": "Uncovered: only boards that were made up come out otherwise without them.",
    "redundant": "Redundant pairs: each does the other's work.",
    "undecided": "Undecided: not all boards could be looked at to the end.",
}


def _clauses(boards: Boards, check: Json) -> list[str]:
    lines = ["", "### Clauses without effect", ""]
    for kind, words in KINDS.items():
        rows = [finding for finding in check["findings"] if finding["kind"] == kind]
        if rows:
            lines += [words, ""]
            for finding in rows:
                lines += list(_listing(finding["clauses"]))
                if finding.get("shown_by"):
                    lines.append(f"  Shown by {finding['shown_by']}.")
            lines.append("")
        else:
            lines += [f"No {kind} {'ones' if kind != 'redundant' else 'pairs'}.", ""]
    return lines[:-1]


# ---- questions and editions

def _questions(boards: Boards, check: Json, separate: Json) -> list[str]:
    lines = ["", "### Questions"]
    known = questions_of(boards.game.rules / boards.game.name)
    claims = {(each["question"], each["edition"]) for each in check["findings"] if each["kind"] == "overclaim"}
    for question in boards.book.questions:
        lines += ["", f"#### {question.name}", "", question.about, ""]
        for answer in question.answers:
            lines.append(f"- `{answer}`: {'; '.join(question.holders.get(answer, ())) or 'nobody is known to hold it'}")
        cells = []
        for edition in (*boards.book.editions, *boards.book.profiles):
            given = known.settles.get(edition, {}).get(question.name)
            shut = [a for q, a in sorted(known.excludes.get(edition, ())) if q == question.name]
            said = f"`{given}`" if given else "open" + (f" (not {listed(shut, 'or')})" if shut else "")
            claimed = " (overclaim)" if (question.name, edition) in claims else ""
            cells.append(f"{edition} {said}{claimed}")
        lines += ["", f"{'; '.join(cells)}.", ""]
        lines += _shown(boards.questions[question.name], boards, separate["verdicts"].get(question.name, ""))
        for other in boards.more.get(question.name, ()):
            lines += ["", "Other answers part here:", "", *_shown(other, boards, "")]
    return lines


def _editions(boards: Boards, separate: Json) -> list[str]:
    lines = ["", "### Editions"]
    for pair, shown in boards.editions.items():
        lines += ["", f"#### {pair[0]} and {pair[1]}", ""]
        if boards.same(pair):
            lines.append("Nothing that is modelled has changed: the same clauses, the same answers.")
        else:
            lines += _shown(shown, boards, separate["verdicts"].get(" / ".join(pair), ""))
    return lines


def _shown(shown: Shown | None, boards: Boards, verdict: str) -> list[str]:
    said = [f"Search: {verdict}."] if verdict else []
    if shown is None:
        return [*said, "No board is known on which they part."]
    candidate = shown.candidate
    under = f" (with {', '.join(f'{q}: {a}' for q, a in shown.when.items())})" if shown.when else ""
    piles = ", the order of piles looked at" if candidate.piles else ""
    where = f"boards/{boards.game.name}/{shown.name}.yaml"
    lines = [*said, f"The board is {candidate.origin}{piles}: [{shown.name}]({where}).", "", *_yaml(shown.board), ""]
    lines += [f"{shown.why}{under}", ""]
    if shown.same:
        return lines[:-1]
    common = [text for names, text in shown.told() if not names]
    lines += [f"- under all of them: {text}" for text in common]
    for names, text in shown.told():
        if names:
            only = "" if not common else "besides, " if text else "nothing else"
            lines.append(f"- {listed(f'`{name}`' for name in names)}: {only}{text}")
    return lines
