"""The permutations of a configuration, if the properties do not distinguish permuted values."""

from __future__ import annotations

from collections.abc import Container

from verifier.tla.automorphisms import asymmetry, permutations
from verifier.tla.checks import list_evaluated_formulas
from verifier.tla.specification import Specification
from verifier.tla.symmetry import Symmetry


def find_permutations(spec: Specification, asked: Container[str]) -> tuple[Symmetry | None, str | None]:
    """Return the permutations, which are checked during use, or None. The second result is the reason why
    they are not used, if there are any."""
    group = permutations(spec)
    if not group:
        return None, None
    formulas = [*list_evaluated_formulas(spec, asked), *filter(None, (spec.view,))]
    reason = asymmetry(spec, formulas, group)
    return (Symmetry(group, spec.evaluator.order) if reason is None else None), reason
