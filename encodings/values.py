"""Values: the expressions in which a protocol is written.

A value wraps a term and offers the operations of its sort, so an action looks similar to TLA+.
``==`` and ``<`` build formulas, and ``&``, ``|``, ``~`` stand for and, or, not; Python's own ``and``,
``or``, ``not``, ``if`` on a formula raise an error that says so.

A partial operation outside its domain (a function beyond its keys, the value of a none, the minimum
of an empty set, a sequence beyond its length) has no value. A protocol must not
read it, unless the formula to its left decides (``verifier.encodings.definedness``). Such a read violates
``UndefinedRead``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic

from verifier.encodings import integer_bounds
from verifier.encodings.expressions import (
    BOOLEAN,
    NotOfOneState,
    Number,
    Plain,
    Truth,
    Value,
    bounds,
    coerce,
    describe_value,
    integer,
    no_field,
    wrap,
)
from verifier.encodings.sorts import Boolean, Function, Option, Range, Record, Sort, SortError, join
from verifier.encodings.terms import Operator, Term
from verifier.encodings.type_variables import K, V


class BooleanValue(Value):
    """A formula."""

    __slots__ = ()

    def __and__(self, other: Truth) -> BooleanValue:
        return BooleanValue(Term(Operator.AND, BOOLEAN, (self.term, _join("&", other).term)))

    def __or__(self, other: Truth) -> BooleanValue:
        return BooleanValue(Term(Operator.OR, BOOLEAN, (self.term, _join("|", other).term)))

    def __rand__(self, other: Truth) -> BooleanValue:
        return self.__and__(other)

    def __ror__(self, other: Truth) -> BooleanValue:
        return self.__or__(other)

    def __invert__(self) -> BooleanValue:
        return BooleanValue(Term(Operator.NOT, BOOLEAN, (self.term,)))

    def implies(self, other: Truth) -> BooleanValue:
        """``self => other``."""
        return BooleanValue(Term(Operator.IMPLIES, BOOLEAN, (self.term, coerce(other, BOOLEAN)._term)))


def _join(operator: str, other: Any) -> Value:
    """The operand of ``&`` or ``|`` beside a formula."""
    if isinstance(other, bool) or (isinstance(other, Value) and isinstance(other._term.sort, Boolean)):
        return coerce(other, BOOLEAN)
    if isinstance(other, NotOfOneState):
        raise SortError(f"{operator} joins formulas of one state, and {other!r} is not one: {other.instead}")
    raise SortError(
        f"{operator} joins formulas, and {describe_value(other)} is not a formula: {operator} binds tighter "
        f"than == and <, so write (…) {operator} (…)"
    )


class IntegerValue(Value):
    """An integer with static bounds. Each operation computes the bounds of its result."""

    __slots__ = ()

    def _compare(self, operator: Operator, other: Number, swapped: bool = False) -> BooleanValue:
        left, right = self.term, integer(other).term
        return BooleanValue(Term(operator, BOOLEAN, (right, left) if swapped else (left, right)))

    def __lt__(self, other: Number) -> BooleanValue:
        return self._compare(Operator.LESS, other)

    def __le__(self, other: Number) -> BooleanValue:
        return self._compare(Operator.LESS_EQUAL, other)

    def __gt__(self, other: Number) -> BooleanValue:
        return self._compare(Operator.LESS, other, swapped=True)

    def __ge__(self, other: Number) -> BooleanValue:
        return self._compare(Operator.LESS_EQUAL, other, swapped=True)

    def __add__(self, other: Number) -> IntegerValue:
        right = integer(other)
        a, b = bounds(self), bounds(right)
        sort = Range(a.low + b.low, a.high + b.high)
        return IntegerValue(Term(Operator.ADD, sort, (self.term, right.term)))

    def __radd__(self, other: Number) -> IntegerValue:
        return self.__add__(other)

    def __sub__(self, other: Number) -> IntegerValue:
        right = integer(other)
        a, b = bounds(self), bounds(right)
        sort = Range(a.low - b.high, a.high - b.low)
        return IntegerValue(Term(Operator.SUBTRACT, sort, (self.term, right.term)))

    def __rsub__(self, other: Number) -> IntegerValue:
        return integer(other) - self

    def __neg__(self) -> IntegerValue:
        return 0 - self

    def __mul__(self, other: Number) -> IntegerValue:
        return self._calculate(Operator.MULTIPLY, integer_bounds.product, other)

    def __rmul__(self, other: Number) -> IntegerValue:
        return self.__mul__(other)

    def __floordiv__(self, other: Number) -> IntegerValue:
        """The floor of the quotient (TLA+ ``\\div``); undefined unless the divisor is positive."""
        return self._calculate(Operator.DIVIDE, integer_bounds.quotient, other)

    def __rfloordiv__(self, other: Number) -> IntegerValue:
        return integer(other) // self

    def __mod__(self, other: Number) -> IntegerValue:
        """The remainder, which is never negative (TLA+ ``%``); undefined unless the divisor is positive."""
        return self._calculate(Operator.MODULO, integer_bounds.remainder, other)

    def __rmod__(self, other: Number) -> IntegerValue:
        return integer(other) % self

    def _calculate(
        self, operator: Operator, result: Callable[[Sort, Sort], Range], other: Number
    ) -> IntegerValue:
        right = integer(other)
        if operator is not Operator.MULTIPLY and isinstance(other, int) and other < 1:
            raise SortError(f"// and % need a positive divisor, and {other} is not positive")
        return IntegerValue(Term(operator, result(self.sort, right.sort), (self.term, right.term)))


class AtomValue(Value):
    """An element of an index set or a member of an enumeration."""

    __slots__ = ()


class OptionValue(Value, Generic[V]):
    """A value or none."""

    __slots__ = ()

    @property
    def is_none(self) -> BooleanValue:
        """True if there is no value."""
        return BooleanValue(Term(Operator.IS_NONE, BOOLEAN, (self.term,)))

    @property
    def is_some(self) -> BooleanValue:
        """True if there is a value."""
        return ~self.is_none

    @property
    def value(self) -> V:
        """The value of the option; undefined if it is none."""
        assert isinstance(self.sort, Option)
        result: V = wrap(Term(Operator.GET, self.sort.inner, (self.term,)))
        return result


class RecordValue(Value):
    """A record; its fields are its attributes. A field named like a method hides the method.

    For such records there are the functions ``updated``, ``term_of`` and ``sort_of``.
    """

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        record_sort = self._term.sort
        assert isinstance(record_sort, Record)
        sort = record_sort.field_sorts.get(name)
        if sort is not None:
            return wrap(Term(Operator.FIELD, sort, (self._term,), name))
        try:
            return object.__getattribute__(self, name)
        except AttributeError:
            raise AttributeError(no_field(record_sort, name)) from None

    def updated(self, /, **changes: Any) -> RecordValue:
        """The record with the given fields changed (TLA+ ``EXCEPT``)."""
        term = self._term
        for name, value in changes.items():
            assert isinstance(term.sort, Record)
            fields = term.sort.field_sorts
            if name not in fields:
                raise SortError(no_field(term.sort, name))
            changed = coerce(value, fields[name])._term
            sort = Record(**{**fields, name: join(fields[name], changed.sort)})
            term = Term(Operator.RECORD_UPDATE, sort, (term, changed), name)
        return RecordValue(term)


class FunctionValue(Value, Generic[K, V]):
    """A total function; ``f[key]`` applies it."""

    __slots__ = ()

    def __getitem__(self, key: K | Plain) -> V:
        assert isinstance(self.sort, Function)
        at = coerce(key, self.sort.domain)._term
        result: V = wrap(Term(Operator.APPLY, self.sort.range, (self.term, at)))
        return result

    def updated(self, key: K | Plain, value: V | Any) -> FunctionValue[K, V]:
        """The function with ``key`` mapped to ``value`` (TLA+ ``EXCEPT``); undefined beyond the keys."""
        assert isinstance(self.sort, Function)
        at, changed = coerce(key, self.sort.domain)._term, coerce(value, self.sort.range)._term
        sort = Function(self.sort.domain, join(self.sort.range, changed.sort))
        return FunctionValue(Term(Operator.FUNCTION_UPDATE, sort, (self.term, at, changed)))
