"""Quantifiers, choice and comprehension: how a protocol speaks of all elements of a sort at once.

A domain is a sort or a set value. Each function takes one or more domains and, last, a Python
function of as many arguments, whose parameter names become the names of the bound variables.
The finite reading expands them; a protocol never loops over a constant's elements itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from verifier.encodings.sorts import Function, Range, Sequence, Set, Sort, SortError, join
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import (
    BOOLEAN,
    BooleanValue,
    FunctionValue,
    IntegerValue,
    SequenceValue,
    SetValue,
    Value,
    bounds,
    coerce,
    integer,
    unify,
    wrap,
)

Domain: TypeAlias = Sort | SetValue


def _sort(domain: Domain) -> Sort:
    return domain.element if isinstance(domain, SetValue) else domain


def _bind(domain: Domain, body: Callable[..., Any], position: int = 0) -> tuple[Symbol, Any]:
    code = body.__code__
    name = code.co_varnames[position] if position < code.co_argcount else f"x{position}"
    symbol = Symbol(name, _sort(domain))
    return symbol, wrap(Term(Operator.VARIABLE, symbol.sort, (), symbol))


def _bindings(arguments: tuple[Any, ...]) -> tuple[list[tuple[Domain, Symbol, Any]], Any]:
    *domains, body = arguments
    bound = [(domain, *_bind(domain, body, position)) for position, domain in enumerate(domains)]
    return bound, body(*(variable for _, _, variable in bound))


def forall(*arguments: Any) -> BooleanValue:
    """``forall(replicas, offsets, lambda r, o: …)``: whether the formula holds for all values."""
    bound, value = _bindings(arguments)
    formula = coerce(value, BOOLEAN)
    assert isinstance(formula, BooleanValue)
    for domain, symbol, variable in reversed(bound):
        if isinstance(domain, SetValue):
            formula = domain.contains(variable).implies(formula)
        formula = BooleanValue(Term(Operator.FORALL, BOOLEAN, (formula.term,), binds=symbol))
    return formula


def exists(*arguments: Any) -> BooleanValue:
    """``exists(replicas, lambda r: …)``: whether the formula holds for some values."""
    bound, value = _bindings(arguments)
    formula = coerce(value, BOOLEAN)
    assert isinstance(formula, BooleanValue)
    for domain, symbol, variable in reversed(bound):
        formula = _within(domain, variable, formula)
        formula = BooleanValue(Term(Operator.EXISTS, BOOLEAN, (formula.term,), binds=symbol))
    return formula


def _within(domain: Domain, variable: Any, formula: Any) -> BooleanValue:
    inside = coerce(formula, BOOLEAN)
    assert isinstance(inside, BooleanValue)
    return domain.contains(variable) & inside if isinstance(domain, SetValue) else inside


def _single(domain: Domain, body: Callable[[Any], Any]) -> tuple[Symbol, BooleanValue]:
    symbol, variable = _bind(domain, body)
    return symbol, _within(domain, variable, body(variable))


def count(domain: Domain, body: Callable[[Any], Any]) -> IntegerValue:
    """How many values satisfy the formula."""
    symbol, formula = _single(domain, body)
    return IntegerValue(Term(Operator.COUNT, Range(0, symbol.sort.size), (formula.term,), binds=symbol))


def choose(domain: Domain, body: Callable[[Any], Any]) -> Any:
    """The first value, in the order of the sort, that satisfies the formula; no value if none does.

    An ordered choice over an index set breaks its symmetry.
    """
    symbol, formula = _single(domain, body)
    return wrap(Term(Operator.CHOOSE, symbol.sort, (formula.term,), binds=symbol))


def those(domain: Domain, body: Callable[[Any], Any]) -> SetValue:
    """The set of the values that satisfy the formula: ``{x \\in domain : body}``."""
    symbol, formula = _single(domain, body)
    return SetValue(Term(Operator.COMPREHENSION, Set(symbol.sort), (formula.term,), binds=symbol))


def image(domain: Domain, body: Callable[[Any], Any]) -> SetValue:
    """The set of what the values become: ``{body : x \\in domain}``."""
    symbol, variable = _bind(domain, body)
    result = body(variable)
    inside = _within(domain, variable, True)
    return SetValue(Term(Operator.IMAGE, Set(result.sort), (inside.term, result.term), binds=symbol))


def function(domain: Sort, body: Callable[[Any], Any], result: Sort | None = None) -> FunctionValue:
    """The function that maps each value of ``domain`` to ``body`` of it: ``[x \\in domain |-> body]``.

    ``result``, the sort of the body, is needed where that is a plain Python value.
    """
    symbol, variable = _bind(domain, body)
    value = body(variable) if result is None else coerce(body(variable), result)
    sort = Function(domain, value.sort if result is None else join(result, value.sort))
    return FunctionValue(Term(Operator.FUNCTION, sort, (value.term,), binds=symbol))


def filtered(sequence: SequenceValue, body: Callable[[Any], Any]) -> SequenceValue:
    """The subsequence of the elements that satisfy the formula."""
    sort = sequence.sort
    assert isinstance(sort, Sequence)
    symbol, formula = _single(sort.element, body)
    return SequenceValue(Term(Operator.FILTER, sort, (sequence.term, formula.term), binds=symbol))


def if_(condition: Any, then: Any, otherwise: Any) -> Any:
    """``IF condition THEN then ELSE otherwise``."""
    if not isinstance(then, Value) and not isinstance(otherwise, Value):
        then, otherwise = _plain(then), _plain(otherwise)
    left, right = unify(then, otherwise)
    sort = join(left.sort, right.sort)
    return wrap(Term(Operator.IF, sort, (coerce(condition, BOOLEAN).term, left.term, right.term)))


def _plain(value: Any) -> Value:
    return coerce(value, BOOLEAN) if isinstance(value, bool) else integer(value)


def minimum(left: Any, right: Any) -> IntegerValue:
    """The lesser of two integers."""
    return _extreme(Operator.MINIMUM, min, left, right)


def maximum(left: Any, right: Any) -> IntegerValue:
    """The greater of two integers."""
    return _extreme(Operator.MAXIMUM, max, left, right)


def _extreme(operator: Operator, pick: Callable[[int, int], int], left: Any, right: Any) -> IntegerValue:
    a, b = integer(left), integer(right)
    first, second = bounds(a), bounds(b)
    sort = Range(pick(first.low, second.low), pick(first.high, second.high))
    return IntegerValue(Term(operator, sort, (a.term, b.term)))


def all_of(*formulas: Any) -> BooleanValue:
    """The conjunction of the formulas; true if there are none."""
    return BooleanValue(Term(Operator.AND, BOOLEAN, tuple(coerce(item, BOOLEAN).term for item in formulas)))


def any_of(*formulas: Any) -> BooleanValue:
    """The disjunction of the formulas; false if there are none."""
    return BooleanValue(Term(Operator.OR, BOOLEAN, tuple(coerce(item, BOOLEAN).term for item in formulas)))


def constantly(value: bool) -> BooleanValue:
    """The formula that is ``value`` in every state: for what the constants alone decide.

    A guard line or property that is a plain ``bool`` is refused, because mostly it is a mistake.
    """
    if not isinstance(value, bool):
        raise SortError(f"constantly needs True or False, not {value!r}")
    formula = coerce(value, BOOLEAN)
    assert isinstance(formula, BooleanValue)
    return formula


def arbitrary(*variables: Value) -> BooleanValue:
    """True, whatever the values: says in ``init`` that these variables may start with any value."""
    for variable in variables:
        if not isinstance(variable, Value):
            raise SortError(f"arbitrary needs variables of the state, as in arbitrary(s.x), not {variable!r}")
    return all_of(*(variable == variable for variable in variables))
