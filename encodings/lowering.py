"""The finite reading: lowers terms to boolean terms and expands quantifiers over their sorts' values.

Building must not be what takes the time. So nothing is lowered that cannot matter: what constants decide
comes first, a quantifier over a set looks at the values that the set can contain, and what was made of a term
serves for all terms like it (``readings``). None of this changes the formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import FALSE, TRUE, conjunction, disjunction, negation
from verifier.encodings.compound_lowering import COMPOUND_RULES, apply_partial
from verifier.encodings.lowered import (
    LoweredOption,
    either,
    equal,
    lower_constant,
    make_definedness,
    restrict_value,
    select,
)
from verifier.encodings.lowering_rules import of_all, of_formulas, of_instances
from verifier.encodings.partiality import never_has_value
from verifier.encodings.readings import Bindings
from verifier.encodings.scalars import Scalar
from verifier.encodings.sequence_lowering import SEQUENCE_RULES
from verifier.encodings.set_lowering import SET_RULES
from verifier.encodings.sorts import Function, PartialFunction, Record
from verifier.encodings.term_lowering import Rule, TermLowering
from verifier.encodings.terms import Operator, Symbol, Term

__all__ = ["Bindings", "Lowering"]


# Leaves and booleans


def _literal(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    return lower_constant(term.sort, term.data)


def _variable(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.data, Symbol)
    if term.data in lowering.variables:
        return lowering.variables[term.data]
    return lower_constant(term.sort, bindings[term.data])


def _is_decided(lowering: TermLowering, term: Term, bindings: Bindings, decisive: FNode) -> bool:
    """True if an argument without state variables decides the term, before others are lowered for it."""
    constants = lowering.reading(term).constants
    return any(lowering.formula(argument, bindings) is decisive for argument in constants)


def _and(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    if _is_decided(lowering, term, bindings, FALSE):
        return FALSE
    return conjunction(lowering.formulas(term, bindings))


def _or(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    if _is_decided(lowering, term, bindings, TRUE):
        return TRUE
    return disjunction(lowering.formulas(term, bindings))


def _implies(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    if _is_decided(lowering, term, bindings, TRUE):
        return TRUE
    premise = lowering.formula(term.arguments[0], bindings)
    if premise is FALSE:
        return TRUE
    return disjunction((negation(premise), lowering.formula(term.arguments[1], bindings)))


def _if(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    condition, *branches = term.arguments
    decides = lowering.formula(condition, bindings)
    if decides is TRUE or decides is FALSE:
        return lowering.convert(term.sort, branches[decides is FALSE], bindings)
    for branch, other in (branches, reversed(branches)):
        if never_has_value(branch):  # that this one is not taken is what ``Definedness`` says
            return lowering.convert(term.sort, other, bindings)
    return either(decides, *(lowering.convert(term.sort, branch, bindings) for branch in branches))


# Options


def _some(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    value = lowering.argument(term, bindings)
    return value if term.sort.is_scalar else LoweredOption(TRUE, value)


def _is_none(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    value = lowering.argument(term, bindings)
    return value.equals(None) if isinstance(value, Scalar) else negation(value.present)


def _get(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    value = lowering.argument(term, bindings)
    if isinstance(value, Scalar):
        return value.without(None)
    return restrict_value(term.sort, value.present, value.payload)


# Records and functions


def _record(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Record)
    return dict(zip(term.sort.field_sorts, lowering.arguments(term, bindings), strict=True))


def _record_update(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Record)
    name = str(term.data)
    record = lowering.lower(term.arguments[0], bindings)
    value = lowering.convert(term.sort.field_sorts[name], term.arguments[1], bindings)
    return restrict_value(term.sort, make_definedness(record), {**record, name: value})


def _apply(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    function = lowering.lower(term.arguments[0], bindings)
    keys, within = lowering.keys_within(term.arguments[1], bindings, function)
    if isinstance(term.arguments[0].sort, PartialFunction):
        return apply_partial(term.sort, function, keys)
    return select(term.sort, [(when, function[key]) for key, when in keys], within is TRUE)


def _function(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Function)
    (body,) = term.arguments
    return {
        key: lowering.convert(term.sort.range, body, inner) for key, inner in lowering.expand(term, bindings)
    }


def _function_update(lowering: TermLowering, term: Term, bindings: Bindings) -> Any:
    assert isinstance(term.sort, Function)
    function = lowering.convert(term.sort, term.arguments[0], bindings)
    keys, within = lowering.keys_within(term.arguments[1], bindings, function)
    value = lowering.convert(term.sort.range, term.arguments[2], bindings)
    changed = {key: either(when, value, function[key]) for key, when in keys}
    return restrict_value(
        term.sort, conjunction((make_definedness(function), within)), {**function, **changed}
    )


_RULES: Mapping[Operator, Rule] = {
    Operator.LITERAL: _literal,
    Operator.VARIABLE: _variable,
    Operator.NOT: of_formulas(lambda formulas: negation(*formulas)),
    Operator.AND: _and,
    Operator.OR: _or,
    Operator.IMPLIES: _implies,
    Operator.EQUAL: of_all(equal),
    Operator.IF: _if,
    Operator.LESS: of_all(scalars.less),
    Operator.LESS_EQUAL: of_all(scalars.less_equal),
    Operator.ADD: of_all(scalars.add),
    Operator.SUBTRACT: of_all(scalars.subtract),
    Operator.MULTIPLY: of_all(scalars.multiply),
    Operator.DIVIDE: of_all(scalars.quotient),
    Operator.MODULO: of_all(scalars.remainder),
    Operator.MINIMUM: of_all(lambda *integers: reduce(scalars.lesser, integers)),
    Operator.MAXIMUM: of_all(lambda *integers: reduce(scalars.greater, integers)),
    Operator.SOME: _some,
    Operator.IS_NONE: _is_none,
    Operator.GET: _get,
    Operator.RECORD: _record,
    Operator.FIELD: lambda lowering, term, bindings: lowering.argument(term, bindings)[term.data],
    Operator.RECORD_UPDATE: _record_update,
    Operator.APPLY: _apply,
    Operator.FUNCTION: _function,
    Operator.FUNCTION_UPDATE: _function_update,
    Operator.FORALL: of_instances(conjunction),
    Operator.EXISTS: of_instances(disjunction),
    Operator.COUNT: of_instances(scalars.total_of),
    **SET_RULES,
    **SEQUENCE_RULES,
    **COMPOUND_RULES,
}


class Lowering(TermLowering):
    """Lowers terms by the rules of all operators."""

    rules = _RULES
