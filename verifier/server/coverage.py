"""Coverage of a specification's actions: in the nearest states, how often each is taken, and which parts of
its guard are true in a step."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from verifier.conform.coverage import Coverage, Part
from verifier.conform.covering import empty_coverage
from verifier.processes.limits import Interrupted
from verifier.server.calls import Call
from verifier.server.open_spec import OpenSpec
from verifier.server.problems import find_place, place_object
from verifier.server.session import Session
from verifier.server.views import view_obstacle

_MOST_STATES, _MOST_ASKED = 2000, 50


@dataclass
class _Counts:
    """The counts of the steps from some states."""

    spec: OpenSpec
    steps: Coverage
    enabled: Counter[str] = field(default_factory=Counter)
    """The states in which an action is enabled."""

    def add(self, number: int) -> list[int]:
        """Count the steps from a state. Returns the states to which they lead."""
        known, machine = self.spec.successors(number), self.spec.machine
        self.enabled.update({step.action for step in known})
        for step in known:
            true_parts = machine.true_parts(self.spec.state(number), step.action, step.parameters)
            self.steps.count_step(step.action, true_parts)
        return [step.state for step in known]


def measure_coverage(
    session: Session, call: Call, *, spec: str | None = None, limit: int = _MOST_STATES
) -> dict[str, Any]:
    """Say how often actions and parts of guards are taken in the states nearest to the initial ones."""
    with session.lock:
        one = session.find(spec)
        counts, level, is_all = _Counts(one, empty_coverage(one.machine)), list(one.initial), True
        seen = dict.fromkeys(level)
        while level:
            following: list[int] = []
            for number in level:
                if call.cancelled.is_set():
                    raise Interrupted("cancelled")
                session.lock.give_way()
                for after in counts.add(number):
                    if after in seen:
                        continue
                    if len(seen) >= limit:
                        is_all = False
                        continue
                    seen[after] = None
                    following.append(after)
            level = following
        actions = []
        for name in one.machine.actions:
            session.lock.give_way()
            actions.append(_view_action(one, name, counts, list(seen)))
        return {"states": len(seen), "all_states": is_all, "actions": actions}


def _view_action(one: OpenSpec, name: str, counts: _Counts, states: list[int]) -> dict[str, Any]:
    """Return the counts of an action. If it is never enabled, also what stands in the way."""
    parts = [
        {"formula": part.words, "steps": counts.steps.parts[part], **_place(part)}
        for part in one.machine.parts(name)
    ]
    made = {
        "action": name,
        "states_enabled": counts.enabled[name],
        "steps": counts.steps.actions[name],
        "parts": parts,
    }
    if counts.enabled[name]:
        return made
    nearest = [
        obstacle
        for number in states[:_MOST_ASKED]
        for obstacle in one.machine.explain_obstacles(one.state(number), name, lambda _: True)[:1]
    ]
    closest = max(nearest, key=lambda obstacle: obstacle.passed, default=None)
    return made if closest is None else {**made, "nearest": view_obstacle(closest)}


def _place(part: Part) -> dict[str, Any]:
    place = find_place(f"{part.place}: ")
    return {} if place is None else {"place": place_object(place)}
