"""Expressions, and how Python values become expressions.

An expression wraps a term, and its class has the operations of its sort. The classes for booleans, integers,
elements, options, records and functions are in ``values``, those for sets, sequences and bags in
``collection_values``, and those for tuples, variants and partial functions in ``compound_values``.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from verifier.encodings.concrete import Concrete, FrozenMap, show
from verifier.encodings.listed_sort import range_of
from verifier.encodings.open_integers import number_of
from verifier.encodings.printing import text
from verifier.encodings.python_use import GUARD, take
from verifier.encodings.scalar_sorts import Expression
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    SortError,
    Tuple,
    Variant,
    join,
    plain,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.type_variables import F, V
from verifier.errors import among

if TYPE_CHECKING:
    from verifier.encodings.collection_values import SetValue
    from verifier.encodings.values import BooleanValue, IntegerValue, OptionValue

BOOLEAN = Boolean()
Truth: TypeAlias = "BooleanValue | bool"
Number: TypeAlias = "IntegerValue | int"
Plain: TypeAlias = int | str | Collection[Any] | None
"""A Python value that stands for an expression: ``0``, ``"idle"``, ``None``, ``{"epoch": 0}``, ``set()``."""


class Value(Expression):
    """An expression of some sort."""

    __slots__ = ("_term",)

    def __init__(self, term: Term) -> None:
        self._term = term

    @property
    def term(self) -> Term:
        """The expression itself. Of a record use ``term_of``: a field may have this name."""
        return self._term

    @property
    def sort(self) -> Sort:
        """The sort of this expression. Of a record use ``sort_of``: a field may have this name."""
        return self._term.sort

    def __eq__(self, other: Self | OptionValue[Self] | Plain) -> BooleanValue:  # type: ignore[override]
        left, right = unify(self, other)
        return wrap(Term(Operator.EQUAL, BOOLEAN, (left._term, right._term)))  # type: ignore[no-any-return]

    def __ne__(self, other: Self | OptionValue[Self] | Plain) -> BooleanValue:  # type: ignore[override]
        return ~(self == other)

    def __hash__(self) -> int:
        guard = GUARD.get()
        return id(self) if guard is None else guard.hash_expression(self, sys._getframe(1))

    def __repr__(self) -> str:
        guard = GUARD.get()
        shown = None if guard is None else guard.show_expression(self, sys._getframe(1))
        return text(self._term) if shown is None else shown

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        guard = GUARD.get()
        if guard is not None:
            guard.show_expression(self, sys._getframe(1))
        return super().__reduce_ex__(protocol)

    def __iter__(self) -> Iterator[Any]:
        raise SortError(
            "a value has no elements while the protocol is being read: quantify over it with forall(…), "
            "exists(…), comprehension(…) or count(…) instead of a loop, and ask contains(…) instead of in"
        )

    def __bool__(self) -> bool:
        from verifier.encodings import generators  # which is written with values

        return generators.truth(self)


def term_of(value: Value) -> Term:
    """The expression that a value is."""
    return value._term


def sort_of(value: Value) -> Sort:
    """The sort of a value."""
    return value._term.sort


@cache
def _classes() -> Mapping[type[Sort], type[Value]]:
    """The class of each sort's expressions, which are written with what is in here."""
    from verifier.encodings import collection_values, values

    return {
        Boolean: values.BooleanValue,
        Range: values.IntegerValue,
        Enum: values.AtomValue,
        IndexSet: values.AtomValue,
        Option: values.OptionValue,
        Record: values.RecordValue,
        Function: values.FunctionValue,
        Set: collection_values.SetValue,
        Sequence: collection_values.SequenceValue,
        Bag: collection_values.BagValue,
    }


def wrap(term: Term) -> Any:
    """The term as a value of the class for its sort."""
    made_by = _classes().get(type(term.sort)) or _compound().wrapper(term.sort)
    return made_by(term)


def _compound() -> Any:
    """The expressions of further sorts, which are written with what is in here."""
    return import_module("verifier.encodings.compound_values")


def literal(sort: Sort[V], value: Concrete) -> V:
    """A Python value, or the name of an element, as an expression. Raises SortError if it does not fit."""
    result: V = wrap(Term(Operator.LITERAL, sort, (), constant(sort, value)))
    return result


