"""Executions of TLA+ modules as ITF, with the values that TLA+ has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import show
from verifier.tla.itf import trace_object
from verifier.trust.trace import ActionTaken, Trace

if TYPE_CHECKING:
    from verifier.runs.tla_loading import TlaDefinition
    from verifier.runs.tla_symbolic import Symbolic


def about(definition: TlaDefinition, violates: str | None) -> dict[str, Any]:
    """What a trace says of itself."""
    return {
        "format": "ITF",
        "spec": definition.name,
        "spec_hash": definition.spec_hash,
        "module": f"{definition.name}.tla",
        "config": definition.config,
        "constants": dict(definition.constants),
        "property": violates,
        "status": "violation" if violates is not None else "execution",
        "failing": [],
        "drawing": None,
    }


def written(made: Symbolic, trace: Trace) -> dict[str, Any]:
    """The execution that an engine found."""
    translation = made.translation
    spec = translation.specification
    states = [translation.decode(dict(state)) for state in trace.states]
    names = [symbol.name for symbol in translation.variables]
    actions = [one.name for one in trace.actions]
    found = trace_object(
        names, states, actions, about(made.loaded.definition, trace.violates), spec.evaluator.order
    )
    for state, action in zip(found["states"][1:], trace.actions, strict=True):
        state["#meta"]["parameters"] = _parameters(action)
    if trace.loop is not None:
        closing = trace.loop.closing
        how = {} if closing is None else {"action": closing.name, "parameters": _parameters(closing)}
        conditions = [{"condition": name, "met": why} for name, why in trace.loop.conditions]
        found["#meta"]["loop"] = {**how, "fairness": trace.loop.fairness, "conditions": conditions}
        found["loop"] = trace.loop.start
    return found


def _parameters(action: ActionTaken) -> Mapping[str, Any]:
    return {
        name: value if isinstance(value, int | str) else show(value)
        for name, value in action.parameters.items()
    }
