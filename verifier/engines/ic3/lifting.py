"""Lifting: from a state with a successor in a cube to a cube of states that all have one.

Guards and updates are functions of the state here, so one query decides: the state, the inputs and "the
guard is false, or the successor is outside" contradict each other, and the literals of the state that
take part are the cube. The guard must be in that clause: without it the cube holds states in which the
instance is not enabled, and the search reports executions that are none. Neither seeds nor frames take
part, so that the cube does not depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.engines.ic3.problem import Problem, Step
from verifier.solvers.assuming import AssumingSolver

Cube = tuple[int, ...]

_MOST_TEMPORARY = 3000


class Lifting:
    """Lifts states of one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._first_free = 1 + max(
            (abs(literal) for clause in problem.gates for literal in clause), default=problem.bits
        )
        self._first_free = max(self._first_free, self._variables())
        self._solver = AssumingSolver(problem.gates)
        self._next = self._first_free

    def _variables(self) -> int:
        """The first variable beyond all that the steps name."""
        named = [abs(self._problem.gate_holds), self._problem.bits]
        for step in self._problem.steps:
            named += [abs(step.guard), *map(abs, step.updates.values()), *step.inputs]
        return 1 + max(named)

    def violating(self, state: Sequence[int]) -> Cube:
        """States around this one, all of which violate the property."""
        return self._lifted(state, (), [self._problem.gate_holds])

    def predecessor(self, state: Sequence[int], step: int, inputs: Sequence[bool], successor: Cube) -> Cube:
        """States around this one in which the step, with these inputs, is enabled and leads into the cube."""
        taken: Step = self._problem.steps[step]
        outside = [-taken.guard, *(-self._after(taken, literal) for literal in successor)]
        given = [v if on else -v for v, on in zip(taken.inputs, inputs, strict=True)]
        return self._lifted(state, given, outside)

    @staticmethod
    def _after(step: Step, literal: int) -> int:
        """The literal, over the old state, that a literal of the new state has."""
        variable = abs(literal)
        new = step.updates.get(variable, variable)
        return new if literal > 0 else -new

    def _lifted(self, state: Sequence[int], given: Iterable[int], refuted: Sequence[int]) -> Cube:
        if self._next > self._first_free + _MOST_TEMPORARY:
            self._solver.close()
            self._solver = AssumingSolver(self._problem.gates)
            self._next = self._first_free
        active = self._next
        self._next += 1
        self._solver.add([-active, *refuted])
        # The last assumptions are the least likely in the core.
        if self._solver.solve([active, *given, *state]):
            raise AssertionError("a state of the search does not do what its model says")
        needed = set(self._solver.core())
        self._solver.add([-active])
        bits = self._problem.bits
        return tuple(literal for literal in state if literal in needed and abs(literal) <= bits)
