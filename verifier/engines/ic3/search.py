"""The loop of IC3: block the bad states of the frontier, propagate clauses, stop at a fixpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verifier.engines.ic3.cubes import negation
from verifier.engines.ic3.frames import Blocked, Frames
from verifier.engines.ic3.inductive_generalisation import InductiveGeneralisation
from verifier.engines.ic3.lifting import Lifting
from verifier.engines.ic3.obligations import ObligationQueue, ProofObligation
from verifier.engines.ic3.problem import Problem
from verifier.engines.ic3.propagation import propagate
from verifier.kernels.query_functions import QueryFunctions
from verifier.solvers import QUERY_SOLVER
from verifier.symmetry.bit_permutations import Permutation

_SECONDS_BETWEEN_NEWS = 1.0


@dataclass(frozen=True)
class FrameClosed:
    """News that no execution of at most ``frame`` actions violates the property."""

    frame: int
    clauses: int
    """Learned clauses that hold in some frame from 1 on. Each image is counted."""
    obligations: int
    """The number of proof obligations taken from the queue."""
    queries: int
    seconds: float


@dataclass(frozen=True)
class FrameProgress:
    """The progress of the search in the frontier."""

    frame: int
    clauses: int
    obligations: int
    waiting: int
    """Proof obligations in the queue."""
    seconds: float


@dataclass(frozen=True)
class Proof:
    """Clauses over the state bits. Their conjunction is inductive and implies the property."""

    clauses: tuple[tuple[int, ...], ...]
    learned: int
    """The number of learned clauses, which come first; the others are seeds."""
    frame: int
    queries: int
    seconds: float
    compiled: bool = False
    """True if the library answered queries."""


@dataclass(frozen=True)
class Counterexample:
    """An initial state, and instances (by index) with their inputs that lead from it to a violation."""

    initial: tuple[bool, ...]
    firings: tuple[tuple[int, tuple[bool, ...]], ...]
    queries: int
    seconds: float


Event = FrameClosed | FrameProgress


def prove(
    problem: Problem,
    permutations: Sequence[Permutation],
    listen: Callable[[Event], None] = lambda _: None,
    solver: str = QUERY_SOLVER,
    functions: QueryFunctions | None = None,
) -> Proof | Counterexample:
    """Proves the property, or finds an execution that violates it. There is no time limit.

    With ``functions``, the library answers the queries, else ``solver``. Raises UnknownAnswer if the solver
    gives up.
    """
    return _IC3(problem, permutations, listen, solver, functions).run()


class _IC3:
    def __init__(
        self,
        problem: Problem,
        permutations: Sequence[Permutation],
        listen: Callable[[Event], None],
        solver: str,
        functions: QueryFunctions | None = None,
    ) -> None:
        self.began = self.told = time.monotonic()
        self.listen = listen
        self.functions = functions
        self.frames = Frames(problem, permutations, solver, functions)
        self.lifting = Lifting(problem, solver, functions)
        self.generalisation = InductiveGeneralisation(self.frames, self.lifting)
        self.obligations = 0

    def run(self) -> Proof | Counterexample:
        """Blocks bad states, propagates clauses, and opens frames until there is a fixpoint."""
        while True:
            counterexample = self._block_bad_states()
            if counterexample is not None:
                return counterexample
            self._tell_closed()
            self.frames.open_frame()
            fixpoint = propagate(self.frames, self.generalisation)
            if fixpoint is not None:
                return self._invariant(fixpoint)

    def _block_bad_states(self) -> Counterexample | None:
        """Blocks every bad state of the frontier, or finds an execution that reaches one."""
        if self.frames.frontier == 0:
            state = self.frames.initial_bad_state()
            return None if state is None else self._counterexample(state, ProofObligation(()))
        while (state := self.frames.bad_state()) is not None:
            cube = self.lifting.lift_bad_state(state)
            assert self.frames.initial_state_in(cube) is None  # no initial state is bad
            counterexample = self._block(ProofObligation(cube), self.frames.frontier)
            if counterexample is not None:
                return counterexample
        return None

    def _block(self, bad: ProofObligation, level: int) -> Counterexample | None:
        """Discharges a proof obligation and all that arise from it."""
        queue = ObligationQueue()
        queue.push(level, bad)
        while queue:
            level, obligation = queue.pop()
            self.obligations += 1
            self._tell_progress(len(queue))
            if self.frames.is_blocked(obligation.cube, level):
                self._push_to_next(queue, level, obligation)
                continue
            answer = self.frames.relative_induction(obligation.cube, level)
            if isinstance(answer, Blocked):
                core = self.generalisation.generalise(answer.core, level)
                self.frames.add_blocked(*self.frames.push_forward(core, level))
                self._push_to_next(queue, level, obligation)
                continue
            cube = self.lifting.lift_predecessor(answer)
            predecessor = ProofObligation(cube, answer.step, answer.inputs, obligation)
            initial = answer.state if level == 1 else self.frames.initial_state_in(cube)
            if initial is not None:
                return self._counterexample(initial, predecessor)
            queue.push(level, obligation)
            queue.push(level - 1, predecessor)
        return None

    def _push_to_next(self, queue: ObligationQueue, level: int, obligation: ProofObligation) -> None:
        """A cube that leads to a bad state must be blocked in the next frame, too."""
        if level < self.frames.frontier:
            queue.push(level + 1, obligation)

    def _invariant(self, fixpoint: int) -> Proof:
        cubes = self.frames.find_blocked_cubes(fixpoint + 1)
        learned = [tuple(sorted(negation(cube), key=abs)) for cube in cubes]
        seeds = [tuple(clause) for clause in self.frames.problem.seeds]
        clauses, queries = tuple(learned + seeds), self.frames.queries
        return Proof(
            clauses, len(learned), fixpoint, queries, self._measure_elapsed(), self.functions is not None
        )

    def _counterexample(self, state: Sequence[int], first: ProofObligation) -> Counterexample:
        initial = tuple(literal > 0 for literal in sorted(state, key=abs))
        return Counterexample(initial, tuple(first.firings()), self.frames.queries, self._measure_elapsed())

    def _measure_elapsed(self) -> float:
        return time.monotonic() - self.began

    def _clauses(self) -> int:
        return sum(orbit.count for level in self.frames.levels for orbit in level)

    def _tell_closed(self) -> None:
        self.told = time.monotonic()
        frames = self.frames
        self.listen(
            FrameClosed(
                frames.frontier, self._clauses(), self.obligations, frames.queries, self._measure_elapsed()
            )
        )

    def _tell_progress(self, waiting: int) -> None:
        if time.monotonic() - self.told < _SECONDS_BETWEEN_NEWS:
            return
        self.told = time.monotonic()
        frontier, clauses = self.frames.frontier, self._clauses()
        self.listen(FrameProgress(frontier, clauses, self.obligations, waiting, self._measure_elapsed()))
