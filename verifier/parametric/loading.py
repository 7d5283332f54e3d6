"""A protocol read with traced constants, twice: both readings must be the same text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from verifier.errors import UsageError
from verifier.parametric.comparing import require_same
from verifier.parametric.errors import NotParametric
from verifier.parametric.traced import Assumption, Decisions, Polynomial, Traced
from verifier.specs.constants import IndexSetConstant, IntegerConstant, constants_of
from verifier.specs.definition import Definition, PropertyKind
from verifier.specs.protocol import Protocol, define


@dataclass(frozen=True)
class ParametricReading:
    """A definition whose numbers know which constants they come from."""

    definition: Definition
    constants: Mapping[str, Any]
    """Those that it was read at."""
    free: tuple[str, ...]
    """The names of the constants that may be any number."""
    assumptions: tuple[Assumption, ...]

    @property
    def said(self) -> tuple[str, ...]:
        """What is assumed of the constants, in words, with the place of what the protocol's code decides."""
        fixed = [f"{name} = {_shown(v)}" for name, v in self.constants.items() if name not in self.free]
        return (*fixed, *(one.said for one in self.assumptions))

    @property
    def is_total(self) -> bool:
        """Whether no term reads what may have no value at some constants."""
        return all(prop.kind is not PropertyKind.UNDEFINED_READ for prop in self.definition.properties)

    @property
    def spec_hash(self) -> str:
        """The hash of the definition at the constants that it was read at."""
        return self.definition.spec_hash


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_traced(kind: type[Protocol], settings: Mapping[str, Any]) -> ParametricReading:
    """The protocol's definition with traced numbers. Raises UsageError as ``define`` does."""
    protocol = kind(settings)
    decisions = Decisions()
    numeric = {
        name: constant
        for name, constant in constants_of(kind).items()
        if isinstance(constant, IntegerConstant | IndexSetConstant)
    }
    given = dict(protocol.constants)
    traced = {
        name: Traced(value, {(name,): 1}, decisions) if name in numeric else value
        for name, value in given.items()
    }
    protocol.constants = traced
    protocol.assumptions()
    for name, constant in numeric.items():
        _declared(decisions, name, constant)
    definition = define(protocol)
    return ParametricReading(definition, given, tuple(numeric), tuple(decisions.assumptions.values()))


def _declared(decisions: Decisions, name: str, constant: Any) -> None:
    """The bounds that the constant was declared with."""
    own: Polynomial = {(name,): 1}
    least = max(1, constant.minimum) if isinstance(constant, IndexSetConstant) else constant.minimum
    made = [Assumption(own, ">=", {(): least} if least else {}, True, "")]
    if isinstance(constant, IntegerConstant) and constant.maximum is not None:
        made.append(Assumption(own, "<=", {(): constant.maximum}, True, ""))
    for one in made:
        decisions.assumptions.setdefault(one.words, one)


def read_for_all(kind: type[Protocol], settings: Mapping[str, Any]) -> ParametricReading:
    """The protocol's definition for all constants. Raises NotParametric if it has none."""
    reading = read_traced(kind, settings)
    other = _at_others(kind, reading)
    if other is None:
        raise NotParametric(f"{kind.spec_name()} takes no other constants with which to compare its reading")
    require_same(reading.definition, other.definition)
    return reading


def _at_others(kind: type[Protocol], reading: ParametricReading) -> ParametricReading | None:
    """The reading at other constants that satisfy the same assumptions, each a different distance away; None
    if none of those tried is allowed."""
    for distances in ((2, 3, 5, 7, 11, 13), (1,), (0, 1), (1, 0), (0, 0, 1), (0, 0, 0, 1)):
        moved = zip(reading.free, cycle(distances), strict=False)
        settings = {**reading.constants, **{n: reading.constants[n] + d for n, d in moved}}
        try:
            found = read_traced(kind, settings)
        except UsageError:
            continue
        if {one.words for one in found.assumptions} == {one.words for one in reading.assumptions}:
            return found
    return None
