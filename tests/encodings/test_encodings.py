"""Every operation on values agrees with Python's own sets, dicts and tuples.

``OPERATIONS`` is the table: what the operands are, how a protocol writes the operation, and what
Python says it gives. Each entry is tried on random sorts and values in three ways: on constants, which
must fold to the result; on state variables, through the compiled evaluator; and through a solver.
``CARRIERS`` are the ways for an operand to reach its operation: as a variable, or out of a larger
value, where there may be none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import log
from random import Random
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pysmt.fnode import FNode
from pysmt.shortcuts import Solver

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    bit,
    choice,
    conjunction,
    disjunction,
    equivalence,
    negation,
)
from verifier.encodings.compound_values import tuple_of
from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.expressions import BOOLEAN, coerce, constant, literal, record, set_of, some, wrap
from verifier.encodings.fitting import convert, outside
from verifier.encodings.layout import Layout
from verifier.encodings.lowered import equal
from verifier.encodings.lowering import Lowering
from verifier.encodings.printing import text
from verifier.encodings.quantifiers import (
    all_of,
    any_of,
    choose,
    comprehension,
    count,
    exists,
    filtered,
    forall,
    function,
    if_,
    image,
    mapped,
    maximum,
    minimum,
    partial_function,
    sum_of,
    union_of,
)
from verifier.encodings.scalars import total_of
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
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.system import size

_MOST_BITS = 500
"""Sorts that are joined may have many more values than each of them."""
NO_VALUE = object()
"""The result of a partial operation outside its domain."""

# Random sorts: the argument is how many values they have at most

Sorts: TypeAlias = st.SearchStrategy[Any]


@st.composite
def ranges(draw: st.DrawFn, limit: int = 4) -> Range:
    low = draw(st.integers(-2, 2))
    return Range(low, low + draw(st.integers(0, min(4, limit) - 1)))


@st.composite
def enums(draw: st.DrawFn, limit: int) -> Enum:
    return Enum("colour", ("red", "green", "blue")[: draw(st.integers(1, min(3, limit)))])


@st.composite
def index_sets(draw: st.DrawFn, limit: int) -> IndexSet:
    return IndexSet("replica", draw(st.integers(1, min(3, limit))))


@st.composite
def options(draw: st.DrawFn, limit: int = 24) -> Option:
    inner = draw(sorts(limit - 1))
    return inner if isinstance(inner, Option) else Option(inner)


@st.composite
def records(draw: st.DrawFn, limit: int = 24) -> Record:
    first = draw(sorts(max(1, limit // 2)))
    return Record(present=first, rest=draw(sorts(max(1, min(limit - 1, limit // first.size)))))


@st.composite
def functions(draw: st.DrawFn, limit: int = 24) -> Function:
    domain = draw(sorts(3))
    return Function(domain, draw(sorts(max(1, min(limit - 1, int(limit ** (1 / domain.size)))))))


@st.composite
def sets(draw: st.DrawFn, limit: int = 64, elements: Callable[[int], Sorts] | None = None) -> Set:
    return Set(draw((elements or sorts)(limit.bit_length() - 1)))


@st.composite
def sequences(draw: st.DrawFn, limit: int = 40, elements: Callable[[int], Sorts] | None = None) -> Sequence:
    capacity = draw(st.integers(0, min(3, limit - 1)))
    sizes = (size for size in range(limit, 0, -1) if sum(size**n for n in range(capacity + 1)) <= limit)
    return Sequence(draw((elements or sorts)(next(sizes) if capacity else 3)), capacity)


@st.composite
def bags(draw: st.DrawFn, limit: int = 27) -> Bag:
    maximum = draw(st.integers(1, 2 if limit >= 3 else 1))
    return Bag(draw(sorts(int(log(limit, maximum + 1) + 1e-9))), maximum)


@st.composite
def draw_listed(draw: st.DrawFn, limit: int = 4) -> Listed:
    numbers = draw(st.booleans())
    return Listed(
        *((-7, 1, 50, 51) if numbers else ("a", (0, 1), {"n": 2}))[: draw(st.integers(1, min(3, limit)))]
    )


@st.composite
def tuples(draw: st.DrawFn, limit: int = 24) -> Tuple:
    first = draw(sorts(max(1, limit // 2)))
    return Tuple(first, draw(sorts(max(1, min(limit - 1, limit // first.size)))))


@st.composite
def variants(draw: st.DrawFn, limit: int = 24) -> Variant:
    first = draw(sorts(max(1, limit // 2)))
    if limit - first.size < 2:
        return Variant(one=first)
    return Variant(one=first, bare=None, other=draw(sorts(max(1, limit - first.size - 1))))


@st.composite
def partial_functions(draw: st.DrawFn, limit: int = 27) -> PartialFunction:
    domain = draw(sorts(min(3, limit.bit_length() - 1)))
    return PartialFunction(domain, draw(sorts(max(1, int(limit ** (1 / domain.size) + 1e-9) - 1))))


SCALARS: list[Callable[[int], Sorts]] = [ranges, enums, index_sets, draw_listed]
COMPOSITES: list[Callable[[int], Sorts]] = [options, records, functions, sets, sequences, bags]
COMPOSITES += [tuples, variants, partial_functions]


@st.composite
def sorts(draw: st.DrawFn, limit: int = 24) -> Sort:
    kinds = SCALARS if limit < 2 else [*SCALARS, lambda _: st.just(BOOLEAN), *COMPOSITES]
    return draw(draw(st.sampled_from(kinds))(limit))


@st.composite
def relatives(draw: st.DrawFn, sort: Sort) -> Sort:
    """A sort that joins with the given one: other bounds and capacities."""
    related = draw(_relatives(sort))
    return related if related.size <= 2 * sort.size + 8 else sort


@st.composite
def _relatives(draw: st.DrawFn, sort: Sort) -> Sort:
    match sort:
        case Range():
            low = sort.low + draw(st.integers(-1, 1))
            return Range(low, max(low, sort.high + draw(st.integers(-1, 1))))
        case Option():
            return Option(draw(relatives(sort.inner)))
        case Record():
            return Record(**{name: draw(relatives(part)) for name, part in sort.fields})
        case Function():
            return Function(sort.domain, draw(relatives(sort.range)))
        case Listed() if sort.bounds is not None:
            return draw(st.sampled_from((Range(sort.bounds.low, sort.bounds.low + 2), Listed(-8, 1), sort)))
        case Tuple():
            return Tuple(*[draw(relatives(part)) for part in sort.items])
        case Variant():
            return Variant(**{tag: draw(relatives(part)) for tag, part in sort.alternatives})
        case PartialFunction():
            return PartialFunction(draw(relatives(sort.domain)), draw(relatives(sort.range)))
        case Set():
            return Set(draw(relatives(sort.element)))
        case Sequence():
            capacity = max(0, sort.capacity + draw(st.integers(-1, 1)))
            return Sequence(draw(relatives(sort.element)), capacity)
        case Bag():
            return Bag(draw(relatives(sort.element)), max(1, sort.maximum + draw(st.integers(-1, 1))))
    return sort


def random_value(source: Random, sort: Sort) -> Any:
    """A random concrete value of the sort."""
    match sort:
        case Option():
            return None if source.random() < 0.3 else random_value(source, sort.inner)
        case Record():
            return FrozenMap((name, random_value(source, part)) for name, part in sort.fields)
        case Function():
            return FrozenMap((key, random_value(source, sort.range)) for key in sort.domain.values())
        case Set():
            return frozenset(item for item in sort.element.values() if source.random() < 0.5)
        case Sequence():
            length = source.randint(0, sort.capacity)
            return tuple(random_value(source, sort.element) for _ in range(length))
        case Tuple():
            return tuple(random_value(source, part) for part in sort.items)
        case Variant():
            tag, part = source.choice(sort.alternatives)
            return Tagged(tag, random_value(source, part))
        case PartialFunction():
            keys = [key for key in sort.domain.values() if source.random() < 0.6]
            return FrozenMap((key, random_value(source, sort.range)) for key in keys)
        case Bag():
            counts = [(item, source.randint(0, sort.maximum)) for item in sort.element.values()]
            return FrozenMap((item, copies) for item, copies in counts if copies)
    return source.choice(list(sort.values()))


# Shapes: strategies for the sorts of an operation's operands

Shape: TypeAlias = st.SearchStrategy[tuple[Sort, ...]]


def one(sort: Sorts) -> Shape:
    return sort.map(lambda drawn: (drawn,))


@st.composite
def with_parts(draw: st.DrawFn, sort: Sorts, *parts: Callable[[Any], Sort]) -> tuple[Sort, ...]:
    """A sort, and sorts related to parts of it."""
    whole = draw(sort)
    return whole, *(draw(relatives(part(whole))) for part in parts)


def joinable(sort: Sorts) -> Shape:
    return with_parts(sort, lambda whole: whole)


def element(sort: Any) -> Sort:
    return sort.element  # type: ignore[no-any-return]


@st.composite
def set_and_function(draw: st.DrawFn) -> tuple[Sort, ...]:
    domain = draw(sorts(4))
    return Set(domain), Function(domain, draw(sorts(3)))


@st.composite
def set_and_integers(draw: st.DrawFn) -> tuple[Sort, ...]:
    domain = draw(sorts(4))
    return Set(domain), Function(domain, draw(ranges()))


@st.composite
def functions_to_sets(draw: st.DrawFn) -> Function:
    return Function(draw(sorts(3)), draw(sets(8)))


@st.composite
def sequence_and_function(draw: st.DrawFn) -> tuple[Sort, ...]:
    domain = draw(sorts(4))
    return Sequence(domain, draw(st.integers(0, 2))), Function(domain, draw(sorts(4)))


@st.composite
def sequence_index_item(draw: st.DrawFn) -> tuple[Sort, ...]:
    sequence, item = draw(with_parts(sequences(), element))
    return sequence, draw(ranges()), item


def plain_sorts(limit: int = 24) -> Sorts:
    return sorts(limit).filter(lambda sort: not isinstance(sort, Option))


TWO_BOOLEANS: Shape = st.just((BOOLEAN, BOOLEAN))
TWO_INTEGERS: Shape = st.tuples(ranges(), ranges())
SET_AND_ITEM = with_parts(sets(), element)
SEQUENCE_AND_ITEM = with_parts(sequences(), element)
SEQUENCE_AND_INTEGER: Shape = st.tuples(sequences(), ranges())
BAG_AND_ITEM = with_parts(bags(), element)
PARTIAL_AND_KEY = with_parts(partial_functions(), lambda sort: sort.domain)
INTEGERS: Sorts = draw_listed().filter(lambda sort: sort.bounds is not None)

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


OPERATIONS = [
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
    # sets
    op("set of", joinable(sorts(8)), lambda a, b: set_of(a.sort, a, b), lambda a, b: frozenset((a, b))),
    op("contains", SET_AND_ITEM, lambda s, item: s.contains(item), lambda s, item: item in s),
    op("union", joinable(sets()), lambda s, t: s | t),
    op("intersection", joinable(sets()), lambda s, t: s & t),
    op("difference", joinable(sets()), lambda s, t: s - t),
    op("subset", joinable(sets()), lambda s, t: s <= t),
    op("superset", joinable(sets()), lambda s, t: s >= t),
    op("true subset", joinable(sets()), lambda s, t: s < t, strict=False),
    op("true superset", joinable(sets()), lambda s, t: s > t, strict=False),
    op("is everything", one(sets()), lambda s: s.element == s, by_sort=is_everything),
    op(
        "what is missing",
        one(sets()),
        lambda s: s.element - s,
        by_sort=lambda sort: lambda s: frozenset(sort.element.values()) - s,
    ),
    op(
        "union of sets",
        one(sets(16, elements=lambda limit: sets(2**limit))),
        union_of,
        lambda s: frozenset().union(*s),
        strict=False,
    ),
    op(
        "union of values",
        one(functions_to_sets()),
        lambda f: union_of(f.sort.domain, lambda x: f[x]),
        lambda f: frozenset().union(*f.values()),
    ),
    op(
        "sum over a set",
        set_and_integers(),
        lambda s, f: sum_of(s, lambda x: f[x]),
        lambda s, f: sum(f[x] for x in s),
        strict=False,
    ),
    op(
        "sum over a sort",
        set_and_integers(),
        lambda s, f: sum_of(s.element, lambda x: f[x]),
        lambda s, f: sum(f.values()),
        strict=False,
    ),
    op("add to a set", SET_AND_ITEM, lambda s, item: s.add(item), lambda s, item: s | {item}),
    op("remove from a set", SET_AND_ITEM, lambda s, item: s.remove(item), lambda s, item: s - {item}),
    op("is an empty set", one(sets()), lambda s: s.is_empty, lambda s: not s),
    op("cardinality", one(sets()), lambda s: s.cardinality, len),
    op("minimum of a set", one(sets(elements=ranges)), lambda s: s.minimum, min),
    op("maximum of a set", one(sets(elements=ranges)), lambda s: s.maximum, max),
    op(
        "those of a set",
        SET_AND_ITEM,
        lambda s, item: comprehension(s, lambda x: x != item),
        lambda s, item: s - {item},
        strict=False,
    ),
    op(
        "those of a sort",
        one(sets()),
        lambda s: comprehension(s.element, lambda x: ~s.contains(x)),
        by_sort=lambda sort: lambda s: frozenset(sort.element.values()) - s,
        strict=False,
    ),
    op(
        "image of a set",
        set_and_function(),
        lambda s, f: image(s, lambda x: f[x]),
        lambda s, f: frozenset(f[x] for x in s),
        strict=False,
    ),
    op(
        "image of a sort",
        one(functions()),
        lambda f: image(f.sort.domain, lambda x: f[x]),
        lambda f: frozenset(f.values()),
    ),
    op(
        "choose from a set",
        SET_AND_ITEM,
        lambda s, item: choose(s, lambda x: x != item),
        by_sort=lambda sort, _: lambda s, item: first_in(sort.element, s - {item}),
        strict=False,
    ),
    op(
        "choose from a sort",
        one(functions()),
        lambda f: choose(f.sort.domain, lambda x: f[x] != f.sort.range.default),
        by_sort=lambda sort: (
            lambda f: first_in(sort.domain, frozenset(x for x in f if f[x] != sort.range.default))
        ),
        strict=False,
    ),
    op(
        "forall",
        joinable(sets()),
        lambda s, t: forall(s, t, lambda x, y: x != y),
        lambda s, t: not s & t,
        strict=False,
    ),
    op("exists", joinable(sets()), lambda s, t: exists(s, t, lambda x, y: x == y), lambda s, t: bool(s & t)),
    op("exists in a sort", one(sorts()), lambda a: exists(a.sort, lambda x: x == a), lambda a: True),
    op(
        "count",
        SET_AND_ITEM,
        lambda s, item: count(s, lambda x: x != item),
        lambda s, item: len(s - {item}),
        strict=False,
    ),
    # sequences
    op("length", one(sequences()), lambda s: s.length, len),
    op("is an empty sequence", one(sequences()), lambda s: s.is_empty, lambda s: not s),
    op("at", SEQUENCE_AND_INTEGER, lambda s, index: s[index], item_at),
    op("head", one(sequences()), lambda s: s.head, lambda s: s[0]),
    op("tail", one(sequences()), lambda s: s.tail, lambda s: items_between(s, 1, len(s))),
    op("reversed", one(sequences()), lambda s: s.reversed, lambda s: s[::-1]),
    op("elements", one(sequences(limit=20)), lambda s: s.elements, frozenset),
    op("sum of a sequence", one(sequences(elements=ranges)), lambda s: s.sum, sum),
    op("sequence contains", SEQUENCE_AND_ITEM, lambda s, item: s.contains(item), lambda s, item: item in s),
    op("prepend", SEQUENCE_AND_ITEM, lambda s, item: s.prepend(item), lambda s, item: (item, *s)),
    op(
        "between",
        st.tuples(sequences(), ranges(), ranges()),
        lambda s, first, end: s.between(first, end),
        items_between,
    ),
    op(
        "update of a sequence",
        sequence_index_item(),
        lambda s, index, item: s.updated(index, item),
        lambda s, index, item: (item_at(s, index), (*s[:index], item, *s[index + 1 :]))[1],
    ),
    op(
        "map",
        SEQUENCE_AND_ITEM,
        lambda s, item: mapped(s, lambda x: if_(x == item, 1, 0)),
        lambda s, item: tuple(int(x == item) for x in s),
        strict=False,
    ),
    op(
        "map by a function",
        sequence_and_function(),
        lambda s, f: mapped(s, lambda x: f[x]),
        lambda s, f: tuple(f[x] for x in s),
        strict=False,
    ),
    op("last", one(sequences()), lambda s: s.last, lambda s: s[-1]),
    op(
        "append", with_parts(sequences(), element), lambda s, item: s.append(item), lambda s, item: (*s, item)
    ),
    op(
        "truncate",
        SEQUENCE_AND_INTEGER,
        lambda s, length: s.truncate(length),
        lambda s, length: s[: max(0, length)],
    ),
    op("concatenate", joinable(sequences()), lambda s, t: s + t),
    op(
        "sequence of",
        joinable(sorts(6)),
        lambda a, b: coerce([a, b], Sequence(a.sort, 2)),
        lambda a, b: (a, b),
    ),
    op(
        "concatenate with Python's list",
        SEQUENCE_AND_ITEM,
        lambda s, item: s + [item],
        lambda s, item: (*s, item),
    ),
    op(
        "filter",
        SEQUENCE_AND_ITEM,
        lambda s, item: filtered(s, lambda x: x == item),
        lambda s, item: tuple(x for x in s if x == item),
        strict=False,
    ),
    # bags
    op("copies", BAG_AND_ITEM, lambda b, item: b.copies(item), lambda b, item: b.get(item, 0)),
    op("add to a bag", BAG_AND_ITEM, lambda b, item: b.add(item), lambda b, item: more_copies(b, item, 1)),
    op(
        "remove from a bag",
        BAG_AND_ITEM,
        lambda b, item: b.remove(item),
        lambda b, item: more_copies(b, item, -1),
    ),
]
each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)

# The ways in which an operand reaches its operation


@dataclass(frozen=True)
class Carrier:
    """Takes a value of a sort out of variables of other sorts."""

    sorts: tuple[Sort, ...]
    build: Callable[..., Any]
    oracle: Callable[..., Any]


TWO = Range(0, 1)


def carriers(sort: Sort) -> list[Carrier]:
    """The ways to a value of the sort; some have none in some states."""
    default = sort.default
    ways = [
        Carrier(
            (Range(0, 2),),
            lambda key: literal(Function(TWO, sort), FrozenMap([(0, default), (1, default)]))[key],
            lambda key: [default, default][key],
        ),
        Carrier((sort,), lambda x: x, lambda x: x),
        Carrier((BOOLEAN, sort, sort), if_, lambda condition, x, y: x if condition else y),
        Carrier((Record(only=sort),), lambda r: r.only, lambda r: r["only"]),
        Carrier((Function(TWO, sort), TWO), lambda f, key: f[key], lambda f, key: f[key]),
        Carrier(
            (Function(TWO, sort), TWO, sort),
            lambda f, key, x: f.updated(key, x)[0],
            lambda f, key, x: f.updated(key, x)[0],
        ),
        Carrier((Sequence(sort, 1), sort), lambda s, x: s.append(x).last, lambda s, x: x),
        Carrier((Sequence(sort, 2), TWO), lambda s, index: s[index], item_at),
        Carrier((Sequence(sort, 2),), lambda s: s.truncate(1).last, lambda s: s[0]),
    ]
    if not isinstance(sort, Option):
        ways.append(Carrier((Option(sort),), lambda o: o.value, value_of_option))
    if sort.size <= 6:
        ways.append(Carrier((Set(sort),), lambda s: choose(s, s.contains), lambda s: first_in(sort, s)))
    return ways


# Every operation in three ways


def variables(sorts: Iterable[Sort], prefix: str = "x") -> tuple[list[Symbol], list[Any]]:
    """Variables of the sorts, and the expressions that they are."""
    symbols = [Symbol(f"{prefix}{number}", sort) for number, sort in enumerate(sorts)]
    return symbols, [wrap(Term(Operator.VARIABLE, symbol.sort, (), symbol)) for symbol in symbols]


def layout_of(symbols: Iterable[Symbol], **more: Sort) -> Layout:
    return Layout({**{symbol.name: symbol.sort for symbol in symbols}, **more})


def lower_over(layout: Layout, symbols: Iterable[Symbol], term: Term) -> Any:
    return Lowering({symbol: layout.lowered[symbol.name] for symbol in symbols}).lower(term, {})


def bits_of(sort: Sort, lowered: Any) -> list[FNode]:
    """The bits by which a variable of the sort would hold a lowered value."""
    return Layout({"x": sort}).encode({"x": lowered})


def code_of(sort: Sort, value: Concrete) -> list[bool]:
    """The bits by which a variable of the sort holds a concrete value."""
    return Layout({"x": sort}).encode_state({"x": value})


@each_operation
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_constants_fold(operation: Operation, data: st.DataObject) -> None:
    _constants_fold(operation, data)


@pytest.mark.slow
@each_operation
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_constants_fold_in_more_examples(operation: Operation, data: st.DataObject) -> None:
    _constants_fold(operation, data)


def _constants_fold(operation: Operation, data: st.DataObject) -> None:
    sorts = data.draw(operation.shape)
    source = Random(data.draw(st.integers(0, 2**32)))
    for _ in range(4):
        operands = [random_value(source, sort) for sort in sorts]
        literals = (literal(sort, value) for sort, value in zip(sorts, operands, strict=True))
        term = operation.build(*literals).term
        assume(size.bits_of(term.sort) <= _MOST_BITS)
        lowered = Lowering({}).lower(term, {})
        expected = operation.expect(sorts, operands)
        if expected is NO_VALUE:
            assert outside(term.sort, lowered) is TRUE
        else:
            assert outside(term.sort, lowered) is FALSE
            bits = code_of(term.sort, expected)
            assert bits_of(term.sort, lowered) == [TRUE if value else FALSE for value in bits]


@each_operation
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_variables_evaluate(operation: Operation, data: st.DataObject) -> None:
    _variables_evaluate(operation, data)


@pytest.mark.slow
@each_operation
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_variables_evaluate_in_more_examples(operation: Operation, data: st.DataObject) -> None:
    _variables_evaluate(operation, data)


def _variables_evaluate(operation: Operation, data: st.DataObject) -> None:
    sorts = data.draw(operation.shape)
    ways = [data.draw(st.sampled_from(carriers(sort))) for sort in sorts]
    source = Random(data.draw(st.integers(0, 2**32)))
    symbols: list[Symbol] = []
    operands = []
    for position, way in enumerate(ways):
        own, values = variables(way.sorts, f"{position}.")
        symbols += own
        operands.append(way.build(*values))
    term = operation.build(*operands).term
    assume(size.bits_of(term.sort) <= _MOST_BITS)
    layout = layout_of(symbols, expected=term.sort)
    lowered = lower_over(layout, symbols, term)
    bits = bits_of(term.sort, lowered)
    outputs = [outside(term.sort, lowered), equal(lowered, layout.lowered["expected"]), *bits]
    evaluate = Evaluator(layout.bits, outputs)
    for _ in range(12):
        given_values = [[random_value(source, sort) for sort in way.sorts] for way in ways]
        names = (symbol.name for symbol in symbols)
        state = dict(zip(names, chain(*given_values), strict=True))
        arrived = [
            value_or_none_of(partial(way.oracle, *values))
            for way, values in zip(ways, given_values, strict=True)
        ]
        missing = NO_VALUE in arrived
        if missing and not operation.strict:
            continue
        expected = NO_VALUE if missing else operation.expect(sorts, arrived)
        other = random_value(source, term.sort)
        for compared in {other, expected} - {NO_VALUE}:
            inputs = layout.encode_state({**state, "expected": compared})
            is_outside, is_equal, *result = evaluate.single(inputs)
            if expected is not NO_VALUE:
                assert not is_outside
                assert is_equal == (compared == expected)
                assert result == code_of(term.sort, expected)
            elif missing and isinstance(term.sort, Boolean):
                assert result == [False]
            else:
                assert is_outside
                assert not is_equal


@each_operation
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_solver_agrees(operation: Operation, data: st.DataObject) -> None:
    sorts = data.draw(operation.shape)
    source = Random(data.draw(st.integers(0, 2**32)))
    symbols, operands = variables(sorts)
    term = operation.build(*operands).term
    layout = layout_of(symbols)
    lowered = lower_over(layout, symbols, term)
    values = [random_value(source, sort) for sort in sorts]
    expected = operation.expect(sorts, values)
    state = layout.encode_state({symbol.name: value for symbol, value in zip(symbols, values, strict=True)})
    units = [symbol if value else negation(symbol) for symbol, value in zip(layout.bits, state, strict=True)]
    claims = [layout.valid()]
    if expected is NO_VALUE:
        claims.append(outside(term.sort, lowered))
    else:
        bits = code_of(term.sort, expected)
        claims.append(negation(outside(term.sort, lowered)))
        claims += [
            equivalence(actual, TRUE if wanted else FALSE)
            for actual, wanted in zip(bits_of(term.sort, lowered), bits, strict=True)
        ]
    with Solver(name="z3") as solver:
        solver.add_assertions(units)
        assert solver.solve()
        solver.add_assertion(negation(conjunction(claims)))
        assert not solver.solve()


# No value


def evaluate_closed(value: Any, state: dict[str, Any], symbols: Iterable[Symbol]) -> Any:
    """A closed formula or integer, in a state of the variables."""
    symbols = list(symbols)
    layout = layout_of(symbols)
    bits = bits_of(value.sort, lower_over(layout, symbols, value.term))
    result = Evaluator(layout.bits, bits).single(layout.encode_state(state))
    return Layout({"x": value.sort}).decode_state(result)["x"]


def test_a_boolean_without_value_is_false() -> None:
    symbols, (option,) = variables([Option(BOOLEAN)])
    nothing = {"x0": None}
    flag = option.value
    for value, expected in [
        (flag & True, False),
        (flag | True, True),
        (flag | False, False),
        (~flag, True),
        (flag == False, False),  # noqa: E712
        (flag.implies(False), True),
        (literal(BOOLEAN, True).implies(flag), False),
        (if_(flag, 1, 2), 2),
        (count(Range(0, 1), lambda x: flag), 0),
        (forall(Range(0, 1), lambda x: flag), False),
        (comprehension(Range(0, 1), lambda x: flag).is_empty, True),
    ]:
        assert evaluate_closed(value, nothing, symbols) == expected


def test_what_holds_a_part_without_value_cannot_be_assigned() -> None:
    numbers = Range(0, 3)
    sorts: list[Sort] = [Option(numbers), Option(Record(only=numbers)), Option(Bag(Range(0, 1), 1))]
    symbols, (number, whole, bag) = variables(sorts)
    layout = layout_of(symbols)
    zero: Any = coerce([0], Sequence(numbers, 1))
    longer = zero.append(number.value)
    for value in (
        longer,
        record(Record(only=numbers), only=number.value),
        some(record(Record(only=numbers), only=number.value)),
        set_of(longer.sort, longer),
        filtered(longer, lambda x: x == 0),
        whole.value.updated(only=0),
        bag.value.copies(5),
        bag.value.add(0),
        function(Range(0, 1), lambda key: if_(key == 0, key, number.value)).updated(1, 0),
    ):
        lowered = lower_over(layout, symbols, value.term)
        evaluate = Evaluator(layout.bits, [outside(value.sort, lowered)])
        assert evaluate.single(layout.encode_state(dict.fromkeys(layout.sorts))) == [True]


def test_a_branch_not_taken_needs_no_value() -> None:
    symbols, (option,) = variables([Option(Range(0, 3))])
    guarded = if_(option.is_none, -1, option.value)
    each = function(Range(0, 1), lambda key: if_(key == 0, 3, option.value))
    some_of = image(Range(0, 1), lambda key: if_(key == 0, 3, option.value))
    for value, expected in [
        (guarded, -1),
        (each[0], 3),
        (each[1] == 3, False),
        (each == each, False),
        (image(comprehension(Range(0, 1), lambda key: key == 0), lambda key: each[key]).cardinality, 1),
        (some_of.contains(3), False),
    ]:
        assert evaluate_closed(value, {"x0": None}, symbols) == expected


# Assignment


@settings(max_examples=300, deadline=None)
@given(joinable(sorts()), st.integers(0, 2**32))
def test_assignment_keeps_what_fits(pair: tuple[Sort, Sort], seed: int) -> None:
    source, target = pair
    symbols, (value,) = variables([source])
    layout = layout_of(symbols)
    lowered = lower_over(layout, symbols, value.term)
    outputs = [outside(target, lowered), *bits_of(target, convert(lowered, source, target))]
    evaluate = Evaluator(layout.bits, outputs)
    random = Random(seed)
    for _ in range(8):
        concrete = random_value(random, source)
        is_outside, *bits = evaluate.single(layout.encode_state({"x0": concrete}))
        assert is_outside == (not target.contains(concrete))
        if not is_outside:
            assert bits == code_of(target, concrete)


# Sorts and layouts


@settings(max_examples=300, deadline=None)
@given(sorts())
def test_sorts_list_their_values(sort: Sort) -> None:
    values = list(sort.values())
    assert len(values) == len(set(values)) == sort.size
    assert all(sort.contains(value) for value in values)
    assert sort.default in values


@settings(max_examples=100, deadline=None)
@given(joinable(sorts()))
def test_a_joined_sort_has_the_values_of_both(pair: tuple[Sort, Sort]) -> None:
    joined = join(*pair)
    assert all(joined.contains(value) for sort in pair for value in sort.values())


@settings(max_examples=150, deadline=None)
@given(sorts().filter(lambda sort: len(Layout({"x": sort}).bits) <= 12))
def test_valid_bits_are_those_of_the_values(sort: Sort) -> None:
    layout = Layout({"x": sort})
    width = len(layout.bits)
    assert len(set(layout.bits)) == width
    codes = {tuple(code_of(sort, value)): value for value in sort.values()}
    assert len(codes) == sort.size
    # All bit vectors at once: bit n of each variable belongs to the vector n.
    vectors = range(2**width)
    columns = [sum((vector >> position & 1) << vector for vector in vectors) for position in range(width)]
    (valid,) = Evaluator(layout.bits, [layout.valid()])(columns, (1 << 2**width) - 1)
    for vector in vectors:
        bits = tuple(bool(vector >> position & 1) for position in range(width))
        assert bool(valid >> vector & 1) == (bits in codes)
        if bits in codes:
            assert layout.decode_state(bits) == {"x": codes[bits]}
        else:
            with pytest.raises(ValueError, match="the bits"):
                layout.decode_state(bits)


@settings(max_examples=200, deadline=None)
@given(st.lists(sorts(), min_size=1, max_size=4), st.integers(0, 2**32))
def test_states_come_back_from_their_bits(several: list[Sort], seed: int) -> None:
    layout = Layout({f"x{number}": sort for number, sort in enumerate(several)})
    random = Random(seed)
    state = {name: random_value(random, sort) for name, sort in layout.sorts.items()}
    assert layout.decode_state(layout.encode_state(state)) == state


def test_an_empty_sort_is_refused() -> None:
    with pytest.raises(SortError, match=r"x cannot have a value: 1\.\.0 is empty"):
        Layout({"x": Range(1, 0)})
    with pytest.raises(SortError, match=r"1\.\.0 has no values"):
        Lowering({}).lower(literal(Sequence(Range(1, 0), 1), ()).term, {})


@pytest.mark.parametrize("name", ["_term", "__class__"])
def test_a_field_that_could_not_be_read_is_refused(name: str) -> None:
    with pytest.raises(SortError, match=f"cannot have a field '{name}'"):
        Record(**{name: BOOLEAN})


# Notation

COLOUR = Enum("colour", ("red", "green"))
PAIR = Record(colour=COLOUR, items=Set(Range(0, 2)))


@pytest.mark.parametrize(
    ("sort", "written", "expected"),
    [
        (PAIR, {"colour": "red", "items": {1}}, FrozenMap({"colour": "red", "items": frozenset({1})})),
        (Option(PAIR), None, None),
        (Sequence(COLOUR, 3), ["red", "green"], ("red", "green")),
        (Set(COLOUR), {"red"}, frozenset({"red"})),
        (Set(Sequence(COLOUR, 1)), {()}, frozenset({()})),
        (Function(COLOUR, BOOLEAN), {"red": True, "green": False}, FrozenMap({"red": True, "green": False})),
        (Bag(COLOUR, 2), {"red": 2}, FrozenMap({"red": 2})),
    ],
    ids=str,
)
def test_plain_python_values_are_understood(sort: Sort, written: Any, expected: Concrete) -> None:
    assert constant(sort, written) == expected
    (symbol,), (variable,) = variables([sort])
    assert evaluate_closed(variable == written, {"x0": expected}, [symbol]) is True
    assert evaluate_closed(coerce(written, sort) == variable, {"x0": expected}, [symbol]) is True


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: literal(Range(0, 2), 3), "3 is not a value of 0..2"),
        (lambda: coerce("blue", COLOUR), "'blue' is not a value of colour"),
        (lambda: coerce(True, Range(0, 2)), "True is not a value of 0..2"),
        (
            lambda: coerce(literal(COLOUR, "red"), Range(0, 1)),
            "values of colour and of 0..1 do not go together",
        ),
        (lambda: literal(Range(0, 2), 1) + "one", "an integer is needed here, not 'one'"),  # type: ignore[operator]
        (lambda: record(PAIR, colour="red"), "a record is given all its fields: items of"),
        (lambda: some(literal(Option(COLOUR), None)), "an option of an option"),
        (lambda: bool(literal(COLOUR, "red") == "red"), "a formula has no truth value"),
        (lambda: constant(PAIR, {"colour": "red"}), "is not a value of Record"),
        (lambda: Enum("none", ()), "needs distinct members"),
    ],
)
def test_mistakes_are_named(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(SortError) as raised:
        mistake()
    assert message in str(raised.value)


@settings(max_examples=3, deadline=None)
@given(st.tuples(*(operation.shape for operation in OPERATIONS)))
def test_every_operator_prints(shapes: tuple[tuple[Sort, ...], ...]) -> None:
    printed = {}
    for operation, sorts in zip(OPERATIONS, shapes, strict=True):
        term = operation.build(*variables(sorts)[1]).term
        printed.update({part.operator: text(part) for part in term.walk()})
    missing = set(Operator) - printed.keys()
    assert not missing
    assert all(printed.values())


# The evaluator


def test_wide_and_long_terms_evaluate() -> None:
    """Python's compiler bears neither thousands of operands in one expression nor endless functions."""
    bits = [bit(f"b{number}") for number in range(2000)]
    parity = bits[0]
    for other in bits[1:] * 6:
        parity = choice(other, negation(parity), parity)
    evaluate = Evaluator(bits, [conjunction(bits), disjunction(bits), parity])
    for ones in (2000, 1999, 0):
        values = [True] * ones + [False] * (2000 - ones)
        assert evaluate.single(values) == [ones == 2000, ones > 0, ones > 0]


def test_an_unknown_variable_is_refused() -> None:
    with pytest.raises(ValueError, match="the variable b is not among"):
        Evaluator([bit("a")], [bit("b")])


@pytest.mark.parametrize("count", [0, 1, 16, 17, 40])
def test_conditions_are_counted_however_many_there_are(count: int) -> None:
    """Also where some are known, or are there twice."""
    rng = Random(count)
    symbols = [bit(f"counted{number}") for number in range(count)]
    flags = [rng.choice([symbol, negation(symbol), TRUE, FALSE, *symbols[:2]]) for symbol in symbols]
    total = total_of(flags)
    evaluate = Evaluator(symbols, [*flags, *total.thresholds])
    for chance in (0.0, 0.1, 0.5, 0.9, 1.0):
        found = evaluate.single([rng.random() < chance for _ in symbols])
        held = sum(found[:count])
        assert found[count:] == [number <= held for number in range(len(total.values))], (chance, held)
        assert held < len(total.values)
