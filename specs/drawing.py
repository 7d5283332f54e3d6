"""Drawings, by which the author of a protocol says how reports draw executions: lanes, and messages.

A drawing is no part of the protocol's meaning, so the spec's hash does not cover it. ``verifier.specs.drawn``
checks it. A protocol without a drawing gets lanes for the participants that its actions and functions name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Lane:
    """A lane for a participant that is not an element of an index set: a controller, or a metadata store."""

    name: str
    variables: tuple[str, ...] = ()
    """The state variables in this lane. A path with an element that has a lane is in that lane instead."""
    actions: tuple[str, ...] = ()
    """The names of the actions that it takes. ``*`` matches any text."""


@dataclass(frozen=True)
class Mail:
    """Messages that the state holds.

    In ``messages[m]``, ``m`` is a message in a set, bag, sequence or option. It is sent when it gets there.
    It is received when it leaves, or when an action has it as a parameter. Some actions may lose it.

    In ``requests[client][server]``, the words in brackets are the keys of functions. A message is sent when
    the value there becomes ``in_flight``. It is lost when the value becomes ``lost``, and received when the
    value becomes anything else.
    """

    path: str
    """A path such as ``add_requests[writer][bookie]`` or ``channel[receiver][m]``. It gives names to the keys
    and messages."""
    sender: str
    """A lane, a name in the path, or a field of it, as in ``m.source`` or ``m.vote.voter``; the value is a
    lane."""
    receiver: str
    """Likewise."""
    label: str = ""
    """The text at the arrow. ``{m.kind}`` stands for the value of a name or field; ``{m.tag}`` for the tag of
    a variant."""
    in_flight: int = 1
    lost: int = -1
    lost_by: tuple[str, ...] = ()
    """The names of the actions that remove a message without receiving it. ``*`` matches any text."""


@dataclass(frozen=True)
class Call:
    """A message that an action carries between lanes.

    Without ``sent``, the action sends and delivers the message in one step. With ``sent``, the message starts
    at the step that wrote it.
    """

    actions: tuple[str, ...]
    """The names of the actions. ``*`` matches any text."""
    sender: str
    """A lane, a parameter of the action, or a field of it, as in ``m.source``; the value is a lane."""
    receiver: str
    """Likewise."""
    label: str = ""
    """The text at the arrow. ``{name}`` and ``{m.kind}`` stand for the value of a parameter or its field."""
    sent: str = ""
    """The path of the message, such as ``requests[epoch]`` or ``messages[m]``, with parameters in brackets.
    The message starts at the last step that changed it."""


@dataclass(frozen=True)
class Drawing:
    """The lanes in order, from left to right, and the messages between them."""

    lanes: tuple[str | Lane, ...]
    """A string names the protocol's attribute that holds an index set, a range or an enumeration: each of its
    values gets a lane."""
    messages: tuple[Mail | Call, ...] = ()
