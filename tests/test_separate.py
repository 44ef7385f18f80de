"""Searching boards on which readings differ: what is found does differ, and nothing smaller was missed."""

from __future__ import annotations

import itertools
import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lastrites
from lastrites import stop
from lastrites.board import Board
from lastrites.cli import main
from lastrites.editions import alike, answered_apart, choose_reading, questions_of
from lastrites.errors import BoardError
from lastrites.game import load_game
from lastrites.search import told
from lastrites.search.examine import Target, examine, fits, found_on, row_of_a_failure
from lastrites.search.proposals import Proposal, Proposer, offer
from lastrites.search.separate import CHOICES, PILES, Pool, Scope, Separation, chosen, separate
from lastrites.search.sweep import Journal, Serial, Sweep, version_of
from lastrites.search.universe import REFUSED, Found, Universe, canonical
from lastrites.yamlio import dump

GAME = load_game("keyforge")
LOST = Target("keyforge", question="lost_ability")
SMALL = Scope((Pool("", ("archimedes", "dust-imp"), ("destroy_all",), cards=2, points=0),))


def search(target: Target = LOST, scope: Scope = SMALL, sweep: Sweep | None = None) -> Separation:
    return separate(GAME, target, scope, sweep or Sweep(examine, Serial()))


@cache
def known() -> Separation:
    """The search that most tests are about."""
    return search()


def outcomes(board: Board, readings: dict[str, str]) -> frozenset[str]:
    found = lastrites.resolve(board, readings=readings)
    return frozenset(json.dumps(outcome.state, sort_keys=True) for outcome in found.outcomes)


def differs(board: Board, question: str, answers: tuple[str, ...]) -> bool:
    return len({outcomes(board, {question: answer}) for answer in answers}) > 1


def every_board(kinds: tuple[str, ...], most: int) -> Iterator[tuple[int, str]]:
    """All boards with up to so many creatures, made without clingo: number of cards, and the board file."""
    for cards in range(1, most + 1):
        for left in range(cards + 1):
            for line in itertools.product(kinds, repeat=cards):
                players = {"P1": {"battleline": list(line[:left])}, "P2": {"battleline": list(line[left:])}}
                head = dump({"game": "keyforge", "active": "P1", "players": players})
                yield cards, head + "event: {instructions: [{destroy: each creature}]}\n"


def test_two_adjacent_archimedes_are_found_and_nothing_smaller_differs() -> None:
    """Brute force over all boards of up to two creatures finds none smaller, and the same kinds of cards."""
    made = known()
    (found,) = chosen(made)
    assert (found.cards, found.kinds) == (2, ("archimedes", "archimedes"))
    answers = ("kept", "needs_both")
    separating = {
        (cards, text)
        for cards, text in every_board(("Archimedes", "Dust Imp"), 2)
        if differs(Board.from_text(text), "lost_ability", answers)
    }
    assert min(cards for cards, _ in separating) == found.cards
    assert all(text.count("Archimedes") == 2 for _, text in separating)
    assert {proposal.text.count("Archimedes") for proposal in made.boards_for("lost_ability")} == {2}
    assert len(made.boards_for("lost_ability")) == len(separating)


