"""What a game's rules say about themselves, as text and as JSON: questions, clauses, cards."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lastrites import lptext
from lastrites.book import Book, Question
from lastrites.game import Game
from lastrites.terms import Term, Value, fn

OPEN = "-"


def _fold(text: str, width: int, indent: str, rest: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


# ---------------------------------------------------------------- questions

def _given_by(book: Book, question: Question, answer: str) -> list[str]:
    names = (*book.editions, *book.profiles)
    return [name for name in names if book.settles.get((name, question.name)) == answer]


def questions_text(book: Book, width: int) -> str:
    """Every question with its answers and who holds which; then who answers what, as a table."""
    lines = []
    for question in book.questions:
        lines.append(question.name)
        lines += _fold(question.about, width, "  ")
        for answer in question.answers:
            lines.append(f"    {answer}")
            for holder in question.holders.get(answer, ()):
                lines += _fold(holder, width, "      - ", "        ")
            given = _given_by(book, question, answer)
            if given:
                lines += _fold(f"answer of {', '.join(given)}", width, "      ")
        lines.append("")
    lines += _table(book, width)
    return "\n".join(lines) + "\n"


def _cell(book: Book, name: str, question: str) -> str:
    answer = book.settles.get((name, question))
    if answer is not None:
        return answer
    excluded = book.excludes.get((name, question))
    return f"not {', '.join(excluded)}" if excluded else OPEN


def _table(book: Book, width: int) -> list[str]:
    """Editions and profiles by questions, in as many parts as it takes to stay within the width."""
    names = (*book.editions, *book.profiles)
    if not names or not book.questions:
        return []
    first = max(map(len, names)) + 2
    columns = [[q.name, *(_cell(book, name, q.name) for name in names)] for q in book.questions]
    lines = [f"Editions and profiles ({OPEN}: left open)"]
    part: list[list[str]] = []
    used = first

    def flush() -> None:
        widths = [max(map(len, column)) + 2 for column in part]
        for row in range(len(names) + 1):
            head = names[row - 1] if row else ""
            cells = "".join(column[row].ljust(size) for column, size in zip(part, widths, strict=True))
            lines.append(f"{head.ljust(first)}{cells}".rstrip())
        lines.append("")

    for column in columns:
        size = max(map(len, column)) + 2
        if part and used + size > width:
            flush()
            part, used = [], first
        part.append(column)
        used += size
    flush()
    return lines[:-1]


def questions_json(book: Book) -> dict[str, Any]:
    """The same for programs."""
    return {
        "game": book.game,
        "questions": [
            {
                "name": question.name,
                "about": question.about,
                "answers": [
                    {
                        "answer": answer,
                        "holders": list(question.holders.get(answer, ())),
                        "given_by": _given_by(book, question, answer),
                    }
                    for answer in question.answers
                ],
            }
            for question in book.questions
        ],
        "editions": list(book.editions),
        "profiles": list(book.profiles),
        "excludes": [
            {"edition": edition, "question": question, "answers": list(answers)}
            for (edition, question), answers in book.excludes.items()
        ],
    }


# ---------------------------------------------------------------- clauses

def _blocks(game: Game) -> dict[str, lptext.Block]:
    found = {}
    for file in game.files:
        for block in lptext.blocks(file, file.read_text(encoding="utf-8")):
            if block.kind == "clause":
                found[block.id] = block
    return found


def _rules(block: lptext.Block) -> list[str]:
    """The statements of a block without the facts that describe the clause."""
    described = ("clause", "source", "paraphrase", "yields")
    return [s.text for s in block.statements if all(lptext.fact(s, name) is None for name in described)]


def boards_of(game: Game) -> dict[str, list[str]]:
    """Clause -> boards that show what it does: the facts ``shown_by(Clause,Board)`` of the game's ``boards.lp``."""
    from lastrites.solver import read_facts

    file = game.rules / game.name / "boards.lp"
    found: dict[str, list[str]] = {}
    for fact in read_facts([file]) if file.is_file() else []:
        if fact.name == "shown_by":
            found.setdefault(str(fact.args[0]), []).append(str(fact.args[1]))
    return {clause: sorted(boards) for clause, boards in found.items()}


def resting_on(game: Game) -> dict[str, list[str]]:
    """Clause -> boards that rest on it: the facts ``rests(Board,Clause)`` of the game's ``rests.lp``."""
    from lastrites.solver import read_facts

    file = game.rules / game.name / "rests.lp"
    found: dict[str, list[str]] = {}
    for fact in read_facts([file]) if file.is_file() else []:
        if fact.name == "rests":
            found.setdefault(str(fact.args[1]), []).append(f"{game.name}/{fact.args[0]}")
    return {clause: sorted(boards) for clause, boards in found.items()}


FEW_BOARDS = 6
"""Of boards that rest on a clause so many are named, unless all are asked for."""


def _resting_line(boards: Sequence[str], every: bool) -> str:
    named = boards if every else boards[:FEW_BOARDS]
    more = len(boards) - len(named)
    return ", ".join(named) + (f" and {more} more (--boards)" if more else "")


