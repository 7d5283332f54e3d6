"""Every operation on values agrees with Python's own sets, dicts and tuples.

``OPERATIONS`` is the table: what the operands are, how a protocol writes the operation, and what
Python says it gives. Each entry is tried on random sorts and values in three ways: on constants, which
must fold to the result; on state variables, through the compiled evaluator; and through a solver.
``carriers`` are the ways for an operand to reach its operation: as a variable, or out of a larger
value, where there may be none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pysmt.shortcuts import Solver

from tests.support.collection_operations import OPERATIONS
from tests.support.lowered_terms import bits_of, code_of, layout_of, lower_over, variables
from tests.support.operations import NO_VALUE, Operation, first_in, item_at, value_of_option, value_or_none_of
from tests.support.sort_strategies import MOST_BITS, random_value
from verifier.encodings.bits import FALSE, TRUE, conjunction, equivalence, negation
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.expressions import BOOLEAN, literal
from verifier.encodings.fitting import outside
from verifier.encodings.lowered import equal
from verifier.encodings.lowering import Lowering
from verifier.encodings.quantifiers import choose, if_
from verifier.encodings.sorts import Boolean, Function, Option, Range, Record, Sequence, Set, Sort
from verifier.encodings.terms import Symbol
from verifier.system import size

each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)

# The ways in which an operand reaches its operation


@dataclass(frozen=True)
class Carrier:
    """Takes a value of a sort out of variables of other sorts."""

    sorts: tuple[Sort, ...]
    build: Callable[..., Any]
    oracle: Callable[..., Any]


TWO = Range(0, 1)


def carriers(sort: Sort) -> list[Carrier]:
    """The ways to a value of the sort; some have none in some states."""
    default = sort.default
    ways = [
        Carrier(
            (Range(0, 2),),
            lambda key: literal(Function(TWO, sort), FrozenMap([(0, default), (1, default)]))[key],
            lambda key: [default, default][key],
        ),
        Carrier((sort,), lambda x: x, lambda x: x),
        Carrier((BOOLEAN, sort, sort), if_, lambda condition, x, y: x if condition else y),
        Carrier((Record(only=sort),), lambda r: r.only, lambda r: r["only"]),
        Carrier((Function(TWO, sort), TWO), lambda f, key: f[key], lambda f, key: f[key]),
        Carrier(
            (Function(TWO, sort), TWO, sort),
            lambda f, key, x: f.updated(key, x)[0],
            lambda f, key, x: f.updated(key, x)[0],
        ),
        Carrier((Sequence(sort, 1), sort), lambda s, x: s.append(x).last, lambda s, x: x),
        Carrier((Sequence(sort, 2), TWO), lambda s, index: s[index], item_at),
        Carrier((Sequence(sort, 2),), lambda s: s.truncate(1).last, lambda s: s[0]),
    ]
    if not isinstance(sort, Option):
        ways.append(Carrier((Option(sort),), lambda o: o.value, value_of_option))
    if sort.size <= 6:
        ways.append(Carrier((Set(sort),), lambda s: choose(s, s.contains), lambda s: first_in(sort, s)))
    return ways


# Every operation in three ways


@each_operation
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_constants_fold(operation: Operation, data: st.DataObject) -> None:
    _constants_fold(operation, data)


@pytest.mark.slow
@each_operation
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_constants_fold_in_more_examples(operation: Operation, data: st.DataObject) -> None:
    _constants_fold(operation, data)


def _constants_fold(operation: Operation, data: st.DataObject) -> None:
    sorts = data.draw(operation.shape)
    source = Random(data.draw(st.integers(0, 2**32)))
    for _ in range(4):
        operands = [random_value(source, sort) for sort in sorts]
        literals = (literal(sort, value) for sort, value in zip(sorts, operands, strict=True))
        term = operation.build(*literals).term
        assume(size.bits_of(term.sort) <= MOST_BITS)
        lowered = Lowering({}).lower(term, {})
        expected = operation.expect(sorts, operands)
        if expected is NO_VALUE:
            assert outside(term.sort, lowered) is TRUE
        else:
            assert outside(term.sort, lowered) is FALSE
            bits = code_of(term.sort, expected)
            assert bits_of(term.sort, lowered) == [TRUE if value else FALSE for value in bits]


@each_operation
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_variables_evaluate(operation: Operation, data: st.DataObject) -> None:
    _variables_evaluate(operation, data)


@pytest.mark.slow
@each_operation
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_variables_evaluate_in_more_examples(operation: Operation, data: st.DataObject) -> None:
    _variables_evaluate(operation, data)


def _variables_evaluate(operation: Operation, data: st.DataObject) -> None:
    sorts = data.draw(operation.shape)
    ways = [data.draw(st.sampled_from(carriers(sort))) for sort in sorts]
    source = Random(data.draw(st.integers(0, 2**32)))
    symbols: list[Symbol] = []
    operands = []
    for position, way in enumerate(ways):
        own, values = variables(way.sorts, f"{position}.")
        symbols += own
        operands.append(way.build(*values))
    term = operation.build(*operands).term
    assume(size.bits_of(term.sort) <= MOST_BITS)
    layout = layout_of(symbols, expected=term.sort)
    lowered = lower_over(layout, symbols, term)
    bits = bits_of(term.sort, lowered)
    outputs = [outside(term.sort, lowered), equal(lowered, layout.lowered["expected"]), *bits]
    evaluate = Evaluator(layout.bits, outputs)
    for _ in range(12):
        given_values = [[random_value(source, sort) for sort in way.sorts] for way in ways]
        names = (symbol.name for symbol in symbols)
        state = dict(zip(names, chain(*given_values), strict=True))
        arrived = [
            value_or_none_of(partial(way.oracle, *values))
            for way, values in zip(ways, given_values, strict=True)
        ]
        missing = NO_VALUE in arrived
        if missing and not operation.strict:
            continue
        expected = NO_VALUE if missing else operation.expect(sorts, arrived)
        other = random_value(source, term.sort)
        for compared in {other, expected} - {NO_VALUE}:
            inputs = layout.encode_state({**state, "expected": compared})
            is_outside, is_equal, *result = evaluate.single(inputs)
            if expected is not NO_VALUE:
                assert not is_outside
                assert is_equal == (compared == expected)
                assert result == code_of(term.sort, expected)
            elif missing and isinstance(term.sort, Boolean):
                assert result == [False]
            else:
                assert is_outside
                assert not is_equal


@each_operation
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_solver_agrees(operation: Operation, data: st.DataObject) -> None:
    sorts = data.draw(operation.shape)
    source = Random(data.draw(st.integers(0, 2**32)))
    symbols, operands = variables(sorts)
    term = operation.build(*operands).term
    layout = layout_of(symbols)
    lowered = lower_over(layout, symbols, term)
    values = [random_value(source, sort) for sort in sorts]
    expected = operation.expect(sorts, values)
    state = layout.encode_state({symbol.name: value for symbol, value in zip(symbols, values, strict=True)})
    units = [symbol if value else negation(symbol) for symbol, value in zip(layout.bits, state, strict=True)]
    claims = [layout.valid()]
    if expected is NO_VALUE:
        claims.append(outside(term.sort, lowered))
    else:
        bits = code_of(term.sort, expected)
        claims.append(negation(outside(term.sort, lowered)))
        claims += [
            equivalence(actual, TRUE if wanted else FALSE)
            for actual, wanted in zip(bits_of(term.sort, lowered), bits, strict=True)
        ]
    with Solver(name="z3") as solver:
        solver.add_assertions(units)
        assert solver.solve()
        solver.add_assertion(negation(conjunction(claims)))
        assert not solver.solve()
