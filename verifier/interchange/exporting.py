"""Writes a transition system and some of its properties in a format of other model checkers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pysmt.fnode import FNode

from verifier.clauses.smt2 import SystemText, bit_name, clean
from verifier.encodings.concrete import show_constants
from verifier.interchange import exported_names as naming
from verifier.interchange.aiger import aiger
from verifier.interchange.btor2 import Btor2, symbol_of
from verifier.interchange.circuit import Circuit, circuit
from verifier.interchange.smtlib import SMT_NAMES, after, definitions, now, queries
from verifier.printable import encode
from verifier.system.model import Model
from verifier.trust.initial_states import require_initial_state


class Format(StrEnum):
    """The formats."""

    SMT2 = "smt2"
    VMT = "vmt"
    BTOR2 = "btor2"
    AIGER = "aiger"


@dataclass(frozen=True)
class Exported:
    """The contents of a file, and the meaning of the names in it."""

    content: bytes
    names: dict[str, Any]
    size: str
    """The size of the system, in words."""


def export(model: Model, properties: Sequence[str], form: Format, *, readable: bool = False) -> Exported:
    """Exports a model's system and some of its properties. ``readable`` selects AIGER's ASCII form.

    Raises NoInitialState.
    """
    require_initial_state(model)
    match form:
        case Format.AIGER:
            return _aiger(model, properties, readable)
        case Format.BTOR2:
            return _btor2(model, properties)
        case _:
            return _smtlib(model, properties, form)


def _aiger(model: Model, properties: Sequence[str], readable: bool) -> Exported:
    made = circuit(model.system, properties)
    gates = aiger(made)
    inputs = {symbol: index for index, symbol in enumerate(made.inputs)}
    latches = {latch.symbol: index for index, latch in enumerate(made.latches)}

    def place(symbol: FNode) -> naming.Place:
        kind, index = ("input", inputs[symbol]) if symbol in inputs else ("latch", latches[symbol])
        return {kind: index, "literal": gates.literals[symbol]}

    outputs = {
        name: {"output": index, "literal": literal}
        for index, (name, literal) in enumerate(zip(made.bad, gates.outputs(), strict=True))
    }
    described = naming.properties(model, properties, outputs.__getitem__)
    names = _circuit_names(model, made, Format.AIGER, place, described)
    comments = _comments(names, _circuit_words(made, "an output"))
    content = encode(gates.ascii(comments)) if readable else gates.binary(comments)
    size = f"{_size(made)}, and-gates {len(gates.gates)}"
    return Exported(content, names, size)


def _btor2(model: Model, properties: Sequence[str]) -> Exported:
    made = circuit(model.system, properties)
    lines = Btor2(made)

    def place(symbol: FNode) -> naming.Place:
        return {"node": lines.numbers[symbol], "symbol": symbol_of(symbol)}

    described = naming.properties(model, properties, lambda name: {"node": lines.bad[name]})
    names = _circuit_names(model, made, Format.BTOR2, place, described)
    content = encode(lines.text(_comments(names, _circuit_words(made, "a line 'bad'"))))
    return Exported(content, names, f"{_size(made)}, lines {len(lines.lines)}")


def _smtlib(model: Model, properties: Sequence[str], form: Format) -> Exported:
    def place(symbol: FNode) -> naming.Place:
        return {"symbol": now(bit_name(symbol))}

    def state(symbol: FNode) -> naming.Place:
        return {**place(symbol), "next": after(bit_name(symbol))}

    def prop(name: str) -> naming.Place:
        index = {"index": list(properties).index(name)} if form is Format.VMT else {}
        return {"holds": f"|holds {clean(name)}|", **index}

    taken = [now(name) for name in SystemText(model.system, properties).taken]
    names = {
        **_head(model, form),
        "properties": naming.properties(model, properties, prop),
        "definitions": dict(SMT_NAMES),
        "state": naming.state_fields(model.system.leaves, state),
        "instances": list(naming.instances(model, lambda index, _: {"symbol": taken[index]}, place)),
    }
    words = [
        "A step takes the instance whose |take ...| holds, at most one; without, the state stays as it is.",
        "Neither is-init nor is-trans holds of bits that have no value.",
    ]
    lines = definitions(model, properties, annotated=form is Format.VMT)
    if form is Format.SMT2:
        words += queries(properties)
    comments = (f"; {comment}" for comment in _comments(names, words))
    text = "".join(f"{line}\n" for line in (*comments, *lines))
    size = f"state bits {len(model.system.bits)}, instances {len(model.system.instances)}, lines {len(lines)}"
    return Exported(encode(text), names, size)


def _head(model: Model, form: Format) -> dict[str, Any]:
    definition = model.definition
    return {
        "format": form.value,
        "spec": definition.name,
        "spec_hash": definition.spec_hash,
        "constants": dict(definition.constants),
    }


def _circuit_names(
    model: Model, made: Circuit, form: Format, place: naming.Places, properties: list[dict[str, Any]]
) -> dict[str, Any]:
    first = dict(zip(model.system.bits, made.starting, strict=False))
    started = made.latches[len(model.system.bits) :]
    return {
        **_head(model, form),
        "properties": properties,
        "state": naming.state_fields(model.system.leaves, place),
        "instances": list(naming.instances(model, lambda index, _: place(made.taking[index]), place)),
        # If Init allows several states: the latch that is set by the first step, and the inputs that choose.
        "started": place(started[0].symbol) if started else None,
        "initial_state": naming.state_fields(model.system.leaves, lambda bit: place(first[bit]))
        if started
        else None,
    }


def _circuit_words(made: Circuit, bad: str) -> list[str]:
    words = [
        f"Bad states: {bad} for each property.",
        "A step takes the first instance whose input 'take' is on and that is enabled; without one the",
        "state stays as it is.",
    ]
    if made.starting:
        words.append("The first step chooses an initial state by the inputs 'initially'; it is no action.")
    return words


def _size(made: Circuit) -> str:
    return f"inputs {len(made.inputs)}, latches {len(made.latches)}"


def _comments(names: dict[str, Any], words: Sequence[str]) -> list[str]:
    constants = show_constants(names["constants"])
    meanings = (f"{each['property']} ({each['kind']}) {each['bad']}" for each in names["properties"])
    return [
        f"{names['spec']} with {constants} (spec hash {names['spec_hash']})",
        f"Bad: {'; '.join(meanings)}",
        *words,
        *naming.legend(names),
    ]
