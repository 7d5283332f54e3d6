"""Bounded model checking, depth by depth, with one incremental solver.

Depth *k* is closed for a property when no execution of at most *k* actions reaches a state that
violates it. When the property is asked in frame *k*, the relation is asserted only up to frame *k*. So a
violating state without a successor counts (Biere et al. 1999, doi:10.1007/3-540-49059-0_14).

Where the formula of a step invariant fails, one more action breaks it. So at depth *k* it is asked in frame
*k* - 1, before the relation to frame *k* is asserted. Reductions may leave out the step that breaks it, but
no state in which it is enabled: up to names, each state is the end of an execution that they keep.

A search with a stride leaps: it asks only at every so many steps, about all properties at once. Its steps may
take no action, so that a state of any frame is also one of the next frame asked about, and no violation is
missed. It is spared the proofs that no shorter execution is a violation (Rintanen 2004, "Evaluation
strategies for planning as satisfiability").
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.clauses.action_limit import ActionLimit, exclusive_groups
from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.unrolling import Clauses, Steps, Unrolling, unroll
from verifier.solvers import ClauseSolver, UnknownAnswer, open_solver, satisfiable
from verifier.symmetry.bit_permutations import Permutation
from verifier.system.transition_system import TransitionSystem

if TYPE_CHECKING:
    from verifier.engines.search_parts import Part


@dataclass(frozen=True)
class Search:
    """The task of one search."""

    steps: Steps
    solver: str
    depth: int
    properties: tuple[str, ...]
    symmetry: bool = True
    seed: int = 0
    part: Part | None = None
    """The executions that are searched, and for which depths are closed; None: all."""
    awaited: tuple[str, ...] = ()
    """Actions that are looked for in every state to the depth, also once all properties are decided."""
    ahead: int = 0
    """The number of steps of the search within which longer executions count too: see ``engines.bmc``."""
    within: tuple[str, ...] = ()
    """Properties of which they do not."""
    swapping: bool = True
    """True if two consecutive actions that commute are searched in one order only."""
    structural: bool = True
    """True if structural invariants are added if steps are serial."""
    guesses: Clauses | None = None
    """Clauses over the state bits of which the structural invariants are then those that are shown here to be
    inductive; None: they are looked for."""
    stride: int = 1
    """The steps from one question to the next. More than 1: the search leaps, and its steps are parallel."""
    permutations: tuple[Permutation, ...] = ()
    """Symmetries of the system, by whose orbits structural invariants are looked for and shown."""


@dataclass(frozen=True)
class SetupDone:
    """The search is set up."""

    seconds: float
    clauses_per_step: int
    """The number of clauses of one frame, with the step to the next."""
    structural_invariants: int


@dataclass(frozen=True)
class DepthClosed:
    """News that no execution of at most ``depth`` actions violates any of these properties."""

    depth: int
    properties: tuple[str, ...]
    seconds: float
    """Since the search began."""
    unrolling_seconds: float
    """The part of them in which clauses were copied and handed to the solver."""
    everywhere: bool = False
    """True if no longer execution does either."""


@dataclass(frozen=True)
class Firing:
    """One instance taken, by its index in the system, with the bits of its free parameters."""

    instance: int
    inputs: tuple[bool, ...]


@dataclass(frozen=True)
class ViolationFound:
    """An execution that ends in a state violating the property, or in which an instance breaks it."""

    violates: str
    initial: tuple[bool, ...]
    firings: tuple[Firing, ...]
    steps: int
    """The number of steps, with the one that violates a step invariant. A serial step is one firing, a
    parallel step at least one."""
    seconds: float


@dataclass(frozen=True)
class ActionsEnabled:
    """Actions that are enabled in a reachable state and were not reported before."""

    actions: tuple[str, ...]


@dataclass(frozen=True)
class SolverGaveUp:
    """The solver gave neither answer, so the search ends."""

    reason: str


Event = SetupDone | DepthClosed | ViolationFound | ActionsEnabled | SolverGaveUp


def search(
    system: TransitionSystem,
    task: Search,
    report: Callable[[Event], None],
    decided_elsewhere: Callable[[], Collection[str]] = tuple,
    is_within: Callable[[ViolationFound], bool] = lambda _: True,
) -> None:
    """Search up to the task's depth, or until every property is violated. ``report`` is called with each
    event as it happens. ``decided_elsewhere`` is called between queries, and returns the properties that need
    no further search. ``is_within`` decides whether a violation, shortened, has no more actions than the
    depth. The search continues until it has found one that has, or a longer one in the first steps
    (``ahead``)."""
    _DepthSearch(system, task, report, decided_elsewhere, is_within).run()


class _DepthSearch:
    def __init__(
        self,
        system: TransitionSystem,
        task: Search,
        report: Callable[[Event], None],
        decided_elsewhere: Callable[[], Collection[str]],
        is_within: Callable[[ViolationFound], bool],
    ) -> None:
        self.began = time.monotonic()
        self.unrolling_seconds = 0.0
        self.system = system
        self.task = task
        self.report = report
        self.decided_elsewhere = decided_elsewhere
        self.is_within = is_within
        self.action_limit: ActionLimit | None = None
        """Set once parallel steps have found what takes more actions than the depth and does not count."""
        self.leaps = task.stride > 1
        self.unrolling = unroll(system, task.steps, task.symmetry, task.swapping, idle=self.leaps)
        self.variables = FrameVariables(self.unrolling)
        # Structural invariants help to close a depth. Parallel steps look for violations, and find them
        # before the invariants would be computed.
        self.invariants: Clauses = []
        if task.steps is Steps.SERIAL and task.structural:
            from verifier.clauses.structural_invariants import structural_invariants  # NumPy loads slowly

            # Searching breaks the symmetry, which orbits need.
            whole = unroll(system, Steps.SERIAL, symmetry=False) if task.permutations else self.unrolling
            self.invariants = structural_invariants(system, whole, task.permutations, task.guesses)
        self.solver = open_solver(task.solver, task.seed)
        self.open = list(task.properties)
        self.unseen = sorted(self.unrolling.enabled)

    def run(self) -> None:
        per_step = len(self.unrolling.relation) + len(self.unrolling.succession) + len(self.unrolling.state)
        self.report(SetupDone(self._measure_elapsed(), per_step, len(self.invariants)))
        try:
            for depth in range(self.task.depth + 1):
                asks = depth % self.task.stride == 0 or depth == self.task.depth
                if depth > 0 and asks:
                    self._ask(depth - 1, about_steps=True)
                self._open_frame(depth)
                if not asks:
                    continue
                self._look_for_enabled(depth)  # first, because a verdict may end the search
                self._ask(depth, about_steps=False)
                if self.open:
                    seconds = self._measure_elapsed()
                    self.report(DepthClosed(depth, tuple(self.open), seconds, self.unrolling_seconds))
                if not self.open and not set(self.task.awaited).intersection(self.unseen):
                    break
        except UnknownAnswer:
            self.report(SolverGaveUp(f"{self.task.solver} gave up"))
        finally:
            self.solver.close()

    def _measure_elapsed(self) -> float:
        return time.monotonic() - self.began

    def _open_frame(self, depth: int) -> None:
        began = time.monotonic()
        self.variables.open_frame()
        if depth == 0:
            self._add(self.unrolling.start, 0)
        else:
            self._add(self.unrolling.relation, depth - 1)
            if self.action_limit is not None:
                self.solver.add_clauses(self.action_limit.frame(depth - 1))
                if depth > self.task.ahead:
                    self.solver.add_clauses([self._kept])
        if depth > 1:
            self._add(self.unrolling.succession, depth - 2)
        self._add(self.invariants, depth)
        self._add(self.unrolling.state, depth)
        if self.task.part is not None:
            self._add([[literal] for literal in self.task.part.units(self.system, depth)], depth)
        self.unrolling_seconds += time.monotonic() - began

    def _add(self, clauses: Clauses, frame: int) -> None:
        self.solver.add_clauses(self.variables.place_clauses(clauses, frame))

    def _holds(self, name: str, depth: int) -> int:
        return self.variables.at(self.unrolling.properties[name], depth)

    def _ask(self, frame: int, *, about_steps: bool) -> None:
        """Asks for each open property whether its formula fails in a state of the last frame: of those about
        steps, or of the others.

        One query per property takes two thirds to three quarters of the time of a first query for any
        violation (measured on the Kafka specs).
        """
        if self.leaps:
            self._leap(frame, about_steps=about_steps)
        for name in [name for name in self.open if self.system.about_steps(name) is about_steps]:
            self._drop(self.decided_elsewhere())
            if name not in self.open:
                continue
            answer = satisfiable(self.solver, self._violation(name, frame))
            if answer and not self._report_violation(frame, name):
                self._limit_actions(frame, frame + about_steps)
                answer = satisfiable(self.solver, self._violation(name, frame)) and self._report_violation(
                    frame, name
                )
            if not answer:
                self.solver.add_clauses([[-literal for literal in self._violation(name, frame)]])

    def _leap(self, frame: int, *, about_steps: bool) -> None:
        """Ask for any violation in the last frame, until there is no other. A question about a property alone
        is then asked only if an execution has more actions than the depth."""
        while self.action_limit is None:
            self._drop(self.decided_elsewhere())
            asked = [name for name in self.open if self.system.about_steps(name) is about_steps]
            if not asked:
                return
            some = self.variables.fresh()
            self.solver.add_clauses([[-some, *(-self._holds(name, frame) for name in asked)]])
            if not satisfiable(self.solver, [some]):
                self.solver.add_clauses([[self._holds(name, frame)] for name in asked])
                return
            violated = next(name for name in asked if not self._value(self.unrolling.properties[name], frame))
            if not self._report_violation(frame, violated):
                return

    def _violation(self, name: str, frame: int) -> list[int]:
        """The assumptions that find a violation that counts. Beside a limit of actions, one is left for what
        breaks a step invariant."""
        limit, last = self.action_limit, self.system.about_steps(name)
        if limit is None or (frame + last <= self.task.ahead and name not in self.task.within):
            return [-self._holds(name, frame)]
        return [-self._holds(name, frame), limit.kept, *(limit.one_left if last else [])]

    def _drop(self, names: Collection[str]) -> None:
        self.open = [name for name in self.open if name not in names]

    def _report_violation(self, frame: int, name: str) -> bool:
        """Reports every open property asked about along with this one that the solver's model violates in the
        last frame. Returns whether the violation of this one has few enough actions."""
        initial, firings = execution(self.solver, self.unrolling, self.variables, frame)
        last = self.system.about_steps(name)
        asked = [other for other in self.open if self.system.about_steps(other) is last]
        violated = [other for other in asked if not self._value(self.unrolling.properties[other], frame)]
        executions = [
            ViolationFound(other, initial, firings, frame + last, self._measure_elapsed())
            for other in violated
        ]
        few = len(firings) + last <= self.task.depth
        within = [one.violates for one in executions if few or self._counts(one) or self.is_within(one)]
        for violation in executions:
            self.report(violation)
        self._drop(within)
        return name in within

    def _counts(self, violation: ViolationFound) -> bool:
        return violation.steps <= self.task.ahead and violation.violates not in self.task.within

    def _limit_actions(self, frame: int, steps: int) -> None:
        """Count actions from now on. Beyond the steps in which longer executions count, no more of them are
        taken than the depth. The depths closed before stay closed: they were closed for more."""
        if self.action_limit is None:
            groups = exclusive_groups(self.system.instances)
            self.action_limit = ActionLimit(self.task.depth, groups, self.unrolling.firing, self.variables)
            for earlier in range(frame):
                self.solver.add_clauses(self.action_limit.frame(earlier))
        if steps > self.task.ahead:
            self.solver.add_clauses([[self.action_limit.kept]])

    def _value(self, literal: int, frame: int) -> bool:
        placed = self.variables.at(literal, frame)
        return self.solver.value(abs(placed)) == (placed > 0)

    def _look_for_enabled(self, depth: int) -> None:
        """Reports the actions that are enabled in a state at this depth for the first time."""
        seen: list[str] = []
        for action in self.unseen:
            enabled = self.variables.at(self.unrolling.enabled[action], depth)
            if action not in seen and self._is_reached(enabled, depth):
                others = (other for other in self.unseen if other not in seen)
                seen += [other for other in others if self._is_enabled_in_model(other, depth)]
        self.unseen = [action for action in self.unseen if action not in seen]
        if seen:
            self.report(ActionsEnabled(tuple(seen)))

    def _is_reached(self, literal: int, depth: int) -> bool:
        """True if an execution of few enough actions makes the literal true."""
        answer = satisfiable(self.solver, [literal, *self._kept])
        if answer and len(execution(self.solver, self.unrolling, self.variables, depth)[1]) > self.task.depth:
            self._limit_actions(depth, depth)
            answer = satisfiable(self.solver, [literal, *self._kept])
        return answer

    @property
    def _kept(self) -> list[int]:
        return [] if self.action_limit is None else [self.action_limit.kept]

    def _is_enabled_in_model(self, action: str, depth: int) -> bool:
        literal = self.unrolling.enabled[action]
        return any(self._value(literal, frame) for frame in range(depth + 1))


def execution(
    solver: ClauseSolver, unrolling: Unrolling, variables: FrameVariables, depth: int
) -> tuple[tuple[bool, ...], tuple[Firing, ...]]:
    """The execution in the solver's model: its first state, and what fires in its first ``depth`` frames."""

    def values(literals: Iterable[int], frame: int) -> list[bool]:
        return solver.values(variables.at(literal, frame) for literal in literals)

    firings = []
    for frame in range(depth):
        taken = values(unrolling.firing, frame)
        firings += [
            Firing(index, tuple(values(unrolling.inputs[index], frame)))
            for index in unrolling.order
            if taken[index]
        ]
    return tuple(values(range(1, unrolling.bits + 1), 0)), tuple(firings)