def clauses_text(game: Game, book: Book, width: int, with_rules: bool, every_board: bool = False) -> str:
    """Every clause, in the order of the rules: kind, sentence, sources, where it is, boards; its rules if wanted."""
    blocks, boards, resting = _blocks(game), boards_of(game), resting_on(game)
    clauses = {clause.id: clause for clause in book.clauses}
    order = [*(name for name in blocks if name in clauses), *(name for name in clauses if name not in blocks)]
    lines = []
    for name in order:
        clause = clauses[name]
        lines.append(f"{name} ({clause.kind})")
        lines += _fold(clause.paraphrase, width, "  ")
        for where, date in clause.sources:
            lines += _fold(f"{where}, {date}", width, "  source: ", "    ")
        if clause.yields_to:
            lines += _fold(f"gives way to {', '.join(clause.yields_to)}", width, "  ")
        block = blocks.get(name)
        if block is not None:
            lines.append(f"  rules: {block.file.relative_to(game.rules)}, line {block.line}")
        if name in boards:
            lines += _fold(f"shown by: {', '.join(boards[name])}", width, "  ", "    ")
        if name in resting:
            told = _resting_line(resting[name], every_board)
            lines += _fold(f"rests on it ({len(resting[name])}): {told}", width, "  ", "    ")
        if block is not None and with_rules:
            for rule in _rules(block):
                lines += [f"    {line}" for line in rule.split("\n")]
        lines.append("")
    return "\n".join(lines)


def clauses_json(game: Game, book: Book) -> list[dict[str, Any]]:
    """The same for programs."""
    blocks, boards, resting = _blocks(game), boards_of(game), resting_on(game)
    found = []
    for clause in book.clauses:
        block = blocks.get(clause.id)
        found.append(
            {
                "id": clause.id,
                "kind": clause.kind,
                "paraphrase": clause.paraphrase,
                "sources": [{"where": where, "date": date} for where, date in clause.sources],
                "yields_to": list(clause.yields_to),
                "file": str(block.file.relative_to(game.rules)) if block is not None else None,
                "line": block.line if block is not None else None,
                "rules": _rules(block) if block is not None else [],
                "boards": boards.get(clause.id, []),
                "rests": resting.get(clause.id, []),
            }
        )
    return found


# ---------------------------------------------------------------- cards

def card_names(game: Game) -> list[tuple[str, str]]:
    """Names and ids of all cards of the library, by name."""
    return sorted((card.name, card.id) for card in game.cards.by_id.values())


def _spoken(game: Game, kind: str, value: Value) -> object:
    return value if isinstance(value, str) else game.words.text(kind, value)


def card_words(game: Game, identifier: str) -> dict[str, Any]:
    """A card in the words of a definition in a board file, its abilities as sentences."""
    facts = game.card_facts([identifier])
    own = [fact for fact in facts if fact.args[:1] == (identifier,)]
    words: dict[str, Any] = {}
    for key in game.shape.keys("definition"):
        values = list(_values(game, own, key.form))
        if values:
            several = key.form.name in ("words", "symbols", "listed") and len(values) > 1
            words[key.text] = values if several else values[0]
    card = game.cards.by_id[identifier]
    speaker = game.words.speaker([*facts, fn("prints", card.name, identifier)])
    given = {fact.args[3] for fact in own if fact.name == "gives"}
    numbers = sorted(
        number
        for fact in own
        if fact.name == "ability" and isinstance(number := fact.args[1], int) and number not in given
    )
    abilities = [speaker.render(fn("ab", card.name, number)) for number in numbers]
    if abilities:
        words["abilities"] = abilities
    return words


def _values(game: Game, own: Sequence[Term], form: Term) -> Iterator[object]:
    """What the facts of a card say under a key of a definition with this form."""
    name = str(form.args[0]) if form.args else ""
    match form.name:
        case "word" | "words" | "symbols":
            kind = str(form.args[1]) if len(form.args) > 1 else name
            for fact in own:
                if fact.name == name:
                    yield _spoken(game, kind, fact.args[1])
        case "listed":
            rows = sorted((fact.args[1], fact) for fact in own if fact.name == name and isinstance(fact.args[1], int))
            for _, fact in rows:
                yield _spoken(game, str(form.args[1]), fact.args[2])
        case "stat" | "positive":
            for fact in own:
                if fact.name == "stat" and str(fact.args[1]) == name and isinstance(fact.args[2], int):
                    yield fact.args[2]
        case _:
            return


def card_text(game: Game, identifier: str, width: int) -> str:
    """A card in words and in facts."""
    card = game.cards.by_id[identifier]
    lines = [f"{card.name} ({identifier})"]
    for key, value in card_words(game, identifier).items():
        if key == "abilities":
            for ability in value:
                lines += _fold(ability, width, "  - ", "    ")
        else:
            lines.append(f"  {key}: {', '.join(map(str, value)) if isinstance(value, list) else value}")
    lines += ["", *game.card_blocks([identifier]).rstrip().split("\n")]
    return "\n".join(lines) + "\n"


def card_json(game: Game, identifier: str) -> Mapping[str, Any]:
    """The same for programs."""
    return {
        "id": identifier,
        "name": game.cards.by_id[identifier].name,
        **card_words(game, identifier),
        "facts": [f"{fact}." for fact in game.card_facts([identifier])],
    }


def words_json(game: Game) -> dict[str, list[str]]:
    """The vocabulary of cards and instructions by kind of word; before it the keys of a card and of its abilities."""
    keys = {"key of a card": "definition", "key of an ability": "ability"}
    listed = {kind: [key.text for key in game.shape.keys(level)] for kind, level in keys.items()}
    return {**listed, **game.words.vocabulary()}


def words_text(game: Game, width: int) -> str:
    """The vocabulary of cards and instructions, by kind of word."""
    lines: list[str] = []
    for kind, phrases in words_json(game).items():
        lines += ["", kind.replace("_", " ")]
        if kind == "verb":
            lines += [f"  {phrase}" for phrase in phrases]
        else:
            lines += textwrap.wrap(", ".join(phrases), width, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines[1:]) + "\n"
