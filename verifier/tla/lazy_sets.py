"""Sets that decide membership without a list of their members: large and infinite ones.

Source: the methods member and elements in ``tlc2.value.impl`` (tlaplus/tlaplus).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, combinations, product
from math import prod

from verifier.tla.value_types import Fn, ModelValue, NoValue, TooLarge, Value
from verifier.tla.values import (
    LazyFunction,
    LazySet,
    check_kinds_of_two,
    domain_of,
    is_function,
    is_infinite,
    is_member,
    is_set,
    is_subset,
    materialize,
    members,
    pairs_of,
    results_of,
    size_of,
)

_BITS = 63
"""The most bits of a size: larger sets are not counted."""


def _of_kind(value: Value, right: bool, kind: str, words: str) -> bool:
    """True if a value has the kind of a set's members. Raises NoValue where TLC reports that it has not."""
    if right or type(value) is ModelValue:
        return right
    article = "an" if kind[0] in "aeiou" else "a"
    raise NoValue(f"what is looked for in {words} is not {article} {kind}")


class Infinite(LazySet):
    """Nat, Int, Real, STRING or the set ``Any``."""

    __slots__ = ("kind", "name", "test")

    def __init__(self, name: str, kind: str, test: Callable[[Value], bool]) -> None:
        self.name, self.kind, self.test = name, kind, test

    def contains(self, value: Value) -> bool:
        if self.test(value):
            return True
        return _of_kind(value, type(value) is int and self.kind == "integer", self.kind, self.name) and False

    @property
    def words(self) -> str:
        return self.name

    @property
    def infinite(self) -> bool:
        return True

    def size(self) -> int:
        raise NoValue(f"{self.name} cannot be counted: it is infinite")

    def within(self, other: Value) -> bool:
        if isinstance(other, Infinite):
            return other.name in (self.name, "Any") or (self.name == "Nat" and other.name in ("Int", "Real"))
        return super().within(other)

    def __hash__(self) -> int:
        return hash(self.name)

    def same(self, other: LazySet) -> bool:
        return isinstance(other, Infinite) and self.name == other.name


NAT = Infinite("Nat", "integer", lambda value: type(value) is int and value >= 0)
INT = Infinite("Int", "integer", lambda value: type(value) is int)
REAL = Infinite("Real", "integer", lambda value: type(value) is int)
STRING = Infinite("STRING", "string", lambda value: type(value) is str)
ANY = Infinite("Any", "value", lambda value: True)


class Interval(LazySet):
    """``a..b``"""

    __slots__ = ("high", "low")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def contains(self, value: Value) -> bool:
        if self.low > self.high:
            return False
        known = _of_kind(value, type(value) is int, "integer", f"{self.low}..{self.high}")
        return known and self.low <= value <= self.high

    def members(self) -> Iterator[Value]:
        return iter(range(self.low, self.high + 1))

    def size(self) -> int:
        return max(0, self.high - self.low + 1)


class Powerset(LazySet):
    """``SUBSET S``"""

    __slots__ = ("base", "order")

    def __init__(self, base: Value, order: Callable[[Value], Iterable[Value]]) -> None:
        self.base, self.order = base, order

    def contains(self, value: Value) -> bool:
        if not is_set(value):  # as in TLC, this includes model values
            raise NoValue(f"what is looked for in {self.words} is not a set")
        if type(value) is type(self.base) is frozenset or isinstance(value, Powerset) or is_infinite(value):
            return is_subset(value, self.base)
        with suppress(NoValue):
            if is_subset(value, self.base):
                return True
        # The first member in TLC's order that is not in the other set, or cannot be compared, decides.
        return all(is_member(item, self.base) for item in self.order(value))

    def members(self) -> Iterator[Value]:
        items = list(self.order(self.base))
        subsets = chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))
        return map(frozenset, subsets)

    def within(self, other: Value) -> bool:
        return is_subset(self.base, other.base) if isinstance(other, Powerset) else super().within(other)

    @property
    def words(self) -> str:
        return "this SUBSET"

    @property
    def infinite(self) -> bool:
        return is_infinite(self.base)

    def size(self) -> int:
        count = size_of(self.base)
        if count > _BITS:
            raise TooLarge(self.words)
        return int(2**count)

    __hash__ = LazySet.__hash__

    def same(self, other: LazySet) -> bool:
        if isinstance(other, Powerset):
            return bool(self.base == other.base)
        return super().same(other)


