"""Model values that are interchangeable, found: of states that differ in their names only, one is looked at.

A search needs no SYMMETRY for that. The permutations that change nothing in the formulas but names are looked
for, and an evaluator of its own watches what CHOOSE and folds take, from its first evaluation on. Where they
turn out to take one of several, the question is asked again with the permutations that exchange none of
these; where the translation cannot say that they do not, without permutations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.runs.asking import Remark
from verifier.runs.tla_rounds import ModuleQuestion
from verifier.runs.tla_symbolic import NotTranslated, with_operators
from verifier.tla.automorphisms import interchangeable
from verifier.tla.checks import evaluated
from verifier.tla.evaluator import Evaluator
from verifier.tla.specification import Specification
from verifier.tla.symmetry import Asymmetric, Permutation, Renaming, Symmetry
from verifier.tla.values import Value

if TYPE_CHECKING:
    from verifier.outcomes.run import Run

_MOST_PERMUTATIONS = 120


def up_to_names(asked: ModuleQuestion, run: Callable[[ModuleQuestion], Run]) -> Run:
    """What comes of a question, states that differ in names only being one where that is sound."""
    spec = with_operators(asked.module, asked.question.properties)
    group = interchangeable(spec, evaluated(spec), _MOST_PERMUTATIONS)
    while group:
        try:
            return run(_watched(asked, spec, group))
        except Asymmetric as reason:
            asked.listen(Remark(f"model values are told apart: {reason}"))
            group = _keeping(group, reason.answers)
        except NotTranslated as reason:
            asked.listen(Remark(f"model values are told apart: {reason}"))
            break
    return run(asked)


def _keeping(group: list[Permutation], answers: Sequence[Value]) -> list[Permutation]:
    """The permutations that change none of the answers: a smaller group, since one of those that are left out
    made an order in which another answer is the first. None if the answers are not known."""
    renamings = [Renaming(permutation) for permutation in group] if answers else []
    return [one.permutation for one in renamings if all(one.of(answer) == answer for answer in answers)]


def _watched(asked: ModuleQuestion, spec: Specification, group: list[Permutation]) -> ModuleQuestion:
    """The same with permutations of model values, which are watched."""
    shared = spec.evaluator
    own = Evaluator(shared.variables, shared.resolve, shared.constants, shared.order)
    own.model_values = shared.model_values
    own.symmetry = Symmetry(group, own.order)
    module = replace(asked.module, specification=replace(spec, evaluator=own))
    return replace(asked, module=module, symmetry=own.symmetry)
