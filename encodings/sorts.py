"""Finite sorts: the sets of the values that variables can have.

A sort has an ordered list of values: ``values()`` gives them in order, and ``choose`` takes the first one
that fits. It has a default, which fills unused slots. It tells whether a concrete value belongs to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from collections.abc import Sequence as PythonSequence
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement, product
from typing import Any

from verifier.encodings.concrete import Concrete, Element, FrozenMap, element


class SortError(TypeError):
    """A value does not fit the sort that its place requires. The message names the value and both sorts."""


def _require_sort(place: str, value: Any) -> None:
    """Raises SortError if ``value``, which stands at ``place``, is no sort."""
    if not isinstance(value, Sort):
        raise SortError(f"{place} is a sort, as Range(0, 3), not {no_sort(value)}")


def _require_integer(place: str, value: Any) -> None:
    """Raises SortError if ``value``, which stands at ``place``, is no integer."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise SortError(f"{place} is an integer, not {value!r}")


def no_sort(value: Any) -> str:
    """Something that is no sort, in words, with the sort that was probably meant."""
    if isinstance(value, type) and value in _MEANT_BY_TYPES:
        return f"Python's {value.__name__}: write {_MEANT_BY_TYPES[value]}"
    if isinstance(value, type) and issubclass(value, Sort):
        return f"the class {value.__name__} without its arguments: write {value.__name__}(…)"
    if type(value).__name__.endswith("Constant"):
        return "the declaration of a constant: write self. before its name"
    return repr(value)


