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
    """What a proof uses besides the type clauses."""

    clauses: list[tuple[int, ...]]
    lemmas: tuple[int, ...]
    """Lemmas of the problem, by index."""


def reduced(
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
    cores = _Cores(problem, invariant, solver)
    kept: dict[Clause, None] = {}
    waiting = cores.of_safety()
    while waiting:
        clause = waiting.pop()
        if clause in kept:
            continue
        kept.update({image: None for image in images(tuple(clause), permutations) if image in cores.switches})
        waiting += cores.of_consecution(clause)
    found = [tuple(sorted(clause, key=abs)) for clause in invariant if clause in kept]
    return Reduced(found, tuple(sorted(cores.lemmas)))


class _Cores:
    """Which clauses and lemmas a query uses. A literal of its own switches each of them on."""

    def __init__(self, problem: Problem, invariant: Sequence[Clause], solver: str) -> None:
        self._problem, fresh = problem, count(problem.first_free)
        self.switches = {clause: next(fresh) for clause in invariant}
        self._clause_of = {switch: clause for clause, switch in self.switches.items()}
        self._lemma_of = {next(fresh): index for index in range(len(problem.lemmas))}
        self.lemmas: set[int] = set()
        """Those that queries used so far, by index."""
        switched = [[-switch, *clause] for clause, switch in self.switches.items()]
        switched += [[-switch, problem.lemmas[index]] for switch, index in self._lemma_of.items()]
        states = [*problem.type_clauses, *switched]
        self._states = open_solver(solver)
        self._states.add_clauses([*problem.unrolling.state, *states])
        # The type clauses may be assumed of the next state, too: the relation keeps them.
        types_after = [problem.after(clause) for clause in problem.type_clauses]
        self._steps = open_solver(solver)
        self._steps.add_clauses([*problem.unrolling.state, *problem.unrolling.relation])
        self._steps.add_clauses([*states, *types_after])

    def of_safety(self) -> list[Clause]:
        """Clauses that imply the property."""
        return self._core(self._states, [-self._problem.holds])

    def of_consecution(self, clause: Clause) -> list[Clause]:
        """Clauses that, with the clause itself, exclude every step that breaks it."""
        broken = negation(self._problem.after(clause))
        return self._core(self._steps, [self.switches[clause], *broken])

    def _core(self, solver: ClauseSolver, assumptions: list[int]) -> list[Clause]:
        # What the lemmas alone give needs no clause.
        if (not self._lemma_of or satisfiable(solver, [*assumptions, *self._lemma_of])) and satisfiable(
            solver, [*assumptions, *self._clause_of, *self._lemma_of]
        ):
            raise AssertionError("the search returned clauses that are no invariant")
        core = solver.failed_assumptions()
        self.lemmas |= {self._lemma_of[literal] for literal in core if literal in self._lemma_of}
        return [self._clause_of[literal] for literal in core if literal in self._clause_of]
