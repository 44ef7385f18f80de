"""The protocol between rules and Python: what must hold of every state, and what happens when it does not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fixture_help import ROOT, disagreements

import lastrites
from lastrites import explore as exploring
from lastrites.count import View, walks
from lastrites.explore import explore
from lastrites.resolution import Resolution
from lastrites.solver import (
    BoundReached,
    GraphRules,
    LayerRules,
    Rulebook,
    RulesError,
    read_facts,
    solve_trace,
    symbol,
    unrolled,
    value,
)  # fmt: skip
from lastrites.terms import Term, fn
from lastrites.trace import bounded

MODES = ROOT / "rules" / "core" / "modes"
CORE = tuple(ROOT / "rules" / "core" / f"{name}.lp" for name in ("protocol", "sums", "frames"))


def book(rules: str, *facts: Term, files: tuple[Path, ...] = CORE, **constants: int) -> Rulebook:
    """A rulebook of a few lines on top of the core."""
    return Rulebook(files, rules, facts, MODES, tuple(sorted(constants.items())))


COIN = """
player("A"). player("B").
init(start).
option(S,flip(X)) :- holds(S,start), side(X).  side(heads;tails).
chooser(S,player("A")) :- holds(S,start).
add(S,flip(X),shows(X)) :- option(S,flip(X)).
del(S,flip(X),start) :- option(S,flip(X)).
final(S) :- holds(S,shows(_)).
"""
PLAIN = (CORE[0],)


@pytest.mark.parametrize("mode", ["graph", "layers"])
def test_a_sound_game(mode: str) -> None:
    graph = explore(book(COIN, files=PLAIN), mode=mode)
    assert [node.final for node in graph.nodes] == [False, True, True]
    assert (graph.nodes[0].kind, graph.nodes[0].who) == ("player", "A")
    assert [str(option.decision) for option in graph.nodes[0].options] == ["flip(heads)", "flip(tails)"]
    assert graph.complete


@pytest.mark.parametrize("mode", ["graph", "layers"])
@pytest.mark.parametrize(
    ("more", "what"),
    [
        ('chooser(S,player("B")) :- holds(S,start).', "two_choosers"),
        ("chooser(S,chance) :- holds(S,start).", "two_choosers"),
        ("final(S) :- holds(S,start).", "final_with_option"),
        ("err(S,odd(X)) :- holds(S,shows(X)).", "odd(heads)"),
    ],
)
def test_what_must_not_be_is_an_error(mode: str, more: str, what: str) -> None:
    with pytest.raises(RulesError, match=what.replace("(", r"\(").replace(")", r"\)")):
        explore(book(COIN + more, files=PLAIN), mode=mode)


@pytest.mark.parametrize("mode", ["graph", "layers"])
def test_two_automatic_options_are_an_error(mode: str) -> None:
    rules = COIN.replace('player("A")) :-', "nobody) :-").replace('chooser(S,player("A"))', "chooser(S,nobody)")
    with pytest.raises(RulesError, match=r"two_automatic\(flip\(heads\),flip\(tails\)\)"):
        explore(book(rules, files=PLAIN), mode=mode)


@pytest.mark.parametrize("mode", ["graph", "layers"])
def test_an_option_without_a_chooser_is_an_error(mode: str) -> None:
    rules = COIN.replace('chooser(S,player("A")) :- holds(S,start).', "")
    with pytest.raises(RulesError, match="no_chooser"):
        explore(book(rules, files=PLAIN), mode=mode)


@pytest.mark.parametrize("reader", [GraphRules, LayerRules])
@pytest.mark.parametrize(
    ("more", "number"),
    [("odd :- not even. even :- not odd. option(S,odd) :- holds(S,start), odd.", "several"), ("odd :- not odd.", "no")],
)
def test_a_state_has_exactly_one_stable_model(reader: type, more: str, number: str) -> None:
    rules = reader(book(COIN + more, files=PLAIN))
    with pytest.raises(RulesError, match=f"has {number} stable models"):
        rules.look_all([rules.initial])


def test_rules_that_cannot_be_read() -> None:
    with pytest.raises(RulesError):
        explore(book("this is no rule", files=PLAIN))
    with pytest.raises(RulesError):
        read_facts([ROOT / "no such file.lp"])
    with pytest.raises(RulesError, match="one stable model"):
        read_facts([], "{ a }.")


# ---- bounds

COUNTER = """
init(start).  counted(heap).
option(S,more) :- number(S,heap,N), N < top.
chooser(S,nobody) :- option(S,more).
change(S,more,heap,step,taken) :- option(S,more).
final(S) :- number(S,heap,N), N >= top.
#const top = 5.  #const step = 1.
"""
SUMS = CORE[:2]


@pytest.mark.parametrize("mode", ["graph", "layers"])
def test_a_number_that_outgrows_its_bound(mode: str) -> None:
    """The bound is doubled until the numbers fit; what was explored before does not count."""
    graph = explore(book(COUNTER, files=SUMS, max_value=3, top=50, step=7), mode=mode)
    assert graph.complete
    assert graph.largest_number() == 56
    assert graph.rulebook.constant("max_value") >= 56
    assert len(graph.nodes) == 9


def test_a_number_that_outgrows_every_bound() -> None:
    rules = """
        init(start). counted(heap).
        option(S,more) :- number(S,heap,_). chooser(S,nobody) :- option(S,more).
        change(S,more,heap,M+1,taken) :- option(S,more), number(S,heap,M).
    """
    graph = explore(book(rules, files=SUMS))
    assert not graph.complete
    assert "beyond" in graph.reason


def test_equal_contributions_add_up() -> None:
    """Two causes of 1 each give 2, and a loss below nothing is an error of range, not of sums."""
    rules = """
        init(start). counted(pool).
        option(S,pay) :- holds(S,start). chooser(S,nobody) :- option(S,pay).
        change(S,pay,pool,1,(a;b)) :- option(S,pay). del(S,pay,start) :- option(S,pay).
        final(S) :- number(S,pool,2).
    """
    graph = explore(book(rules, files=SUMS))
    assert graph.nodes[-1].final
    assert fn("num", fn("pool"), 2) in graph.fluents.terms(graph.nodes[-1].state)


NESTING = """
turn("A",1). player("A"). decides(S,"A") :- state(S).
event(1,dig,"A").
push(S,begin(1,dig),hole(1)) :- option(S,begin(1,dig)).
option(S,deeper) :- acting(S), at_top(S,hole(N)), N < bottom.
chooser(S,nobody) :- option(S,deeper).
push(S,deeper,hole(N+1)) :- option(S,deeper), at_top(S,hole(N)), N < bottom.
option(S,climb) :- acting(S), at_top(S,hole(bottom)).
chooser(S,nobody) :- option(S,climb).
become(S,climb,out) :- option(S,climb).
option(S,up) :- acting(S), at_top(S,out).
chooser(S,nobody) :- option(S,up).
pop(S,up) :- option(S,up).
#const bottom = 9.
"""


@pytest.mark.parametrize("mode", ["graph", "layers"])
def test_frames_that_nest_deeper_than_the_bound(mode: str) -> None:
    graph = explore(book(NESTING, max_depth=3), mode=mode)
    assert graph.complete
    assert graph.deepest_frame() == 10
    assert graph.rulebook.constant("max_depth") >= 10


def test_frames_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deepest nesting that is tried is a bound like the others; here a low one, since each costs a grounding."""
    monkeypatch.setitem(exploring._MOST, "max_depth", 15)
    graph = explore(book(NESTING.replace("bottom = 9", "bottom = 200")))
    assert not graph.complete
    assert "the bound max_depth (15) was reached" in graph.reason


