"""Makes docs/findings.md: what the rules of both games say about themselves, and where their readings part.

Run by hand: ``PYTHONPATH=bridge python tests/findings.py --workers 2``. For each game it runs ``lastrites check`` for
the newest edition, ``lastrites check --only boards`` for the older ones that differ from it, and ``lastrites separate
--all``; what these tell is kept under ``build/findings`` and taken up again as long as rules and fixtures are the same,
so that the page can be written anew at once. The boards are written to ``docs/boards``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from findings_boards import Boards
from findings_page import page
from fixture_help import FIXTURES, ROOT

from lastrites.book import read_book
from lastrites.editions import alike
from lastrites.game import Game, load_game
from lastrites.search.sweep import version_of

KEPT = ROOT / "build" / "findings"
PAGE = ROOT / "docs" / "findings.md"
GAMES = ("keyforge", "riftbound")
Json = dict[str, Any]


def version(game: str) -> str:
    """A name for the rules of a game and its fixtures."""
    digest = hashlib.sha256()
    rules = [ROOT / "rules" / part for part in ("core", game)]
    for file in sorted(path for folder in (*rules, FIXTURES / game) for path in folder.rglob("*") if path.is_file()):
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def told(game: str, what: str, arguments: Sequence[str], anew: bool, name: str = "") -> Json:
    """What a command says in JSON, from the last run if nothing has changed since; with ``anew`` False from the last
    run in any case, if there was one. ``before`` says that the rules have changed since."""
    rules = version_of(ROOT / "rules", game)
    kept = KEPT / f"{game}-{name or what}.json"
    now = version(game)
    if kept.is_file():
        old: Json = json.loads(kept.read_text(encoding="utf-8"))
        if not anew or (old["version"], old["arguments"]) == (now, list(arguments)):
            return {**old["result"], "before": old.get("rules") != rules}
    command = [sys.executable, "-m", "lastrites", what, game, *arguments, "--json"]
    print(" ".join(["lastrites", *command[3:]]), file=sys.stderr, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    if not done.stdout:
        raise SystemExit(f"{what} told nothing (status {done.returncode})")
    result: Json = json.loads(done.stdout)
    KEPT.mkdir(parents=True, exist_ok=True)
    row = {"version": now, "rules": rules, "arguments": list(arguments), "result": result}
    kept.write_text(json.dumps(row, ensure_ascii=False, indent=1), encoding="utf-8")
    return {**result, "before": False}


def checked(game: Game, workers: Sequence[str], anew: bool) -> Json:
    """What ``check`` says about the newest edition, and about older ones that do not say the same as a newer one."""
    newest, *older = read_book(game).editions[::-1]
    apart = [newest]
    for edition in older:
        if not any(alike(game, edition, other) for other in apart):
            apart.append(edition)
    result = told(game.name, "check", ["--edition", newest, *workers], anew)
    chosen = [word for edition in apart[1:] for word in ("--edition", edition)]
    if chosen:
        arguments = [*chosen, "--only", "boards", "--generated", "0", *workers]
        others = told(game.name, "check", arguments, anew, "older")
        for part in (result, others):
            for seen in part["scope"]["editions"]:
                seen["before"] = part["before"]
        scope = {**result["scope"], "editions": result["scope"]["editions"] + others["scope"]["editions"]}
        ended = {key: value for part in (others, result) for key, value in part.items() if key == "incomplete_reason"}
        result = {
            **result, **ended, "scope": scope, "findings": result["findings"] + others["findings"],
            "complete": result["complete"] and others["complete"],
        }  # fmt: skip
    return result


def main() -> int:
    """Run what has to be run, write the boards and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", help="games to run the commands for; the others are told as kept")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=300, help="seconds for each run of separate (default: 300)")
    parser.add_argument("--page", action="store_true", help="only write the page, from the last runs")
    args = parser.parse_args()
    sections = []
    for name in GAMES:
        run = not args.page and (not args.games or name in args.games)
        workers = ["--workers", str(args.workers)]
        check = checked(load_game(name), workers, run)
        scope = ["--all", "--timeout", str(args.timeout)]
        separate = told(name, "separate", [*scope, *workers, "--journal", str(KEPT / f"{name}.ndjson")], run)
        boards = Boards(load_game(name), check, separate, kept=KEPT / f"{name}-boards.json")
        boards.write(ROOT / "docs" / "boards" / name)
        sections.append((boards, check, separate))
    PAGE.write_text(page(sections), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
