"""Traces as files: the Informal Trace Format (ITF) of Apalache and Quint, in JSON.

The format is Apalache's ADR 015. In addition, ``#meta`` of the trace names the spec, its hash, the
constants and the property, and ``#meta`` of each state names the action that led to it. So a replay can
check a trace without a solver.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.encodings.blame import Blame
from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Sort
from verifier.errors import UsageError
from verifier.files import explain_no_json
from verifier.json_shape import read_json
from verifier.specs.definition import Definition
from verifier.system.model import Model
from verifier.trust.explain import breaches, guards, reasons
from verifier.trust.flow import flows
from verifier.trust.itf_values import ValueReader, as_json
from verifier.trust.trace import ActionTaken, FailingPart, Loop, Trace
from verifier.trust.unmet import unmet
from verifier.trust.waiting import find_waiting
from verifier.version import tool_version

_FORMAT = "ITF"
_DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"


@dataclass(frozen=True)
class Header:
    """The metadata of a trace file."""

    spec: str
    spec_hash: str
    constants: Mapping[str, Any]
    violates: str | None
    fairness: str | None = None
    """For an infinite execution: the fairness that its loop meets."""


def dump(trace: Trace, model: Model) -> dict[str, Any]:
    """The trace as a JSON object."""
    sorts = model.layout.sorts
    states = []
    for index, state in enumerate(trace.states):
        about: dict[str, Any] = {"index": index}
        if index > 0:
            action = trace.actions[index - 1]
            parameters = _parameter_sorts(model.definition, action.name)
            values = {name: as_json(parameters[name], value) for name, value in action.parameters.items()}
            about.update(action=action.name, parameters=values)
            before = trace.states[index - 1]
            about["guards"] = [part.as_json for part in guards(model.definition, before, action)]
            about["flows"] = [
                [one.target, list(one.reads)] for one in flows(model.definition, before, action)
            ]
        states.append({"#meta": about, **{name: as_json(sort, state[name]) for name, sort in sorts.items()}})
    return {
        "#meta": {
            "format": _FORMAT,
            "format-description": _DESCRIPTION,
            "description": f"made by verify {tool_version()}",
            "spec": trace.spec,
            "spec_hash": trace.spec_hash,
            "constants": dict(trace.constants),
            "property": trace.violates,
            "status": _status(trace, model),
            "failing": _failing(trace, model),
            "about_step": model.system.about_steps(str(trace.violates)),
            "drawing": model.definition.drawing,
            **_closing(trace, model),
        },
        "vars": list(sorts),
        "states": states,
        **({} if trace.loop is None else {"loop": trace.loop.start}),
    }


def _closing(trace: Trace, model: Model) -> dict[str, Any]:
    """Return how the loop closes, why it is fair, and what fails. ITF itself has only the index ``loop``."""
    loop, definition = trace.loop, model.definition
    if loop is None:
        return {}
    action = {}
    if loop.closing is not None:
        sorts = _parameter_sorts(definition, loop.closing.name)
        values = {name: as_json(sorts[name], value) for name, value in loop.closing.parameters.items()}
        demands = [part.as_json for part in guards(definition, trace.states[-1], loop.closing)]
        action = {"action": loop.closing.name, "parameters": values, "guards": demands}
    conditions = [{"condition": name, "met": why} for name, why in loop.conditions]
    parts = unmet(model, trace)
    failing = {"failing": parts} if parts else {}
    return {"loop": {**action, "fairness": loop.fairness, "conditions": conditions, **failing}}


def _failing(trace: Trace, model: Model) -> list[dict[str, Any]]:
    """The failing part in the last state, as text, with its witnesses and the values that it mentions."""
    if trace.violates is None or trace.loop is not None or model.system.seeks(trace.violates):
        return []
    parts = [reason.part for reason in reasons(model, trace)]
    # These are sentences already, and no formulas of which it could be said that they are false.
    parts += [FailingPart(words, (), (), Blame(words, ())) for words in breaches(model, trace)]
    if not parts and trace.violates == model.definition.titles.no_deadlock:
        parts = find_waiting(model.definition, trace.states[-1])
    return [part.as_json for part in parts]


def _status(trace: Trace, model: Model) -> str:
    if trace.violates is None:
        return "execution"
    return "witness" if model.system.seeks(trace.violates) else "violation"


def parse(text: str, file: Path) -> dict[str, Any]:
    """The JSON object in a trace file. Raises UsageError if the text is no ITF trace."""
    try:
        data = read_json(text)
    except ValueError as error:
        expected = "a trace is expected, as --trace-out writes it"
        raise UsageError(f"{explain_no_json(file, error)}; {expected}") from None
    if not isinstance(data, dict) or not isinstance(data.get("states"), list):
        raise UsageError(
            'no ITF trace: a JSON object with "#meta", "vars" and a list of "states" is expected'
        )
    if not data["states"]:
        raise UsageError("the trace has no states")
    return data


def header(data: Mapping[str, Any]) -> Header:
    """Read the metadata of a trace. Raises UsageError if it lacks something that a replay needs."""
    about = data.get("#meta")
    if not isinstance(about, dict):
        raise UsageError('no trace of verify: "#meta" is missing, which names the spec and its constants')
    for name, kind, words in (("spec", str, "a name"), ("constants", dict, "an object")):
        if not isinstance(about.get(name), kind):
            raise UsageError(
                f'no trace of verify: "{name}" in "#meta" should be {words}, it is {_quote(about, name)}'
            )
    violates = about.get("property")
    if not isinstance(violates, str | None):
        raise UsageError(f'"property" in "#meta" should be a name or null, it is {_quote(about, "property")}')
    fairness = _read_loop(data).get("fairness") if "loop" in data else None
    return Header(about["spec"], str(about.get("spec_hash")), about["constants"], violates, fairness)


def _read_loop(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read the metadata about a trace's loop. Raises UsageError if that is not enough for a replay."""
    about = data["#meta"].get("loop")
    if not isinstance(data["loop"], int) or isinstance(data["loop"], bool):
        raise UsageError(f'"loop" should be the index of a state, it is {_quote(data, "loop")}')
    if not isinstance(about, dict) or not isinstance(about.get("fairness"), str):
        raise UsageError('"#meta" should name the fairness of the loop: "loop": {"fairness": …}')
    return about


