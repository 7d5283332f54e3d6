"""The parts of a property that are false at the end, and the places of the state that they mention."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mentioned:
    """A value that a false formula mentions."""

    path: str
    """The text in the formula: a path, primed for the state after a step, or an expression."""
    value: str
    places: tuple[int, ...]
    """The places of the state that it mentions."""


@dataclass(frozen=True)
class Failing:
    """A part of the property that is false in the last state."""

    formula: str
    witnesses: tuple[tuple[str, str], ...]
    where: tuple[Mentioned, ...]


def failing_parts(trace: Mapping[str, Any], paths: Sequence[str], last: Sequence[str]) -> Iterator[Failing]:
    """The false parts. ``paths`` are the places of the state, ``last`` their values in the last state."""
    for part in trace.get("#meta", {}).get("failing") or ():
        witnesses = tuple((str(name), str(value)) for name, value in part["witnesses"])
        where = [
            mentioned
            for path, value in part["where"]
            for mentioned in _mentioned(part["formula"], dict(witnesses), path, value, paths, last)
        ]
        yield Failing(part["formula"], witnesses, tuple(where))


def _mentioned(
    formula: str,
    witnesses: Mapping[str, str],
    path: str,
    value: str,
    paths: Sequence[str],
    last: Sequence[str],
) -> Iterator[Mentioned]:
    """Find the values mentioned at a path; for a function mentioned at some keys only, at these keys."""
    keys = _keys(formula, witnesses, path)
    found = [(f"{path}[{key}]", _places(f"{path}[{key}]", paths)) for key in keys]
    if found and all(len(at) == 1 for _, at in found):
        yield from (Mentioned(text, last[at[0]], at) for text, at in found)
    else:
        yield Mentioned(path, value, _places(path, paths))


def _keys(formula: str, witnesses: Mapping[str, str], path: str) -> list[str]:
    """Return the keys at which a formula mentions a function; none if it mentions the function as a whole."""
    if not re.fullmatch(r"\w+", path):
        return []
    found: dict[str, None] = {}
    for match in re.finditer(rf"(?<![\w.]){re.escape(path)}(?!\w)(\[([^\[\],]*)\])?", formula):
        key = match[2]
        if key is None:
            return []
        found[witnesses.get(key.strip(), key.strip())] = None
    return list(found)


def _places(mentioned: str, paths: Sequence[str]) -> tuple[int, ...]:
    """The places that are at a path, above or below it; of an expression, those that stand in it."""
    plain = unprimed(mentioned)
    near = [number for number, path in enumerate(paths) if related(path, plain)]
    if near:
        return tuple(near)
    return tuple(
        number
        for number, path in enumerate(paths)
        if re.search(rf"(?<![\w.\[]){re.escape(path)}(?![\w.\[])", plain)
    )


def related(one: str, other: str) -> bool:
    """True if one of two paths is the other or lies below it."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and long[len(short) : len(short) + 1] in ("", ".", "[")


def unprimed(path: str) -> str:
    """A path, or an expression, without the primes of values after a step."""
    return re.sub(r"(?<=\w)'", "", path)
