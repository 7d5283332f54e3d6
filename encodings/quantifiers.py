"""Quantifiers, choice and comprehension: formulas about all elements of a sort or set.

A domain is a sort or a set value. The first arguments of each function are one or more domains. Its last
argument is a Python function with one parameter for each domain. The parameters' names become the names of
the bound variables. The finite reading expands the quantifiers, so a protocol never loops over elements.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias, overload

from verifier.encodings.sorts import Function, Range, Sequence, Set, Sort, SortError, join
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.type_variables import A, B, C, D, E, K, V
from verifier.encodings.values import (
    BOOLEAN,
    BooleanValue,
    FunctionValue,
    IntegerValue,
    Number,
    OptionValue,
    Plain,
    SequenceValue,
    SetValue,
    Truth,
    Value,
    bounds,
    coerce,
    integer,
    unify,
    wrap,
)

Domain: TypeAlias = Sort[V] | SetValue[V]


def _sort(domain: Any) -> Sort:
    if isinstance(domain, SetValue):
        return domain.element
    if not isinstance(domain, Sort):
        shown = f"a value of {domain.sort}" if isinstance(domain, Value) else repr(domain)
        raise SortError(f"a quantifier goes over a sort or a set, not over {shown}")
    return domain


def _bind(
    domain: Domain, body: Callable[..., Any], position: int = 0, domains: int = 1
) -> tuple[Symbol, Any]:
    _check_parameters(body, domains)
    code = getattr(body, "__code__", None)
    named = code is not None and position < code.co_argcount
    name = code.co_varnames[position] if code is not None and named else f"x{position}"
    symbol = Symbol(name, _sort(domain))
    return symbol, wrap(Term(Operator.VARIABLE, symbol.sort, (), symbol))


def _bindings(arguments: tuple[Any, ...]) -> tuple[list[tuple[Domain, Symbol, Any]], Any]:
    *domains, body = arguments or (None,)
    if not domains:
        raise SortError("a quantifier takes domains, and then a function: forall(self.nodes, lambda n: …)")
    bound = [(domain, *_bind(domain, body, place, len(domains))) for place, domain in enumerate(domains)]
    return bound, body(*(variable for _, _, variable in bound))


def _check_parameters(body: Any, domains: int) -> None:
    """Raises SortError if ``body`` is no function with one parameter for each domain."""
    if not callable(body):
        shown = f"a value of {body.sort}" if isinstance(body, Value) else repr(body)
        raise SortError(f"a quantifier takes a function after its domains, as lambda n: …, not {shown}")
    code = getattr(body, "__code__", None)
    if code is None or inspect.ismethod(body) or code.co_flags & inspect.CO_VARARGS:
        return
    least = code.co_argcount - len(body.__defaults__ or ())
    if not least <= domains <= code.co_argcount:
        names = ", ".join(code.co_varnames[: code.co_argcount]) or "none"
        raise SortError(
            f"the function of a quantifier has a parameter for each domain, here {domains}: it has {names}"
        )


@overload
def forall(a: Domain[A], body: Callable[[A], Truth], /) -> BooleanValue: ...
@overload
def forall(a: Domain[A], b: Domain[B], body: Callable[[A, B], Truth], /) -> BooleanValue: ...
@overload
def forall(a: Domain[A], b: Domain[B], c: Domain[C], body: Callable[[A, B, C], Truth], /) -> BooleanValue: ...
@overload
def forall(
    a: Domain[A], b: Domain[B], c: Domain[C], d: Domain[D], body: Callable[[A, B, C, D], Truth], /
) -> BooleanValue: ...
@overload
def forall(
    a: Domain[A],
    b: Domain[B],
    c: Domain[C],
    d: Domain[D],
    e: Domain[E],
    body: Callable[[A, B, C, D, E], Truth],
    /,
) -> BooleanValue: ...
@overload
def forall(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, /, *more: Any) -> BooleanValue: ...
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


@overload
def exists(a: Domain[A], body: Callable[[A], Truth], /) -> BooleanValue: ...
@overload
def exists(a: Domain[A], b: Domain[B], body: Callable[[A, B], Truth], /) -> BooleanValue: ...
@overload
def exists(a: Domain[A], b: Domain[B], c: Domain[C], body: Callable[[A, B, C], Truth], /) -> BooleanValue: ...
@overload
def exists(
    a: Domain[A], b: Domain[B], c: Domain[C], d: Domain[D], body: Callable[[A, B, C, D], Truth], /
) -> BooleanValue: ...
@overload
def exists(
    a: Domain[A],
    b: Domain[B],
    c: Domain[C],
    d: Domain[D],
    e: Domain[E],
    body: Callable[[A, B, C, D, E], Truth],
    /,
) -> BooleanValue: ...
@overload
def exists(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, /, *more: Any) -> BooleanValue: ...
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


def count(domain: Domain[V], body: Callable[[V], Truth]) -> IntegerValue:
    """How many values satisfy the formula."""
    symbol, formula = _single(domain, body)
    return IntegerValue(Term(Operator.COUNT, Range(0, symbol.sort.size), (formula.term,), binds=symbol))


def choose(domain: Domain[V], body: Callable[[V], Truth]) -> V:
    """The first value, in the order of the sort, that satisfies the formula; undefined if there is none.

    An ordered choice over an index set breaks its symmetry.
    """
    symbol, formula = _single(domain, body)
    result: V = wrap(Term(Operator.CHOOSE, symbol.sort, (formula.term,), binds=symbol))
    return result


def comprehension(domain: Domain[V], body: Callable[[V], Truth]) -> SetValue[V]:
    """The set of the values that satisfy the formula: ``{x \\in domain : body}``."""
    symbol, formula = _single(domain, body)
    return SetValue(Term(Operator.COMPREHENSION, Set(symbol.sort), (formula.term,), binds=symbol))


those = comprehension
"""The former name, so that protocols written with it still run."""


@overload
def image(domain: Domain[K], body: Callable[[K], V]) -> SetValue[V]: ...
@overload
def image(domain: Domain[K], body: Callable[[K], int]) -> SetValue[IntegerValue]: ...
def image(domain: Any, body: Callable[[Any], Any]) -> SetValue[Any]:
    """The set of the values of ``body``: ``{body : x \\in domain}``."""
    symbol, variable = _bind(domain, body)
    made = body(variable)
    result = made if isinstance(made, Value) else _plain(made)
    inside = _within(domain, variable, constantly(True))
    return SetValue(Term(Operator.IMAGE, Set(result.sort), (inside.term, result.term), binds=symbol))


@overload
def function(domain: Sort[K], body: Callable[[K], V]) -> FunctionValue[K, V]: ...
@overload
def function(domain: Sort[K], body: Callable[[K], V | Plain], result: Sort[V]) -> FunctionValue[K, V]: ...
def function(domain: Any, body: Callable[[Any], Any], result: Any = None) -> FunctionValue:
    """The function that maps each value of ``domain`` to ``body`` of it: ``[x \\in domain |-> body]``.

    ``result`` is the sort of the body. It is needed if the body is a plain Python value.
    """
    symbol, variable = _bind(domain, body)
    value = body(variable) if result is None else coerce(body(variable), result)
    sort = Function(domain, value.sort if result is None else join(result, value.sort))
    return FunctionValue(Term(Operator.FUNCTION, sort, (value.term,), binds=symbol))


def filtered(sequence: SequenceValue[V], body: Callable[[V], Truth]) -> SequenceValue[V]:
    """The subsequence of the elements that satisfy the formula."""
    sort = sequence.sort
    assert isinstance(sort, Sequence)
    symbol, formula = _single(sort.element, body)
    return SequenceValue(Term(Operator.FILTER, sort, (sequence.term, formula.term), binds=symbol))


@overload
def if_(condition: Truth, then: OptionValue[V], otherwise: OptionValue[V] | V | Plain) -> OptionValue[V]: ...
@overload
def if_(condition: Truth, then: V | Plain, otherwise: OptionValue[V]) -> OptionValue[V]: ...
@overload
def if_(condition: Truth, then: V, otherwise: V | Plain) -> V: ...
@overload
def if_(condition: Truth, then: Plain, otherwise: V) -> V: ...
@overload
def if_(condition: Truth, then: bool, otherwise: bool) -> BooleanValue: ...  # type: ignore[overload-overlap]
@overload
def if_(condition: Truth, then: int, otherwise: int) -> IntegerValue: ...
def if_(condition: Any, then: Any, otherwise: Any) -> Any:
    """``IF condition THEN then ELSE otherwise``."""
    if not isinstance(then, Value) and not isinstance(otherwise, Value):
        then, otherwise = _plain(then), _plain(otherwise)
    left, right = unify(then, otherwise)
    sort = join(left.sort, right.sort)
    return wrap(Term(Operator.IF, sort, (coerce(condition, BOOLEAN).term, left.term, right.term)))


def _plain(value: Any) -> Value:
    return coerce(value, BOOLEAN) if isinstance(value, bool) else integer(value)


def minimum(left: Number, right: Number) -> IntegerValue:
    """The lesser of two integers."""
    return _extreme(Operator.MINIMUM, min, left, right)


def maximum(left: Number, right: Number) -> IntegerValue:
    """The greater of two integers."""
    return _extreme(Operator.MAXIMUM, max, left, right)


def _extreme(operator: Operator, pick: Callable[[int, int], int], left: Any, right: Any) -> IntegerValue:
    a, b = integer(left), integer(right)
    first, second = bounds(a), bounds(b)
    sort = Range(pick(first.low, second.low), pick(first.high, second.high))
    return IntegerValue(Term(operator, sort, (a.term, b.term)))


def all_of(*formulas: Truth) -> BooleanValue:
    """The conjunction of the formulas; true if there are none."""
    return BooleanValue(Term(Operator.AND, BOOLEAN, tuple(coerce(item, BOOLEAN).term for item in formulas)))


def any_of(*formulas: Truth) -> BooleanValue:
    """The disjunction of the formulas; false if there are none."""
    return BooleanValue(Term(Operator.OR, BOOLEAN, tuple(coerce(item, BOOLEAN).term for item in formulas)))


def constantly(value: bool) -> BooleanValue:
    """The formula that is ``value`` in every state. Use it if the constants alone decide a formula.

    A guard line or property that is a plain ``bool`` is refused, because it is usually a mistake.
    """
    if not isinstance(value, bool):
        raise SortError(f"constantly needs True or False, not {value!r}")
    formula = coerce(value, BOOLEAN)
    assert isinstance(formula, BooleanValue)
    return formula


def arbitrary(*variables: Value) -> BooleanValue:
    """A formula that is always true. In ``init`` it says that these variables may start with any value."""
    for variable in variables:
        if not isinstance(variable, Value):
            raise SortError(f"arbitrary needs variables of the state, as in arbitrary(s.x), not {variable!r}")
    return all_of(*(variable == variable for variable in variables))
