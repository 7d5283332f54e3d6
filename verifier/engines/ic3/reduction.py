"""Leaving out of an invariant the clauses that its proof does not use.

The reduction starts with the clauses that imply the property, and follows the clauses that keep them, by
cores of queries. With a clause, all its images are kept; only one image is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.clauses.frame_variables import FrameVariables
from verifier.engines.ic3.cubes import images, negation
from verifier.engines.ic3.problem import Problem
from verifier.solvers import QUERY_SOLVER, ClauseSolver, open_solver, satisfiable
from verifier.symmetry.bit_permutations import Permutation

Clause = frozenset[int]


def reduced(
    problem: Problem,
    permutations: Sequence[Permutation],
    clauses: Iterable[Sequence[int]],
    solver: str = QUERY_SOLVER,
) -> list[tuple[int, ...]]:
    """The clauses of an invariant that are needed besides the type clauses and the lemmas.

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
    return [tuple(sorted(clause, key=abs)) for clause in invariant if clause in kept]


class _Cores:
    """Which clauses of the invariant a query uses. A literal of its own switches each clause on."""

    def __init__(self, problem: Problem, invariant: Sequence[Clause], solver: str) -> None:
        self._variables, self._holds = FrameVariables(problem.unrolling, frames=2), problem.holds
        self.switches = {clause: self._variables.fresh() for clause in invariant}
        self._clause_of = {switch: clause for clause, switch in self.switches.items()}
        switched = [[-switch, *clause] for clause, switch in self.switches.items()]
        lemmas = [[literal] for literal in problem.lemmas]
        states = [*problem.unrolling.state, *problem.type_clauses, *switched, *lemmas]
        self._states = open_solver(solver)
        self._states.add_clauses(states)
        # The type clauses may be assumed of the next state, too: the relation keeps them.
        types_after = self._variables.placed(problem.type_clauses, 1)
        self._steps = open_solver(solver)
        self._steps.add_clauses([*states, *problem.unrolling.relation, *types_after])

    def of_safety(self) -> list[Clause]:
        """Clauses that imply the property."""
        return self._core(self._states, [-self._holds])

    def of_consecution(self, clause: Clause) -> list[Clause]:
        """Clauses that, with the clause itself, exclude every step that breaks it."""
        broken = negation(self._variables.at(literal, 1) for literal in clause)
        return self._core(self._steps, [self.switches[clause], *broken])

    def _core(self, solver: ClauseSolver, assumptions: list[int]) -> list[Clause]:
        if satisfiable(solver, [*assumptions, *self._clause_of]):
            raise AssertionError("the search returned clauses that are no invariant")
        core = solver.failed_assumptions()
        return [self._clause_of[literal] for literal in core if literal in self._clause_of]
