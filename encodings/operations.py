"""Operators that are functions: the choice between two values, extremes, conjunctions, and changed parts."""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any, overload

from verifier.encodings.collection_values import SequenceValue
from verifier.encodings.compound_values import PartialFunctionValue, TupleValue
from verifier.encodings.expressions import (
    BOOLEAN,
    Number,
    Plain,
    Truth,
    Value,
    bounds,
    coerce,
    integer,
    term_of,
    unify,
    wrap,
)
from verifier.encodings.open_integers import greatest, least
from verifier.encodings.sorts import (
    Range,
    SortError,
    join,
)
from verifier.encodings.terms import Operator, Term
from verifier.encodings.type_variables import F, K, V
from verifier.encodings.values import BooleanValue, FunctionValue, IntegerValue, OptionValue, RecordValue


@overload
def updated(whole: F, /, **changes: Any) -> F: ...
@overload
def updated(whole: FunctionValue[K, V], key: K | Plain, value: V | Plain, /) -> FunctionValue[K, V]: ...
@overload
def updated(
    whole: PartialFunctionValue[K, V], key: K | Plain, value: V | Plain, /
) -> PartialFunctionValue[K, V]: ...
@overload
def updated(whole: SequenceValue[V], index: Number, value: V | Plain, /) -> SequenceValue[V]: ...
@overload
def updated(whole: TupleValue, place: int, value: Any, /) -> TupleValue: ...
def updated(whole: Any, /, *place: Any, **changes: Any) -> Any:
    """The record, function, sequence or tuple with something changed (TLA+ ``EXCEPT``).

    ``updated(r, field=value)`` of a record, ``updated(f, key, value)`` of the others. A record's method of
    this name does the same, unless the record has a field of this name.
    """
    if isinstance(whole, RecordValue) and not place:
        return RecordValue.updated(whole, **changes)
    placed = FunctionValue | PartialFunctionValue | SequenceValue | TupleValue
    if isinstance(whole, placed) and len(place) == 2 and not changes:
        return whole.updated(*place)
    raise SortError(
        "updated takes a record and its new fields, updated(r, field=value), or a function, sequence or "
        "tuple with a place and a new value, updated(f, key, value)"
    )


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
        try:
            then, otherwise = _plain(then), _plain(otherwise)
        except SortError:
            words = f"if_(…, {then!r}, {otherwise!r}): the sort of the values is not known"
            raise SortError(f"{words}: write one as an expression, literal(s.x.sort, {then!r})") from None
    left, right = map(term_of, unify(then, otherwise))
    sort = join(left.sort, right.sort)
    return wrap(Term(Operator.IF, sort, (coerce(condition, BOOLEAN).term, left, right)))


def body_term(value: Any) -> Term:
    """The result of a body: a value, an integer or a boolean."""
    return term_of(value if isinstance(value, Value) else _plain(value))


def _plain(value: Any) -> Value:
    return coerce(value, BOOLEAN) if isinstance(value, bool) else integer(value)


def minimum(*integers: Number) -> IntegerValue:
    """The least of two or more integers."""
    return _extreme("minimum", Operator.MINIMUM, least, integers)


def maximum(*integers: Number) -> IntegerValue:
    """The greatest of two or more integers."""
    return _extreme("maximum", Operator.MAXIMUM, greatest, integers)


def _extreme(
    name: str, operator: Operator, pick: Callable[..., int], integers: tuple[Number, ...]
) -> IntegerValue:
    if len(integers) < 2:
        raise SortError(f"{name}(…) takes two or more integers; of a set s.x there is s.x.{name}")
    values = [integer(item) for item in integers]
    ranges = [bounds(value) for value in values]
    sort = Range(pick(*(part.low for part in ranges)), pick(*(part.high for part in ranges)))
    return IntegerValue(Term(operator, sort, tuple(value.term for value in values)))


def all_of(*formulas: Truth) -> BooleanValue:
    """The conjunction of the formulas; true if there are none."""
    return _join(Operator.AND, "all_of", "forall", formulas)


def any_of(*formulas: Truth) -> BooleanValue:
    """The disjunction of the formulas; false if there are none."""
    return _join(Operator.OR, "any_of", "exists", formulas)


def _join(operator: Operator, name: str, quantifier: str, formulas: tuple[Any, ...]) -> BooleanValue:
    if any(isinstance(item, GeneratorType) for item in formulas):
        raise SortError(
            f"{name}(…) joins single formulas: write {quantifier}(… for n in self.nodes) over a sort or set, "
            f"or {name}(*[…]) with a list of Python"
        )
    return BooleanValue(Term(operator, BOOLEAN, tuple(coerce(item, BOOLEAN).term for item in formulas)))


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
