"""The values of TLA+ as the interpreter has them.

Integers are ``int``, strings ``str``, finite sets ``frozenset``, sequences and tuples ``tuple``, all other
functions and records ``Fn``. Booleans are ``TRUE`` and ``FALSE``, objects of their own, since Python's ``True``
equals 1. Equal values are equal in Python, have the same hash, and may stand for each other anywhere.

Sets that are large or infinite are ``LazySet``: they know their members without listing them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, combinations, product
from math import prod
from typing import Any, TypeAlias, final

Value: TypeAlias = Any
"""A value as above."""


class ValueError_(Exception):
    """A value has no part, or an operation has no value: in words. The evaluator adds the place."""


@final
class Boolean:
    """TRUE or FALSE."""

    __slots__ = ("name", "truth")

    def __init__(self, truth: bool) -> None:
        self.truth = truth
        self.name = "TRUE" if truth else "FALSE"

    def __bool__(self) -> bool:
        return self.truth

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return boolean, (self.truth,)


TRUE, FALSE = Boolean(True), Boolean(False)
BOOLEANS = frozenset((TRUE, FALSE))


def boolean(truth: object) -> Boolean:
    """A Python truth value as a value."""
    return TRUE if truth else FALSE


@final
class ModelValue:
    """A model value: it is equal to itself only."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


class Fn(dict[Value, Value]):
    """A function that is no sequence. It must not be changed once it is a value."""

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:  # type: ignore[override]
        try:
            return self._hash
        except AttributeError:
            self._hash = found = hash(frozenset(self.items()))
            return found


def function(pairs: dict[Value, Value]) -> Value:
    """The function with these pairs: a sequence if its domain is ``1..n``."""
    count = len(pairs)
    if not count:
        return ()
    if 1 in pairs and (count == 1 or all(number in pairs for number in range(2, count + 1))):
        return tuple([pairs[number] for number in range(1, count + 1)])
    return Fn(pairs)


class LazySet:
    """A set that is not listed until it must be."""

    __slots__ = ("_listed",)
    _listed: frozenset[Value]

    def contains(self, value: Value) -> bool:
        """Whether a value is a member."""
        return value in self.listed()

    def members(self) -> Iterator[Value]:
        """The members, each once. Raises ValueError_ if they cannot be listed."""
        raise ValueError_(f"{self.words} cannot be listed: it is infinite")

    @property
    def words(self) -> str:
        """What it is called in errors."""
        return "this set"

    @property
    def infinite(self) -> bool:
        """Whether it has no end."""
        return False

    def listed(self) -> frozenset[Value]:
        """All members."""
        try:
            return self._listed
        except AttributeError:
            self._listed = found = frozenset(self.members())
            return found

    def size(self) -> int:
        """The number of members."""
        return len(self.listed())

    def __hash__(self) -> int:
        return hash(type(self).__name__) if self.infinite else hash(self.listed())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, LazySet):
            return self.same(other)
        return isinstance(other, frozenset) and self.size() == len(other) and self.listed() == other

    def same(self, other: LazySet) -> bool:
        """Whether it has the members of another one."""
        if self.infinite or other.infinite:
            raise ValueError_(f"whether {self.words} = {other.words} cannot be told: they cannot be listed")
        return self.size() == other.size() and self.listed() == other.listed()


class Infinite(LazySet):
    """Nat, Int, Real, STRING or what ``Any`` has."""

    __slots__ = ("name", "test")

    def __init__(self, name: str, test: Callable[[Value], bool]) -> None:
        self.name, self.test = name, test

    def contains(self, value: Value) -> bool:
        return self.test(value)

    @property
    def words(self) -> str:
        return self.name

    @property
    def infinite(self) -> bool:
        return True

    def size(self) -> int:
        raise ValueError_(f"{self.name} cannot be counted: it is infinite")

    def __hash__(self) -> int:
        return hash(self.name)

    def same(self, other: LazySet) -> bool:
        return isinstance(other, Infinite) and self.name == other.name


