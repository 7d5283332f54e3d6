"""The violations of states and steps in a search, with the executions that lead to them."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.tla.checks import Test
from verifier.tla.exploration_result import ExplorationResult, State, Violation
from verifier.tla.known_states import KnownStates


class Violations:
    """The first violation of each property."""

    def __init__(self, known: KnownStates, result: ExplorationResult) -> None:
        self.known, self.result = known, result
        self.depths: dict[str, int] = {}
        """For each violated property: the depth of the violating state, or of the source of the violating
        step."""

    def check(
        self,
        state: State,
        number: int,
        parent: int,
        tests: Sequence[tuple[str, Test]],
        *,
        of_step: bool = False,
    ) -> None:
        """Check properties without a violation in the state that is set in the evaluator. Its number is -1 if
        it is not known; then it follows ``parent``."""
        violations = self.result.violations
        for name, test in tests:
            if name in violations:
                continue
            if not test():
                if number >= 0:
                    self.add(name, number, None)
                else:
                    self.add(name, parent, state, of_step=of_step)

    def add(self, name: str, number: int, last: State | None, *, of_step: bool = False) -> None:
        """Add a violation by a known state, or by a ``last`` state that follows it."""
        chain = [*self.known.path(number), *([] if last is None else [last])]
        self.result.violations[name] = Violation(name, chain, [])
        self.depths[name] = len(chain) - 1 - of_step

    def is_reached(self, level: int) -> bool:
        """True if some property is violated within these levels."""
        return min(self.depths.values(), default=level + 1) <= level

    def forget_deeper(self, level: int) -> None:
        """Forget violations beyond a level: not all states there were checked."""
        result = self.result
        result.violations = {
            name: one for name, one in result.violations.items() if self.depths[name] <= level
        }
