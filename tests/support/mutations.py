"""Changes to JSON and TOML as mistakes and strangers make them: of values, of structure and of the text."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

_SHARE_OF_TEXT = 0.15
"""The share of changes that are made to the text, rather than to the values in it."""
_DEEPER = 0.75
"""The probability that a change is made inside a value, rather than to all of it."""


class Raw(str):
    """Text that stands in the file as it is, since no value is written so."""


STRANGE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 100, 10**6, 10**8, 2**31, 2**63, 10**18, -(10**18), 10**40),
    *(0.5, -2.5, 1e308, 1e-308, math.inf, -math.inf, math.nan),
    *(
        "",
        " ",
        "a",
        "../../x",
        "/etc/passwd",
        "a/b",
        "a b",
        "x.py",
        "x" * 300 + ".py",
        "\x00",
        "\x1b[2J",
        "\ud800",
        "é" * 3,
    ),
    *("$x^{$", "²", "-", "--3", "1" * 5000, "<script>", "%s{0}", "[x][x]", "a[1]", "*" * 50, "x" * 70_000),
    *("VIOLATED", "HOLDS", "bmc", "kip320", "all", "None", "#map", "2..1", "1..", "9" * 30 + "..1", "2s"),
    *([], {}, [[]], [None], [1, "a"], {"a": 1}, {"#map": 3}, {"#map": [[1]]}, {"#set": [[{}]]}, {"#tup": 0}),
    *({"#bigint": "x"}, {"#bigint": "9" * 5000}, {"tag": "Some"}, {"tag": [], "value": {}}, {"": {}}),
    *(Raw("9" * 5000), Raw("-" + "9" * 700), Raw("1e999"), Raw("NaN"), Raw("-Infinity"), Raw("nul")),
    *(Raw("[" * 3000 + "]" * 3000), Raw("[" * 400 + "]" * 400), Raw('{"a":' * 300 + "1" + "}" * 300)),
    Raw('"\\udfff\\ud800"'),
)
"""Values that may stand in place of the expected ones."""

Place = tuple[Any, Any]
"""A list or object, and an index or key in it."""


def some_place(rng: random.Random, data: Any) -> Place:
    """A place at any depth, as often high up as far down. Raises IndexError if there is none."""
    inside, key = data, rng.choice(list(_keys(data)))
    while _keys(inside[key]) and rng.random() < _DEEPER:
        inside, key = inside[key], rng.choice(list(_keys(inside[key])))
    return inside, key


def _keys(data: Any) -> Collection[Any]:
    return list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()


def _replace(rng: random.Random, data: Any, strange: Sequence[Any]) -> None:
    inside, key = some_place(rng, data)
    inside[key] = copy.deepcopy(rng.choice(strange))


def _nudge(rng: random.Random, data: Any, strange: Sequence[Any]) -> None:
    """A value of the same kind."""
    inside, key = some_place(rng, data)
    match inside[key]:
        case bool(value):
            inside[key] = not value
        case int(value) | float(value):
            inside[key] = rng.choice((value + 1, -value, value * 10**9, value * 10**17))
        case str(value):
            inside[key] = rng.choice((value + "x", value[1:], value.upper(), value + "\ud800", f"{value}/x"))
        case list(value):
            inside[key] = rng.choice((value[1:], value + value, value[::-1], [value]))
        case dict(value):
            inside[key] = rng.choice((list(value.items()), list(value), {**value, "": value}, {"": value}))


def _drop(rng: random.Random, data: Any, strange: Sequence[Any]) -> None:
    inside, key = some_place(rng, data)
    del inside[key]


def _add(rng: random.Random, data: Any, strange: Sequence[Any]) -> None:
    above, key = some_place(rng, {"": data})
    inside = above[key] if isinstance(above[key], dict | list) else above
    value = copy.deepcopy(rng.choice(strange))
    if isinstance(inside, list):
        inside.insert(rng.randint(0, len(inside)), value)
    else:
        inside[rng.choice(("extra", "", "#meta", "\ud800", "depth", "a.b"))] = value


def _swap(rng: random.Random, data: Any, strange: Sequence[Any]) -> None:
    """Put one value in the place of another."""
    (one, first), (other, second) = some_place(rng, data), some_place(rng, data)
    other[second] = copy.deepcopy(one[first])


def _rename(rng: random.Random, data: Any, strange: Sequence[Any]) -> None:
    inside, key = some_place(rng, data)
    if isinstance(inside, dict):
        inside[rng.choice((key + "x", key.upper(), "", "\ud800", "a/b"))] = inside.pop(key)


EDITS: tuple[Callable[[random.Random, Any, Sequence[Any]], None], ...] = (
    *(_replace, _replace, _replace, _nudge, _nudge, _drop, _add, _swap, _rename),
)


def change_value(rng: random.Random, data: Any, more: Sequence[Any] = ()) -> Any:
    """The value with one to three changes; ``more`` are further strange values."""
    made = copy.deepcopy(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        try:
            rng.choice(EDITS)(rng, made, (*STRANGE, *more))
        except IndexError:
            break  # nothing is left to change
    return made


def change_text(rng: random.Random, text: str) -> bytes:
    """The text cut, with a part twice or lost, or with other bytes."""
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    start, end = sorted(rng.randrange(len(data)) for _ in range(2))
    match rng.randrange(4):
        case 0:
            del data[start:]
        case 1:
            data[start:start] = data[start : min(end, start + 200)]
        case 2:
            del data[start : min(end, start + 50)]
        case _:
            for _ in range(rng.randint(1, 5)):
                data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def mutants(
    rng: random.Random, data: Any, count: int, written: Callable[[Any], str], more: Sequence[Any] = ()
) -> Iterator[bytes]:
    """Yield this number of changed files with the value. ``written``: returns a value as text."""
    for _ in range(count):
        if rng.random() < _SHARE_OF_TEXT:
            yield change_text(rng, written(data))
        else:
            yield written(change_value(rng, data, more)).encode("utf-8", "surrogatepass")


def as_json(value: Any) -> str:
    """JSON, with what no value is written so."""
    match value:
        case Raw():
            return str(value)
        case dict():
            return "{" + ", ".join(f"{json.dumps(str(k))}: {as_json(v)}" for k, v in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(as_json, value)) + "]"
        case int() if abs(value) > 10**4000:
            return hex(value)
    return json.dumps(value)


def as_toml(tables: Any) -> str:
    """TOML, each table in one line."""
    if not isinstance(tables, dict):
        return as_json(tables)
    return "".join(f"{json.dumps(str(name))} = {_inline(value)}\n" for name, value in tables.items())


def _inline(value: Any) -> str:
    match value:
        case Raw() if value.startswith('{"a"'):
            return value.replace(":", "=")
        case Raw():
            return str(value)
        case None:
            return "1979-05-27"
        case dict():
            return "{" + ", ".join(f"{json.dumps(str(k))} = {_inline(v)}" for k, v in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_inline, value)) + "]"
        case float():
            return repr(value)
        case int() if abs(value) > 10**4000:
            return hex(value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
