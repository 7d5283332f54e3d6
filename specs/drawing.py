"""How reports draw a protocol's executions: which participants have a lane, and what is a message.

A drawing is no part of the protocol's meaning, so the spec's hash does not cover it. A protocol without a
drawing gets a lane for every element that actions or functions name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import Any

from verifier.encodings.sorts import Enum, IndexSet
from verifier.errors import UsageError, unknown_name
from verifier.specs.definition import Action

_KEY = re.compile(r"\[(\w+)\]")


@dataclass(frozen=True)
class Lane:
    """A lane for a participant that is no element of an index set: a controller, or a metadata store."""

    name: str
    variables: tuple[str, ...] = ()
    """The state variables in this lane. A path with an element that has a lane is in that lane instead."""
    actions: tuple[str, ...] = ()
    """The names of the actions that it takes. ``*`` matches any text."""


@dataclass(frozen=True)
class Mail:
    """Messages that the state holds.

    A message is sent when the value at ``path`` becomes ``in_flight``. It is lost when the value becomes
    ``lost``, and received when the value becomes anything else.
    """

    path: str
    """A path such as ``add_requests[writer][bookie]``. The words in brackets are names for the keys."""
    sender: str
    """A lane, or the name of a key whose value is a lane."""
    receiver: str
    """Likewise."""
    label: str = ""
    """The text at the arrow. ``{name}`` stands for the key with this name."""
    in_flight: int = 1
    lost: int = -1


@dataclass(frozen=True)
class Call:
    """A message that an action carries between lanes.

    Without ``sent``, the action sends and delivers the message in one step. With ``sent``, the message starts
    at the step that wrote it.
    """

    actions: tuple[str, ...]
    """The names of the actions. ``*`` matches any text."""
    sender: str
    """A lane, or the name of a parameter of the action whose value is a lane."""
    receiver: str
    """Likewise."""
    label: str = ""
    """The text at the arrow. ``{name}`` stands for the parameter with this name."""
    sent: str = ""
    """The path of the message, such as ``requests[epoch]``. The last step that changed it is the sender."""


@dataclass(frozen=True)
class Drawing:
    """The lanes in order, from left to right, and the messages between them."""

    lanes: tuple[str | Lane, ...]
    """A string names the protocol's attribute that holds an index set or an enumeration."""
    messages: tuple[Mail | Call, ...] = ()


def described(
    drawing: Drawing, protocol: object, variables: tuple[str, ...], actions: tuple[Action, ...]
) -> dict[str, Any]:
    """The drawing at the protocol's constants, as JSON.

    Raises UsageError if it names what the protocol does not have.
    """
    lanes = [described for lane in drawing.lanes for described in _lanes(lane, protocol, variables)]
    names = [lane["name"] for lane in lanes]
    for message in drawing.messages:
        _check(message, names, variables, actions)
    return {"lanes": lanes, "messages": [_message(message) for message in drawing.messages]}


def _message(message: Mail | Call) -> dict[str, Any]:
    return {"type": type(message).__name__.lower(), **asdict(message)}


def _lanes(lane: str | Lane, protocol: object, variables: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if isinstance(lane, Lane):
        for name in lane.variables:
            _check_variable(name, variables)
        yield {"name": lane.name, "kind": lane.name, "variables": lane.variables, "actions": lane.actions}
        return
    sort = getattr(protocol, lane, None)
    if not isinstance(sort, IndexSet | Enum):
        raise UsageError(f"the drawing's lane {lane!r} is no index set or enumeration of the protocol")
    for element in sort.values():
        yield {"name": str(element), "kind": sort.name, "variables": (), "actions": ()}


def _check_variable(name: str, variables: tuple[str, ...]) -> None:
    if name not in variables:
        raise unknown_name("state variable in the drawing", name, variables)


def _check(
    message: Mail | Call, lanes: list[str], variables: tuple[str, ...], actions: tuple[Action, ...]
) -> None:
    ends = (message.sender, message.receiver)
    if isinstance(message, Mail):
        _check_variable(_variable(message.path), variables)
        _check_ends(ends, [*lanes, *_KEY.findall(message.path)])
        return
    if message.sent:
        _check_variable(_variable(message.sent), variables)
    for action in actions:
        if any(fnmatchcase(action.name, pattern) for pattern in message.actions):
            parameters = [parameter.symbol.name for parameter in action.parameters]
            _check_ends((*ends, *_KEY.findall(message.sent)), [*lanes, *parameters])


def _variable(path: str) -> str:
    return re.split(r"[\[.]", path, maxsplit=1)[0]


def _check_ends(ends: tuple[str, ...], known: list[str]) -> None:
    for end in ends:
        if end not in known:
            raise unknown_name("end of a message in the drawing", end, known)
