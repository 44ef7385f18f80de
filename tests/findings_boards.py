"""The boards of docs/findings.md: for each question and each two neighbouring editions a small one on which they part.

A board that the search from below has found comes first, then one that ``check`` has made small, then one that is made
small here from a fixture that speaks of the question or of the editions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, pairwise, permutations, product
from pathlib import Path
from typing import Any

from fixture_help import FIXTURES

from lastrites import comparison, survey
from lastrites.book import Book, read_book
from lastrites.editions import alike
from lastrites.errors import BoardError
from lastrites.game import Game
from lastrites.jobs import expectations
from lastrites.layouts import Layout, board_of, plain, read_layout, smallest, weight, written
from lastrites.names import slug
from lastrites.resolution import Limits, resolve
from lastrites.search.told import sentence
from lastrites.solver import RulesError
from lastrites.survey import Setting, Sought
from lastrites.terminal import listed, value_text
from lastrites.verify import OK, verify
from lastrites.yamlio import parse

Json = Mapping[str, Any]
LIMITS = Limits(2_000, 30)
SECONDS = 60.0
"""How long a fixture is made smaller."""

MOST_OUTCOMES = 4
"""More outcomes of one side are only counted."""


@dataclass(frozen=True)
class Candidate:
    """A board that may tell two readings apart: where it comes from, and how it is to be read."""

    layout: Layout
    origin: str
    edition: str
    readings: Json = field(default_factory=dict)
    piles: bool = False


@dataclass(frozen=True)
class Shown:
    """A board on which readings part: its name, what it tells apart, why they part in one sentence, and for each group
    of sides with the same outcomes these outcomes. Of editions ``left`` tells which of the other answers (``when``)
    they leave open."""

    name: str
    candidate: Candidate
    when: Json
    why: str
    groups: Sequence[tuple[tuple[str, ...], Sequence[Json]]]
    pair: tuple[str, ...] = ()
    left: Mapping[str, Json] = field(default_factory=dict)

    @property
    def same(self) -> bool:
        """Whether the same comes out on all sides."""
        return all(states == self.groups[0][1] for _, states in self.groups)

    @property
    def parted(self) -> set[tuple[str, str]]:
        """The sides that come to different outcomes, two at a time."""
        return {
            (one, other)
            for (names, states), (others, elsewhere) in permutations(self.groups, 2)
            if states != elsewhere
            for one, other in product(names, others)
        }

    @property
    def board(self) -> str:
        """The text of the board alone."""
        return written(self.candidate.layout)

    def file(self, question: str) -> str:
        """The board file with what it comes to under each reading."""
        about = question or " and ".join(self.pair)
        head = {"game": self.candidate.layout["game"], "title": f"What tells {about} apart"}
        if question:
            head["edition"] = self.candidate.edition
        rest = {key: value for key, value in self.candidate.layout.items() if key not in ("game", "title")}
        # An edition that has answered a question is not given another answer to it.
        expect = [
            {
                "when": {question: name} if question else {"edition": name, **self.left[name]},
                **({"pile order": True} if self.candidate.piles else {}),
                "distinct": len(states),
                "outcomes": list(states),
            }
            for names, states in self.groups
            for name in names
        ]
        readings = {"readings": dict(self.when)} if question and self.when else {}
        return written({**head, **readings, **rest, "expect": expect})

    def told(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """What comes out everywhere (under no name), and what comes out besides for each group of sides, as far as
        outcomes are not the same."""
        parts = [[dict(_parts(state)) for state in states] for _, states in self.groups]
        every = [each for group in parts for each in group]
        keys = list(dict.fromkeys(key for each in every for key in each))
        apart = [key for key in keys if len({each.get(key) for each in every}) > 1]

        def text(state: Mapping[tuple[str, ...], str]) -> str:
            return "; ".join(f"{' '.join(key)} {state.get(key) or _none(key, every)}" for key in apart) or "the same"

        common = [each for each in parts[0] if all(each in group for group in parts)]
        if common:
            yield (), _either([text(each) for each in common])
        for (names, _), group in zip(self.groups, parts, strict=True):
            yield names, _either([text(each) for each in group if each not in common])


def _none(key: tuple[str, ...], states: Sequence[Mapping[tuple[str, ...], str]]) -> str:
    """What is said of a part of a state that is empty: 0 of what is a number elsewhere."""
    return "0" if any(each.get(key, "").isdigit() for each in states) else "empty"


def _either(texts: Sequence[str]) -> str:
    more = len(texts) - MOST_OUTCOMES
    return " **or** ".join(texts[:MOST_OUTCOMES]) + (f" **or** {more} more" if more > 0 else "")


def _parts(state: Json) -> Iterator[tuple[tuple[str, ...], str]]:
    for owner, content in state.items():
        if isinstance(content, Mapping):
            for key, value in content.items():
                yield (owner, key), value_text(value)
        else:
            yield (owner,), value_text(content)


class Boards:
    """What tells the questions of a game and its neighbouring editions apart."""

    def __init__(self, game: Game, check: Json, separate: Json, kept: Path) -> None:
        self.game, self.check, self.separate, self._kept = game, check, separate, kept
        self.book: Book = read_book(game)
        self.newest = self.book.editions[-1]
        self._made: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
        self.questions = {question.name: self._question(question.name) for question in self.book.questions}
        self.more = {name: list(self._besides(name, shown)) for name, shown in self.questions.items() if shown}
        self.editions = {pair: self._editions(pair) for pair in pairwise(self.book.editions)}
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(self._made, ensure_ascii=False, indent=1), encoding="utf-8")

    def same(self, pair: tuple[str, str]) -> bool:
        """Whether nothing can part two editions."""
        return alike(self.game, *pair)

    def write(self, folder: Path) -> None:
        """Write the board files; each is verified first. Raises ValueError when one does not come out as it says."""
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.yaml"):
            old.unlink()
        more = [(question, each) for question, boards in self.more.items() for each in boards]
        for question, each in [*self.questions.items(), *more, *(("", each) for each in self.editions.values())]:
            if each is not None:
                path = folder / f"{each.name}.yaml"
                path.write_text(each.file(question), encoding="utf-8")
                if failure := wrong(path):
                    raise ValueError(f"{path}: {failure}")

    # ---- questions

    def _question(self, name: str) -> Shown | None:
        return self._first(name, (), self._for_question(name))

    def _first(self, question: str, pair: tuple[str, ...], candidates: Iterator[Candidate]) -> Shown | None:
        """The first board that comes out otherwise, or else the first on which others decide."""
        decided = None
        for candidate in candidates:
            shown = self._told(question, pair, candidate)
            if shown is not None and not shown.same:
                return shown
            decided = decided or shown
        return decided

    def _besides(self, name: str, first: Shown) -> Iterator[Shown]:
        """Boards that part answers which those before leave together; only small ones that are known are looked at."""
        parted, number = first.parted, len(next(each.answers for each in self.book.questions if each.name == name))
        names = (f"{first.name}-{place}" for place in count(2))
        for candidate in self._known(name):
            if len(parted) == number * (number - 1):
                return
            shown = self._told(name, (), candidate)
            if shown is not None and shown.parted - parted:
                parted |= shown.parted
                yield replace(shown, name=next(names))

    def _for_question(self, name: str) -> Iterator[Candidate]:
        yield from self._known(name)
        made = self._from_fixtures(name, lambda: self._shrunk(name))
        if made is not None:
            yield made

    def _known(self, name: str) -> Iterator[Candidate]:
        """Boards that the search has found, and then those that the check has made small."""
        yield from self._searched(name)
        rows: list[Candidate] = []
        for finding in self.check["findings"]:
            if finding["kind"] == "silence" and finding["question"] == name:
                for pair in finding["pairs"]:
                    made = f"made smaller from {pair['made_from']}"
                    layout = plain(parse(pair["board"]))
                    rows.append(Candidate(layout, made, finding["edition"], pair.get("when") or {}))
        rows.sort(key=lambda row: (self.newest != row.edition, weight(row.layout)))
        yield from rows

    def _searched(self, about: str) -> Iterator[Candidate]:
        for found in self.separate["boards"]:
            if found["about"] == about:
                file = plain(parse(found["file"]))
                layout = {key: value for key, value in file.items() if key not in _NOTES}
                edition, readings = str(file.get("edition", self.newest)), file.get("readings", {})
                yield Candidate(layout, "found by the search from below", edition, readings, found["by"] == "piles")

    def _from_fixtures(self, about: str, make: Callable[[], Candidate | None]) -> Candidate | None:
        if about not in self._made:
            made = make()
            self._made[about] = None if made is None else vars(made)
        kept = self._made[about]
        return None if kept is None else Candidate(**kept)

    def _mentioning(self, *words: str) -> list[Path]:
        """The fixtures that speak of one of these first, then those that speak of any edition; small ones first."""
        texts = {path: path.read_text(encoding="utf-8") for path in sorted((FIXTURES / self.game.name).glob("*.yaml"))}
        near = {path: any(word in text for word in words) for path, text in texts.items()}
        files = [path for path, text in texts.items() if near[path] or "edition:" in text]
        return sorted(files, key=lambda path: (not near[path], len(texts[path])))

    def _shrunk(self, name: str) -> Candidate | None:
        """A board on which answers to a question part, made from a fixture that speaks of it."""
        everything = tuple(question.name for question in self.book.questions)
        settings = [Setting(edition, left_open=(name,)) for edition in self.book.editions[::-1]]
        settings[1:1] = [Setting(self.newest, left_open=everything)]
        settings += [Setting(self.newest, pile_order=True, left_open=each) for each in ((name,), everything)]
        for setting in settings:
            for path in self._mentioning(name, *(["pile order"] if setting.pile_order else [])):
                layout = read_layout(path)
                pair = self._apart(layout, setting, name)
                if pair is None:
                    continue
                found: list[Any] = []
                _shrink(found, ([layout], setting, Sought("answers", (name, *pair)), SECONDS))
                small, edition = found[0], setting.edition or ""
                when = small["outcomes"].get("when", {})
                origin = f"made smaller from {path.stem}"
                return Candidate(small["layout"], origin, edition, when, setting.pile_order)
        return self._decided(name)

    def _decided(self, name: str) -> Candidate | None:
        """A board on which the answers leave it to different players what comes out."""
        for path in self._mentioning(name):
            def parts(layout: Layout) -> bool:
                return self._told(name, (), Candidate(layout, "", self.newest)) is not None

            layout = read_layout(path)
            if parts(layout):
                return Candidate(smallest(layout, parts), f"made smaller from {path.stem}", self.newest)
        return None

    @staticmethod
    def _apart(layout: Layout, setting: Setting, name: str) -> tuple[str, str] | None:
        try:
            result = survey.resolved(layout, setting)
        except (BoardError, RulesError):
            return None
        pairs = survey.apart(result)[0].get(name) if result.complete else None
        return pairs[0] if pairs else None

    # ---- editions

    def _editions(self, pair: tuple[str, str]) -> Shown | None:
        if self.same(pair):
            return None
        return self._first("", pair, self._for_editions(pair))

    def _for_editions(self, pair: tuple[str, str]) -> Iterator[Candidate]:
        yield from self._searched(" / ".join(pair))
        shown = [each.candidate for each in self.questions.values() if each is not None]
        yield from sorted((Candidate(c.layout, c.origin, self.newest) for c in shown), key=lambda c: weight(c.layout))
        made = self._from_fixtures(" / ".join(pair), lambda: self._shrunk_for_editions(pair))
        if made is not None:
            yield made

    def _shrunk_for_editions(self, pair: tuple[str, str]) -> Candidate | None:
        for path in self._mentioning(*(f'"{edition}"' for edition in pair), *(f" {edition}" for edition in pair)):
            candidate = Candidate(read_layout(path), f"made smaller from {path.stem}", self.newest)

            def parts(layout: Layout) -> bool:
                return self._told("", pair, Candidate(layout, "", self.newest)) is not None

            if parts(candidate.layout):
                return Candidate(smallest(candidate.layout, parts), candidate.origin, self.newest)
        return None

    # ---- what comes out

    def _told(self, question: str, pair: tuple[str, ...], candidate: Candidate) -> Shown | None:
        """What a board comes to on each side; None where that is the same, or cannot be found out."""
        try:
            board = board_of(candidate.layout)
            readings = {str(q): str(a) for q, a in candidate.readings.items()}
            sides = (
                comparison.by_answer(board, question, readings, candidate.edition) if question
                else comparison.by_edition(board, pair, readings)
            )  # fmt: skip
            about = {"question": question} if question else {"editions": list(pair)}
            made = comparison.compare(sides, about, pile_order=candidate.piles, limits=LIMITS)
        except (BoardError, RulesError):
            return None
        if not made.complete:
            return None
        name = slug((question or "editions " + " ".join(pair)).replace("_", " ").replace(".", "-"))
        if not made.differ:
            return self._deciding(Shown(name, candidate, readings, "", [], pair), made)
        when, row = next(row for row in made.rows if len({cell and cell[1] for cell in row[1]} - {None}) > 1)
        groups: dict[tuple[str, ...], list[str]] = {}
        for side, cell in zip(sides, row, strict=True):
            if cell is not None:
                groups.setdefault(cell[1], []).append(side.name)
        told = [(tuple(names), [made.states[id] for id in ids]) for ids, names in groups.items()]
        other = {**readings, **when}
        left = {
            side.name: {q: a for q, a in other.items() if q not in result.reading.answers or q in readings}
            for side, result in zip(sides, made.results, strict=True)
        }
        return Shown(name, candidate, other, _why(made.to_json()), told, pair, left)

    @staticmethod
    def _deciding(shown: Shown, made: comparison.Comparison) -> Shown | None:
        """What is shown where the same comes out on all sides, but not by the same players' decisions."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for side, result in zip(made.sides, made.results, strict=True):
            deciders = {who for outcome in result.outcomes for who in outcome.deciders}
            groups.setdefault(tuple(sorted(deciders)), []).append(side.name)
        if len(groups) < 2:
            return None
        told = "; ".join(f"{listed(names)}: {listed(who) or 'nobody'}" for who, names in groups.items())
        states = list(made.states.values())
        return replace(
            shown, why=f"The same comes out, but it is decided by others. {told}.",
            groups=[(tuple(names), states) for names in groups.values()],
            left={side.name: {} for side in made.sides},
        )  # fmt: skip


def _why(compared: Mapping[str, Any]) -> str:
    """Why sides part, in one sentence; where they do what is called the same, that it does not come to the same."""
    for part in compared["partings"]:
        does = {", ".join(str(option["decision"]) for option in there["options"]) for there in part["at"]}
        if len(does) == 1:
            return f"\u201c{does.pop()}\u201d does not come to the same for {listed(part['sides'])}."
    return sentence(compared)


def _shrink(found: list[Any], argument: Any) -> None:
    survey.shrink(lambda kind, told: found.append(told), argument)


_NOTES = ("title", "expect", "readings", "edition")


def wrong(path: Path) -> str:
    """What does not come out on a board as its file expects; empty when all is well."""
    import lastrites

    board = lastrites.load(path)

    def answer(readings: Mapping[str, str], edition: str | None, pile_order: bool) -> Json:
        found = resolve(board, readings=readings, edition=edition, pile_order=pile_order)
        return found.to_json(witnesses=False)

    verdict = verify(expectations(board), answer)
    return "" if verdict.status == OK else f"{verdict.status}: {'; '.join(verdict.failures)}"
