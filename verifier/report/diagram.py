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

from verifier.encodings.concrete import Concrete
from verifier.report.failing import Failing, failing_parts
from verifier.report.messages import Arrow, Messages, Taken
from verifier.report.notation import Notation
from verifier.report.participants import Participants, participants, suggest_drawing
from verifier.report.state_paths import Places
from verifier.text.deltas import delta, is_brief

SHARED = "shared"
"""The lane of everything that belongs to no participant."""
ABSENT = "–"
_KEYS = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class DiagramLane:
    """A column of the diagram."""

    name: str
    kind: str
    element: str = ""
    """The integer that the lane stands for; empty if the lane's name says all."""


@dataclass(frozen=True)
class Change:
    """The new value that a step gives a place of the state."""

    place: int
    """An index into the diagram's places."""
    before: str
    after: str
    delta: str = ""
    """The members gained and lost, if they can be shown."""
    parts: tuple[str, ...] = ()
    """The opening bracket of a long new value, its members, and the closing bracket."""

    @property
    def words(self) -> str:
        """The change in words: both values if they are short or nothing shorter can be said."""
        if self.delta and not is_brief(self.before, self.after):
            return self.delta
        return f"{self.before} → {self.after}"


@dataclass(frozen=True)
class Demand:
    """A formula that an action demands of the state before it, and the values that it mentions there."""

    formula: str
    where: str


@dataclass(frozen=True)
class Flow:
    """A part of the state that a step changes, and the parts that its new value comes from."""

    target: str
    reads: tuple[str, ...]


@dataclass(frozen=True)
class DiagramStep:
    """One action with its changes. Step 0 stands for the first state and changes nothing."""

    action: str
    parameters: tuple[tuple[str, str], ...]
    lane: int
    """The lane of the participant that acts."""
    changes: tuple[Change, ...]
    demands: tuple[Demand, ...] = ()
    reads: tuple[str, ...] = ()
    """The values that the demands of the action mention."""
    flows: tuple[Flow, ...] = ()

    def __str__(self) -> str:
        return f"{self.action}({', '.join(f'{name}={value}' for name, value in self.parameters)})"


@dataclass(frozen=True)
class Place:
    """A part of the state that the diagram shows by itself."""

    path: str
    lane: int
    message: bool
    """True if it is a message that the diagram draws as an arrow."""
    key: int = -1
    """The position in the path of the key that is the lane; -1 if there is none."""


@dataclass(frozen=True)
class Diagram:
    """Everything that the drawing of a trace needs."""

    lanes: tuple[DiagramLane, ...]
    places: tuple[Place, ...]
    start: tuple[str, ...]
    """The first state: the value at each place."""
    start_parts: tuple[tuple[str, ...], ...]
    """The parts of these values, as a change has them."""
    steps: tuple[DiagramStep, ...]
    arrows: tuple[Arrow, ...]
    failing: tuple[Failing, ...]
    unmet: tuple[Failing, ...]
    """The parts that an infinite execution does not meet."""
    fails_at: int
    """The state of which the values that fail are."""
    about_step: bool
    """True if it is the last step that fails, and not the last state."""

    is_tla: bool
    """True if values are written as TLA+ writes them."""
    sets: tuple[str, ...] = ()
    """The variables that are sets of participants, which lanes show member by member."""

    @property
    def first_state(self) -> list[tuple[str, str]]:
        """The places with their values in the first state."""
        return list(zip(self.names, self.start, strict=True))

    @property
    def names(self) -> list[str]:
        """The names of the places in sentences: of a set that lanes show, that a member is in it."""
        found = map(self._member, range(len(self.places)))
        sign = "\\in" if self.is_tla else "∈"
        return [
            place.path if one is None else f"{one[2]} {sign} {one[1]}"
            for one, place in zip(found, self.places, strict=True)
        ]

    def say(self, change: Change) -> str:
        """A change with its place; of a set that lanes show, the member that is added or removed."""
        return f"{self.name_change(change)}: {self.words(change)}"

    def name_change(self, change: Change) -> str:
        """The name of what a change changes: a place, or a set that lanes show."""
        member = self._member(change.place)
        return self.places[change.place].path if member is None else member[1]

    def words(self, change: Change) -> str:
        """A change in words."""
        member = self._member(change.place)
        if member is None:
            return change.words
        return f"{member[2]} {'added' if change.after in ('TRUE', 'yes') else 'removed'}"

    def _member(self, place: int) -> re.Match[str] | None:
        """A set and its member, of a place that says whether it is in the set."""
        found = re.fullmatch(r"(\w+)\[(.*)\]", self.places[place].path, re.DOTALL)
        return found if found and found[1] in self.sets else None

    @property
    def has_participants(self) -> bool:
        """True if somebody acts, so that lanes say more than a table."""
        return any(lane.name != SHARED for lane in self.lanes)


def diagram_of(trace: Mapping[str, Any], drawing: Mapping[str, Any] | None) -> Diagram:
    """The diagram of a trace. If its protocol has no drawing, names of elements suggest the lanes."""
    return _Builder(trace, drawing).diagram()


