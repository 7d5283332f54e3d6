"""What a search evaluates in states and of steps: properties, constraints, the view."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import TypeAlias

from verifier.tla.conjuncts import remembering
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.values import Value

Test: TypeAlias = Callable[[], bool]
"""Whether a formula is true of what is set in the evaluator."""


@dataclass(frozen=True)
class Checks:
    """Formulas, compiled: of each property under its name."""

    invariants: list[tuple[str, Test]]
    initially: list[tuple[str, Test]]
    steps: list[tuple[str, Test]]
    constraints: list[Test]
    action_constraints: list[Test]
    always_alike: bool
    """Whether a state that is within the constraints stays so."""
    view: Callable[[], Value] | None


def evaluated(spec: Specification, asked: Container[str] | None = None) -> list[Formula]:
    """The formulas, but for the view, that a search evaluates where these properties are asked, or all."""
    invariants = [one for name, one in spec.invariants.items() if asked is None or name in asked]
    parts = [one for name, one in spec.properties.items() if asked is None or name in asked]
    return [
        *spec.init, *filter(None, (spec.next,)), *spec.constraints, *spec.action_constraints, *invariants,
        *spec.possible.values(),
        *(formula for part in parts for formula in (*part.initially, *part.always, *part.steps)),
    ]  # fmt: skip


def checks(spec: Specification, asked: Container[str]) -> Checks:
    """What is evaluated where these properties are asked."""
    evaluator = spec.evaluator

    def test(formula: Formula) -> Test:
        return evaluator.compiled_truth(formula.body, formula.module)

    parts = [(name, safety) for name, safety in spec.properties.items() if name in asked]
    invariants = [(n, remembering(evaluator, f)) for n, f in spec.invariants.items() if n in asked]
    facts = [evaluator.analysis.of(formula.body, formula.module) for formula in spec.constraints]
    return Checks(
        invariants + [(name, remembering(evaluator, f)) for name, safety in parts for f in safety.always],
        [(name, test(formula)) for name, safety in parts for formula in safety.initially],
        [(name, test(formula)) for name, safety in parts for formula in safety.steps],
        [test(formula) for formula in spec.constraints],
        [test(formula) for formula in spec.action_constraints],
        not any(each.changing for each in facts) and not spec.possible,
        evaluator.compiled(spec.view.body, spec.view.module) if spec.view is not None else None,
    )
