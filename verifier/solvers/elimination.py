"""Elimination of variables, by CaDiCaL's preprocessor through python-sat."""

from __future__ import annotations

from collections.abc import Iterable

from pysat.solvers import Cadical153

from verifier.solvers.interface import Clause

_ROUNDS = 3


def eliminate(clauses: Iterable[Clause], kept: Iterable[int]) -> list[list[int]]:
    """Clauses with fewer variables that have the same models over the variables in ``kept``.

    Every clause follows from the given ones, and every assignment of ``kept`` that satisfies them extends to
    one that satisfies the given ones. So techniques are left out that only keep satisfiability (blocked and
    covered clauses, conditioning).
    """
    # Not by way of python-sat's Processor, which copies the result once more, in a third of the time.
    solver = Cadical153()
    solver.append_formula(clauses)
    try:
        simpler: list[list[int]]
        _, simpler = solver.process(
            rounds=_ROUNDS, block=False, cover=False, condition=False, freeze=sorted(set(kept))
        )
        return simpler
    finally:
        solver.delete()
