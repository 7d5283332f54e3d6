"""A loaded protocol, read for all constants, and the small constants at which its claims are tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.parametric.protocol_readings import ParametricReading, read_for_all
from verifier.specs.constants import IndexSetConstant, IntegerConstant, constants_of
from verifier.specs.protocol import Protocol
from verifier.specs.registry import load as load_class

if TYPE_CHECKING:
    from verifier.runs.loaded import Loaded


def class_of(loaded: Loaded) -> type[Protocol]:
    """Return the class of a protocol."""
    return load_class(loaded.spec) if loaded.protocol is None else type(loaded.protocol)


def reading_of(loaded: Loaded) -> ParametricReading:
    """Read the protocol for all constants. Raises NotParametric if it has no such reading."""
    reading = read_for_all(class_of(loaded), dict(loaded.definition.constants))
    if loaded.of_module is None:
        return reading
    module = loaded.of_module
    besides, undeclared = module.assumed, module.undeclared
    return replace(
        reading, besides=besides, undeclared=undeclared, spec_hash=module.source_hash, claims_sorts=True
    )


def list_small_constants(loaded: Loaded) -> Iterator[dict[str, Any]]:
    """Yield the least constants and the next ones, then the default constants and the next ones."""
    given: dict[str, Any] = dict(loaded.definition.constants)
    known = constants_of(class_of(loaded))
    least = {
        name: constant.minimum
        for name, constant in known.items()
        if isinstance(constant, IntegerConstant | IndexSetConstant)
    }
    for more in (0, 1):
        yield {**given, **{name: value + more for name, value in least.items()}}
    yield given
    yield {**given, **{name: given[name] + 1 for name in least}}
