"""The description of a protocol that is written as a class, and the names that text formulas can use."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from verifier.encodings.sorts import IndexSet
from verifier.specs.constants import IndexSetConstant, constants_of
from verifier.specs.definition import DescribedConstant, Presentation

if TYPE_CHECKING:
    from verifier.specs.protocol import Protocol


def presentation(protocol: Protocol) -> Presentation:
    """The description that the class gives of itself. It is no part of the protocol's meaning."""
    return Presentation(
        description=inspect.cleandoc(type(protocol).__doc__ or ""),
        source=_source(type(protocol).__module__),
        default_depth=protocol.default_depth,
        constants=tuple(
            DescribedConstant(
                name, protocol.constants[name], constant.default, constant.allowed, constant.description
            )
            for name, constant in constants_of(type(protocol)).items()
        ),
        lanes=_lanes(protocol),
    )


def vocabulary(protocol: Protocol) -> Mapping[str, Any]:
    """The names in a formula given as text, besides the variables: constants and methods of the protocol."""
    hidden = ("state", "init", "next", "constraint", "fairness", "fairness_variants")
    names = (name for name in dir(type(protocol)) if not name.startswith("_") and name not in hidden)
    return {name: getattr(protocol, name) for name in names}


def _source(module: str) -> str:
    """The module of a built-in protocol, or the file of another protocol."""
    if module.startswith("verifier.specs."):
        return module
    return str(getattr(sys.modules.get(module), "__file__", None) or module)


def _lanes(protocol: Protocol) -> IndexSet | None:
    for name, constant in constants_of(type(protocol)).items():
        if protocol.lanes in ("", name) and isinstance(constant, IndexSetConstant):
            lanes = getattr(protocol, name)
            assert isinstance(lanes, IndexSet)
            return lanes
    return None
