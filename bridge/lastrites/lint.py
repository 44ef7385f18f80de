"""Checks the style of rules: ``python -m lastrites.lint rules``.

Every clause has a name, a source and a sentence, the same in its header and in its facts; whatever one file
takes from another is documented; nothing is silent, printed or scripted where it should not be. The whole
set of a game is also grounded, and whatever clingo has to say about it counts as a mistake.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from lastrites import lptext
from lastrites.game import search_files
from lastrites.lptext import Block, Signature, Statement

KINDS = ("rule", "barrier", "consequence")
CLAUSE_FACTS = ("clause", "source", "paraphrase")


class Complaint(NamedTuple):
    """What is wrong, and where."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}" if self.line else f"{self.file}: {self.text}"


class Source(NamedTuple):
    """A file of rules with its text."""

    path: Path
    text: str


def games(folder: Path) -> list[str]:
    """Names of the games under a folder of rules: every folder beside ``core`` that holds rules."""
    return sorted(
        inner.name
        for inner in folder.iterdir()
        if inner.is_dir() and inner.name != "core" and any(inner.rglob("*.lp"))
    )


def rule_files(folder: Path, game: str | None = None) -> list[Path]:
    """The files that make up a game: those of the core, without modes and searches, and those of the game."""
    apart = ("modes", "search")
    found = [*sorted((folder / "core").rglob("*.lp")), *(sorted((folder / game).rglob("*.lp")) if game else [])]
    return [path for path in found if path.parent.name not in apart]


def _read(paths: Iterable[Path]) -> list[Source]:
    return [Source(path, path.read_text(encoding="utf-8")) for path in paths]


def check_statements(source: Source, mode: bool) -> list[Complaint]:
    """Directives and constraints that have no place in rules; files of modes may have both."""
    found = []
    for statement in lptext.statements(source.text):
        bare = statement.bare
        complaint = ""
        if not mode and (bare.startswith(":-") or re.match(r"#false\s*(:-|\.)", bare)):
            complaint = "a constraint: what must not be is derived as err/2"
        elif bare.startswith("#show") and not mode:
            complaint = "#show outside core/modes"
        elif bare.startswith("#script"):
            complaint = "#script: rules are free of scripts"
        elif bare.startswith("#include"):
            complaint = "#include: which files belong together is decided by folders"
        if complaint:
            found.append(Complaint(source.path, statement.line, complaint))
    return found


def _facts(block: Block, name: str) -> list[tuple[Statement, list[str]]]:
    pairs = ((statement, lptext.fact(statement, name)) for statement in block.statements)
    return [(statement, arguments) for statement, arguments in pairs if arguments is not None]


def check_block(block: Block) -> list[Complaint]:
    """A clause block: its facts agree with its header, and its rules can be switched."""
    found: list[Complaint] = []

    def complain(text: str, line: int = block.line) -> None:
        found.append(Complaint(block.file, line, f"{block.id}: {text}"))

    facts = {name: _facts(block, name) for name in CLAUSE_FACTS}
    for name, entries in facts.items():
        if not entries:
            complain(f"the block has no fact {name}")
        for statement, arguments in entries:
            if arguments[0] != block.id:
                complain(f"a fact {name} of {arguments[0]} stands in this block", statement.line)
    for name in ("clause", "paraphrase"):
        for statement, _ in facts[name][1:]:
            complain(f"a second fact {name}", statement.line)
    for statement, arguments in facts["clause"][:1]:
        if len(arguments) != 2 or arguments[1] not in KINDS:
            complain(f"the kind must be one of {', '.join(KINDS)}", statement.line)
    for statement, arguments in facts["source"]:
        if len(arguments) != 3 or not all(arguments[1:]):
            complain("a source is source(Id,Where,Date)", statement.line)
    for statement, arguments in facts["paraphrase"][:1]:
        if len(arguments) != 2 or arguments[1] != block.text:
            complain(f"header and paraphrase differ: {block.text!r}", statement.line)
    kinds = [arguments[1] for _, arguments in facts["clause"] if len(arguments) == 2]
    switch = "against" if "consequence" in kinds else "in_force"
    quoted = re.compile(rf'\b{switch}\("{re.escape(block.id)}"\)')
    if not any(quoted.search(statement.text) for statement in block.statements):
        complain(f'no rule of the block is switched by {switch}("{block.id}")')
    return found


