"""Elimination of variables keeps the models over those that are kept."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from itertools import product

import pytest

from verifier.solvers.elimination import eliminate

Clauses = Sequence[Sequence[int]]


def _models(clauses: Clauses, kept: Sequence[int]) -> set[tuple[bool, ...]]:
    """The assignments of the kept variables that extend to models, by trying all assignments."""
    variables = sorted({*kept, *(abs(literal) for clause in clauses for literal in clause)})
    found = set()
    for values in product((False, True), repeat=len(variables)):
        model = dict(zip(variables, values, strict=True))
        if all(any(model[abs(literal)] == (literal > 0) for literal in clause) for clause in clauses):
            found.add(tuple(model[variable] for variable in kept))
    return found


def _random_clauses(draw: random.Random, variables: Collection[int]) -> list[list[int]]:
    def clause() -> list[int]:
        drawn = draw.sample(list(variables), draw.choice((1, 2, 2, 3)))
        return [draw.choice((1, -1)) * variable for variable in drawn]

    return [clause() for _ in range(draw.randint(1, 3 * len(variables)))]


@pytest.mark.parametrize("seed", range(100))
def test_models_over_the_kept_variables_are_the_same(seed: int) -> None:
    draw = random.Random(seed)
    variables = range(1, draw.randint(4, 8))
    clauses = _random_clauses(draw, variables)
    kept = sorted(draw.sample(variables, draw.randint(1, len(variables) - 1)))
    assert _models(eliminate(clauses, kept), kept) == _models(clauses, kept)


def test_gates_are_eliminated() -> None:
    gate, inputs = 3, (1, 2)
    clauses = [[-gate, 1], [-gate, 2], [gate, -1, -2], [gate, 4]]
    left = eliminate(clauses, (*inputs, 4))
    assert all(abs(literal) != gate for clause in left for literal in clause)
