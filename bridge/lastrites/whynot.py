"""Why a described state does not come out: the nearest outcome, other readings that give it, clauses in the way.

A state is described by an entry as under ``expect:``. If it does come out that is said, and where. If not, the answers
and editions under which it does are looked for, then the outcome that differs least and an order that leads there,
then the single clauses without which it would come out (or, for a consequence, with the opposite of which).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lastrites import stop
from lastrites.editions import by_name, questions_of
from lastrites.errors import BoardError, Problem
from lastrites.focus import distance, focused, nearest, never, parts_of
from lastrites.ruling import rulings
from lastrites.solver import RulesError

if TYPE_CHECKING:
    from lastrites.board import Board
    from lastrites.expect import Entry
    from lastrites.factors import Factors
    from lastrites.jobs import WhyNotRequest
    from lastrites.resolution import Resolution

MOST_EXPLAINED = 400
"""In so many states, those of the nearest order first, the clauses in the way are looked for."""

ROOM = 2_000
"""A board with a clause switched may have so many states, or ten times as many as it has otherwise."""

Json = dict[str, Any]
Report = Callable[[str, Any], None]
"""Called with ``progress`` and a text, or with ``result`` and what is known so far."""


def compile_state(text: str, board: Board) -> Entry:
    """The entry that a text in flow style describes. Raises BoardError, with places in the text."""
    from dataclasses import replace

    from lastrites.expect import compile_entry
    from lastrites.jobs import scope_of
    from lastrites.yamlio import parse, quote

    zone = next((key.text for key in board.rules.shape.of_form("player", "zone")), "")
    state = f"{{{zone}: [Name]}}" if zone else "{}"
    example = f"{{{quote(board.players[0], key=True)}: {state}}}" if board.players else "{}"
    hint = f"say what should come out, for example '{example}'"
    node = parse(text, "STATE", ("no state is described", hint))
    entry = compile_entry(node, replace(scope_of(board), file="STATE"))
    if not parts_of(entry) and entry.deciders is None and entry.chance is None:
        raise BoardError([Problem("LR-E013", "STATE", node.line, node.column, "this state says nothing", hint)])
    return entry


def why_not(asked: WhyNotRequest, report: Report = lambda kind, content: None) -> Json:
    """The whole answer in its JSON form (``lastrites.why-not/1``). Raises BoardError, and RulesError for the board as
    it stands; a clause without which the rules make no sense is passed over."""
    return _WhyNot(asked, report).answer()


class _WhyNot:
    def __init__(self, asked: WhyNotRequest, report: Report) -> None:
        self.asked, self.request, self.report = asked, asked.request, report
        board, seconds = self.request.board, self.request.timeout
        self.known = questions_of(board.rules.rules / board.game)
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.factors: tuple[Factors, ...] | None = None

    # ---- resolving

    def resolve(self, what: str, room: int | None = None, **changed: Any) -> Resolution:
        """The answer under some changes; of outcomes that are told as factors those that are nearest to the state."""
        result = self._resolve(what, room, **changed)
        if result.factors is None:
            return result
        self.factors = self.factors or result.factors
        return focused(result, nearest(self.asked.entry))

    def _resolve(self, what: str, room: int | None, **changed: Any) -> Resolution:
        from lastrites.resolution import Limits, resolve

        request = self.request
        self.report("progress", what)
        left = None if self.deadline is None else max(0.01, self.deadline - time.monotonic())
        states = min(filter(None, (request.limit_states, room)), default=None)
        told = Limits(
            states, left, lambda text: self.report("progress", f"{what}: {text}"), request.limit_outcomes
        )
        how: dict[str, Any] = {
            "readings": request.readings, "edition": request.edition, "without": request.without,
            "against": request.against, "pile_order": request.pile_order, "limits": told,
            "reduction": request.reduction,
        }  # fmt: skip
        return resolve(request.board, **{**how, **changed})

    def matching(self, result: Resolution) -> list[str]:
        """The ids of the outcomes that are as described."""
        told = result.to_json(witnesses=False)["outcomes"]
        return [each["id"] for each in told if not self.asked.entry.differences(each)]

    def over(self) -> bool:
        """Whether the time is up."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    # ---- the answer

    def answer(self) -> Json:
        result = self.resolve("the board as it stands")
        told = result.to_json()
        factors = self.factors
        found = self.matching(result)
        answer: Json = {
            "schema": "lastrites.why-not/1",
            **{key: told[key] for key in ("board", "game", "edition", "readings")},
            **{key: told[key] for key in ("without", "against") if key in told},
            "complete": False,
            "explored": result.complete,
            "state": self.asked.text,
            "occurs": bool(found),
            **({"of_factors": True} if factors is not None else {}),
            "outcomes": found,
            "under": self._under(result, found),
            "not_under": self._not_under(result, found),
            "refused": told["refused"],
            **{key: told[key] for key in ("stuck", "conflicts", "loops", "unexplained", "warnings")},
            "elsewhere": {"answers": [], "editions": []},
            "closest": None,
            "never": [],
            "barred": [],
            "clauses": [],
            "tried": [],
            "untried": [],
            "unsure": [],
        }
        if not result.complete:
            answer["incomplete_reason"] = result.incomplete_reason
        if not found:
            try:
                self._explain(answer, result)
            except KeyboardInterrupt:
                return {**answer, "incomplete_reason": "interrupted"}
        ended = self.over() and not found
        if ended:
            answer.setdefault("incomplete_reason", f"the time limit of {self.request.timeout:g} s was reached")
        return {**answer, "complete": result.complete and not ended}

    def _explain(self, answer: Json, result: Resolution) -> None:
        self.report("result", answer)
        answer["closest"] = self._closest(result)
        entry = self.asked.entry
        answer["never"] = self._never(result) if self.factors is None else never(entry, self.factors)
        told = result.explained(MOST_EXPLAINED)
        answer["barred"] = [{"what": what, "clause": clause} for what, clause in told.in_the_way()]
        self.report("result", answer)
        if result.complete:
            opened = self.try_out("every question open", result, readings={}, left_open=list(result.reading.questions))
            if opened is not None:
                answer["elsewhere"] = {"answers": self._answers(result, opened), "editions": []}
                self.report("result", answer)
            answer["elsewhere"]["editions"] = self._editions(result, opened)
            self.report("result", answer)
        self._clauses(answer, result)

    def _under(self, result: Resolution, ids: list[str]) -> list[dict[str, str]]:
        """The readings under which some of these outcomes come out, told briefly; one empty reading for all."""
        rows = [outcome.under for outcome in result.outcomes if outcome.id in ids]
        return list({str(row["when"]): dict(row["when"]) for under in rows for row in under}.values())

    def _not_under(self, result: Resolution, ids: list[str]) -> list[dict[str, str]]:
        return [dict(row["when"]) for row in result.labels if ids and not set(row["outcomes"]) & set(ids)]

    # ---- the nearest

    def _closest(self, result: Resolution) -> Json | None:
        """The outcome that differs least from what is described, with the ruling on it and what differs."""
        told = result.to_json(witnesses=False)["outcomes"]
        if not told:
            return None
        differences = {each["id"]: self.asked.entry.differences(each) for each in told}
        nearest = min(told, key=lambda each: distance(differences[each["id"]]))["id"]
        ruling = next(each for each in rulings(result, self.request.readings) if each["id"] == nearest)
        differing = [{"path": each.path, "text": each.text} for each in differences[nearest]]
        return {"differences": differing, "distance": distance(differences[nearest])[0], "ruling": ruling}

    def _never(self, result: Resolution) -> list[str]:
        """The single keys that are in no outcome as described."""
        states = [outcome.state for outcome in result.outcomes]
        return [name for name, part in parts_of(self.asked.entry) if all(part.differences(each, "") for each in states)]

    # ---- other readings

    def _answers(self, result: Resolution, opened: Resolution) -> list[Json]:
        """The fewest answers that would have to be others for the state to come out."""
        fixed, known = result.reading.answers, self.known
        ids = set(self.matching(opened))
        others: list[dict[str, str]] = []
        for assignment in opened.assignments:
            if ids & set(assignment.outcomes):
                others.append({q: a for q, a in assignment.when.items() if q in fixed and fixed[q] != a})
        kept = [when for when in others if when and not any(o.items() < when.items() for o in others)]
        found = []
        for when in {str(sorted(when.items())): when for when in kept}.values():
            reading = [
                {"question": q, "answer": a, "instead_of": fixed[q], "about": known.about.get(q, ""),
                 "fixed_by": self._fixed_by(result, q),
                 "sources": [{"where": s.where, "date": s.date} for s in known.sources.get((q, a), ())]}
                for q, a in when.items()
            ]  # fmt: skip
            found.append({"when": when, "answers": reading})
        return found

    def _fixed_by(self, result: Resolution, question: str) -> str:
        if question in self.request.readings:
            return "command"
        return "board" if question in result.reading.explicit else "edition"

    def _editions(self, result: Resolution, opened: Resolution | None) -> list[str]:
        """The editions and profiles under which the state comes out."""
        known = self.known
        # Where rules spoken of editions by name, or clauses are lacking, an edition is more than its answers.
        spoken = by_name(result.explored.rulebook.files)
        found = []
        for name in (*known.editions, *known.profiles):
            if name == result.reading.edition:
                continue
            lacking = known.lacks.get(name, frozenset())
            if opened is not None and opened.complete and not spoken and lacking == result.reading.lacking:
                if self._agreeing(opened, name, result.reading.explicit):
                    found.append(name)
            else:
                other = self.try_out(f"edition {name}", result, edition=name)
                if other is not None and self.matching(other):
                    found.append(name)
        return found

    def _agreeing(self, opened: Resolution, edition: str, explicit: Mapping[str, str]) -> bool:
        """Whether the state comes out under some answers that an edition allows, of all that there are."""
        settled = {**self.known.settles.get(edition, {}), **explicit}
        shut = {pair for pair in self.known.excludes.get(edition, frozenset()) if pair[0] not in settled}
        ids = set(self.matching(opened))
        return any(
            all(settled.get(question, answer) == answer for question, answer in assignment.when.items())
            and not shut & set(assignment.when.items())
            for assignment in opened.assignments
            if ids & set(assignment.outcomes)
        )

    def try_out(self, what: str, result: Resolution, **changed: Any) -> Resolution | None:
        """The board with something changed; None where the rules, or the board, make no sense then."""
        stop.check()
        if self.over():
            return None
        try:
            return self.resolve(what, max(ROOM, 10 * result.state_count), **changed)
        except (BoardError, RulesError):
            return None

    # ---- clauses

    def _clauses(self, answer: Json, result: Resolution) -> None:
        """Switch clauses one at a time, those first that are named on the way to the nearest outcome."""
        from lastrites.editions import clause_kinds

        kinds = clause_kinds(result.explored.rulebook.files)
        candidates = self._candidates(result, kinds)
        for place, clause in enumerate(candidates):
            if place >= self.asked.tries or self.over() or not result.complete:
                answer["untried"] = candidates[place:]
                break
            opposite = kinds[clause] == "consequence"
            switch = {"against" if opposite else "without": (*self._switched(opposite), clause)}
            other = self.try_out(f"{'against' if opposite else 'without'} {clause}", result, **switch)
            answer["tried"].append(clause)
            if other is None:
                continue
            ids = self.matching(other)
            if ids:
                answer["clauses"].append(self._without(clause, opposite, other, ids))
                self.report("result", answer)
            elif not other.complete:
                answer["unsure"].append(clause)

    def _switched(self, opposite: bool) -> tuple[str, ...]:
        return self.request.against if opposite else self.request.without

    def _candidates(self, result: Resolution, kinds: Mapping[str, str]) -> list[str]:
        """Clauses in the order in which they are tried: those that refuse the event, bar something or are cited on the
        way to the nearest outcome, then elsewhere, then the barriers and consequences that are loaded. A rule that no
        step rests on is not tried."""
        off = {*result.reading.lacking, *self.request.without, *self.request.against}
        found = dict.fromkeys(clause for refusal in result.refused for clause in refusal["clauses"])
        told = result.explained(MOST_EXPLAINED)
        found.update(dict.fromkeys(clause for _, clause in told.in_the_way()))
        found.update(dict.fromkeys(told.cited()))
        for kind in ("barrier", "consequence"):
            found.update(dict.fromkeys(sorted(clause for clause in kinds if kinds[clause] == kind)))
        return [clause for clause in found if clause in kinds and clause not in off]

    def _without(self, clause: str, opposite: bool, other: Resolution, ids: list[str]) -> Json:
        """What comes out as described when a clause is switched: an order that leads there, and under which reading."""
        outcome = next(each for each in other.outcomes if each.id == ids[0])
        steps = [step.to_json() for step in outcome.witness]
        return {
            "clause": clause,
            "how": "against" if opposite else "without",
            "under": self._under(other, ids),
            "order": [{"by": step["by"], "decision": step["decision"], "changes": step["changes"]} for step in steps],
        }
