"""The pages: what they lead to is there, and what boards name as their source is explained."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "fixtures" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


@cache
def anchors(page: Path) -> frozenset[str]:
    """The headings of a page as links name them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles)


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        where, _, anchor = link.partition("#")
        target = page.parent / where if where else page
        if "://" not in link and (not target.exists() or (anchor and anchor not in anchors(target.resolve()))):
            dead.append(link)
    assert not dead


def test_what_sources_of_boards_name_is_explained() -> None:
    told = (ROOT / "fixtures" / "README.md").read_text(encoding="utf-8")
    files = (ROOT / "fixtures").rglob("*.yaml")
    sources = "\n".join(match[1] for f in files if (match := re.search("^source: (.*)$", f.read_text("utf-8"), re.M)))
    numbered = set(re.findall(r"\b([A-Z]{2}-C)\d|\b(case|clause|point|reading)s? [A-Z]+\d", sources))
    kinds = {letters or word for letters, word in numbered}
    assert {"KF-C", "RB-C", "clause", "point"} <= kinds
    assert all(kind in told for kind in kinds)
