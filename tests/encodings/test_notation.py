"""Plain Python values are understood, mistakes are named, and every operator prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.collection_operations import OPERATIONS
from tests.support.lowered_terms import evaluate_closed, variables
from verifier.encodings.concrete import Concrete, FrozenMap
from verifier.encodings.expressions import BOOLEAN, coerce, constant, literal, record, some
from verifier.encodings.printing import text
from verifier.encodings.sorts import (
    Bag,
    Enum,
    Function,
    Option,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    SortError,
)
from verifier.encodings.terms import Operator

# Notation

COLOUR = Enum("colour", ("red", "green"))
PAIR = Record(colour=COLOUR, items=Set(Range(0, 2)))


@pytest.mark.parametrize(
    ("sort", "written", "expected"),
    [
        (PAIR, {"colour": "red", "items": {1}}, FrozenMap({"colour": "red", "items": frozenset({1})})),
        (Option(PAIR), None, None),
        (Sequence(COLOUR, 3), ["red", "green"], ("red", "green")),
        (Set(COLOUR), {"red"}, frozenset({"red"})),
        (Set(Sequence(COLOUR, 1)), {()}, frozenset({()})),
        (Function(COLOUR, BOOLEAN), {"red": True, "green": False}, FrozenMap({"red": True, "green": False})),
        (Bag(COLOUR, 2), {"red": 2}, FrozenMap({"red": 2})),
    ],
    ids=str,
)
def test_plain_python_values_are_understood(sort: Sort, written: Any, expected: Concrete) -> None:
    assert constant(sort, written) == expected
    (symbol,), (variable,) = variables([sort])
    assert evaluate_closed(variable == written, {"x0": expected}, [symbol]) is True
    assert evaluate_closed(coerce(written, sort) == variable, {"x0": expected}, [symbol]) is True


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: literal(Range(0, 2), 3), "3 is not a value of 0..2"),
        (lambda: constant(Set(Range(0, 2)), {}), "{} is not a value of Set(0..2): the empty set is set()"),
        (lambda: coerce("blue", COLOUR), "'blue' is not a value of colour"),
        (lambda: coerce(True, Range(0, 2)), "True is not a value of 0..2"),
        (
            lambda: coerce(literal(COLOUR, "red"), Range(0, 1)),
            "values of colour and of 0..1 do not go together",
        ),
        (lambda: literal(Range(0, 2), 1) + "one", "an integer is needed here, not 'one'"),  # type: ignore[operator]
        (lambda: record(PAIR, colour="red"), "a record is given all its fields: items of"),
        (lambda: some(literal(Option(COLOUR), None)), "an option of an option"),
        (lambda: bool(literal(COLOUR, "red") == "red"), "a formula has no truth value"),
        (lambda: constant(PAIR, {"colour": "red"}), "is not a value of Record"),
        (lambda: Enum("none", ()), "needs distinct members"),
    ],
)
def test_mistakes_are_named(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(SortError) as raised:
        mistake()
    assert message in str(raised.value)


@settings(max_examples=3, deadline=None)
@given(st.tuples(*(operation.shape for operation in OPERATIONS)))
def test_every_operator_prints(shapes: tuple[tuple[Sort, ...], ...]) -> None:
    printed = {}
    for operation, sorts in zip(OPERATIONS, shapes, strict=True):
        term = operation.build(*variables(sorts)[1]).term
        printed.update({part.operator: text(part) for part in term.walk()})
    missing = set(Operator) - printed.keys()
    assert not missing
    assert all(printed.values())
