"""Quantifiers, choice and comprehension: formulas about all elements of a sort or set.

A domain is a sort or a set value. The first arguments of each function are one or more domains. Its last
argument is a Python function with one parameter for each domain. The parameters' names become the names of
the bound variables. The finite reading expands the quantifiers, so a protocol never loops over elements.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from verifier.encodings import integer_bounds
from verifier.encodings.sorts import Function, Range, Sequence, Set, Sort, SortError, join
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import (
    BOOLEAN,
    BooleanValue,
    FunctionValue,
    IntegerValue,
    RecordValue,
    SequenceValue,
    SetValue,
    Value,
    bounds,
    coerce,
    integer,
    sort_of,
    term_of,
    unify,
    wrap,
)

Domain: TypeAlias = Sort | SetValue


def _sort(domain: Any) -> Sort:
    if isinstance(domain, SetValue):
        return domain.element
    if not isinstance(domain, Sort):
        shown = f"a value of {sort_of(domain)}" if isinstance(domain, Value) else repr(domain)
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
        shown = f"a value of {sort_of(body)}" if isinstance(body, Value) else repr(body)
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
    """The first value, in the order of the sort, that satisfies the formula; undefined if there is none.

    An ordered choice over an index set breaks its symmetry.
    """
    symbol, formula = _single(domain, body)
    return wrap(Term(Operator.CHOOSE, symbol.sort, (formula.term,), binds=symbol))


def comprehension(domain: Domain, body: Callable[[Any], Any]) -> SetValue:
    """The set of the values that satisfy the formula: ``{x \\in domain : body}``."""
    symbol, formula = _single(domain, body)
    return SetValue(Term(Operator.COMPREHENSION, Set(symbol.sort), (formula.term,), binds=symbol))


those = comprehension
"""The former name, so that protocols written with it still run."""


def image(domain: Domain, body: Callable[[Any], Any]) -> SetValue:
    """The set of the values of ``body``: ``{body : x \\in domain}``."""
    symbol, variable = _bind(domain, body)
    made = body(variable)
    result = term_of(made if isinstance(made, Value) else _plain(made))
    inside = _within(domain, variable, constantly(True))
    return SetValue(Term(Operator.IMAGE, Set(result.sort), (inside.term, result), binds=symbol))


def sum_of(domain: Domain, body: Callable[[Any], Any]) -> IntegerValue:
    """The sum of the integers that ``body`` gives for the values of the domain; 0 if there are none."""
    symbol, variable = _bind(domain, body)
    summand = integer(body(variable))
    inside = _membership(domain, variable)
    most = symbol.sort.size
    sort = integer_bounds.total(bounds(summand), 0 if isinstance(domain, SetValue) else most, most)
    return IntegerValue(Term(Operator.SUM_OF, sort, (inside.term, summand.term), binds=symbol))


def union_of(domain: Domain, body: Callable[[Any], Any] | None = None) -> SetValue:
    """The union of the sets that ``body`` gives for the values: ``UNION {body : x \\in domain}``.

    Without ``body`` it is the union of the elements of the domain, a set of sets.
    """
    if body is None and not isinstance(_sort(domain), Set):
        raise SortError(
            f"union_of needs a set of sets, or a function that gives sets; the elements here are of "
            f"{_sort(domain)}"
        )
    symbol, variable = _bind(domain, _itself if body is None else body)
    joined = variable if body is None else body(variable)
    if not isinstance(joined, SetValue):
        shown = f"a value of {sort_of(joined)}" if isinstance(joined, Value) else repr(joined)
        raise SortError(f"the function of union_of gives sets, not {shown}")
    inside = _membership(domain, variable)
    return SetValue(Term(Operator.UNION_OF, joined.sort, (inside.term, joined.term), binds=symbol))


def _membership(domain: Domain, variable: Any) -> BooleanValue:
    return domain.contains(variable) if isinstance(domain, SetValue) else constantly(True)


def _itself(members: Any) -> Any:
    return members


def function(domain: Sort, body: Callable[[Any], Any], result: Sort | None = None) -> FunctionValue:
    """The function that maps each value of ``domain`` to ``body`` of it: ``[x \\in domain |-> body]``.

    ``result`` is the sort of the body. It is needed if the body is a plain Python value.
    """
    symbol, variable = _bind(domain, body)
    value = term_of(body(variable) if result is None else coerce(body(variable), result))
    sort = Function(domain, value.sort if result is None else join(result, value.sort))
    return FunctionValue(Term(Operator.FUNCTION, sort, (value,), binds=symbol))


def filtered(sequence: SequenceValue, body: Callable[[Any], Any]) -> SequenceValue:
    """The subsequence of the elements that satisfy the formula."""
    sort = _sequence_sort("filtered", "comprehension", sequence)
    symbol, formula = _single(sort.element, body)
    return SequenceValue(Term(Operator.FILTER, sort, (sequence.term, formula.term), binds=symbol))


def mapped(sequence: SequenceValue, body: Callable[[Any], Any]) -> SequenceValue:
    """The sequence of the values that ``body`` gives for the elements, in the same order."""
    sort = _sequence_sort("mapped", "image", sequence)
    symbol, variable = _bind(sort.element, body)
    made = body(variable)
    result = term_of(made if isinstance(made, Value) else _plain(made))
    target = Sequence(result.sort, sort.capacity)
    return SequenceValue(Term(Operator.MAP, target, (sequence.term, result), binds=symbol))


def _sequence_sort(name: str, of_sets: str, given: Any) -> Sequence:
    sort = sort_of(given) if isinstance(given, Value) else None
    if not isinstance(sort, Sequence):
        shown = repr(given) if sort is None else f"a value of {sort}"
        words = f"{name} needs a sequence and a function, not {shown}"
        raise SortError(f"{words}; of a set there is {of_sets}(…)")
    return sort


def updated(whole: Any, /, *place: Any, **changes: Any) -> Any:
    """The same record, function or sequence with something changed (TLA+ ``EXCEPT``).

    ``updated(r, field=value)`` of a record, ``updated(f, key, value)`` of a function or sequence. A record's
    method of this name does the same, unless the record has a field of this name.
    """
    if isinstance(whole, RecordValue) and not place:
        return RecordValue.updated(whole, **changes)
    if isinstance(whole, FunctionValue | SequenceValue) and len(place) == 2 and not changes:
        return whole.updated(*place)
    raise SortError(
        "updated takes a record and its new fields, updated(r, field=value), or a function or sequence with "
        "a place and a new value, updated(f, key, value)"
    )


def if_(condition: Any, then: Any, otherwise: Any) -> Any:
    """``IF condition THEN then ELSE otherwise``."""
    if not isinstance(then, Value) and not isinstance(otherwise, Value):
        then, otherwise = _plain(then), _plain(otherwise)
    left, right = map(term_of, unify(then, otherwise))
    sort = join(left.sort, right.sort)
    return wrap(Term(Operator.IF, sort, (coerce(condition, BOOLEAN).term, left, right)))


def _plain(value: Any) -> Value:
    return coerce(value, BOOLEAN) if isinstance(value, bool) else integer(value)


def minimum(*integers: Any) -> IntegerValue:
    """The least of two or more integers."""
    return _extreme("minimum", Operator.MINIMUM, min, integers)


def maximum(*integers: Any) -> IntegerValue:
    """The greatest of two or more integers."""
    return _extreme("maximum", Operator.MAXIMUM, max, integers)


def _extreme(
    name: str, operator: Operator, pick: Callable[[list[int]], int], integers: tuple[Any, ...]
) -> IntegerValue:
    if len(integers) < 2:
        raise SortError(f"{name}(…) takes two or more integers; of a set s.x there is s.x.{name}")
    values = [integer(item) for item in integers]
    ranges = [bounds(value) for value in values]
    sort = Range(pick([part.low for part in ranges]), pick([part.high for part in ranges]))
    return IntegerValue(Term(operator, sort, tuple(value.term for value in values)))


def all_of(*formulas: Any) -> BooleanValue:
    """The conjunction of the formulas; true if there are none."""
    return BooleanValue(Term(Operator.AND, BOOLEAN, tuple(coerce(item, BOOLEAN).term for item in formulas)))


def any_of(*formulas: Any) -> BooleanValue:
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
