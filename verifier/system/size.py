"""How large a transition system would be, from its sorts alone: asked before anything is built."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.encodings.concrete import show_constants
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
from verifier.errors import UsageError
from verifier.specs.definition import Action, Definition

MOST_BITS = MOST_INSTANCES = 100_000
"""More state bits, or instances of actions, are taken for a mistake in a constant."""
_MANY = 10**12
"""Numbers are not told apart beyond this one."""


def check_size(definition: Definition) -> None:
    """Raises UsageError if the state, or the actions, are too large to be built."""
    bits = _capped(sum(_bits(symbol.sort) for symbol in definition.variables))
    instances = instance_count(definition)
    constants = show_constants(definition.constants)
    place = f"{definition.name} with {constants}" if constants else definition.name
    limits = ((bits, MOST_BITS, "bits in a state"), (instances, MOST_INSTANCES, "instances of actions"))
    for count, most, what in limits:
        if count > most:
            about = f"more than {_MANY:,}" if count == _MANY else f"about {count:,}"
            raise UsageError(
                f"{place} has {about} {what}, and more than {most:,} are taken for a mistake"
            )


def instance_count(definition: Definition) -> int:
    """How many instances the actions have, those among them that are never enabled too."""
    return _capped(sum(map(instances_of, definition.actions)))


def instances_of(action: Action) -> int:
    """The same of one action."""
    return _product(_values(p.symbol.sort) for p in action.parameters if not p.free)


def bits_of(sort: Sort) -> int:
    """How many bits a variable of a sort takes, about."""
    return _bits(sort)


def _capped(number: int) -> int:
    return min(number, _MANY)


def _values(sort: Sort) -> int:
    """How many values a sort has, as far as that is told apart."""
    match sort:
        case Option():
            return _capped(1 + _values(sort.inner))
        case Record():
            return _product(_values(part) for _, part in sort.fields)
        case Tuple():
            return _product(map(_values, sort.items))
        case Variant():
            return _capped(sum(_values(part) for part in sort.parts()))
        case PartialFunction():
            return _power(1 + _values(sort.range), _values(sort.domain))
        case Function():
            return _power(_values(sort.range), _values(sort.domain))
        case Set():
            return _power(2, _values(sort.element))
        case Sequence():
            return _power(_values(sort.element) + 1, sort.capacity)
        case Bag():
            return _power(sort.maximum + 1, _values(sort.element))
    return _capped(sort.size)


def _bits(sort: Sort) -> int:
    """How many bits a field of a sort takes, about."""
    match sort:
        case Boolean():
            return 1
        case Listed():
            return (sort.size - 1).bit_length()
        case _ if sort.is_scalar:
            return _values(sort)
        case Option():
            return _capped(1 + _bits(sort.inner))
        case Record() | Tuple():
            return _capped(sum(map(_bits, sort.parts())))
        case Variant():
            return _capped(len(sort.alternatives) + sum(map(_bits, sort.parts())))
        case PartialFunction():
            return _capped(_values(sort.domain) * (1 + _bits(sort.range)))
        case Function():
            return _capped(_values(sort.domain) * _bits(sort.range))
        case Set():
            return _values(sort.element)
        case Sequence():
            return _capped(sort.capacity * (1 + _bits(sort.element)))
        case Bag():
            return _capped(_values(sort.element) * sort.maximum)
    return _values(sort)


def _power(base: int, exponent: int) -> int:
    if base <= 1 or exponent == 0:
        return base if exponent else 1
    return _MANY if exponent > _MANY.bit_length() else _capped(base**exponent)


def _product(factors: Iterable[int]) -> int:
    result = 1
    for factor in factors:
        result = _capped(result * factor)
    return result