def test_a_dying_soraka_is_found_and_nothing_smaller_differs() -> None:
    """The same in the other game, with units of one player at either place."""
    pool = Pool("", ("soraka-wanderer", "mystic-poro"), ("kill_all",), cards=2, points=0)
    target = Target("riftbound", question="leaving_source")
    made = separate(load_game("riftbound"), target, Scope((pool,)), Sweep(examine, Serial()))
    (found,) = chosen(made)
    assert (found.cards, found.kinds) == (2, ("mystic-poro", "soraka-wanderer"))
    separating = set()
    spots = list(itertools.product(("Soraka, Wanderer", "Mystic Poro"), ("base", "bf1")))
    for cards in (1, 2):
        for units in itertools.combinations_with_replacement(spots, cards):
            base, field = ([name for name, where in units if where == place] for place in ("base", "bf1"))
            head = {
                "game": "riftbound",
                "active": "P1",
                "players": {"P1": {"base": base, "deck size": 10}, "P2": {"deck size": 10}},
                "battlefields": {"bf1": {"units": {"P1": field}}},
            }
            board = Board.from_text(f"{dump(head)}event: {{instructions: [{{kill: each unit}}]}}\n")
            if differs(board, "leaving_source", ("acts", "inert")):
                separating.add(units)
    assert {len(units) for units in separating} == {2}
    assert all({name for name, _ in units} == {"Soraka, Wanderer", "Mystic Poro"} for units in separating)
    both_players = 2
    assert len(made.boards_for("leaving_source")) == both_players * len(separating)


@pytest.mark.parametrize("event", ["destroy_one", "fight"])
def test_what_happens_to_one_board_does_not_happen_to_another(event: str) -> None:
    """Boards of one job whose events take other cards do not get into each other's way."""
    proposer = Proposer(GAME, ("dust-imp", "troll"), [event], 2, most=0)
    texts = [each.text for size in proposer.sizes() for each in proposer.boards(size)][::3]
    forms = [canonical(Board.from_text(text)) for text in texts]
    boards = [Board.from_text(text) for text in texts]
    reading = choose_reading(boards[0], {}, None)
    for board, found in zip(boards, found_on(boards, forms, reading, 500), strict=True):
        assert isinstance(found, Found)
        alone = lastrites.resolve(board)
        assert found.states == alone.state_count
        assert sum(len(ends - {REFUSED}) for _, ends in found.outcomes) == sum(
            len(assignment.outcomes) for assignment in alone.assignments
        )


def test_what_is_written_is_a_board_that_fulfils_its_expectations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = told.write(told.to_json(known()), tmp_path / "boards")
    assert main(["verify", str(path)]) == 0
    assert "1 ok" in capsys.readouterr().out
    board = lastrites.load(path)
    assert differs(board, "lost_ability", ("kept", "needs_both"))


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_boards_of_one_grounding_come_out_as_each_by_itself(data: st.DataObject) -> None:
    """What a board comes to does not depend on the other boards that share its ground program."""
    pool = ("archimedes", "bad-penny", "soulkeeper", "troll", "armageddon-cloak", "tolas")
    proposals = list(Proposer(GAME, pool, ["destroy_all"], 2, most=1).boards(2))
    first = data.draw(st.sampled_from(proposals))
    same = [each for each in proposals if each.kinds == first.kinds][:12]
    boards = [Board.from_text(each.text) for each in same]
    forms = [canonical(board) for board in boards]
    reading = choose_reading(boards[0], {}, None)
    fixed = frozenset().union(*(form.fixed for form in forms))
    universe = Universe(boards[0], reading, fixed, [form.start for form in forms])
    place = data.draw(st.integers(0, len(boards) - 1))
    found = universe.find(forms[place].start)
    alone = lastrites.resolve(boards[place])
    assert len(found.outcomes) == len(alone.assignments)
    for when, ends in found.outcomes:
        (same_answers,) = [each for each in alone.assignments if each.when == when]
        assert len(ends) == len(same_answers.outcomes)


def test_every_proposal_is_a_board_and_none_is_proposed_twice() -> None:
    pool = ("archimedes", "soulkeeper", "flint-s-stash")
    texts: list[str] = []
    for event in offer(GAME).events:
        proposer = Proposer(GAME, pool, [event], 2, most=1)
        for size in proposer.sizes():
            texts += [proposal.text for proposal in proposer.boards(size)]
    assert len(set(texts)) == len(texts) > 100
    for text in texts[::25]:
        Board.from_text(text)


