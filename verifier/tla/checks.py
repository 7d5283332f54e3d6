"""The formulas that a search evaluates: properties of states and steps, constraints, the view."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from verifier.tla.conjuncts import remembering
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.value_types import Value

Test: TypeAlias = Callable[[], bool]
"""Returns True if a formula is true of the state or step that is set in the evaluator."""


@dataclass(frozen=True)
class Checks:
    """Compiled formulas, by the name of their property."""

    invariants: list[tuple[str, Test]]
    initially: list[tuple[str, Test]]
    steps: list[tuple[str, Test]]
    constraints: list[Test]
    action_constraints: list[Test]
    always_alike: bool
    """True if the constraints have the same value each time in the same state."""
    view: Callable[[], Value] | None


def list_evaluated_formulas(spec: Specification, asked: Container[str] | None = None) -> list[Formula]:
    """Return the formulas that a search evaluates for the asked properties, or for all, without the view."""
    invariants = [one for name, one in spec.invariants.items() if asked is None or name in asked]
    parts = [one for name, one in spec.properties.items() if asked is None or name in asked]
    return [
        *spec.init, *filter(None, (spec.next,)), *spec.constraints, *spec.action_constraints, *invariants,
        *spec.possible.values(),
        *(formula for part in parts for formula in (*part.initially, *part.always, *part.steps)),
    ]  # fmt: skip


def checks(spec: Specification, asked: Container[str]) -> Checks:
    """Compile the formulas that are evaluated for the asked properties."""
    evaluator = spec.evaluator

    def test(formula: Formula) -> Test:
        return evaluator.compile_truth(formula.body, formula.module)

    # A formula that is counted is evaluated in each state, also if the values that it reads were seen before.
    look = partial(remembering, evaluator) if evaluator.counts is None else test
    parts = [(name, safety) for name, safety in spec.properties.items() if name in asked]
    invariants = [(n, look(f)) for n, f in spec.invariants.items() if n in asked]
    facts = [evaluator.analysis.of(formula.body, formula.module) for formula in spec.constraints]
    return Checks(
        invariants + [(name, look(f)) for name, safety in parts for f in safety.always],
        [(name, test(formula)) for name, safety in parts for formula in safety.initially],
        [(name, test(formula)) for name, safety in parts for formula in safety.steps],
        [test(formula) for formula in spec.constraints],
        [test(formula) for formula in spec.action_constraints],
        not any(each.changing for each in facts) and not spec.possible,
        evaluator.compile_value(spec.view.body, spec.view.module) if spec.view is not None else None,
    )
