"""An operator on all values of its arguments, compared with what Python makes of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from verifier.encodings.bits import TRUE
from verifier.encodings.definedness import Definedness
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.expressions import term_of, wrap
from verifier.encodings.fitting import outside
from verifier.encodings.layout import Layout
from verifier.encodings.lowered import equal
from verifier.encodings.lowering import Lowering
from verifier.encodings.plain_terms import Reader, Undefined, plain
from verifier.encodings.printing import text
from verifier.encodings.sorts import Boolean, Sort
from verifier.encodings.terms import Operator, Symbol, Term


def read(value: Any) -> Any:
    """Raises LookupError if there is no value."""
    if value is None:
        raise LookupError
    return value


def positive(divisor: int) -> int:
    return divisor if divisor > 0 else int(read(None))


def cut(items: tuple[Any, ...], first: int, end: int) -> tuple[Any, ...]:
    return items[first:end] if 0 <= first <= end <= len(items) else tuple(read(None))


def at(items: tuple[Any, ...], index: int) -> Any:
    return items[index] if 0 <= index < len(items) else read(None)


def put(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    at(items, index)
    return (*items[:index], item, *items[index + 1 :])


Row = tuple[str, tuple[Sort, ...], Callable[..., Any], Callable[..., Any]]
"""A name, the sorts of the arguments, the operator, and the same in Python."""


def check_on_all_values(row: Row) -> None:
    """Check that the lowering, the naive reading and Python agree on the value, and on where it is
    undefined."""
    _, sorts, build, oracle = row
    symbols = [Symbol(f"x{place}", sort) for place, sort in enumerate(sorts)]
    term = term_of(build(*(wrap(Term(Operator.VARIABLE, s.sort, (), s)) for s in symbols)))
    assert text(term)
    states = list(product(*(list(sort.values()) for sort in sorts)))
    expected = [_value(oracle, state) for state in states]
    layout = Layout({symbol.name: symbol.sort for symbol in symbols} | {"expected": term.sort})
    lowering = Lowering({symbol: layout.lowered[symbol.name] for symbol in symbols})
    lowered = lowering.lower(term, {})
    outputs = [
        Definedness(lowering).of(term),
        outside(term.sort, lowered),
        equal(lowered, layout.lowered["expected"]),
        lowering.formula(term) if isinstance(term.sort, Boolean) else TRUE,
    ]
    evaluate, read_naively = Evaluator(layout.bits, outputs), Reader()(term)
    for state, value in zip(states, expected, strict=True):
        naive = _value(read_naively, (dict(zip(symbols, map(plain, state), strict=True)),))
        names = {symbol.name: item for symbol, item in zip(symbols, state, strict=True)}
        if value is _NO_VALUE:
            assert naive is _NO_VALUE
            bits = layout.encode_state({**names, "expected": term.sort.default})
            is_defined, is_outside, _, holds = evaluate.single(bits)
            assert not is_defined
            assert is_outside or (isinstance(term.sort, Boolean) and not holds)
            continue
        assert naive == plain(value), state
        if term.sort.size <= 5000:
            assert term.sort.contains(value), (state, value)
        bits = layout.encode_state({**names, "expected": value})
        is_defined, is_outside, is_equal, _ = evaluate.single(bits)
        assert (is_defined, is_outside, is_equal) == (True, False, True), (state, value)


_NO_VALUE = object()


def _value(compute: Callable[..., Any], state: tuple[Any, ...]) -> Any:
    try:
        value = compute(*state)
    except (LookupError, Undefined):
        return _NO_VALUE
    return frozenset(value) if isinstance(value, set) else value