NAT = Infinite("Nat", lambda value: type(value) is int and value >= 0)
INT = Infinite("Int", lambda value: type(value) is int)
REAL = Infinite("Real", lambda value: type(value) is int)
STRING = Infinite("STRING", lambda value: type(value) is str)
ANY = Infinite("Any", lambda value: True)


class Interval(LazySet):
    """``a..b``"""

    __slots__ = ("high", "low")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def contains(self, value: Value) -> bool:
        return type(value) is int and self.low <= value <= self.high

    def members(self) -> Iterator[Value]:
        return iter(range(self.low, self.high + 1))

    def size(self) -> int:
        return max(0, self.high - self.low + 1)


class Powerset(LazySet):
    """``SUBSET S``"""

    __slots__ = ("base", "order")

    def __init__(self, base: Value, order: Callable[[Iterable[Value]], list[Value]]) -> None:
        self.base, self.order = base, order

    def contains(self, value: Value) -> bool:
        return is_set(value) and is_subset(value, self.base)

    def members(self) -> Iterator[Value]:
        items = self.order(members(self.base))
        subsets = chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))
        return map(frozenset, subsets)

    @property
    def words(self) -> str:
        return "this SUBSET"

    @property
    def infinite(self) -> bool:
        return is_infinite(self.base)

    def size(self) -> int:
        return int(2 ** size_of(self.base))

    __hash__ = LazySet.__hash__

    def same(self, other: LazySet) -> bool:
        if isinstance(other, Powerset):
            return bool(self.base == other.base)
        return super().same(other)


class FunctionSet(LazySet):
    """``[S -> T]``"""

    __slots__ = ("domain", "order", "range")

    def __init__(
        self, domain: Value, image: Value, order: Callable[[Iterable[Value]], list[Value]]
    ) -> None:
        self.domain, self.range, self.order = domain, image, order

    def contains(self, value: Value) -> bool:
        if not is_function(value):
            return False
        known, image = domain_of(value), self.range
        if known != self.domain:
            return False
        return all(is_member(item, image) for item in results_of(value))

    def members(self) -> Iterator[Value]:
        keys = self.order(members(self.domain))
        images = self.order(members(self.range)) if keys else []
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
        return int(size_of(self.range) ** size_of(self.domain))

    __hash__ = LazySet.__hash__

    def same(self, other: LazySet) -> bool:
        if isinstance(other, FunctionSet) and self.domain == other.domain and self.range == other.range:
            return True
        return super().same(other)


class RecordSet(LazySet):
    """``[a : S, b : T]``"""

    __slots__ = ("fields", "order")

    def __init__(
        self, fields: dict[str, Value], order: Callable[[Iterable[Value]], list[Value]]
    ) -> None:
        self.fields, self.order = fields, order

    def contains(self, value: Value) -> bool:
        if type(value) is not Fn:
            return False
        if value.keys() != self.fields.keys():
            return False
        return all(is_member(value[name], image) for name, image in self.fields.items())

    def members(self) -> Iterator[Value]:
        names = self.order(self.fields)
        for row in product(*(self.order(members(self.fields[name])) for name in names)):
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

    def __init__(
        self, items: tuple[Value, ...], order: Callable[[Iterable[Value]], list[Value]]
    ) -> None:
        self.items, self.order = items, order

    def contains(self, value: Value) -> bool:
        if type(value) is not tuple or len(value) != len(self.items):
            return False
        return all(map(is_member, value, self.items))

    def members(self) -> Iterator[Value]:
        return product(*(self.order(members(item)) for item in self.items))

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
        return type(value) is tuple and all(is_member(item, self.base) for item in value)

    @property
    def words(self) -> str:
        return "Seq(S)"

    @property
    def infinite(self) -> bool:
        return True

    def same(self, other: LazySet) -> bool:
        return isinstance(other, Sequences) and bool(self.base == other.base)


