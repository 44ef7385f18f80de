"""The trigger graph keeps its promise on random boards of both games, and says what the boards are known to do."""

from __future__ import annotations

import json
import os
import shutil
import xml.etree.ElementTree
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import networkx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import Json, board_of, deathbeds, layouts

import lastrites
from lastrites import cli, drawings
from lastrites.count import View
from lastrites.pairs import bearer
from lastrites.resolution import Resolution
from lastrites.terms import Term
from lastrites.triggers import COMMUTE, TriggerGraph

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
GROGGINS = FIXTURES / "keyforge" / "groggins-fights-dust-imp-with-soulkeeper.yaml"
BOARDS = int(os.environ.get("LASTRITES_RANDOM_BOARDS", "5"))
"""Random boards of each game on which the promise is tested; more for a long test."""

bounded = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


def resolved(name: str, **more: Any) -> Resolution:
    return lastrites.resolve(lastrites.load(FIXTURES / f"{name}.yaml"), **more)


@lru_cache
def graph_of(name: str) -> TriggerGraph:
    return resolved(name).triggers


def edges(graph: TriggerGraph, real: bool | None = True) -> set[tuple[str, str, str]]:
    return {(a, b, data["kind"]) for a, b, data in graph.edges(data=True) if data["real"] is real}


# ---- the promise


class Plain:
    """The order of two abilities as anybody would look at it: pick one, then the other as soon as that is possible.

    Then it goes on to the ends. It knows only the graph of states, and which decision picks which ability.
    """

    MOST = 4_000

    def __init__(self, resolution: Resolution, picks: dict[Term, Term]) -> None:
        self.graph = resolution.graph
        self.picks = picks
        self.answered = 0
        for bit in (1 << place for place in range(max(node.state for node in self.graph.nodes).bit_length())):
            if any(fluent.name == "answered" for fluent in self.graph.fluents.terms(bit)):
                self.answered |= bit

    def picked(self, view: View, node: int) -> dict[Term, list[int]]:
        found: dict[Term, list[int]] = {}
        for number, target in view.edges(node):
            instance = self.picks.get(self.graph.nodes[node].options[number].term)
            if instance is not None:
                found.setdefault(instance, []).append(target)
        return found

    def ends(self, view: View, node: int, first: Term, second: Term) -> Counter[int] | None:
        """Ends with their numbers of ways; None if there are too many steps."""
        ends: Counter[int] = Counter()
        front = Counter((target, False) for target in self.picked(view, node)[first])
        steps = 0
        while front:
            now, front = front, Counter()
            for (here, done), ways in now.items():
                steps += 1
                if steps > self.MOST:
                    return None
                forced = [] if done else self.picked(view, here).get(second, [])
                targets = forced or [target for _, target in view.edges(here)]
                for target in targets:
                    front[target, done or bool(forced)] += ways
                if not targets:
                    ends[self.graph.nodes[here].state & ~self.answered] += ways
        return ends


def check(layout: Json) -> None:
    """Two abilities between which footprints see nothing commute wherever both can be picked, looked at in two ways."""
    resolution = lastrites.resolve(board_of(layout), limits=lastrites.Limits(states=400))
    if not resolution.complete or resolution.refused or resolution.loops:
        return
    graph = resolution.triggers
    footprints = graph.footprints
    assert footprints is not None
    names = {(data["card"], data["source"], data["number"]): node for node, data in graph.nodes(data=True)}
    plain = Plain(resolution, footprints.picks)
    left = 60

    def name(instance: Term) -> str:
        card, printed = bearer(instance).args
        assert isinstance(printed, Term)
        return names[str(card), str(printed.args[0]), printed.args[1]]

    for view in resolution.views:
        for node in view.order:
            instances = [each for each in plain.picked(view, node) if bearer(each).args]
            for place, first in enumerate(instances):
                for second in instances[place + 1 :]:
                    if graph.has_edge(name(first), name(second), COMMUTE) or graph.has_edge(
                        name(second), name(first), COMMUTE
                    ):
                        continue
                    left -= 1
                    if left < 0:
                        return
                    forth = plain.ends(view, node, first, second)
                    assert forth is None or forth == plain.ends(view, node, second, first), (first, second)
    for _, _, data in graph.edges(data=True):
        # What the states show was seen coming. Replacements of one event are never taken to commute.
        assert data["kind"] != COMMUTE or data["fluents"] or not data["real"] or footprints.unordered


