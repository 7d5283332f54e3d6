"""Traces as files: the Informal Trace Format (ITF) of Apalache and Quint, in JSON.

The format is Apalache's ADR 015. In addition, ``#meta`` of the trace names the spec, its hash, the
constants and the property, and ``#meta`` of each state names the action that led to it. So a replay can
check a trace without a solver.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.encodings.concrete import Concrete, Element, FrozenMap, Tagged, show
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.errors import UsageError
from verifier.json_shape import read_json
from verifier.specs.definition import Definition
from verifier.system.model import Model
from verifier.trust.explain import breaches, reasons
from verifier.trust.replay import ReplayFailure
from verifier.trust.trace import ActionTaken, Loop, Trace
from verifier.version import tool_version

_FORMAT = "ITF"
_DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"
_UNIT: dict[str, list[Any]] = {"#tup": []}


@dataclass(frozen=True)
class Header:
    """What a trace file says about itself."""

    spec: str
    spec_hash: str
    constants: Mapping[str, Any]
    violates: str | None
    fairness: str | None = None
    """Of an infinite execution: the fairness that its loop meets."""


def dump(trace: Trace, model: Model) -> dict[str, Any]:
    """The trace as a JSON object."""
    sorts = model.layout.sorts
    states = []
    for index, state in enumerate(trace.states):
        about: dict[str, Any] = {"index": index}
        if index > 0:
            action = trace.actions[index - 1]
            parameters = _parameter_sorts(model.definition, action.name)
            values = {name: _out(parameters[name], value) for name, value in action.parameters.items()}
            about.update(action=action.name, parameters=values)
        states.append({"#meta": about, **{name: _out(sort, state[name]) for name, sort in sorts.items()}})
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
            **_closing(trace, model.definition),
        },
        "vars": list(sorts),
        "states": states,
        **({} if trace.loop is None else {"loop": trace.loop.start}),
    }


def _closing(trace: Trace, definition: Definition) -> dict[str, Any]:
    """How the loop closes, and why it is fair. ITF itself has only the index ``loop``."""
    loop = trace.loop
    if loop is None:
        return {}
    action = {}
    if loop.closing is not None:
        sorts = _parameter_sorts(definition, loop.closing.name)
        values = {name: _out(sorts[name], value) for name, value in loop.closing.parameters.items()}
        action = {"action": loop.closing.name, "parameters": values}
    conditions = [{"condition": name, "met": why} for name, why in loop.conditions]
    return {"loop": {**action, "fairness": loop.fairness, "conditions": conditions}}


def _failing(trace: Trace, model: Model) -> list[dict[str, Any]]:
    """What fails in the last state, as text, with its witnesses and the values that it mentions."""
    if trace.violates is None or trace.loop is not None or model.system.seeks(trace.violates):
        return []
    found = [
        {
            "formula": reason.formula,
            "witnesses": [[name, show(value)] for name, value in reason.witnesses],
            "where": [[place, show(value)] for place, value in reason.values],
        }
        for reason in reasons(model, trace)
    ]
    return found + [{"formula": words, "witnesses": [], "where": []} for words in breaches(model, trace)]


def _status(trace: Trace, model: Model) -> str:
    if trace.violates is None:
        return "execution"
    return "witness" if model.system.seeks(trace.violates) else "violation"


def parse(text: str) -> dict[str, Any]:
    """The JSON object in a trace file. Raises UsageError if the text is no ITF trace."""
    try:
        data = read_json(text)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("states"), list):
        raise UsageError(
            'no ITF trace: a JSON object with "#meta", "vars" and a list of "states" is expected'
        )
    if not data["states"]:
        raise UsageError("the trace has no states")
    return data


def header(data: Mapping[str, Any]) -> Header:
    """What a trace says about itself. Raises UsageError if it lacks something that a replay needs."""
    about = data.get("#meta")
    if not isinstance(about, dict):
        raise UsageError('no trace of verify: "#meta" is missing, which names the spec and its constants')
    for name, kind, words in (("spec", str, "a name"), ("constants", dict, "an object")):
        if not isinstance(about.get(name), kind):
            raise UsageError(
                f'no trace of verify: "{name}" in "#meta" should be {words}, it is {_quoted(about, name)}'
            )
    violates = about.get("property")
    if not isinstance(violates, str | None):
        raise UsageError(
            f'"property" in "#meta" should be a name or null, it is {_quoted(about, "property")}'
        )
    fairness = _about_loop(data).get("fairness") if "loop" in data else None
    return Header(about["spec"], str(about.get("spec_hash")), about["constants"], violates, fairness)


def _about_loop(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a trace says of its loop. Raises UsageError if that is not enough for a replay."""
    about = data["#meta"].get("loop")
    if not isinstance(data["loop"], int) or isinstance(data["loop"], bool):
        raise UsageError(f'"loop" should be the index of a state, it is {_quoted(data, "loop")}')
    if not isinstance(about, dict) or not isinstance(about.get("fairness"), str):
        raise UsageError('"#meta" should name the fairness of the loop: "loop": {"fairness": …}')
    return about


