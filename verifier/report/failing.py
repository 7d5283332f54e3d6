"""The parts of a property that are false at the end, and the places of the state that they mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

_LONGEST_NAME = 40


@dataclass(frozen=True)
class Mentioned:
    """A value that a false formula mentions."""

    path: str
    """The text in the formula: a path, primed for the state after a step, or an expression."""
    value: str
    places: tuple[int, ...]
    """The places of the state that it mentions."""
    members: tuple[str, ...] = ()
    """The members of its value that are to blame; empty if it is the whole value."""
    is_before: bool = False
    """True if a step fails, and the value is the one before it."""


@dataclass(frozen=True)
class Failing:
    """A part of the property that is false in the last state."""

    formula: str
    witnesses: tuple[tuple[str, str], ...]
    where: tuple[Mentioned, ...]
    says: str = ""
    """Why it is false, in plain words."""
    culprits: tuple[Mentioned, ...] = ()
    """The parts of the state that decide it."""
    premises: tuple[int, ...] = ()
    """The places of what demands it."""
    demanded_by: tuple[str, ...] = ()
    """The formulas that are true and demand it."""
    branches: tuple[str, ...] = ()
    """Sentences that say which branch of a choice applies, and why."""
    context: tuple[int, ...] = ()
    """The places that speak for elements that nearly count."""
    action: str = ""
    """The action that waits for it, where none is enabled."""
    states: tuple[tuple[int, int], ...] = ()
    """Of an endless execution, the states in which it is false: the values are of the first one."""

    @property
    def blamed(self) -> tuple[Mentioned, ...]:
        """The values to be marked: those that decide, and those with a short name that no place holds."""
        apart = (one for one in self.where if not one.places and _is_name(one.path))
        return (*apart, *self.culprits) if self.culprits else self.where


def _is_name(path: str) -> bool:
    """True of a short name; not of ``x = e``, where an instance puts ``e`` for its name ``x``."""
    return len(path) <= _LONGEST_NAME and " = " not in path


def failing_parts(
    parts: Iterable[Mapping[str, Any]],
    paths: Sequence[str],
    after: Sequence[str],
    before: Sequence[str] | None = None,
    states: tuple[tuple[int, int], ...] = (),
) -> Iterator[Failing]:
    """The false parts. ``paths`` are the places of the state, ``after`` their values where it fails.

    ``before``: the values before the step, if a step fails. ``states``: those in which an execution that does
    not end has the values.
    """
    values = _Values(paths, after, before)
    for part in parts:
        witnesses = tuple((str(name), str(value)) for name, value in part["witnesses"])
        where = list(_list_mentioned(part, dict(witnesses), values))
        premises = tuple(
            place
            for premise in part.get("premises") or ()
            for one in _deciding(premise, witnesses, values)
            for place in one.places
        )
        given = part.get("premises") or ()
        yield Failing(
            part["formula"],
            witnesses,
            tuple(where),
            str(part.get("says", "")),
            _join_members(_culprits(part, where, values)),
            premises,
            tuple(str(one["formula"]) for one in given if not one.get("branch")),
            tuple(str(one["formula"]) for one in given if one.get("branch")),
            tuple(place for path in part.get("context", ()) for place in _places(path, paths)),
            str(part.get("action", "")),
            states,
        )


@dataclass(frozen=True)
class _Values:
    """The values where a formula fails; of a step both those before it and those after it."""

    paths: Sequence[str]
    after: Sequence[str]
    before: Sequence[str] | None

    def of(self, path: str) -> Sequence[str]:
        """Return the values of the state that a path is about: with a prime it is the one after the step."""
        return self.after if self.before is None or remove_primes(path) != path else self.before

    def is_before(self, path: str, places: Iterable[int]) -> bool:
        """True if a path is about the state before a step that changes some of these places."""
        was = self.of(path)
        return was is self.before and any(was[place] != self.after[place] for place in places)


def _list_mentioned(
    part: Mapping[str, Any], witnesses: Mapping[str, str], values: _Values
) -> Iterator[Mentioned]:
    for path, value in part["where"]:
        yield from _find_mentioned(part["formula"], witnesses, path, value, values)


def _deciding(
    premise: Mapping[str, Any], witnesses: Iterable[tuple[str, str]], values: _Values
) -> Iterator[Mentioned]:
    """Yield the values that decide a premise; if that is not known, those that it mentions."""
    where = list(_list_mentioned(premise, _find_bound_values(premise, witnesses), values))
    yield from where if "culprits" not in premise else _culprits(premise, where, values)


def _find_bound_values(premise: Mapping[str, Any], witnesses: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The values of the names around a premise, and of those that it binds itself."""
    return {**dict(witnesses), **{str(name): str(value) for name, value in premise["witnesses"]}}


