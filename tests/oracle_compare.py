"""Compares the outcome sets of an engine on its own boards with ours under the profile that describes it.

    python tests/oracle_compare.py scenarios.ndjson
    python tests/oracle_compare.py fixtures/keyforge/oracle/boards.json -v

The file holds what `lastrites import` reads, with the engine's outcomes, or our own JSON as in the fixtures. Told
apart are the boards that agree, that differ and that use cards the library lacks. Orders of piles are not compared,
neither is what the engine's states do not tell; unnamed cards count as what the engine shows for them.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bridge"))

from lastrites.board import Board
from lastrites.boardcards import split_copy
from lastrites.errors import BoardError
from lastrites.game import Game, load_game
from lastrites.importer import Guide, guide, import_file
from lastrites.resolution import Limits, resolve
from lastrites.yamlio import dump

PROFILE = "keyteki-2026-06"
ORDERED = ("line", "stack")


class Case(NamedTuple):
    """A board as plain values, the outcomes that the engine gave, and why ours differ, if that is known."""

    name: str
    board: dict[str, Any]
    outcomes: list[dict[str, Any]]
    differs: str = ""


@dataclass
class Found:
    """What came of one board: outcomes that only one side has, as sorted text; nothing where they agree."""

    name: str
    ours: list[str] = field(default_factory=list)
    theirs: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def agrees(self) -> bool:
        return not (self.ours or self.theirs or self.note)


def cases(path: Path, game: str = "keyforge") -> tuple[list[Case], list[str]]:
    """The boards of a file, and the messages about those that cannot be read."""
    if path.suffix == ".json":
        told = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(told, list):
            return [Case(**entry) for entry in told], []
    found, problems = import_file(path, game)
    return [Case(each.name, each.board, each.outcomes) for each in found], [str(problem) for problem in problems]


class Comparer:
    """Brings states of both sides into one form."""

    def __init__(self, game: str = "keyforge") -> None:
        self.game: Game = load_game(game)
        self.guide: Guide = guide(self.game)
        self.zones = dict(self.game.shape.zones().values())
        self.sizes = {key.text: key.constant() for key in self.game.shape.of_form("player", "size")}
        self.piled = {zone: text for zone, (text, _) in self.game.shape.zones().items()}

    def compare(self, case: Case, limits: Limits | None = None) -> Found:
        """What both sides say about a board."""
        board = Board.from_text(dump(case.board), case.name)
        answer = resolve(board, edition=PROFILE, limits=limits or Limits())
        ours = {self.text(outcome.state) for outcome in answer.outcomes}
        theirs = {self.text(state) for state in case.outcomes}
        found = Found(case.name, sorted(ours - theirs), sorted(theirs - ours))
        if answer.refused:
            found.note = f"refused: {answer.refused}"
        elif not answer.complete:
            found.note = f"incomplete: {answer.incomplete_reason}"
        elif answer.stuck or answer.unexplained:
            found.note = f"stuck: {answer.stuck} unexplained: {answer.unexplained}"
        return found

    def text(self, state: dict[str, Any]) -> str:
        """A state as text that is the same for the same state."""
        return json.dumps({player: self.player(of) for player, of in sorted(state.items())}, ensure_ascii=False)

    def player(self, player: dict[str, Any]) -> dict[str, Any]:
        written: dict[str, Any] = {}
        for key, value in player.items():
            if key in self.zones:
                cards = [self.card(card) for card in value]
                written[key] = cards if self.zones[key] in ORDERED else sorted(cards, key=str)
            else:
                written[key] = value
        for size, zone in self.sizes.items():
            text = self.piled[zone]
            cards = written.get(text, [])
            if text in self.guide.stands_in and size in written:
                stand_in = self.guide.stands_in[text]
                written[text] = sorted([*cards, *[stand_in] * (written.pop(size) - len(cards))], key=str)
            elif zone == "deck":  # the engine tells its size only
                written.pop(text, None)
                written[size] = written.get(size, len(cards))
        return {key: value for key, value in sorted(written.items()) if value}

    def card(self, card: Any) -> Any:
        """A card by the id of what is printed on it, with its state in a fixed order."""
        if isinstance(card, str):
            name, state = card, {}
        else:
            ((name, state),) = card.items()
        id = self.game.cards.find(name) or self.game.cards.find(split_copy(name)[0]) or name
        kept = {
            key: sorted((self.card(other) for other in value), key=str) if isinstance(value, list) else value
            for key, value in sorted(state.items())
            if value and key not in self.guide.unseen
        }
        return {id: kept} if kept else id


def differences(found: Found) -> Iterator[str]:
    """What is different, in lines."""
    if found.note:
        yield f"    {found.note}"
    for side, texts in (("ours  ", found.ours), ("theirs", found.theirs)):
        for text in texts:
            yield f"    only {side}: {text}"


def missing_cards(messages: Iterable[str]) -> Counter[str]:
    """How often which card that the library lacks is named."""
    return Counter(name for message in messages for name in re.findall(r"unknown card `([^`]*)`", message))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the boards of a file; 1 if some differ for no known reason, 2 if it cannot be read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", metavar="NAME", action="append", help="only this board")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the differences")
    args = parser.parse_args(arguments)
    try:
        read, messages = cases(args.file)
    except BoardError as error:
        print("\n".join(map(str, error.problems)), file=sys.stderr)
        return 2
    comparer = Comparer()
    told: dict[str, list[str]] = {"agree": [], "differ": [], "differ as known": []}
    for case in read:
        if args.only and case.name not in args.only:
            continue
        found = comparer.compare(case)
        verdict = "agree" if found.agrees else "differ as known" if case.differs else "differ"
        told[verdict].append(case.name)
        if verdict == "differ":
            print(f"{case.name} differs: {len(found.ours)} only ours, {len(found.theirs)} only theirs")
            if args.verbose:
                print("\n".join(differences(found)))
    print(", ".join(f"{len(names)} {verdict}" for verdict, names in told.items()) + f", {len(messages)} not covered")
    for name, times in missing_cards(messages).most_common():
        print(f"  the library lacks {name} ({times})")
    return 1 if told["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
