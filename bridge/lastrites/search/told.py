"""What a search found, in words, as JSON, and as board files ready to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastrites import comparison
from lastrites.board import Board
from lastrites.layout import fold
from lastrites.names import slug
from lastrites.search.proposals import Proposal
from lastrites.search.separate import Separation, chosen
from lastrites.yamlio import dump, quote

if TYPE_CHECKING:
    from lastrites.search.examine import Target

Json = dict[str, Any]


def to_json(made: Separation) -> Json:
    """The search in its JSON form (``lastrites.separate/1``)."""
    target, scope = made.target, made.scope
    return {
        "schema": "lastrites.separate/1",
        "game": target.game,
        "about": _about(target),
        "complete": made.complete,
        **({} if made.complete else {"incomplete_reason": made.reason}),
        "scope": {
            "cards": scope.cards,
            "numbers": scope.points,
            "kinds": list(scope.pool),
            "events": list(scope.events),
            "states": scope.states,
        },
        "searched": {
            "boards": made.boards,
            "to the point": made.raised,
            "states": made.states,
            "sizes": [list(level) for level in made.levels],
            "idle events": made.idle_events,
            "failed": made.failed,
        },
        "scope in words": searched(made),
        "verdicts": {name: verdict(made, name) for name in made.found},
        "boards": [separator(made, name, proposal) for name in made.found for proposal in chosen(made, name)],
    }


def _about(target: Target) -> Json:
    if target.everything:
        return {"everything": target.names()}
    return {"question": target.question} if target.question else {"editions": list(target.editions)}


def separator(made: Separation, name: str, proposal: Proposal) -> Json:
    """A board that tells ``name`` apart: its size, why it does, and its file with what comes out on each side."""
    target = made.target
    if target.everything:
        pair = tuple(name.split(" / "))
        target = replace(target, **({"editions": pair} if len(pair) == 2 else {"question": name}))
    rules = Path(target.rules) if target.rules else None
    board = Board.from_text(proposal.text, "<found>", rules=rules)
    readings = dict(target.readings)
    sides = (
        comparison.by_answer(board, target.question, readings, target.edition or None)
        if target.question
        else comparison.by_edition(board, target.editions, readings)
    )
    compared = comparison.compare(sides, _about(target), without=target.without, pile_order=target.piles).to_json()
    why = sentence(compared)
    return {
        "about": name,
        "cards": proposal.cards,
        "abilities": proposal.abilities,
        "numbers": proposal.points,
        "event": proposal.event,
        "why": why,
        "file": _file(target, proposal, why, compared),
    }


def sentence(compared: Mapping[str, Any]) -> str:
    """One sentence on why the sides differ: what each of them does at the first decision at which they part."""
    for part in compared["partings"]:
        after = [step["decision"] for step in part["after"] if step["by"] is not None]
        told = [f"{name}: {_does(there)}" for name, there in zip(part["sides"], part["at"], strict=True)]
        head = f"After \u201c{after[-1]}\u201d: " if after else ""
        return f"{head}{'; '.join(told)}."
    count = {side["name"]: len(side["outcomes"]) for side in compared["sides"]}
    return ", ".join(f"{name}: {number} outcome{'s' * (number != 1)}" for name, number in count.items()) + "."


def _does(there: Mapping[str, Any]) -> str:
    options = [str(option["decision"]) for option in there["options"]]
    if not options:
        return "nothing is left to do"
    return " or ".join(options[:2]) + (" or something else" if len(options) > 2 else "")


def _file(target: Target, proposal: Proposal, why: str, compared: Mapping[str, Any]) -> str:
    about = target.question or " and ".join(target.editions)
    head, rest = proposal.text.split("\n", 1)
    lines = [f"# {line}" for line in fold(f"Smallest found for {about}. {why}", 100, "", "")]
    lines += [head, f"title: {quote(f'{_title(proposal)} ({about})')}"]
    expect = []
    for side in compared["sides"]:
        when = {target.question: side["name"]} if target.question else {"edition": side["name"]}
        when |= dict(target.readings)
        states = [each["state"] for each in compared["outcomes"] if side["name"] in each["sides"]]
        expect.append({"when": when, "distinct": len(states), "outcomes": states})
    text = "\n".join(lines) + "\n" + rest
    return text + (dump({"expect": expect}) if _closed(compared) else "")


def _closed(compared: Mapping[str, Any]) -> bool:
    """Whether nothing else is open on the board, so that expectations need not speak of other questions."""
    return all(not row["when"] for row in compared["rows"])


def _title(proposal: Proposal) -> str:
    return f"{proposal.cards} card{'s' * (proposal.cards != 1)}, {proposal.event.replace('_', ' ')}"


def searched(made: Separation) -> str:
    """What was looked at: the absence of a separator is a statement about that scope only."""
    scope = made.scope
    events = len(scope.events)
    within = (
        f"{len(scope.pool)} kinds of cards, {events} event{'s' * (events != 1)}, "
        f"numbers that add up to at most {scope.points}"
    )
    looked = f"{made.boards:,} boards looked at, {made.raised:,} to the point, {made.states:,} states"
    failed = sum(made.failed.values())
    rest = f"; {failed:,} boards could not be looked at" if failed else ""
    return f"{within}; {looked}{rest}"


def verdict(made: Separation, name: str) -> str:
    """What the search says about a question or a pair of editions."""
    found = made.found[name]
    number = len(chosen(made, name))
    if number:
        cards = min(proposal.cards for proposal in found)
        smaller = f", none with fewer than {cards}" if cards > 1 else ""
        kinds = "kind" if number == 1 else "kinds"
        return f"{name}: {number} {kinds} of board with {cards} card{'s' * (cards != 1)}{smaller}"
    if made.complete:
        return f"{name}: no board with at most {made.scope.cards} cards differs"
    smaller = f"; no board with at most {made.searched_cards} cards differs" if made.searched_cards else ""
    return f"{name}: nothing found so far{smaller}"


def text(result: Mapping[str, Any], width: int) -> str:
    """The answer for a terminal."""
    lines = []
    if not result["complete"]:
        lines.append(f"INCOMPLETE ({result['incomplete_reason']}): what follows is what is known so far.")
    for said in result["verdicts"].values():
        lines += fold(str(said), width, "", "  ")
    lines += fold(f"searched: {result['scope in words']}", width, "", "  ")
    for reason, number in result["searched"]["failed"].items():
        lines += fold(f"{number:,} not looked at: {reason}", width, "  ", "    ")
    for board in result["boards"]:
        lines += ["", *str(board["file"]).rstrip("\n").split("\n")]
    return "\n".join(lines) + "\n"


def write(result: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the boards into a folder, each under the name of what it tells apart; the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for number, board in enumerate(result["boards"], 1):
        path = folder / f"{_name(board)}-{number}.yaml"
        path.write_text(board["file"], encoding="utf-8")
        written.append(path)
    return written


def _name(board: Mapping[str, Any]) -> str:
    return slug(f"{board['about']} {board['event']}".replace("_", " ").replace(".", "-").replace("/", " "))


__all__: Sequence[str] = ["searched", "sentence", "separator", "text", "to_json", "verdict", "write"]
