"""Loading of a protocol that is written in Python, at its constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from verifier.encodings.concrete import show
from verifier.encodings.sorts import Sort
from verifier.errors import UsageError
from verifier.processes.stacks import make_room_for_recursion
from verifier.runs.loaded import Loaded
from verifier.specs.built_in import BUILT_IN
from verifier.specs.constants import ChoiceConstant, Constant, IntegerConstant, constants_of
from verifier.specs.definition import Definition
from verifier.specs.explaining import explain_error
from verifier.specs.presentation import vocabulary
from verifier.specs.protocol import DefinitionError, Protocol, define, read
from verifier.specs.reading.code_places import find_raising_line, place_of, prefix_place
from verifier.specs.registry import load as load_class

_MOST_BUILT_IN, _MOST = 1000, 100_000
"""The largest number for a constant of a built-in protocol, and of any other protocol without a maximum."""


def load_protocol(
    spec: str,
    settings: Mapping[str, Any],
    began: float | None = None,
    *,
    empty: bool = False,
    claimed: str | None = None,
) -> Loaded:
    """Load a protocol by its built-in name or from a Python file, as `loading.load` does."""
    kind = load_class(spec)
    try:
        return load_class_at(kind, settings, spec, began, empty=empty)
    except UsageError as error:
        if claimed in (None, kind.spec_name()):
            raise
        words = f"the file is of {claimed!r}, and {spec} defines {kind.spec_name()!r}"
        raise UsageError(f"{words}: {error}") from error
    except DefinitionError:
        raise
    except (Exception, SystemExit) as error:  # the user's code may raise anything
        if spec in BUILT_IN:
            raise
        path = spec if Path(spec).suffix == ".py" else spec.rpartition(":")[0]
        raise UsageError(f"{find_raising_line(error) or path}: {explain_error(error)}") from error


def load_class_at(
    kind: type[Protocol],
    settings: Mapping[str, Any],
    spec: str = "",
    began: float | None = None,
    *,
    empty: bool = False,
) -> Loaded:
    """Load a protocol from a class, as `load` does. ``spec``: its name. Exceptions of the class's own code
    pass through."""
    protocol = kind(dict(settings))
    _check_size(protocol, _MOST_BUILT_IN if spec in BUILT_IN else _MOST)
    definition, targets = read(protocol)
    make_room_for_recursion()  # not before: a method that calls itself without end is found early
    if not empty and (empty_sort := _find_empty_sort(definition)) is not None:
        words = (
            f"{empty_sort[0]} cannot have a value: {empty_sort[1]} is empty ({_why(protocol, empty_sort)})"
        )
        raise DefinitionError(prefix_place(place_of(kind.state), words))
    given = {name: show(definition.constants[name]) for name in settings if name in definition.constants}
    shown = replace(definition.presentation, settings=given)
    definition = replace(definition, presentation=shown)
    return Loaded(
        spec or kind.spec_name(), definition, vocabulary(protocol), began, protocol=protocol, targets=targets
    )


def _check_size(protocol: Protocol, most: int) -> None:
    """Raise UsageError for a number so large that even the definition takes too long."""
    for name, constant in constants_of(type(protocol)).items():
        value = protocol.constants[name]
        bounded = isinstance(constant, IntegerConstant) and constant.maximum is not None
        if isinstance(value, int) and abs(value) > most and not bounded:
            raise UsageError(f"constant {name}={value} is taken for a mistake: it is beyond {most:,}")


def _find_empty_sort(definition: Definition) -> tuple[str, Sort] | None:
    """Return a variable or free parameter that cannot have a value, and the empty part of its sort."""
    places = [(f"the state variable {symbol.name}", symbol.sort) for symbol in definition.variables]
    places += [
        (f"the parameter {parameter.symbol.name} of {action.name}", parameter.symbol.sort)
        for action in definition.actions
        for parameter in action.parameters
        if parameter.free
    ]
    return next(((what, part) for what, sort in places if (part := sort.lacking) is not None), None)


def _why(protocol: Protocol, empty_sort: tuple[str, Sort]) -> str:
    """Return the constants that make that sort empty: with other values of them it is another sort."""
    kind, given = type(protocol), protocol.constants
    shown = [
        f"{name}={show(given[name])}"
        for name, constant in constants_of(kind).items()
        if any(
            _has_changed(kind, {**given, name: other}, empty_sort) for other in _others(constant, given[name])
        )
    ]
    return ", ".join(shown) or "whatever the constants"


def _others(constant: Constant[Any], value: Any) -> list[Any]:
    if isinstance(constant, ChoiceConstant):
        return [choice for choice in constant.choices if choice != value]
    return [not value] if isinstance(value, bool) else [value + 1, value - 1]


def _has_changed(kind: type[Protocol], constants: Mapping[str, Any], empty_sort: tuple[str, Sort]) -> bool:
    try:
        return _find_empty_sort(define(kind(constants))) != empty_sort
    except Exception:  # noqa: BLE001 -- the user's code may reject these constants
        return False
