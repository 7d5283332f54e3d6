"""The answers to requests, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from verifier.conform.machine import Fits
from verifier.conform.outcome import exit_code
from verifier.errors import make_unknown_name_error
from verifier.server.calls import Call
from verifier.server.checks import run_apart
from verifier.server.open_spec import OpenSpec
from verifier.server.session import Session, read_reading
from verifier.server.views import (
    view_obstacle,
    view_path,
    view_place,
    view_state,
    view_step,
    view_truth,
)
from verifier.specs.built_in import BUILT_IN

_MOST_INITIAL, _MOST_SUCCESSORS, _MOST_OBSTACLES = 20, 100, 5


def load(
    session: Session,
    call: Call,
    *,
    spec: str,
    constants: Mapping[str, Any] | None = None,
    config: str | None = None,
    library: list[str] | None = None,
    lemmas: list[str] | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Open a specification."""
    reading = read_reading(config, library or [], lemmas or [])
    with session.lock:
        one = session.load(spec, constants or {}, reading, name)
        definition = one.loaded.definition
        claims = [
            {
                "name": claim.name,
                "kind": claim.kind,
                "default": claim.by_default,
                "description": claim.description,
            }
            for claim in one.reading.claims.values()
        ]
        return {
            "spec": one.name,
            "spec_hash": definition.spec_hash,
            "constants": {key: str(value) for key, value in definition.constants.items()},
            "variables": list(one.machine.variables),
            "actions": {key: list(names) for key, names in one.machine.actions.items()},
            "properties": claims,
            "files": [str(path) for path in one.stamps],
            "warnings": list(one.loaded.source.warnings) if one.loaded.source is not None else [],
        }


def list_specs(session: Session, call: Call) -> dict[str, Any]:
    """Name the built-in specifications, and those that are open."""
    summaries = {name: one.summary for name, one in BUILT_IN.items()}
    return {"built_in": summaries, "open": list(session.specs), "last": session.last}


def close(session: Session, call: Call, *, spec: str) -> dict[str, Any]:
    """Forget a specification."""
    with session.lock:
        session.find(spec)
        del session.specs[spec]
        session.last = next(reversed(session.specs), None)
        return {"open": list(session.specs)}


def list_initial_states(
    session: Session, call: Call, *, spec: str | None = None, limit: int = _MOST_INITIAL, json: bool = False
) -> dict[str, Any]:
    """List the initial states."""
    with session.lock:
        one = session.find(spec)
        shown = [view_state(one, number, as_json=json) for number in one.initial[:limit]]
        return {"count": len(one.initial), "states": shown}


def show_state(
    session: Session, call: Call, *, spec: str | None = None, state: int | None = None, json: bool = False
) -> dict[str, Any]:
    """Show a state, with its properties."""
    with session.lock:
        one = session.find(spec)
        return view_place(one, one.current if state is None else state, as_json=json)


def list_successors(
    session: Session,
    call: Call,
    *,
    spec: str | None = None,
    state: int | None = None,
    action: str | None = None,
    limit: int = _MOST_SUCCESSORS,
) -> dict[str, Any]:
    """List the steps from a state."""
    with session.lock:
        one = session.find(spec)
        number = one.current if state is None else state
        if action is not None:
            _check_action(one, action)
        known = [step for step in one.successors(number) if action in (None, step.action)]
        enabled = {step.action for step in one.successors(number)}
        return {
            "state": number,
            "count": len(known),
            "steps": [view_step(one, number, step) for step in known[:limit]],
            "disabled": [name for name in one.machine.actions if name not in enabled],
        }


def _check_action(one: OpenSpec, action: str) -> None:
    if action not in one.machine.actions:
        raise make_unknown_name_error(f"action of {one.name}", action, one.machine.actions)


