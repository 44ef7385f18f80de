"""What a search found, in words, as JSON, and as board files ready to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastrites import comparison
from lastrites.board import Board
from lastrites.layout import fold
from lastrites.names import slug
from lastrites.search.proposals import Proposal
from lastrites.search.separate import CHOICES, OUTCOMES, PILES, Separation, chosen
from lastrites.yamlio import dump, quote

if TYPE_CHECKING:
    from lastrites.search.examine import Pair, Target

Json = dict[str, Any]


MOST_EXPECTED = 12
"""A board file says what comes out if that depends on no more combinations of answers."""


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
            "pools": [
                {
                    "name": pool.name, "kinds": list(pool.kinds), "events": list(pool.events), "cards": pool.cards,
                    "numbers": pool.points, "copies": pool.copies, "sides": list(pool.sides),
                }
                for pool in scope.pools
            ],
            "states": scope.states,
        },
        "searched": {
            "boards": made.boards,
            "to the point": made.to_the_point,
            "states": made.states,
            "sizes": [list(size) for size in made.sizes],
            "odd": made.odd,
            "failed": made.failed,
        },
        "scope in words": searched(made),
        "results": {name: result(made, name) for name in made.found},
        "verdicts": {name: verdict(made, name) for name in made.found},
        "boards": [separator(made, name, proposal) for name in made.found for proposal in chosen(made, name)],
    }


def _about(target: Target) -> Json:
    if target.everything:
        return {"everything": target.names()}
    return {"question": target.question} if target.question else {"editions": list(target.editions)}


def separator(made: Separation, name: str, proposal: Proposal) -> Json:
    """A board that tells ``name`` apart: its size, why it does, and its file with what comes out on each side."""
    target = made.target.about(name)
    rules = Path(target.rules) if target.rules else None
    board = Board.from_text(proposal.text, "<found>", rules=rules)
    readings = dict(target.readings)
    sides = (
        comparison.by_answer(board, target.question, readings, target.edition or None)
        if target.question
        else comparison.by_edition(board, target.editions, readings)
    )
    by = best(made, name, [pair for pair, found in made.found[name].items() if proposal in found])
    piles = made.scope.piles or by == PILES
    compared = comparison.compare(sides, _about(target), without=target.without, pile_order=piles).to_json()
    why = sentence(compared)
    return {
        "about": name,
        "cards": proposal.cards,
        "abilities": proposal.abilities,
        "numbers": proposal.points,
        "event": proposal.event,
        "by": by,
        "edition": target.edition,
        "why": why,
        "file": _file(target, proposal, why, compared, piles),
    }


def best(made: Separation, name: str, pairs: Iterable[Pair]) -> str:
    """In what a board tells these sides apart: in outcomes if it can."""
    return min((made.by[name, pair] for pair in pairs), key=list(IN_WHAT).index)


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


def _file(target: Target, proposal: Proposal, why: str, compared: Mapping[str, Any], piles: bool) -> str:
    about = target.question or " and ".join(target.editions)
    head, rest = proposal.text.split("\n", 1)
    lines = [f"# {line}" for line in fold(f"Smallest found for {about}. {why}", 100, "", "")]
    lines += [head, f"title: {quote(f'{_title(proposal)} ({about})')}"]
    if target.edition:
        lines.append(f"edition: {quote(target.edition)}")
    states = {each["id"]: each["state"] for each in compared["outcomes"]}
    order = {"pile order": True} if piles else {}
    expect = []
    for side in compared["sides"]:
        given = {target.question: side["name"]} if target.question else {"edition": side["name"]}
        for row in compared["rows"]:
            cell = row["sides"][side["name"]]
            if cell is not None and cell["outcomes"]:
                when = {**given, **dict(target.readings), **row["when"]}
                ends = [states[id] for id in cell["outcomes"]]
                expect.append({"when": when, **order, "distinct": len(ends), "outcomes": ends})
    text = "\n".join(lines) + "\n" + rest
    return text + (dump({"expect": expect}) if 0 < len(expect) <= MOST_EXPECTED else "")


def _title(proposal: Proposal) -> str:
    return f"{proposal.cards} card{'s' * (proposal.cards != 1)}, {proposal.event.replace('_', ' ')}"


def searched(made: Separation) -> str:
    """What was looked at: the absence of a separator is a statement about that scope only."""
    pools = []
    for pool in made.scope.pools:
        name = f"{pool.name}: " if pool.name else ""
        pools.append(
            f"{name}{_number(len(pool.kinds), 'kind')} of cards, {_number(len(pool.events), 'event')}, at most "
            f"{_number(pool.cards, 'card')}{f' of {chr(32).join(pool.sides)}' * bool(pool.sides)}, "
            f"numbers that add up to at most {pool.points}"
        )
    looked = f"{made.boards:,} boards looked at, {made.to_the_point:,} to the point, {made.states:,} states"
    failed = sum(made.failed.values())
    rest = f"; {failed:,} boards could not be looked at" if failed else ""
    return f"{'; '.join(pools)}. {looked}{rest}"


def _number(number: int, of: str) -> str:
    return f"{number:,} {of}{'s' * (number != 1)}"


IN_WHAT = {
    OUTCOMES: "",
    PILES: " (the order of piles differs)",
    CHOICES: " (what players may choose differs, not what comes out)",
}


def result(made: Separation, name: str) -> Json:
    """What the search says about a question or a pair of editions, for programs.

    ``result`` is `apart`, `alike` (two editions with the same rules and answers), `idle` (it came up and changed
    nothing), `silent` (it never came up), or `open` (the search did not come to its end).
    """
    found, target = made.boards_for(name), made.target
    said = "apart" if found else "alike" if target.alike(name) else "open"
    if said == "open" and made.complete and not made.nothing_known:
        said = "idle" if made.raised[name] or target.needed(name) is None else "silent"
    return {
        "result": said,
        "by": best(made, name, [pair for pair in made.found[name] if made.apart(name, pair)]) if found else None,
        "cards": min((each.cards for each in found), default=None),
        "pairs": [
            {
                "sides": list(pair), "by": made.by[name, pair] if boards else None,
                "cards": min((each.cards for each in boards), default=None),
            }
            for pair, boards in made.found[name].items()
        ],
        "raised on": made.raised[name],
        "edition": target.edition_for(name) if " / " not in name else None,
        "not asked in": _not_asked(target, name),
    }


def _not_asked(target: Target, name: str) -> list[str]:
    editions = target.known.editions
    if " / " in name or not any(target.asks(each, name) for each in editions):
        return []
    return [each for each in editions if not target.asks(each, name)]


def verdict(made: Separation, name: str) -> str:
    """What the search says about a question or a pair of editions."""
    said, target = result(made, name), made.target
    number = len(chosen(made, name))
    under = f" (asked in {said['edition']}, not in {', '.join(said['not asked in'])})" if said["not asked in"] else ""
    most = _number(made.scope.cards, "card")
    failed = sum(made.failed.values())
    but = f"; {_number(failed, 'board')} could not be looked at" if failed else ""
    match said["result"]:
        case "apart":
            cards = said["cards"]
            smaller = f", none with fewer than {cards}" if cards > 1 else ""
            least = f"{'the smallest ' * (number > 1)}with {_number(cards, 'card')}"
            text = f"{_number(number, 'kind')} of board{',' * (number > 1)} {least}{IN_WHAT[said['by']]}{smaller}"
            text += "".join(_besides(said))
        case "alike":
            text = "the two answer every question alike and have the same rules: no board can differ"
        case "idle":
            raised = f"it comes up on {_number(said['raised on'], 'board')}, but " if said["raised on"] else ""
            text = f"idle within this scope: {raised}no board with at most {most} differs{but}"
        case "silent":
            asked = target.needed(name) is not None and " / " not in name and not target.is_asked(name)
            rule = " (no rule asks it)" if asked else ""
            text = f"no board with at most {most} differs: it never comes up{rule}{but}"
        case _ if made.nothing_known:
            text = "nothing is known: no board could be looked at"
        case _:
            known = f"; no board with at most {_number(made.searched, 'card')} differs" if made.searched else ""
            text = f"nothing found so far{known}"
    return f"{name}: {text}{under}"


def _besides(said: Json) -> Iterator[str]:
    """What is said of two answers that are told apart by larger boards than others, by less, or by none."""
    for row in said["pairs"]:
        between = " and ".join(row["sides"])
        if row["by"] is None:
            yield f"; {between} are not told apart"
        elif (row["by"], row["cards"]) != (said["by"], said["cards"]):
            yield f"; {between}: {_number(row['cards'], 'card')}{IN_WHAT[row['by']]}"


def text(result: Mapping[str, Any], width: int) -> str:
    """The answer for a terminal."""
    lines = []
    if not result["complete"]:
        why = f"INCOMPLETE ({result['incomplete_reason']}): what follows is what is known so far."
        lines += fold(why, width, "", "")
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
