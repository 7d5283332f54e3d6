"""Which operations may have no value, as seen from operators and sorts alone."""

from __future__ import annotations

from verifier.encodings.sorts import Function, SortError, join
from verifier.encodings.terms import Operator, Term


def is_total(term: Term) -> bool:
    """Whether the term is seen to have a value whatever its variables are, by its operators and sorts."""
    return not any(is_partial(part) for part in term.walk())


def is_partial(term: Term) -> bool:
    """Whether the operation itself may have no value."""
    match term.operator:
        case Operator.GET | Operator.AT | Operator.CHOOSE | Operator.MINIMUM_OF | Operator.MAXIMUM_OF:
            return True
        case Operator.APPLY | Operator.FUNCTION_UPDATE:
            function, key = term.arguments[:2]
            assert isinstance(function.sort, Function)
            try:
                return join(function.sort.domain, key.sort) != function.sort.domain
            except SortError:
                return True
    return False
