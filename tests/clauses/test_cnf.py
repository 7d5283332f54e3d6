"""Clauses against truth tables: the definitions must force every literal, under both signs."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysmt import shortcuts as smt
from pysmt.fnode import FNode
from pysmt.typing import BOOL, INT

from verifier.clauses.cnf import Clausifier
from verifier.solvers import Answer, open_solver

NAMES = ("a", "b", "c", "d")
SYMBOLS = tuple(smt.Symbol(name, BOOL) for name in NAMES)


def grow(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(children, min_size=0, max_size=4)
    return st.one_of(
        several.map(smt.And),
        several.map(smt.Or),
        children.map(smt.Not),
        st.builds(smt.Implies, children, children),
        st.builds(smt.Iff, children, children),
        st.builds(smt.Ite, children, children, children),
    )


TERMS = st.recursive(st.sampled_from((*SYMBOLS, smt.TRUE(), smt.FALSE())), grow, max_leaves=25)


def evaluate(term: FNode, values: dict[FNode, bool]) -> bool:
    """Truth by the textbook, independent of pySMT's own simplifier."""
    parts = [evaluate(child, values) for child in term.args()]
    if term.is_symbol():
        return values[term]
    if term.is_bool_constant():
        return bool(term.constant_value())
    if term.is_and():
        return all(parts)
    if term.is_or():
        return any(parts)
    if term.is_not():
        return not parts[0]
    if term.is_implies():
        return not parts[0] or parts[1]
    if term.is_iff():
        return parts[0] == parts[1]
    assert term.is_ite()
    return parts[1] if parts[0] else parts[2]


def assignments() -> list[dict[FNode, bool]]:
    table = itertools.product((False, True), repeat=len(SYMBOLS))
    return [dict(zip(SYMBOLS, row, strict=True)) for row in table]


@settings(max_examples=400, deadline=None)
@given(st.lists(TERMS, min_size=1, max_size=4), st.sampled_from((1, 50)))
def test_literals_follow_the_truth_table(terms: list[FNode], first: int) -> None:
    clausifier = Clausifier(first)
    variables = {symbol: clausifier.declare(symbol) for symbol in SYMBOLS}
    literals = [clausifier.literal(term) for term in terms]
    used = {abs(literal) for clause in clausifier.clauses for literal in clause}
    assert used <= set(range(first, first + clausifier.variable_count))
    assert clausifier.next_variable == first + clausifier.variable_count
    solver = open_solver("cadical")
    solver.add_clauses(clausifier.clauses)
    for values in assignments():
        inputs = [variables[symbol] if value else -variables[symbol] for symbol, value in values.items()]
        for term, literal in zip(terms, literals, strict=True):
            expected = literal if evaluate(term, values) else -literal
            assert solver.solve([*inputs, expected]) is Answer.SATISFIABLE
            assert solver.solve([*inputs, -expected]) is Answer.UNSATISFIABLE


@settings(max_examples=400, deadline=None)
@given(st.lists(TERMS, min_size=1, max_size=3), st.lists(TERMS, max_size=2))
def test_assertions_leave_exactly_the_models(terms: list[FNode], defined: list[FNode]) -> None:
    clausifier = Clausifier()
    variables = {symbol: clausifier.declare(symbol) for symbol in SYMBOLS}
    for term in defined:
        clausifier.literal(term)
    for term in terms:
        clausifier.assert_term(term)
    literals = [clausifier.literal(term) for term in terms]
    solver = open_solver("cadical")
    solver.add_clauses(clausifier.clauses)
    for values in assignments():
        inputs = [variables[symbol] if value else -variables[symbol] for symbol, value in values.items()]
        expected = all(evaluate(term, values) for term in terms)
        assert (solver.solve(inputs) is Answer.SATISFIABLE) == expected
        if expected:
            assert solver.solve([*inputs, *literals]) is Answer.SATISFIABLE


def test_assertions_of_clauses_need_no_variables() -> None:
    a, b, c, d = SYMBOLS
    clausifier = Clausifier()
    for symbol in SYMBOLS:
        clausifier.declare(symbol)
    rule = smt.Implies(smt.And(a, b), smt.Or(c, d))
    clausifier.assert_term(smt.And(a, smt.Or(b, smt.Not(smt.And(c, d))), rule))
    assert clausifier.clauses == [[1], [2, -3, -4], [-1, -2, 3, 4]]
    assert clausifier.variable_count == 4


def test_definitions_are_shared_and_negations_free() -> None:
    a, b, _, _ = SYMBOLS
    clausifier = Clausifier()
    gate = clausifier.literal(smt.And(a, b))
    count = len(clausifier.clauses)
    assert count == 3
    assert clausifier.literal(smt.Not(smt.And(a, b))) == -gate
    assert clausifier.literal(smt.And(a, b)) == gate
    assert len(clausifier.clauses) == count


def test_terms_that_are_not_boolean_are_refused() -> None:
    number = smt.Symbol("n_int", INT)
    clausifier = Clausifier()
    with pytest.raises(TypeError, match="not a boolean symbol"):
        clausifier.declare(number)
    with pytest.raises(TypeError, match="not a boolean symbol"):
        clausifier.declare(smt.And(SYMBOLS[0], SYMBOLS[1]))
    with pytest.raises(TypeError, match="not a boolean term"):
        clausifier.literal(smt.And(SYMBOLS[0], smt.Equals(number, smt.Int(1))))
    with pytest.raises(ValueError, match="numbered from 1"):
        Clausifier(0)


def test_deep_terms_need_no_recursion_and_little_time() -> None:
    term: FNode = SYMBOLS[0]
    for index in range(20_000):
        other = SYMBOLS[1 + index % 3]
        term = (smt.And, smt.Or, smt.Iff)[index % 3](term, other)
    best = float("inf")
    for _ in range(3):
        clausifier = Clausifier()
        started = time.perf_counter()
        clausifier.literal(term)
        best = min(best, time.perf_counter() - started)
    assert clausifier.variable_count > 15_000
    # The aim is 0.2 s; the margin is for busy machines.
    assert best < 1.0
