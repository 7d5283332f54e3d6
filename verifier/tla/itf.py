"""Traces as ITF JSON, and states as readers see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verifier.tla.order import Order, text
from verifier.tla.values import TRUE, Boolean, Fn, ModelValue, Value, listed

State = Mapping[str, Value]


def as_json(value: Value, order: Order) -> Any:
    """A value in the Informal Trace Format."""
    value = listed(value)
    match value:
        case Boolean():
            return value is TRUE
        case ModelValue():
            return value.name
        case int():
            return value if abs(value) < 2**53 else {"#bigint": str(value)}
        case tuple():
            return [as_json(item, order) for item in value]
        case frozenset():
            return {"#set": [as_json(item, order) for item in order.sorted(value)]}
        case Fn() if all(type(key) is str for key in value):
            return {key: as_json(value[key], order) for key in order.sorted(value)}
        case Fn():
            keys = order.sorted(frozenset(value))
            return {"#map": [[as_json(key, order), as_json(value[key], order)] for key in keys]}
    return value


def trace_object(
    names: Sequence[str],
    states: Sequence[Sequence[Value]],
    actions: Sequence[str],
    about: Mapping[str, Any],
    order: Order,
) -> dict[str, Any]:
    """A trace as a JSON object."""
    made = []
    for index, state in enumerate(states):
        meta: dict[str, Any] = {"index": index}
        if index:
            meta.update(action=actions[index - 1], parameters={})
        values = {name: as_json(value, order) for name, value in zip(names, state, strict=True)}
        made.append({"#meta": meta, **values})
    return {"#meta": dict(about), "vars": list(names), "states": made}


def shown_state(names: Sequence[str], state: Sequence[Value], order: Order) -> dict[str, str]:
    """A state with its values as TLA+ writes them."""
    return {name: text(value, order) for name, value in zip(names, state, strict=True)}
