"""Structural invariants: the largest inductive set of candidates, orbit by orbit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from random import Random

import pytest

from tests.support.models import build
from verifier.clauses.structural_invariants import (
    _Inductiveness,
    _orbits,
    _RandomWalks,
    _Sieve,
    structural_invariants,
)
from verifier.clauses.unrolling import Steps, Unrolling, unroll
from verifier.solvers import Clause, open_solver, satisfiable
from verifier.specs.registry import load
from verifier.symmetry.bit_permutations import bit_permutations
from verifier.system.model import Model

SEEDS = range(6)


@cache
def _model() -> Model:
    return build(load("kip320")({"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}))


def _unroll(symmetry: bool) -> Unrolling:
    return unroll(_model().system, Steps.SERIAL, symmetry=symmetry)


def _seek(unrolling: Unrolling) -> _Inductiveness:
    return _Inductiveness(unrolling, _RandomWalks(_model().system))


def _draw_clauses(seed: int) -> list[list[int]]:
    """Clauses of one or two literals, of which about half hold initially, and some that are inductive."""
    rng, bits = Random(seed), range(1, len(_model().system.bits) + 1)
    some = rng.sample([v for bit in bits for v in (bit, -bit)], 40)
    inductive = structural_invariants(_model().system, _unroll(False))
    return [
        *rng.sample(inductive, 20),
        *([v] for v in some[:10]),
        *map(list, rng.sample([pair for pair in combinations(some, 2) if pair[0] != -pair[1]], 100)),
    ]


def _largest_inductive(unrolling: Unrolling, candidates: Sequence[Clause]) -> list[Clause]:
    """Each candidate is asked about with all others that are left, until none falls."""

    def not_false(clauses: Sequence[Clause], asked: Sequence[Clause], after: int) -> list[Clause]:
        solver = open_solver("cadical")
        solver.add_clauses([*unrolling.state, *clauses])
        false = [[-v - after if v > 0 else -v + after for v in clause] for clause in asked]
        return [
            clause for clause, broken in zip(asked, false, strict=True) if not satisfiable(solver, broken)
        ]

    left = not_false(unrolling.start, candidates, 0)
    while True:
        kept = not_false([*unrolling.relation, *left], left, unrolling.stride)
        if kept == left:
            return kept
        left = kept


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_largest_inductive_set_is_found(seed: int, symmetry: bool) -> None:
    """Also where the unrolling has further variables, which say what an execution named."""
    unrolling, candidates = _unroll(symmetry), _draw_clauses(seed)
    found = _seek(unrolling).inductive(list(enumerate(candidates)))
    assert found == _largest_inductive(unrolling, candidates)
    assert 0 < len(found) < len(candidates)


@pytest.mark.parametrize("seed", SEEDS)
def test_orbits_are_kept_or_dropped_as_a_whole(seed: int) -> None:
    """The first clause of an orbit speaks for all."""
    unrolling, permutations = _unroll(False), bit_permutations(_model())
    candidates = [
        [p[v] if v > 0 else -p[-v] for v in clause] for clause in _draw_clauses(seed) for p in permutations
    ]
    distinct = [list(c) for c in dict.fromkeys(tuple(sorted(clause)) for clause in candidates)]
    numbered = _orbits(distinct, permutations)
    assert len(numbered) == len(distinct) > len({orbit for orbit, _ in numbered})
    assert _seek(unrolling).inductive(numbered) == _largest_inductive(unrolling, distinct)


def test_what_rests_on_a_dropped_candidate_must_be_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without that the set that is left is not inductive."""
    real = _Sieve._resting_on

    def nothing(self: _Sieve, fallen: Iterable[int]) -> list[int]:
        real(self, fallen)  # the bundles become smaller
        return []

    monkeypatch.setattr(_Sieve, "_resting_on", nothing)
    unrolling, wrong = _unroll(False), 0
    for seed in SEEDS:
        candidates = _draw_clauses(seed)
        found = _seek(unrolling).inductive(list(enumerate(candidates)))
        wrong += found != _largest_inductive(unrolling, candidates)
    assert wrong
