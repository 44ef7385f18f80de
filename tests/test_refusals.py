"""What is told of an event that is refused: the clause, and what is wrong with the event."""

from __future__ import annotations

import pytest
from fixture_help import FIXTURES, resolved

from lastrites.terminal import refusal_text

SAID = {
    "combat-damage-that-is-lethal-for-neither-is-refused": [
        "Shipyard Skulker#1 is assigned 2, and 3 is lethal: that comes before what is assigned to Shipyard Skulker#2"
    ],
    "damage-that-passes-by-a-tank-is-refused": [
        "Galio, Indefatigable is assigned 0, and 6 is lethal: that comes before what is assigned to Watchful Sentry"
    ],
    "a-stunned-unit-with-combat-damage-to-deal-is-refused": ["Mystic Poro is to deal 0 in all, not 2"],
    "no-combat-damage-comes-from-a-unit-elsewhere": ["Shipyard Skulker is not at bf1"],
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_wrong_is_told(name: str) -> None:
    (refusal,) = resolved(FIXTURES / "riftbound" / f"{name}.yaml").refused
    assert set(SAID[name]) <= set(refusal["why"])
    assert SAID[name][0] in refusal_text(refusal)