def integer(value: Any) -> IntegerValue:
    """``value`` as an integer expression. Raises SortError if it is none."""
    value = number_of(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return literal(Range(value, value), value)
    if not isinstance(value, Value) or range_of(value._term.sort) is None:
        raise SortError(f"an integer is needed here, not {describe_value(value)}")
    return value  # type: ignore[return-value]  # such values are of this class


def bounds(value: IntegerValue) -> Range:
    """The static bounds of an integer expression."""
    bounds = range_of(value.sort)
    assert bounds is not None
    return bounds


def coerce(value: Any, sort: Sort) -> Value:
    """``value`` as an expression for a place that requires ``sort``.

    A Python value becomes a literal. A value becomes an option if the sort is an option. Integers keep their
    own bounds. Raises SortError if the value does not fit.
    """
    value = number_of(value)
    if isinstance(value, Value):
        if isinstance(sort, Option) and not isinstance(value._term.sort, Option):
            inner = coerce(value, sort.inner)._term
            some_of: Value = wrap(Term(Operator.SOME, Option(inner.sort), (inner,)))
            return some_of
        if isinstance(sort, PartialFunction) and isinstance(value._term.sort, Function):
            partial: Value = _compound().coerce_to_sorts(value, sort)
            join(partial.sort, sort)
            return partial
        join(value._term.sort, sort)
        return value
    match sort, value:
        case Range(), int() if not isinstance(value, bool):
            return integer(value)
        case Option(), _ if value is not None:
            return coerce(coerce(value, sort.inner), sort)
        case Record(), dict():
            made_record: Value = record(sort, **value)
            return made_record
        case Set(), Sort():
            everything = all_values(value)
            join(everything.sort, sort)
            return everything
        case Set(), set() | frozenset():
            # The order of a Python set differs between processes, and the term must not depend on it.
            return set_of(sort.element, *sorted(take(value), key=_show))
        case Sequence(), list() | tuple():
            items = tuple(coerce(item, sort.element)._term for item in value)
            made = Sequence(join_all(sort.element, items), len(items))
            sequence: Value = wrap(Term(Operator.SEQUENCE, made, items))
            return sequence
        case ((Tuple() | Variant() | PartialFunction() | Listed()), _):
            coerced: Value = _compound().coerce_to_sorts(value, sort)
            return coerced
    result: Value = literal(sort, value)
    return result


def all_values(sort: Sort[V]) -> SetValue[V]:
    """The set of all values of a sort. It names no value, so it keeps the symmetry of an index set."""
    true: BooleanValue = literal(BOOLEAN, True)
    every: SetValue[V] = wrap(Term(Operator.COMPREHENSION, Set(sort), (true.term,), binds=Symbol("x", sort)))
    return every


def unify(left: Any, right: Any) -> tuple[Value, Value]:
    """Both as expressions that can be compared. Raises SortError if that is not possible."""
    if not isinstance(left, Value):
        right, left = unify(right, left)
        return left, right
    if isinstance(right, Value) and isinstance(right._term.sort, Option):
        return coerce(left, right._term.sort), right
    return left, coerce(right, left._term.sort)


def some(value: V) -> OptionValue[V]:
    """The option that holds ``value``."""
    if not isinstance(value, Value):
        raise SortError(f"some(…) takes a value of the state, not {value!r}: write {value!r} alone")
    result: OptionValue[V] = wrap(Term(Operator.SOME, Option(value._term.sort), (value._term,)))
    return result


def record(sort: Sort[F], /, **fields: Any) -> F:
    """A record of ``sort`` with every field given. Raises SortError for a missing or unknown field."""
    if not isinstance(sort, Record):
        raise SortError(f"record(…) makes a value of a Record, not of {sort}")
    for name in fields:
        if name not in sort.field_sorts:
            raise SortError(no_field(sort, name))
    missing = [name for name in sort.field_sorts if name not in fields]
    if missing:
        raise SortError(f"a record is given all its fields: {', '.join(missing)} of {sort} missing")
    items = {name: coerce(fields[name], field_sort)._term for name, field_sort in sort.fields}
    made = Record(**{name: item.sort for name, item in items.items()})
    result: F = wrap(Term(Operator.RECORD, made, tuple(items.values())))
    return result


def set_of(element: Sort[V], *items: V | Plain) -> SetValue[V]:
    """The set of exactly these items."""
    terms = tuple(coerce(item, element)._term for item in items)
    result: SetValue[V] = wrap(Term(Operator.SET, Set(join_all(element, terms)), terms))
    return result


def constant(sort: Sort, value: Any) -> Concrete:
    """A Python value as the hashable concrete value of ``sort``. Raises SortError if it does not fit."""
    value = number_of(value)
    match sort, value:
        case Option(), None:
            return None
        case Option(), _:
            return constant(sort.inner, value)
        case Record(), Mapping() if value.keys() == sort.field_sorts.keys():
            result: Concrete = FrozenMap((name, constant(part, value[name])) for name, part in sort.fields)
        case Function(), Mapping():
            given = {constant(sort.domain, key): item for key, item in value.items()}
            if given.keys() != set(sort.domain.each()):
                raise SortError(f"{value!r} is not a value of {sort}: it has other keys")
            result = FrozenMap((key, constant(sort.range, given[key])) for key in sort.domain.each())
        case Bag(), Mapping():
            result = FrozenMap((constant(sort.element, item), count) for item, count in value.items())
        case Set(), set() | frozenset():
            result = frozenset(constant(sort.element, item) for item in value)
        case Sequence(), list() | tuple():
            result = tuple(constant(sort.element, item) for item in value)
        case IndexSet(), str():
            result = sort.find_element(value)
        case ((Tuple() | Variant() | PartialFunction() | Listed()), _):
            result = _compound().concrete(sort, value)
        case _:
            result = plain(value)
    if isinstance(result, Expression) or not sort.contains(result):
        raise SortError(f"{value!r} is not a value of {sort}{_instead(sort, value)}")
    return result


class NotOfOneState:
    """A value that an author may mistake for a formula of one state. ``instead`` says what to write."""

    instead: ClassVar[str]


def _instead(sort: Sort, value: Any) -> str:
    """Suggest what to write instead: a name of an enumeration or index set, a listed value, the empty set."""
    if isinstance(value, NotOfOneState):
        return f": {value.instead}"
    if isinstance(sort, Set) and isinstance(value, dict) and not value:
        return ": the empty set is set() in Python, and s.x.is_empty is the formula"
    if not (isinstance(value, str) and isinstance(sort, Enum | IndexSet)) and not isinstance(sort, Listed):
        return ""
    return f" {among(str(value), map(show, sort.each()))}"


def no_field(sort: Record, name: str) -> str:
    return f"the record has no field {name!r} {among(name, sort.field_sorts)}"


def _show(item: Any) -> str:
    return text(item._term) if isinstance(item, Value) else show(item)


def join_all(sort: Sort, terms: Iterable[Term]) -> Sort:
    return reduce(join, (term.sort for term in terms), sort)


def describe_value(value: Any) -> str:
    """Describe the author's value in words."""
    return f"a value of {value._term.sort}" if isinstance(value, Value) else repr(value)