@settings(bounded, max_examples=BOARDS)
@given(layouts())
def test_abilities_without_an_edge_commute(layout: Json) -> None:
    check(layout)


@settings(bounded, max_examples=BOARDS)
@given(deathbeds())
def test_abilities_without_an_edge_commute_in_riftbound(layout: Json) -> None:
    check(layout)


def test_the_plain_look_sees_an_order_that_matters() -> None:
    resolution = resolved("keyforge/soleft-and-burnished-nickles", readings={"cascade": "nested"})
    footprints = graph_of("keyforge/soleft-and-burnished-nickles").footprints
    assert footprints is not None
    plain = Plain(resolution, footprints.picks)
    (view,) = resolution.views
    node = next(node for node in view.order if len(plain.picked(view, node)) == 2)
    first, second = plain.picked(view, node)
    assert plain.ends(view, node, first, second) != plain.ends(view, node, second, first)


@pytest.mark.parametrize("name", ["keyforge/soleft-and-burnished-nickles", "riftbound/two-triggers-of-each-player"])
def test_what_follows_from_a_state_is_what_the_rules_say(name: str) -> None:
    """Where every fluent is given, unit propagation finds what the solver finds: options, and what they change."""
    resolution = resolved(name)
    footprints = graph_of(name).footprints
    assert footprints is not None
    fluents = resolution.graph.fluents
    for node in resolution.graph.nodes:
        here = fluents.terms(node.state)
        truth = footprints.at(here)
        options = {term.args[1] for term in truth if term.name == "option"}
        assert options == {option.term for option in node.options}
        for option in node.options:
            after = fluents.terms(option.after(node.state))
            added = {term.args[2] for term in truth if term.name == "add" and term.args[1] == option.term}
            ended = {term.args[2] for term in truth if term.name == "del" and term.args[1] == option.term}
            assert (here - ended) | added == after


# ---- boards whose answer is known


def test_the_board_of_the_rulebook() -> None:
    graph = graph_of("keyforge/groggins-fights-dust-imp-with-soulkeeper")
    assert edges(graph) == {
        ("event", "Dust Imp/1", "trigger"),
        ("event", "Dust Imp/Soulkeeper/2", "trigger"),
        ("Dust Imp/Soulkeeper/2", "Groggins/Phoenix Heart/2", "trigger"),
    }
    assert graph.nodes["Dust Imp/Soulkeeper/2"]["source"] == "Soulkeeper"
    assert graph.nodes["Dust Imp/Soulkeeper/2"]["controller"] == "Janelle"
    assert graph.nodes["Dust Imp/1"]["text"] == "Destroyed: gain 2"
    assert graph.groups == [["Dust Imp/1"], ["Dust Imp/Soulkeeper/2", "Groggins/Phoenix Heart/2"]]
    assert graph.cycles == []
    assert isinstance(graph, networkx.MultiDiGraph)


def test_what_could_be_and_never_matters_is_kept_apart() -> None:
    graph = graph_of("keyforge/groggins-fights-dust-imp-with-soulkeeper")
    assert ("Groggins/Phoenix Heart/2", "Dust Imp/1", "trigger") in edges(graph, real=False)
    assert not edges(graph, real=None)


def test_gaining_and_stealing() -> None:
    """Whoever steals first finds less; what two only gain they gain in any order."""
    graph = graph_of("keyforge/entangled-4")
    order = {(pair["first"], pair["second"]): pair["order"] for pair in graph.pairs}
    assert order["Dust Imp/1", "Sacro-Fiend/1"] == "matters"
    assert order["Dust Imp/1", "Grenade Snib/1"] == "never matters"
    assert not graph.has_edge("Dust Imp/1", "Grenade Snib/1", COMMUTE)
    example = next(p["example"] for p in graph.pairs if (p["first"], p["second"]) == ("Dust Imp/1", "Sacro-Fiend/1"))
    assert example["first_then_second"] != example["second_then_first"]
    assert graph["Dust Imp/1"]["Sacro-Fiend/1"][COMMUTE]["fluents"] == ['num(pool("P1"))']


def test_a_returning_creature_takes_away_its_own_abilities() -> None:
    graph = graph_of("keyforge/dust-imp-with-biomatrix-backup-gains-only-if-it-gains-first")
    (leaves,) = [node for node, card in graph.nodes(data="card") if card == "Dust Imp" and node != "Dust Imp/1"]
    assert (leaves, "Dust Imp/1", "remove") in edges(graph)
    assert graph[leaves]["Dust Imp/1"]["remove"]["clauses"]
    (upgrade,) = [node for node, kind in graph.nodes(data="kind") if kind == "idle"]
    assert graph.nodes[upgrade]["card"] == "Biomatrix Backup"
    assert not graph.degree(upgrade)