def test_a_scope_in_which_nothing_differs() -> None:
    made = search(scope=Scope((Pool("", ("troll", "dust-imp"), ("destroy_all",), cards=2, points=0),)))
    assert made.complete
    assert not made.boards_for("lost_ability")
    assert told.result(made, "lost_ability")["result"] == "silent"
    assert "no board with at most 2 cards differs: it never comes up" in told.verdict(made, "lost_ability")


def test_editions() -> None:
    """A board for each of two editions of which the later one settles what the other leaves open."""
    scope = Scope((Pool("", ("bad-penny", "troll"), ("destroy_all",), cards=2, points=1),))
    made = separate(GAME, Target("keyforge", editions=("2019-09", "17.4")), scope, Sweep(examine, Serial()))
    assert made.complete
    result = told.to_json(made)
    assert result["about"] == {"editions": ["2019-09", "17.4"]}
    for board in result["boards"]:
        sides = [
            {json.dumps(outcome.state, sort_keys=True) for outcome in lastrites.resolve(
                Board.from_text(board["file"]), edition=edition).outcomes}
            for edition in ("2019-09", "17.4")
        ]  # fmt: skip
        assert sides[0] != sides[1]


def test_where_outcomes_are_the_same_piles_are_looked_at() -> None:
    scope = Scope((Pool("", ("dust-imp", "soulkeeper"), ("destroy_all",), cards=2, points=0),), deeper=True)
    made = search(Target("keyforge", question="upgrade_piles"), scope)
    (found,) = chosen(made)
    assert (found.kinds, made.by["upgrade_piles", ("apart", "arranged")]) == (("dust-imp", "soulkeeper"), PILES)
    (board,) = told.to_json(made)["boards"]
    expected = [
        {json.dumps(outcome.state) for outcome in lastrites.resolve(
            Board.from_text(board["file"]), readings={"upgrade_piles": answer}, pile_order=True).outcomes}
        for answer in ("apart", "arranged")
    ]  # fmt: skip
    assert expected[0] != expected[1]


def test_where_outcomes_are_the_same_choices_are_looked_at() -> None:
    """Who orders the replacements changes who chooses, and nothing that can come out."""
    kinds = ("mystic-poro", "zhonyas-hourglass")
    pool = Pool("", kinds, ("kill_all",), cards=3, points=1, sides=("P1",))
    made = separate(
        load_game("riftbound"), Target("riftbound", question="replacement_order"), Scope((pool,), deeper=True),
        Sweep(examine, Serial()),
    )  # fmt: skip
    assert made.by == {("replacement_order", ("controller", "owner")): CHOICES}
    found = chosen(made)[0]
    assert found.kinds == ("mystic-poro", "zhonyas-hourglass", "zhonyas-hourglass")
    assert "owner: P2" in found.text


def test_a_question_is_looked_at_in_an_edition_that_asks_it() -> None:
    target = Target("riftbound", question="control_enemy_units")
    assert target.edition_for("control_enemy_units") == "1.3"
    found = {"control_enemy_units": {pair: [] for pair in target.pairs("control_enemy_units")}}
    made = Separation(target, Scope(()), found, raised={"control_enemy_units": 0})
    assert told.result(made, "control_enemy_units")["not asked in"] == ["1.0", "1.4"]
    assert "asked in 1.3, not in 1.0, 1.4" in told.verdict(made, "control_enemy_units")


def test_every_pair_of_editions_is_told_apart_or_the_same() -> None:
    target = Target("riftbound")
    assert {"1.1 / 1.2", "1.2 / 1.3", "1.3 / 1.4"} <= set(target.names())
    assert not any(target.alike(name) for name in target.names()), "rules ask for the edition"
    other = Target("keyforge")
    assert [name for name in other.names() if other.alike(name)] == ["2020-12 / 17.3", "17.3 / 17.4"]