class Sort:
    """A finite, ordered set of concrete values."""

    def values(self) -> Iterator[Concrete]:
        """All values, in the sort's order."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """How many values there are."""
        raise NotImplementedError

    def contains(self, value: Any) -> bool:
        """Whether the concrete ``value`` belongs to this sort."""
        raise NotImplementedError

    @property
    def default(self) -> Concrete:
        """The value that fills unused slots. Because of it equal states are equal bit by bit."""
        for value in self.values():
            return value
        raise SortError(f"{self} has no values")

    @property
    def is_scalar(self) -> bool:
        """Whether one state field holds a value of this sort. Values of other sorts need several fields."""
        return False

    def parts(self) -> PythonSequence[Sort]:
        """The sorts that this sort consists of."""
        return ()

    @property
    def lacking(self) -> Sort | None:
        """The first part that needs values and has none, by which a variable of this sort has none.

        An unused slot of a sequence needs a value too.
        """
        return None


@dataclass(frozen=True)
class Boolean(Sort):
    """``False`` and ``True``."""

    def values(self) -> Iterator[Concrete]:
        return iter((False, True))

    @property
    def size(self) -> int:
        return 2

    def contains(self, value: Any) -> bool:
        return isinstance(value, bool)

    def __str__(self) -> str:
        return "BOOLEAN"


@dataclass(frozen=True)
class Range(Sort):
    """The integers from ``low`` to ``high``, both included; empty if ``high < low``."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if type(self.low) is not int or type(self.high) is not int:  # there are many, so the quick way first
            _require_integer("the lower bound of a Range", self.low)
            _require_integer("the upper bound of a Range", self.high)

    @property
    def lacking(self) -> Sort | None:
        return self if self.high < self.low else None

    def values(self) -> Iterator[Concrete]:
        return iter(range(self.low, self.high + 1))

    @property
    def size(self) -> int:
        return max(0, self.high - self.low + 1)

    def contains(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


def plain(value: Any) -> Any:
    """The plain string or integer. A member of a Python enumeration can be one that prints differently."""
    if isinstance(value, str):
        return str.__str__(value)
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


@dataclass(frozen=True)
class Enum(Sort):
    """Named alternatives, in the given order."""

    name: str
    members: tuple[str | int, ...]

    def __post_init__(self) -> None:
        written: tuple[Any, Any] = self.name, self.members
        if not isinstance(written[0], str) or not isinstance(written[1], tuple | list):
            raise SortError(
                "an Enum has a name and a tuple of members, as in Enum('phase', ('idle', 'busy')), not "
                f"{self.name!r} and {self.members!r}"
            )
        if len(set(self.members)) != len(self.members) or not self.members:
            raise SortError(f"enumeration {self.name} needs distinct members, got {self.members}")
        given: tuple[Any, ...] = self.members  # whatever a protocol's author wrote
        words = all(isinstance(member, str) and member for member in given)
        numbers = all(isinstance(member, int) and not isinstance(member, bool) for member in given)
        if not (words or numbers):
            raise SortError(f"enumeration {self.name} needs words or integers as members, got {self.members}")
        object.__setattr__(self, "members", tuple(map(plain, given)))

    def values(self) -> Iterator[Concrete]:
        return iter(self.members)

    @property
    def size(self) -> int:
        return len(self.members)

    def contains(self, value: Any) -> bool:
        return type(value) in (str, int) and value in self.members

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class IndexSet(Sort):
    """``count`` interchangeable things of one kind, which ``name`` names: replicas, bookies, clients.

    An element's name is ``prefix`` and its number: ``r1``, ``r2``, …. The default prefix is the kind's first
    letter; if two kinds of a protocol share it, they get longer prefixes. ``symmetric`` declares that no
    element differs from another. ``verifier.system.declared_symmetry`` checks every use against it.
    """

    name: str
    count: int
    symmetric: bool = field(default=True, compare=False)
    prefix: str = ""

    def __post_init__(self) -> None:
        _require_integer("the number of elements of an index set", self.count)
        written: Any = self.name
        if not isinstance(written, str):
            raise SortError(f"the name of an index set is a word, as 'replica', not {written!r}")
        if not re.fullmatch(r"[^\W\d_][\w -]*", self.name):
            raise SortError(f"an index set is called by a word, such as 'replica', not by {self.name!r}")
        if not self.prefix:
            object.__setattr__(self, "prefix", self.name[0])

    @property
    def lacking(self) -> Sort | None:
        return self if self.count < 1 else None

    @property
    def elements(self) -> tuple[Element, ...]:
        """All elements, in order."""
        return tuple(element(self.name, self.count, self.prefix, place) for place in range(1, self.count + 1))

    def named(self, name: str) -> Element | None:
        """The element with this name; None if there is none."""
        return next((item for item in self.elements if item.name == name), None)

    def values(self) -> Iterator[Concrete]:
        return iter(self.elements)

    @property
    def size(self) -> int:
        return self.count

    def contains(self, value: Any) -> bool:
        return (
            isinstance(value, Element)
            and value.number <= self.count
            and value is element(self.name, self.count, self.prefix, value.number)
        )

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.name}({self.count})"


@dataclass(frozen=True)
class Option(Sort):
    """None (``None``) or a value of ``inner``. None comes first in the order."""

    inner: Sort

    def __post_init__(self) -> None:
        _require_sort("what an Option holds", self.inner)
        if isinstance(self.inner, Option):
            raise SortError("an option of an option cannot tell which of them is none: use a record")

    def values(self) -> Iterator[Concrete]:
        yield None
        yield from self.inner.values()

    @property
    def size(self) -> int:
        return 1 + self.inner.size

    def contains(self, value: Any) -> bool:
        return value is None or self.inner.contains(value)

    @property
    def is_scalar(self) -> bool:
        return self.inner.is_scalar

    def parts(self) -> PythonSequence[Sort]:
        return (self.inner,)

    def __str__(self) -> str:
        return f"Option({self.inner})"


_TAKEN_NAMES = ("sort", "term", "updated")


