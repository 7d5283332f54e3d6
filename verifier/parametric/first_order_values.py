"""Values of sorts in first-order logic: nodes, and functions that return nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from verifier.encodings.sorts import Record, Sort, Tuple
from verifier.parametric.nodes import Node


@dataclass(frozen=True)
class OptionOf:
    """An option: the formula that it is none, and its value, which has no meaning if it is none."""

    absent: Node
    value: Value
    is_plain: bool = False
    """True if its value is that of unused slots where it is none, so that a key needs no condition."""


@dataclass(frozen=True)
class Fields:
    """A record, or a tuple with its places as names."""

    of: Mapping[str, Value]


@dataclass(frozen=True)
class Mapped:
    """A total function."""

    at: Callable[[Value], Value]


@dataclass(frozen=True)
class Members:
    """A set."""

    contains: Callable[[Value], Node]
    node: Node | None = None
    """The set as a value; None for one that is only told by its elements (``named_sets``)."""


@dataclass(frozen=True)
class Items:
    """A sequence. Items at places from the length on have no meaning."""

    length: Node
    at: Callable[[Node], Value]


@dataclass(frozen=True)
class Copies:
    """A bag."""

    of: Callable[[Value], Node]


@dataclass(frozen=True)
class Tags:
    """A variant: the number of its tag, and a payload for each tag."""

    tag: Node
    payloads: Mapping[str, Value]


@dataclass(frozen=True)
class Partly:
    """A partial function."""

    has: Callable[[Value], Node]
    at: Callable[[Value], Value]


Value: TypeAlias = Node | OptionOf | Fields | Mapped | Members | Items | Copies | Tags | Partly


@dataclass(frozen=True)
class Quantified:
    """All values of a sort: variables, the value that they form, and the formula that it belongs to the
    sort."""

    variables: tuple[Node, ...]
    value: Value
    within: Node
    distinct: Node | None = None
    """The formula that no other values of the variables form the same value; None if it is true. A plain
    option that is none must have the value of unused slots. So solvers match keys of sets, in which there is
    no condition. ``within`` implies it. Where a set is told by its keys, other keys say nothing: a set
    with none in it would have all of them."""


@dataclass(frozen=True)
class Elements:
    """Sequences in a state variable whose items are elements of an index set."""

    at: str
    """The symbol for the element at a place. Its other arguments are those of the length."""
    element: str
    """The sort of the elements."""
    size: Node
    """The number of elements of the index set."""


def fields_of(sort: Record | Tuple) -> tuple[tuple[str, Sort], ...]:
    """Return the fields of a record, or the places of a tuple."""
    if isinstance(sort, Record):
        return sort.fields
    return tuple((str(place), item) for place, item in enumerate(sort.items))
