"""States, steps and explanations as clients get them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from verifier.conform.machine import State
from verifier.conform.outcome import Obstacle
from verifier.encodings.plain_terms import Map
from verifier.server.open_spec import OpenSpec, Successor, Visited
from verifier.server.problems import find_place, place_object
from verifier.server.readings import Truth
from verifier.tla.value_types import Fn
from verifier.trust.trace import FailingPart


def view_state(spec: OpenSpec, number: int, *, as_json: bool = False) -> dict[str, Any]:
    """Return a state: its number, and the value of each variable as text, or as JSON."""
    state, machine = spec.state(number), spec.machine
    made: dict[str, Any] = {"state": number}
    made["values"] = {name: machine.show(machine.value(state, name)) for name in machine.variables}
    if as_json:
        made["json"] = {name: spec.reading.as_json(machine.value(state, name)) for name in machine.variables}
    return made


def view_place(one: OpenSpec, number: int, *, as_json: bool = False) -> dict[str, Any]:
    """Return a state with the properties that have a value there, and the actions that are enabled."""
    enabled = dict.fromkeys(step.action for step in one.successors(number))
    holds = dict(one.judge(number))
    return {**view_state(one, number, as_json=as_json), "properties": holds, "enabled": list(enabled)}


def view_step(spec: OpenSpec, before: int, one: Successor | Visited) -> dict[str, Any]:
    """Return a step: its action and parameters, where it leads, and what it changes."""
    return {
        "action": one.action,
        "parameters": {name: spec.machine.show(value) for name, value in one.parameters.items()},
        "title": spec.title(one.action or "", one.parameters),
        "state": one.state,
        "changed": view_changes(spec, spec.state(before), spec.state(one.state)),
    }


def view_changes(spec: OpenSpec, before: State, after: State) -> list[dict[str, str]]:
    """Return the parts of the state that a step changes, each with its old and its new value."""
    show, value = spec.machine.show, spec.machine.value
    return [
        {"path": path, "before": show(old), "after": show(new)}
        for name in spec.machine.variables
        for path, old, new in _changed_parts(spec, name, value(before, name), value(after, name))
    ]


def _changed_parts(spec: OpenSpec, path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the smallest parts of functions and records that differ. Other values are no parts of a whole."""
    if old == new:
        return
    if isinstance(old, Map | Fn) and isinstance(new, Map | Fn) and old.keys() == new.keys():
        for key in old:
            inner = f"{path}.{key}" if isinstance(key, str) else f"{path}[{spec.machine.show(key)}]"
            yield from _changed_parts(spec, inner, old[key], new[key])
    else:
        yield path, old, new


def view_path(spec: OpenSpec) -> dict[str, Any]:
    """Return the execution on which one walks, and for each of its states the properties that are not true.
    Only properties that are checked by default count."""
    steps = [view_step(spec, spec.path[number].state, one) for number, one in enumerate(spec.path[1:])]
    claims = spec.reading.claims
    not_true = [
        [name for name, holds in spec.judge(one.state).items() if not holds and claims[name].by_default]
        for one in spec.path
    ]
    begins = spec.path[0].state if spec.path else None
    return {"begins": begins, "steps": steps, "at": spec.at, "not_true": not_true}


def view_obstacle(one: Obstacle) -> dict[str, Any]:
    """Return why a way through an action is no step: the first conjunct that is false, with its values."""
    place = find_place(f"{one.place}: ")
    return {
        "action": one.action,
        "formula": one.formula,
        "says": one.words or "is false",
        "values": dict(one.values),
        "conjuncts_passed": one.passed,
        **({} if place is None else {"place": place_object(place)}),
    }


def view_truth(name: str, truth: Truth) -> dict[str, Any]:
    """Return whether a property holds, and the smallest parts that make it false."""
    made: dict[str, Any] = {"property": name, "holds": truth.holds}
    if truth.holds is False:
        made["false_parts"] = [view_part(part) for part in truth.parts]
    if truth.reason:
        made["reason"] = truth.reason
    return made


def view_part(part: FailingPart) -> dict[str, Any]:
    """Return a part of a formula: with the values of the names bound around it, and those that it reads."""
    made: dict[str, Any] = {
        "formula": part.formula,
        "with": dict(part.witnesses),
        "values": dict(part.where),
    }
    if part.blame is not None:
        if part.blame.says:
            made["why"] = part.blame.says
        made["decided_by"] = [one.path for one in part.blame.culprits]
    if part.premises:
        made["since"] = [view_part(one) for one in part.premises]
    return made


def view_results(content: Mapping[str, Any], *, traces: bool) -> dict[str, Any]:
    """Return a run as the command's JSON has it. Without ``traces``, an execution is the list of its
    actions."""
    if traces:
        return dict(content)
    results = []
    for one in content["results"]:
        trace = one["trace"]
        actions = None if trace is None else list_actions(trace)
        results.append({**one, "trace": None, "actions": actions})
    kept = (
        "spec",
        "spec_hash",
        "constants",
        "engine",
        "options",
        "solver",
        "seconds",
        "exit_code",
        "statistics",
    )
    return {**{name: content[name] for name in kept if name in content}, "results": results}


def list_actions(trace: Mapping[str, Any]) -> list[str]:
    """Return the actions of an execution in ITF, in order."""
    return [str(state["#meta"].get("action", "")) for state in trace["states"][1:]]
