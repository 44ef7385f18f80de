"""Every board of `fixtures/`: what it expects comes out, and another mode says the same.

``LASTRITES_LARGEST_TRACE=4000 pytest tests/test_fixtures.py -k another_mode`` puts nearly every board to trace mode.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fixture_help import (
    FIXTURES,
    disagreements,
    editions,
    fixture_files,
    layer_disagreements,
    loaded,
    name_of,
    resolved,
    small_enough,
    verdict,
)  # fmt: skip

import lastrites

every_fixture = pytest.mark.parametrize("path", fixture_files(), ids=name_of)


@every_fixture
def test_what_is_expected_comes_out(path: Path) -> None:
    found = verdict(path)
    assert found.status == "ok", "\n".join(found.failures + found.notes)
    # A board that speaks of some editions only leaves the readings of the newest one unchecked, and says so.
    by_edition = all(expectation.editions for expectation in loaded(path)[1])
    assert by_edition or not found.notes


@pytest.mark.parametrize("name", ["entangled-4", "two-solefts-against-bad-penny", "duma-draws-from-an-empty-deck"])
def test_a_board_explored_in_layer_mode(name: str) -> None:
    """The same outcomes and counts when the walk itself goes by layers."""
    path = FIXTURES / "keyforge" / f"{name}.yaml"
    assert lastrites.resolve(loaded(path)[0], mode="layers").to_json() == resolved(path).to_json()


@every_fixture
def test_another_mode_says_the_same(path: Path) -> None:
    """Trace mode has as many stable models as there are orders, and the same final states as often, for each
    assignment of answers. Of boards that are too large for it, layer mode says the same of every state.

    Of editions those are looked at that bring an outcome which the ones before do not have.
    """
    seen: set[str] = set()
    for resolution in editions(path):
        states = {json.dumps(outcome.state, sort_keys=True) for outcome in resolution.outcomes}
        if not (states and states <= seen):
            differ = disagreements if small_enough(resolution) else layer_disagreements
            assert not differ(resolution), resolution.reading.edition
            seen |= states


def test_titles_are_different() -> None:
    titles = [loaded(path)[0].title for path in fixture_files()]
    assert all(titles)
    assert len(set(titles)) == len(titles)


def test_each_pool_of_the_eight_entangled_creatures() -> None:
    """How many of the 40,320 orders end with which pools, as counted by permuting eight gains and losses."""
    resolution = resolved(FIXTURES / "keyforge" / "entangled-8.yaml")
    pools = {
        tuple(outcome.state[player].get("aember", 0) for player in ("P1", "P2")): outcome.orders
        for outcome in resolution.outcomes
    }
    assert pools == {
        (0, 6): 18_048, (1, 5): 4_656, (2, 4): 9_744, (0, 7): 1_664, (1, 6): 272,
        (2, 5): 560, (3, 3): 2_592, (4, 2): 2_592, (3, 4): 96, (4, 3): 96,
    }  # fmt: skip
    assert resolution.order_count == 40_320