@dataclass(frozen=True, init=False)
class Record(Sort):
    """Named fields: ``Record(id=Range(0, 3), epoch=Range(0, 2))``."""

    fields: tuple[tuple[str, Sort], ...]

    def __init__(self, **fields: Sort) -> None:
        taken = [name for name in fields if name in _TAKEN_NAMES]
        if taken:
            raise SortError(f"a record cannot have a field {taken[0]!r}: its expressions use that name")
        unfit = [name for name in fields if not name.isidentifier()]
        if unfit:
            raise SortError(f"a record cannot have a field {unfit[0]!r}: its name is no Python identifier")
        for name, sort in fields.items():
            _require_sort(f"the field {name} of a Record", sort)
        object.__setattr__(self, "fields", tuple(fields.items()))

    @property
    def field_sorts(self) -> dict[str, Sort]:
        """The sort of each field by its name."""
        return dict(self.fields)

    def values(self) -> Iterator[Concrete]:
        names = [name for name, _ in self.fields]
        for choice in product(*(tuple(sort.values()) for _, sort in self.fields)):
            yield FrozenMap(zip(names, choice, strict=True))

    @property
    def size(self) -> int:
        return _product(sort.size for _, sort in self.fields)

    def contains(self, value: Any) -> bool:
        return (
            isinstance(value, FrozenMap)
            and set(value) == set(self.field_sorts)
            and all(sort.contains(value[name]) for name, sort in self.fields)
        )

    @property
    def default(self) -> Concrete:
        return FrozenMap((name, sort.default) for name, sort in self.fields)

    def parts(self) -> PythonSequence[Sort]:
        return tuple(sort for _, sort in self.fields)

    @property
    def lacking(self) -> Sort | None:
        return next((part for _, sort in self.fields if (part := sort.lacking)), None)

    def __str__(self) -> str:
        return "Record(" + ", ".join(f"{name}: {sort}" for name, sort in self.fields) + ")"


@dataclass(frozen=True)
class Function(Sort):
    """Total functions from every value of ``domain`` to ``range``."""

    domain: Sort
    range: Sort

    def __post_init__(self) -> None:
        _require_sort("the domain of a Function", self.domain)
        _require_sort("the range of a Function", self.range)

    @property
    def lacking(self) -> Sort | None:
        return None if self.domain.lacking else self.range.lacking

    def values(self) -> Iterator[Concrete]:
        keys = tuple(self.domain.values())
        for choice in product(tuple(self.range.values()), repeat=len(keys)):
            yield FrozenMap(zip(keys, choice, strict=True))

    @property
    def size(self) -> int:
        return int(self.range.size**self.domain.size)

    def contains(self, value: Any) -> bool:
        return (
            isinstance(value, FrozenMap)
            and set(value) == set(self.domain.values())
            and all(self.range.contains(item) for item in value.values())
        )

    @property
    def default(self) -> Concrete:
        return FrozenMap((key, self.range.default) for key in self.domain.values())

    def parts(self) -> PythonSequence[Sort]:
        return (self.domain, self.range)

    def __str__(self) -> str:
        return f"[{self.domain} → {self.range}]"


@dataclass(frozen=True)
class Set(Sort):
    """Sets of values of ``element``. Smaller sets come first; the elements order sets of the same size."""

    element: Sort

    def __post_init__(self) -> None:
        _require_sort("the element of a Set", self.element)

    def values(self) -> Iterator[Concrete]:
        elements = tuple(self.element.values())
        for count in range(len(elements) + 1):
            yield from (frozenset(chosen) for chosen in combinations(elements, count))

    @property
    def size(self) -> int:
        return int(2**self.element.size)

    def contains(self, value: Any) -> bool:
        return isinstance(value, frozenset) and all(self.element.contains(item) for item in value)

    def parts(self) -> PythonSequence[Sort]:
        return (self.element,)

    def __str__(self) -> str:
        return f"Set({self.element})"


