"""Does the text of a game agree with itself? Looks at many boards and tells what is contradictory, missing or idle.

The scope is stated with the findings: that nothing was found says something about these boards only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastrites import lptext, static, survey
from lastrites.errors import BoardError, Problem
from lastrites.findings import ERROR, Finding, Precedence, precedences
from lastrites.layouts import Layout, Spot, board_files, generated, read_layout, written
from lastrites.survey import Effect, Report, Setting, Sought, Switch

if TYPE_CHECKING:
    from lastrites.book import Book, Clause
    from lastrites.game import Game
    from lastrites.worker import Task

NO_FIXTURES = (
    "no fixtures lie beside these rules, as they do in a clone that is installed with `pip install -e .`; name boards "
    "with --scope"
)

PILES = "what an open question does to the order of piles is not looked at without --pile-order"

BOARD_SECONDS = 20.0
"""How long one board may take."""

SHRINK_SECONDS = 90.0
"""How long a board is made smaller."""

EFFECT_SECONDS = 240.0
"""How long a board is looked for that comes out otherwise without a clause."""

MOST_IDLE_PAIRS = 15
"""Beyond this many pairs of idle clauses redundant pairs are not looked for."""

Rows = list[tuple[int, Layout, str]]
"""Boards in an order: number, layout, and the signature of how it comes out if that is known."""

Ended = tuple[int, list[tuple[str, Any]], Exception | None]
"""A job that has ended: its place, its messages, and what went wrong."""

PARTS = ("static", "boards", "clauses")
"""What a check consists of: faults without boards; what boards show; clauses without effect."""


@dataclass(frozen=True)
class Scope:
    """What is looked at: board files and folders, how many boards are made from them, and with which seed."""

    paths: tuple[Path, ...] = ()
    generated: int = 100
    seed: int = 1
    parts: tuple[str, ...] = PARTS


@dataclass
class Seen:
    """What was looked at under one edition."""

    edition: str
    boards: int = 0
    generated: int = 0
    cards: int = 0
    events: int = 0
    states: int = 0
    refused: int = 0
    invalid: int = 0
    unfinished: int = 0

    def to_json(self) -> dict[str, Any]:
        """The numbers in their JSON form."""
        return vars(self).copy()


@dataclass
class Outcome:
    """The result of a check, complete or not: ``reason`` says why it ended early. ``clauses`` tells how many clauses
    were switched off."""

    game: str
    findings: list[Finding] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    clauses: int = 0
    complete: bool = True
    reason: str = ""
    notes: list[str] = field(default_factory=list)


class Late(Exception):
    """The time is up, or the work was interrupted."""


def fixtures_of(game: Game) -> Path | None:
    """The folder of boards that belongs to a folder of rules, if there is one beside it."""
    folder = game.rules.parent / "fixtures" / game.name
    return folder if folder.is_dir() else None


class Check:
    """A check of one game.

    ``editions`` are looked at one after another; clauses are switched off under the first. ``show`` is given each
    finding as it is made, ``progress`` a text now and then.
    """

    def __init__(
        self,
        game: Game,
        scope: Scope,
        *,
        editions: Sequence[str | None],
        setting: Setting,
        workers: int = 1,
        seconds: float | None = None,
        show: Callable[[Finding], None] = lambda finding: None,
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.game, self.scope, self.editions, self.setting = game, scope, list(editions), setting
        self.workers, self.show, self.progress = workers, show, progress
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.result = Outcome(game.name)
        self._small: dict[Sought, Spot] = {}

    def run(self) -> Outcome:
        """Look at everything in the scope. What is known when the time is up is kept, and marked incomplete."""
        try:
            broken = "static" in self.scope.parts and self._static()
            if not broken and {"boards", "clauses"} & set(self.scope.parts):
                self._boards()
        except Late as late:
            self.result.complete, self.result.reason = False, str(late)
        except KeyboardInterrupt:
            self.result.complete, self.result.reason = False, "interrupted"
        return self.result

    def _found(self, finding: Finding) -> None:
        self.result.findings.append(finding)
        self.show(finding)

    # ---- without boards

    def _static(self) -> bool:
        """Tell faults of rules and cards. Whether boards cannot be looked at because of them."""
        self.progress("reading the rules")
        complaints = static.check_rules(self.game.rules, self.game.name)
        for complaint in complaints:
            place = str(complaint.file) + (f":{complaint.line}" if complaint.line else "")
            self._found(Finding("fault", complaint.text, details={"place": place}))
        problems = []
        if self.setting.cards is not None:
            problems = static.check_cards([self.setting.cards], self.game.name, self.setting.rules)
        for problem in problems:
            place = problem.file + (f":{problem.line}:{problem.column}" if problem.line else "")
            verdict = f"{problem.message}{f'; {problem.hint}' if problem.hint else ''}"
            self._found(Finding("fault", verdict, details={"place": place, "code": problem.code}))
        return bool(problems) or any("error:" in complaint.text for complaint in complaints)

    # ---- boards

    def _boards(self) -> None:
        from lastrites.book import read_book

        self.book: Book = read_book(self.game)
        self.precedences = precedences(self._blocks())
        spots = self._spots()
        if not spots:
            why = f"no board of {self.game.name} lies in what --scope names" if self.scope.paths else NO_FIXTURES
            self.result.notes.append(f"no board was looked at: {why}")
            return
        for number, edition in enumerate(self.editions):
            setting = replace(self.setting, edition=edition, seconds=BOARD_SECONDS)
            reports: list[Report | None] = [None] * len(spots)
            late: Late | None = None
            try:
                self._look(spots, setting, reports)
            except Late as error:
                late = error  # what the boards have shown so far is told
            if "boards" in self.scope.parts:
                for finding in self._shown(spots, reports, setting, late):
                    self._found(finding)
            if late is not None:
                raise late
            if number == 0 and "clauses" in self.scope.parts:
                self._effects(spots, reports, setting)

    def _blocks(self) -> list[lptext.Block]:
        return [b for file in self.game.files for b in lptext.blocks(file, file.read_text(encoding="utf-8"))]

    def _spots(self) -> list[Spot]:
        spots: list[Spot] = []
        problems: list[Problem] = []
        for path in board_files(self.scope.paths):
            try:
                layout = read_layout(path)
            except BoardError as error:
                problems += error.problems
                continue
            if layout.get("game") == self.game.name:
                spots.append(Spot(path.stem, layout))
            elif path in self.scope.paths:
                hint = f"boards are YAML files with `game: {self.game.name}`"
                problems.append(Problem("LR-E017", str(path), 0, 0, f"this is no board of {self.game.name}", hint))
        if problems:
            raise BoardError(problems)
        spots += generated(self.game, spots, self.scope.generated, self.scope.seed)
        return sorted(spots, key=lambda spot: (spot.generated, spot.cards))

    def _many(self, task: Task, arguments: Sequence[Any], seconds: float, what: str) -> Iterator[tuple[int, Any]]:
        """Do a job for each argument, in processes that can be killed; what each emitted, None if it was ended.

        A job whose process died is done once more: it may have been killed by chance."""
        from lastrites import worker

        done = 0
        running = self._twice(task, arguments, seconds)
        try:
            for place, messages, error in running:
                done += 1
                self.progress(f"{what}: {done} of {len(arguments)}")
                result = next((content for kind, content in messages if kind == "result"), None)
                if error is not None and not isinstance(error, (worker.Stopped, worker.Crashed)):
                    raise error
                if isinstance(error, worker.Stopped) and str(error) == "interrupted":
                    raise Late("interrupted")
                yield place, result
                if self.deadline is not None and time.monotonic() > self.deadline:
                    raise Late("the time limit was reached")
        finally:
            running.close()
        if done < len(arguments):
            raise Late("interrupted")

    def _twice(self, task: Task, arguments: Sequence[Any], seconds: float) -> Generator[Ended, None, None]:
        """The jobs as they end; those whose process died at the end of all others, after a second try."""
        from lastrites import worker

        places: Sequence[int] = range(len(arguments))
        for last in (False, True):
            died: list[int] = []
            running = worker.run_all(
                task, [arguments[place] for place in places], workers=self.workers, timeout=seconds
            )
            try:
                for number, messages, error in running:
                    if isinstance(error, worker.Crashed) and not last:
                        died.append(places[number])
                    else:
                        yield places[number], messages, error
            finally:
                running.close()
            places = died

    def _look(self, spots: Sequence[Spot], setting: Setting, reports: list[Report | None]) -> None:
        """Fill in a report about each board, and the numbers of what was looked at."""
        clauses = "clauses" in self.scope.parts and setting.edition == self.editions[0]
        arguments = [(spot.layout, setting, clauses) for spot in spots]
        seen = Seen(setting.edition or "")
        self.result.seen.append(seen)
        what = "boards" if setting.edition is None else f"boards, edition {setting.edition}"
        for place, result in self._many(survey.look, arguments, 3 * BOARD_SECONDS, what):
            report = Report(**result) if result is not None else None
            reports[place] = report
            self._count(seen, spots[place], report)
            if report is not None and report.failed and not spots[place].generated:
                self.result.notes.append(f"{spots[place].name}: {report.failed}")

    @staticmethod
    def _count(seen: Seen, spot: Spot, report: Report | None) -> None:
        if report is None:
            seen.unfinished += 1
            return
        if report.failed:
            seen.invalid += 1
            return
        seen.boards += 1
        seen.generated += spot.generated
        seen.cards += spot.cards
        event = spot.layout.get("event")
        seen.events += len(event) if isinstance(event, list) else 1 if event else 0
        seen.states += report.states
        seen.refused += report.refused
        seen.unfinished += not report.complete

    # ---- what boards show

    def _shown(
        self, spots: Sequence[Spot], reports: Sequence[Report | None], setting: Setting, late: Late | None
    ) -> Iterator[Finding]:
        """Contradictions, gaps, branching, loops, open questions; each with its smallest board, or where the work is
        ``late`` with the board as it is."""
        good = [(spot, report) for spot, report in zip(spots, reports, strict=True) if report and not report.failed]
        good.sort(key=lambda pair: pair[0].cards)
        wanted: list[tuple[Sought, Spot, int]] = []

        def first(sought: Sought, having: list[Spot]) -> None:
            if having:
                wanted.append((sought, having[0], len(having)))

        pairs = dict.fromkeys(pair for _, report in good for pair in report.conflicts)
        latent = dict.fromkeys(pair for _, report in good for pair in report.latent if pair not in pairs)
        for pair in pairs:
            first(Sought("conflict", pair), [spot for spot, report in good if pair in report.conflicts])
        for pair in latent:
            first(Sought("clash", pair), [spot for spot, report in good if pair in report.latent])
        for kind in ("stuck", "unexplained", "broken", "loops"):
            first(Sought(kind), [spot for spot, report in good if getattr(report, kind)])
        raised = dict.fromkeys(question for _, report in good for question in report.asked)
        for question in raised:
            for pair in dict.fromkeys(p for _, report in good for p in report.open.get(question, ())):
                having = [spot for spot, report in good if pair in report.open.get(question, ())]
                first(Sought("answers", (question, *pair)), having)
        # What is smallest under another edition is mostly so under this one.
        starts = [[*filter(None, [self._small.get(sought)]), spot] for sought, spot, _ in wanted]
        arguments = [
            ([each.layout for each in spots], setting, sought, SHRINK_SECONDS)
            for (sought, _, _), spots in zip(wanted, starts, strict=True)
        ]
        told: dict[int, Any] = {}
        if late is not None:
            arguments = []
        try:
            for place, result in self._many(survey.shrink, arguments, SHRINK_SECONDS + 60, "smallest boards"):
                told[place] = result
        except Late as error:
            late = error  # the boards that were not made smaller are told as they are
        silences: dict[str, list[tuple[tuple[str, ...], Spot, int, Any]]] = {}
        for place, (sought, spot, number) in enumerate(wanted):
            result = told.get(place)
            if result:
                spot = starts[place][result["start"]]
                self._small[sought] = Spot(spot.name, result["layout"])
            if sought.kind == "answers":
                silences.setdefault(sought.names[0], []).append((sought.names[1:], spot, number, result))
            else:
                yield from self._finding(sought, spot, number, result, setting)
        for question, rows in silences.items():
            yield self._silence(question, rows, setting)
        if late is not None:
            raise late
        yield from self._unraised(good, setting)

    def _finding(
        self, sought: Sought, spot: Spot, number: int, result: Mapping[str, Any] | None, setting: Setting
    ) -> Iterator[Finding]:
        board = written(result["layout"]) if result else written(spot.layout)
        common: dict[str, Any] = {
            "edition": setting.edition or "", "board": board, "made_from": spot.name,
            "smallest": bool(result and result["smallest"]),
        }  # fmt: skip
        details: dict[str, Any] = {"boards": number}
        if sought.kind not in ("conflict", "clash"):
            kind = {"stuck": "gap", "unexplained": "branching", "loops": "loop"}.get(sought.kind, sought.kind)
            entry = result["entry"] if result else None
            clauses = tuple(result["clauses"]) if result else ()
            details["entry"] = entry
            yield Finding(kind, _odd_verdict(kind, entry), clauses=clauses, details=details, **common)
            return
        one, other = sought.names
        minimal = result["minimal"] if result else list(dict.fromkeys([one, other]))
        details |= {"pair": [one, other], "minimal": minimal, "after": result["after"] if result else []}
        stated = [p for p in self.precedences if set(p.pair) == {one, other}]
        says = f"{one} requires what {other} forbids"
        if sought.kind == "conflict":
            verdict = f"{says}, and nothing says which of them gives way."
            if one == other:
                verdict = f"{one} requires twice what can be only once, and nothing says which gives way."
            yield Finding("contradiction", verdict, clauses=tuple(minimal), details=details, **common)
            return
        precedence = stated[0] if stated else Precedence("", (one, other))
        clauses = tuple(dict.fromkeys([*minimal, *filter(None, [precedence.clause])]))
        details["precedence"] = precedence.clause
        if not precedence.question:
            where = precedence.clause or "outside of any clause"
            verdict = f"{says}; that {precedence.pair[0]} gives way has to be stated apart ({where})."
            yield Finding("settled", verdict, clauses=clauses, details=details, **common)
            return
        answer = self.book.settled(setting.edition).get(precedence.question)
        details |= {"question": precedence.question, "answer": answer}
        left = f"{setting.edition} answers by {answer}" if answer else f"{setting.edition} leaves open"
        verdict = f"{says}; {precedence.clause} leaves it to the question {precedence.question}, which {left}."
        yield Finding("settled", verdict, clauses=clauses, details=details, **common)
        if answer:
            verdict = (
                f"{setting.edition} is taken to answer {precedence.question} by {answer}, yet its text holds both "
                f"{one} and {other}."
            )
            yield Finding("overclaim", verdict, clauses=tuple(minimal), details=details, **common)

    def _silence(
        self, question: str, rows: Sequence[tuple[tuple[str, ...], Spot, int, Any]], setting: Setting
    ) -> Finding:
        """A question that the edition leaves open, with the smallest board for each pair of answers that differ."""
        about = next((each.about for each in self.book.questions if each.name == question), "")
        rows = sorted(rows, key=lambda row: len(written(row[3]["layout"] if row[3] else row[1].layout)))
        pairs = []
        for pair, spot, number, result in rows:
            layout = result["layout"] if result else spot.layout
            pairs.append(
                {"answers": list(pair), "board": written(layout), "made_from": spot.name, "boards": number,
                 "smallest": bool(result and result["smallest"]), **((result or {}).get("outcomes") or {})}
            )  # fmt: skip
        answers = list(dict.fromkeys(answer for row in rows for answer in row[0]))
        told = f"{', '.join(answers[:-1])} and {answers[-1]}"
        verdict = f"{setting.edition} does not say: {about or question} The answers {told} come to different outcomes."
        smallest_row = pairs[0]
        return Finding(
            "silence", verdict, setting.edition or "", (), smallest_row["board"], smallest_row["made_from"],
            smallest_row["smallest"], {"question": question, "pairs": pairs},
        )  # fmt: skip

    def _unraised(self, good: Sequence[tuple[Spot, Report]], setting: Setting) -> Iterator[Finding]:
        settled = self.book.settled(setting.edition)
        for question in self.book.questions:
            if question.name in settled or any(question.name in report.open for _, report in good):
                continue
            asked = sum(question.name in report.asked for _, report in good)
            counted = sum(question.name in report.counted for _, report in good)
            if not asked:
                told = f"no board raises the question {question.name}"
            elif counted:
                told = f"the question {question.name} changes only numbers of orders, on {counted} boards"
            else:
                told = f"the question {question.name} is raised by {asked} boards and changes the outcomes of none"
            if not counted and not setting.pile_order and PILES not in self.result.notes:
                self.result.notes.append(PILES)
            details = {"question": question.name, "asked": asked, "counted": counted}
            yield Finding("unraised", f"{told}.", setting.edition or "", details=details)

    # ---- clauses without effect

    def _effects(self, spots: Sequence[Spot], reports: Sequence[Report | None], setting: Setting) -> None:
        """Idle, dormant and uncovered clauses, and redundant pairs."""
        from lastrites.listings import boards_of

        hints = {clause: {name.rpartition("/")[2] for name in names} for clause, names in boards_of(self.game).items()}
        good = [
            (number, report) for number, report in enumerate(reports)
            if report is not None and not report.failed and report.complete
        ]  # fmt: skip
        lacking = self._lacking(setting)
        clauses = [c for c in self.book.clauses if c.id not in lacking and c.id not in setting.without]

        def ranked(names: Sequence[str]) -> Iterator[tuple[int, Report]]:
            def rank(entry: tuple[int, Report]) -> tuple[bool, bool, bool, int]:
                number, report = entry
                hinted = any(spots[number].name in hints.get(name, ()) for name in names)
                rests = any(name in report.cited for name in names)
                return not hinted, spots[number].generated, not rests, report.states

            yield from sorted(good, key=rank)

        # A board that cannot rest on a clause cannot come out otherwise without it.
        def resting(*names: str) -> Rows:
            found = ((n, report) for n, report in ranked(names) if not set(names).isdisjoint(report.rests))
            return [(n, spots[n].layout, report.signature) for n, report in found]

        def widely(name: str) -> Rows:
            return [(n, spots[n].layout, "") for n, report in ranked([name]) if name in report.widely]

        silent: list[Clause] = []
        for clause, effect in self._switched(clauses, [resting(clause.id) for clause in clauses], setting, "clauses"):
            self.result.clauses += 1
            if effect.board is None and effect.every and not effect.unfinished:
                silent.append(clause)
            else:
                self._effect(clause, effect, spots, setting)
        idle = self._silent(silent, [widely(clause.id) for clause in silent], spots, len(good), setting)
        self._redundant(idle, resting, setting)

    def _switched(
        self, clauses: Sequence[Clause], rows: Sequence[Rows], setting: Setting, what: str
    ) -> Iterator[tuple[Clause, Effect]]:
        """What comes of switching each clause on its boards."""
        switches = [
            Switch(clause.id, clause.kind == "consequence", boards, setting, EFFECT_SECONDS)
            for clause, boards in zip(clauses, rows, strict=True)
        ]
        for place, effect in self._many(survey.find_effect, switches, EFFECT_SECONDS + 60, what):
            yield clauses[place], effect or Effect(None, 0, 0, False)

    def _effect(self, clause: Clause, effect: Effect, spots: Sequence[Spot], setting: Setting) -> None:
        """Tell of a clause that makes a difference on boards that were made up only, or of which nothing is known."""
        edition, details = setting.edition or "", {"looked": effect.looked, "unfinished": effect.unfinished}
        change = _change(clause)
        if effect.board is None:
            verdict = f"{_come_out(effect.looked - effect.unfinished)} the same {change}; " + (
                f"{effect.unfinished} could not be looked at to the end." if effect.every
                else "time ran out before the others were looked at."
            )  # fmt: skip
            self._found(Finding("undecided", verdict, edition, (clause.id,), details=details))
        elif spots[effect.board].generated:
            spot = spots[effect.board]
            verdict = f"only a board that was made up comes out otherwise {change}."
            found = Finding(
                "uncovered", verdict, edition, (clause.id,), written(spot.layout), spot.name, False, details
            )
            self._found(found)

    def _silent(
        self, clauses: Sequence[Clause], rows: Sequence[Rows], spots: Sequence[Spot], number: int, setting: Setting
    ) -> list[Clause]:
        """Look again at clauses that seem to be idle: with piles in their order, and with every question open. Those
        without which ``number`` boards come out the same even so, all of them."""
        edition = setting.edition or ""
        by_rows = {clause.id: boards for clause, boards in zip(clauses, rows, strict=True)}
        wide = survey.wide(setting, [question.name for question in self.book.questions])
        settings = (("piles in their order", replace(setting, pile_order=True)), ("every question open", wide))
        left = list(clauses)
        for what, other in settings:
            same: list[Clause] = []
            for clause, effect in self._switched(left, [by_rows[c.id] for c in left], other, f"clauses, {what}"):
                if effect.board is None and effect.every and not effect.unfinished:
                    same.append(clause)
                elif effect.board is None or not other.left_open:
                    self._effect(clause, effect, spots, setting)
                else:
                    spot = spots[effect.board]
                    verdict = (
                        f"{_come_out(number)} the same {_change(clause)} as {edition} answers the questions; "
                        f"under other answers {spot.name} does not."
                    )
                    details = {"looked": number, "shown_by": spot.name}
                    board = written(spot.layout)
                    self._found(Finding("dormant", verdict, edition, (clause.id,), board, spot.name, False, details))
            left = same
        for clause in left:
            verdict = f"{_come_out(number)} the same {_change(clause)}, whatever the answers to questions."
            self._found(Finding("idle", verdict, edition, (clause.id,), details={"looked": number}))
        return left

    def _lacking(self, setting: Setting) -> frozenset[str]:
        from lastrites.editions import questions_of

        known = questions_of(self.game.rules / self.game.name)
        return known.lacks.get(setting.edition or "", frozenset())

    def _redundant(self, idle: Sequence[Clause], resting: Callable[..., Rows], setting: Setting) -> None:
        singly = [clause for clause in idle if clause.kind != "consequence"]
        pairs = list(combinations(singly, 2))
        if len(pairs) > MOST_IDLE_PAIRS:
            every, on = len(pairs), {clause.id: {number for number, *_ in resting(clause.id)} for clause in singly}
            pairs = [(one, other) for one, other in pairs if on[one.id] & on[other.id]]
            looked = f"of {every} pairs of idle clauses those {len(pairs)} that a board can rest on together"
            if len(pairs) > MOST_IDLE_PAIRS:
                self.result.notes.append(f"redundant pairs were not looked for: {looked} are too many")
                return
            self.result.notes.append(f"redundant pairs were looked for among some only: {looked}")
        arguments = [
            Switch(other.id, False, resting(one.id, other.id), replace(setting, without=(*setting.without, one.id)),
                   EFFECT_SECONDS)
            for one, other in pairs
        ]  # fmt: skip
        for place, effect in self._many(survey.find_effect, arguments, EFFECT_SECONDS + 60, "pairs of clauses"):
            if effect is not None and effect.board is not None:
                one, other = (clause.id for clause in pairs[place])
                verdict = f"{one} and {other} change nothing when one of them is switched off, but both together do."
                self._found(Finding("redundant", verdict, setting.edition or "", (one, other)))


def _change(clause: Clause) -> str:
    return f"{'with the opposite of' if clause.kind == 'consequence' else 'without'} {clause.id}"


def _come_out(boards: int) -> str:
    return "1 board comes out" if boards == 1 else f"{boards} boards come out"


def _odd_verdict(kind: str, entry: Mapping[str, Any] | None) -> str:
    after = ", ".join((entry or {}).get("after", ())) or "some steps"
    options = " / ".join((entry or {}).get("options", ()))
    if kind == "gap":
        return f"After {after} nothing is possible, though nothing is finished."
    if kind == "branching":
        return f"After {after} several things may happen and nobody decides: {options}."
    if kind == "broken":
        return f"After {after}: {(entry or {}).get('message') or 'the rules derive what must not be'}."
    told = ", ".join(str(step["decision"]) for step in (entry or {}).get("cycle", ()))
    return f"These steps can be repeated for ever: {told or 'see the board'}."


__all__ = ["ERROR", "PARTS", "BoardError", "Check", "Late", "Outcome", "Scope", "Seen", "fixtures_of"]
