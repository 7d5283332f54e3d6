"""Boolean variables quantified away: the same as looking at all of their values."""

from __future__ import annotations

import sys
import time
from itertools import pairwise, product
from random import Random

import pytest
from pysmt.fnode import FNode

from verifier.encodings import elimination
from verifier.encodings.bits import (
    FALSE,
    TRUE,
    bit,
    choice,
    conjunction,
    disjunction,
    equivalence,
    negation,
    restrict_formula,
)
from verifier.encodings.elimination import exists_over, possible_choices

STATE = [bit(f"elimination.s{number}") for number in range(4)]
INPUTS = [bit(f"elimination.i{number}") for number in range(3)]


def _formula(chance: Random, depth: int) -> FNode:
    if depth == 0 or chance.random() < 0.1:
        return chance.choice([*STATE, *INPUTS, *INPUTS])
    parts = [_formula(chance, depth - 1) for _ in range(3)]
    kind = chance.choice(["and", "and", "or", "not", "iff", "if"])
    if kind in ("and", "or"):
        return conjunction(parts) if kind == "and" else disjunction(parts)
    if kind == "not":
        return negation(parts[0])
    return equivalence(*parts[:2]) if kind == "iff" else choice(*parts)


def _at(formula: FNode, variables: list[FNode], values: tuple[bool, ...]) -> FNode:
    pairs = zip(variables, values, strict=True)
    return restrict_formula(formula, {variable: TRUE if value else FALSE for variable, value in pairs})


@pytest.mark.parametrize("tabled", [0, 2, 5, 12])
def test_it_agrees_with_all_values_of_the_variables(tabled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elimination, "_MOST_TABLED", tabled)
    chance = Random(tabled)
    for _ in range(60):
        formula = _formula(chance, 4)
        found = exists_over(formula, INPUTS)
        assert not found.get_free_variables() & set(INPUTS)
        for state in product((False, True), repeat=len(STATE)):
            here = _at(formula, STATE, state)
            some = any(
                _at(here, INPUTS, values) is TRUE for values in product((False, True), repeat=len(INPUTS))
            )
            assert (_at(found, STATE, state) is TRUE) == some


def test_choices_that_are_left_out_make_the_formula_false() -> None:
    chance, fewer = Random(1), 0
    for _ in range(100):
        formula = conjunction(_formula(chance, 2) for _ in range(3))
        possible = possible_choices(formula, INPUTS)
        if possible is None:
            continue
        for values in set(product((False, True), repeat=len(INPUTS))) - possible:
            fewer += 1
            here = _at(formula, INPUTS, values)
            assert all(
                _at(here, STATE, state) is FALSE for state in product((False, True), repeat=len(STATE))
            )
    assert fewer


def test_a_chain_of_many_variables_is_no_long_work() -> None:
    """A wide number is wellformed by one. To look at all variables in all parts, for each, took minutes."""
    limit = sys.getrecursionlimit()
    chain = [bit(f"elimination.chain{number}") for number in range(600)]
    ordered = [disjunction((low, negation(high))) for low, high in pairwise(chain)]
    began = time.process_time()
    sys.setrecursionlimit(100_000)
    try:
        assert exists_over(conjunction(ordered), chain) is TRUE
    finally:
        sys.setrecursionlimit(limit)
    assert time.process_time() - began < 7
    few = ordered[:50]
    assert exists_over(conjunction((*few, negation(chain[0]), chain[50])), chain) is FALSE
    assert exists_over(conjunction((*few, STATE[0], equivalence(chain[9], STATE[1]))), chain) is STATE[0]