class Combined(LazySet):
    """A union, intersection or difference of sets of which one is lazy, or the part of a set that a test says."""

    __slots__ = ("first", "second", "sign")

    def __init__(self, sign: str, first: Value, second: Value) -> None:
        self.sign, self.first, self.second = sign, first, second

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
            return iter(listed(self.first) | listed(self.second))
        if self.sign == "\\cap" and is_infinite(self.first):
            return (value for value in members(self.second) if is_member(value, self.first))
        return (value for value in members(self.first) if self.contains(value))

    @property
    def infinite(self) -> bool:
        if self.sign == "\\cap":
            return is_infinite(self.first) and is_infinite(self.second)
        return is_infinite(self.first) or (self.sign == "\\cup" and is_infinite(self.second))


class LazyFunction:
    """A function whose values are computed when they are asked for: it is recursive, or its domain infinite."""

    __slots__ = ("_listed", "compute", "domain", "known")
    _listed: Value

    def __init__(self, domain: Value, compute: Callable[[LazyFunction, Value], Value]) -> None:
        self.domain, self.compute = domain, compute
        self.known: dict[Value, Value] = {}

    def apply(self, argument: Value) -> Value:
        """The value at an argument. Raises ValueError_ outside the domain."""
        found = self.known.get(argument)
        if found is None:
            if not is_member(argument, self.domain):
                raise ValueError_("outside")
            found = self.known[argument] = self.compute(self, argument)
        return found

    def listed(self) -> Value:
        """The function with all its values."""
        try:
            return self._listed
        except AttributeError:
            self._listed = found = function({item: self.apply(item) for item in members(self.domain)})
            return found

    def __hash__(self) -> int:
        return hash(self.listed())

    def __eq__(self, other: object) -> bool:
        other = other.listed() if isinstance(other, LazyFunction) else other
        return bool(self.listed() == other)


def is_set(value: Value) -> bool:
    """Whether a value is a set."""
    return type(value) is frozenset or isinstance(value, LazySet)


def is_function(value: Value) -> bool:
    """Whether a value is a function."""
    return type(value) in (Fn, tuple, LazyFunction)


def is_infinite(value: Value) -> bool:
    """Whether a value is a set that cannot be listed."""
    return isinstance(value, LazySet) and value.infinite


def listed(value: Value) -> Value:
    """The same value, listed."""
    return value.listed() if isinstance(value, LazySet | LazyFunction) else value


def members(value: Value) -> Iterable[Value]:
    """The members of a set, each once. Raises ValueError_ for what is no set."""
    if type(value) is frozenset:
        return value
    if isinstance(value, LazySet):
        return value.members()
    raise ValueError_("no set")


def size_of(value: Value) -> int:
    """The number of members. Raises ValueError_ for what is no finite set."""
    if type(value) is frozenset:
        return len(value)
    if isinstance(value, LazySet):
        return value.size()
    raise ValueError_("no set")


def is_member(value: Value, of: Value) -> bool:
    """Whether a value is in a set. Raises ValueError_ for what is no set."""
    if type(of) is frozenset:
        return value in of
    if isinstance(of, LazySet):
        return of.contains(value)
    raise ValueError_("no set")


def is_subset(one: Value, other: Value) -> bool:
    """Whether one set is in another."""
    if type(one) is frozenset and type(other) is frozenset:
        return one <= other
    if isinstance(one, Infinite) and isinstance(other, Infinite):
        return one.name == other.name or (one.name, other.name) in (("Nat", "Int"), ("Nat", "Real"))
    return all(is_member(value, other) for value in members(one))


def domain_of(value: Value) -> Value:
    """The domain of a function. Raises ValueError_ for what is none."""
    if type(value) is Fn:
        return frozenset(value)
    if type(value) is tuple:
        return frozenset(range(1, len(value) + 1))
    if type(value) is LazyFunction:
        return value.domain
    raise ValueError_("no function")


def results_of(value: Value) -> Iterable[Value]:
    """The values of a function."""
    if type(value) is LazyFunction:
        value = value.listed()
    return value.values() if type(value) is Fn else value  # type: ignore[no-any-return]


def pairs_of(value: Value) -> dict[Value, Value]:
    """A function as pairs. Raises ValueError_ for what is none."""
    if type(value) is LazyFunction:
        value = value.listed()
    if type(value) is Fn:
        return value
    if type(value) is tuple:
        return dict(enumerate(value, 1))
    raise ValueError_("no function")