class FunctionSet(LazySet):
    """``[S -> T]``"""

    __slots__ = ("domain", "order", "range")

    def __init__(self, domain: Value, image: Value, order: Callable[[Value], Iterable[Value]]) -> None:
        self.domain, self.range, self.order = domain, image, order

    def contains(self, value: Value) -> bool:
        if not _of_kind(value, is_function(value), "function", self.words):
            return False
        same = type(value) is Fn and type(self.domain) is frozenset
        if value.keys() != self.domain if same else domain_of(value) != self.domain:
            return False
        image = self.range
        value = materialize(value)
        if type(value) is tuple or len(value) < 2:
            return all(is_member(item, image) for item in results_of(value))
        with suppress(NoValue):
            if all(is_member(item, image) for item in results_of(value)):
                return True
        # The first result in TLC's order that is no member, or cannot be compared, decides.
        pairs = pairs_of(value)
        return all(is_member(pairs[key], image) for key in self.order(value.domain))

    def members(self) -> Iterator[Value]:
        keys = list(self.order(self.domain))
        images = self.order(self.range) if keys else []
        if not keys:
            yield ()
        elif keys == list(range(1, len(keys) + 1)):
            yield from product(images, repeat=len(keys))
        else:
            for row in product(images, repeat=len(keys)):
                yield Fn(zip(keys, row, strict=True))

    @property
    def words(self) -> str:
        return "this set of functions"

    @property
    def infinite(self) -> bool:
        return is_infinite(self.domain) or is_infinite(self.range)

    def size(self) -> int:
        arguments, results = size_of(self.domain), size_of(self.range)
        if results > 1 and arguments * (results.bit_length() - 1) > _BITS:
            raise TooLarge(self.words)
        return int(results**arguments)

    __hash__ = LazySet.__hash__

    def same(self, other: LazySet) -> bool:
        if isinstance(other, FunctionSet) and self.domain == other.domain and self.range == other.range:
            return True
        return super().same(other)


class RecordSet(LazySet):
    """``[a : S, b : T]``"""

    __slots__ = ("fields", "order")

    def __init__(self, fields: dict[str, Value], order: Callable[[Value], Iterable[Value]]) -> None:
        self.fields, self.order = fields, order

    def contains(self, value: Value) -> bool:
        value = materialize(value) if type(value) is LazyFunction else value
        record = value == () or (type(value) is Fn and all(type(key) is str for key in value))
        if not _of_kind(value, record, "record", self.words) or value == ():
            return False
        if value.keys() != self.fields.keys():
            return False
        return all(is_member(value[name], image) for name, image in self.fields.items())

    def members(self) -> Iterator[Value]:
        names = list(self.order(frozenset(self.fields)))
        for row in product(*(self.order(self.fields[name]) for name in names)):
            yield Fn(zip(names, row, strict=True))

    @property
    def words(self) -> str:
        return "this set of records"

    @property
    def infinite(self) -> bool:
        return any(map(is_infinite, self.fields.values()))

    def size(self) -> int:
        return prod(map(size_of, self.fields.values()))


class ProductSet(LazySet):
    r"""``A \\X B``"""

    __slots__ = ("items", "order")

    def __init__(self, items: tuple[Value, ...], order: Callable[[Value], Iterable[Value]]) -> None:
        self.items, self.order = items, order

    def contains(self, value: Value) -> bool:
        value = materialize(value) if type(value) is LazyFunction else value
        if not _of_kind(value, type(value) is tuple, "tuple", self.words) or len(value) != len(self.items):
            return False
        return all(map(is_member, value, self.items))

    def members(self) -> Iterator[Value]:
        return product(*map(self.order, self.items))

    @property
    def words(self) -> str:
        return "this product of sets"

    @property
    def infinite(self) -> bool:
        return any(map(is_infinite, self.items))

    def size(self) -> int:
        return prod(map(size_of, self.items))


class Sequences(LazySet):
    """``Seq(S)``"""

    __slots__ = ("base",)

    def __init__(self, base: Value) -> None:
        self.base = base

    def contains(self, value: Value) -> bool:
        value = materialize(value) if type(value) is LazyFunction else value
        known = _of_kind(value, type(value) is tuple, "sequence", self.words)
        return known and all(is_member(item, self.base) for item in value)

    @property
    def words(self) -> str:
        return "Seq(S)"

    @property
    def infinite(self) -> bool:
        return True

    def same(self, other: LazySet) -> bool:
        return isinstance(other, Sequences) and bool(self.base == other.base)


class Combined(LazySet):
    """A union, intersection or difference with a lazy set, or the part of a set that a test selects."""

    __slots__ = ("first", "second", "sign")

    def __init__(self, sign: str, first: Value, second: Value) -> None:
        self.sign, self.first, self.second = sign, first, second

    def holds(self, value: Value) -> bool:
        # A test may read the state.
        return self.contains(value) if self.sign == "filter" else super().holds(value)

    def contains(self, value: Value) -> bool:
        if self.sign == "filter":
            return is_member(value, self.first) and bool(self.second(value))
        if self.sign == "\\cup":
            return is_member(value, self.first) or is_member(value, self.second)
        return is_member(value, self.first) and is_member(value, self.second) == (self.sign == "\\cap")

    def members(self) -> Iterator[Value]:
        if self.sign == "filter":
            return filter(self.second, members(self.first))
        if self.sign == "\\cup":
            first, second = materialize(self.first), materialize(self.second)
            check_kinds_of_two(first, second)
            return iter(first | second)
        if self.sign == "\\cap" and is_infinite(self.first):
            return (value for value in members(self.second) if is_member(value, self.first))
        return (value for value in members(self.first) if self.contains(value))

    @property
    def infinite(self) -> bool:
        if self.sign == "\\cap":
            return is_infinite(self.first) and is_infinite(self.second)
        return is_infinite(self.first) or (self.sign == "\\cup" and is_infinite(self.second))
