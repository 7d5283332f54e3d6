"""A protocol read with traced constants, twice: both readings must be the same text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import cycle, permutations
from math import prod
from typing import Any

from verifier.encodings.open_integers import LARGEST
from verifier.errors import UsageError
from verifier.parametric.declared import read_assumptions
from verifier.parametric.errors import NotParametric
from verifier.parametric.guarding import guard_protocol_code
from verifier.parametric.read_constants import ReadConstant
from verifier.parametric.reading_comparison import index_set_counts, require_same, require_same_values
from verifier.parametric.traced import (
    OPPOSITE,
    Assumption,
    Decisions,
    Polynomial,
    Traced,
    constant_polynomial,
    polynomial_text,
    subtract,
)
from verifier.processes.limits import Interrupted
from verifier.specs.constants import IndexSetConstant, IntegerConstant, constants_of, parse_constants
from verifier.specs.definition import Definition, DefinitionError, PropertyKind
from verifier.specs.protocol import Protocol, define
from verifier.specs.reading.code_places import find_raising_line, prefix_place


@dataclass(frozen=True)
class ParametricReading:
    """A definition whose numbers record the constants from which they are computed."""

    definition: Definition
    constants: Mapping[str, Any]
    """The constants at which it was read."""
    free: tuple[str, ...]
    """The names of the constants that may be any number."""
    assumptions: tuple[Assumption, ...]
    spec_hash: str
    """The hash of the whole definition at these constants."""
    besides: tuple[str, ...] = ()
    """Assumptions on constants that are neither numbers nor sizes, in words."""
    undeclared: tuple[str, ...] = ()
    """Those of them that the protocol does not declare."""
    claims_sorts: bool = False
    """True if a variable may leave its sort, as in a TLA+ module. The formulas are about values of the sorts,
    so each proof shows that there are no others. In a protocol, an action that leaves a sort is disabled."""

    @property
    def said(self) -> tuple[str, ...]:
        """Return the assumptions on constants in words, with the place of a decision in the protocol's
        code."""
        sizes = [polynomial_text(count) for count in index_set_counts(self.definition)]
        empty = {f"{size} >= 1": f"{size} is not empty" for size in sizes}
        said = (empty.get(one.words, one.said) for one in self.assumptions)
        return (*self._fixed, *said, *self.besides)

    @property
    def assumed(self) -> tuple[str, ...]:
        """Return the assumptions without places, as a certificate has them, wherever the protocol's file
        is."""
        return (*self._fixed, *(one.words for one in self.assumptions), *self.besides)

    @property
    def _fixed(self) -> tuple[str, ...]:
        given = self.constants.items()
        return tuple(f"{name} = {_show(value)}" for name, value in given if name not in self.free)

    @property
    def beyond_declared(self) -> tuple[str, ...]:
        """Return the assumptions that neither the constants' declarations nor the protocol itself make."""
        return (*(one.said for one in self.assumptions if not one.is_declared), *self.undeclared)

    @property
    def is_total(self) -> bool:
        """True if no term may read an undefined value at any constants."""
        return all(prop.kind is not PropertyKind.UNDEFINED_READ for prop in self.definition.properties)


