"""The lanes of a trace whose protocol has no drawing: its participants.

Participants are the elements of a set that indexes functions, and from which actions take a parameter.
Records, sets, quorums, coordinates and values are no participants. A trace of a module names its sets, and
those from which actions take their parameters. For another trace, only the parameters in it are known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from verifier.report.itf_values import is_record
from verifier.report.notation import Notation

_MOST = 12
"""The most lanes that a trace gets: more do not fit side by side."""

Atom: TypeAlias = str | int
"""A participant in the JSON of a trace: a word, or a number."""


@dataclass(frozen=True)
class Domain:
    """The keys of a function that are the same in all states."""

    path: str
    keys: tuple[Atom, ...]


@dataclass(frozen=True)
class Participants:
    """Sets of participants, and where they are."""

    sets: tuple[tuple[Atom, ...], ...]
    domains: tuple[Domain, ...]
    parameters: tuple[tuple[str, str, tuple[Atom, ...]], ...]
    """An action, a parameter of it, and the set from which it is."""

    @property
    def functions(self) -> frozenset[str]:
        """The variables that are functions of participants."""
        return frozenset(domain.path for domain in self.domains)


def participants(trace: Mapping[str, Any]) -> Participants:
    """Find the participants of a trace; none if its sets are too large to be drawn."""
    states, variables = trace["states"], trace["vars"]
    domains = [one for name in variables if (one := _domain(name, [state[name] for state in states]))]
    given, named = _parameters(trace), list(_find_named_sets(trace).values())

    def may_be(values: Collection[Any], keys: tuple[Atom, ...]) -> bool:
        # A set with a name of its own is another set, though all of its members may be among these.
        return _within(values, keys) and (set(values) == set(keys) or frozenset(values) not in named)

    sets = list(dict.fromkeys(d.keys for d in domains if any(may_be(v, d.keys) for v in given.values())))
    # A set of words acts; numbers beside it are its rounds, ballots or places.
    words = [keys for keys in sets if any(isinstance(key, str) for key in keys)]
    sets = _apart(words or sets)
    if sum(map(len, sets)) > _MOST:
        sets = []
    of = {
        key: keys for key, values in given.items() for keys in reversed(sets) if may_be(values, keys)
    }  # the first set that has them all
    return Participants(
        tuple(sets),
        tuple(domain for domain in domains if domain.keys in sets),
        tuple((action, name, keys) for (action, name), keys in of.items()),
    )


def suggest_drawing(
    trace: Mapping[str, Any], notation: Notation, participants: Participants
) -> dict[str, Any]:
    """The drawing of a trace: lanes for participants, and lines between two that one action names."""
    kinds = {keys: _kind(trace, notation, participants, keys) for keys in participants.sets}
    lanes = [_lane(key, kinds[keys], notation) for keys in participants.sets for key in keys]
    numbers = [keys for keys in participants.sets if not any(isinstance(key, str) for key in keys)]
    named: dict[str, list[str]] = {}
    kinds_of: dict[str, dict[str, str]] = {}
    for action, name, keys in participants.parameters:
        named.setdefault(action, []).append(name)
        if keys in numbers:
            kinds_of.setdefault(action, {})[name] = kinds[keys]
    lines = [
        {
            "type": "call",
            "actions": (action,),
            "sender": one,
            "receiver": other,
            "label": "",
            "sent": "",
            "directed": False,
            "sender_kind": kinds_of.get(action, {}).get(one, ""),
            "receiver_kind": kinds_of.get(action, {}).get(other, ""),
        }
        for action, names in named.items()
        for one, other in pairwise(names)
    ]
    paths = {
        f"{domain.path}[]": kinds[domain.keys] for domain in participants.domains if domain.keys in numbers
    }
    return {"lanes": lanes, "messages": lines, "keys": paths, "parameters": kinds_of}


def _lane(key: Atom, kind: str, notation: Notation) -> dict[str, Any]:
    lane: dict[str, Any] = {"kind": kind, "variables": (), "actions": ()}
    if isinstance(key, int):
        return {**lane, "name": f"{kind} {key}", "element": str(key)}
    return {**lane, "name": notation.text(key)}


def _kind(
    trace: Mapping[str, Any], notation: Notation, participants: Participants, keys: tuple[Atom, ...]
) -> str:
    """Return the name of the participants' kind: of their set in the module, or of a parameter."""
    for name, members in _find_named_sets(trace).items():
        if members == frozenset(keys):
            return name
    own = notation.text(frozenset(keys))
    for name, value in trace.get("#meta", {}).get("constants", {}).items():
        if "".join(str(value).split()) == "".join(own.split()):
            return str(name)
    return next(name for _, name, of in participants.parameters if of == keys)


def _domain(name: str, held: Sequence[Any]) -> Domain | None:
    keys = [_keys(data) for data in held]
    first = keys[0]
    return Domain(name, first) if first and len(first) > 1 and all(one == first for one in keys) else None


def _keys(data: Any) -> tuple[Atom, ...]:
    """The keys of a function if they are words or numbers; none of anything else."""
    anies: list[Any] = []
    match data:
        case {"#map": pairs}:
            anies = [key for key, _ in pairs]
        case dict() if is_record(data):
            anies = list(data)
        case list() | {"#tup": list()}:
            items = data if isinstance(data, list) else data["#tup"]
            anies = list(range(1, len(items) + 1))
    atoms = all(isinstance(key, str | int) and not isinstance(key, bool) for key in anies)
    return tuple(anies) if atoms else ()


def _find_named_sets(trace: Mapping[str, Any]) -> dict[str, frozenset[Any]]:
    """The sets of words and numbers that a module gives names."""
    sets = trace.get("#meta", {}).get("sets", {})
    return {name: frozenset(_members(held)) for name, held in sets.items()}


def _members(held: Any) -> list[Any]:
    """The members of a set in JSON that are words or numbers."""
    items = held.get("#set", ()) if isinstance(held, Mapping) else ()
    return [item for item in items if isinstance(item, str | int)]


def _parameters(trace: Mapping[str, Any]) -> dict[tuple[str, str], list[Any]]:
    """The values that each parameter of each action can have; else those that it has in the trace."""
    parameters: dict[tuple[str, str], list[Any]] = {}
    for action, name, value in _find_given_values(trace["states"]):
        parameters.setdefault((action, name), []).append(value)
    for action, domains in trace.get("#meta", {}).get("domains", {}).items():
        for name, held in domains.items():
            parameters[action, name] = [*_members(held), *parameters.get((action, name), ())]
    return parameters


def _find_given_values(states: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    for state in states:
        about = state.get("#meta", {})
        for name, value in about.get("parameters", {}).items():
            yield str(about.get("action", "")), name, value


def _within(values: Collection[Any], keys: Collection[Atom]) -> bool:
    return all(isinstance(v, str | int) and not isinstance(v, bool) and v in keys for v in values)


def _apart(sets: Sequence[tuple[Atom, ...]]) -> list[tuple[Atom, ...]]:
    """The largest of the sets that have members in common."""
    apart: list[tuple[Atom, ...]] = []
    for keys in sorted(sets, key=len, reverse=True):
        if all(set(keys).isdisjoint(other) for other in apart):
            apart.append(keys)
    return sorted(apart, key=list(sets).index)
