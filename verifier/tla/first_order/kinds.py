"""Kinds: the shapes of values that a module's expressions have, apart from the sizes of its constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.encodings.expressions import BOOLEAN
from verifier.encodings.open_integers import LARGEST
from verifier.encodings.scalar_sorts import SortError
from verifier.encodings.sorts import Enum, Function, Option, Range, Record, Set, Sort
from verifier.encodings.sorts import Tuple as TupleSort


@dataclass(frozen=True)
class Linear:
    """An integer as a sum: a number, and multiples of constants of the module by name."""

    number: int
    parts: tuple[tuple[str, int], ...] = ()

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """Return this sum plus a multiple of another one."""
        factors = dict(self.parts)
        for name, times in other.parts:
            factors[name] = factors.get(name, 0) + factor * times
        parts = tuple(sorted((name, times) for name, times in factors.items() if times))
        return Linear(self.number + factor * other.number, parts)

    def __str__(self) -> str:
        parts = [name if times == 1 else f"{times} * {name}" for name, times in self.parts]
        return " + ".join([*parts, str(self.number)] if self.number or not parts else parts)

    @property
    def is_never_negative(self) -> bool:
        """True if the sum is at least 0, whatever integers from 0 the constants are."""
        return self.number >= 0 and all(times >= 0 for _, times in self.parts)

    def at(self, constants: Mapping[str, Any]) -> Any:
        """Return the integer at these constants, which may be stand-ins for all integers."""
        total: Any = self.number
        for name, times in self.parts:
            if name not in constants:
                raise SortError("integers have no bounds here")
            total = total + constants[name] * times
        return total


_LARGEST = Linear(0, ((LARGEST, 1),))


@dataclass(frozen=True)
class Sorts:
    """The sorts of a protocol at its constants, from which the sorts of kinds are made."""

    members: Mapping[str, Sort[Any]]
    """The index set of each constant that is a set."""
    numbers: Mapping[str, Any]
    """The integer constants."""
    words: Enum[Any] | None
    """The strings and single model values of the module together."""


class Kind:
    """The kind of a value."""

    def sort(self, sorts: Sorts) -> Sort[Any]:
        """Return the sort of its values."""
        raise NotImplementedError

    @property
    def is_known(self) -> bool:
        """False if a part is not known, as the elements of ``{}``."""
        return True


@dataclass(frozen=True)
class Truth(Kind):
    """TRUE or FALSE."""

    def sort(self, sorts: Sorts) -> Sort[Any]:
        return BOOLEAN

    def __str__(self) -> str:
        return "BOOLEAN"


@dataclass(frozen=True)
class Whole(Kind):
    """An integer; with bounds if it is the kind of a variable or a bound name."""

    low: Linear | None = None
    high: Linear | None = None

    def sort(self, sorts: Sorts) -> Sort[Any]:
        if self.low is None or self.high is None:
            raise SortError("the bounds of an integer are not known here")
        return Range(self.low.at(sorts.numbers), self.high.at(sorts.numbers))

    @property
    def is_known(self) -> bool:
        return self.low is not None

    def __str__(self) -> str:
        if self.low is None or self == INTEGERS:
            return "an integer"
        return "a non-negative integer" if self == NATURALS else f"an integer of {self.low}..{self.high}"

    @property
    def is_unbounded(self) -> bool:
        """True if it has no least or no greatest value."""
        return any(map(_is_open, (self.low, self.high)))

    def is_beyond(self, number: int, sorts: Sorts) -> bool:
        """True if a number is only outside since the kind is bounded here, where the module has no bound."""
        assert self.low is not None
        assert self.high is not None
        low, high = self.low.at(sorts.numbers), self.high.at(sorts.numbers)
        return (number < low and _is_open(self.low)) or (number > high and _is_open(self.high))


def _is_open(end: Linear | None) -> bool:
    """True if an end of a kind is none in the module."""
    return end is not None and any(name == LARGEST for name, _ in end.parts)


NATURALS = Whole(Linear(0), _LARGEST)
"""The integers from 0."""
INTEGERS = Whole(Linear(0).plus(_LARGEST, -1), _LARGEST)
"""All integers."""


@dataclass(frozen=True)
class Word(Kind):
    """A string, or a model value that is a constant by itself."""

    def sort(self, sorts: Sorts) -> Sort[Any]:
        assert sorts.words is not None
        return sorts.words

    def __str__(self) -> str:
        return "a string or a single model value"


@dataclass(frozen=True)
class Member(Kind):
    """An element of a constant that is a set."""

    constant: str

    def sort(self, sorts: Sorts) -> Sort[Any]:
        return sorts.members[self.constant]

    def __str__(self) -> str:
        return f"an element of {self.constant}"


@dataclass(frozen=True)
class Optional(Kind):
    """A value, or a word or an integer that stands for none. The value itself is none of the like."""

    inner: Kind
    absent: str | int

    def sort(self, sorts: Sorts) -> Sort[Any]:
        return Option(self.inner.sort(sorts))

    @property
    def is_known(self) -> bool:
        return self.inner.is_known

    def __str__(self) -> str:
        # "A set whose elements are …, or None" could be read as a set that may have None.
        is_alone = not isinstance(self.inner, SetOf | Map | Fields | Pair)
        return f"{self.inner} or {self.absent}" if is_alone else f"{self.absent} or {self.inner}"


@dataclass(frozen=True)
class Pair(Kind):
    """A tuple with a fixed length."""

    items: tuple[Kind, ...]

    def sort(self, sorts: Sorts) -> Sort[Any]:
        return TupleSort(*(item.sort(sorts) for item in self.items))

    @property
    def is_known(self) -> bool:
        return all(item.is_known for item in self.items)

    def __str__(self) -> str:
        return f"a tuple of {', '.join(map(str, self.items))}"


@dataclass(frozen=True)
class Part:
    """A field of records."""

    name: str
    kind: Kind
    may_lack: bool = False
    """True if some of the records lack it."""


@dataclass(frozen=True)
class Fields(Kind):
    """A record. The fields are in alphabetical order."""

    parts: tuple[Part, ...]

    def sort(self, sorts: Sorts) -> Sort[Any]:
        fields = {}
        for part in self.parts:
            own = part.kind.sort(sorts)
            fields[part.name] = Option(own) if part.may_lack else own
        return Record(**fields)

    @property
    def is_known(self) -> bool:
        return all(part.kind.is_known for part in self.parts)

    def part(self, name: str) -> Part | None:
        """Return the field of a name."""
        return next((part for part in self.parts if part.name == name), None)

    def __str__(self) -> str:
        return f"a record with {', '.join(part.name for part in self.parts)}"


@dataclass(frozen=True)
class SetOf(Kind):
    """A set."""

    element: Kind | None

    def sort(self, sorts: Sorts) -> Sort[Any]:
        assert self.element is not None
        return Set(self.element.sort(sorts))

    @property
    def is_known(self) -> bool:
        return self.element is not None and self.element.is_known

    def __str__(self) -> str:
        return "the empty set" if self.element is None else f"a set whose elements are {self.element}"


@dataclass(frozen=True)
class Map(Kind):
    """A function whose domain is all values of a kind."""

    domain: Kind
    range: Kind

    def sort(self, sorts: Sorts) -> Sort[Any]:
        return Function(self.domain.sort(sorts), self.range.sort(sorts))

    @property
    def is_known(self) -> bool:
        return self.domain.is_known and self.range.is_known

    def __str__(self) -> str:
        return f"a function from {self.domain} to {self.range}"


def is_within(one: Whole, other: Whole) -> bool:
    """True if the bounds of the first lie within those of the second, whatever integers from 0 the constants
    are."""
    if other.low is None or other.high is None:
        return True
    if one.low is None or one.high is None:
        return False
    return is_at_most(other.low, one.low) and is_at_most(one.high, other.high)


def has_unbounded(kind: Kind) -> bool:
    """True if a value of the kind has integers in it that have no least or no greatest one."""
    match kind:
        case Whole():
            return kind.is_unbounded
        case Optional(inner=inner) | SetOf(element=Kind() as inner):
            return has_unbounded(inner)
        case Pair(items):
            return any(map(has_unbounded, items))
        case Fields(parts):
            return any(has_unbounded(part.kind) for part in parts)
        case Map(domain, range_):
            return has_unbounded(domain) or has_unbounded(range_)
    return False


def has_sets(kind: Kind) -> bool:
    """True if a value of the kind is a set, or has one in it."""
    match kind:
        case SetOf():
            return True
        case Optional(inner=inner):
            return has_sets(inner)
        case Pair(items):
            return any(map(has_sets, items))
        case Fields(parts):
            return any(has_sets(part.kind) for part in parts)
        case Map(domain, range_):
            return has_sets(domain) or has_sets(range_)
    return False


def has_integers(kind: Kind) -> bool:
    """True if a value of the kind has integers in it, whose bounds a wider kind would forget."""
    match kind:
        case Whole():
            return True
        case Optional(inner=inner) | SetOf(element=Kind() as inner):
            return has_integers(inner)
        case Pair(items):
            return any(map(has_integers, items))
        case Fields(parts):
            return any(has_integers(part.kind) for part in parts)
        case Map(domain, range_):
            return has_integers(domain) or has_integers(range_)
    return False


def join(one: Kind | None, other: Kind | None) -> Kind | None:
    """Return the kind of values of either kind; None if there is none."""
    if one is None or other is None or one == other:
        return one or other
    match one, other:
        case Whole(), Whole():
            return _join_ranges(one, other)
        case Optional(inner, absent), Optional(second, same) if absent == same:
            joined = join(inner, second)
            return None if joined is None else Optional(joined, absent)
        case Optional(inner, absent), _ if not isinstance(other, Optional | Word):
            joined = join(inner, other)
            return None if joined is None else Optional(joined, absent)
        case _, Optional() if not isinstance(one, Optional | Word):
            return join(other, one)
        case SetOf(), SetOf():
            element = join(one.element, other.element)
            return None if element is None else SetOf(element)
        case Map(), Map() if one.domain == other.domain:
            range_ = join(one.range, other.range)
            return None if range_ is None else Map(one.domain, range_)
        case Pair(), Pair() if len(one.items) == len(other.items):
            items = [join(mine, theirs) for mine, theirs in zip(one.items, other.items, strict=True)]
            return None if None in items else Pair(tuple(item for item in items if item is not None))
        case Fields(), Fields():
            return _join_fields(one, other)
    return None


def _join_ranges(one: Whole, other: Whole) -> Whole:
    """Return a kind with bounds that hold for the values of both: term by term, since no constant is
    negative."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return Whole()
    return Whole(_merge(one.low, other.low, min), _merge(one.high, other.high, max))


def _merge(one: Linear, other: Linear, choose: Callable[[int, int], int]) -> Linear:
    mine, theirs = dict(one.parts), dict(other.parts)
    parts = {name: choose(mine.get(name, 0), theirs.get(name, 0)) for name in sorted({*mine, *theirs})}
    kept = tuple((name, times) for name, times in parts.items() if times)
    return Linear(choose(one.number, other.number), kept)


def is_at_most(one: Linear, other: Linear) -> bool:
    """True if a sum is at most another one, whatever integers from 0 the constants are."""
    return other.plus(one, -1).is_never_negative


def _join_fields(one: Fields, other: Fields) -> Fields | None:
    parts = []
    for name in sorted({part.name for part in (*one.parts, *other.parts)}):
        mine, theirs = one.part(name), other.part(name)
        kind = join(None if mine is None else mine.kind, None if theirs is None else theirs.kind)
        if kind is None:
            return None
        lacking = mine is None or theirs is None or mine.may_lack or theirs.may_lack
        parts.append(Part(name, kind, lacking))
    return Fields(tuple(parts))
