"""A protocol's drawing at its constants, checked and as JSON; and the drawing of a protocol without one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from itertools import islice, pairwise
from typing import Any

from verifier.encodings.sorts import IndexSet, Option, Range, Sort
from verifier.errors import UsageError, among, make_unknown_name_error
from verifier.specs.definition import Action, DefinitionError
from verifier.specs.drawing import Call, Drawing, Lane, Mail
from verifier.specs.drawn_paths import NAMES, head_of, resolve_path, sort_of
from verifier.specs.participants import Drawn, Family, family, keys_of
from verifier.specs.reading.code_places import place_of_attribute, prefix_place

_MOST_LANES = 12
"""The most lanes that a protocol without a drawing gets."""
_MOST_VALUES = 1000
"""The values of larger sorts are not looked at one by one."""


def drawing_of(protocol: Any, drawn: Drawn, columns: Family | None) -> dict[str, Any] | None:
    """The protocol's drawing as JSON; None if it has none and nothing in it looks like a participant.

    Raises DefinitionError if it names what the protocol does not have.
    """
    if protocol.drawing is None:
        return _suggest(drawn, columns)
    try:
        return _describe(protocol.drawing, drawn)
    except UsageError as error:
        where = place_of_attribute(type(protocol), "drawing")
        raise DefinitionError(prefix_place(where, str(error))) from None


def _describe(drawing: Drawing, drawn: Drawn) -> dict[str, Any]:
    if not isinstance(drawing, Drawing):
        raise UsageError(f"drawing is a Drawing(…), not {drawing!r}")
    lanes: list[dict[str, Any]] = []
    for lane in _list(drawing.lanes, "lanes", "('clients',)"):
        lanes += _lane(lane, drawn) if isinstance(lane, Lane) else _of_attribute(lane, drawn)
    _check_different([lane["name"] for lane in lanes])
    messages = [
        _message(message, [lane["name"] for lane in lanes], drawn)
        for message in _list(drawing.messages, "messages", "(Call(…),)")
    ]
    return _as_json(lanes, messages, drawn)


def _suggest(drawn: Drawn, columns: Family | None) -> dict[str, Any] | None:
    """The drawing of a protocol that has none; None if nothing in it looks like a participant.

    Lanes are for the elements of index sets that are parameters of actions or keys of functions, and for
    ``columns``. Two lanes that one action names are joined by a line.
    """
    sorts = [sort for action in drawn.actions for sort in action.sorts.values()]
    sorts += [sort for _, sort in keys_of(drawn.variables)]
    families = {sort: Family(sort.name, sort, "") for sort in sorts if isinstance(sort, IndexSet)}
    if columns is not None:
        families.setdefault(columns.sort, columns)  # type: ignore[arg-type]
    drawn.families.extend(families.values())
    lanes = list(islice((lane for one in drawn.families for lane in one.lanes()), _MOST_LANES))
    lines = [
        {**asdict(Call((action.name,), one, other)), "type": "call", "directed": False, **_kinds((kind, its))}
        for action in drawn.actions
        for (one, kind), (other, its) in pairwise(_participants(action, drawn))
    ]
    return _as_json(lanes, lines, drawn) if lanes else None


def _as_json(lanes: list[dict[str, Any]], messages: list[dict[str, Any]], drawn: Drawn) -> dict[str, Any]:
    numbered = [one for one in drawn.families if one.is_numbered]
    kinds = {one.sort: one.kind for one in numbered}
    keys = {path: kinds[sort] for path, sort in keys_of(drawn.variables) if sort in kinds}
    parameters = {
        action.name: named for action in drawn.actions if (named := _number_lanes(action, numbered, drawn))
    }
    return {"lanes": lanes, "messages": messages, "keys": keys, "parameters": parameters}


def _number_lanes(action: Action, numbered: Iterable[Family], drawn: Drawn) -> dict[str, str]:
    """The parameters of an action whose integers are lanes, each with the kind."""
    lanes = {}
    for name, sort in action.sorts.items():
        attribute = drawn.domains.get(action.name, {}).get(name, "")
        kind = next((one.kind for one in numbered if one.sort == sort and one.attribute == attribute), None)
        if kind is not None:
            lanes[name] = kind
    return lanes


def _participants(action: Action, drawn: Drawn) -> list[tuple[str, str]]:
    """The parameters of an action that are lanes, each with the kind if its values are integers."""
    named = _number_lanes(action, [one for one in drawn.families if one.is_numbered], drawn)
    others = {one.sort for one in drawn.families if not one.is_numbered}
    return [
        (name, named.get(name, "")) for name, sort in action.sorts.items() if name in named or sort in others
    ]


# Lanes


def _list(given: Any, what: str, example: str) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, tuple | list):
        raise UsageError(f"{what} in the drawing are a tuple, as in {example}, not {given!r}")
    return tuple(given)


def _lane(lane: Lane, drawn: Drawn) -> Iterator[dict[str, Any]]:
    for name in _list(lane.variables, f"the variables of the lane {lane.name!r}", "('holder',)"):
        _check_variable(name, drawn)
    for pattern in _list(lane.actions, f"the actions of the lane {lane.name!r}", "('Grant*',)"):
        _matching(pattern, drawn)
    yield {
        "name": lane.name,
        "kind": lane.name,
        "variables": lane.variables,
        "actions": lane.actions,
        "element": "",
    }


def _of_attribute(lane: Any, drawn: Drawn) -> Iterator[dict[str, Any]]:
    if not isinstance(lane, str):
        raise UsageError(f"a lane in the drawing is the name of an attribute, or a Lane(…), not {lane!r}")
    if (found := family(drawn.protocol, lane)) is None:
        known = [name for name in _attributes(drawn.protocol) if family(drawn.protocol, name)]
        words = "is not an index set, range or enumeration of the protocol"
        raise UsageError(f"the drawing's lane {lane!r} {words} {among(lane, known)}")
    drawn.families.append(found)
    yield from found.lanes()


def _attributes(protocol: object) -> list[str]:
    return [name for name in dir(type(protocol)) if not name.startswith("_")]


def _check_different(names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"the drawing has two lanes that are called {twice!r}")


def _check_variable(name: str, drawn: Drawn) -> None:
    if name not in drawn.variables:
        raise make_unknown_name_error("state variable in the drawing", name, drawn.variables)


def _matching(pattern: str, drawn: Drawn) -> list[Action]:
    """The actions with such a name. A base class's drawing may name some that the protocol does not have."""
    known = [*drawn.domains, *(action.name for action in drawn.actions)]
    if not drawn.inherited and not any(fnmatchcase(name, pattern) for name in known):
        raise make_unknown_name_error("action in the drawing", pattern, dict.fromkeys(known))
    return [action for action in drawn.actions if fnmatchcase(action.name, pattern)]


