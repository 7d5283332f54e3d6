"""Temporal formulas of infinite executions: a sequence of states, then a loop back to an earlier one.

The truth of a formula is computed by the semantics of TLA+ alone, for every position of the execution. So it
judges the results of other parts of the program.

Source: Specifying Systems (Lamport, 2002), chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from verifier.tla.evaluator import Evaluator
from verifier.tla.exploration_result import State
from verifier.tla.splitting import Formula
from verifier.tla.unfolding import Always, Eventually, Fair, Leaf, Not, Several, Unfolded, unfold_formula

Truths = list[bool]
"""The truth of a formula at each position, for the execution from there on."""


@dataclass(frozen=True)
class Lasso:
    """An infinite execution. The state of number ``start`` follows the last state."""

    evaluator: Evaluator
    states: Sequence[State]
    start: int
    arrive: Callable[[int], None] = lambda place: None
    """A callback before an evaluation at a position."""
    tests: dict[Leaf, Callable[[], bool]] = field(default_factory=dict)
    """Formulas that are compiled already."""

    def holds(self, formula: Formula) -> bool:
        """True if the execution satisfies a temporal formula. Raises Undefined."""
        return self.truths(unfold_formula(self.evaluator, formula))[0]

    def truths(self, whole: Unfolded) -> Truths:
        """Return the truth of a formula at each position. Raises Undefined."""
        match whole:
            case Leaf():
                return self._each(whole)
            case Fair():
                return self.truths(whole.meaning)
            case Several():
                rows = [self.truths(part) for part in whole.parts]
                join = all if whole.conjunction else any
                return [join(row[place] for row in rows) for place in range(len(self.states))]
            case Not():
                return [not truth for truth in self.truths(whole.part)]
            case Always():
                row = self.truths(whole.part)
                return [all(row[later] for later in self._from(place)) for place in range(len(row))]
            case Eventually():
                row = self.truths(whole.part)
                return [any(row[later] for later in self._from(place)) for place in range(len(row))]

    def _after(self, place: int) -> int:
        return place + 1 if place + 1 < len(self.states) else self.start

    def _from(self, place: int) -> range:
        """Return all positions that are reached from one, including it."""
        return range(min(place, self.start), len(self.states))

    def _each(self, whole: Leaf) -> Truths:
        """Return the truth of a formula about a state, or a step, at each position."""
        test = self.tests.get(whole)
        if test is None:
            test = self.tests[whole] = self.evaluator.compile_truth(whole.body, whole.module)
        lassos = []
        for place, state in enumerate(self.states):
            self.arrive(place)
            self.evaluator.now[:] = state
            self.evaluator.next[:] = self.states[self._after(place)]
            lassos.append(test())
        return lassos
