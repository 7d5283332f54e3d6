"""Hypothesis strategies for sorts, their values, and the sorts of operands."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from random import Random
from typing import Any, TypeAlias

from hypothesis import strategies as st

from verifier.encodings.concrete import FrozenMap, Tagged
from verifier.encodings.expressions import BOOLEAN
from verifier.encodings.sorts import (
    Bag,
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
    Tuple,
    Variant,
)

MOST_BITS = 500
"""Sorts that are joined may have many more values than each of them."""


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