def _loop(data: Mapping[str, Any], definition: Definition) -> Loop:
    about = _read_loop(data)
    closing = None if "action" not in about else _action_of(len(data["states"]), about, definition)
    return Loop(data["loop"], closing, about["fairness"])


def load(data: Mapping[str, Any], model: Model) -> Trace:
    """The trace with the values of a model's sorts. A replay has yet to check it.

    Raises UsageError if the data do not have the shape of such a trace. Raises ReplayFailure if a value
    has the shape of its sort but does not belong to the sort.
    """
    about = header(data)
    states, actions = [], []
    for index, entry in enumerate(data["states"]):
        if not isinstance(entry, dict):
            raise UsageError(f"state {index} is not a JSON object")
        states.append(_state(index, entry, model.layout.sorts))
        if index > 0:
            actions.append(_action(index, entry, model.definition))
    loop = None if "loop" not in data else _loop(data, model.definition)
    path = (tuple(states), tuple(actions), loop)
    return Trace(about.spec, about.spec_hash, about.constants, about.violates, *path)


def _state(index: int, entry: Mapping[str, Any], sorts: Mapping[str, Sort]) -> dict[str, Concrete]:
    missing = [name for name in sorts if name not in entry]
    if missing:
        raise UsageError(f"state {index} lacks the variable {', '.join(missing)}")
    unknown = [name for name in entry if name not in sorts and not name.startswith("#")]
    if unknown:
        raise UsageError(
            f"state {index} has {', '.join(unknown)}, which is not a variable; these are {', '.join(sorts)}"
        )
    return {name: ValueReader(index, name).value(sort, entry[name]) for name, sort in sorts.items()}


def _action(index: int, entry: Mapping[str, Any], definition: Definition) -> ActionTaken:
    about = entry.get("#meta")
    if not isinstance(about, dict) or not isinstance(about.get("action"), str):
        raise UsageError(f'state {index} does not name the action that led to it ("#meta": {{"action": …}})')
    return _action_of(index, about, definition)


def _action_of(index: int, about: Mapping[str, Any], definition: Definition) -> ActionTaken:
    """The action that the description of a step names. Raises UsageError if there is none."""
    name = about["action"]
    if not isinstance(name, str):
        raise UsageError(f"state {index}: {name!r} is not a name of an action")
    parameters = about.get("parameters", {})
    if not isinstance(parameters, dict):
        raise UsageError(f'state {index}: "parameters" of {name} is not a JSON object')
    sorts = _parameter_sorts(definition, name)
    reader = ValueReader(index, name)
    values = {
        key: reader.value(sorts[key], value) if key in sorts else str(value)
        for key, value in parameters.items()
    }
    # Parameters come in the order in which the action declares them. Unknown ones come last.
    order = [*(key for key in sorts if key in values), *(key for key in values if key not in sorts)]
    return ActionTaken(name, {key: values[key] for key in order})


def _parameter_sorts(definition: Definition, action: str) -> dict[str, Sort]:
    return next((known.sorts for known in definition.actions if known.name == action), {})


def _quote(about: Mapping[str, Any], name: str) -> str:
    return json.dumps(about[name])[:60] if name in about else "missing"
