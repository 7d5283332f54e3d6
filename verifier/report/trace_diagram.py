"""The diagram of a trace, made from the trace's JSON (``verifier.trust.itf``): a report needs no protocol."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Any

from verifier.encodings.concrete import Concrete
from verifier.report.diagram import (
    ABSENT,
    SHARED,
    Change,
    Demand,
    Diagram,
    DiagramLane,
    DiagramStep,
    Flow,
    Place,
)
from verifier.report.failing import Failing, failing_parts
from verifier.report.messages import Arrow, Messages, Taken
from verifier.report.notation import Notation
from verifier.report.participants import Participants, participants, suggest_drawing
from verifier.report.state_paths import Places
from verifier.text.deltas import delta

_KEYS = re.compile(r"\[([^\[\]]*)\]")


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
        flats = self._states_by_path()
        paths = list(dict.fromkeys(path for state in flats for path in state))
        show, parts = self.notation.text, self.notation.parts
        values = [[show(state[path]) if path in state else ABSENT for path in paths] for state in flats]
        places, about = [self._place(path) for path in paths], self.trace.get("#meta", {})
        mail, calls = self._arrows("mail", self.messages.mail), self._arrows("call", self.messages.calls)
        # An actor may need the lane for shared places, so the steps are complete before the lanes are.
        steps = tuple(self._steps(self._changes(paths, flats, values), places, mail, calls))
        before = values[-2] if about.get("about_step") and len(values) > 1 else None
        return Diagram(
            tuple(self.lanes),
            tuple(places),
            tuple(values[0]),
            tuple(parts(flats[0].get(path)) for path in paths),
            steps,
            tuple(sorted([*mail, *calls], key=lambda arrow: arrow.sent)),
            tuple(failing_parts(about.get("failing") or (), paths, values[-1], before)),
            *self._unmet(paths, values),
            bool(about.get("about_step")),
            self.notation.is_tla,
            tuple(self.memberships),
        )

    def _states_by_path(self) -> list[dict[str, Concrete]]:
        """Return the states, each as the values at the paths that the diagram shows."""
        keys, varying = self._maps()
        of_lanes = {
            path
            for path, names in keys.items()
            if names and all(self._key(path, key) is not None for key in names)
        }
        known = {path for state in self.states for path, _ in self._flat(state, (), of_lanes)}
        # A part that does not exist in all states, such as the record in an option, is one place. Otherwise
        # its fields would seem to have values where the part does not exist.
        ends = {path[: match.start()] for path in known for match in re.finditer(r"[\[.]", path)}
        whole = (ends & known | varying) - of_lanes
        return [dict(self._flat(state, whole, of_lanes)) for state in self.states]

    def _changes(
        self, paths: Sequence[str], flats: Sequence[Mapping[str, Concrete]], values: Sequence[Sequence[str]]
    ) -> Iterator[tuple[Change, ...]]:
        """Yield the changes of each step. The first step, which leads to the first state, has none."""
        show, parts = self.notation.text, self.notation.parts
        states = list(zip(flats, values, strict=True))
        for (was, before), (now, after) in pairwise([states[0], *states]):
            texts = zip(paths, before, after, strict=True)
            yield tuple(
                Change(n, old, new, delta(was.get(path), now.get(path), show), parts(now.get(path)))
                for n, (path, old, new) in enumerate(texts)
                if old != new
            )

    def _arrows(self, kind: str, read: Callable[[Mapping[str, Any]], Iterable[Arrow]]) -> list[Arrow]:
        """Return the messages of one kind that the drawing declares."""
        return [arrow for one in self.drawing["messages"] if one["type"] == kind for arrow in read(one)]

    def _steps(
        self,
        changes: Iterable[tuple[Change, ...]],
        places: Sequence[Place],
        mail: Sequence[Arrow],
        calls: Sequence[Arrow],
    ) -> Iterator[DiagramStep]:
        """Yield the steps, each on the lane of the participant that acts."""
        for number, (action, moved) in enumerate(zip(self.messages.actions, changes, strict=True)):
            handling = [a.receiver for a in mail if a.received == number]
            handling += [a.sender for a in mail if a.sent == number]
            handling += [a.receiver for a in calls if a.received == number > a.sent and a.directed]
            called = [a.receiver for a in calls if a.received == number and a.directed]
            lane = self._actor(action, handling, [*called, *(places[c.place].lane for c in moved)])
            shown = tuple((name, self.notation.show(value)) for name, value in action.parameters.items())
            demands, about = demands_of(self.states[number], shown), self.states[number].get("#meta", {})
            reads = dict.fromkeys(path for one in about.get("guards", ()) for path, _ in one["where"])
            flows = tuple(Flow(target, tuple(read)) for target, read in about.get("flows", ()))
            yield DiagramStep(action.name, shown, lane, moved, demands, tuple(reads), flows)

    def _unmet(
        self, paths: Sequence[str], values: Sequence[Sequence[str]]
    ) -> tuple[tuple[Failing, ...], int]:
        """Find what a loop does not meet, and the state of which the first values are."""
        last, about = len(values) - 1, self.trace.get("#meta", {}).get("loop") or {}
        if "loop" not in self.trace:
            return (), last
        parts = [one for one in about.get("failing", ()) if not one.get("truth")]
        own = [_find_states(one, self.trace["loop"], last) for one in parts]
        unmet = [
            failing
            for one, states in zip(parts, own, strict=True)
            for failing in failing_parts([one], paths, values[states[0][0]], states=states)
        ]
        at = next((one.states[-1][1] for one in unmet if one.blamed), last)
        return tuple(unmet), at

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
        maps: dict[str, set[str]] = {}
        varying = set()
        for state in self.states:
            for name in self.variables:
                for path, keys in self.take_apart.maps_in(name, state[name]):
                    if maps.setdefault(path, keys) != keys:
                        varying.add(path)
                        maps[path] = maps[path] | keys
        return maps, varying

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
        actor = next((lane for lane in (*handling, *named, *changed) if lane is not None), None)
        return actor if actor is not None else 0 if self.lanes else self._make_shared_lane()


def _find_states(part: Mapping[str, Any], loop: int, last: int) -> tuple[tuple[int, int], ...]:
    """Find the states in which an unmet part is false: the first and last of each range.

    The first range begins with the state that its values are of. The last state is the one in which the loop
    starts, once more.
    """
    words = str(part.get("states"))
    single = re.search(r"in state (\d+)(, again and again)?$", words)
    since = re.search(r"in state (\d+)(, forever| and in all that follow)$", words)
    told = None if since is None else int(since[1])
    if told is None and "every state" in words:
        told = 0 if words.endswith("every state") else loop
    own = part.get("at", None if single is None else int(single[1]))
    if told is not None:
        return ((told, last),) if own is None else ((own, own), (told, last))
    own = last if own is None else own
    return ((own, own), (last, last)) if own == loop else ((own, own),)


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
