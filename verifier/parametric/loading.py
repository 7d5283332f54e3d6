"""A protocol read with traced constants, twice: both readings must be the same text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.errors import UsageError
from verifier.parametric.traced import Assumption, Decisions, Traced
from verifier.specs.constants import IndexSetConstant, IntegerConstant, constants_of
from verifier.specs.definition import Definition
from verifier.specs.protocol import AssumptionFailed, Protocol, define


@dataclass(frozen=True)
class ParametricReading:
    """A definition whose numbers know which constants they come from."""

    definition: Definition
    constants: Mapping[str, Any]
    """Those that it was read at."""
    free: tuple[str, ...]
    """The names of the constants that may be any number."""
    assumptions: tuple[Assumption, ...]


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
    own = {(name,): 1}
    least = max(1, constant.minimum) if isinstance(constant, IndexSetConstant) else constant.minimum
    made = [Assumption(own, ">=", {(): least} if least else {}, True, "")]
    if isinstance(constant, IntegerConstant) and constant.maximum is not None:
        made.append(Assumption(own, "<=", {(): constant.maximum}, True, ""))
    for one in made:
        decisions.assumptions.setdefault(one.words, one)


def others(kind: type[Protocol], reading: ParametricReading) -> ParametricReading | None:
    """The reading at other constants that satisfy the same assumptions, each a different distance away; None
    if none of those tried is allowed."""
    for distances in ((2, 3, 5, 7, 11, 13, 17, 19), (1,) * 8, (0, 1) * 4, (1, 0) * 4):
        moved = zip(reading.free, distances * (1 + len(reading.free) // len(distances)), strict=False)
        settings = {**reading.constants, **{n: reading.constants[n] + d for n, d in moved}}
        try:
            found = read_traced(kind, settings)
        except (AssumptionFailed, UsageError):
            continue
        if {one.words for one in found.assumptions} == {one.words for one in reading.assumptions}:
            return found
    return None
