"""A trace as a space-time diagram: lanes, the changes of each step, and the messages between lanes.

The diagram needs only the trace's JSON (``verifier.trust.itf``), so a report needs no protocol.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Any

from verifier.encodings.concrete import FrozenMap, show
from verifier.report.itf_values import flat, value_of

SHARED = "shared"
"""The lane of everything that belongs to no participant."""
ABSENT = "–"
_KEYS = re.compile(r"\[([^\[\]]*)\]")
_MOST_LANES = 12
"""The most lanes that a trace gets if its protocol has no drawing."""


@dataclass(frozen=True)
class DiagramLane:
    """A column of the diagram."""

    name: str
    kind: str


@dataclass(frozen=True)
class Change:
    """The new value that a step gives a place of the state."""

    place: int
    """An index into the diagram's places."""
    before: str
    after: str


@dataclass(frozen=True)
class DiagramStep:
    """One action with its changes. Step 0 stands for the first state and changes nothing."""

    action: str
    parameters: tuple[tuple[str, str], ...]
    lane: int
    """The lane of the participant that acts."""
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        return f"{self.action}({', '.join(f'{name}={value}' for name, value in self.parameters)})"


@dataclass(frozen=True)
class Arrow:
    """A message from one lane to another."""

    sender: int
    receiver: int
    sent: int
    """The step that sent it."""
    received: int | None
    """The step that received it; None if it was lost or has not arrived at the end."""
    lost: bool
    directed: bool
    """False if it is only known that an action concerns both lanes."""
    label: str


@dataclass(frozen=True)
class Place:
    """A part of the state that the diagram shows by itself."""

    path: str
    lane: int
    message: bool
    """Whether it is a message that the diagram draws as an arrow."""


@dataclass(frozen=True)
class Failing:
    """A part of the property that is false in the last state."""

    formula: str
    witnesses: tuple[tuple[str, str], ...]
    where: tuple[tuple[str, str], ...]
    """The values that it mentions."""


@dataclass(frozen=True)
class Diagram:
    """Everything that the drawing of a trace needs."""

    lanes: tuple[DiagramLane, ...]
    places: tuple[Place, ...]
    start: tuple[str, ...]
    """The first state: the value at each place."""
    steps: tuple[DiagramStep, ...]
    arrows: tuple[Arrow, ...]
    failing: tuple[Failing, ...]


def diagram_of(trace: Mapping[str, Any], drawing: Mapping[str, Any] | None) -> Diagram:
    """The diagram of a trace. If its protocol has no drawing, names of elements suggest the lanes."""
    return _Builder(trace, drawing).diagram()


