"""Seeded faults: changes one rule of a game at a time, and says whether `check` or `verify` notices.

Run by hand: ``python tests/mutants.py keyforge --number 24 --workers 2``. A rule of a clause is deleted, one of its
conditions is left out or turned into its opposite, or a comparison is shifted. Faults that show without a board are
looked for first (`check`), then the fixtures are verified, those of the clause first, until one fails (`verify`). Rules
that come in only when a clause is switched off are then looked at on the boards that show the clauses of the file, each
without its clause, against the rules as they are (`without`), and questions must still come up on the boards of
docs/findings.md and on fixtures that expect something under their answers (`left open`). What clingo cannot ground is
no mutant. What takes too long is neither noticed nor unnoticed. With ``--journal FILE`` a run that was cut off goes on
where it was.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from fixture_help import FIXTURES, ROOT

import lastrites
from lastrites import lptext, worker
from lastrites.book import read_book
from lastrites.editions import choose_reading
from lastrites.errors import BoardError
from lastrites.game import known_games, load_game
from lastrites.jobs import expectations
from lastrites.listings import boards_of
from lastrites.lptext import Statement
from lastrites.names import slug
from lastrites.resolution import rulebook
from lastrites.search.sweep import Journal, version_of
from lastrites.solver import RulesError, complaints
from lastrites.static import check_rules
from lastrites.survey import signature
from lastrites.verify import FAILED, Json, verify
from lastrites.worker import Emit

RULES = ROOT / "rules"
DESCRIBING = re.compile(
    r"^(cites|barred|clause|source|paraphrase|yields|follows_from|left_to|err|warns|unsupported|impossible)\("
)
"""Rules that say something about rules, or about boards that cannot be."""

LONGEST = 900.0
"""Seconds for one mutant."""


@dataclass(frozen=True)
class Mutant:
    """One changed rule: in which file and clause, from which character to which, what it becomes, and how to say it."""

    file: str
    clause: str
    line: int
    start: int
    end: int
    text: str
    how: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} ({self.clause}): {self.how}"

    def written(self, folder: Path) -> Path:
        """A copy of the rules in the folder, with this change."""
        rules = folder / "rules"
        shutil.copytree(RULES, rules)
        path = rules / self.file
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole[: self.start] + self.text + whole[self.end :], encoding="utf-8")
        return rules


def mutants(game: str) -> list[Mutant]:
    """All changes of all rules of the clauses of a game, file by file."""
    found: list[Mutant] = []
    for path in sorted((RULES / game).glob("*.lp")):
        whole = path.read_text(encoding="utf-8")
        kinds = {clause.id: clause.kind for clause in read_book(load_game(game)).clauses}
        for block in lptext.blocks(path, whole):
            if kinds.get(block.id) == "consequence":
                continue  # the rules of its opposite, which are not in force
            for statement in block.statements:
                told = statement.text
                if ":-" not in statement.bare or DESCRIBING.match(told) or "explain(" in told:
                    continue
                start = _offset(whole, statement)
                for text, how in changes(statement):
                    name = str(path.relative_to(RULES))
                    found.append(Mutant(name, block.id, statement.line, start, start + len(told), text, how))
    return found


def _offset(whole: str, statement: Statement) -> int:
    """Where a statement begins in the text of its file, in which comments may stand between its lines."""
    start = sum(len(line) + 1 for line in whole.split("\n")[: statement.line - 1])
    first = statement.text.split("\n")[0]
    return whole.index(first, start)


def changes(statement: Statement) -> Iterator[tuple[str, str]]:
    """The texts that a rule is changed into, each with what was done."""
    told = " ".join(statement.text.split())
    yield "", f"deleted: {told}"
    head, _, body = statement.text.rstrip().removesuffix(".").partition(":-")
    parts = _conditions(body)
    for place, part in enumerate(parts):
        bare = part.strip()
        if bare.startswith(("in_force(", "not in_force(", "state(")) or "{" in bare:
            continue
        rest = [other for number, other in enumerate(parts) if number != place]
        if bare.startswith("not "):
            if rest:
                yield f"{head}:-{','.join(rest)}.", f"left out `{bare}` in: {told}"
            yield f"{head}:-{','.join([*rest, ' ' + bare[4:]])}.", f"`{bare}` became its opposite in: {told}"
        elif re.search(r"[<>]=?", bare) and "(" not in bare:
            shifted = re.sub(r"(<=|>=|<|>)", lambda match: {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[match[1]], bare)
            yield f"{head}:-{','.join([*rest, ' ' + shifted])}.", f"`{bare}` became `{shifted}` in: {told}"
        elif re.match(r"[a-z_]\w*\(", bare) and _variables([bare]) <= _variables(rest):
            yield f"{head}:-{','.join([*rest, f' not {bare}'])}.", f"`{bare}` became its opposite in: {told}"


def _variables(conditions: Sequence[str]) -> set[str]:
    """The variables of those conditions that can bind them."""
    positive = (part for part in conditions if not part.strip().startswith("not ") and "{" not in part)
    return {name for part in positive for name in re.findall(r"\b[A-Z]\w*", re.sub(r'"[^"]*"', "", part))}


def _conditions(body: str) -> list[str]:
    """The conditions of a body, split at the commas outside of brackets and texts."""
    parts, depth, start, quoted = [], 0, 0, False
    for place, letter in enumerate(body):
        if letter == '"' and body[place - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif depth == 0 and letter in ",;":
            parts.append(body[start:place])
            start = place + 1
    parts.append(body[start:])
    return parts


def chosen(every: Sequence[Mutant], number: int, seed: int) -> list[Mutant]:
    """Some of them: of as many clauses as possible, deletions and changes alike."""
    dice = random.Random(seed)
    by_clause: dict[str, list[Mutant]] = {}
    for mutant in every:
        by_clause.setdefault(mutant.clause, []).append(mutant)
    names = sorted(by_clause)
    dice.shuffle(names)
    found: list[Mutant] = []
    while len(found) < number and names:
        for name in names:
            if len(found) < number and by_clause[name]:
                deletions = [each for each in by_clause[name] if each.how.startswith("deleted")]
                others = [each for each in by_clause[name] if not each.how.startswith("deleted")]
                pool = (deletions if dice.random() < 0.35 else others) or by_clause[name]
                pick = dice.choice(pool)
                by_clause[name].remove(pick)
                found.append(pick)
        names = [name for name in names if by_clause[name]]
    return found


def fails(path: Path, rules: Path) -> bool:
    """Whether a board no longer comes out as it expects, or not at all, under these rules."""

    def answer(readings: Mapping[str, str], edition: str | None, pile_order: bool) -> Json:
        found = lastrites.resolve(board, readings=readings, edition=edition, pile_order=pile_order,
                                  limits=lastrites.Limits(states=5_000, seconds=60))  # fmt: skip
        return found.to_json(witnesses=False)

    try:
        board = lastrites.load(path, rules=rules)
        return verify(expectations(board), answer).status == FAILED
    except (BoardError, RulesError):
        return True


MOST_ASKING = 4
"""So many fixtures that give a question an answer are asked whether it comes up, the small ones."""


@cache
def answering(game: str, question: str) -> tuple[Path, ...]:
    """Small fixtures that expect something under an answer to a question, and on which it comes up."""
    files = sorted((FIXTURES / game).glob("*.yaml"), key=lambda path: path.stat().st_size)
    near = (path for path in files if f"{question}:" in path.read_text(encoding="utf-8"))
    return tuple(islice((path for path in near if raised(path, question)), MOST_ASKING))


@cache
def files_of(path: Path) -> frozenset[str]:
    """The files of rules that a board needs; a change of another one cannot matter to it."""
    board = lastrites.load(path)
    used = rulebook(board, choose_reading(board, {}, None)).files
    return frozenset(str(file.relative_to(board.rules.rules)) for file in used)


def boards(game: str, clause: str, file: str) -> list[Path]:
    """The fixtures that need a file, those that show the clause or its chapter first, then from small to large."""
    shown = set(boards_of(load_game(game)).get(clause, ()))
    chapter = clause.rpartition(".")[0]
    near = {name for id, names in boards_of(load_game(game)).items() if id.startswith(chapter) for name in names}

    def rank(path: Path) -> tuple[bool, bool, int]:
        name = f"{game}/{path.stem}"
        return name not in shown, name not in near, path.stat().st_size

    needing = (path for path in (FIXTURES / game).glob("*.yaml") if file in files_of(path))
    return sorted(needing, key=rank)


@cache
def unchanged(path: Path, clause: str) -> str:
    """How a board comes out without a clause under the rules as they are."""
    return without(path, clause, RULES)


def without(path: Path, clause: str, rules: Path) -> str:
    """How a board comes out without a clause, as a short text."""
    try:
        board = lastrites.load(path, rules=rules)
        kinds = {each.id: each.kind for each in read_book(load_game(board.game)).clauses}
        change = {"against" if kinds[clause] == "consequence" else "without": (clause,)}
        return signature(lastrites.resolve(board, limits=lastrites.Limits(states=5_000, seconds=60), **change))
    except (BoardError, RulesError) as error:
        return type(error).__name__


def switched(game: str, mutant: Mutant) -> list[tuple[str, Path]]:
    """The clauses of the file in which the mutant stands, each with a board that shows it."""
    path = RULES / mutant.file
    clauses = [block.id for block in lptext.blocks(path, path.read_text(encoding="utf-8"))]
    shown = boards_of(load_game(game))
    return [(clause, FIXTURES / f"{name}.yaml") for clause in clauses for name in shown.get(clause, ())]


def asking(game: str) -> list[tuple[str, Path]]:
    """The questions of a game that some state asks, each with the board on which its answers part, if there is one."""
    rules = "".join(file.read_text(encoding="utf-8") for file in load_game(game).files)
    names = [each.name for each in read_book(load_game(game)).questions if f"needs(S,{each.name})" in rules]
    paths = [ROOT / "docs" / "boards" / game / f"{slug(name.replace('_', ' '))}.yaml" for name in names]
    return [(name, path) for name, path in zip(names, paths, strict=True) if path.is_file()]


def raised(path: Path, question: str, rules: Path = RULES) -> bool:
    """Whether a question comes up on a board where it is left open."""
    try:
        board = lastrites.load(path, rules=rules)
        piles = "pile order" in path.read_text(encoding="utf-8")
        found = lastrites.resolve(board, left_open=[question], pile_order=piles)
        return any(question in assignment.when for assignment in found.assignments)
    except (BoardError, RulesError):
        return False


def is_program(mutant: Mutant) -> bool:
    """Whether the changed rule can be grounded at all."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rule.lp"
        path.write_text(mutant.text, encoding="utf-8")
        return not any("error" in text for text in complaints([path]))


