"""Leaving out of an invariant the clauses that its proof does not use.

The reduction starts with the clauses that imply the property, and follows the clauses that keep them, by
cores of queries. With a clause, all its images are kept; only one image is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from verifier.engines.ic3.cubes import images, negation
from verifier.engines.ic3.problem import Problem
from verifier.solvers import QUERY_SOLVER, ClauseSolver, open_solver, satisfiable
from verifier.symmetry.bit_permutations import Permutation

Clause = frozenset[int]


@dataclass(frozen=True)
class Reduced:
    """The parts of a proof besides the type clauses."""

    clauses: list[tuple[int, ...]]
    lemmas: tuple[int, ...]
    """Lemmas of the problem, by index."""


def reduce_invariant(
    problem: Problem,
    permutations: Sequence[Permutation],
    clauses: Iterable[Sequence[int]],
    solver: str = QUERY_SOLVER,
) -> Reduced:
    """The clauses of an invariant and the lemmas that its proof uses.

    The invariant must be closed under the permutations, as the clauses of IC3's frames are.
    """
    types = {frozenset(clause) for clause in problem.type_clauses}
    invariant = [c for c in dict.fromkeys(frozenset(clause) for clause in clauses) if c not in types]
    orbits = _orbits(invariant, permutations)
    cores = _Cores(problem, orbits, solver)
    kept: dict[int, None] = {}
    waiting = cores.of_safety()
    while waiting:
        orbit = waiting.pop()
        if orbit not in kept:
            kept[orbit] = None
            waiting += cores.of_consecution(orbit)
    used = {clause for orbit in kept for clause in orbits[orbit]}
    reduced = [tuple(sorted(clause, key=abs)) for clause in invariant if clause in used]
    return Reduced(reduced, tuple(sorted(cores.lemmas)))


def _orbits(invariant: Sequence[Clause], permutations: Sequence[Permutation]) -> list[tuple[Clause, ...]]:
    """The clauses with those that are their images, each once."""
    left = dict.fromkeys(invariant)
    orbits = []
    for clause in invariant:
        if clause in left:
            orbit = tuple(image for image in images(tuple(clause), permutations) if image in left)
            orbits.append(orbit)
            for image in orbit:
                del left[image]
    return orbits


class _Cores:
    """The orbits of clauses and the lemmas that a query uses.

    A literal of its own switches each of them on. One literal for each clause would mean many assumptions in
    each query, which then take most of the time.
    """

    def __init__(self, problem: Problem, orbits: Sequence[tuple[Clause, ...]], solver: str) -> None:
        self._problem, self._orbits, fresh = problem, orbits, count(problem.first_free)
        self._switches = [next(fresh) for _ in orbits]
        self._orbit_of = {switch: orbit for orbit, switch in enumerate(self._switches)}
        self._lemma_of = {next(fresh): index for index in range(len(problem.lemmas))}
        self.lemmas: set[int] = set()
        """The lemmas that queries have used, by index."""
        switched = [
            [-on, *clause] for on, orbit in zip(self._switches, orbits, strict=True) for clause in orbit
        ]
        switched += [[-switch, problem.lemmas[index]] for switch, index in self._lemma_of.items()]
        states = [*problem.type_clauses, *switched]
        self._states = open_solver(solver)
        self._states.add_clauses([*problem.unrolling.state, *states])
        # The type clauses may be assumed of the next state, too: the relation keeps them.
        types_after = [problem.after(clause) for clause in problem.type_clauses]
        self._steps = open_solver(solver)
        self._steps.add_clauses([*problem.unrolling.state, *problem.unrolling.relation])
        self._steps.add_clauses([*states, *types_after])

    def of_safety(self) -> list[int]:
        """Orbits that imply the property."""
        return self._core(self._states, [-self._problem.holds])

    def of_consecution(self, orbit: int) -> list[int]:
        """Orbits that, with the orbit itself, exclude every step that breaks its first clause."""
        broken = negation(self._problem.after(self._orbits[orbit][0]))
        return self._core(self._steps, [self._switches[orbit], *broken])

    def _core(self, solver: ClauseSolver, assumptions: list[int]) -> list[int]:
        # What the lemmas alone give needs no clause.
        if (not self._lemma_of or satisfiable(solver, [*assumptions, *self._lemma_of])) and satisfiable(
            solver, [*assumptions, *self._switches, *self._lemma_of]
        ):
            raise AssertionError("the search returned clauses that are not an invariant")
        core = solver.failed_assumptions()
        self.lemmas |= {self._lemma_of[literal] for literal in core if literal in self._lemma_of}
        return [self._orbit_of[literal] for literal in core if literal in self._orbit_of]
