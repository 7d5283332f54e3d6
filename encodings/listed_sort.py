"""A sort whose values are listed one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.encodings.concrete import Concrete, Element, FrozenMap, Tagged, elements_of, show
from verifier.encodings.open_integers import OriginInteger, greatest, least
from verifier.encodings.scalar_sorts import Range, Sort, SortError, plain

_MOST_LISTED = 1000
"""Joining with longer sorts makes a range."""


@dataclass(frozen=True, init=False)
class Listed(Sort[Any]):
    """Exactly the listed values: ``Listed(0, 1, 10000)``, ``Listed((0, 0), (0, 1), (1, 1))``.

    A field of n values takes log2(n) bits. If all values are integers, expressions are integers as those of a
    Range are, with the values in ascending order. Others can be compared with ``==`` alone; they stand in
    the given order. A dict stands for a record or function. An element of an index set that a listed value
    names is no longer interchangeable with others.
    """

    members: tuple[Concrete, ...]
    shown: tuple[str, ...]
    """The values as text, because Python takes 1 and true for equal."""

    def __init__(self, *members: Any) -> None:
        if not members:
            raise SortError("a Listed sort needs values, as in Listed(0, 1, 10000)")
        given = tuple(map(freeze, members))
        if all(type(member) is int for member in given):
            given = tuple(sorted(given))  # type: ignore[type-var]
        shown = tuple(map(show, given))
        if len(set(given)) != len(given) or len(set(shown)) != len(given):
            raise SortError(f"a Listed sort needs distinct values, got {', '.join(map(show, given))}")
        object.__setattr__(self, "members", given)
        object.__setattr__(self, "shown", shown)

    @property
    def bounds(self) -> Range | None:
        """The least range that holds all values; None if they are no integers."""
        if not all(isinstance(member, int) for member in self.members):
            return None
        return Range(least(*self.members), greatest(*self.members))  # type: ignore[arg-type]

    @property
    def elements(self) -> frozenset[Element]:
        """The elements of index sets that the values name."""
        return frozenset(item for member in self.members for item in elements_of(member))

    def values(self) -> Iterator[Concrete]:
        return iter(self.members)

    @property
    def size(self) -> int:
        return len(self.members)

    def _contains(self, value: Any) -> bool:
        return any(value == member and show(value) == show(member) for member in self.members)

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"Listed({', '.join(map(show, self.members))})"


def freeze(value: Any) -> Concrete:
    """A value that an author wrote, hashable."""
    match value:
        case bool() | None:
            raise SortError(f"a Listed sort cannot have the value {value!r}: use Boolean() or Option(…)")
        case int() | str() | Element():
            return plain(value)  # type: ignore[no-any-return]
    return _inner(value)


def _inner(value: Any) -> Concrete:
    match value:
        case Tagged():
            return Tagged(value.tag, _inner(value.payload))
        case list() | tuple():
            return tuple(map(_inner, value))
        case set() | frozenset():
            return frozenset(map(_inner, value))
        case Mapping():
            return FrozenMap((_inner(key), _inner(item)) for key, item in value.items())
        case bool() | int() | str() | Element() | None:
            return plain(value)  # type: ignore[no-any-return]
    raise SortError(f"a Listed sort has values such as 3, 'idle' or (0, 1), not {value!r}")


def join_listed(left: Sort, right: Sort) -> Sort | None:
    """The smallest sort that holds the values of both, of which one is listed; None if there is none.

    Integers that many are added to become a Range, so that nothing long is listed.
    """
    ranges = [bounds for sort in (left, right) if (bounds := range_of(sort)) is not None]
    if len(ranges) < 2:
        if ranges or not isinstance(left, Listed) or not isinstance(right, Listed):
            return None
        if all(map(right.contains, left.members)):
            return right
        both = (*left.members, *(value for value in right.members if not left.contains(value)))
        return Listed(*both) if len(set(both)) == len(both) else None
    for end in (end for bounds in ranges for end in (bounds.low, bounds.high)):
        if isinstance(end, OriginInteger):  # whether it is listed depends on what it was computed from
            end.refuse("a bound of integers that go together with listed ones")
    for one, other in ((left, right), (right, left)):
        if other.size <= one.size and all(map(one.contains, other.each())):
            return one
    if max(left.size, right.size) > _MOST_LISTED:
        return Range(min(bounds.low for bounds in ranges), max(bounds.high for bounds in ranges))
    return Listed(*{*left.values(), *right.values()})


def range_of(sort: Sort) -> Range | None:
    """The least range with all values of a sort; None if they are no integers."""
    return sort.bounds if isinstance(sort, Listed) else sort if isinstance(sort, Range) else None
