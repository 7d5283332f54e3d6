"""Leaving out of an invariant what its proof does not use.

From the clauses that imply the property, those are followed that keep them, by cores of the queries. With
a clause all its images are kept, and of them only one is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.engines.ic3.problem import Problem
from verifier.solvers.assuming import AssumingSolver
from verifier.symmetry.bit_permutations import Permutation

Clause = frozenset[int]


def reduced(
    problem: Problem, permutations: Sequence[Permutation], clauses: Iterable[Sequence[int]]
) -> list[tuple[int, ...]]:
    """Those of an invariant's clauses that are needed, if type clauses and what is known are granted.

    The clauses are closed under the permutations, as those of IC3's frames are.
    """
    typed = {frozenset(clause) for clause in problem.type_clauses}
    known = list(dict.fromkeys(frozenset(clause) for clause in clauses))
    known = [clause for clause in known if clause not in typed]
    use = _Use(problem, known)
    kept: dict[Clause, None] = {}
    waiting = use.for_property()
    while waiting:
        clause = waiting.pop()
        if clause in kept:
            continue
        orbit = dict.fromkeys(_image(permutation, clause) for permutation in permutations)
        kept.update({image: None for image in orbit if image in use.known})
        waiting += use.for_keeping(clause)
    return [tuple(sorted(clause, key=abs)) for clause in known if clause in kept]


def _image(permutation: Permutation, clause: Clause) -> Clause:
    return frozenset(permutation[v] if v > 0 else -permutation[-v] for v in clause)


class _Use:
    """Which clauses a query uses: each is switched on by a literal."""

    def __init__(self, problem: Problem, known: Sequence[Clause]) -> None:
        frames = problem.frames
        self._holds, self._stride = problem.holds, frames.stride
        first = 2 * frames.stride + frames.bits + 1
        self.known = dict(zip(known, range(first, first + len(known)), strict=True))
        self._by_switch = {switch: clause for clause, switch in self.known.items()}
        switched = [[-switch, *clause] for clause, switch in self.known.items()]
        states = [*frames.state, *problem.type_clauses, *switched, *([literal] for literal in problem.known)]
        self._states = AssumingSolver(states)
        # Below, the type clauses of the next state: the relation keeps them.
        later = [[self._later(v) for v in clause] for clause in problem.type_clauses]
        self._steps = AssumingSolver([*states, *frames.relation, *later])

    def _later(self, literal: int) -> int:
        return literal + self._stride if literal > 0 else literal - self._stride

    def for_property(self) -> list[Clause]:
        """Clauses that imply the property."""
        return self._core(self._states, [-self._holds])

    def for_keeping(self, clause: Clause) -> list[Clause]:
        """Clauses that, with the clause itself, let no step break it."""
        return self._core(self._steps, [self.known[clause], *(-self._later(literal) for literal in clause)])

    def _core(self, solver: AssumingSolver, asked: list[int]) -> list[Clause]:
        if solver.solve([*asked, *self._by_switch]):
            raise AssertionError("an invariant of the search is none")
        return [self._by_switch[literal] for literal in solver.core() if literal in self._by_switch]
