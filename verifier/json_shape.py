"""JSON that may come from anyone: read within bounds, and checked against the type that it should have."""

from __future__ import annotations

import json
import math
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from verifier.errors import UsageError, cut

MOST_DIGITS = 18
"""Of an integer in a file."""
_DEEPEST = 100
"""The depth to which values are nested in a file. A value of any sort that fits into memory is less deep."""
_UNIONS = (UnionType, Union)
"""The types of ``X | Y``: the latter where one of them is a Literal."""
_KINDS: dict[Any, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    NoneType: "null",
}


def read_json(text: str) -> Any:
    """The value that a text stands for.

    Raises ValueError, which says why, for what is no JSON, or has numbers too large or is nested too deep for
    anything that verify writes.
    """
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_number, parse_constant=_number)
        _check_depth(value, _DEEPEST)
    except RecursionError:
        raise ValueError(f"values are nested more than {_DEEPEST} deep") from None
    return value


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MOST_DIGITS:
        raise ValueError(f"{cut(digits)} has more than {MOST_DIGITS} digits")
    return int(digits)


def _number(word: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        raise ValueError(f"{cut(word)} is not a number that can be meant")
    return number


def _check_depth(value: Any, left: int) -> None:
    if left == 0:
        raise RecursionError
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _check_depth(item, left - 1)


def check_shape(value: Any, wanted: Any, place: str) -> None:
    """Raises UsageError, which names the place, unless a JSON value is of a type.

    Types are TypedDicts, list[X], tuple[X, Y] for a list of so many, dict[str, X], X | Y, Literal,
    enumerations of words, str, int, float, bool, None and Any. Further keys of an object are allowed.
    """
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin in _UNIONS:
        fitting = [part for part in parts if _fits(value, part)]
        if not fitting:
            raise _wrong(value, wanted, place)
        check_shape(value, fitting[0], place)
        return
    if not _fits(value, wanted):
        raise _wrong(value, wanted, place)
    if is_typeddict(wanted):
        for name, part in _fields(wanted).items():
            optional = get_origin(part) is NotRequired
            if name in value:
                check_shape(value[name], get_args(part)[0] if optional else part, _at(place, name))
            elif not optional:
                raise UsageError(f"{_at(place, name)} is missing")
    elif origin is dict:
        for name, item in value.items():
            check_shape(item, parts[1], _at(place, name))
    elif origin in (list, tuple):
        for index, item in enumerate(value):
            check_shape(item, parts[index if origin is tuple else 0], f"{place}[{index}]")


def _fits(value: Any, wanted: Any) -> bool:
    """True if a value is of a type as far as can be seen without looking into it."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if wanted is Any:
        return True
    if origin is Literal:
        return value in parts
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return isinstance(value, str) and value in [member.value for member in wanted]
    if origin is tuple and isinstance(value, list):
        return len(value) == len(parts)
    if is_typeddict(wanted) and isinstance(value, dict):  # of several, the one whose words it has
        words = {name: part for name, part in _fields(wanted).items() if get_origin(part) is Literal}
        return all(name not in value or _fits(value[name], part) for name, part in words.items())
    kind = _kind(wanted)
    if isinstance(value, bool):
        return kind is bool
    if kind is float:
        return isinstance(value, int | float) and math.isfinite(value)
    return isinstance(value, kind)


def _kind(wanted: Any) -> type:
    """The Python type of the JSON values of a type."""
    origin = get_origin(wanted)
    if is_typeddict(wanted) or origin is dict:
        return dict
    if origin in (list, tuple):
        return list
    kind: type = NoneType if wanted is None else wanted
    return kind


@cache
def _fields(wanted: Any) -> dict[str, Any]:
    return get_type_hints(wanted, include_extras=True)


def _at(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _wrong(value: Any, wanted: Any, place: str) -> UsageError:
    return UsageError(f"{place or 'all of it'} should be {_words(wanted)}, it is {_show(value)}")


def _words(wanted: Any) -> str:
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin in _UNIONS:
        return " or ".join(dict.fromkeys(map(_words, parts)))
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return " or ".join(member.value for member in wanted)
    return f"a list of {len(parts)}" if origin is tuple else _KINDS[_kind(wanted)]


def _show(value: Any) -> str:
    match value:
        case dict() | list() if value:
            return _KINDS[type(value)]
    return cut(json.dumps(value, ensure_ascii=False))
