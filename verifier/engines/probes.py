"""Bounded searches from single states: the solver looks a few parallel steps ahead of where walks came.

One solver serves all states. The steps are unrolled once, without initial states, and each question assumes
the bits of one state, so that what the solver has learnt helps with the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.unrolling import Steps, unroll
from verifier.engines.bounded_search import Firing, execution
from verifier.solvers import open_solver, satisfiable
from verifier.system.transition_system import TransitionSystem


class Probes:
    """Searches ahead of states. Properties that are found are asked about no more."""

    def __init__(self, system: TransitionSystem, properties: Sequence[str], solver: str, seed: int) -> None:
        # A state that a walk reached names elements in its own order, so symmetry is not broken here.
        self._unrolling = unroll(system, Steps.PARALLEL, symmetry=False, idle=True)
        self._variables = FrameVariables(self._unrolling)
        self._solver = open_solver(solver, seed)
        self._open = list(properties)
        self._some = 0
        self.steps = 0
        """The parallel steps that a question looks ahead."""
        self._variables.open_frame()
        self._solver.add_clauses(self._variables.place_clauses(self._unrolling.state, 0))
        self.look_further()

    def look_further(self) -> None:
        """Look one step further from now on."""
        unrolling, frame = self._unrolling, self.steps
        self._variables.open_frame()
        self._solver.add_clauses(self._variables.place_clauses(unrolling.relation, frame))
        if frame:
            self._solver.add_clauses(self._variables.place_clauses(unrolling.succession, frame - 1))
        self._solver.add_clauses(self._variables.place_clauses(unrolling.state, frame + 1))
        self.steps += 1
        self._require_violation()

    def settle(self, name: str) -> None:
        """Ask about this property no more."""
        self._open.remove(name)
        self._require_violation()

    def _require_violation(self) -> None:
        """Make a literal that means that some open property fails in the last frame."""
        self._some = self._variables.fresh()
        holds = [self._variables.at(self._unrolling.properties[name], self.steps) for name in self._open]
        self._solver.add_clauses([[-self._some, *(-literal for literal in holds)]])

    def search(self, state: Sequence[bool]) -> tuple[list[str], Sequence[Firing]] | None:
        """Return open properties that fail after these firings from the state; None if none fails so near.
        Raises UnknownAnswer."""
        assumed = [self._variables.at(place if value else -place, 0) for place, value in enumerate(state, 1)]
        if not satisfiable(self._solver, [*assumed, self._some]):
            return None
        _, firings = execution(self._solver, self._unrolling, self._variables, self.steps)
        return [name for name in self._open if not self._holds(name)], firings

    def _holds(self, name: str) -> bool:
        placed = self._variables.at(self._unrolling.properties[name], self.steps)
        return self._solver.value(abs(placed)) == (placed > 0)

    def effort(self) -> int:
        """Return the solver's effort so far: the same in every run."""
        return self._solver.effort()

    def close(self) -> None:
        """Free the solver."""
        self._solver.close()
