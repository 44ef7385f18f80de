"""Faults of rules and cards that show without any board: what is named but not there, asked but not answered."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lastrites import lint, lptext
from lastrites.errors import BoardError, Problem
from lastrites.lint import Complaint, Source
from lastrites.lptext import Signature
from lastrites.names import nearest

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_READS = re.compile(r"\breads\(\s*\w+\s*,\s*([a-z]\w*)\s*,\s*([a-z]\w*)\s*\)")
_NEEDS = re.compile(r"\bneeds\(\s*\w+\s*,\s*([a-z]\w*)\s*\)")
_SAID = re.compile(r"^(settles|excludes|holder)\((.*)\)", re.DOTALL)
_LATER = re.compile(r"comes from elsewhere and has no docstring$")


def check_rules(folder: Path, game: str) -> list[Complaint]:
    """What is wrong with the rules of a game in a folder: style, predicates, clauses, questions."""
    sources = [Source(path, path.read_text(encoding="utf-8")) for path in lint.rule_files(folder, game)]
    found = list(_undefined(sources))
    told = {(complaint.file, complaint.line) for complaint in found}
    for complaint in lint.check(folder, game):
        known = _LATER.search(complaint.text) and (complaint.file, complaint.line) in told
        if not known and "atom does not occur in any rule head" not in complaint.text:
            found.append(complaint)
    if any("error:" in complaint.text for complaint in found):
        found = [complaint for complaint in found if not complaint.text.startswith("grounding stopped")]
    found += _clauses(sources)
    found += _questions(sources)
    return sorted(dict.fromkeys(found))


def _suggestion(name: str, known: Iterable[str]) -> str:
    close = nearest(name, known, 2)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _undefined(sources: Sequence[Source]) -> Iterator[Complaint]:
    """Predicates that are used and that nothing derives, documents or declares."""
    known: set[Signature] = set()
    used: dict[Signature, tuple[Path, int]] = {}
    for source in sources:
        known |= lptext.documented(source.text) | lptext.declared(source.text)
        for statement in lptext.statements(source.text):
            defined, asked = lptext.predicates(statement)
            known.update(defined)
            for signature in asked:
                used.setdefault(signature, (source.path, statement.line))
    arities: dict[str, set[int]] = defaultdict(set)
    for name, arity in known:
        arities[name].add(arity)
    for (name, arity), (path, line) in used.items():
        if (name, arity) in known:
            continue
        if name in arities:
            others = " and ".join(f"{name}/{other}" for other in sorted(arities[name]))
            text = f"{name}/{arity} is derived nowhere; {others} is: a wrong number of arguments"
        else:
            text = f"{name}/{arity} is derived nowhere{_suggestion(name, arities)}"
        yield Complaint(path, line, text)


def _clauses(sources: Sequence[Source]) -> Iterator[Complaint]:
    """Names of clauses that no clause has."""
    blocks = [block for source in sources for block in lptext.blocks(source.path, source.text)]
    known = {block.id for block in blocks if block.kind == "clause"}
    starts = {id.partition(".")[0] for id in known if "." in id}
    shape = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(starts)))})\.[\w.-]+") if starts else None
    for source in sources:
        for statement in lptext.statements(source.text):
            for match in _STRING.finditer(statement.text):
                if shape and shape.fullmatch(match[1]) and match[1] not in known:
                    line = statement.line + statement.text.count("\n", 0, match.start())
                    text = f"there is no clause {match[1]}{_suggestion(match[1], known)}"
                    yield Complaint(source.path, line, text)


def _names(text: str) -> list[str]:
    return re.findall(r"[a-z]\w*", text)


def _questions(sources: Sequence[Source]) -> Iterator[Complaint]:
    """Questions that no rule asks, answers that no rule tells apart, and both where they are misspelt."""
    questions: dict[str, tuple[Path, int]] = {}
    answers: dict[str, list[str]] = defaultdict(list)
    editions: set[str] = set()
    statements = [(source.path, each) for source in sources for each in lptext.statements(source.text)]
    for path, statement in statements:
        for name in ("question", "answers", "edition", "profile"):
            arguments = lptext.fact(statement, name)
            if arguments is None:
                continue
            if name == "question":
                questions[arguments[0]] = (path, statement.line)
            elif name == "answers" and len(arguments) == 2:
                answers[arguments[0]] += _names(arguments[1])
            elif name in ("edition", "profile"):
                editions.add(arguments[0])
    if not questions:
        return
    asked: set[str] = set()
    read: dict[str, set[str]] = defaultdict(set)

    def wrong(path: Path, line: int, question: str, answer: str | None) -> Iterator[Complaint]:
        if question not in questions:
            yield Complaint(path, line, f"there is no question {question}{_suggestion(question, questions)}")
        elif answer is not None and answer not in answers[question]:
            hint = _suggestion(answer, answers[question])
            yield Complaint(path, line, f"{answer} is no answer to the question {question}{hint}")

    for path, statement in statements:
        for match in _NEEDS.finditer(statement.bare):
            asked.add(match[1])
            yield from wrong(path, statement.line, match[1], None)
        for match in _READS.finditer(statement.bare):
            read[match[1]].add(match[2])
            yield from wrong(path, statement.line, match[1], match[2])
        said = _SAID.match(statement.text)
        if said is not None:
            parts = [part.strip() for part in said[2].split(",")]
            question, answer = (parts[0], parts[1]) if said[1] == "holder" else (parts[1], parts[2])
            if re.fullmatch(r"[a-z]\w*", question):
                yield from wrong(path, statement.line, question, answer if re.fullmatch(r"[a-z]\w*", answer) else None)
            edition = lptext.unquoted(parts[0])
            if said[1] != "holder" and parts[0].startswith('"') and edition not in editions:
                yield Complaint(path, statement.line, f"there is no edition {edition}{_suggestion(edition, editions)}")
    settled = _settled_everywhere(sources)
    for question, (path, line) in questions.items():
        if question not in asked and question not in settled:
            yield Complaint(path, line, f"no rule asks the question {question}")
        silent = [answer for answer in answers[question] if answer not in read[question]]
        if len(answers[question]) < 2:
            yield Complaint(path, line, f"the question {question} has fewer than two answers")
        elif len(silent) > 1:
            yield Complaint(path, line, f"no rule tells the answers {' and '.join(silent)} to {question} apart")


def _settled_everywhere(sources: Sequence[Source]) -> set[str]:
    """Questions that every edition and profile answers: nothing need ask them."""
    from lastrites.editions import questions_of
    from lastrites.solver import RulesError

    folder = next((source.path.parent for source in sources if source.path.name == "questions.lp"), None)
    if folder is None:
        return set()
    try:
        known = questions_of(folder)
    except RulesError:
        return set()
    names = (*known.editions, *known.profiles)
    return {question for question in known.answers if all(question in known.settles.get(name, {}) for name in names)}


def check_cards(paths: Iterable[Path], game: str, rules: Path | None) -> list[Problem]:
    """What is wrong with files of cards; where a word of the vocabulary is misspelt, with the nearest one."""
    from lastrites.cardfiles import files_of_cards
    from lastrites.game import load_game
    from lastrites.reading import BoardReader

    found: list[Problem] = []
    for path in paths:
        try:
            files = files_of_cards(path)
        except BoardError as error:
            found += error.problems
            continue
        for file in files:
            reader = BoardReader(load_game(game, rules), str(file))
            try:
                reader.define_files(file)
                found += sorted(reader.faults_of_definitions(), key=lambda problem: (problem.line, problem.column))
            except BoardError as error:
                found += error.problems
    return found
