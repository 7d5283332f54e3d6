"""The base class of sorts, and the sorts without parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as PythonSequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from types import MethodType
from typing import TYPE_CHECKING, Any, Generic, overload

from verifier.encodings.concrete import Concrete, Element, element
from verifier.encodings.counting import cap_count, require_few
from verifier.encodings.open_integers import greatest, number_of
from verifier.encodings.type_variables import M, V_co

if TYPE_CHECKING:
    from verifier.encodings.values import (  # noqa: F401 -- in quotes below
        AtomValue,
        BooleanValue,
        IntegerValue,
    )


class SortError(TypeError):
    """A value does not fit the sort that its place requires. The message names the value and both sorts."""


def require_sort(place: str, value: Any) -> None:
    """Raises SortError if ``value``, which stands at ``place``, is no sort."""
    if not isinstance(value, Sort):
        raise SortError(f"{place} is a sort, as Range(0, 3), not {no_sort(value)}")


def integer_at(place: str, value: Any) -> int:
    """The integer that stands at ``place``. Raises SortError if ``value`` is none."""
    number = number_of(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise SortError(f"{place} is an integer, not {_declaration(value) or repr(value)}")
    return number


_MEANT_BY_TYPES: dict[Any, str] = {
    bool: "Boolean()",
    int: "Range(0, 3)",
    str: "Enum('phase', ('idle', 'busy'))",
    set: "Set(…)",
    list: "Sequence(…)",
    dict: "Function(…) or Record(…)",
}
"""The sort that is probably meant where a type of Python is written."""


def no_sort(value: Any) -> str:
    """Describe a value that is no sort, with the sort that was probably meant."""
    if isinstance(value, type) and value in _MEANT_BY_TYPES:
        return f"Python's {value.__name__}: write {_MEANT_BY_TYPES[value]}"
    if isinstance(value, range):
        return f"Python's {value}: write Range(low, high), both of which are in it"
    if isinstance(value, MethodType):
        name = value.__name__
        return f"the method {name}: write @property above it, or self.{name}()"
    kind = value if isinstance(value, type) else type(value)
    if hasattr(kind, "declares_fields"):
        return f"the fields of {kind.__name__}: write Record({kind.__name__}(…))"
    if isinstance(value, type) and hasattr(value, "enumeration"):
        return f"the members {value.__name__}: write Enum({value.__name__})"
    if isinstance(value, type) and issubclass(value, Sort):
        return f"the class {value.__name__} without its arguments: write {value.__name__}(…)"
    return _declaration(value) or repr(value)


def _declaration(value: Any) -> str:
    """A constant of a protocol that was not read from ``self``, in words; empty if it is none."""
    is_constant = type(value).__name__.endswith("Constant")
    return "the declaration of a constant: write self. before its name" if is_constant else ""


_MOST_KEPT = 10_000
"""A sort with more values makes them again each time."""


class Expression:
    """The symbolic counterpart of concrete values in protocols (``values.Value``)."""

    __slots__ = ()


class Sort(Generic[V_co]):
    """A finite, ordered set of concrete values. ``V_co`` is the class of the expressions of this sort."""

    def values(self) -> Iterator[Concrete]:
        """All values, in the sort's order, each made when it is asked for: there may be very many."""
        raise NotImplementedError

    @cached_property
    def _first_values(self) -> tuple[Concrete, ...]:
        require_few(self, self.size)
        return tuple(islice(self.values(), _MOST_KEPT + 1))

    def each(self) -> Iterable[Concrete]:
        """All values, in the sort's order. Unless there are many, they are the same objects each time.

        Values are immutable, and live as long as this object. Raises UsageError if there are too many to be
        gone through (``counting.MOST_LISTED``).
        """
        first = self._first_values
        return first if len(first) <= _MOST_KEPT else self.values()

    @property
    def size(self) -> int:
        """The number of values; ``counting.MANY`` if there are that many or more."""
        raise NotImplementedError

    def contains(self, value: Any) -> bool:
        """True if the concrete ``value`` belongs to this sort. No expression does, which is no answer to
        whether its value does in each state, so it raises SortError for an expression."""
        if isinstance(value, Expression):
            raise SortError(
                f"contains of a sort ({self}) is decided while Python reads the protocol, not in each state: "
                f"write exists(v == {value!r} for v in …) over the sort, or compare integers with its bounds"
            )
        return self._contains(value)

    def _contains(self, value: Any) -> bool:
        raise NotImplementedError

    @property
    def default(self) -> Concrete:
        """The value that fills unused slots. Because of it equal states are equal bit by bit."""
        for value in self.values():
            return value
        raise SortError(f"{self} has no values")

    @property
    def is_scalar(self) -> bool:
        """True if one state field holds a value of this sort. Values of other sorts need several fields."""
        return False

    def parts(self) -> PythonSequence[Sort]:
        """The sorts that this sort consists of."""
        return ()

    def __iter__(self) -> Iterator[V_co]:
        """Yield the variable of a quantifier's generator, as in ``forall(up(n) for n in nodes)``. Other loops
        are refused."""
        from verifier.encodings import generators  # which is written with sorts

        return generators.elements(self)

    @property
    def lacking(self) -> Sort | None:
        """The first part that needs values and has none, by which a variable of this sort has none.

        An unused slot of a sequence needs a value too.
        """
        return None


