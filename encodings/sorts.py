"""Finite sorts: the sets of the values that variables can have.

A sort has an ordered list of values: ``values()`` gives them in order, and ``choose`` takes the first one
that fits. It has a default, which fills unused slots. It tells whether a concrete value belongs to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Sequence as PythonSequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from typing import TYPE_CHECKING, Any, Generic, overload

from verifier.encodings import counting
from verifier.encodings.compound_sorts import PartialFunction, Tuple, Variant
from verifier.encodings.concrete import Concrete, FrozenMap
from verifier.encodings.counting import MANY, cap_count, power
from verifier.encodings.listed_sort import Listed, join_listed
from verifier.encodings.open_integers import greatest, least
from verifier.encodings.scalar_sorts import (
    Boolean,
    Enum,
    IndexSet,
    Range,
    Sort,
    SortError,
    integer_at,
    no_sort,
    plain,
    require_sort,
)
from verifier.encodings.type_variables import F, K, V

if TYPE_CHECKING:
    from verifier.encodings.collection_values import (  # noqa: F401 -- in quotes below
        BagValue,
        SequenceValue,
        SetValue,
    )
    from verifier.encodings.values import (  # noqa: F401 -- in quotes below
        FunctionValue,
        OptionValue,
        RecordValue,
    )

__all__ = [
    "Bag",
    "Boolean",
    "Enum",
    "Function",
    "IndexSet",
    "Listed",
    "Option",
    "PartialFunction",
    "Range",
    "Record",
    "Sequence",
    "Set",
    "Sort",
    "SortError",
    "Tuple",
    "Variant",
    "contains_sort",
    "join",
    "no_sort",
    "plain",
]


@dataclass(frozen=True)
class Option(Sort["OptionValue[V]"], Generic[V]):
    """None (``None``) or a value of ``inner``. None comes first in the order."""

    inner: Sort[V]

    def __post_init__(self) -> None:
        require_sort("what an Option holds", self.inner)
        if isinstance(self.inner, Option):
            raise SortError("an option of an option cannot tell which of them is none: use a record")

    def values(self) -> Iterator[Concrete]:
        yield None
        yield from self.inner.values()

    @property
    def size(self) -> int:
        return cap_count(1 + self.inner.size)

    def _contains(self, value: Any) -> bool:
        return value is None or self.inner.contains(value)

    @property
    def is_scalar(self) -> bool:
        return self.inner.is_scalar

    def parts(self) -> PythonSequence[Sort]:
        return (self.inner,)

    def __str__(self) -> str:
        return f"Option({self.inner})"


def is_field(name: str) -> bool:
    """True if a record may have a field of this name: ``value.name`` reads it."""
    return name.isidentifier() and not name.startswith("_")


@dataclass(frozen=True, init=False)
class Record(Sort[F], Generic[F]):
    """Named fields: ``Record(id=Range(0, 3), epoch=Range(0, 2))``, or those that a subclass of ``Fields``
    declares: ``Record(Entry(self))``."""

    fields: tuple[tuple[str, Sort], ...]

    @overload
    def __init__(self: Record[RecordValue], /, **fields: Sort) -> None: ...
    @overload
    def __init__(self, declared: F, /) -> None: ...
    def __init__(self, declared: Any = None, /, **fields: Sort) -> None:
        if declared is not None:
            fields = _collect_declared(declared, fields)
        private = [name for name in fields if name.startswith("_")]
        if private:
            raise SortError(f"a record cannot have a field {private[0]!r}: its name begins with _")
        unfit = [name for name in fields if not name.isidentifier()]
        if unfit:
            raise SortError(f"a record cannot have a field {unfit[0]!r}: its name is not a Python identifier")
        for name, sort in fields.items():
            require_sort(f"the field {name} of a Record", sort)
        object.__setattr__(self, "fields", tuple(fields.items()))

    def __call__(self, /, **fields: Any) -> F:
        """A record of this sort, with every field given: ``Message(kind="ask", to=n)``."""
        from verifier.encodings.expressions import record  # which is written with sorts

        return record(self, **fields)

    @property
    def field_sorts(self) -> dict[str, Sort]:
        """The sort of each field by its name."""
        return dict(self.fields)

    def values(self) -> Iterator[Concrete]:
        names = [name for name, _ in self.fields]
        for choice in product(*(sort.each() for _, sort in self.fields)):
            yield FrozenMap(zip(names, choice, strict=True))

    @property
    def size(self) -> int:
        return counting.product(sort.size for _, sort in self.fields)

    def _contains(self, value: Any) -> bool:
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


def _collect_declared(declared: Any, others: dict[str, Sort]) -> dict[str, Sort]:
    """The fields that an object of a subclass of ``Fields`` declares."""
    if others or not getattr(type(declared), "declares_fields", False):
        raise SortError(
            "a Record has fields with names, as in Record(epoch=Range(0, 3)), or those of a subclass of "
            f"Fields, as in Record(Entry(self)), not {declared!r}"
        )
    return dict(vars(declared))


@dataclass(frozen=True)
class Function(Sort["FunctionValue[K, V]"], Generic[K, V]):
    """Total functions from every value of ``domain`` to ``range``."""

    domain: Sort[K]
    range: Sort[V]

    def __post_init__(self) -> None:
        require_sort("the domain of a Function", self.domain)
        require_sort("the range of a Function", self.range)

    @property
    def lacking(self) -> Sort | None:
        return None if self.domain.lacking else self.range.lacking

    def values(self) -> Iterator[Concrete]:
        keys = tuple(self.domain.each())
        for choice in product(self.range.each(), repeat=len(keys)):
            yield FrozenMap(zip(keys, choice, strict=True))

    @property
    def size(self) -> int:
        return power(self.range.size, self.domain.size)

    def _contains(self, value: Any) -> bool:
        return (
            isinstance(value, FrozenMap)
            and set(value) == set(self.domain.each())
            and all(self.range.contains(item) for item in value.values())
        )

    @property
    def default(self) -> Concrete:
        return FrozenMap((key, self.range.default) for key in self.domain.each())

    def parts(self) -> PythonSequence[Sort]:
        return (self.domain, self.range)

    def __str__(self) -> str:
        return f"[{self.domain} → {self.range}]"


@dataclass(frozen=True)
class Set(Sort["SetValue[V]"], Generic[V]):
    """Sets of values of ``element``. Smaller sets come first; the elements order sets of the same size."""

    element: Sort[V]

    def __post_init__(self) -> None:
        require_sort("the element of a Set", self.element)

    def values(self) -> Iterator[Concrete]:
        yield frozenset()
        elements = tuple(self.element.each())
        for count in range(1, len(elements) + 1):
            yield from (frozenset(chosen) for chosen in combinations(elements, count))

    @property
    def size(self) -> int:
        return power(2, self.element.size)

    def _contains(self, value: Any) -> bool:
        return isinstance(value, frozenset) and all(self.element.contains(item) for item in value)

    def parts(self) -> PythonSequence[Sort]:
        return (self.element,)

    def __str__(self) -> str:
        return f"Set({self.element})"


@dataclass(frozen=True)
class Sequence(Sort["SequenceValue[V]"], Generic[V]):
    """Sequences of up to ``capacity`` elements, indexed from 0. Shorter sequences come first."""

    element: Sort[V]
    capacity: int

    def __post_init__(self) -> None:
        require_sort("the element of a Sequence", self.element)
        object.__setattr__(self, "capacity", integer_at("the capacity of a Sequence", self.capacity))

    @property
    def lacking(self) -> Sort | None:
        return self if self.capacity < 0 else self.element.lacking if self.capacity else None

    def values(self) -> Iterator[Concrete]:
        if self.capacity >= 0:
            yield ()
        elements = tuple(self.element.each()) if self.capacity > 0 else ()
        for length in range(1, self.capacity + 1):
            yield from product(elements, repeat=length)

    @property
    def size(self) -> int:
        each, total = self.element.size, 0
        if each <= 1 or self.capacity < 0:
            return cap_count(1 + each * self.capacity) if self.capacity >= 0 else 0
        for length in range(self.capacity + 1):
            total += power(each, length)
            if total >= MANY:
                return MANY
        return total

    def _contains(self, value: Any) -> bool:
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
class Bag(Sort["BagValue[V]"], Generic[V]):
    """Multisets over ``element`` with at most ``maximum`` copies of each.

    The concrete value maps each element that occurs to its number of copies. Smaller bags come first, and the
    elements order bags of the same size.
    """

    element: Sort[V]
    maximum: int

    def __post_init__(self) -> None:
        require_sort("the element of a Bag", self.element)
        object.__setattr__(self, "maximum", integer_at("the maximum of a Bag", self.maximum))

    @property
    def lacking(self) -> Sort | None:
        return self if self.maximum < 0 and not self.element.lacking else None

    def values(self) -> Iterator[Concrete]:
        if not self.lacking:
            yield FrozenMap()
        elements = tuple(self.element.each())
        for size in range(1, self.maximum * len(elements) + 1):
            for chosen in combinations_with_replacement(elements, size):
                counts = Counter(chosen)
                if all(count <= self.maximum for count in counts.values()):
                    yield FrozenMap(counts)

    @property
    def size(self) -> int:
        return power(max(0, self.maximum + 1), self.element.size)

    def _contains(self, value: Any) -> bool:
        return isinstance(value, FrozenMap) and all(
            self.element.contains(item) and Range(1, self.maximum).contains(count)
            for item, count in value.items()
        )

    def parts(self) -> PythonSequence[Sort]:
        return (self.element,)

    def __str__(self) -> str:
        return f"Bag({self.element}, up to {self.maximum} of each)"


def join(left: Sort, right: Sort) -> Sort:
    """The smallest sort that holds the values of both. Raises SortError if they are of different kinds."""
    match left, right:
        case Range(), Range():
            return Range(least(left.low, right.low), greatest(left.high, right.high))
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
            return Sequence(join(left.element, right.element), greatest(left.capacity, right.capacity))
        case Bag(), Bag():
            return Bag(join(left.element, right.element), greatest(left.maximum, right.maximum))
        case _ if left == right:
            return left
    return _join_compound(left, right)


def _join_compound(left: Sort, right: Sort) -> Sort:
    match left, right:
        case Tuple(), Tuple() if len(left.items) == len(right.items):
            return Tuple(*map(join, left.items, right.items))
        case Variant(), Variant() if list(left.payloads) == list(right.payloads):
            return Variant(**{tag: join(sort, right.payloads[tag]) for tag, sort in left.alternatives})
        case PartialFunction(), PartialFunction():
            return PartialFunction(join(left.domain, right.domain), join(left.range, right.range))
        case (Listed(), _) | (_, Listed()) if (listed := join_listed(left, right)) is not None:
            return listed
    raise SortError(f"values of {left} and of {right} do not go together")


def sorts_in(sort: Sort) -> Iterator[Sort]:
    """The sort, and all sorts that it consists of."""
    yield sort
    for part in sort.parts():
        yield from sorts_in(part)


def contains_sort(sort: Sort, wanted: Sort) -> bool:
    """True if ``wanted`` occurs in ``sort``."""
    return wanted in sorts_in(sort)
