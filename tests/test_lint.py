"""The style of rules: what the check finds, and that our rules pass it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lastrites import lint, lptext
from lastrites.lptext import Signature

RULES = Path(__file__).resolve().parents[1] / "rules"

GOOD = '''% @clause(g.tag) A card that is destroyed
%   is tagged.
clause("g.tag",rule). source("g.tag","Book, \\"Tag\\"","2020-01").
paraphrase("g.tag","A card that is destroyed is tagged.").
tagged(S,C) :- hit(S,C), in_force("g.tag"). % why
'''

CORE = """%*! in_force(Clause)

The clause is read.
*%
in_force(Id) :- clause(Id,_).

%*! hit(S,C)

C is hit in S.
*%
#defined hit/2.
%*! clause(Id,Kind)
*%
#defined clause/2.
"""


def folder(tmp_path: Path, rules: str, core: str = CORE) -> Path:
    for name, text in (("core/core.lp", core), ("g/rules.lp", rules)):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def complaints(tmp_path: Path, rules: str, core: str = CORE) -> list[str]:
    return [complaint.text for complaint in lint.check(folder(tmp_path, rules, core))]


def test_the_rules_of_this_repository_are_in_order() -> None:
    assert [str(complaint) for complaint in lint.check(RULES)] == []


def test_good_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint.main([str(folder(tmp_path, GOOD))]) == 0
    assert capsys.readouterr().out == "the rules are in order\n"


def test_where_complaints_point(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint.main([str(folder(tmp_path, GOOD + ":- tagged(_,_).\n"))]) == 1
    assert f"{tmp_path}/g/rules.lp:6: a constraint" in capsys.readouterr().out
    assert lint.main([str(tmp_path / "g")]) == 2
    assert lint.main([]) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("tagged.\n", "tagged twice.\n", "header and paraphrase differ"),
        (",rule)", ",law)", "kind must be one of"),
        ('in_force("g.tag")', "hit(S,C)", 'no rule of the block is switched by in_force("g.tag")'),
        (",rule)", ",consequence)", 'no rule of the block is switched by against("g.tag")'),
        ('clause("g.tag",rule). ', "", "the block has no fact clause"),
        ('source("g.tag","Book, \\"Tag\\"","2020-01").', "", "the block has no fact source"),
        ('source("g.tag","Book', 'source("g.other","Book', "a fact source of g.other"),
        ('paraphrase("g.tag"', 'clause("g.tag",rule). paraphrase("g.tag"', "a second fact clause"),
        ("% @clause(g.tag)", "% @clause g.tag", "malformed header"),
        ("% why", "% why\n" + GOOD, "g.tag is also at"),
        ("% why", "\n% @part(x) Else.\nclause(\"g.two\",rule).", "outside its block"),
        ("% why", "#show tagged/2.", "#show outside core/modes"),
        ("% why", '#include "x.lp".', "#include"),
        ("% why", "unheard(S) :- tagged(S,C), not unknown(C).", "unknown/1 comes from elsewhere"),
        ("% why", "unheard(S) :- tagged(S,C), not unknown(C).", "atom does not occur in any rule head"),
        ("% why", "unsafe(X).", "unsafe"),
    ],
)
def test_what_is_found(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    found = complaints(tmp_path, GOOD.replace(old, new, 1))
    assert any(said in text for text in found), found


def test_an_undefined_predicate_is_fine_if_it_is_documented(tmp_path: Path) -> None:
    text = GOOD + "seen(S) :- tagged(S,C), known(C).\n\n%*! known(C)\n\nA card.\n*%\n"
    assert complaints(tmp_path, text) == []


# ---- reading rules as text


@pytest.mark.parametrize(
    ("text", "defined", "used"),
    [
        ("p(a).", [("p", 1)], []),
        ("p.", [("p", 0)], []),
        ("p(X,(Y,Z)) :- q(f(X),Y), not r(Z), X < Y, s.", [("p", 2)], [("q", 2), ("r", 1), ("s", 0)]),
        ("p(1..3). ", [("p", 1)], []),
        ("p(a;b,c).", [("p", 1)], []),
        ("{ do(T,D) : option(T,D) } = 1 :- opted(T), T < n.", [("do", 2)], [("option", 2), ("opted", 1)]),
        (
            "v(V) :- value(V), V-M = #sum { N,C : change(N,C), not k(C) }.",
            [("v", 1)],
            [("value", 1), ("change", 2), ("k", 1)],
        ),
        ("a(X) : b(X), c ; d :- e.", [("a", 1), ("d", 0)], [("b", 1), ("c", 0), ("e", 0)]),
        ("all :- q(X) : r(X); s.", [("all", 0)], [("q", 1), ("r", 1), ("s", 0)]),
        ("#external holds(now,F) : possible(F). [false]", [("holds", 2)], [("possible", 1)]),
        ("#show p/2.", [], [("p", 2)]),
        ("#const n = 3.", [], []),
        ('p("a :- b. % c").', [("p", 1)], []),
        ("-p(X) :- not -q(X).", [("p", 1)], [("q", 1)]),
    ],
)
def test_predicates_of_a_statement(text: str, defined: list[Signature], used: list[Signature]) -> None:
    statement = lptext.statements(text)[0]
    assert lptext.predicates(statement) == (defined, used)


def test_statements_and_comments() -> None:
    text = "% a.\np(1). q :- p(X),\n  X < 2.\n%* over\nlines. *%\nr(\"%\").\n"
    assert [(statement.line, " ".join(statement.text.split())) for statement in lptext.statements(text)] == [
        (2, "p(1)."),
        (2, "q :- p(X), X < 2."),
        (6, 'r("%").'),
    ]


def test_blocks_and_facts() -> None:
    (block,) = lptext.blocks(Path("x.lp"), GOOD)
    assert (block.kind, block.id, block.line) == ("clause", "g.tag", 1)
    assert block.text == "A card that is destroyed is tagged."
    facts = [lptext.fact(statement, "source") for statement in block.statements]
    assert facts == [None, ["g.tag", 'Book, "Tag"', "2020-01"], None, None]


def test_docstrings() -> None:
    text = "%*! p(A,B)\n\nText.\n*%\n%*! q\n*%\n%*! r()\n*%\n"
    assert lptext.documented(text) == {("p", 2), ("q", 0), ("r", 0)}
    assert lptext.declared("#defined p/2. % #defined q/1.\n#defined r/0.") == {("p", 2), ("r", 0)}
