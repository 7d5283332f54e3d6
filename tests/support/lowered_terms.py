"""Terms over state variables, their bits, and their values in one state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.concrete import Concrete
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.expressions import wrap
from verifier.encodings.layout import Layout
from verifier.encodings.lowering import Lowering
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Operator, Symbol, Term


def variables(sorts: Iterable[Sort], prefix: str = "x") -> tuple[list[Symbol], list[Any]]:
    """Variables of the sorts, and the expressions that they are."""
    symbols = [Symbol(f"{prefix}{number}", sort) for number, sort in enumerate(sorts)]
    return symbols, [wrap(Term(Operator.VARIABLE, symbol.sort, (), symbol)) for symbol in symbols]


def layout_of(symbols: Iterable[Symbol], **more: Sort) -> Layout:
    return Layout({**{symbol.name: symbol.sort for symbol in symbols}, **more})


def lower_over(layout: Layout, symbols: Iterable[Symbol], term: Term) -> Any:
    return Lowering({symbol: layout.lowered[symbol.name] for symbol in symbols}).lower(term, {})


def bits_of(sort: Sort, lowered: Any) -> list[FNode]:
    """The bits by which a variable of the sort would hold a lowered value."""
    return Layout({"x": sort}).encode({"x": lowered})


def code_of(sort: Sort, value: Concrete) -> list[bool]:
    """The bits by which a variable of the sort holds a concrete value."""
    return Layout({"x": sort}).encode_state({"x": value})


def evaluate_closed(value: Any, state: dict[str, Any], symbols: Iterable[Symbol]) -> Any:
    """A closed formula or integer, in a state of the variables."""
    symbols = list(symbols)
    layout = layout_of(symbols)
    bits = bits_of(value.sort, lower_over(layout, symbols, value.term))
    result = Evaluator(layout.bits, bits).single(layout.encode_state(state))
    return Layout({"x": value.sort}).decode_state(result)["x"]