def _loop(data: Mapping[str, Any], definition: Definition) -> Loop:
    about = _about_loop(data)
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
            raise UsageError(f"state {index} is no JSON object")
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
            f"state {index} has {', '.join(unknown)}, which is no variable; these are {', '.join(sorts)}"
        )
    return {name: _Reader(index, name).value(sort, entry[name]) for name, sort in sorts.items()}


def _action(index: int, entry: Mapping[str, Any], definition: Definition) -> ActionTaken:
    about = entry.get("#meta")
    if not isinstance(about, dict) or not isinstance(about.get("action"), str):
        raise UsageError(f'state {index} does not name the action that led to it ("#meta": {{"action": …}})')
    return _action_of(index, about, definition)


def _action_of(index: int, about: Mapping[str, Any], definition: Definition) -> ActionTaken:
    """The action that the description of a step names. Raises UsageError if there is none."""
    name = about["action"]
    if not isinstance(name, str):
        raise UsageError(f"state {index}: {name!r} is no name of an action")
    parameters = about.get("parameters", {})
    if not isinstance(parameters, dict):
        raise UsageError(f'state {index}: "parameters" of {name} is no JSON object')
    sorts = _parameter_sorts(definition, name)
    reader = _Reader(index, name)
    values = {
        key: reader.value(sorts[key], value) if key in sorts else str(value)
        for key, value in parameters.items()
    }
    # Parameters come in the order in which the action declares them. Unknown ones come last.
    order = [*(key for key in sorts if key in values), *(key for key in values if key not in sorts)]
    return ActionTaken(name, {key: values[key] for key in order})


def _parameter_sorts(definition: Definition, action: str) -> dict[str, Sort]:
    return next((known.sorts for known in definition.actions if known.name == action), {})


def _quoted(about: Mapping[str, Any], name: str) -> str:
    return json.dumps(about[name])[:60] if name in about else "missing"


def _out(sort: Sort, value: Any) -> Any:
    """A concrete value as JSON."""
    match sort:
        case Option():
            if value is None:
                return {"tag": "None", "value": _UNIT}
            return {"tag": "Some", "value": _out(sort.inner, value)}
        case Record():
            return {name: _out(part, value[name]) for name, part in sort.fields}
        case Tuple():
            return {"#tup": list(map(_out, sort.items, value))}
        case Variant():
            return {"tag": value.tag, "value": _out(sort.payload(value.tag), value.payload)}
        case PartialFunction():
            pairs = ((key, value[key]) for key in sort.domain.each() if key in value)
            return {"#map": [[_out(sort.domain, key), _out(sort.range, item)] for key, item in pairs]}
        case Listed():
            return _out_listed(value)
        case Function():
            pairs = ((key, value[key]) for key in sort.domain.each())
            return {"#map": [[_out(sort.domain, key), _out(sort.range, item)] for key, item in pairs]}
        case Bag():
            held = (item for item in sort.element.each() if item in value)
            return {"#map": [[_out(sort.element, item), value[item]] for item in held]}
        case Set():
            return {"#set": [_out(sort.element, item) for item in sort.element.each() if item in value]}
        case Sequence():
            return [_out(sort.element, item) for item in value]
    return value.name if isinstance(value, Element) else value


