"""Sets and functions that are not listed, and operations on all values (``value_types``).

Large and infinite sets are ``LazySet``: they decide membership without a list of their members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from verifier.tla.value_types import (
    COMPARED_ALONE,
    INCOMPARABLE,
    Fn,
    ModelValue,
    NoValue,
    TooLarge,
    Value,
    function,
)

LARGEST = 2**22
"""The largest set that is listed."""
_COUNTED = 2**63
"""The largest size that is counted."""


_COSTLY = frozenset((Fn, tuple, frozenset))
"""Types of values whose membership is worth remembering."""
_MOST_ACCEPTED = 50_000


class LazySet:
    """A set that is not listed until it must be."""

    __slots__ = ("_accepted", "_listed", "ordered")
    _accepted: set[Value]
    _listed: frozenset[Value]
    ordered: list[Value]
    """Its members in TLC's order, once they were needed."""

    def contains(self, value: Value) -> bool:
        """True if a value is a member."""
        return value in self.materialize()

    @property
    def accepted(self) -> set[Value]:
        """Return the values known to be members, since states share most of their values."""
        try:
            return self._accepted
        except AttributeError:
            self._accepted = set()
            return self._accepted

    def holds(self, value: Value) -> bool:
        """True if a value is a member. Earlier answers are looked up."""
        if type(value) not in _COSTLY:
            return self.contains(value)
        try:
            if value in self.accepted:
                return True
        except NoValue:  # a part of it cannot be listed
            return self.contains(value)
        is_member = self.contains(value)
        if is_member and len(self.accepted) < _MOST_ACCEPTED:
            self.accepted.add(value)
        return is_member

    def members(self) -> Iterator[Value]:
        """Return the members, each once. Raises NoValue if they cannot be listed."""
        raise NoValue(f"{self.words} cannot be listed: it is infinite")

    @property
    def words(self) -> str:
        """Return its name in errors."""
        return "this set"

    @property
    def infinite(self) -> bool:
        """True if it is infinite."""
        return False

    def materialize(self) -> frozenset[Value]:
        """Return all members."""
        try:
            return self._listed
        except AttributeError:
            counted = type(self).size is not LazySet.size and not self.infinite
            if counted and not has_at_most(self, LARGEST):
                words = f"{self.words} has more than {LARGEST:,} elements: too many to list"
                raise NoValue(words) from None
            self._listed = listed = frozenset(self.members())
            return listed

    def size(self) -> int:
        """Return the number of members."""
        return len(self.materialize())

    def __hash__(self) -> int:
        return hash(type(self).__name__) if self.infinite else hash(self.materialize())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, LazySet):
            return self.same(other)
        return isinstance(other, frozenset) and has_at_most(self, len(other)) and self.materialize() == other

    def within(self, other: Value) -> bool:
        """True if it is a subset of another."""
        if self.infinite:
            words = f"whether {self.words} is a part of another set cannot be told"
            raise NoValue(f"{words}: it cannot be listed")
        return all(is_member(value, other) for value in self.members())

    def same(self, other: LazySet) -> bool:
        """True if it has the same members as another."""
        if self.infinite or other.infinite:
            raise NoValue(f"whether {self.words} = {other.words} cannot be told: they cannot be listed")
        if has_at_most(self, _COUNTED) != has_at_most(other, _COUNTED):
            return False
        return self.size() == other.size() and self.materialize() == other.materialize()


class LazyFunction:
    """A function whose values are computed on demand: it is recursive, or its domain is infinite."""

    __slots__ = ("_listed", "compute", "domain", "entered", "known")
    _listed: Value

    def __init__(
        self,
        domain: Value,
        compute: Callable[[LazyFunction, Value], Value],
        entered: Callable[[LazyFunction, Value], Any] | None = None,
    ) -> None:
        """``entered`` returns the data that a walk over the body at an argument needs."""
        self.domain, self.compute, self.entered = domain, compute, entered
        self.known: dict[Value, Value] = {}

    def apply(self, argument: Value) -> Value:
        """Return the value at an argument. Raises NoValue outside the domain."""
        value = self.known.get(argument)
        if value is None:
            if not is_member(argument, self.domain):
                raise NoValue("outside")
            value = self.known[argument] = self.compute(self, argument)
        return value

    def but(self, argument: Value, value: Value) -> LazyFunction:
        """Return the function with another value at an argument. Its recursive calls still use the old
        function."""
        made = LazyFunction(self.domain, lambda _, other: self.apply(other))
        made.known[argument] = value
        return made

    def materialize(self) -> Value:
        """Return the function with all its values."""
        try:
            return self._listed
        except AttributeError:
            self._listed = listed = function({item: self.apply(item) for item in members(self.domain)})
            return listed

    def __hash__(self) -> int:
        return hash(self.materialize())

    def __eq__(self, other: object) -> bool:
        other = other.materialize() if isinstance(other, LazyFunction) else other
        return bool(self.materialize() == other)


def is_set(value: Value) -> bool:
    """True if a value is a set."""
    return type(value) is frozenset or isinstance(value, LazySet)


def is_function(value: Value) -> bool:
    """True if a value is a function."""
    return type(value) in (Fn, tuple, LazyFunction)


def is_infinite(value: Value) -> bool:
    """True if a value is a set that cannot be listed."""
    return isinstance(value, LazySet) and value.infinite


def materialize(value: Value) -> Value:
    """Return a value with a lazy set or function replaced by a listed one."""
    return value.materialize() if isinstance(value, LazySet | LazyFunction) else value


