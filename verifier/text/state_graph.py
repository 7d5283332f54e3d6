"""A small state graph as Graphviz or GraphML text, or as data for a page."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from verifier.encodings.concrete import Concrete, show
from verifier.engines.explore import Graph
from verifier.explicit.packing import unpack
from verifier.printable import printable
from verifier.trust.trace import ActionTaken

MOST_STATES = 20_000
"""The most states that a drawing can have."""
MOST_IN_A_PAGE = 2_000
"""The most states that a page can draw."""


def as_dot(graph: Graph) -> str:
    """Graphviz's language; initial states have a double border."""
    lines = ["digraph states {", "  node [shape=box];"]
    for number, values in enumerate(_states(graph)):
        label = "\\l".join(_quote(f"{name} = {value}") for name, value in values)
        double = ", peripheries=2" if number < graph.initial else ""
        lines.append(f'  {number} [label="{label}\\l"{double}];')
    name = _names(graph)
    for source, target, move in graph.edges:
        lines.append(f'  {source} -> {target} [label="{_quote(name(move))}"];')
    return "\n".join([*lines, "}", ""])


def as_graphml(graph: Graph) -> str:
    """GraphML, with a data key for each variable of the state and one for an edge's action."""
    model = graph.moves.model
    variables = list(model.layout.sorts)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    keys = [("node", name, "string") for name in variables]
    keys += [("node", "initial", "boolean"), ("edge", "action", "string")]
    lines += [
        f'  <key id="{kind}{number}" for="{kind}" attr.name={quoteattr(printable(name))} attr.type="{sort}"/>'
        for number, (kind, name, sort) in enumerate(keys)
    ]
    lines.append('  <graph edgedefault="directed">')
    for number, values in enumerate(_states(graph)):
        data = [
            f'<data key="node{index}">{escape(printable(value))}</data>'
            for index, (_, value) in enumerate(values)
        ]
        data.append(f'<data key="node{len(variables)}">{str(number < graph.initial).lower()}</data>')
        lines.append(f'    <node id="n{number}">{"".join(data)}</node>')
    name = _names(graph)
    for source, target, move in graph.edges:
        data = [f'<data key="edge{len(variables) + 1}">{escape(printable(name(move)))}</data>']
        lines.append(f'    <edge source="n{source}" target="n{target}">{data[0]}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def as_data(
    graph: Graph, traces: Mapping[str, Sequence[Mapping[str, Concrete]]], *, complete: bool
) -> dict[str, Any]:
    """The graph as JSON for a page that draws it.

    ``complete`` is false of a part of all states. ``traces`` are the states of the executions that violate a
    property, by its name.
    """
    places: dict[str, int] = {}
    states = [
        [places.setdefault(printable(value), len(places)) for _, value in values] for values in _states(graph)
    ]
    name = _names(graph)
    actions: dict[str, int] = {}
    edges = [
        [int(source), int(target), actions.setdefault(printable(name(move)).removesuffix("()"), len(actions))]
        for source, target, move in graph.edges
    ]
    numbers = {tuple(values): number for number, values in enumerate(states)}
    ways = [
        {"property": title, "states": way}
        for title, trace in traces.items()
        if (way := _number_states(trace, places, numbers)) is not None
    ]
    return {
        "variables": [printable(variable) for variable in graph.moves.model.layout.sorts],
        "values": list(places),
        "states": states,
        "initial": graph.initial,
        "actions": list(actions),
        "edges": sorted(map(list, {tuple(edge) for edge in edges})),
        "levels": _levels(len(states), graph.initial, edges),
        "ways": ways,
        "complete": complete,
    }


def _number_states(
    trace: Sequence[Mapping[str, Concrete]],
    places: Mapping[str, int],
    numbers: Mapping[tuple[int, ...], int],
) -> list[int] | None:
    """The numbers of the states of an execution; None if the graph has only images of them."""
    found = [
        numbers.get(tuple(places.get(printable(show(value)), -1) for value in state.values()))
        for state in trace
    ]
    return None if None in found else [number for number in found if number is not None]


def _levels(count: int, initial: int, edges: Sequence[Sequence[int]]) -> list[int]:
    """The fewest actions to each state."""
    following: list[list[int]] = [[] for _ in range(count)]
    for source, target, _ in edges:
        following[source].append(target)
    levels = [0 if number < initial else -1 for number in range(count)]
    waiting = deque(range(initial))
    while waiting:
        state = waiting.popleft()
        for target in following[state]:
            if levels[target] < 0:
                levels[target] = levels[state] + 1
                waiting.append(target)
    return levels


def _states(graph: Graph) -> Iterator[list[tuple[str, str]]]:
    """Each state as its variables with their values, as text."""
    layout = graph.moves.model.layout
    for row in graph.rows:
        state = layout.decode_state(unpack(row, len(layout.bits)))
        yield [(name, show(value)) for name, value in state.items()]


def _names(graph: Graph) -> Callable[[int], str]:
    model = graph.moves.model
    actions = [
        ActionTaken(move.instance.action, model.parameter_values(move.instance, move.inputs))
        for move in graph.moves.moves
    ]
    names = [str(action) for action in actions]
    return lambda move: names[move]


def _quote(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')


GRAPHS = {".dot": as_dot, ".graphml": as_graphml}
"""How a graph is written, by the ending of its file."""
