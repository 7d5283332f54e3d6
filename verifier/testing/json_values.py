"""Values of specifications as tests and logs have them: JSON without marks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.encodings.concrete import Element
from verifier.encodings.plain_terms import Tag
from verifier.tla.itf import as_json as as_itf
from verifier.tla.order import Order


def plain_json(value: Any, tagged: bool) -> Any:
    """Return a value of ITF as a log writes it: sets and tuples are arrays, functions objects. ``tagged``: an
    option is its value or null, and a variant an array of its tag and its value."""
    match value:
        case {"#bigint": digits}:
            return int(digits)
        case {"#tup": items} | {"#set": items}:
            return [plain_json(item, tagged) for item in items]
        case {"#map": pairs}:
            return {str(plain_json(key, tagged)): plain_json(item, tagged) for key, item in pairs}
        case {"tag": "None"} if tagged:
            return None
        case {"tag": "Some", "value": inner} if tagged:
            return plain_json(inner, tagged)
        case {"tag": tag, "value": inner} if tagged:
            return {"tag": tag, "value": plain_json(inner, tagged)}
        case dict():
            return {name: plain_json(item, tagged) for name, item in value.items()}
        case list():
            return [plain_json(item, tagged) for item in value]
    return value


def is_comparable(value: Any, tagged: bool) -> bool:
    """True if a log can have a value of ITF as `verify conform` reads it: its keys are names or numbers."""
    match value:
        case {"#map": pairs}:
            return all(isinstance(key, str | int) and is_comparable(item, tagged) for key, item in pairs)
        case {"#tup": items} | {"#set": items}:
            return all(is_comparable(item, tagged) for item in items)
        case {"tag": _, "value": inner} if tagged:
            return is_comparable(inner, tagged)
        case dict():
            return all(is_comparable(item, tagged) for item in value.values())
        case list():
            return all(is_comparable(item, tagged) for item in value)
    return True


def module_json(value: Any, order: Order) -> Any:
    """Return a value of a TLA+ module."""
    return plain_json(as_itf(value, order), tagged=False)


def protocol_json(value: Any) -> Any:
    """Return a plain value of a protocol."""
    match value:
        case Tag():
            return {"tag": value.tag, "value": protocol_json(value.payload)}
        case Element():
            return str(value)
        case frozenset():
            return [protocol_json(item) for item in sorted(value, key=_as_key)]
        case tuple():
            return [protocol_json(item) for item in value]
        case Mapping():
            return {_as_key(key): protocol_json(item) for key, item in value.items()}
    return value


def _as_key(key: Any) -> str:
    return str(protocol_json(key))