def _out_listed(value: Any) -> Any:
    """A listed value as JSON, by what it is: its sort says no more."""
    match value:
        case Tagged():
            return {"tag": value.tag, "value": _out_listed(value.payload)}
        case tuple():
            return {"#tup": list(map(_out_listed, value))}
        case frozenset():
            return {"#set": [_out_listed(item) for item in sorted(value, key=show)]}
        case FrozenMap():
            return {"#map": [[_out_listed(key), _out_listed(item)] for key, item in value.items()]}
    return value.name if isinstance(value, Element) else value


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same; true is not 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@dataclass(frozen=True)
class _Reader:
    """Reads the JSON of one variable or parameter in one state."""

    step: int
    name: str

    def value(self, sort: Sort, data: Any) -> Concrete:
        """The concrete value, of the given sort, that JSON stands for."""
        match sort:
            case Boolean():
                return bool(self._plain(data, bool, "true or false"))
            case Range():
                return self._integer(data)
            case Option():
                return self._option(sort, data)
            case Record():
                return self._record(sort, data)
            case Function():
                return self._function(sort, data)
            case Set():
                return frozenset(self.value(sort.element, item) for item in self._marked(data, "#set"))
            case Bag() | Tuple() | Variant() | PartialFunction() | Listed():
                return self._compound(sort, data)
            case Sequence():
                items = self._plain(data, list, "an array")
                return tuple(self.value(sort.element, item) for item in items)
            case Enum() if isinstance(sort.members[0], int):
                return self._integer(data)
        return self._named(sort, data)

    def _named(self, sort: Sort, data: Any) -> Concrete:
        name = str(self._plain(data, str, f"a string that names one of {sort}"))
        if not isinstance(sort, IndexSet):
            return name
        found = sort.named(name)
        if found is None:
            raise ReplayFailure(self.step, f"{self.name} is {show(name)}, which is not in {sort}")
        return found

    def _compound(self, sort: Sort, data: Any) -> Concrete:
        match sort:
            case Tuple():
                items = self._marked(data, "#tup")
                if len(items) != len(sort.items):
                    raise self._wrong(f"a tuple of {len(sort.items)} items", data)
                return tuple(map(self.value, sort.items, items))
            case Variant():
                return self._variant(sort, data)
            case Bag():
                pairs = self._pairs(sort.element, data)
                return FrozenMap((key, self._integer(count)) for key, count in pairs.items())
            case PartialFunction():
                pairs = self._pairs(sort.domain, data)
                return FrozenMap((key, self.value(sort.range, item)) for key, item in pairs.items())
            case _:
                assert isinstance(sort, Listed)
                return self._listed(sort, data)

    def _wrong(self, wanted: str, data: Any) -> UsageError:
        shown = json.dumps(data, ensure_ascii=False)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
        return UsageError(f"state {self.step}: {self.name} should be {wanted}, the file has {shown}")

    def _plain(self, data: Any, kind: type, wanted: str) -> Any:
        if not isinstance(data, kind):
            raise self._wrong(wanted, data)
        return data

    def _integer(self, data: Any) -> int:
        if isinstance(data, dict) and re.fullmatch(r"-?[0-9]{1,18}", str(data.get("#bigint"))):
            return int(data["#bigint"])
        if not isinstance(data, int) or isinstance(data, bool):
            raise self._wrong("an integer", data)
        return data

    def _marked(self, data: Any, mark: str) -> list[Any]:
        items = data.get(mark) if isinstance(data, dict) else None
        if not isinstance(items, list):
            raise self._wrong(f'{{"{mark}": […]}}', data)
        return items

    def _option(self, sort: Option, data: Any) -> Concrete:
        match data:
            case {"tag": "None"}:
                return None
            case {"tag": "Some", "value": inner}:
                return self.value(sort.inner, inner)
            case _:
                raise self._wrong('{"tag": "None", …} or {"tag": "Some", "value": …}', data)

    def _variant(self, sort: Variant, data: Any) -> Concrete:
        tag = data.get("tag") if isinstance(data, dict) else None
        if not isinstance(tag, str) or tag not in sort.payloads or "value" not in data:
            raise self._wrong(f'{{"tag": …, "value": …}} with one of {", ".join(sort.payloads)}', data)
        return Tagged(tag, self.value(sort.payload(tag), data["value"]))

    def _listed(self, sort: Listed, data: Any) -> Concrete:
        if sort.bounds is not None:
            return self._integer(data)
        for value in sort.members:
            if _same(_out_listed(value), data):
                return value
        raise self._wrong(f"one of {sort}", data)

    def _record(self, sort: Record, data: Any) -> FrozenMap:
        if not isinstance(data, dict) or set(data) != set(sort.field_sorts):
            raise self._wrong(f"an object with {', '.join(sort.field_sorts)}", data)
        return FrozenMap((name, self.value(part, data[name])) for name, part in sort.fields)

    def _function(self, sort: Function, data: Any) -> FrozenMap:
        pairs = self._pairs(sort.domain, data)
        keys = list(sort.domain.each())
        for key in keys:
            if key not in pairs:
                raise ReplayFailure(self.step, f"{self.name} has no value for the key {show(key)}")
        for key in pairs:
            if key not in keys:
                words = f"{self.name} has the key {show(key)}, which is not in {sort.domain}"
                raise ReplayFailure(self.step, words)
        return FrozenMap((key, self.value(sort.range, pairs[key])) for key in keys)

    def _pairs(self, domain: Sort, data: Any) -> dict[Concrete, Any]:
        pairs: dict[Concrete, Any] = {}
        for pair in self._marked(data, "#map"):
            if not isinstance(pair, list) or len(pair) != 2:
                raise self._wrong('{"#map": [[key, value], …]}', data)
            key = self.value(domain, pair[0])
            if key in pairs:
                raise UsageError(f"state {self.step}: {self.name} has two values for the key {show(key)}")
            pairs[key] = pair[1]
        return pairs
