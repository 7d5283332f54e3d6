"""Values of protocols as Python's own."""

from __future__ import annotations

from typing import Any

from verifier.encodings.concrete import Concrete, Element, FrozenMap, Tagged, show


def plain(value: Concrete) -> Any:
    """Elements become words, maps become dicts; what must be hashable and is a map stays one."""
    match value:
        case FrozenMap():
            return {_key(key): plain(item) for key, item in value.items()}
        case frozenset():
            return frozenset(map(_key, value))
        case tuple():
            return tuple(map(plain, value))
        case Tagged():
            return Tagged(value.tag, _key(value.payload))
        case Element():
            return show(value)
    return value


def _key(value: Concrete) -> Any:
    """The same, hashable."""
    match value:
        case FrozenMap():
            return FrozenMap((_key(key), _key(item)) for key, item in value.items())
        case tuple():
            return tuple(map(_key, value))
    return plain(value)
