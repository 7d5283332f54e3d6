"""k-induction: a property holds in every state if the base case and the step case hold for some k.

The base case: no execution of fewer than k actions violates the property. The step case: no path of k
different states that satisfy the property leads to a state that violates it (Sheeran, Singh and Stalmarck
2000, doi:10.1007/3-540-40922-X_8). The clauses that make two states different are added only when a path is
found on which they are equal (Een and Sorensson 2003, doi:10.1016/S1571-0661(05)82542-3).

The base case asks about each depth with the relation up to that depth only. So it finds a violation in a
state that has no successor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pysmt.fnode import FNode

from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.structural_invariants import structural_invariants
from verifier.clauses.type_clauses import type_clauses
from verifier.clauses.unrolling import Clauses, Steps, unroll
from verifier.engines.bounded_search import SolverGaveUp, ViolationFound, execution
from verifier.solvers import ClauseSolver, UnknownAnswer, open_solver, satisfiable
from verifier.system.transition_system import SafetyProperty, TransitionSystem


@dataclass(frozen=True)
class BaseClosed:
    """News that no execution of at most ``depth`` actions violates the property."""

    depth: int
    seconds: float


@dataclass(frozen=True)
class KInductionProof:
    """The property is k-inductive if the clauses are assumed. They are an inductive invariant."""

    k: int
    clauses: tuple[tuple[int, ...], ...]
    """Over the state bits."""
    seconds: float
    assumed: tuple[int, ...] = ()
    """The assumptions that the step case uses, by index."""


@dataclass(frozen=True)
class BoundReached:
    """The property is not k-inductive up to the greatest k that was allowed."""

    k: int


Event = BaseClosed | KInductionProof | ViolationFound | SolverGaveUp | BoundReached


def kinduction(
    system: TransitionSystem,
    name: str,
    solver: str,
    report: Callable[[Event], None],
    largest_k: int | None = None,
    structural: Clauses | None = None,
    assumed: Sequence[FNode] = (),
) -> None:
    """Increases k until the property is proved or violated. The last event says which.

    ``structural`` are the clauses of ``structural_invariants``; None: they are computed here. ``assumed``
    are formulas that hold in every reachable state; each is inductive.
    """
    _KInduction(system, name, solver, report, largest_k, structural, assumed).run()


class _KInduction:
    def __init__(
        self,
        system: TransitionSystem,
        name: str,
        solver: str,
        report: Callable[[Event], None],
        largest_k: int | None,
        structural: Clauses | None,
        assumed: Sequence[FNode],
    ) -> None:
        self.began = time.monotonic()
        self.name = name
        self.solver = solver
        self.report = report
        self.largest_k = largest_k
        prop = system.property_named(name)
        named = {f"assumed {index}": formula for index, formula in enumerate(assumed)}
        known = (SafetyProperty(each, prop.kind, formula, False) for each, formula in named.items())
        relevant = replace(system, properties=(prop, *known))
        self.unrolling = unroll(relevant, Steps.SERIAL, symmetry=False)
        self.assumed = [self.unrolling.properties[each] for each in named]
        self.variables = FrameVariables(self.unrolling)
        self.holds = self.unrolling.properties[name]
        if structural is None:
            structural = structural_invariants(system, self.unrolling)
        self.invariants = [*type_clauses(system), *structural]

    def run(self) -> None:
        """Asks the step case and the base case in turn, each in a solver of its own."""
        base, step = open_solver(self.solver), _InductionStep(self)
        try:
            base.add_clauses(self.unrolling.start)
            k = 0
            while self.largest_k is None or k <= self.largest_k:
                if step.holds(k):
                    clauses = tuple(map(tuple, self.invariants))
                    self.report(KInductionProof(k, clauses, self._measure_elapsed(), step.assumptions_used()))
                    return
                if self._base_fails(base, k):
                    return
                k += 1
            assert self.largest_k is not None
            self.report(BoundReached(self.largest_k))
        except UnknownAnswer:
            self.report(SolverGaveUp(f"{self.solver} gave up"))
        finally:
            base.close()
            step.solver.close()

    def _base_fails(self, base: ClauseSolver, depth: int) -> bool:
        self.variables.open_frame()
        if depth:
            base.add_clauses(self.variables.place_clauses(self.unrolling.relation, depth - 1))
        base.add_clauses(self.variables.place_clauses(self.invariants, depth))
        base.add_clauses(self.variables.place_clauses(self.unrolling.state, depth))
        holds = self.variables.at(self.holds, depth)
        if satisfiable(base, [-holds]):
            initial, firings = execution(base, self.unrolling, self.variables, depth)
            self.report(ViolationFound(self.name, initial, firings, depth, self._measure_elapsed()))
            return True
        base.add_clauses([[holds]])
        self.report(BaseClosed(depth, self._measure_elapsed()))
        return False

    def _measure_elapsed(self) -> float:
        return time.monotonic() - self.began


class _InductionStep:
    """The step case: paths of different states that satisfy the property and the invariants."""

    def __init__(self, run: _KInduction) -> None:
        self.run = run
        self.solver = open_solver(run.solver)
        self.variables = FrameVariables(run.unrolling)
        self.switches = [self.variables.fresh() for _ in run.assumed]
        """A literal for each assumption that switches it on in every state."""

    def assumptions_used(self) -> tuple[int, ...]:
        """The assumptions, by index, that the last answer rests on."""
        core = self.solver.failed_assumptions() if self.switches else []
        return tuple(index for index, switch in enumerate(self.switches) if switch in core)

    def holds(self, k: int) -> bool:
        """True if no path of k different good states leads to a bad state."""
        run, solver, variables = self.run, self.solver, self.variables
        variables.open_frame()
        if k:
            solver.add_clauses([[variables.at(run.holds, k - 1)]])
            solver.add_clauses(variables.place_clauses(run.unrolling.relation, k - 1))
        solver.add_clauses(variables.place_clauses(run.invariants, k))
        solver.add_clauses(variables.place_clauses(run.unrolling.state, k))
        pairs = zip(self.switches, run.assumed, strict=True)
        solver.add_clauses([[-switch, variables.at(literal, k)] for switch, literal in pairs])
        while satisfiable(solver, [-variables.at(run.holds, k), *self.switches]):
            same = self._same_states(k)
            if not same:
                return False
            for one, other in same:
                self._differ(one, other)
        return True

    def _same_states(self, k: int) -> list[tuple[int, int]]:
        """Pairs of frames that have the same state in the solver's model."""
        bits = range(1, self.run.unrolling.bits + 1)
        first: dict[tuple[bool, ...], int] = {}
        literals = []
        for frame in range(k + 1):
            state = tuple(self.solver.values(self.variables.at(bit, frame) for bit in bits))
            earlier = first.setdefault(state, frame)
            if earlier != frame:
                literals.append((earlier, frame))
        return literals

    def _differ(self, one: int, other: int) -> None:
        """Adds clauses that make the states of two frames different."""
        flags = []
        for bit in range(1, self.run.unrolling.bits + 1):
            flag = self.variables.fresh()
            a, b = self.variables.at(bit, one), self.variables.at(bit, other)
            self.solver.add_clauses([[-flag, a, b], [-flag, -a, -b]])
            flags.append(flag)
        self.solver.add_clauses([flags])
