"""The meaning of the names in an exported file, as plain data: state bits, inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.concrete import show
from verifier.encodings.layout import Leaf
from verifier.specs.definition import PropertyKind
from verifier.system.model import Model
from verifier.system.transition_system import Instance

Place = Mapping[str, Any]
"""The place of a bit in the file; the keys depend on the format."""
Places = Callable[[FNode], Place]


def state_fields(leaves: Iterable[Leaf], place: Places, within: str = "") -> list[dict[str, Any]]:
    """Scalar fields of a state: the bits of each field and the code of each value, a digit for each bit."""
    return [
        {
            "variable": leaf.name.removeprefix(within),
            "bits": [place(symbol) for symbol in leaf.bits],
            "values": {show(value): _digits(leaf.encode(value)) for value in leaf.values},
        }
        for leaf in leaves
    ]


def instances(
    model: Model, taken: Callable[[int, Instance], Place], place: Places
) -> Iterator[dict[str, Any]]:
    """The instances, each with the input that asks for it and the inputs of its free parameters."""
    for index, instance in enumerate(model.system.instances):
        free = model.free_layouts[instance.label].leaves if instance.inputs else ()
        yield {
            "instance": instance.label,
            "action": instance.action,
            "parameters": {name: show(value) for name, value in instance.parameters.items()},
            "taken": taken(index, instance),
            "free": state_fields(free, place, f"{instance.label}."),
        }


def properties(model: Model, names: Sequence[str], place: Callable[[str], Place]) -> list[dict[str, Any]]:
    """The properties, each with the meaning of a bad state: violated or reached."""
    chosen = [model.system.property_named(name) for name in names]
    return [
        {
            "property": prop.name,
            "kind": prop.kind.value,
            "bad": "reached" if prop.kind is PropertyKind.REACHABLE else "violated",
            **place(prop.name),
        }
        for prop in chosen
    ]


def legend(names: Mapping[str, Any]) -> Iterator[str]:
    """The fields of a state and their codes as lines of text."""
    yield "State fields; of each value the bits, from #0 on:"
    for field in names["state"]:
        codes = " ".join(f"{value}={digits}" for value, digits in field["values"].items())
        yield f"  {field['variable']}: {codes}"


def _digits(bits: Sequence[bool]) -> str:
    return "".join("1" if on else "0" for on in bits)