def check_clauses(sources: Sequence[Source]) -> list[Complaint]:
    """All clause blocks of a game; names are used once, facts of clauses stand nowhere else."""
    found: list[Complaint] = []
    seen: dict[str, Block] = {}
    for source in sources:
        blocks = [block for block in lptext.blocks(source.path, source.text) if block.kind == "clause"]
        for block in blocks:
            if block.id in seen:
                first = seen[block.id]
                found.append(
                    Complaint(source.path, block.line, f"{block.id} is also at {first.file}:{first.line}")
                )
            seen.setdefault(block.id, block)
            found += check_block(block)
        inside = {statement.line for block in blocks for statement in block.statements}
        for statement in lptext.statements(source.text):
            if statement.line in inside:
                continue
            if any(lptext.fact(statement, name) is not None for name in CLAUSE_FACTS):
                found.append(Complaint(source.path, statement.line, "a fact about a clause outside its block"))
        for number, line in enumerate(source.text.split("\n"), 1):
            if re.match(r"\s*%+\s*@", line) and not re.match(r"% @\w+\([^)\s]+\)", line):
                found.append(Complaint(source.path, number, "a malformed header: `% @clause(id) Sentence.`"))
    return found


def check_documented(sources: Sequence[Source], others: Sequence[Source] = ()) -> list[Complaint]:
    """Predicates that cross the borders of files have a docstring in one of `sources` or `others`."""
    known: set[Signature] = set()
    for source in (*sources, *others):
        known |= lptext.documented(source.text)
    defined_in: dict[Signature, set[Path]] = defaultdict(set)
    used_in: dict[Signature, dict[Path, int]] = defaultdict(dict)
    for source in sources:
        for statement in lptext.statements(source.text):
            defined, used = lptext.predicates(statement)
            for signature in defined:
                defined_in[signature].add(source.path)
            for signature in used:
                used_in[signature].setdefault(source.path, statement.line)
    found = []
    for signature, places in sorted(used_in.items()):
        for path, line in places.items():
            if signature not in known and defined_in[signature] != {path}:
                name = f"{signature[0]}/{signature[1]}"
                found.append(Complaint(path, line, f"{name} comes from elsewhere and has no docstring"))
                break
    return found


_LOCATED = re.compile(r"^(?P<file>.*?):(?P<line>\d+):[\d\-:]*\s*(?P<text>.*)$", re.DOTALL)
_UNDEFINED = re.compile(r"atom does not occur in any rule head:\s*(?P<atom>.*?)\s*$", re.DOTALL)


def check_grounding(folder: Path, game: str, sources: Sequence[Source]) -> list[Complaint]:
    """What clingo says about the rules of a game without a board, in trace mode."""
    from lastrites import solver

    known: set[Signature] = set()
    for source in sources:
        known |= lptext.documented(source.text)
    paths = [source.path for source in sources]
    trace = folder / "core" / "modes" / "trace.lp"
    found = []
    for message in solver.complaints([*paths, trace] if trace.exists() else paths):
        undefined = _UNDEFINED.search(message)
        if undefined is not None:
            _, used = lptext.predicates(Statement(0, "", f":- {undefined['atom']}."))
            if set(used) <= known:
                continue
        located = _LOCATED.match(message)
        if located is None:
            found.append(Complaint(folder / game, 0, message))
        else:
            text = " ".join(located["text"].split())
            found.append(Complaint(Path(located["file"]), int(located["line"]), text))
    return found


def check(folder: Path, only: str | None = None) -> list[Complaint]:
    """Everything that is wrong with a folder of rules, or with the core and one of its games."""
    core = _read(rule_files(folder))
    modes = _read(sorted((folder / "core" / "modes").rglob("*.lp")))
    found: list[Complaint] = []
    for source in core:
        found += check_statements(source, mode=False)
    for source in modes:
        found += check_statements(source, mode=True)
    found += check_clauses(core)
    found += check_documented(core)
    for game in games(folder) if only is None else [only]:
        sources = _read(rule_files(folder, game))
        own = sources[len(core) :]
        for source in own:
            found += check_statements(source, mode=False)
        found += check_clauses(own)
        found += check_documented(sources)
        found += check_grounding(folder, game, sources)
        searching = _read(search_files(folder, game))
        for source in searching:
            found += check_statements(source, mode=True)
        found += check_documented(searching, sources)
    return sorted(dict.fromkeys(found))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the complaints about each folder; 1 if there are any, 2 if a folder is none of rules."""
    folders = [Path(argument) for argument in (sys.argv[1:] if arguments is None else arguments)]
    if not folders:
        print("usage: python -m lastrites.lint FOLDER...", file=sys.stderr)
        return 2
    complaints: list[Complaint] = []
    for folder in folders:
        if not (folder / "core").is_dir():
            print(f"{folder}: not a folder of rules (it has no folder core)", file=sys.stderr)
            return 2
        complaints += check(folder)
    for complaint in complaints:
        print(complaint)
    if not complaints:
        print("the rules are in order")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
