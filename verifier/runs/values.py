"""Whether the options of an engine have values that it can take; for options read from files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from verifier.engines.bmc import StepsChoice
from verifier.engines.parts import Part
from verifier.engines.prove import EngineChoice
from verifier.errors import UsageError, unknown_name
from verifier.runs.execution import ENGINES, options_of
from verifier.solvers.names import SOLVER_NAMES

_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "steps": tuple(choice.value for choice in StepsChoice),
        "engine": tuple(choice.value for choice in EngineChoice),
        "solver": SOLVER_NAMES,
    }
)
"""The options that are one of several words."""

_IN_WORDS: Mapping[type, str] = MappingProxyType(
    {
        bool: "true or false",
        int: "an integer from 0",
        float: "a number",
        str: "a word in quotes",
        tuple: "a list of words in quotes",
    }
)


def check_values(engine: str, options: Mapping[str, Any]) -> None:
    """Raises UsageError for an unknown engine or option, and for a value that the option cannot take."""
    options_of(engine, options)
    types = get_type_hints(ENGINES[engine].options, localns={"Part": Part})
    sayable = {name for name, declared in types.items() if set(_allowed(declared)) <= _IN_WORDS.keys()}
    for name, value in options.items():
        if name not in sayable:
            raise unknown_name(f"option of {engine}", name, sorted(sayable))
        if name in _WORDS and value not in _WORDS[name]:
            raise unknown_name(f"value of {name}", str(value), _WORDS[name])
        allowed = _allowed(types[name])
        if not any(_is(value, kind) for kind in allowed):
            words = " or ".join(_IN_WORDS[kind] for kind in allowed)
            raise UsageError(f"{name} = {value} is not allowed: it takes {words}")


def _allowed(declared: Any) -> list[type]:
    parts = get_args(declared) if isinstance(declared, UnionType) else (declared,)
    return [get_origin(part) or part for part in parts if part is not type(None)]


def _is(value: Any, kind: type) -> bool:
    match kind:
        case _ if kind is tuple:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        case _ if kind is int:
            return isinstance(value, int) and not isinstance(value, bool) and value >= 0
        case _ if kind is float:
            return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind)