def test_trace_mode_says_when_a_bound_is_too_small() -> None:
    small = book(COUNTER, files=SUMS, top=5, step=1, max_value=6)
    with pytest.raises(BoundReached, match="horizon"):
        solve_trace(small, 3)
    assert len(solve_trace(small, 6)) == 1
    with pytest.raises(BoundReached, match=r"max_value|horizon"):
        solve_trace(small.with_constants(max_value=3), 6)
    with pytest.raises(RulesError, match="odd"):
        solve_trace(book(COIN + "err(S,odd(X)) :- holds(S,shows(X)).", files=PLAIN), 3)


def test_the_unrolled_program_is_the_same_program() -> None:
    """Bounds stand in it, and board facts are written out."""
    text = unrolled(book(COIN, fn("player", 'say "hi"\\n'), files=PLAIN), 4)
    assert "#const horizon = 4." in text
    assert 'player("say \\"hi\\"\\\\n").' in text


def test_values_and_symbols() -> None:
    for term in (fn("f", "a \"b\" \\\\ \n", 3, fn("g", fn("c"))), fn("c"), "text", 7, -1, Term("", (1, "x"))):
        assert value(symbol(term)) == term


# ---- loops, gaps, what nobody explains

@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A folder of rules with the core and one empty game called `toy`."""
    shutil.copytree(ROOT / "rules" / "core", tmp_path / "core")
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "shape.lp").write_text(
        'key(board,1,"game",game). key(board,2,"active",active). key(board,3,"players",players(1,4)).'
        ' key(board,4,"event",event). key(event,1,"go",yes(go)). key(player,1,"coins",number(coins)).'
    )
    (tmp_path / "toy" / "words.lp").write_text("")
    return tmp_path


def resolved(games: Path, rules: str) -> Resolution:
    (games / "toy" / "rules.lp").write_text("counted(coins(P)) :- player(P).\n" + rules)
    text = "game: toy\nactive: A\nplayers: {A: {coins: 1}, B: {}}\nevent: {go: true}\n"
    return lastrites.resolve(lastrites.Board.from_text(text, rules=games))


RING = """
push(S,begin(K,go),at(1)) :- option(S,begin(K,go)).
option(S,round) :- acting(S), at_top(S,at(_)).
option(S,stop)  :- acting(S), at_top(S,at(1)).
chooser(S,player("A")) :- acting(S), at_top(S,at(_)).
become(S,round,at(3-N)) :- option(S,round), at_top(S,at(N)).
pop(S,stop) :- option(S,stop).
change(S,stop,coins("A"),1,found) :- option(S,stop).
"""


def test_a_loop_has_infinitely_many_orders(games: Path) -> None:
    found = resolved(games, RING)
    assert found.order_count == "infinite"
    assert [outcome.orders for outcome in found.outcomes] == ["infinite"]
    assert found.outcomes[0].state["A"] == {"coins": 2}
    assert [[step["decision"] for step in loop["cycle"]] for loop in found.loops] == [["round", "round"]]
    assert found.to_json()["orders"] == "infinite"
    assert len(list(walks(View(found.graph, {})))) == 1
    with pytest.raises(lastrites.BoardError, match="for ever"):
        bounded(found)


def test_a_loop_without_an_exit_has_no_outcome(games: Path) -> None:
    never = "#defined stops/1. option(S,stop) :- acting(S), stops(S)."
    found = resolved(games, RING.replace("option(S,stop)  :- acting(S), at_top(S,at(1)).", never))
    assert found.outcomes == ()
    assert found.loops


def test_a_state_without_an_option_that_is_not_final_is_told(games: Path) -> None:
    found = resolved(games, "push(S,begin(K,go),nowhere) :- option(S,begin(K,go)).")
    assert [stuck["options"] for stuck in found.stuck] == [[]]
    assert found.outcomes == ()


def test_branching_that_nobody_decides_is_told(games: Path) -> None:
    """Two options of which one calls itself automatic are an error; several of chance or a reading are not."""
    rules = """
        push(S,begin(K,go),fork) :- option(S,begin(K,go)).
        option(S,way(1..3)) :- acting(S), at_top(S,fork).
        chooser(S,chance) :- acting(S), at_top(S,fork).
        pop(S,way(N)) :- option(S,way(N)).
        change(S,way(N),coins("A"),N,found) :- option(S,way(N)).
    """
    found = resolved(games, rules)
    assert [outcome.chance for outcome in found.outcomes] == [True] * 3
    assert not found.unexplained
    with pytest.raises(RulesError, match="two_automatic"):
        resolved(games, rules.replace("chance", "nobody"))


def test_a_board_that_asks_for_too_much(games: Path) -> None:
    with pytest.raises(lastrites.BoardError, match="do not support flying"):
        resolved(games, 'unsupported("flying") :- event(_,go,_).')


def test_questions_are_asked_one_at_a_time_and_remembered(games: Path) -> None:
    """Two questions in one state: asked in their order, answered once, counted for each combination of answers."""
    (games / "toy" / "questions.lp").write_text(
        "question(colour,2). answers(colour,(red;blue)). question(size,1). answers(size,(big;small))."
    )
    rules = """
        push(S,begin(K,go),paint) :- option(S,begin(K,go)).
        needs(S,(colour;size)) :- at_top(S,paint).
        option(S,paint(N)) :- acting(S), at_top(S,paint), N = 1..2, reads(S,size,big).
        option(S,paint(1)) :- acting(S), at_top(S,paint), reads(S,size,small).
        chooser(S,player("B")) :- acting(S), at_top(S,paint).
        pop(S,paint(N)) :- option(S,paint(N)).
        change(S,paint(N),coins("B"),N,paid) :- option(S,paint(N)), reads(S,colour,red).
    """
    found = resolved(games, rules)
    assert [sorted(assignment.when) for assignment in found.assignments] == [["colour", "size"]] * 4
    counts = {(one.when["size"], one.when["colour"]): one.orders for one in found.assignments}
    assert counts == {("big", "red"): 2, ("big", "blue"): 2, ("small", "red"): 1, ("small", "blue"): 1}
    assert found.order_count is None
    assert found.questions == {"size": ["big", "small"], "colour": ["blue", "red"]}
    assert [node.who for node in found.graph.nodes if node.kind == "reading"] == ["size", "colour", "colour"]
    assert not disagreements(found)
