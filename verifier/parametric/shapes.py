"""What values of sorts are in first-order logic: nodes, and ways to ask for nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from verifier.parametric.logic import Node


@dataclass(frozen=True)
class OptionOf:
    """An option: whether there is no value, and the value, which means nothing if there is none."""

    absent: Node
    value: Value


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


@dataclass(frozen=True)
class Items:
    """A sequence: what is at places from the length on means nothing."""

    length: Node
    at: Callable[[Node], Value]


@dataclass(frozen=True)
class Copies:
    """A bag."""

    of: Callable[[Value], Node]


@dataclass(frozen=True)
class Tags:
    """A variant: the number of its tag, and what each tag would hold."""

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
    """All values of a sort: variables, the value that they are, and when it is one of the sort."""

    variables: tuple[Node, ...]
    value: Value
    within: Node
