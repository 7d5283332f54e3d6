"""Executions of TLA+ modules as ITF, with the values that TLA+ has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import show
from verifier.outcomes.content import files_of
from verifier.specs.definition import Definition
from verifier.tla.alias import aliased
from verifier.tla.found import State
from verifier.tla.itf import as_json, shown_state, trace_object
from verifier.tla.order import text
from verifier.tla.specification import Specification
from verifier.trust.trace import ActionTaken, Trace

if TYPE_CHECKING:
    from verifier.runs.tla_symbolic import Symbolic


def about(definition: Definition, violates: str | None) -> dict[str, Any]:
    """What a trace says of itself."""
    return {
        "format": "ITF",
        "spec": definition.name,
        "spec_hash": definition.spec_hash,
        **files_of(definition),
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


def as_aliased(spec: Specification, trace: Trace, file: dict[str, Any], states: Sequence[State]) -> Trace:
    """An execution as the configuration's ALIAS shows it; its file gets that beside the variables."""
    order, names = spec.evaluator.order, [one.name for one in spec.variables]
    if spec.alias is None:
        return trace
    shown: list[Mapping[str, str]] = []
    start = trace.loop.start if trace.loop is not None else None
    for number, alias in enumerate(aliased(spec, states, start)):
        if alias is None:
            shown.append(shown_state(names, states[number], order))
            continue
        shown.append({key: text(value, order) for key, value in alias.items()})
        file["states"][number]["#meta"]["alias"] = {k: as_json(v, order) for k, v in alias.items()}
    return replace(trace, shown=tuple(shown))


def _parameters(action: ActionTaken) -> Mapping[str, Any]:
    return {
        name: value if isinstance(value, int | str) else show(value)
        for name, value in action.parameters.items()
    }


def module_trace(
    spec: Specification,
    definition: Definition,
    violates: str | None,
    states: Sequence[State],
    actions: Sequence[str],
) -> Trace:
    """An execution of the interpreter's states, its values as TLA+ writes them."""
    names, order = [one.name for one in spec.variables], spec.evaluator.order
    return Trace(
        definition.name,
        definition.spec_hash,
        definition.constants,
        violates,
        tuple(shown_state(names, state, order) for state in states),
        tuple(ActionTaken(action, {}) for action in actions),
    )