def test_riftbound_draws_of_one_player_never_matter() -> None:
    graph = graph_of("riftbound/two-triggers-of-each-player")
    orders = Counter(pair["order"] for pair in graph.pairs)
    assert orders == {"never matters": 2, "never together": 4}
    assert {kind for _, _, kind in edges(graph)} == {"trigger"}


def test_what_may_go_round_for_ever_is_found() -> None:
    graph = TriggerGraph()
    for node in "abc":
        graph.add_node(node, kind="ability")
    for source, target, real in (("a", "b", True), ("b", "a", None), ("c", "c", False)):
        graph.add_edge(source, target, key="trigger", kind="trigger", real=real)
    assert graph.cycles == [["a", "b"]]


def test_a_run_that_is_cut_short_leaves_everything_possible() -> None:
    whole = graph_of("keyforge/entangled-4")
    part = resolved("keyforge/entangled-4", limits=lastrites.Limits(states=3)).triggers
    assert not part.graph["complete"]
    assert not edges(part, real=False)
    possible = {(a, b, key) for a, b, key in part.edges(keys=True)}
    assert {(a, b, kind) for a, b, kind in edges(whole)} <= possible
    assert {pair["order"] for pair in part.pairs} <= {"unknown", "never matters"}


def test_footprints_alone_know_that_returning_creatures_do_not_meet() -> None:
    """Before any state has shown it: each Bad Penny touches nothing but herself."""
    pennies = ["Bad Penny#1", "Bad Penny#2", "Bad Penny#3"]
    board = board_of(
        {
            "game": "keyforge",
            "active": "P1",
            "players": {"P1": {"battleline": ["Bad Penny"] * 3}, "P2": {"battleline": ["Troll"]}},
            "event": {"destroy": pennies},
        }
    )
    graph = lastrites.resolve(board, limits=lastrites.Limits(states=1)).triggers
    assert not graph.graph["complete"]
    assert {(a, b, kind) for a, b, kind in graph.edges(keys=True) if a != "event"} == set()
    assert [pair["order"] for pair in graph.pairs] == ["never matters"] * 3
    assert len(graph.groups) == 3


# ---- forms

WILD = """\
game: keyforge
title: '<script>alert(1)</script> "quoted" \\N ]]> & more'
active: A
players:
  A: {battleline: ['Say "hi" <b> #1; --> ']}
  B<i>: {battleline: [Dust Imp]}
event: {destroy: ['Say "hi" <b> #1; --> ', Dust Imp]}
cards:
  'Say "hi" <b> #1; --> ':
    type: creature
    power: 2
    abilities: [{when: destroyed, steps: [{gain: 1}]}]
"""


@pytest.fixture(scope="module")
def wild() -> dict[str, Any]:
    return lastrites.resolve(lastrites.Board.from_text(WILD)).triggers.to_json()


def test_every_form_is_well_formed_whatever_boards_are_called(wild: dict[str, Any], tmp_path: Path) -> None:
    page = drawings.html(wild)
    assert "<script>" not in page
    assert "<b> #1" not in page
    assert "B&lt;i&gt;" in page
    mermaid = drawings.mermaid(wild)
    for line in mermaid.splitlines():
        if "[" in line:
            assert line.count('"') == 2
            assert "<b>" not in line
    (tmp_path / "g.graphml").write_text(drawings.graphml(wild), encoding="utf-8")
    read = networkx.read_graphml(tmp_path / "g.graphml")
    assert set(read.nodes) == {node["id"] for node in wild["nodes"]}
    xml.etree.ElementTree.fromstring(drawings.plain_svg(wild))
    dot = drawings.dot(wild)
    assert '\\"hi\\"' in dot
    assert "\\\\N" in dot


@pytest.mark.skipif(shutil.which("dot") is None, reason="dot is not installed")
def test_dot_draws_it(wild: dict[str, Any]) -> None:
    drawn = xml.etree.ElementTree.fromstring(drawings.svg(wild))
    told = "".join(drawn.itertext())
    assert 'Say "hi" <b> #1; -->' in told
    assert "<script>alert(1)</script>" in told