@dataclass(frozen=True)
class Sequence(Sort):
    """Sequences of up to ``capacity`` elements, indexed from 0. Shorter sequences come first."""

    element: Sort
    capacity: int

    def __post_init__(self) -> None:
        _require_sort("the element of a Sequence", self.element)
        _require_integer("the capacity of a Sequence", self.capacity)

    @property
    def lacking(self) -> Sort | None:
        return self if self.capacity < 0 else self.element.lacking if self.capacity else None

    def values(self) -> Iterator[Concrete]:
        elements = tuple(self.element.values())
        for length in range(self.capacity + 1):
            yield from product(elements, repeat=length)

    @property
    def size(self) -> int:
        return sum(self.element.size**length for length in range(self.capacity + 1))

    def contains(self, value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) <= self.capacity
            and all(self.element.contains(item) for item in value)
        )

    def parts(self) -> PythonSequence[Sort]:
        return (self.element,)

    def __str__(self) -> str:
        return f"Sequence({self.element}, up to {self.capacity})"


@dataclass(frozen=True)
class Bag(Sort):
    """Multisets over ``element`` with at most ``maximum`` copies of each.

    The concrete value maps each element that occurs to its number of copies. Smaller bags come first, and the
    elements order bags of the same size.
    """

    element: Sort
    maximum: int

    def __post_init__(self) -> None:
        _require_sort("the element of a Bag", self.element)
        _require_integer("the maximum of a Bag", self.maximum)

    @property
    def lacking(self) -> Sort | None:
        return self if self.maximum < 0 and not self.element.lacking else None

    def values(self) -> Iterator[Concrete]:
        elements = tuple(self.element.values())
        for size in range(self.maximum * len(elements) + 1):
            for chosen in combinations_with_replacement(elements, size):
                counts = Counter(chosen)
                if all(count <= self.maximum for count in counts.values()):
                    yield FrozenMap(counts)

    @property
    def size(self) -> int:
        return int((self.maximum + 1) ** self.element.size)

    def contains(self, value: Any) -> bool:
        return isinstance(value, FrozenMap) and all(
            self.element.contains(item) and Range(1, self.maximum).contains(count)
            for item, count in value.items()
        )

    def parts(self) -> PythonSequence[Sort]:
        return (self.element,)

    def __str__(self) -> str:
        return f"Bag({self.element}, up to {self.maximum} of each)"


_MEANT_BY_TYPES: dict[Any, str] = {
    bool: "Boolean()",
    int: "Range(0, 3)",
    str: "Enum('phase', ('idle', 'busy'))",
    set: "Set(…)",
    list: "Sequence(…)",
    dict: "Function(…) or Record(…)",
}
"""The sort that is probably meant where a type of Python is written."""


def _product(factors: Iterator[int]) -> int:
    result = 1
    for factor in factors:
        result *= factor
    return result


def join(left: Sort, right: Sort) -> Sort:
    """The smallest sort that holds the values of both. Raises SortError if they are of different kinds."""
    match left, right:
        case Range(), Range():
            return Range(min(left.low, right.low), max(left.high, right.high))
        case Option(), Option():
            return Option(join(left.inner, right.inner))
        case Record(), Record() if list(left.field_sorts) == list(right.field_sorts):
            other = right.field_sorts
            return Record(**{name: join(sort, other[name]) for name, sort in left.fields})
        case Function(), Function() if left.domain == right.domain:
            return Function(left.domain, join(left.range, right.range))
        case Set(), Set():
            return Set(join(left.element, right.element))
        case Sequence(), Sequence():
            return Sequence(join(left.element, right.element), max(left.capacity, right.capacity))
        case Bag(), Bag():
            return Bag(join(left.element, right.element), max(left.maximum, right.maximum))
        case _ if left == right:
            return left
    raise SortError(f"values of {left} and of {right} do not go together")


def contains_sort(sort: Sort, wanted: Sort) -> bool:
    """Whether ``wanted`` occurs in ``sort``."""
    return sort == wanted or any(contains_sort(part, wanted) for part in sort.parts())
