"""Model values that are interchangeable, found: of states that differ in their names only, one is looked at.

A search needs no SYMMETRY for that. The permutations that change nothing in the formulas but names are looked
for, and an evaluator of its own watches what CHOOSE and folds take, from its first evaluation on. Where they
turn out to take one of several, or the translation cannot say that they do not, the question is asked again
without permutations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.runs.asking import Remark
from verifier.runs.tla_rounds import ModuleQuestion
from verifier.runs.tla_symbolic import NotTranslated, with_operators
from verifier.tla.automorphisms import interchangeable
from verifier.tla.evaluator import Evaluator
from verifier.tla.specification import Formula, Specification
from verifier.tla.symmetry import Asymmetric, Symmetry

if TYPE_CHECKING:
    from verifier.outcomes.run import Run

_MOST_PERMUTATIONS = 120


def up_to_names(asked: ModuleQuestion, run: Callable[[ModuleQuestion], Run]) -> Run:
    """What comes of a question, states that differ in names only being one where that is sound."""
    watched = _watched(asked)
    if watched is not None:
        try:
            return run(watched)
        except (Asymmetric, NotTranslated) as reason:
            asked.listen(Remark(f"model values are told apart: {reason}"))
    return run(asked)


def _watched(asked: ModuleQuestion) -> ModuleQuestion | None:
    """The same with the permutations of model values that change nothing but names; None without any."""
    spec = with_operators(asked.module, asked.question.properties)
    group = interchangeable(spec, evaluated(spec), _MOST_PERMUTATIONS)
    if not group:
        return None
    shared = spec.evaluator
    own = Evaluator(shared.variables, shared.resolve, shared.constants, shared.order)
    own.symmetry = Symmetry(group, own.order)
    module = replace(asked.module, specification=replace(spec, evaluator=own))
    return replace(asked, module=module, symmetry=own.symmetry)


def evaluated(spec: Specification) -> list[Formula]:
    """All that a search evaluates."""
    parts = spec.properties.values()
    return [
        *spec.init, *filter(None, (spec.next,)), *spec.constraints, *spec.action_constraints,
        *spec.invariants.values(),
        *(formula for part in parts for formula in (*part.initially, *part.always, *part.steps)),
    ]  # fmt: skip
