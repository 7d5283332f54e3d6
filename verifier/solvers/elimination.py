"""Elimination of variables, by CaDiCaL's preprocessor through python-sat."""

from __future__ import annotations

from collections.abc import Iterable

from pysat.process import Processor

from verifier.solvers.interface import Clause

_ROUNDS = 3


def eliminated(clauses: Iterable[Clause], kept: Iterable[int]) -> list[list[int]]:
    """Clauses with fewer variables that have the same models over the variables in ``kept``.

    Every clause follows from the given ones, and every assignment of ``kept`` that satisfies them extends to
    one that satisfies the given ones. So techniques are left out that only keep satisfiability (blocked and
    covered clauses, conditioning).
    """
    processor = Processor()
    processor.append_formula(clauses)
    try:
        simpler = processor.process(
            rounds=_ROUNDS, block=False, cover=False, condition=False, freeze=sorted(set(kept))
        )
        return [list(clause) for clause in simpler.clauses]
    finally:
        processor.delete()
