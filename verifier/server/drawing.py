"""The execution on which one walks as a drawing, and the graph of the states that were seen.

Both are for the scripts of reports, which draw them in the browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verifier.conform.modules import ModuleMachine
from verifier.conform.protocols import concrete
from verifier.outcomes.labeled_graph import LabeledGraph
from verifier.report.packed_diagram import pack_diagram
from verifier.report.trace_diagram import diagram_of
from verifier.runs.modules.traces import as_file, module_trace
from verifier.server.open_spec import OpenSpec, Visited
from verifier.text.state_graph import as_data
from verifier.tla.exploration_result import Taken
from verifier.trust import itf
from verifier.trust.trace import ActionTaken, Trace

_MOST_DRAWN = 300
"""The most states of the graph. Those that are seen first stay."""


def write_execution(spec: OpenSpec, path: Sequence[Visited]) -> dict[str, Any]:
    """Return an execution as ITF."""
    definition, machine = spec.loaded.definition, spec.machine
    states = [spec.state(one.state) for one in path]
    if isinstance(machine, ModuleMachine):
        taken = [Taken(one.action or "", dict(one.parameters)) for one in path[1:]]
        return as_file(
            machine.spec, definition, module_trace(machine.spec, definition, None, states, taken), states
        )
    values = tuple(
        {name: concrete(value) for name, value in zip(machine.variables, state, strict=True)}
        for state in states
    )
    actions = tuple(
        ActionTaken(one.action or "", {name: concrete(value) for name, value in one.parameters.items()})
        for one in path[1:]
    )
    trace = Trace(definition.name, definition.spec_hash, definition.constants, None, values, actions)
    return itf.dump(trace, spec.model)


def draw_execution(spec: OpenSpec) -> dict[str, Any]:
    """Return the execution on which one walks as a diagram, and the place where one stands."""
    number = spec.current
    written = write_execution(spec, spec.path)
    diagram = diagram_of(written, written["#meta"].get("drawing"))
    packed = pack_diagram(diagram, property_name=None, documented={}, written={})
    return {"state": number, "at": spec.at, "diagram": packed}


def draw_graph(spec: OpenSpec) -> dict[str, Any]:
    """Return the graph of the states in which one was, and those to which steps lead from there."""
    current, seen = spec.current, _list_seen(spec)
    numbers = seen[:_MOST_DRAWN]
    places = {number: place for place, number in enumerate(numbers)}
    edges = [
        (places[number], places[step.state], spec.title(step.action, step.parameters))
        for number in numbers
        if number in spec.visited
        for step in spec.successors(number)
        if step.state in places
    ]
    machine = spec.machine
    states = [
        tuple(machine.show(machine.value(spec.state(number), name)) for name in machine.variables)
        for number in numbers
    ]
    graph = LabeledGraph(tuple(machine.variables), states, len(spec.begun), edges)
    return {
        "graph": as_data(graph, complete=False),
        "numbers": numbers,
        "visited": [places[number] for number in spec.visited if number in places],
        "path": [places[one.state] for one in spec.path if one.state in places],
        "current": places.get(current),
        "left_out": len(seen) - len(numbers),
    }


def _list_seen(spec: OpenSpec) -> list[int]:
    """Return the numbers of the states that were seen, those first with which walks began."""
    ahead = (step.state for number in spec.visited for step in spec.successors(number))
    return list(dict.fromkeys((*spec.begun, *spec.visited, *ahead)))
