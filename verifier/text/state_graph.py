"""A small state graph as Graphviz, GraphML or JSON text, or as data for a page."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from verifier.encodings.concrete import Concrete, show
from verifier.engines.exploration import Graph
from verifier.explicit.packing import unpack
from verifier.outcomes.labeled_graph import LabeledGraph
from verifier.printable import printable
from verifier.trust.trace import ActionTaken

MOST_STATES = 20_000
"""The most states that a drawing can have."""
MOST_IN_A_PAGE = 2_000
"""The most states that a page can draw."""


def label_graph(graph: Graph, traces: Mapping[str, Sequence[Mapping[str, Concrete]]]) -> LabeledGraph:
    """Return the graph of a model as text. ``traces``: the states of the executions that violate a property,
    by its name. Those of which the graph only has images are left out."""
    layout = graph.moves.model.layout
    rows = (layout.decode_state(unpack(row, len(layout.bits))) for row in graph.rows)
    states = [tuple(show(value) for value in row.values()) for row in rows]
    name = _names(graph)
    edges = [(int(source), int(target), name(move)) for source, target, move in graph.edges]
    numbers = {state: number for number, state in enumerate(states)}
    ways: dict[str, list[int]] = {}
    for title, trace in traces.items():
        numbers_of_states = [numbers.get(tuple(map(show, state.values())), -1) for state in trace]
        if -1 not in numbers_of_states:
            ways[title] = numbers_of_states
    return LabeledGraph(tuple(layout.sorts), states, graph.initial, edges, ways=ways)


def as_dot(graph: LabeledGraph) -> str:
    """Return the graph in Graphviz's language; initial states are filled, with a double border."""
    lines = ["digraph states {", "  node [shape=box];"]
    for number, label in enumerate(_labels(graph)):
        text = "\\l".join(map(_quote, label))
        initial = ", style=filled, peripheries=2" if number < graph.initial else ""
        lines.append(f'  {number} [label="{text}\\l"{initial}];')
    for source, target, action in graph.edges:
        lines.append(f'  {source} -> {target} [label="{_quote(action)}"];')
    return "\n".join([*lines, "}", ""])


def as_json(graph: LabeledGraph) -> str:
    """Return the graph as the JSON that Graphviz makes of TLC's graphs (``dot -Tjson``): ``objects`` have a
    label with the values of all variables, ``edges`` have the numbers of both ends, and the action."""
    objects = [
        {
            "_gvid": number,
            "name": str(number),
            "label": "\n".join(map(printable, label)),
            **({"style": "filled"} if number < graph.initial else {}),
        }
        for number, label in enumerate(_labels(graph))
    ]
    edges = [
        {"_gvid": number, "tail": source, "head": target, "label": printable(action)}
        for number, (source, target, action) in enumerate(graph.edges)
    ]
    whole = {"name": "states", "directed": True, "strict": False, "objects": objects, "edges": edges}
    return json.dumps(whole, indent=1) + "\n"


def as_graphml(graph: LabeledGraph) -> str:
    """Return GraphML, with a data key for each variable of the state and one for an edge's action."""
    variables = graph.variables
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
    for number, values in enumerate(graph.states):
        data = [
            f'<data key="node{index}">{escape(printable(value))}</data>' for index, value in enumerate(values)
        ]
        data.append(f'<data key="node{len(variables)}">{str(number < graph.initial).lower()}</data>')
        lines.append(f'    <node id="n{number}">{"".join(data)}</node>')
    for source, target, action in graph.edges:
        data = [f'<data key="edge{len(variables) + 1}">{escape(printable(action))}</data>']
        lines.append(f'    <edge source="n{source}" target="n{target}">{data[0]}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def as_data(graph: LabeledGraph, *, complete: bool) -> dict[str, Any]:
    """Return the graph as JSON for a page that draws it. ``complete`` is false of a part of all states."""
    places: dict[str, int] = {}
    states = [
        [places.setdefault(printable(value), len(places)) for value in values] for values in graph.states
    ]
    actions: dict[str, int] = {}
    edges = [
        [source, target, actions.setdefault(printable(action).removesuffix("()"), len(actions))]
        for source, target, action in graph.edges
    ]
    return {
        "variables": [printable(variable) for variable in graph.variables],
        "values": list(places),
        "states": states,
        "initial": graph.initial,
        "actions": list(actions),
        "edges": sorted(map(list, {tuple(edge) for edge in edges})),
        "levels": _levels(len(states), graph.initial, edges),
        "ways": [{"property": title, "states": list(way)} for title, way in graph.ways.items()],
        "complete": complete,
    }


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


def _labels(graph: LabeledGraph) -> Iterator[list[str]]:
    """Yield the lines of each state's label; for TLA+, the conjuncts of a formula, as in TLC's graphs."""
    conjunct = "/\\ " if graph.tla and len(graph.variables) > 1 else ""
    for values in graph.states:
        yield [f"{conjunct}{name} = {value}" for name, value in zip(graph.variables, values, strict=True)]


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


GRAPHS = {".dot": as_dot, ".graphml": as_graphml, ".json": as_json}
"""The writer of a graph, by the ending of its file."""
