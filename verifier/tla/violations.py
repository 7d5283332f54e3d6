"""What states and steps of a search violate, with the executions that lead there."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.tla.checks import Test
from verifier.tla.found import Found, State, Violation
from verifier.tla.known_states import KnownStates


class Violations:
    """The first violation of each property, by states that a search knows."""

    def __init__(self, known: KnownStates, found: Found) -> None:
        self.known, self.found = known, found
        self.depths: dict[str, int] = {}
        """Of each property that is violated, the depth of the state that does, or from which a step does."""

    def check(
        self,
        state: State,
        number: int,
        parent: int,
        tests: Sequence[tuple[str, Test]],
        *,
        of_step: bool = False,
    ) -> None:
        """Checks properties that no state violates yet, of a state that is set in the evaluator. Its number
        is -1 if it is not known; then it follows ``parent``."""
        violations = self.found.violations
        for name, test in tests:
            if name in violations:
                continue
            if not test():
                if number >= 0:
                    self.add(name, number, None)
                else:
                    self.add(name, parent, state, of_step=of_step)

    def add(self, name: str, number: int, last: State | None, *, of_step: bool = False) -> None:
        """A violation by a state that is known, or by a ``last`` one that follows it."""
        chain = [*self.known.path(number), *([] if last is None else [last])]
        self.found.violations[name] = Violation(name, chain, [])
        self.depths[name] = len(chain) - 1 - of_step

    def reached(self, level: int) -> bool:
        """Whether some property is violated within these levels."""
        return min(self.depths.values(), default=level + 1) <= level

    def forget_deeper(self, level: int) -> None:
        """Forgets what is violated behind a level: not all states there were looked at."""
        found = self.found
        found.violations = {
            name: one for name, one in found.violations.items() if self.depths[name] <= level
        }
