"""Reads the values of an ITF trace without their sorts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.errors import UsageError
from verifier.json_shape import check_shape

_BIG_INTEGER = r"-?[0-9]{1,18}"


def check_values(trace: Mapping[str, Any], place: str) -> None:
    """Raises UsageError, which names the place, unless all states have values for all variables.

    The trace has the shape of ``verifier.outcomes.json_types.Trace``.
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
    about = trace.get("#meta", {})
    for name, value in about.get("loop", {}).get("parameters", {}).items():
        _check_value(value, f"{place}.#meta.loop.parameters.{name}")
    for name, value in about.get("sets", {}).items():
        _check_value(value, f"{place}.#meta.sets.{name}")
    for action, domains in about.get("domains", {}).items():
        for name, value in domains.items():
            _check_value(value, f"{place}.#meta.domains.{action}.{name}")


def _check_value(data: Any, place: str) -> None:
    match data:
        case {"#map": pairs}:
            check_shape(pairs, list[tuple[Any, Any]], f"{place}.#map")
            _check_different([key for key, _ in pairs], f"{place}.#map", "key")
            parts = [part for pair in pairs for part in pair]
        case {"#set": items} | {"#tup": items}:
            check_shape(items, list[Any], place)
            if "#set" in data:
                _check_different(items, f"{place}.#set", "member")
            parts = items
        case {"#bigint": digits} if not re.fullmatch(_BIG_INTEGER, str(digits)):
            raise UsageError(f"{place}.#bigint should be an integer in quotes")
        case dict():
            parts = list(data.values())
        case list():
            parts = data
        case float() | None:
            raise UsageError(f"{place} is {json.dumps(data)}, which is not a value")
        case _:
            parts = []
    for part in parts:
        _check_value(part, place)


def _check_different(items: Sequence[Any], place: str, what: str) -> None:
    """Raise UsageError if two members of a set or two keys are alike."""
    known = set()
    for item in items:
        text = json.dumps(item, sort_keys=True)
        if text in known:
            raise UsageError(f"{place} has the {what} {text} twice")
        known.add(text)


def value_of(data: Any, *, tagged: bool = True) -> Concrete:
    """The concrete value that JSON stands for. ``tagged``: a record with a tag is an option or a variant."""

    def read(part: Any) -> Concrete:
        return value_of(part, tagged=tagged)

    match data:
        case {"#map": pairs}:
            return FrozenMap((read(key), read(item)) for key, item in pairs)
        case {"#set": items}:
            return frozenset(map(read, items))
        case {"#tup": items}:
            return tuple(map(read, items))
        case {"#bigint": digits}:
            return int(digits)
        case {"tag": "None"} if tagged:
            return None
        case {"tag": "Some", "value": inner} if tagged:
            return read(inner)
        case {"tag": str(tag), "value": inner} if tagged and len(data) == 2:
            return Tagged(tag, read(inner))
        case dict():
            return FrozenMap((str(name), read(item)) for name, item in data.items())
        case list():
            return tuple(map(read, data))
        case str() | bool() | int() | None:
            return data
    return str(data)


def is_record(data: Mapping[str, Any]) -> bool:
    """True if a JSON object is a record with fields."""
    return bool(data) and not any(name.startswith("#") or name == "tag" for name in data)
