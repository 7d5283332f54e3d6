"""Operations on scalars, records and functions, each beside what Python makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.support.sort_strategies import (
    INTEGERS,
    PARTIAL_AND_KEY,
    TWO_BOOLEANS,
    TWO_INTEGERS,
    Shape,
    functions,
    joinable,
    one,
    options,
    partial_functions,
    plain_sorts,
    ranges,
    records,
    sorts,
    tuples,
    variants,
    with_parts,
)
from verifier.encodings.compound_values import tuple_of
from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.expressions import BOOLEAN, coerce, record, some
from verifier.encodings.quantifiers import (
    all_of,
    any_of,
    comprehension,
    function,
    if_,
    maximum,
    minimum,
    partial_function,
)
from verifier.encodings.sorts import PartialFunction, Record, Sort

NO_VALUE = object()
"""The result of a partial operation outside its domain."""


# The operations


@dataclass(frozen=True)
class Operation:
    """``build`` writes it as a protocol does; ``oracle``, for given sorts, is what Python makes of it."""

    name: str
    shape: Shape
    build: Callable[..., Any]
    oracle: Callable[..., Callable[..., Any]]
    strict: bool
    """True if the result has no value, or as a formula is false, where an operand has no value."""

    def expect(self, sorts: Iterable[Sort], operands: Iterable[Concrete]) -> Any:
        return value_or_none_of(lambda: self.oracle(*sorts)(*operands))


def value_or_none_of(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except (LookupError, ValueError, StopIteration):
        return NO_VALUE


def op(
    name: str,
    shape: Shape,
    build: Callable[..., Any],
    oracle: Callable[..., Any] | None = None,
    *,
    by_sort: Callable[..., Callable[..., Any]] | None = None,
    strict: bool = True,
) -> Operation:
    """Without an oracle, Python itself understands ``build``. ``by_sort`` makes one for given sorts."""
    return Operation(name, shape, build, by_sort or (lambda *sorts: oracle or build), strict)


def value_of_option(value: Any) -> Any:
    """The payload of an option."""
    if value is None:
        raise LookupError
    return value


def item_at(items: tuple[Any, ...], index: int) -> Any:
    if index < 0:
        raise LookupError
    return items[index]


def positive(divisor: int) -> int:
    if divisor < 1:
        raise ValueError
    return divisor


def items_between(items: tuple[Any, ...], first: int, end: int) -> tuple[Any, ...]:
    if not 0 <= first <= end <= len(items):
        raise LookupError
    return items[first:end]


def is_everything(sort: Any) -> Callable[[frozenset[Any]], bool]:
    return lambda members: members == frozenset(sort.element.values())


def replace_value(mapping: FrozenMap, key: Any, value: Any) -> FrozenMap:
    if key not in mapping:
        raise LookupError
    return mapping.updated(key, value)


def without(mapping: FrozenMap, key: Any) -> FrozenMap:
    return FrozenMap((k, item) for k, item in mapping.items() if k != key)


def payload_of(value: Tagged, tag: str) -> Any:
    if value.tag != tag:
        raise LookupError
    return value.payload


def first_in(sort: Sort, members: frozenset[Any]) -> Any:
    """The first of the members in the order of the sort."""
    return next(value for value in sort.values() if value in members)


def more_copies(bag: FrozenMap, item: Any, change: int) -> FrozenMap:
    changed = bag.updated(item, max(0, bag.get(item, 0) + change))
    return FrozenMap((key, copies) for key, copies in changed.items() if copies)


SCALAR_OPERATIONS = [
    op("and", TWO_BOOLEANS, lambda a, b: a & b),
    op("or", TWO_BOOLEANS, lambda a, b: a | b, strict=False),
    op("not", st.just((BOOLEAN,)), lambda a: ~a, lambda a: not a, strict=False),
    op("implies", TWO_BOOLEANS, lambda a, b: a.implies(b), lambda a, b: b or not a, strict=False),
    op("all of", TWO_BOOLEANS, lambda a, b: all_of(a, True, b), lambda a, b: a and b),
    op("any of", TWO_BOOLEANS, lambda a, b: any_of(a, b, False), lambda a, b: a or b, strict=False),
    op("equal", joinable(sorts()), lambda a, b: a == b),
    op("unequal", joinable(sorts()), lambda a, b: a != b, strict=False),
    op(
        "if",
        with_parts(sorts(), lambda sort: sort, lambda sort: BOOLEAN),
        lambda a, b, condition: if_(condition, a, b),
        lambda a, b, condition: a if condition else b,
        strict=False,
    ),
    # integers
    op("less", TWO_INTEGERS, lambda a, b: a < b),
    op("less or equal", TWO_INTEGERS, lambda a, b: a <= b),
    op("greater", TWO_INTEGERS, lambda a, b: a > b),
    op("greater or equal", TWO_INTEGERS, lambda a, b: a >= b),
    op("add", TWO_INTEGERS, lambda a, b: a + b),
    op("subtract", TWO_INTEGERS, lambda a, b: a - b),
    op("add a constant", one(ranges()), lambda a: 3 + a),
    op("subtract from a constant", one(ranges()), lambda a: 1 - a),
    op("is above a constant", one(ranges()), lambda a: a > 1),
    op("multiply", TWO_INTEGERS, lambda a, b: a * b),
    op("divide", TWO_INTEGERS, lambda a, b: a // (b + 2), lambda a, b: a // positive(b + 2)),
    op("modulo", TWO_INTEGERS, lambda a, b: a % (b + 2), lambda a, b: a % positive(b + 2)),
    op("multiply by a constant", one(ranges()), lambda a: -3 * a),
    op("divide by a constant", one(ranges()), lambda a: a // 2),
    op("modulo a constant", one(ranges()), lambda a: a % 3),
    op("divide a constant", one(ranges()), lambda a: 7 // (a + 3), lambda a: 7 // positive(a + 3)),
    op("negative", one(ranges()), lambda a: -a),
    op("minimum of three", TWO_INTEGERS, lambda a, b: minimum(a, 0, b), lambda a, b: min(a, 0, b)),
    op("maximum of three", TWO_INTEGERS, lambda a, b: maximum(a, 0, b), lambda a, b: max(a, 0, b)),
    op("minimum", TWO_INTEGERS, minimum, min),
    op("maximum", TWO_INTEGERS, maximum, max),
    # options
    op("is none", one(options()), lambda a: a.is_none, lambda a: a is None),
    op("is some", one(options()), lambda a: a.is_some, lambda a: a is not None, strict=False),
    op("value", one(options()), lambda a: a.value, value_of_option),
    op("some", one(plain_sorts()), some, lambda a: a),
    op("option equals value", with_parts(options(), lambda sort: sort.inner), lambda a, b: a == b),
    op("value equals option", with_parts(options(), lambda sort: sort.inner), lambda a, b: b == a),
    # records
    op("field", one(records()), lambda a: a.rest, lambda a: a["rest"]),
    op(
        "update of a record",
        with_parts(records(), lambda sort: sort.field_sorts["rest"]),
        lambda a, b: a.updated(rest=b),
        lambda a, b: a.updated("rest", b),
    ),
    op(
        "record",
        st.tuples(sorts(6), sorts(6)),
        lambda a, b: record(Record(x=a.sort, y=b.sort), x=a, y=b),
        lambda a, b: FrozenMap([("x", a), ("y", b)]),
    ),
    # functions
    op("apply", with_parts(functions(), lambda sort: sort.domain), lambda f, key: f[key]),
    op(
        "update of a function",
        with_parts(functions(), lambda sort: sort.domain, lambda sort: sort.range),
        lambda f, key, value: f.updated(key, value),
        replace_value,
    ),
    op(
        "function",
        with_parts(functions(), lambda sort: sort.range),
        lambda f, value: function(f.sort.domain, lambda key: if_(f[key] == value, f[key], value)),
        lambda f, value: FrozenMap(dict.fromkeys(f, value)),
        strict=False,
    ),
    op(
        "function with its range given",
        with_parts(functions(), lambda sort: sort.range),
        lambda f, value: function(f.sort.domain, lambda key: value, f.sort.range),
        lambda f, value: FrozenMap(dict.fromkeys(f, value)),
        strict=False,
    ),
    # tuples, variants, partial functions, listed integers
    op("item", one(tuples()), lambda a: a[1]),
    op("tuple", st.tuples(sorts(6), sorts(6)), tuple_of, lambda a, b: (a, b)),
    op(
        "update of a tuple",
        with_parts(tuples(), lambda sort: sort.items[1]),
        lambda a, b: a.updated(1, b),
        lambda a, b: (a[0], b),
    ),
    op("has the tag", one(variants()), lambda a: a.is_one, lambda a: a.tag == "one"),
    op("payload", one(variants()), lambda a: a.one, lambda a: payload_of(a, "one")),
    op(
        "variant",
        with_parts(variants(), lambda sort: sort.payloads["one"]),
        lambda a, b: a.sort.make("one", b),
        lambda a, b: Tagged("one", b),
        strict=False,
    ),
    op("apply a partial function", PARTIAL_AND_KEY, lambda f, key: f[key]),
    op("has the key", PARTIAL_AND_KEY, lambda f, key: f.contains(key), lambda f, key: key in f),
    op("domain", one(partial_functions()), lambda f: f.domain, frozenset),
    op("without", PARTIAL_AND_KEY, lambda f, key: f.without(key), without),
    op(
        "update of a partial function",
        with_parts(partial_functions(), lambda sort: sort.domain, lambda sort: sort.range),
        lambda f, key, value: f.updated(key, value),
        lambda f, key, value: f.updated(key, value),
    ),
    op(
        "partial function",
        PARTIAL_AND_KEY,
        lambda f, key: partial_function(comprehension(f.domain, lambda k: k != key), lambda k: f[k]),
        without,
        strict=False,
    ),
    op(
        "total as partial",
        one(functions()),
        lambda f: coerce(f, PartialFunction(f.sort.domain, f.sort.range)),
        lambda f: f,
    ),
    op("less than a listed", st.tuples(ranges(), INTEGERS), lambda a, b: a < b),
    op("add a listed", st.tuples(INTEGERS, ranges()), lambda a, b: a + b),
    op("minimum with a listed", st.tuples(INTEGERS, ranges()), minimum, min),
]
