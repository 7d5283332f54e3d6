"""Targets in guards: their parts, conjuncts that alone are false, and such that alone keep an invariant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from verifier.conform.coverage import Part
from verifier.conform.machine import Machine
from verifier.errors import UsageError
from verifier.testing.requests import BY_STATES, NEAR_VIOLATIONS


@dataclass
class GuardTargets:
    """The targets in the guards of a specification's actions, in numbered states."""

    machine: Machine
    state: Callable[[int], Any]
    """Returns a state of the machine by its number."""
    _near: dict[int, list[tuple[Part, list[Any]]]] = field(default_factory=dict)

    def all(self, cover: str) -> list[Part]:
        """Return all targets."""
        of = self.machine.conjuncts if cover in BY_STATES else self.machine.parts
        return list(dict.fromkeys(part for action in self.machine.actions for part in of(action)))

    def of_step(self, source: int, action: str, given: Mapping[str, Any]) -> list[Part]:
        """Return the parts of a guard that are true in a step."""
        return self.machine.true_parts(self.state(source), action, given)

    def of_state(self, number: int, cover: str) -> list[Part]:
        """Return the conjuncts that alone are false in a state. Of near violations, a step without the
        conjunct would violate an invariant."""
        if number not in self._near:
            state, near = self.state(number), self.machine.near_failures
            self._near[number] = [one for action in self.machine.actions for one in near(state, action)]
        failures = self._near[number]
        if cover == NEAR_VIOLATIONS:
            failures = [(part, states) for part, states in failures if any(map(self._violates, states))]
        return [part for part, _ in failures]

    def _violates(self, state: Any) -> bool:
        """True if an invariant is false in a state. One without a value there is not."""
        for name in self.machine.invariants:
            with suppress(UsageError):
                if not self.machine.holds(state, name):
                    return True
        return False
