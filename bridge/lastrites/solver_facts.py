"""Reading facts from rule files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import clingo

from lastrites.terms import Term, Value


def _value(symbol: clingo.Symbol) -> Value:
    if symbol.type == clingo.SymbolType.Function:
        return Term(symbol.name, tuple(_value(argument) for argument in symbol.arguments))
    if symbol.type == clingo.SymbolType.Number:
        return symbol.number
    return symbol.string


def read_facts(files: Sequence[Path], text: str = "") -> list[Term]:
    """All atoms of the one stable model of the files and the text.

    Raises RuntimeError when clingo cannot read them or they have not exactly one stable model.
    """
    control = clingo.Control(["--warn=none", "2"], message_limit=20)
    for file in files:
        control.load(str(file))
    if text:
        control.add("base", [], text)
    control.ground([("base", [])])
    models: list[list[Term]] = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            atoms = (_value(symbol) for symbol in model.symbols(atoms=True))
            models.append([atom for atom in atoms if isinstance(atom, Term)])
    if len(models) != 1:
        raise RuntimeError(f"expected one stable model, found {len(models)}")
    return models[0]