def members(value: Value) -> Iterable[Value]:
    """Return the members of a set, each once. Raises NoValue for a value that is no set."""
    if type(value) is frozenset:
        return value
    if isinstance(value, LazySet):
        kept: list[Value] | None = getattr(value, "ordered", None)
        return value.members() if kept is None else kept
    raise NoValue("no set")


def size_of(value: Value) -> int:
    """Return the number of members. Raises NoValue for a value that is no finite set."""
    if type(value) is frozenset:
        return len(value)
    if isinstance(value, LazySet):
        return value.size()
    raise NoValue("no set")


def has_at_most(value: Value, count: int) -> bool:
    """True if a finite set has at most this number of members. Raises NoValue for other values."""
    try:
        return size_of(value) <= count
    except TooLarge:
        return False


_DIFFERENTLY_TYPED = "Attempted to check equality of the differently-typed model values"


def same(one: Value, other: Value) -> bool:
    """True if two values are equal. Raises NoValue for kinds of values that TLC does not compare."""
    if one is other or one == other:
        return True
    first, second = type(one), type(other)
    if first is ModelValue or second is ModelValue:
        if (first is ModelValue and not one.type) or (second is ModelValue and not other.type):
            return False
        if first is not second or one.type != other.type:
            error = NoValue("a model value with a type is compared with a value of another one")
            if first is second:
                error.tlc = f"{_DIFFERENTLY_TYPED} {one} and {other}"
            raise error
        return False
    if first is second:
        return False
    if (is_set(one) and is_set(other)) or (is_function(one) and is_function(other)):
        return False
    raise NoValue(INCOMPARABLE)


def is_member(value: Value, of: Value) -> bool:
    """True if a value is in a set. Raises NoValue for a value that is no set, and if the kinds may not be
    compared."""
    if type(of) is frozenset:
        if value in of:
            return True
        for item in of:
            if type(item) is not type(value) or type(item) in COMPARED_ALONE:
                same(item, value)
            if not is_plain(item):
                break  # model values may stand beside others, which are compared
        return False
    if isinstance(of, LazySet):
        return of.holds(value)
    raise NoValue("no set")


def has_key(argument: Value, of: Mapping[Value, Value]) -> bool:
    """True if a function has an argument. Raises NoValue for an argument of another kind."""
    if argument in of:
        return True
    for key in of:
        same(argument, key)
        if not is_plain(key):
            break
    return False


def is_plain(value: Value) -> bool:
    """True if a value is a model value without a type, which may be compared with everything."""
    return type(value) is ModelValue and not value.type


def set_of(items: Iterable[Value]) -> frozenset[Value]:
    """Return a set. Raises NoValue if TLC does not compare the kinds of its members: it has no order of
    them."""
    made = frozenset(items)
    if len(set(map(type, made))) > 1:
        check_kinds(made)
    return made


def check_kinds(items: Iterable[Value]) -> None:
    """Raise NoValue if TLC does not compare the kinds of values."""
    first: Value = None
    for item in items:
        if is_plain(item):
            continue
        if first is None:
            first = item
        elif type(item) is not type(first):
            same(first, item)


def check_joint_kinds(sets: Iterable[frozenset[Value]]) -> None:
    """Raise NoValue if members of different sets may not be compared. One member of each set that is no model
    value represents the others."""
    compared = (islice((one for one in members if not is_plain(one)), 1) for members in sets)
    check_kinds(chain.from_iterable(compared))


def check_kinds_of_two(one: frozenset[Value], other: frozenset[Value]) -> None:
    """Raise NoValue if members of two sets may not be compared. It avoids iterators, because operators on
    sets are called in each state."""
    for first in one:
        if type(first) is ModelValue and not first.type:
            continue
        for second in other:
            if type(second) is type(first) is not ModelValue:
                return
            if type(second) is not ModelValue or second.type:
                same(first, second)
                return
        return


def is_subset(one: Value, other: Value) -> bool:
    """True if one set is a subset of another."""
    if type(one) is frozenset:
        if type(other) is frozenset:
            if one <= other:
                return True
            missing = one - other
            if not any(map(is_plain, missing)):  # TLC checks model values first, and stops there
                is_member(next(iter(missing)), other)
            return False
        if isinstance(other, LazySet) and one <= other.accepted:
            return True
    if not is_set(other):
        raise NoValue("no set")
    if isinstance(one, LazySet):
        return one.within(other)
    whole = list(members(one))
    plain = all(is_member(value, other) for value in whole if is_plain(value))
    return plain and all(is_member(value, other) for value in whole if not is_plain(value))


def domain_of(value: Value) -> Value:
    """Return the domain of a function. Raises NoValue for a value that is no function."""
    if type(value) is Fn:
        return value.domain
    if type(value) is tuple:
        return frozenset(range(1, len(value) + 1))
    if type(value) is LazyFunction:
        return value.domain
    raise NoValue("no function")


def results_of(value: Value) -> Iterable[Value]:
    """Return the values of a function."""
    if type(value) is LazyFunction:
        value = value.materialize()
    return value.values() if type(value) is Fn else value


def pairs_of(value: Value) -> dict[Value, Value]:
    """Return a function as pairs. Raises NoValue for a value that is no function."""
    if type(value) is LazyFunction:
        value = value.materialize()
    if type(value) is Fn:
        return value
    if type(value) is tuple:
        return dict(enumerate(value, 1))
    raise NoValue("no function")
