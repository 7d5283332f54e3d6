"""Reads the values of an ITF trace without their sorts, and takes states apart into places."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap, show
from verifier.errors import UsageError


def check_shape(trace: Mapping[str, Any]) -> None:
    """Raises UsageError unless the trace has all that a report shows. A trace that verify writes has it."""
    about, names, states = trace.get("#meta"), trace.get("vars"), trace.get("states")
    if not isinstance(about, dict) or not isinstance(about.get("failing", []), list):
        raise UsageError('"#meta" of the trace is missing, or not as verify writes it')
    if not isinstance(names, list) or not isinstance(states, list) or not states:
        raise UsageError('the trace has no list "vars", or no "states"')
    for index, entry in enumerate(states):
        missing = [name for name in names if not isinstance(entry, dict) or name not in entry]
        if missing:
            raise UsageError(f"state {index} of the trace has no {missing[0]}")


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
        case dict():
            return FrozenMap((str(name), value_of(item)) for name, item in data.items())
        case list():
            return tuple(value_of(item) for item in data)
        case str() | bool() | int() | None:
            return data
    return str(data)


def flat(path: str, data: Any, whole: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """The places under a path with their values as text.

    Functions and records are taken apart, except at the paths in ``whole``.
    """
    if path in whole:
        yield path, show(value_of(data))
        return
    match data:
        case {"#map": pairs} if pairs:
            for key, item in pairs:
                yield from flat(f"{path}[{show(value_of(key))}]", item, whole)
        case {"tag": "Some", "value": dict() as inner}:
            yield from flat(path, inner, whole)
        case dict() if data and not any(name.startswith("#") or name == "tag" for name in data):
            for name, item in data.items():
                yield from flat(f"{path}.{name}", item, whole)
        case _:
            yield path, show(value_of(data))