def test_editions_that_differ_by_name_only() -> None:
    """1.2 has a list of steps of its own, though it answers all questions as 1.1 does, and lacks the same clauses."""
    known = questions_of(GAME.rules / "riftbound")
    assert known.lacks["1.1"] == known.lacks["1.2"]
    assert not answered_apart(known, "1.1", "1.2")
    target = Target("riftbound", editions=("1.1", "1.2"))
    assert [walked.edition for walked in target.walks(target.names())] == ["1.1", "1.2"]
    assert target.needed("1.1 / 1.2") is None
    assert not alike(load_game("riftbound"), "1.1", "1.2")
    assert alike(GAME, "17.3", "17.4")


def test_each_two_answers_are_told_apart() -> None:
    """A question with three answers is done when boards tell each two of them apart: `nested_discard` differs sooner
    than the other two answers do from each other."""
    target = Target("keyforge", question="cascade", edition="2019-09")
    board = """
game: keyforge
active: P1
players: {P1: {battleline: [Soleft, Soleft]}, P2: {battleline: [Bad Penny, Dust Imp]}}
event: {destroy: ["Soleft#1", "Soleft#2"]}
"""
    job = {"target": target.to_json(), "names": ["cascade"], "states": 500, "piles": False, "boards": [board]}
    (row,) = examine(job)["rows"]
    assert row["apart"] == {"cascade": [["nested", "pooled"], ["nested_discard", "pooled"]]}
    found: dict[tuple[str, str], list[Proposal]] = {pair: [] for pair in target.pairs("cascade")}
    made = Separation(target, Scope(()), {"cascade": found})
    small, large = Proposal(("a",), "e", 1, 1, 0, "small"), Proposal(("b",), "e", 2, 1, 0, "large")
    nested_discard, pooled, other = found
    assert (nested_discard, pooled) == (("nested", "nested_discard"), ("nested", "pooled"))
    found[nested_discard] = found[other] = [small]
    assert (made.open, chosen(made)) == (["cascade"], [small])
    found[pooled] = [large]
    assert (made.open, chosen(made)) == ([], [small, large])


def test_answers_that_are_fixed_tell_nothing_apart() -> None:
    target = Target("keyforge", editions=("2019-09", "17.4"))
    (name,) = target.names()
    apart = target.needed(name)
    assert apart
    fixed = tuple((question, target.known.answers[question][0]) for question in sorted(apart))
    assert not target.alike(name)
    assert replace(target, readings=fixed).alike(name)


def test_everything_at_once() -> None:
    """One sweep with all questions open tells apart what a search for each of them does."""
    scope = Scope((Pool("", ("mystic-poro",), ("damage_and_heal", "kill_friendly"), cards=1, points=1),))
    target = Target("riftbound", edition="1.3")
    made = separate(load_game("riftbound"), target, scope, Sweep(examine, Serial()))
    apart = {name for name in made.found if made.boards_for(name)}
    assert {"lethal", "control_enemy_units"} <= apart
    for name in ("lethal", "own_death"):
        alone = Target("riftbound", question=name, edition="1.3")
        found = separate(load_game("riftbound"), alone, scope, Sweep(examine, Serial()))
        assert bool(found.boards_for(name)) == (name in apart)


def test_processes_find_the_same() -> None:
    with ProcessPoolExecutor(2) as pool:
        made = search(sweep=Sweep(examine, pool))
    assert [each.text for each in chosen(made)] == [each.text for each in chosen(known())]


def test_a_cluster_finds_the_same() -> None:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        made = search(sweep=Sweep(examine, client.get_executor()))
    assert [each.text for each in chosen(made)] == [each.text for each in chosen(known())]


