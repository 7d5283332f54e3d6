"""Reads the values of an ITF trace without their sorts, and takes states apart into places."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged, show
from verifier.errors import UsageError
from verifier.json_shape import check_shape

_BIG_INTEGER = r"-?[0-9]{1,18}"


def check_values(trace: Mapping[str, Any], place: str) -> None:
    """Raises UsageError, which names the place, unless all states have values for all variables.

    The trace has the shape of ``verifier.outcomes.shapes.Trace``.
    """
    if not trace["states"]:
        raise UsageError(f"{place}.states is empty: a trace has a first state")
    for index, state in enumerate(trace["states"]):
        for name in trace["vars"]:
            if name not in state:
                raise UsageError(f"{place}.states[{index}].{name} is missing, which is one of vars")
            _check_value(state[name], f"{place}.states[{index}].{name}")
        for name, value in state.get("#meta", {}).get("parameters", {}).items():
            _check_value(value, f"{place}.states[{index}].#meta.parameters.{name}")
    for name, value in trace.get("#meta", {}).get("loop", {}).get("parameters", {}).items():
        _check_value(value, f"{place}.#meta.loop.parameters.{name}")


def _check_value(data: Any, place: str) -> None:
    match data:
        case {"#map": pairs}:
            check_shape(pairs, list[tuple[Any, Any]], f"{place}.#map")
            parts = [part for pair in pairs for part in pair]
        case {"#set": items} | {"#tup": items}:
            check_shape(items, list[Any], place)
            parts = items
        case {"#bigint": digits} if not re.fullmatch(_BIG_INTEGER, str(digits)):
            raise UsageError(f"{place}.#bigint should be an integer in quotes")
        case dict():
            parts = list(data.values())
        case list():
            parts = data
        case _:
            parts = []
    for part in parts:
        _check_value(part, place)


def value_of(data: Any) -> Concrete:
    """The concrete value that JSON stands for."""
    match data:
        case {"#map": pairs}:
            return FrozenMap((value_of(key), value_of(item)) for key, item in pairs)
        case {"#set": items}:
            return frozenset(value_of(item) for item in items)
        case {"#tup": items}:
            return tuple(value_of(item) for item in items)
        case {"#bigint": digits}:
            return int(digits)
        case {"tag": "None"}:
            return None
        case {"tag": "Some", "value": inner}:
            return value_of(inner)
        case {"tag": str(tag), "value": inner} if len(data) == 2:
            return Tagged(tag, value_of(inner))
        case dict():
            return FrozenMap((str(name), value_of(item)) for name, item in data.items())
        case list():
            return tuple(value_of(item) for item in data)
        case str() | bool() | int() | None:
            return data
    return str(data)


def flat(
    path: str, data: Any, whole: Collection[str] = (), of_lanes: Collection[str] = ()
) -> Iterator[tuple[str, Concrete]]:
    """The places under a path with their values.

    Functions and records are taken apart, except at the paths in ``whole``. A function in ``of_lanes`` has
    no place of its own, even without keys.
    """
    if path in whole:
        yield path, value_of(data)
        return
    match data:
        case {"#map": pairs} if pairs or path in of_lanes:
            for key, item in pairs:
                yield from flat(f"{path}[{show(value_of(key))}]", item, whole, of_lanes)
        case {"tag": "Some", "value": dict() as inner}:
            yield from flat(path, inner, whole, of_lanes)
        case dict() if is_record(data):
            for name, item in data.items():
                yield from flat(f"{path}.{name}", item, whole, of_lanes)
        case _:
            yield path, value_of(data)


def maps_in(path: str, data: Any) -> Iterator[tuple[str, set[str]]]:
    """The paths of the functions under a path, each with its keys as text."""
    match data:
        case {"#map": pairs}:
            keys = [show(value_of(key)) for key, _ in pairs]
            yield path, set(keys)
            for key, (_, item) in zip(keys, pairs, strict=True):
                yield from maps_in(f"{path}[{key}]", item)
        case {"tag": "Some", "value": dict() as inner}:
            yield from maps_in(path, inner)
        case dict() if is_record(data):
            for name, item in data.items():
                yield from maps_in(f"{path}.{name}", item)


def is_record(data: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a record with fields."""
    return bool(data) and not any(name.startswith("#") or name == "tag" for name in data)
