"""Quantifiers, choice and comprehension: formulas about all elements of a sort or set.

A domain is a sort or a set value. The arguments of each function are one or more domains and a Python
function with one parameter for each domain, ``forall(nodes, lambda n: up(n))``, or a generator,
``forall(up(n) for n in nodes)`` (``verifier.encodings.generators``). The names of the parameters and of the
generator's variables become the names of the bound variables. The finite reading expands the quantifiers, so
a protocol never loops over elements.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any, overload

from verifier.encodings import integer_bounds
from verifier.encodings.collection_values import SequenceValue, SetValue
from verifier.encodings.compound_values import PartialFunctionValue
from verifier.encodings.domains import (
    Domain,
    Given,
    domain_sort,
    formula_of,
    one_variable,
    read,
    select_in_domain,
    selects,
    within,
)
from verifier.encodings.expressions import (
    BOOLEAN,
    Number,
    Plain,
    Truth,
    coerce,
    describe_value,
    integer,
    term_of,
    wrap,
)
from verifier.encodings.operations import (
    all_of,
    any_of,
    arbitrary,
    body_term,
    constantly,
    if_,
    maximum,
    minimum,
    updated,
)
from verifier.encodings.sorts import (
    Function,
    PartialFunction,
    Range,
    Sequence,
    Set,
    Sort,
    SortError,
    join,
)
from verifier.encodings.terms import Operator, Term
from verifier.encodings.type_variables import A, B, C, D, E, K, V
from verifier.encodings.values import BooleanValue, FunctionValue, IntegerValue

__all__ = [
    "all_of",
    "any_of",
    "arbitrary",
    "choose",
    "comprehension",
    "constantly",
    "count",
    "exists",
    "filtered",
    "forall",
    "function",
    "if_",
    "image",
    "mapped",
    "maximum",
    "minimum",
    "partial_function",
    "sum_of",
    "those",
    "union_of",
    "updated",
]


@overload
def forall(each: Generator[Truth, None, None], /) -> BooleanValue: ...
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
    """``forall(replicas, offsets, lambda r, o: …)`` or ``forall(… for r in replicas for o in offsets)``:
    whether the formula holds for all values."""
    generated = read(arguments)
    formula = formula_of(generated.element)
    for step in reversed(generated.steps):
        if isinstance(step, BooleanValue):
            formula = step.implies(formula)
            continue
        domain_sort(step.domain)
        if isinstance(step.domain, SetValue):
            formula = step.domain.contains(step.variable).implies(formula)
        formula = BooleanValue(Term(Operator.FORALL, BOOLEAN, (formula.term,), binds=step.symbol))
    return formula


@overload
def exists(each: Generator[Truth, None, None], /) -> BooleanValue: ...
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
    """``exists(replicas, lambda r: …)`` or ``exists(… for r in replicas)``: whether the formula holds for
    some values."""
    generated = read(arguments)
    formula = formula_of(generated.element)
    for step in reversed(generated.steps):
        if isinstance(step, BooleanValue):
            formula = step & formula
            continue
        formula = within(step.domain, step.variable, formula)
        formula = BooleanValue(Term(Operator.EXISTS, BOOLEAN, (formula.term,), binds=step.symbol))
    return formula


@overload
def count(domain: Domain[V], body: Callable[[V], Truth], /) -> IntegerValue: ...
@overload
def count(each: Given[Any], /) -> IntegerValue: ...
def count(domain: Any, body: Any = None) -> IntegerValue:
    """The number of values that satisfy the formula: ``count(nodes, up)``, ``count(n for n in nodes if
    up(n))`` or ``count(up(n) for n in nodes)``."""
    symbol, formula = select_in_domain("count", domain, body)
    return IntegerValue(Term(Operator.COUNT, Range(0, symbol.sort.size), (formula.term,), binds=symbol))


@overload
def choose(domain: Domain[V], body: Callable[[V], Truth], /) -> V: ...
@overload
def choose(each: Given[V], /) -> V: ...
def choose(domain: Any, body: Any = None) -> Any:
    """The first value, in the order of the sort, that satisfies the formula; undefined if there is none.

    ``choose(nodes, up)`` or ``choose(n for n in nodes if up(n))``. An ordered choice over an index set breaks
    its symmetry.
    """
    symbol, formula = select_in_domain("choose", domain, body)
    return wrap(Term(Operator.CHOOSE, symbol.sort, (formula.term,), binds=symbol))


@overload
def comprehension(domain: Domain[V], body: Callable[[V], Truth], /) -> SetValue[V]: ...
@overload
def comprehension(each: Given[V], /) -> SetValue[V]: ...
def comprehension(domain: Any, body: Any = None) -> SetValue[Any]:
    """The set of the values that satisfy the formula: ``{x \\in domain : body}``.

    ``comprehension(nodes, up)`` or ``comprehension(n for n in nodes if up(n))``.
    """
    symbol, formula = select_in_domain("comprehension", domain, body)
    return SetValue(Term(Operator.COMPREHENSION, Set(symbol.sort), (formula.term,), binds=symbol))


those = comprehension
"""The former name, so that protocols written with it still run."""


@overload
def image(domain: Domain[K], body: Callable[[K], V], /) -> SetValue[V]: ...
@overload
def image(domain: Domain[K], body: Callable[[K], int], /) -> SetValue[IntegerValue]: ...
@overload
def image(each: Given[V], /) -> SetValue[V]: ...
def image(domain: Any, body: Any = None) -> SetValue[Any]:
    """The set of the values of ``body``: ``{body : x \\in domain}``.

    ``image(nodes, epoch_of)`` or ``image(epoch_of(n) for n in nodes if up(n))``.
    """
    one = one_variable("image", domain, body)
    result, bound = body_term(one.said), one.bound
    # The condition says "and true" where there is none, because the hashes of protocols have been taken so.
    condition = constantly(True) if one.condition is None else one.condition
    inside = within(bound.domain, bound.variable, condition)
    return SetValue(Term(Operator.IMAGE, Set(result.sort), (inside.term, result), binds=bound.symbol))


@overload
def sum_of(domain: Domain[V], body: Callable[[V], Number], /) -> IntegerValue: ...
@overload
def sum_of(each: Generator[Number, None, None], /) -> IntegerValue: ...
def sum_of(domain: Any, body: Any = None) -> IntegerValue:
    """The sum of the integers that ``body`` gives for the values of the domain; 0 if there are none.

    ``sum_of(nodes, weight)`` or ``sum_of(weight(n) for n in nodes if up(n))``.
    """
    one = one_variable("sum_of", domain, body)
    summand, inside = integer(one.said), one.inside
    most = one.bound.symbol.sort.size
    always = one.condition is None and isinstance(one.bound.domain, Sort)
    sort = integer_bounds.total(summand.sort, most if always else 0, most)
    return IntegerValue(Term(Operator.SUM_OF, sort, (inside.term, summand.term), binds=one.bound.symbol))


@overload
def union_of(sets: Domain[SetValue[V]], /) -> SetValue[V]: ...
@overload
def union_of(domain: Domain[K], body: Callable[[K], SetValue[V]], /) -> SetValue[V]: ...
@overload
def union_of(each: Given[SetValue[V]], /) -> SetValue[V]: ...
def union_of(domain: Any, body: Any = None) -> SetValue[Any]:
    """The union of the sets that ``body`` gives for the values: ``UNION {body : x \\in domain}``.

    ``union_of(nodes, peers)`` or ``union_of(peers(n) for n in nodes if up(n))``. ``union_of(s.quorums)`` is
    the union of the elements of a set of sets.
    """
    if body is None and not isinstance(domain, GeneratorType):
        if not isinstance(domain_sort(domain), Set):
            raise SortError(
                f"union_of needs a set of sets, or a function that gives sets; the elements here are of "
                f"{domain_sort(domain)}"
            )
        body = _itself
    one = one_variable("union_of", domain, body)
    if not isinstance(one.said, SetValue):
        raise SortError(f"the function of union_of gives sets, not {describe_value(one.said)}")
    terms = (one.inside.term, one.said.term)
    return SetValue(Term(Operator.UNION_OF, one.said.sort, terms, binds=one.bound.symbol))


def _itself(members: Any) -> Any:
    return members


@overload
def function(domain: Sort[K], body: Callable[[K], V]) -> FunctionValue[K, V]: ...
@overload
def function(domain: Sort[K], body: Callable[[K], int]) -> FunctionValue[K, IntegerValue]: ...
@overload
def function(domain: Sort[K], body: Callable[[K], V | Plain], result: Sort[V]) -> FunctionValue[K, V]: ...
@overload
def function(domain: Given[V]) -> FunctionValue[Any, V]: ...
@overload
def function(domain: Generator[int, None, None]) -> FunctionValue[Any, IntegerValue]: ...
@overload
def function(domain: Generator[Any, None, None], *, result: Sort[V]) -> FunctionValue[Any, V]: ...
def function(domain: Any, body: Any = None, result: Any = None) -> FunctionValue:
    """The function that maps each value of ``domain`` to ``body`` of it: ``[x \\in domain |-> body]``.

    ``function(nodes, epoch_of)`` or ``function(epoch_of(n) for n in nodes)``. ``result`` is the sort of the
    body. It is needed if the body is neither an expression, nor an integer, nor a boolean.
    """
    one = one_variable("function", domain, body)
    keys = one.bound.domain
    if not isinstance(keys, Sort):
        raise SortError(f"a function has all values of a sort as its keys, not those of {keys!r}")
    if one.condition is not None:
        raise SortError("a function has a value for each key: write if_(…) for its value, and no if")
    value = body_term(one.said) if result is None else term_of(coerce(one.said, result))
    sort = Function(keys, value.sort if result is None else join(result, value.sort))
    return FunctionValue(Term(Operator.FUNCTION, sort, (value,), binds=one.bound.symbol))


@overload
def partial_function(domain: Domain[K], body: Callable[[K], V]) -> PartialFunctionValue[K, V]: ...
@overload
def partial_function(
    domain: Domain[K], body: Callable[[K], V | Plain], result: Sort[V]
) -> PartialFunctionValue[K, V]: ...
@overload
def partial_function(domain: Given[V]) -> PartialFunctionValue[Any, V]: ...
def partial_function(domain: Any, body: Any = None, result: Any = None) -> PartialFunctionValue:
    """The function that maps each value of ``domain`` to ``body`` of it: ``[x \\in domain |-> body]``.

    ``domain`` is a set, which may differ from state to state, or a sort: ``partial_function(s.up, epoch_of)``
    or ``partial_function(epoch_of(n) for n in s.nodes if up(n))``. ``result`` is the sort of the body. It is
    needed if the body is neither an expression, nor an integer, nor a boolean.
    """
    one = one_variable("partial_function", domain, body)
    keys = one.bound.symbol.sort
    value = body_term(one.said) if result is None else term_of(coerce(one.said, result))
    sort = PartialFunction(keys, value.sort if result is None else join(result, value.sort))
    terms = (one.inside.term, value)
    return PartialFunctionValue(Term(Operator.PARTIAL_FUNCTION, sort, terms, binds=one.bound.symbol))


@overload
def filtered(sequence: SequenceValue[V], body: Callable[[V], Truth], /) -> SequenceValue[V]: ...
@overload
def filtered(each: Given[V], /) -> SequenceValue[V]: ...
def filtered(sequence: Any, body: Any = None) -> SequenceValue[Any]:
    """The subsequence of the elements that satisfy the formula.

    ``filtered(s.log, recent)`` or ``filtered(e for e in s.log if recent(e))``.
    """
    if body is None:
        made, formula = selects("filtered", sequence, None)
        whole = _sequence("filtered", "comprehension", made.domain)
    else:
        whole = _sequence("filtered", "comprehension", sequence)
        made, formula = selects("filtered", whole.sort.element, body)
    return SequenceValue(Term(Operator.FILTER, whole.sort, (whole.term, formula.term), binds=made.symbol))


@overload
def mapped(sequence: SequenceValue[K], body: Callable[[K], V], /) -> SequenceValue[V]: ...
@overload
def mapped(sequence: SequenceValue[K], body: Callable[[K], int], /) -> SequenceValue[IntegerValue]: ...
@overload
def mapped(each: Given[V], /) -> SequenceValue[V]: ...
def mapped(sequence: Any, body: Any = None) -> SequenceValue[Any]:
    """The sequence of the values that ``body`` gives for the elements, in the same order.

    ``mapped(s.log, epoch_of)`` or ``mapped(epoch_of(e) for e in s.log if recent(e))``.
    """
    if body is None:
        one = one_variable("mapped", sequence, None)
        whole = _sequence("mapped", "image", one.bound.domain).term
    else:
        given = _sequence("mapped", "image", sequence)
        one, whole = one_variable("mapped", given.sort.element, body), given.term
    symbol = one.bound.symbol
    if one.condition is not None:
        whole = Term(Operator.FILTER, whole.sort, (whole, one.condition.term), binds=symbol)
    result = body_term(one.said)
    target = Sequence(result.sort, whole.sort.capacity)
    return SequenceValue(Term(Operator.MAP, target, (whole, result), binds=symbol))


def _sequence(name: str, of_sets: str, given: Any) -> Any:
    if not isinstance(given, SequenceValue):
        words = f"{name}(…) goes over a sequence, not over {describe_value(given)}"
        raise SortError(f"{words}; of a set there is {of_sets}(…)")
    return given
