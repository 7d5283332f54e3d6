"""Predecessor generalisation (lifting): from a state with a successor in a cube to a cube of such states.

Guards and updates are functions of the state here, so one query decides. The state, the inputs, and "the
guard is false, or the successor is outside the cube" contradict each other. The literals of the state that
the solver needs for the contradiction are the lifted cube. The guard must be part of the query: without it
the cube would contain states in which the instance is not enabled, and the search would report executions
that do not exist. The query uses neither seeds nor frames, so the lifted cube does not depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.engines.ic3.cubes import Cube
from verifier.engines.ic3.known_steps import Predecessor
from verifier.engines.ic3.problem import Problem, Step
from verifier.engines.ic3.query_solver import QuerySolver
from verifier.kernels.query_functions import CompiledSolver, QueryFunctions
from verifier.solvers import QUERY_SOLVER

_MOST_TEMPORARY = 3000
"""The number of queries after which the solver is built again."""


class Lifting:
    """Lifts states of one problem."""

    def __init__(
        self, problem: Problem, solver: str = QUERY_SOLVER, functions: QueryFunctions | None = None
    ) -> None:
        """With ``functions``, the library answers the queries."""
        self._problem = problem
        first_free = problem.gates_first_free
        self._solver: QuerySolver | CompiledSolver = (
            QuerySolver(solver, lambda: problem.gates, first_free, _MOST_TEMPORARY)
            if functions is None
            else CompiledSolver(functions, first_free - 1, problem.gates)
        )

    def lift_bad_state(self, state: Sequence[int]) -> Cube:
        """A cube that contains the state. All states of the cube violate the property."""
        return self._lift(state, (), [self._problem.gate_holds])

    def lift_predecessor(self, predecessor: Predecessor) -> Cube:
        """A cube that contains the predecessor. In every state of the cube the same instance is enabled with
        the same inputs, and leads into the predecessor's cube. Bits that none of this reads are not asked
        about."""
        step: Step = self._problem.steps[predecessor.step]
        missed = [-step.guard, *(-self._after(step, literal) for literal in predecessor.into)]
        inputs = [v if on else -v for v, on in zip(step.inputs, predecessor.inputs, strict=True)]
        read = set(step.guard_reads)
        for literal in predecessor.into:
            read |= step.update_reads.get(abs(literal), {abs(literal)})
        bits = predecessor.bits
        return self._lift([bit if bits[bit - 1] else -bit for bit in sorted(read)], inputs, missed)

    @staticmethod
    def _after(step: Step, literal: int) -> int:
        """The literal over the old state that equals a literal of the new state."""
        variable = abs(literal)
        new = step.updates.get(variable, variable)
        return new if literal > 0 else -new

    def _lift(self, state: Sequence[int], inputs: Iterable[int], refuted: Sequence[int]) -> Cube:
        """The literals of the state that, with the inputs, refute the clause."""
        # Cores contain the last assumptions least often.
        if self._solver.satisfiable(refuted, [*inputs, *state]):
            raise AssertionError("a state of the search does not do what its model says")
        core = self._solver.core()
        return tuple(literal for literal in state if literal in core)