class _Builder:
    def __init__(self, trace: Mapping[str, Any], drawing: Mapping[str, Any] | None) -> None:
        self.trace = trace
        self.variables: Sequence[str] = trace["vars"]
        self.states: list[Mapping[str, Any]] = list(trace["states"])
        self.drawing: Mapping[str, Any] = drawing or _suggested(self.states, self.variables)
        self.lanes = [DiagramLane(lane["name"], lane["kind"]) for lane in self.drawing["lanes"]]
        self.owner = {name: lane["name"] for lane in self.drawing["lanes"] for name in lane["variables"]}
        self.names = {lane.name: index for index, lane in enumerate(self.lanes)}
        self.memberships = self._memberships()
        self.mail = [
            (_pattern(message["path"]), message)
            for message in self.drawing["messages"]
            if message["type"] == "mail"
        ]
        self.mailed = {variable_of(message["path"]) for _, message in self.mail}
        self.actions = [self._action(state) for state in self.states]

    def diagram(self) -> Diagram:
        """The diagram. It has a lane for shared places only if there are some."""
        known = {path for state in self.states for path, _ in self._flat(state, ())}
        # A part that does not exist in all states, such as the record in an option, is one place. Otherwise
        # its fields would seem to have values where the part does not exist.
        ends = {path[: match.start()] for path in known for match in re.finditer(r"[\[.]", path)}
        whole = ends & known
        flats = [dict(self._flat(state, whole)) for state in self.states]
        paths = list(dict.fromkeys(path for state in flats for path in state))
        values = [[state.get(path, ABSENT) for path in paths] for state in flats]
        changes = [
            [
                Change(n, old, new)
                for n, (old, new) in enumerate(zip(before, after, strict=True))
                if old != new
            ]
            for before, after in zip([values[0], *values], values, strict=False)
        ]
        places = [self._place(path) for path in paths]
        mail = list(self._mail(paths, values[0], changes))
        arrows = [*mail, *self._calls(paths, changes)]
        steps = []
        for number, ((name, parameters), moved) in enumerate(zip(self.actions, changes, strict=True)):
            handling = [a.receiver for a in mail if a.received == number] + [
                a.sender for a in mail if a.sent == number
            ]
            lane = self._actor(name, parameters, handling, [places[change.place].lane for change in moved])
            steps.append(DiagramStep(name, tuple(parameters.items()), lane, tuple(moved)))
        return Diagram(
            tuple(self.lanes),
            tuple(places),
            tuple(values[0]),
            tuple(steps),
            tuple(sorted(arrows, key=lambda arrow: arrow.sent)),
            tuple(_failing(self.trace)),
        )

    @staticmethod
    def _action(state: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        about = state.get("#meta", {})
        parameters = about.get("parameters", {})
        shown = {str(name): show(value_of(value)) for name, value in parameters.items()}
        return str(about.get("action", "")), shown

    # Places

    def _memberships(self) -> Mapping[str, list[str]]:
        """The variables that are sets of lanes, each with all lanes of this kind: it concerns all of them."""
        found = {}
        for name in self.variables:
            held = [value_of(state[name]) for state in self.states]
            sets = [value for value in held if isinstance(value, frozenset)]
            members = {str(member) for value in sets for member in value}
            if len(sets) == len(held) and members and name not in self.owner and members <= self.names.keys():
                kinds = {self.lanes[self.names[member]].kind for member in members}
                found[name] = [lane.name for lane in self.lanes if lane.kind in kinds]
        return found

    def _flat(self, state: Mapping[str, Any], whole: Collection[str]) -> Iterator[tuple[str, str]]:
        for name in self.variables:
            members = value_of(state[name])
            if name in self.memberships and isinstance(members, frozenset):
                for lane in self.memberships[name]:
                    yield f"{name}[{lane}]", "yes" if lane in members else "no"
            else:
                yield from flat(name, state[name], whole)

    def _place(self, path: str) -> Place:
        message = variable_of(path) in self.mailed
        for key in _KEYS.findall(path):
            if key in self.names:
                return Place(path, self.names[key], message)
        owner = self.owner.get(variable_of(path))
        return Place(path, self.names[owner] if owner is not None else self._shared(), message)

    def _shared(self) -> int:
        """The lane of all that belongs to no participant. It comes first and is made when it is needed."""
        if SHARED not in self.names:
            self.names[SHARED] = len(self.lanes)
            self.lanes.append(DiagramLane(SHARED, SHARED))
        return self.names[SHARED]

    def _actor(
        self, name: str, parameters: Mapping[str, str], handling: Sequence[int], changed: Sequence[int]
    ) -> int:
        """The lane of the participant that acts.

        It is the first that is known of these: the lane that the drawing names, the receiver or sender of a
        message, the first element that the action names, the lane that the action changes.
        """
        for lane in self.drawing["lanes"]:
            if any(fnmatchcase(name, pattern) for pattern in lane["actions"]):
                return self.names[lane["name"]]
        named = (self.names[value] for value in parameters.values() if value in self.names)
        found = next((lane for lane in (*handling, *named, *changed)), None)
        return found if found is not None else 0 if self.lanes else self._shared()

    # Messages

    def _mail(
        self, paths: Sequence[str], start: Sequence[str], changes: Sequence[Sequence[Change]]
    ) -> Iterator[Arrow]:
        """The messages that the state holds. Step 0 counts as the sender of those in the first state."""
        for place, path in enumerate(paths):
            for (pattern, keys), message in self.mail:
                match = pattern.fullmatch(path)
                if match is None:
                    continue
                names = dict(zip(keys, match.groups(), strict=True))
                flying, lost = str(message["in_flight"]), str(message["lost"])
                sent = 0 if start[place] == flying else None
                for step, moved in enumerate(changes):
                    for change in moved:
                        if change.place != place:
                            continue
                        if change.after == lost:
                            since = step if sent is None else sent
                            yield from self._arrow(message, names, since, None, lost=True)
                        elif sent is not None:
                            yield from self._arrow(message, names, sent, step)
                        sent = step if change.after == flying else None
                if sent is not None:
                    yield from self._arrow(message, names, sent, None)

    def _calls(self, paths: Sequence[str], changes: Sequence[Sequence[Change]]) -> Iterator[Arrow]:
        last_changed: dict[str, int] = {}
        for step, ((name, parameters), moved) in enumerate(zip(self.actions, changes, strict=True)):
            for message in self.drawing["messages"]:
                if message["type"] != "call" or not any(fnmatchcase(name, p) for p in message["actions"]):
                    continue
                sent = step
                if message["sent"]:
                    whole = _filled(message["sent"], parameters)
                    written = [when for at, when in last_changed.items() if _is_under(at, whole)]
                    sent = max(written, default=0)  # it is in the first state
                yield from self._arrow(message, parameters, sent, step)
            for change in moved:
                last_changed[paths[change.place]] = step

    def _arrow(
        self,
        message: Mapping[str, Any],
        names: Mapping[str, str],
        sent: int,
        received: int | None,
        *,
        lost: bool = False,
    ) -> Iterator[Arrow]:
        """The message's arrow, if its ends have two different lanes."""
        sender = self.names.get(names.get(message["sender"], message["sender"]))
        receiver = self.names.get(names.get(message["receiver"], message["receiver"]))
        if sender is not None and receiver is not None and sender != receiver:
            label = re.sub(r"\{(\w+)\}", lambda name: names.get(name[1], name[0]), message["label"])
            yield Arrow(sender, receiver, sent, received, lost, message.get("directed", True), label)


def variable_of(path: str) -> str:
    """The variable at the beginning of a path."""
    return re.split(r"[\[.]", path, maxsplit=1)[0]


def _filled(path: str, parameters: Mapping[str, str]) -> str:
    """The path with the values of parameters as keys."""
    return _KEYS.sub(lambda key: f"[{parameters.get(key[1], key[1])}]", path)


def _is_under(path: str, whole: str) -> bool:
    return path == whole or path.startswith((f"{whole}.", f"{whole}["))


def _pattern(path: str) -> tuple[re.Pattern[str], list[str]]:
    """A regular expression that matches the places of a path such as ``requests[client][entry].count``.

    Its groups are the keys, and the names of the keys come with it.
    """
    parts = re.split(r"\[(\w+)\]", path)
    words = (r"\[([^\[\]]*)\]" if index % 2 else re.escape(part) for index, part in enumerate(parts))
    return re.compile("".join(words)), parts[1::2]


def _failing(trace: Mapping[str, Any]) -> Iterator[Failing]:
    for part in trace.get("#meta", {}).get("failing") or ():
        yield Failing(
            part["formula"],
            tuple((name, value) for name, value in part["witnesses"]),
            tuple((path, value) for path, value in part["where"]),
        )


def _suggested(states: Sequence[Mapping[str, Any]], variables: Sequence[str]) -> dict[str, Any]:
    """Lanes for the elements that actions name or functions map, and lines between two lanes of an action."""
    named: dict[str, str] = {}
    pairs: dict[tuple[str, str, str], None] = {}
    for state in states:
        about = state.get("#meta", {})
        ends = [
            (name, value) for name, value in about.get("parameters", {}).items() if isinstance(value, str)
        ]
        named.update((value, name) for name, value in ends if value not in named)
        pairs.update(((about.get("action", ""), one, other), None) for (one, _), (other, _) in pairwise(ends))
    for name in variables:
        value = value_of(states[0][name])
        if isinstance(value, FrozenMap) and "#map" in states[0][name]:
            named.update((key, key) for key in value if isinstance(key, str) and key not in named)
    lanes = [
        {"name": name, "kind": kind, "variables": (), "actions": ()}
        for name, kind in sorted(named.items())[:_MOST_LANES]
    ]
    messages = [
        {
            "type": "call",
            "actions": (action,),
            "sender": one,
            "receiver": other,
            "label": "",
            "sent": "",
            "directed": False,
        }
        for action, one, other in pairs
    ]
    return {"lanes": lanes, "messages": messages}
