"""A small library of cards with awkward names, under the real shape and words of KeyForge."""

from __future__ import annotations

import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from lastrites.board import Board

RULES = Path(__file__).resolve().parents[1] / "rules"

CARDS = """
% @card(troll) Troll
title("troll","Troll"). kind("troll",creature). stat("troll",power,8).

% @card(dust-imp) Dust Imp
title("dust-imp","Dust Imp"). kind("dust-imp",creature). stat("dust-imp",power,2).
ability("dust-imp",1,destroyed). step("dust-imp",1,1,gain(you,2)).

% @card(soleft) Soleft
title("soleft","Soleft"). kind("soleft",creature). stat("soleft",power,3).

% @card(soulkeeper) Soulkeeper
title("soulkeeper","Soulkeeper"). kind("soulkeeper",upgrade).
ability("soulkeeper",1,constant). gives("soulkeeper",1,host,2).
ability("soulkeeper",2,destroyed). step("soulkeeper",2,1,destroy(most_powerful(and(enemy,creature)))).

% @card(old-egad) Old Egad
title("old-egad","Old Egad"). kind("old-egad",creature). stat("old-egad",power,1).

% @card(old-egad-evil-twin) Old Egad
title("old-egad-evil-twin","Old Egad"). kind("old-egad-evil-twin",creature). stat("old-egad-evil-twin",power,3).

% @card(ley-earl-of-hurl) Ley, Earl of Hurl
title("ley-earl-of-hurl","Ley, Earl of Hurl"). kind("ley-earl-of-hurl",creature).

% @card(duck-duck-superb-duck) Duck, Duck, Superb Duck
title("duck-duck-superb-duck","Duck, Duck, Superb Duck"). kind("duck-duck-superb-duck",action).

% @card(flint-s-stash) Flint’s Stash
title("flint-s-stash","Flint’s Stash"). kind("flint-s-stash",artifact).

% @card(dæmo-thief) Dæmo-Thief
title("dæmo-thief","Dæmo-Thief"). kind("dæmo-thief",creature).

% @card([redacted]) [REDACTED]
title("[redacted]","[REDACTED]"). kind("[redacted]",artifact).

% @card(shae-cloudkicker) Shae “Cloudkicker”
title("shae-cloudkicker","Shae “Cloudkicker”"). kind("shae-cloudkicker",creature).

% @card(zan-the-second) Zan: the #2
title("zan-the-second","Zan: the #2"). kind("zan-the-second",creature).

% @card(kai-reborn) Kai: Reborn
title("kai-reborn","Kai: Reborn"). kind("kai-reborn",creature).
"""

NAMES = (
    "Troll",
    "Dust Imp",
    "Soleft",
    "Soulkeeper",
    "Old Egad",
    "Old Egad (Evil Twin)",
    "Ley, Earl of Hurl",
    "Duck, Duck, Superb Duck",
    "Flint’s Stash",
    "Dæmo-Thief",
    "[REDACTED]",
    "Shae “Cloudkicker”",
    "Zan: the #2",
    "Kai: Reborn",
)


@lru_cache(maxsize=1)
def small_rules() -> Path:
    """A folder of rules with KeyForge's shape and words, and the cards above."""
    folder = Path(tempfile.mkdtemp(prefix="lastrites-rules-"))
    for part in ("core/shape.lp", "core/words.lp", "keyforge/shape.lp", "keyforge/words.lp"):
        (folder / part).parent.mkdir(exist_ok=True)
        shutil.copy(RULES / part, folder / part)
    (folder / "keyforge" / "cards").mkdir()
    (folder / "keyforge" / "cards" / "small.lp").write_text(CARDS, encoding="utf-8")
    return folder


def board(text: str, path: str = "b.yaml") -> Board:
    """The board that the text describes, with the small library."""
    return Board.from_text(text, path, rules=small_rules())


HEAD = "game: keyforge\nactive: Ann\nplayers:\n  Ann:\n"


def zones(ann: str, bob: str = "{}", event: str = "") -> str:
    """A board file with these lines for Ann (from line 5 on, indented), and the rest."""
    lines = "".join(f"    {line}\n" for line in ann.splitlines())
    return f"{HEAD}{lines}  Bob: {bob}\n{event}"
