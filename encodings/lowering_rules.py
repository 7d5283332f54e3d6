"""Rules of the finite reading that are made of operations on lowered values."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pysmt.fnode import FNode

from verifier.encodings.lowered import Lowered
from verifier.encodings.term_lowering import Rule


def of_all(operation: Callable[..., Lowered]) -> Rule:
    """The rule for an operation on all arguments in lowered form."""
    return lambda lowering, term, bindings: operation(*lowering.arguments(term, bindings))


def of_sort(operation: Callable[..., Lowered]) -> Rule:
    """The rule for an operation on the result's sort and all arguments in lowered form."""
    return lambda lowering, term, bindings: operation(term.sort, *lowering.arguments(term, bindings))


def of_formulas(operation: Callable[[Iterable[FNode]], Lowered]) -> Rule:
    """The rule for an operation on all arguments as formulas."""
    return lambda lowering, term, bindings: operation(lowering.formulas(term, bindings))


def of_instances(operation: Callable[[Iterable[FNode]], Lowered]) -> Rule:
    """The rule for an operation on the formulas for all values of the bound variable."""
    return lambda lowering, term, bindings: operation(
        formula for _, formula in lowering.instances(term, bindings)
    )
