"""_POSSIBLE of a configuration: the number of times that each formula is true, as TLC counts.

TLC counts a formula of states where it evaluates the constraints: for each generated state, even a known one.
It counts a formula of steps where it evaluates the action constraints: where the constraints hold.

Source: ``tlc2.tool.coverage.CostModel`` (tlaplus/tlaplus).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from verifier.tla.facts import STATE
from verifier.tla.frames import UNSET
from verifier.tla.value_types import Fn, Value

if TYPE_CHECKING:
    from verifier.tla.checks import Checks, Test
    from verifier.tla.exploration_result import State
    from verifier.tla.specification import Specification

COUNTS = "s:_possible"
"""TLC's register for the counts by name."""


class Possible:
    """The counts of one search."""

    def __init__(self, specification: Specification, checks: Checks) -> None:
        self.evaluator = evaluator = specification.evaluator
        self.constraints, self.action_constraints = checks.constraints, checks.action_constraints
        self.of_states: dict[str, Test] = {}
        self.of_steps: dict[str, Test] = {}
        for name, formula in specification.possible.items():
            level = evaluator.analysis.of(formula.body, formula.module).level
            tests = self.of_states if level <= STATE else self.of_steps
            tests[name] = evaluator.compile_truth(formula.body, formula.module)
        evaluator.registers.pop(COUNTS, None)

    @property
    def counts(self) -> Mapping[Value, Value]:
        """Return the number of times that each formula was true so far."""
        register = self.evaluator.registers.get(COUNTS)
        return register if isinstance(register, Fn) else {}

    def initially(self) -> None:
        """Count an initial state, which is set in the evaluator."""
        if self.of_states and all(test() for test in self.constraints):
            self._count(self.of_states)

    def step(self, state: State, made: State) -> None:
        """Count a step and its successor."""
        now, following = self.evaluator.now, self.evaluator.next
        now[:], following[:] = made, [UNSET] * len(made)
        if not all(test() for test in self.constraints):
            return
        self._count(self.of_states)
        now[:], following[:] = state, made
        if self.of_steps and all(test() for test in self.action_constraints):
            self._count(self.of_steps)

    def _count(self, tests: Mapping[str, Test]) -> None:
        for name, test in tests.items():
            known = dict(self.counts)
            before = known.get(name, 0)
            assert isinstance(before, int)
            self.evaluator.registers[COUNTS] = Fn({**known, name: before + test()})