# Messages


def _message(message: Mail | Call, lanes: Sequence[str], drawn: Drawn) -> dict[str, Any]:
    if isinstance(message, Mail):
        return _mail(message, lanes, drawn)
    if isinstance(message, Call):
        return _call(message, lanes, drawn)
    raise UsageError(f"a message in the drawing is a Mail(…) or a Call(…), not {message!r}")


def _mail(message: Mail, lanes: Sequence[str], drawn: Drawn) -> dict[str, Any]:
    _check_variable(head_of(message.path), drawn)
    path = resolve_path(message.path, drawn.variables)
    for pattern in _list(message.lost_by, f"the lost_by of {message.path}", "('Lose',)"):
        _matching(pattern, drawn)
    if path.value is not None and not path.is_counted and not _can_be(path.value, message.in_flight):
        words = f"{message.path} is {path.value}, which is never {message.in_flight} (in_flight)"
        raise UsageError(f"{words}; messages in an option are {message.path}[m]")
    _check_label(message.label, path.names)
    kinds = [_end(end, path.names, lanes, drawn) for end in (message.sender, message.receiver)]
    more = {"is_counted": path.is_counted, "holds": path.value is None or path.is_counted}
    return {"type": "mail", **asdict(message), **more, **_kinds(kinds)}


def _call(message: Call, lanes: Sequence[str], drawn: Drawn) -> dict[str, Any]:
    if message.sent:
        _check_variable(head_of(message.sent), drawn)
    kinds = ["", ""]
    for pattern in _list(message.actions, "the actions of a Call", "('Grant',)"):
        for action in _matching(pattern, drawn):
            kinds = [_end(end, action.sorts, lanes, drawn) for end in (message.sender, message.receiver)]
            _check_label(message.label, action.sorts)
            if message.sent:
                resolve_path(message.sent, drawn.variables, action.sorts)
    return {"type": "call", **asdict(message), **_kinds(kinds)}


def _kinds(kinds: Sequence[str]) -> dict[str, str]:
    return {"sender_kind": kinds[0], "receiver_kind": kinds[1]}


def _can_be(sort: Sort, value: Any) -> bool:
    return sort.contains(value) or (value in (0, 1) and sort.contains(bool(value)))


def _end(end: str, names: Mapping[str, Sort], lanes: Sequence[str], drawn: Drawn) -> str:
    """The kind of an end whose value is an integer. Raises UsageError if no value of the end is a lane."""
    head, *_ = end.split(".")
    if head not in names:
        if end in lanes:
            return ""
        raise make_unknown_name_error("end of a message in the drawing", end, [*lanes, *names])
    sort = sort_of(end, names)
    held = sort.inner if isinstance(sort, Option) else sort
    if (own := next((one for one in drawn.families if one.sort == held), None)) is not None:
        return own.kind if own.is_numbered else ""
    near = [one.kind for one in drawn.families if one.is_numbered and _overlap(one.sort, held)]
    if near:  # the author says that these integers are participants
        return near[0]
    if held.is_scalar and (held.size > _MOST_VALUES or any(str(value) in lanes for value in held.each())):
        return ""
    raise UsageError(f"the end {end!r} of a message in the drawing is one of {sort}, which have no lanes")


def _overlap(one: Sort, other: Sort) -> bool:
    if not isinstance(one, Range) or not isinstance(other, Range):
        return False
    return one.low <= other.high and other.low <= one.high


def _check_label(label: str, names: Mapping[str, Sort]) -> None:
    for name in re.findall(NAMES, label):
        if name.split(".")[0] not in names:
            raise make_unknown_name_error("name in a label of the drawing", name, names)
        sort_of(name, names)
