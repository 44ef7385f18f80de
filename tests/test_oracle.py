"""What an engine does on random boards comes out under the profile that describes it, but for its known faults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from oracle_compare import Case, Comparer, cases, differences, main, missing_cards

from lastrites.board import Board
from lastrites.book import clause_texts
from lastrites.yamlio import dump

BOARDS = Path(__file__).resolve().parents[1] / "fixtures" / "keyforge" / "oracle" / "boards.json"
CASES, MESSAGES = cases(BOARDS)
COMPARER = Comparer()


DEAR = "core-111"
"""As many states as all others together, for a difference that core-0 shows too: for the script alone."""


@pytest.mark.parametrize("case", [case for case in CASES if case.name != DEAR], ids=lambda case: str(case.name))
def test_the_outcomes_of_the_engine(case: Case) -> None:
    found = COMPARER.compare(case)
    assert not found.note
    assert found.agrees is not bool(case.differs), "\n".join(differences(found)) or "it agrees now"


def test_the_sample_shows_every_kind_of_event_and_every_known_difference() -> None:
    assert not MESSAGES
    assert {verb for case in CASES for verb in case.board["event"]} == {"play", "fight", "destroy", "damage"}
    used = {id for case in CASES for id in Board.from_text(dump(case.board), case.name).library_ids()}
    assert len(used) == 44
    assert sum(bool(case.differs) for case in CASES) == 8


def test_each_known_difference_names_clauses_of_the_book() -> None:
    known = set(clause_texts(COMPARER.game))
    for case in CASES:
        named = re.findall(r"kf\.[a-z.-]+", case.differs)
        assert bool(named) is bool(case.differs)
        assert known.issuperset(named)


def test_states_are_compared_whatever_the_order_of_sets_and_piles() -> None:
    one = {"A": {"aember": 1, "discard": ["Dust Imp#2", "Troll"], "hand": ["Troll"], "deck size": 5, "chains": 0}}
    other = {"A": {"hand size": 1, "discard": ["Troll", "Dust Imp"], "aember": 1, "deck size": 5}}
    assert COMPARER.text(one) == COMPARER.text(other)
    line = {"A": {"battleline": ["Troll", {"Dust Imp": {"armor used": 1, "ward": False, "damage": 1}}]}}
    assert COMPARER.text(line) == COMPARER.text({"A": {"battleline": ["Troll", {"dust-imp": {"damage": 1}}]}})
    assert COMPARER.text(line) != COMPARER.text({"A": {"battleline": [{"dust-imp": {"damage": 1}}, "Troll"]}})


def test_the_script_tells_what_agrees_differs_and_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(BOARDS), "--only", "core-10", "--only", "core-309"]) == 0
    assert capsys.readouterr().out == "1 agree, 0 differ, 1 differ as known, 0 not covered\n"
    told = ["x: unknown card `a`", "y: unknown card `b`", "z: unknown card `a`"]
    assert missing_cards(told).most_common(1) == [("a", 2)]