@dataclass(frozen=True)
class Boolean(Sort["BooleanValue"]):
    """``False`` and ``True``."""

    def values(self) -> Iterator[Concrete]:
        return iter((False, True))

    @property
    def size(self) -> int:
        return 2

    def _contains(self, value: Any) -> bool:
        return isinstance(value, bool)

    def __str__(self) -> str:
        return "BOOLEAN"


@dataclass(frozen=True)
class Range(Sort["IntegerValue"]):
    """The integers from ``low`` to ``high``, both included; empty if ``high < low``."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if type(self.low) is not int or type(self.high) is not int:  # there are many, so the quick way first
            object.__setattr__(self, "low", integer_at("the lower bound of a Range", self.low))
            object.__setattr__(self, "high", integer_at("the upper bound of a Range", self.high))

    @property
    def lacking(self) -> Sort | None:
        return self if self.high < self.low else None

    def values(self) -> Iterator[Concrete]:
        return iter(range(self.low, self.high + 1))

    @property
    def size(self) -> int:
        return cap_count(greatest(0, self.high - self.low + 1))

    def _contains(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


def plain(value: Any) -> Any:
    """The plain string or integer, or the one that is stood for. A member of a Python enumeration can
    be one that prints differently."""
    if isinstance(value, str):
        return str.__str__(value)
    value = number_of(value)
    return +value if isinstance(value, int) and not isinstance(value, bool) else value


@dataclass(frozen=True)
class Enum(Sort[M], Generic[M]):
    """Named alternatives, in the given order: ``Enum("phase", ("idle", "busy"))``, or those of a subclass of
    ``Members``, which has a name for each that type checkers know: ``Enum(Phase)``."""

    name: str
    members: tuple[str | int, ...] = ()

    if TYPE_CHECKING:

        @overload
        def __init__(self: Enum[AtomValue], name: str, members: tuple[str | int, ...]) -> None: ...
        @overload
        def __init__(self, name: type[M]) -> None: ...
        def __init__(self, name: Any, members: tuple[str | int, ...] = ()) -> None: ...

    def __post_init__(self) -> None:
        written: tuple[Any, Any] = self.name, self.members
        declared = getattr(written[0], "enumeration", None) if isinstance(written[0], type) else None
        if isinstance(declared, Enum) and not self.members:
            object.__setattr__(self, "name", declared.name)
            object.__setattr__(self, "members", declared.members)
            return
        if isinstance(written[0], type) and not self.members:
            raise SortError(
                f"Enum({written[0].__name__}) needs a subclass of Members, whose members are written "
                "IDLE = member()"
            )
        if not isinstance(written[0], str) or not isinstance(written[1], tuple | list):
            given = ", ".join(repr(item) for item in written)
            meant = written if all(isinstance(item, str) for item in written) else ("idle", "busy")
            raise SortError(
                f"an Enum has a name and a tuple of members, so Enum({given}) is not allowed: "
                f"write Enum('name', {tuple(meant)!r})"
            )
        if len(set(self.members)) != len(self.members) or not self.members:
            raise SortError(f"enumeration {self.name} needs distinct members, got {self.members}")
        members: tuple[Any, ...] = self.members  # whatever a protocol's author wrote
        words = all(isinstance(member, str) and member for member in members)
        numbers = all(isinstance(member, int) and not isinstance(member, bool) for member in members)
        if not (words or numbers):
            raise SortError(f"enumeration {self.name} needs words or integers as members, got {self.members}")
        object.__setattr__(self, "members", tuple(map(plain, members)))

    def values(self) -> Iterator[Concrete]:
        return iter(self.members)

    @property
    def size(self) -> int:
        return len(self.members)

    def _contains(self, value: Any) -> bool:
        return type(value) in (str, int) and value in self.members

    @property
    def is_scalar(self) -> bool:
        return True

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class IndexSet(Sort["AtomValue"]):
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
        count = integer_at("the number of elements of an index set", self.count)
        object.__setattr__(self, "count", count)
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
        return tuple(self.each())  # type: ignore[arg-type]

    def find_element(self, name: str) -> Element | None:
        """The element with this name; None if there is none."""
        return next((item for item in self.elements if item.name == name), None)

    def values(self) -> Iterator[Concrete]:
        return (element(self.name, self.count, self.prefix, place) for place in range(1, self.count + 1))

    @property
    def size(self) -> int:
        return cap_count(self.count)

    def _contains(self, value: Any) -> bool:
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
