"""Estimates of a transition system's size from its sorts alone, before anything is built."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.encodings.concrete import show_constants
from verifier.encodings.counting import about, cap_count, product
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Function,
    Listed,
    Option,
    PartialFunction,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.errors import TooLargeError
from verifier.specs.definition import Action, Definition

MOST_BITS = MOST_INSTANCES = 100_000
"""More state bits, or instances of actions, are taken for a mistake in a constant."""


def check_size(definition: Definition) -> None:
    """Raises TooLargeError if the state, or the actions, are too large to be built."""
    check_bits(definition, [symbol.sort for symbol in definition.variables])
    _check_count(definition, instance_count(definition), MOST_INSTANCES, "instances of actions")


def check_bits(definition: Definition, sorts: Iterable[Sort]) -> None:
    """Raises TooLargeError if a state at these sorts is too large to be built."""
    _check_count(definition, cap_count(sum(map(_bits, sorts))), MOST_BITS, "bits in a state")


def _check_count(definition: Definition, count: int, most: int, what: str) -> None:
    if count > most:
        constants = show_constants(definition.constants)
        place = f"{definition.name} with {constants}" if constants else definition.name
        raise TooLargeError(
            f"{place} has {about(count)} {what}, and more than {most:,} are taken for a mistake"
        )


def instance_count(definition: Definition) -> int:
    """Return the number of instances of the actions, including those that are never enabled."""
    return cap_count(sum(map(instances_of, definition.actions)))


def instances_of(action: Action) -> int:
    """The number of instances of one action."""
    return product(p.symbol.sort.size for p in action.parameters if not p.free)


def bits_of(sort: Sort) -> int:
    """Return the approximate number of bits of a variable of a sort."""
    return _bits(sort)


def _bits(sort: Sort) -> int:
    """Return the approximate number of bits of a field of a sort."""
    match sort:
        case Boolean():
            return 1
        case Listed():
            return (sort.size - 1).bit_length()
        case _ if sort.is_scalar:
            return sort.size
        case Option():
            return cap_count(1 + _bits(sort.inner))
        case Record() | Tuple():
            return cap_count(sum(map(_bits, sort.parts())))
        case Variant():
            return cap_count(len(sort.alternatives) + sum(map(_bits, sort.parts())))
        case PartialFunction():
            return cap_count(sort.domain.size * (1 + _bits(sort.range)))
        case Function():
            return cap_count(sort.domain.size * _bits(sort.range))
        case Set():
            return sort.element.size
        case Sequence():
            return cap_count(sort.capacity * (1 + _bits(sort.element)))
        case Bag():
            return cap_count(sort.element.size * sort.maximum)
    return sort.size
