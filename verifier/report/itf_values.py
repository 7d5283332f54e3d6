"""Values of an ITF trace read without knowing their sorts, and states taken apart into places."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap, show


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
    """The places under a path with their values as text: functions and records taken apart, but for
    those at the paths that are to be left ``whole``."""
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
