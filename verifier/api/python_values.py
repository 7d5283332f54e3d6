"""Values of protocols as Python's own."""

from __future__ import annotations

from collections.abc import Callable
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


def of_itf(value: Any, mapping: Callable[..., Any] = dict) -> Any:
    """Convert a value of a TLA+ module, from its JSON in the Informal Trace Format; ``mapping`` is what
    maps become."""
    match value:
        case list():
            return tuple(of_itf(item, mapping) for item in value)
        case {"#set": items}:
            return frozenset(of_itf(item, FrozenMap) for item in items)
        case {"#map": pairs}:
            return mapping((of_itf(key, FrozenMap), of_itf(item, mapping)) for key, item in pairs)
        case {"#bigint": digits}:
            return int(digits)
        case dict():
            return mapping((name, of_itf(item, mapping)) for name, item in value.items())
    return value


def _key(value: Concrete) -> Any:
    """Convert a value so that it can be hashed."""
    match value:
        case FrozenMap():
            return FrozenMap((_key(key), _key(item)) for key, item in value.items())
        case tuple():
            return tuple(map(_key, value))
    return plain(value)