@settings(bounded, max_examples=40)
@given(st.text())
def test_any_text_is_escaped(text: str) -> None:
    node = {"id": "x", "kind": "ability", "card": text, "source": text, "text": text, "controller": text, "here": True}
    about = {"board": text, "complete": False, "incomplete_reason": text}
    data = {"graph": about, "nodes": [node], "links": [], "groups": [["x"]], "cycles": [], "pairs": []}
    xml.etree.ElementTree.fromstring(drawings.plain_svg(data))
    xml.etree.ElementTree.fromstring(drawings.graphml(data))
    assert drawings.mermaid(data).count('"') == 2
    (label,) = [line for line in drawings.dot(data).splitlines() if line.startswith("  n0")]
    assert label.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 0


def test_a_graph_shows_itself_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    shown = graph_of("keyforge/groggins-fights-dust-imp-with-soulkeeper")._repr_html_()
    assert "<svg" in shown
    assert "Soulkeeper" in shown


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("README.md", "keyforge/groggins-fights-dust-imp-with-soulkeeper"),
        ("README.md", "riftbound/kogmaw-against-a-machine-evangel"),
        ("docs/graph.md", "keyforge/soleft-and-burnished-nickles"),
    ],
)
def test_the_pictures_on_pages(page: str, name: str) -> None:
    text = (FIXTURES.parent / page).read_text(encoding="utf-8")
    assert name.rpartition("/")[2] in text
    assert f"```mermaid\n{drawings.mermaid(graph_of(name).to_json())}```\n" in text


# ---- the command


def run(*arguments: object) -> int:
    return cli.main(["graph", *map(str, arguments)])


def test_the_command_tells_it_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(GROGGINS) == 0
    out = capsys.readouterr().out
    assert "2 triggers 3" in out
    assert "never matters: 1-2" in out
    assert "  1 | 2 3\n" in out


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The command finds what is known of Groggins's board without working it out again."""
    graph = graph_of("keyforge/groggins-fights-dust-imp-with-soulkeeper")
    data = {**graph.to_json(), "refused": [], "complete": True}
    monkeypatch.setattr("lastrites.jobs.graph", lambda emit, request: emit("result", data))
    return data


@pytest.mark.parametrize("ending", [".dot", ".mmd", ".graphml", ".json", ".html"])
def test_the_command_writes_every_form(
    ending: str, tmp_path: Path, known: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"graph{ending}"
    assert run(GROGGINS, "-o", path) == 0
    assert "Soulkeeper" in path.read_text(encoding="utf-8")
    out, err = capsys.readouterr()
    assert out == ""
    assert str(path) in err


def test_networkx_reads_the_json(known: dict[str, Any]) -> None:
    text = networkx.node_link_graph.__doc__ or ""
    links = {"edges": "links"} if "edges :" in text else {"link": "links"}
    made = networkx.node_link_graph(json.loads(json.dumps(known)), **links)
    assert set(made.edges(keys=True)) == {(each["source"], each["target"], each["key"]) for each in known["links"]}


def test_without_dot_the_message_says_what_to_do(
    tmp_path: Path, known: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert run(GROGGINS, "-o", tmp_path / "g.svg") == 2
    err = capsys.readouterr().err
    assert "LR-E038" in err
    assert "Graphviz" in err
    assert ".html" in err
    assert not (tmp_path / "g.svg").exists()


def test_an_unknown_ending_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(GROGGINS, "-o", tmp_path / "g.bmp") == 2
    assert ".graphml" in capsys.readouterr().err


def test_boards_with_nothing_to_show(capsys: pytest.CaptureFixture[str]) -> None:
    refused = FIXTURES / "keyforge" / "refused-groggins-attacks-flank-creatures-only.yaml"
    assert run(refused) == 1
    assert "refused" in capsys.readouterr().out
    assert run(FIXTURES / "riftbound" / "a-banished-sentry-draws-nothing.yaml") == 0
    assert "No ability" in capsys.readouterr().out


def test_limits(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(FIXTURES / "keyforge" / "entangled-4.yaml", "--limit-states", "3", "--json") == 3
    data = json.loads(capsys.readouterr().out)
    assert data["graph"]["incomplete_reason"] == "the limit of 3 states was reached"
    assert data["links"]
    assert run(FIXTURES / "keyforge" / "entangled-4.yaml", "--timeout", "0.001") == 3
    out = capsys.readouterr().out
    assert "incomplete: the time limit of 0.001 s was reached" in out
    assert "No ability" not in out
