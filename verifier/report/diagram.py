"""A trace as a space-time diagram: lanes, the changes of each step, and the messages between lanes.

`verifier.report.trace_diagram` makes it from a trace's JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from verifier.report.failing import Failing
from verifier.report.fair_loop import STUTTERS
from verifier.report.messages import Arrow
from verifier.text.deltas import is_brief

SHARED = "shared"
"""The lane of everything that belongs to no participant."""
ABSENT = "–"
MEMBER = ("TRUE", "yes")
"""The values of a place that says whether a member is in a set, if it is."""


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
        if self.action == STUTTERS:
            return self.action
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
        members = map(self._member, range(len(self.places)))
        sign = "\\in" if self.is_tla else "∈"
        return [
            place.path if one is None else f"{one[2]} {sign} {one[1]}"
            for one, place in zip(members, self.places, strict=True)
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
        return f"{member[2]} {'added' if change.after in MEMBER else 'removed'}"

    def _member(self, place: int) -> re.Match[str] | None:
        """A set and its member, of a place that says whether it is in the set."""
        match = re.fullmatch(r"(\w+)\[(.*)\]", self.places[place].path, re.DOTALL)
        return match if match and match[1] in self.sets else None

    def member_of(self, place: int) -> tuple[str, str] | None:
        """Return a set and its possible member, of a place that says whether it is in the set."""
        member = self._member(place)
        return None if member is None else (member[1], member[2])

    @property
    def has_participants(self) -> bool:
        """True if somebody acts, so that lanes say more than a table."""
        return any(lane.name != SHARED for lane in self.lanes)