def explain_disabled(
    session: Session,
    call: Call,
    *,
    action: str,
    spec: str | None = None,
    state: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    limit: int = _MOST_OBSTACLES,
) -> dict[str, Any]:
    """Say why an action is not enabled."""
    with session.lock:
        one = session.find(spec)
        number = one.current if state is None else state
        _check_action(one, action)
        fits = _make_filter(one, action, parameters or {})
        for given, after in one.machine.steps(one.state(number), action, fits):
            title = one.title(action, given)
            return {
                "state": number,
                "action": action,
                "enabled": True,
                "step": title,
                "to": one.number(after),
            }
        agreed = set[bool]()

        def note(own: Mapping[str, Any]) -> bool:
            agrees = fits(own)
            agreed.add(agrees)
            return agrees

        obstacles = one.machine.explain_obstacles(one.state(number), action, note)
        made = {"state": number, "action": action, "enabled": False}
        if agreed == {False}:  # the values are in the way, and no conjunct: each was tried without them
            words = "the action's parameters do not take these values in this state"
            return {**made, "ways": 0, "nearest": [], "reason": words}
        shown = [view_obstacle(obstacle) for obstacle in obstacles[:limit]]
        return {**made, "ways": len(obstacles), "nearest": shown}


def _make_filter(one: OpenSpec, action: str, given: Mapping[str, Any]) -> Fits:
    """Return the test of parameters that agree with given values. Raises UsageError for unknown names."""
    own, machine = one.machine.actions[action], one.machine
    for name in given:
        if name not in own:
            raise make_unknown_name_error(f"parameter of {action}", name, own)

    def fits(parameters: Mapping[str, Any]) -> bool:
        return all(
            name not in parameters
            or machine.agrees(parameters[name], value)
            or machine.show(parameters[name]) == value
            for name, value in given.items()
        )

    return fits


def explain_false(
    session: Session,
    call: Call,
    *,
    property: str,  # noqa: A002 -- the name that clients know
    spec: str | None = None,
    state: int | None = None,
    before: int | None = None,
) -> dict[str, Any]:
    """Say why a property is false."""
    with session.lock:
        one = session.find(spec)
        number = one.current if state is None else state
        earlier = one.state(before) if before is not None else one.before if state is None else None
        truth = one.reading.judge(property, one.state(number), earlier)
        return {"state": number, **view_truth(property, truth)}


def evaluate(
    session: Session, call: Call, *, expression: str, spec: str | None = None, state: int | None = None
) -> dict[str, Any]:
    """Evaluate an expression in a state."""
    with session.lock:
        one = session.find(spec)
        number = one.current if state is None else state
        value = one.reading.evaluate(expression)(one.state(number))
        return {"state": number, "value": one.machine.show(value), "json": one.reading.as_json(value)}


def check(
    session: Session,
    call: Call,
    *,
    spec: str | None = None,
    engine: str = "check",
    properties: list[str] | None = None,
    depth: int | None = None,
    timeout: str | None = None,
    memory: str | None = None,
    options: Mapping[str, Any] | None = None,
    traces: bool = False,
    fresh: bool = False,
) -> dict[str, Any]:
    """Run an engine."""
    limits = {"depth": depth, "timeout": timeout, "memory": memory}
    given = {**(options or {}), **{name: value for name, value in limits.items() if value is not None}}
    with session.lock:
        one = session.find(spec)
    return session.check(call, one, engine, tuple(properties or ()), given, fresh=fresh, traces=traces)


def show_counterexample(
    session: Session,
    call: Call,
    *,
    property: str,  # noqa: A002 -- the name that clients know
    spec: str | None = None,
) -> dict[str, Any]:
    """Walk to the end of a counterexample, and explain it."""
    with session.lock:
        one = session.find(spec)
        session.show_counterexample(one, property)
        failing = one.traces[property].get("#meta", {}).get("failing", [])
        return {**view_path(one), **view_place(one, one.current), "property": property, "failing": failing}


def conform(
    session: Session,
    call: Call,
    *,
    logs: list[str],
    spec: str | None = None,
    mapping: str | None = None,
    env: str | None = None,
    timeout: float | None = None,
) -> dict[str, Any]:
    """Judge logs."""
    from verifier.conform.judging import LogQuestion, judge_logs_with

    with session.lock:
        one = session.find(spec)
    file = None if mapping is None else Path(mapping)
    question = LogQuestion(one.loaded.spec, file, env, dict(one.asked[1]), one.asked[2], None, timeout)

    def judge(report: Callable[[Any], None]) -> None:
        verdicts = judge_logs_with(one.loaded, question, [Path(log) for log in logs])
        judged = [verdict.as_object() for verdict in verdicts]
        report({"exit_code": int(exit_code(verdicts)), "logs": judged})

    found: dict[str, Any] = run_apart(judge, call, session.lock)
    return found
