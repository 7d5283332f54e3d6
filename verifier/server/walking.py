"""The answers to requests about the execution on which one walks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from verifier.conform.machine import State
from verifier.errors import UsageError
from verifier.files import explain_no_json, read_text
from verifier.json_shape import read_json
from verifier.printable import say_count
from verifier.processes.limits import Interrupted
from verifier.server.calls import Call
from verifier.server.executions import follow_trace
from verifier.server.open_spec import OpenSpec, Successor
from verifier.server.session import Session
from verifier.server.turns import Turns
from verifier.server.views import view_changes, view_path, view_place, view_step
from verifier.tla.frames import Undefined

_MOST_STEPS, _MOST_SEARCHED = 20, 5000
_ASK_AGAIN = "ask again from the state of now"


def evaluate_along(
    session: Session, call: Call, *, expression: str, spec: str | None = None
) -> dict[str, Any]:
    """Evaluate an expression in every state of the execution."""
    with session.lock:
        one = session.find(spec)
        number = one.current
        compute, values = one.reading.evaluate(expression), list[str | None]()
        for visited in one.path:
            try:
                values.append(one.machine.show(compute(one.state(visited.state))))
            except (UsageError, Undefined):
                values.append(None)
        return {"state": number, "values": values}


def find_state(
    session: Session,
    call: Call,
    *,
    expression: str,
    spec: str | None = None,
    depth: int | None = None,
    limit: int = _MOST_SEARCHED,
) -> dict[str, Any]:
    """Walk to the nearest state in which an expression is true."""
    with session.lock:
        one = session.find(spec)
        begin, test = one.current, one.reading.evaluate(expression)
        search = _Search(one, {begin: None}, limit, session.lock)
        level, closed, reached = [begin], 0, None
        while level:
            reached = search.find(level, lambda state: _is_true(one, test(state), expression))
            if reached is not None or closed == depth:
                break
            level, closed = search.expand(level, call), closed + 1
        if reached is None:
            is_all = not level and not search.is_cut
            return {"found": False, "states": len(search.steps), "all_states": is_all, "depth": closed}
        if one.current != begin:
            raise UsageError(f"somebody walked on during the search: {_ASK_AGAIN}")
        taken = search.path_to(reached)
        for step in taken:
            one.take(step)
        titles = [one.title(step.action, step.parameters) for step in taken]
        answer = {"found": True, "states": len(search.steps), "steps": titles}
        return {**answer, **view_place(one, one.current)}


@dataclass
class _Search:
    """A search for a state, breadth first, with the step that leads to each state."""

    spec: OpenSpec
    steps: dict[int, tuple[int, Successor] | None]
    limit: int
    lock: Turns
    """Others have a turn between two states."""
    is_cut: bool = False
    """True if there are more states than the limit."""

    def find(self, level: list[int], test: Callable[[State], bool]) -> int | None:
        """Return the first state of a level that passes a test; None if none does."""
        for number in level:
            if test(self.spec.state(number)):
                return number
            self.lock.give_way()
        return None

    def expand(self, level: list[int], call: Call) -> list[int]:
        """Return the new states behind those of a level. Raises Interrupted if the client cancels."""
        following: list[int] = []
        for number in level:
            if call.cancelled.is_set():
                raise Interrupted("cancelled")
            self.lock.give_way()
            for step in self.spec.successors(number):
                if step.state in self.steps:
                    continue
                if len(self.steps) >= self.limit:
                    self.is_cut = True
                    return following
                self.steps[step.state] = (number, step)
                following.append(step.state)
        return following

    def path_to(self, number: int) -> list[Successor]:
        """Return the steps to a state."""
        steps: list[Successor] = []
        while (last := self.steps[number]) is not None:
            number = last[0]
            steps.insert(0, last[1])
        return steps


def follow(session: Session, call: Call, *, trace: str, spec: str | None = None) -> dict[str, Any]:
    """Walk the execution in a file."""
    try:
        content = read_json(read_text(Path(trace)))
    except ValueError as error:
        reason = explain_no_json(Path(trace), error)
        raise UsageError(f"{trace} cannot be read as an execution in ITF: {reason}") from None
    if not isinstance(content, Mapping):
        raise UsageError(f"{trace} is not an execution in ITF")
    with session.lock:
        one = session.find(spec)
        follow_trace(one, content)
        return {**view_path(one), **view_place(one, one.current)}


def go(session: Session, call: Call, *, state: int, spec: str | None = None) -> dict[str, Any]:
    """Begin a new execution at a state."""
    with session.lock:
        one = session.find(spec)
        one.go(state)
        return view_place(one, one.current)


def take_step(
    session: Session,
    call: Call,
    *,
    spec: str | None = None,
    action: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    to: int | None = None,
) -> dict[str, Any]:
    """Take a step from the current state."""
    if action is None and to is None:
        raise UsageError("step needs action or to: ask for successors")
    with session.lock:
        one = session.find(spec)
        before = one.current
        step = one.find_step(action, parameters or {}, to)
        one.take(step)
        return {"step": view_step(one, before, step), **view_place(one, one.current)}


def go_back(session: Session, call: Call, *, spec: str | None = None, steps: int = 1) -> dict[str, Any]:
    """Go back on the execution."""
    return _move(session, spec, -steps)


def go_forward(session: Session, call: Call, *, spec: str | None = None, steps: int = 1) -> dict[str, Any]:
    """Go forward again on the execution."""
    return _move(session, spec, steps)


def _move(session: Session, spec: str | None, by: int) -> dict[str, Any]:
    with session.lock:
        one = session.find(spec)
        before = one.current
        if not 0 <= one.at + by < len(one.path):
            raise UsageError(
                f"the execution has {say_count(len(one.path) - 1, 'step')}; {one.at} before this state"
            )
        one.at += by
        changed = view_changes(one, one.state(before), one.state(one.current))
        return {"at": one.at, "changed": changed, **view_place(one, one.current)}


def show_path(session: Session, call: Call, *, spec: str | None = None) -> dict[str, Any]:
    """Show the execution on which one walks."""
    with session.lock:
        return view_path(session.find(spec))


def walk_randomly(
    session: Session,
    call: Call,
    *,
    spec: str | None = None,
    steps: int = _MOST_STEPS,
    seed: int = 0,
    until: str | None = None,
) -> dict[str, Any]:
    """Take random steps from the current state."""
    with session.lock:
        one = session.find(spec)
        test = None if until is None else one.reading.evaluate(until)
        before, taken, reached = one.current, list[dict[str, Any]](), False
        for step in islice(one.walk(steps, seed), steps):
            taken.append(view_step(one, before, step))
            before = step.state
            if call.cancelled.is_set():
                raise Interrupted("cancelled")
            session.lock.give_way()
            if one.current != before:
                raise UsageError(f"somebody walked on during the random walk: {_ASK_AGAIN}")
            if test is not None and _is_true(one, test(one.state(before)), str(until)):
                reached = True
                break
        ended = "reached" if reached else "deadlock" if len(taken) < steps else "steps"
        return {"steps": taken, "ended": ended, **view_place(one, one.current)}


def _is_true(one: OpenSpec, value: Any, text: str) -> bool:
    shown = one.reading.as_json(value)
    if not isinstance(shown, bool):
        raise UsageError(f"the expression {text!r} is not a formula: its value is {one.machine.show(value)}")
    return shown
