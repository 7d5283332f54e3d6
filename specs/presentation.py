"""The description of a protocol that is written as a class, and the names that text formulas can use."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

from verifier.specs.constants import ConfiguredProtocol, constants_of
from verifier.specs.definition import DescribedConstant, Presentation
from verifier.specs.participants import Family


def presentation(protocol: ConfiguredProtocol, columns: Family | None) -> Presentation:
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
        lanes=None if columns is None else columns.sort,
        lane_kind="" if columns is None else columns.kind,
    )


def vocabulary(protocol: ConfiguredProtocol) -> Mapping[str, Any]:
    """The names in a formula given as text, besides the variables: constants and methods of the protocol."""
    hidden = ("state", "init", "next", "constraint", "fairness", "fairness_variants")
    names = (name for name in dir(type(protocol)) if not name.startswith("_") and name not in hidden)
    return {name: getattr(protocol, name) for name in names}


def _source(module: str) -> str:
    """The module of a built-in protocol, or the file of another protocol."""
    if module.startswith("verifier.specs."):
        return module
    return str(getattr(sys.modules.get(module), "__file__", None) or module)
