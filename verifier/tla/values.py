"""The values of TLA+ in the interpreter.

Integers are ``int``, strings ``str``, finite sets ``frozenset``, sequences and tuples ``tuple``, all other
functions and records ``Fn``. Booleans are ``TRUE`` and ``FALSE``, objects of their own, since Python's
``True`` equals 1. Equal values are equal in Python, have the same hash, and are interchangeable everywhere.

Large and infinite sets are ``LazySet``: they decide membership without a list of their members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, TypeAlias, final

Value: TypeAlias = Any
"""A value as above."""


LARGEST = 2**22
"""The largest set that is listed."""
_COUNTED = 2**63
"""The largest size that is counted."""


class NoValue(Exception):
    """Raised if a value has no part, or an operation has no value: in words. The evaluator adds the place."""

    tlc: str | None = None
    """TLC's words for the error, if they are known."""


class TooLarge(NoValue):
    """Raised if a set has too many elements to be counted."""

    def __init__(self, words: str) -> None:
        super().__init__(f"{words} is too large to be counted")


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
    """Return a Python truth value as a value."""
    return TRUE if truth else FALSE


@final
class ModelValue:
    """A model value: it is equal only to itself."""

    __slots__ = ("name", "type")

    def __init__(self, name: str) -> None:
        self.name = name
        self.type = name[0] if name[1:2] == "_" and len(name) > 2 else ""
        """TLC compares ``p_1`` only with values of the type ``p`` and with those without a type."""

    def __repr__(self) -> str:
        return self.name


@final
class ForeignValue:
    """A value of a file that TLA+ has no value for: a number with a fraction, or a null.

    It may stand where nobody reads it, and be printed. It equals itself only, and no other comparison has an
    answer. A reader keeps one object for equal texts.
    """

    __slots__ = ("words", "written")

    def __init__(self, written: str, words: str) -> None:
        """``words``: the reason why it has no value."""
        self.written, self.words = written, words

    def __repr__(self) -> str:
        return self.written

    def __hash__(self) -> int:
        return hash(self.written)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise NoValue(self.words)


COMPARED_ALONE = frozenset((ModelValue, ForeignValue))
"""Types of values for which each comparison must be asked, not only one of the kind."""


class Fn(dict[Value, Value]):
    """A function that is no sequence. It must not be changed once it is a value."""

    __slots__ = ("_domain", "_hash")
    _domain: frozenset[Value]
    _hash: int

    @property
    def domain(self) -> frozenset[Value]:
        """Return the domain. It is made once, because each member would be hashed again."""
        try:
            return self._domain
        except AttributeError:
            self._domain = found = frozenset(self)
            return found

    def __hash__(self) -> int:  # type: ignore[override]
        found: int | None = getattr(self, "_hash", None)
        if found is None:  # a caught exception would take longer than everything else here
            self._hash = found = hash(frozenset(self.items()))
        return found


def function(pairs: dict[Value, Value]) -> Value:
    """Return the function with these pairs: a sequence if its domain is ``1..n``."""
    count = len(pairs)
    if not count:
        return ()
    if 1 in pairs and (count == 1 or all(number in pairs for number in range(2, count + 1))):
        return tuple([pairs[number] for number in range(1, count + 1)])
    return Fn(pairs)


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
        return value in self.listed()

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
        found = self.contains(value)
        if found and len(self.accepted) < _MOST_ACCEPTED:
            self.accepted.add(value)
        return found

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

    def listed(self) -> frozenset[Value]:
        """Return all members."""
        try:
            return self._listed
        except AttributeError:
            counted = type(self).size is not LazySet.size and not self.infinite
            if counted and not has_at_most(self, LARGEST):
                words = f"{self.words} has more than {LARGEST:,} elements: too many to list"
                raise NoValue(words) from None
            self._listed = found = frozenset(self.members())
            return found

    def size(self) -> int:
        """Return the number of members."""
        return len(self.listed())

    def __hash__(self) -> int:
        return hash(type(self).__name__) if self.infinite else hash(self.listed())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, LazySet):
            return self.same(other)
        return isinstance(other, frozenset) and has_at_most(self, len(other)) and self.listed() == other

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
        return self.size() == other.size() and self.listed() == other.listed()


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
        found = self.known.get(argument)
        if found is None:
            if not is_member(argument, self.domain):
                raise NoValue("outside")
            found = self.known[argument] = self.compute(self, argument)
        return found

    def but(self, argument: Value, value: Value) -> LazyFunction:
        """Return the function with another value at an argument. Its recursive calls still use the old
        function."""
        made = LazyFunction(self.domain, lambda _, other: self.apply(other))
        made.known[argument] = value
        return made

    def listed(self) -> Value:
        """Return the function with all its values."""
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
    """True if a value is a set."""
    return type(value) is frozenset or isinstance(value, LazySet)


def is_function(value: Value) -> bool:
    """True if a value is a function."""
    return type(value) in (Fn, tuple, LazyFunction)


def is_infinite(value: Value) -> bool:
    """True if a value is a set that cannot be listed."""
    return isinstance(value, LazySet) and value.infinite


def listed(value: Value) -> Value:
    """Return a value with a lazy set or function replaced by a listed one."""
    return value.listed() if isinstance(value, LazySet | LazyFunction) else value


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
    raise NoValue("values of different kinds are compared")


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
        value = value.listed()
    return value.values() if type(value) is Fn else value


def pairs_of(value: Value) -> dict[Value, Value]:
    """Return a function as pairs. Raises NoValue for a value that is no function."""
    if type(value) is LazyFunction:
        value = value.listed()
    if type(value) is Fn:
        return value
    if type(value) is tuple:
        return dict(enumerate(value, 1))
    raise NoValue("no function")