class _Builder:
    def __init__(self, trace: Mapping[str, Any], drawing: Mapping[str, Any] | None) -> None:
        self.trace = trace
        self.variables: Sequence[str] = trace["vars"]
        self.states: list[Mapping[str, Any]] = list(trace["states"])
        self.notation = Notation.of(trace)
        acting = Participants((), (), ()) if drawing else participants(trace)
        self.take_apart = Places(self.notation, acting.functions)
        self.drawing: Mapping[str, Any] = drawing or suggest_drawing(trace, self.notation, acting)
        lanes = self.drawing["lanes"]
        self.lanes = [DiagramLane(lane["name"], lane["kind"], lane.get("element", "")) for lane in lanes]
        self.owner = {name: lane["name"] for lane in lanes for name in lane["variables"]}
        self.names = {lane.name: index for index, lane in enumerate(self.lanes)}
        self.numbered = {(lane.kind, lane.element): n for n, lane in enumerate(self.lanes) if lane.element}
        self.keys: Mapping[str, str] = self.drawing.get("keys", {})
        self.memberships = self._memberships()
        self.messages = Messages(self.states, [read_taken(state) for state in self.states], self._lane)
        self.mailed = {variable_of(one["path"]) for one in self.drawing["messages"] if one["type"] == "mail"}

    def _lane(self, text: str, kind: str) -> int | None:
        return self.numbered.get((kind, text)) if (kind, text) in self.numbered else self.names.get(text)

    def diagram(self) -> Diagram:
        """The diagram. It has a lane for shared places only if there are some."""
        keys, varying = self._maps()
        of_lanes = {
            path
            for path, found in keys.items()
            if found and all(self._key(path, key) is not None for key in found)
        }
        known = {path for state in self.states for path, _ in self._flat(state, (), of_lanes)}
        # A part that does not exist in all states, such as the record in an option, is one place. Otherwise
        # its fields would seem to have values where the part does not exist.
        ends = {path[: match.start()] for path in known for match in re.finditer(r"[\[.]", path)}
        whole = (ends & known | varying) - of_lanes
        flats = [dict(self._flat(state, whole, of_lanes)) for state in self.states]
        paths = list(dict.fromkeys(path for state in flats for path in state))
        show, parts = self.notation.text, self.notation.parts
        values = [[show(state[path]) if path in state else ABSENT for path in paths] for state in flats]
        changes = [
            [
                Change(
                    n,
                    old,
                    new,
                    delta(was.get(paths[n]), now.get(paths[n]), show),
                    parts(now.get(paths[n])),
                )
                for n, (old, new) in enumerate(zip(before, after, strict=True))
                if old != new
            ]
            for (was, before), (now, after) in pairwise(
                [(flats[0], values[0]), *zip(flats, values, strict=True)]
            )
        ]
        places, about = [self._place(path) for path in paths], self.trace.get("#meta", {})
        mail = [
            a for one in self.drawing["messages"] if one["type"] == "mail" for a in self.messages.mail(one)
        ]
        calls = [
            a for one in self.drawing["messages"] if one["type"] == "call" for a in self.messages.calls(one)
        ]
        steps = []
        for number, (action, moved) in enumerate(zip(self.messages.actions, changes, strict=True)):
            handling = [a.receiver for a in mail if a.received == number]
            handling += [a.sender for a in mail if a.sent == number]
            handling += [a.receiver for a in calls if a.received == number > a.sent and a.directed]
            called = [a.receiver for a in calls if a.received == number and a.directed]
            lane = self._actor(action, handling, [*called, *(places[c.place].lane for c in moved)])
            shown = tuple((name, self.notation.show(value)) for name, value in action.parameters.items())
            demands, about_step = demands_of(self.states[number], shown), self.states[number].get("#meta", {})
            reads = dict.fromkeys(path for one in about_step.get("guards", ()) for path, _ in one["where"])
            flows = tuple(Flow(target, tuple(read)) for target, read in about_step.get("flows", ()))
            steps.append(DiagramStep(action.name, shown, lane, tuple(moved), demands, tuple(reads), flows))
        return Diagram(
            tuple(self.lanes),
            tuple(places),
            tuple(values[0]),
            tuple(parts(flats[0].get(path)) for path in paths),
            tuple(steps),
            tuple(sorted([*mail, *calls], key=lambda arrow: arrow.sent)),
            tuple(
                failing_parts(
                    about.get("failing") or (),
                    paths,
                    values[-1],
                    values[-2] if about.get("about_step") and len(values) > 1 else None,
                )
            ),
            *self._unmet(paths, values),
            bool(about.get("about_step")),
            self.notation.is_tla,
            tuple(self.memberships),
        )

    def _unmet(
        self, paths: Sequence[str], values: Sequence[Sequence[str]]
    ) -> tuple[tuple[Failing, ...], int]:
        """Find what a loop does not meet, and the state of which the values are."""
        last, about = len(values) - 1, self.trace.get("#meta", {}).get("loop") or {}
        if "loop" not in self.trace:
            return (), last
        parts = [one for one in about.get("failing", ()) if not one.get("truth")]
        own = [_find_state(one) for one in parts]
        found = next((number for number in own if number is not None), last)
        at = found if found <= last and found != self.trace["loop"] else last  # the loop ends where it starts
        fits = {found, None} if found >= self.trace["loop"] else {found}  # alike is what the loop has
        shown = [one for one, number in zip(parts, own, strict=True) if number in fits]
        return tuple(failing_parts(shown, paths, values[at])), at

    # Places

    def _memberships(self) -> Mapping[str, list[DiagramLane]]:
        """The variables that are sets of lanes, each with all lanes of this kind: it concerns all of them."""
        memberships = {}
        for name in self.variables:
            held = [self.notation.read(state[name]) for state in self.states]
            sets = [value for value in held if isinstance(value, frozenset)]
            kind = self.keys.get(f"{name}[]", "")
            members = {self._lane(str(member), kind) for value in sets for member in value}
            lanes = [self.lanes[lane] for lane in members if lane is not None]
            if len(sets) == len(held) and members and name not in self.owner and len(lanes) == len(members):
                kinds = {lane.kind for lane in lanes}
                memberships[name] = [lane for lane in self.lanes if lane.kind in kinds]
        return memberships

    def _maps(self) -> tuple[dict[str, set[str]], set[str]]:
        """The paths of all functions with all their keys, and those whose keys are not always the same."""
        found: dict[str, set[str]] = {}
        varying = set()
        for state in self.states:
            for name in self.variables:
                for path, keys in self.take_apart.maps_in(name, state[name]):
                    if found.setdefault(path, keys) != keys:
                        varying.add(path)
                        found[path] = found[path] | keys
        return found, varying

    def _flat(
        self, state: Mapping[str, Any], whole: Collection[str], of_lanes: Collection[str]
    ) -> Iterator[tuple[str, Concrete]]:
        for name in self.variables:
            members = self.notation.read(state[name])
            if name in self.memberships and isinstance(members, frozenset):
                held = {str(member) for member in members}
                for lane in self.memberships[name]:
                    key = lane.element or lane.name
                    yield f"{name}[{key}]", self.notation.membership(key in held)
            else:
                yield from self.take_apart.flat(name, state[name], whole, of_lanes)

    def _key(self, path: str, key: str) -> int | None:
        """The lane that a key of a function stands for."""
        kind = self.keys.get(f"{_KEYS.sub('[]', path)}[]", "")
        return self.numbered.get((kind, key)) if kind else self.names.get(key)

    def _place(self, path: str) -> Place:
        message = variable_of(path) in self.mailed
        for match in _KEYS.finditer(path):
            lane = self._key(path[: match.start()], match[1])
            if lane is not None:
                return Place(path, lane, message, match.start())
        owner = self.owner.get(variable_of(path))
        return Place(path, self.names[owner] if owner is not None else self._make_shared_lane(), message)

    def _make_shared_lane(self) -> int:
        """The lane of all that belongs to no participant. It comes first and is made when it is needed."""
        if SHARED not in self.names:
            self.names[SHARED] = len(self.lanes)
            self.lanes.append(DiagramLane(SHARED, SHARED))
        return self.names[SHARED]

    def _actor(self, action: Taken, handling: Sequence[int], changed: Sequence[int]) -> int:
        """The lane of the participant that acts.

        It is the first that is known of these: the lane that the drawing names, the receiver or sender of a
        message, the first element that the action names, the receiver of its call, the lane that it changes.
        """
        for lane in self.drawing["lanes"]:
            if any(fnmatchcase(action.name, pattern) for pattern in lane["actions"]):
                return self.names[lane["name"]]
        kinds = self.drawing.get("parameters", {}).get(action.name, {})
        texts = ((name, self.notation.show(value)) for name, value in action.parameters.items())
        named = (self._lane(text, kinds.get(name, "")) for name, text in texts)
        found = next((lane for lane in (*handling, *named, *changed) if lane is not None), None)
        return found if found is not None else 0 if self.lanes else self._make_shared_lane()


def _find_state(part: Mapping[str, Any]) -> int | None:
    """The state of which the values of an unmet part are; None if they are the same in all its states."""
    single = re.search(r"in state (\d+)(, again and again|, forever)?$", str(part.get("states")))
    return int(part["at"]) if "at" in part else int(single[1]) if single else None


def variable_of(path: str) -> str:
    """The variable at the beginning of a path."""
    return re.split(r"[\[.]", path, maxsplit=1)[0]


def demands_of(state: Mapping[str, Any], shown: Sequence[tuple[str, str]]) -> tuple[Demand, ...]:
    """Return the demands of the action before a state, without its own parameters, which stand beside it."""
    return tuple(
        Demand(
            one["formula"],
            ", ".join(
                f"{name} = {value}"
                for name, value in (*one["witnesses"], *one["where"])
                if (name, value) not in shown
            ),
        )
        for one in state.get("#meta", {}).get("guards", ())
    )


def read_taken(state: Mapping[str, Any]) -> Taken:
    """The action that led to a state."""
    about = state.get("#meta", {})
    return Taken(str(about.get("action", "")), about.get("parameters", {}))