def test_a_journal_saves_doing_work_twice(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    calls: list[object] = []

    def counted(job: dict[str, object]) -> dict[str, object]:
        calls.append(job)
        return examine(job)

    first = search(sweep=Sweep(counted, Serial(), Journal(path)))
    done = len(calls)
    path.write_text(path.read_text(encoding="utf-8") + '{"key": "cut of', encoding="utf-8")
    second = search(sweep=Sweep(counted, Serial(), Journal(path)))
    assert done
    assert len(calls) == done
    assert first.found == second.found
    assert first.boards == second.boards


def test_a_journal_knows_the_rules_that_it_speaks_of(tmp_path: Path) -> None:
    """Rules of another game may change, and what says which boards are looked at; those of the game itself may not."""
    for part in ("core", "keyforge", "riftbound"):
        shutil.copytree(GAME.rules / part, tmp_path / part)
    before = version_of(tmp_path, "keyforge")
    assert before == version_of(GAME.rules, "keyforge")
    apart = ("riftbound/dying.lp", "keyforge/search/offer.lp", "keyforge/rests.lp")
    for file, changes in [*((name, False) for name in apart), ("core/sums.lp", True)]:
        with (tmp_path / file).open("a", encoding="utf-8") as text:
            text.write("% a remark\n")
        assert (version_of(tmp_path, "keyforge") != before) == changes
    assert version_of(tmp_path, "keyforge") != version_of(tmp_path, "riftbound")


def test_a_time_limit_gives_what_is_known() -> None:
    made = search(sweep=Sweep(examine, Serial(), deadline=time.monotonic()))
    assert (made.complete, made.reason) == (False, "the time limit was reached")
    assert not told.to_json(made)["complete"]


def test_an_interrupt_gives_what_is_known() -> None:
    def interrupted(job: dict[str, object]) -> dict[str, object]:
        stop.request()
        return examine(job)

    try:
        made = search(sweep=Sweep(interrupted, Serial()))
    finally:
        stop.reset()
    assert (made.complete, made.reason) == (False, "interrupted")


def broken(job: dict[str, object]) -> dict[str, object]:
    raise ValueError("no good")


def test_work_that_fails_is_told() -> None:
    made = search(sweep=Sweep(broken, Serial()))
    assert made.failed == {"ValueError: no good": made.failed["ValueError: no good"]}
    assert "could not be looked at" in told.searched(made)
    assert not made.complete
    assert told.verdict(made, "lost_ability") == "lost_ability: nothing is known: no board could be looked at"
    assert told.result(made, "lost_ability")["result"] == "open"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["keyforge", "lost_abillity"], "did you mean lost_ability"),
        (["keyforge", "--editions", "17.4", "17.4"], "compared with itself"),
        (["keyforge", "--editions", "17.4", "17.5"], "unknown edition `17.5`"),
        (["keyforge"], "nothing to tell apart"),
        (["keyforge", "cascade", "--pool", "Dust Imps"], "did you mean Dust Imp"),
        (["keyforge", "cascade", "--event", "explode"], "known here: destroy_all"),
        (["keyforge", "cascade", "--pool", " ; "], "no card is named"),
        (["keyforge", "cascade", "--reading", "cascade=nested"], "answers `cascade` itself"),
        (["keyforge", "cascade", "--reading", "observers=none"], "unknown answer to observers `none`"),
        (["keyforge", "cascade", "--edition", "17.5"], "unknown edition `17.5`"),
        (["keyforge", "--all", "--without", "kf.destroyed.lockin"], "did you mean kf.destroyed.lock-in"),
        (["keyforge", "--editions", "17.3", "17.4", "--edition", "17.4"], "the two that are told apart"),
        (["keyforge", "cascade", "-o", __file__], "cannot be written here"),
    ],
)
def test_mistakes(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["separate", *arguments]) == 2
    told_of = capsys.readouterr()
    assert message in told_of.err
    assert not told_of.out


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    pool = ["--pool", "Archimedes", "--event", "destroy all", "--max-cards", "2", "--numbers", "0", "--json", "-q"]
    assert main(["separate", "keyforge", "lost_ability", *pool]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["boards"][0]["cards"] == 2
    assert result["searched"]["boards"] > 0


def test_a_game_that_offers_no_boards(tmp_path: Path) -> None:
    import dataclasses

    with pytest.raises(BoardError, match="LR-E041"):
        offer(dataclasses.replace(GAME, rules=tmp_path))
    for part in ("core", "keyforge"):
        shutil.copytree(GAME.rules / part, tmp_path / part)
    file = tmp_path / "keyforge" / "search" / "offer.lp"
    file.write_text('happening(nothing,"{}").\n', encoding="utf-8")
    with pytest.raises(BoardError, match="no pool"):
        offer(dataclasses.replace(GAME, rules=tmp_path))


def test_a_pool_of_what_is_not_there(tmp_path: Path) -> None:
    for part in ("core", "keyforge"):
        shutil.copytree(GAME.rules / part, tmp_path / part)
    (tmp_path / "keyforge" / "search" / "offer.lp").write_text(
        'happening(fall,"{}").\npool_size(1,few,x,1).\npool_card(few,"dust-inp").\npool_event(few,full).\n',
        encoding="utf-8",
    )
    with pytest.raises(BoardError) as error:
        offer(load_game("keyforge", tmp_path))
    said = [f"{problem.message} {problem.hint}" for problem in error.value.problems]
    assert len(said) == 3
    for part in ("`1, few, x, 1`", "did you mean dust-imp", "event `full`"):
        assert any(part in text for text in said), part


def test_sizes_come_from_the_smallest_up() -> None:
    proposer = Proposer(GAME, ("archimedes", "troll"), ["destroy_all"], 2, most=1)
    sizes = proposer.sizes()
    assert sizes == sorted(sizes)
    proposals: list[Proposal] = list(proposer.boards(2))
    assert {each.abilities for each in proposals} == {2}


@pytest.mark.parametrize("text", ["game: keyforge\n", "\x00\x01", '[{"key": 1}]\n'])
def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BoardError, match="no journal"):
        Journal(path)
    assert path.read_bytes() == text.encode("latin-1")


