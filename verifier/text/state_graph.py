"""A small state graph as Graphviz or GraphML text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape, quoteattr

from verifier.encodings.concrete import show
from verifier.engines.explore import Graph
from verifier.explicit.packing import unpack
from verifier.printable import printable
from verifier.trust.trace import ActionTaken

MOST_STATES = 20_000
"""The most states that a drawing can have."""


def as_dot(graph: Graph) -> str:
    """Graphviz's language; initial states have a double border."""
    lines = ["digraph states {", "  node [shape=box];"]
    for number, values in enumerate(_states(graph)):
        label = "\\l".join(_quoted(f"{name} = {value}") for name, value in values)
        double = ", peripheries=2" if number < graph.initial else ""
        lines.append(f'  {number} [label="{label}\\l"{double}];')
    name = _names(graph)
    for source, target, move in graph.edges:
        lines.append(f'  {source} -> {target} [label="{_quoted(name(move))}"];')
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


def _quoted(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')


GRAPHS = {".dot": as_dot, ".graphml": as_graphml}
"""How a graph is written, by the ending of its file."""