def _show(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_traced(kind: type[Protocol], settings: Mapping[str, Any]) -> ParametricReading:
    """Return the protocol's definition with traced numbers. Raises UsageError as ``define`` does."""
    given = parse_constants(kind, settings)
    decisions = Decisions()
    numeric = {
        name: constant
        for name, constant in constants_of(kind).items()
        if isinstance(constant, IntegerConstant | IndexSetConstant)
    }
    traced = {name: Traced(given[name], {(name,): 1}, decisions) for name in numeric}
    constants = {**given, **{name: ReadConstant(number) for name, number in traced.items()}}
    try:
        with guard_protocol_code(decisions):
            protocol = kind(constants)  # this evaluates the assumptions, and the rest of its __init__
            first = decisions.take()
            said, required = read_assumptions(protocol, decisions)
            definition = define(protocol, of_executions=False)
    except (UsageError, DefinitionError):
        _require_nothing_refused(decisions)
        raise
    except Interrupted:  # the time is over while the protocol's code runs
        raise
    except Exception as error:  # raised by the protocol's code, which gets no integers here
        _require_nothing_refused(decisions)
        raise NotParametric(
            prefix_place(find_raising_line(error), f"no reading for all constants: {error}")
        ) from error
    _require_nothing_refused(decisions)
    made = {words: one for words, one in first.items() if said.get(words) != one} | decisions.take()
    bounds = [
        bound
        for name, constant in numeric.items()
        if name != LARGEST
        for bound in _find_declared_bounds(name, constant)
    ]
    assumptions = {one.words: one for one in bounds}
    for one in said.values():
        is_own = one.asked in required and one.words not in made
        assumptions.setdefault(one.words, replace(one, is_declared=is_own or follows(one, numeric)))
    for one in (*made.values(), *_assume_inhabited(definition)):
        if not follows(one, numeric):
            assumptions.setdefault(one.words, one)
    return ParametricReading(
        replace(definition, constants=given), given, tuple(numeric), tuple(assumptions.values()), ""
    )


def _require_nothing_refused(decisions: Decisions) -> None:
    if decisions.refused:
        raise decisions.refused[0]


def _find_declared_bounds(name: str, constant: Any) -> Iterator[Assumption]:
    """Yield the bounds of the constant's declaration."""
    own: Polynomial = {(name,): 1}
    yield Assumption(own, ">=", constant_polynomial(constant.minimum), True, "", is_declared=True)
    if isinstance(constant, IntegerConstant) and constant.maximum is not None:
        yield Assumption(own, "<=", constant_polynomial(constant.maximum), True, "", is_declared=True)


def _assume_inhabited(definition: Definition) -> Iterator[Assumption]:
    """Yield the assumption that each index set has an element, as sorts of first-order logic have."""
    for count in index_set_counts(definition):
        yield Assumption(count, ">=", {(): 1}, True, "an index set that has elements")


def follows(one: Assumption, numeric: Mapping[str, Any]) -> bool:
    """True if an assumption follows from the least values of constants, in a simple way."""
    relation = one.relation if one.holds else OPPOSITE[one.relation]
    sides = {">": (one.left, one.right, 1), ">=": (one.left, one.right, 0)}
    sides |= {"<": (one.right, one.left, 1), "<=": (one.right, one.left, 0)}
    if relation not in sides:
        return False
    greater, lesser, more = sides[relation]
    least = 0
    for monomial, factor in subtract(greater, lesser).items():
        if not numeric.keys() >= set(monomial):  # a computed number
            return False
        bounds = [numeric[name].minimum for name in monomial]
        if factor and monomial and (factor < 0 or min(bounds) < 0):
            return False
        least += factor * prod(bounds)
    return least >= more


def read_for_all(kind: type[Protocol], settings: Mapping[str, Any]) -> ParametricReading:
    """Return the protocol's definition for all constants. Raises NotParametric if it has none. If a constant
    takes no other value to compare the reading with, it is assumed to have its own value."""
    plain = define(kind(settings))
    reading = replace(read_traced(kind, settings), spec_hash=plain.spec_hash)
    require_same_values(reading.definition, plain)
    moved = set[str]()
    for settings_there in _others(reading, moved):
        try:
            other, plain = read_traced(kind, settings_there), define(kind(settings_there))
        except (UsageError, DefinitionError):
            continue
        require_same_values(other.definition, plain)
        if {one.words for one in other.assumptions} == {one.words for one in reading.assumptions}:
            require_same(reading.definition, other.definition)
            moved |= {name for name in reading.free if settings_there[name] != reading.constants[name]}
    if reading.free and not moved:
        raise NotParametric(f"{kind.spec_name()} takes no other constants with which to compare its reading")
    still = [
        Assumption({(name,): 1}, "==", constant_polynomial(reading.constants[name]), True, _NOT_MOVED)
        for name in reading.free
        if name not in moved
    ]
    return replace(reading, assumptions=(*reading.assumptions, *still))


_NOT_MOVED = "no other value is allowed with which to compare what is read"


def _others(reading: ParametricReading, moved: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield other constants, until each was changed: all of them, then one, then two of them."""

    def at(distances: Mapping[str, int]) -> dict[str, Any]:
        known = reading.constants
        return {**known, **{name: known[name] + distance for name, distance in distances.items()}}

    for cycled in ((2, 3, 5, 7, 11, 13), (1,), (-1,)):
        yield at(dict(zip(reading.free, cycle(cycled), strict=False)))
    for name in reading.free:
        for distance in (1, -1, 2, 5):
            if name not in moved:
                yield at({name: distance})
    for one, other in permutations(reading.free, 2):
        for distances in ((1, 1), (1, -1), (1, 2), (-1, -1)):
            if one not in moved:
                yield at(dict(zip((one, other), distances, strict=True)))
