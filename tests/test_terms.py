"""Terms are printed so that clingo and our own reader of facts read them back."""

from __future__ import annotations

import clingo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastrites.factparse import parse_facts
from lastrites.solver import symbol, value
from lastrites.terms import Term, Value, fn, order, text

NAME = st.sampled_from(["f", "card", "_x", "a1", "after_destroyed"])
# Names of cards come from text files: neither NUL nor lone surrogates get that far.
STRING = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]))
VALUE = st.recursive(
    st.integers(0, 999) | STRING | NAME.map(Term),
    lambda inner: st.builds(lambda name, args: Term(name, tuple(args)), NAME, st.lists(inner, min_size=1, max_size=3)),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("term", "printed"),
    [
        (fn("left"), "left"),
        (fn("zone", "Dust Imp", "Ann", fn("hand")), 'zone("Dust Imp","Ann",hand)'),
        (fn("card", 'a "b" \\ c\nd'), 'card("a \\"b\\" \\\\ c\\nd")'),
        (fn("", 1, fn("a")), "(1,a)"),
        (fn("", 1), "(1,)"),
        (fn("f", -3), "f(-3)"),
    ],
)
def test_syntax(term: Term, printed: str) -> None:
    assert str(term) == printed
    assert value(clingo.parse_term(printed)) == term


@given(VALUE)
def test_printed_terms_are_read_back(item: Value) -> None:
    fact = fn("fact", item)
    assert [term for term, _, _ in parse_facts(f"{fact}.")] == [fact]
    assert value(symbol(fact)) == fact
    assert value(clingo.parse_term(str(fact))) == fact


@given(st.lists(VALUE))
def test_any_values_can_be_ordered(items: list[Value]) -> None:
    ordered = sorted(items, key=order)
    ordered.reverse()
    assert sorted(ordered, key=order) == ordered[::-1]
    assert sorted(map(text, ordered)) == sorted(map(text, items))
