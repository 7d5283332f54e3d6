"""Traces as ITF JSON, values as JSON that can be read back, and states as text.

Source: the Informal Trace Format, ADR-015 of apalache-mc/apalache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from verifier.tla.order import Order, text
from verifier.tla.value_types import TRUE, Boolean, Fn, ForeignValue, ModelValue, Value, boolean, function
from verifier.tla.values import materialize

State = Mapping[str, Value]


def as_json(value: Value, order: Order) -> Any:
    """Return a value in the Informal Trace Format."""
    value = materialize(value)
    match value:
        case Boolean():
            return value is TRUE
        case ModelValue():
            return value.name
        case ForeignValue():
            return {"#unserializable": value.written}
        case int():
            return value if abs(value) < 2**53 else {"#bigint": str(value)}
        case tuple():
            return [as_json(item, order) for item in value]
        case frozenset():
            return {"#set": [as_json(item, order) for item in order.sort_by_kind(value)]}
        case Fn() if all(type(key) is str for key in value):
            return {key: as_json(value[key], order) for key in order.sort(value)}
        case Fn():
            keys = order.sort_by_kind(value.domain)
            return {"#map": [[as_json(key, order), as_json(value[key], order)] for key in keys]}
    return value


def trace_object(
    names: Sequence[str],
    states: Sequence[Sequence[Value]],
    actions: Sequence[tuple[str, Mapping[str, Any]]],
    about: Mapping[str, Any],
    order: Order,
) -> dict[str, Any]:
    """Return a trace as a JSON object. Each action has its parameters."""
    made = []
    for index, state in enumerate(states):
        meta: dict[str, Any] = {"index": index}
        if index:
            name, parameters = actions[index - 1]
            meta.update(action=name, parameters=dict(parameters))
        values = {name: as_json(value, order) for name, value in zip(names, state, strict=True)}
        made.append({"#meta": meta, **values})
    return {"#meta": dict(about), "vars": list(names), "states": made}


def show_state(names: Sequence[str], state: Sequence[Value], order: Order) -> dict[str, str]:
    """Return a state with its values in TLA+ syntax."""
    return {name: text(value, order) for name, value in zip(names, state, strict=True)}


def encode_value(value: Value, order: Order) -> Any:
    """Return a value as JSON that can be read back. Unlike ITF, it writes no two values alike."""
    value = materialize(value)
    match value:
        case Boolean():
            return value is TRUE
        case ModelValue():
            return {"model": value.name}
        case str():
            return {"string": value}
        case tuple():
            return {"sequence": [encode_value(item, order) for item in value]}
        case frozenset():
            return {"set": [encode_value(item, order) for item in order.sort_by_kind(value)]}
        case Fn():
            keys = order.sort_by_kind(value.domain)
            return {"function": [[encode_value(key, order), encode_value(value[key], order)] for key in keys]}
    return value


def decode_value(written: Any, known: Mapping[str, ModelValue]) -> Value:
    """Read a value that `encode_value` wrote. ``known``: model values by name. Raises ValueError, TypeError
    or KeyError for other data."""
    if isinstance(written, bool):
        return boolean(written)
    if isinstance(written, int):
        return written
    ((kind, content),) = written.items()
    match kind:
        case "model":
            return known[content]
        case "string" if isinstance(content, str):
            return content
        case "sequence":
            return tuple(decode_value(item, known) for item in content)
        case "set":
            return frozenset(decode_value(item, known) for item in content)
        case "function":
            return function({decode_value(key, known): decode_value(item, known) for key, item in content})
    raise ValueError(f"{kind} is not a kind of value")


def model_values(values: Iterable[Value]) -> dict[str, ModelValue]:
    """Return the model values in values, by name."""
    models: dict[str, ModelValue] = {}
    for value in values:
        match materialize(value):
            case ModelValue() as model:
                models[model.name] = model
            case frozenset() | tuple() as items:
                models |= model_values(items)
            case Fn() as pairs:
                models |= model_values((*pairs, *pairs.values()))
    return models
