"""Interchangeable model values, found without SYMMETRY: states that differ only in their names are one.

The formulas are searched for permutations that change only names. An evaluator of its own checks the choices
of CHOOSE and folds from its first evaluation on. If a choice breaks the symmetry, the question is asked again
with the permutations that do not exchange its candidates. If the translation cannot decide that, it is asked
again without permutations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.modules.policy import POLICY
from verifier.runs.modules.translating import NotTranslated, with_operators
from verifier.runs.news import Remark
from verifier.tla.automorphisms import interchangeable
from verifier.tla.checks import list_evaluated_formulas
from verifier.tla.interpreter import Interpreter
from verifier.tla.specification import Specification
from verifier.tla.symmetry import Asymmetric, Permutation, Renaming, Symmetry
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.outcomes.run import Run


def up_to_names(asked: ModuleQuestion, run: Callable[[ModuleQuestion], Run]) -> Run:
    """Answer a question with states that differ only in names as one, if that is sound."""
    spec = with_operators(asked.module, asked.question.properties)
    group = interchangeable(spec, list_evaluated_formulas(spec), POLICY.interchanged_names)
    while group:
        try:
            return run(watch_permutations(asked, spec, group))
        except Asymmetric as reason:
            asked.listen(Remark(f"model values are told apart: {reason}"))
            group = _keeping(group, reason.answers)
        except NotTranslated as reason:
            asked.listen(Remark(f"model values are told apart: {reason}"))
            break
    return run(asked)


def _keeping(group: list[Permutation], answers: Sequence[Value]) -> list[Permutation]:
    """Return the permutations that change none of the answers. The group gets smaller, because a removed
    permutation made an order in which another answer is the first. It is empty if the answers are not
    known."""
    renamings = [Renaming(permutation) for permutation in group] if answers else []
    return [one.permutation for one in renamings if all(one.of(answer) == answer for answer in answers)]


def watch_permutations(
    asked: ModuleQuestion, spec: Specification, group: list[Permutation]
) -> ModuleQuestion:
    """Return the question with permutations of model values, which are checked during evaluation."""
    shared = spec.evaluator
    own = Interpreter(shared.variables, shared.resolve, shared.constants, shared.order)
    own.model_values = shared.model_values
    own.symmetry = Symmetry(group, own.order)
    module = replace(asked.module, specification=replace(spec, evaluator=own))
    return replace(asked, module=module, symmetry=own.symmetry)
