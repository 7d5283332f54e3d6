"""Elimination keeps the models over what it is told to keep."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.support.models import build
from tests.support.toys import Chain, LockServer, Lottery
from verifier.clauses.fewer_gates import with_fewer_gates
from verifier.clauses.type_clauses import type_clauses
from verifier.clauses.unrolling import Steps, Unrolling, unroll
from verifier.solvers import open_solver, satisfiable
from verifier.solvers.elimination import eliminate
from verifier.specs.protocol import Protocol


def _random_clauses(seed: int) -> list[list[int]]:
    rng, size = random.Random(seed), 14
    found: list[list[int]] = []
    for gate in range(7, size + 1):
        one, other = (rng.choice((1, -1)) * rng.randrange(1, gate) for _ in range(2))
        found += [[-gate, one], [gate, -one]]
        if rng.random() < 0.6:
            found[-1] += [-other]
            found.append([-gate, other])
    loose = [rng.choice((2, 2, 3)) for _ in range(rng.randrange(2, 12))]
    return found + [[rng.choice((1, -1)) * rng.randrange(1, size + 1) for _ in range(n)] for n in loose]


def test_the_models_over_what_is_kept_are_the_same() -> None:
    fewer = contradictory = 0
    for seed in range(150):
        clauses, kept = _random_clauses(seed), range(1, 7)
        simpler = eliminate(clauses, kept)
        fewer += len({abs(v) for c in simpler for v in c}) < len({abs(v) for c in clauses for v in c})
        before, after = open_solver("minisat"), open_solver("minisat")
        before.add_clauses(clauses)
        after.add_clauses(simpler)
        found = 0
        for signs in itertools.product((1, -1), repeat=6):
            assumed = [variable * sign for variable, sign in zip(kept, signs, strict=True)]
            assert satisfiable(before, assumed) == satisfiable(after, assumed)
            found += satisfiable(before, assumed)
        contradictory += not found
    assert fewer > 100
    assert contradictory


def _take(unrolling: Unrolling, state: list[int], index: int) -> list[bool] | None:
    solver = open_solver("minisat")
    solver.add_clauses([*unrolling.state, *unrolling.relation])
    if not satisfiable(solver, [*state, unrolling.firing[index]]):
        return None
    return solver.values(range(unrolling.stride + 1, unrolling.stride + unrolling.bits + 1))


@pytest.mark.parametrize("protocol", [Chain(), LockServer(), Lottery()], ids=lambda p: p.spec_name())
def test_an_unrolling_with_fewer_gates_takes_the_same_steps(protocol: Protocol) -> None:
    system = build(protocol).system
    plain = unroll(system, Steps.SERIAL, symmetry=False)
    types = type_clauses(system)
    fewer, within = with_fewer_gates(plain), with_fewer_gates(plain, types)
    assert fewer.stride <= plain.stride
    rng = random.Random(1)
    typed = open_solver("minisat")
    typed.add_clauses(types)
    for _ in range(25):
        state = [bit if rng.random() < 0.5 else -bit for bit in range(1, plain.bits + 1)]
        for index, instance in enumerate(system.instances):
            if not instance.inputs:
                assert _take(fewer, state, index) == _take(plain, state, index)
                expected = _take(plain, state, index) if satisfiable(typed, state) else None
                assert _take(within, state, index) == expected
        for name in plain.properties:
            assert _holds(fewer, name, state) == _holds(plain, name, state)


def _holds(unrolling: Unrolling, name: str, state: list[int]) -> bool:
    solver = open_solver("minisat")
    solver.add_clauses(unrolling.state)
    return satisfiable(solver, [*state, unrolling.properties[name]])
