"""Operations that may have no value, judged by operators and sorts alone."""

from __future__ import annotations

from verifier.encodings.listed_sort import range_of
from verifier.encodings.sorts import Function, PartialFunction, SortError, join
from verifier.encodings.terms import Operator, Term


def is_total(term: Term) -> bool:
    """True if the operators and sorts show that the term has a value for all values of its variables."""
    return not any(is_partial(part) for part in term.walk())


def is_partial(term: Term) -> bool:
    """True if the operation may have no value although all of its arguments have one."""
    match term.operator:
        case Operator.GET | Operator.AT | Operator.CHOOSE | Operator.MINIMUM_OF | Operator.MAXIMUM_OF:
            return True
        case Operator.BETWEEN | Operator.SEQUENCE_UPDATE:
            return True
        case Operator.DIVIDE | Operator.MODULO:
            divisor = term.arguments[1].sort
            return (bounds := range_of(divisor)) is None or bounds.low < 1
        case Operator.APPLY | Operator.FUNCTION_UPDATE:
            function, key = term.arguments[:2]
            if isinstance(function.sort, PartialFunction):
                return True
            assert isinstance(function.sort, Function)
            try:
                return join(function.sort.domain, key.sort) != function.sort.domain
            except SortError:
                return True
        case Operator.PAYLOAD:
            return len(term.arguments[0].sort.parts()) > 1
    return False


def never_has_value(term: Term) -> bool:
    """True if a term was made to have no value in any state."""
    if term.operator not in (Operator.GET, Operator.CHOOSE):
        return False
    (part,) = term.arguments
    return part.operator is Operator.LITERAL and part.data in (None, False)
