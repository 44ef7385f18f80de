"""Peer: plain depth-first search in Python over one window, as one would write it by hand for these very cards.

``python search.py FAMILY N`` prints the number of states, and for each final pair of pools its number of orders.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.peers.window import START, Effect, effects

Pools = tuple[int, int]


def after(pools: Pools, effect: Effect) -> Pools:
    """The pools after an ability: gain, make the opponent lose, or steal what there is."""
    player, kind, amount = effect
    own, other = pools[player], pools[1 - player]
    if kind == "gain":
        own += amount
    else:
        taken = min(other, amount)
        other -= taken
        own += taken if kind == "steal" else 0
    return (own, other) if player == 0 else (other, own)


def search(abilities: list[Effect]) -> tuple[int, Counter[Pools]]:
    """(number of states, final pools with their numbers of orders), each state looked at once."""
    known: dict[tuple[int, Pools], Counter[Pools]] = {}
    everything = (1 << len(abilities)) - 1

    def ends(done: int, pools: Pools) -> Counter[Pools]:
        found = known.get((done, pools))
        if found is None:
            found = Counter()
            if done == everything:
                found[pools] = 1
            else:
                for place, ability in enumerate(abilities):
                    if not done >> place & 1:
                        found.update(ends(done | 1 << place, after(pools, ability)))
            known[done, pools] = found
        return found

    found = ends(0, START)
    return len(known), found


def main() -> None:
    """Search the window that the command line names, and print what was found."""
    states, found = search(effects(sys.argv[1], int(sys.argv[2])))
    print(f"states {states}")
    for pools, orders in sorted(found.items()):
        print(*pools, orders)


if __name__ == "__main__":
    main()