def _join_members(culprits: Iterable[Mentioned]) -> tuple[Mentioned, ...]:
    """Join the members of each value that several culprits are in."""
    found: dict[tuple[str, tuple[int, ...]], Mentioned] = {}
    for one in culprits:
        known = found.get((one.path, one.places), one)
        # Where the whole value is to blame once, it is.
        members = dict.fromkeys([*known.members, *one.members]) if known.members and one.members else ()
        found[one.path, one.places] = replace(one, members=tuple(members))
    return tuple(found.values())


def _culprits(part: Mapping[str, Any], where: Sequence[Mentioned], values: _Values) -> Iterator[Mentioned]:
    known, paths = {one.path: one.value for one in where}, values.paths
    for one in part.get("culprits") or ():
        path, places = one["path"], _places(one["path"], paths)
        plain, held = remove_primes(path), values.of(path)
        apart = [f"{plain}[{member}]" for member in one.get("members", ())]
        if apart and all(member in paths for member in apart):  # lanes show each member
            places = tuple(map(paths.index, apart))
        alone = held[places[0]] if len(places) == 1 and paths[places[0]] == plain else None
        value, is_before = alone or known.get(path), values.is_before(path, places)
        if places and value is not None and not (apart and plain not in paths):
            yield Mentioned(path, value, places, tuple(one.get("members", ())), is_before)
        else:
            for place in places:
                text = paths[place] if path == plain else add_prime(paths[place])
                yield Mentioned(text, held[place], (place,), (), values.is_before(path, (place,)))


def _find_mentioned(
    formula: str, witnesses: Mapping[str, str], path: str, value: str, values: _Values
) -> Iterator[Mentioned]:
    """Find the values mentioned at a path; for a function mentioned at some keys only, at these keys, if each
    is a place."""
    paths, held = values.paths, values.of(path)
    found = [(f"{path}[{key}]", _places(f"{path}[{key}]", paths)) for key in _keys(formula, witnesses, path)]
    if found and all(len(at) == 1 and paths[at[0]] == remove_primes(text) for text, at in found):
        yield from (Mentioned(text, held[at[0]], at, (), values.is_before(path, at)) for text, at in found)
    else:
        places = _places(path, paths)
        yield Mentioned(path, value, places, (), values.is_before(path, places))


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
    plain = remove_primes(mentioned)
    near = [number for number, path in enumerate(paths) if are_related(path, plain)]
    if near:
        return tuple(near)
    return tuple(
        number
        for number, path in enumerate(paths)
        if re.search(rf"(?<![\w.\[]){re.escape(path)}(?![\w.\[])", plain)
    )


def are_related(one: str, other: str) -> bool:
    """True if one of two paths is the other or lies below it."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and long[len(short) : len(short) + 1] in ("", ".", "[")


def add_prime(path: str) -> str:
    """A path with a prime: of the value after a step."""
    return re.sub(r"^\w+", r"\g<0>'", path)


def remove_primes(path: str) -> str:
    """A path, or an expression, without the primes of values after a step."""
    return re.sub(r"(?<=\w)'", "", path)