def judged(game: str, mutant: Mutant, most: int | None = None) -> tuple[str, int]:
    """Who notices the mutant (`check: ...`, `verify: ...`, or nothing), and how many boards were verified."""
    with tempfile.TemporaryDirectory() as folder:
        rules = mutant.written(Path(folder))
        found = check_rules(rules, game)
        if found:
            return f"check: {found[0].text}", 0
        looked = 0
        for path in boards(game, mutant.clause, mutant.file)[:most]:
            looked += 1
            if fails(path, rules):
                return f"verify: {path.stem}", looked
        if most is None:
            for clause, path in switched(game, mutant):
                if without(path, clause, rules) != unchanged(path, clause):
                    return f"without {clause}: {path.stem}", looked
            for question, path in asking(game):
                for board in (path, *answering(game, question)):
                    if not raised(board, question, rules):
                        return f"left open: {question} does not come up on {board.stem}", looked
        return "", looked


def judge(emit: Emit, argument: tuple[str, Mutant, int | None]) -> None:
    """Emits what came of one mutant: a job for a worker."""
    emit("result", judged(*argument))


def main() -> int:
    """Look at some mutants of a game; 1 if one goes unnoticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=known_games())
    parser.add_argument("--number", type=int, default=24, help="how many mutants (default: 24)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--boards", type=int, help="at most so many boards for each (default: all)")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--journal", type=Path, help="a file that keeps what came of each")
    parser.add_argument("--only", help="only mutants whose description contains this")
    args = parser.parse_args()
    every = mutants(args.game)
    wanted = chosen(every, len(every), args.seed)
    if args.only:
        wanted = [mutant for mutant in every if args.only in str(mutant)]
    some = list(islice(filter(is_program, wanted), args.number))
    journal = Journal(args.journal, version_of(RULES, args.game) + str(args.boards))
    noticed = 0

    def told(mutant: Mutant, row: Json) -> bool:
        word = "noticed  " if row["by"] else "UNDECIDED" if row["error"] else "UNNOTICED"
        boards = f"{row['looked']} boards pass"
        print(f"{word} {mutant}\n          {row['by'] or row['error'] or boards}", flush=True)
        return bool(row["by"])

    left = []
    for mutant in some:
        known = journal.find({"mutant": str(mutant)})
        if known is None:
            left.append(mutant)
        else:
            noticed += told(mutant, known)
    arguments: list[Any] = [(args.game, mutant, args.boards) for mutant in left]
    for place, messages, error in worker.run_all(judge, arguments, workers=args.workers, timeout=LONGEST):
        result = next((content for kind, content in messages if kind == "result"), None)
        by, looked = result if result is not None else ("", 0)
        row = {"by": by, "looked": looked, "error": "" if result is not None else str(error)}
        if result is not None:
            journal.note({"mutant": str(left[place])}, row)
        noticed += told(left[place], row)
    journal.close()
    print(f"{noticed} of {len(some)} noticed ({len(every)} mutants in all)")
    return 0 if noticed == len(some) else 1


if __name__ == "__main__":
    sys.exit(main())