@pytest.mark.parametrize("place", ["", "missing/journal", "/dev/null"])
def test_a_journal_that_cannot_be_kept(tmp_path: Path, place: str) -> None:
    with pytest.raises(BoardError, match="cannot be kept"):
        Journal(tmp_path / place)


@pytest.mark.parametrize("result", ["text", {}, {"rows": []}, {"rows": ["text"]}, {"rows": [{"raised": []}]}])
def test_what_a_journal_says_otherwise_is_done_again(tmp_path: Path, result: object) -> None:
    path, job = tmp_path / "journal", {"boards": ["a board"]}
    path.write_text(json.dumps({"key": Journal(None).key(job), "result": result}), encoding="utf-8")
    journal = Journal(path, fits=fits)
    assert journal.find(job) is None
    journal.note(job, {"rows": [row_of_a_failure("late")]})
    journal.close()
    assert Journal(path, fits=fits).find(job) == {"rows": [row_of_a_failure("late")]}


def test_what_comes_out_is_written_for_each_answer_that_is_open(tmp_path: Path) -> None:
    """An answer that one side rules out is left away."""
    cell = {"orders": "1", "outcomes": ["A"]}
    rows = [
        {"when": {"cascade": answer}, "sides": {"2019-09": cell, "17.4": cell if answer == "pooled" else None}}
        for answer in ("pooled", "nested_discard")
    ]
    sides = [{"name": name} for name in ("2019-09", "17.4")]
    compared = {"sides": sides, "rows": rows, "outcomes": [{"id": "A", "state": {"P1": {"discard": ["Troll"]}}}]}
    text = "game: keyforge\nactive: P1\nplayers: {P1: {battleline: [Troll]}, P2: {}}\nevent: {destroy: [Troll]}\n"
    target = Target("keyforge", editions=("2019-09", "17.4"))
    path = tmp_path / "board.yaml"
    path.write_text(told._file(target, Proposal(("troll",), "destroy_one", 1, 0, 0, text), "Why.", compared, False))
    assert path.read_text().count("- {when: {edition: ") == 3
    assert main(["verify", str(path)]) == 0
