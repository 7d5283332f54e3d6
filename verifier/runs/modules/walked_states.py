"""States of random walks: the properties that they violate and the steps from them, computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from verifier.runs.modules.policy import POLICY
from verifier.tla.checks import checks, list_evaluated_formulas
from verifier.tla.exploration_result import State
from verifier.tla.frames import UNSET
from verifier.tla.specification import Specification
from verifier.tla.translate.sampling import Stepper

T = TypeVar("T")


@dataclass(frozen=True)
class Look:
    """The results for a state."""

    violates: tuple[str, ...]
    following: tuple[tuple[State, str], ...]
    """The ways to take a step, with their actions."""
    breaking: Mapping[str, State]
    """The target of a violating step, for each violated step property."""
    within: bool
    """True if steps may begin there."""


class WalkedStates:
    """Tests the states of walks. Each method takes the level of the state in its walk."""

    def __init__(self, spec: Specification, names: Sequence[str], *, keeps: bool) -> None:
        """``keeps``: remember results. They are never kept if a formula may have another value when its state
        is reached again."""
        self.stepper = Stepper(spec)
        self._explorer, self._evaluator = self.stepper.explorer, spec.evaluator
        self._checks = checks(spec, names)
        self._known: dict[State, Look] = {}
        self._tested: dict[State, tuple[tuple[str, ...], bool]] = {}
        analysis = spec.evaluator.analysis
        self._keeps = keeps and not any(
            analysis.of(one.body, one.module).changing for one in list_evaluated_formulas(spec, set(names))
        )

    def look(self, state: State, level: int, *, first: bool) -> Look:
        """Return what a state violates, and the steps from it."""
        return self._recall(self._known, self._look_at, state, level, first=first)

    def test(self, state: State, level: int, *, first: bool) -> tuple[tuple[str, ...], bool]:
        """Return the properties that a state violates, and whether the constraints allow steps from it."""
        return self._recall(self._tested, self._test, state, level, first=first)

    def find_breaking(self, state: State, ways: Sequence[tuple[State, str]]) -> Mapping[str, State]:
        """Return the target of a violating step, for each violated step property."""
        steps, violations = self._checks.steps, dict[str, State]()
        for other in dict.fromkeys(reached for reached, _ in ways) if steps else ():
            self._evaluator.now[:], self._evaluator.next[:] = state, other
            for name, test in steps:
                if name not in violations and not test():
                    violations[name] = other
        return violations

    def _recall(
        self, known: dict[State, T], look: Callable[..., T], state: State, level: int, *, first: bool
    ) -> T:
        """Return what is known of a state, or look at it. The first state of a walk is always looked at."""
        if first or not self._keeps:
            return look(state, level, first=first)
        result = known.get(state)
        if result is None:
            result = look(state, level, first=False)
            if len(known) < POLICY.states_with_successors:
                known[state] = result
        return result

    def _look_at(self, state: State, level: int, *, first: bool) -> Look:
        violates, within = self._test(state, level, first=first)
        ways = self.stepper.ways(state) if within else []
        return Look(violates, tuple(ways), self.find_breaking(state, ways), within)

    def _test(self, state: State, level: int, *, first: bool) -> tuple[tuple[str, ...], bool]:
        now, following, own = self._evaluator.now, self._evaluator.next, self._checks
        self._explorer.level, self._explorer.ahead = level, 0
        now[:], following[:] = state, [UNSET] * len(state)
        tests = [*own.invariants, *(own.initially if first else ())]
        violates = tuple(dict.fromkeys(name for name, test in tests if not test()))
        return violates, all(test() for test in own.constraints)
