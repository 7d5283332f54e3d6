"""A second judge of executions: it makes states from the protocol and writes them as JSON.

The file must contain the same text, so the file's values are only compared, never parsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tests.support import explicit
from verifier.encodings.concrete import Element, FrozenMap
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.sorts import Bag, Function, Option, Record, Sequence, Set, Sort
from verifier.system.model import Model
from verifier.system.transition_system import Instance


def canonical(data: Any) -> Any:
    """JSON in a form in which equal values are equal: sets and maps have no order, types are told apart."""
    match data:
        case {"#set": list(items)}:
            return ("set", frozenset(map(canonical, items)))
        case {"#map": list(pairs)}:
            return ("map", frozenset(tuple(map(canonical, pair)) for pair in pairs))
        case {"#bigint": str(digits)}:
            return ("int", int(digits))
        case {"tag": "None"}:
            return ("none",)
        case {"tag": "Some", "value": value}:
            return ("some", canonical(value))
        case dict():
            return ("record", frozenset((name, canonical(value)) for name, value in data.items()))
        case list():
            return ("list", tuple(map(canonical, data)))
    return (type(data).__name__, data)


def say_value(sort: Sort, value: Any) -> Any:
    """A concrete value in that form."""
    match sort:
        case Option():
            return ("none",) if value is None else ("some", say_value(sort.inner, value))
        case Record():
            return ("record", frozenset((name, say_value(part, value[name])) for name, part in sort.fields))
        case Function():
            pairs = ((say_value(sort.domain, key), say_value(sort.range, value[key])) for key in value)
            return ("map", frozenset(pairs))
        case Bag():
            return ("map", frozenset((say_value(sort.element, key), ("int", value[key])) for key in value))
        case Set():
            return ("set", frozenset(say_value(sort.element, item) for item in value))
        case Sequence():
            return ("list", tuple(say_value(sort.element, item) for item in value))
    if isinstance(value, Element):
        return ("str", value.name)
    assert not isinstance(value, FrozenMap | frozenset | tuple)
    return (type(value).__name__, value)


@dataclass
class Judge:
    """Judges traces of one model."""

    model: Model
    _steps: dict[str, Evaluator] = field(default_factory=dict)

    def faults(self, data: Mapping[str, Any]) -> str | None:
        """Return the reason why the file's states are no execution to its claim; None if they are one."""
        first, *later = data["states"]
        begun = [state for state in self._initial() if self._show(state) == self._read_claim(first)]
        if not begun:
            return "it begins in no initial state"
        (state,) = begun
        for step, entry in enumerate(later, 1):
            following = [
                s for s in self._after(state, entry["#meta"]) if self._show(s) == self._read_claim(entry)
            ]
            if not following:
                return f"step {step} is none of the protocol's"
            state = following[0]
        claimed = data["#meta"].get("property")
        reader = explicit._Reader(self.model)
        number = sum(on << place for place, on in enumerate(state))
        if claimed is not None and claimed not in reader.find_violated(reader.columns([number]), 1):
            return f"its last state says nothing of {claimed}"
        return None

    def _initial(self) -> list[tuple[bool, ...]]:
        width = range(len(self.model.system.bits))
        return [tuple(bool(s >> place & 1) for place in width) for s in explicit.initial_states(self.model)]

    def _show(self, state: tuple[bool, ...]) -> Any:
        values = self.model.layout.decode_state(list(state))
        return {name: say_value(sort, values[name]) for name, sort in self.model.layout.sorts.items()}

    def _read_claim(self, entry: Mapping[str, Any]) -> Any:
        return {name: canonical(value) for name, value in entry.items() if not name.startswith("#")}

    def _after(self, state: tuple[bool, ...], taken: Mapping[str, Any]) -> Iterator[tuple[bool, ...]]:
        """Yield the targets of the action with these parameters."""
        wanted = {name: canonical(value) for name, value in taken.get("parameters", {}).items()}
        for instance in self.model.system.instances:
            if instance.action == taken["action"]:
                for inputs in product((False, True), repeat=len(instance.inputs)):
                    enabled, *values = self._step(instance).single([*state, *inputs])
                    if enabled and self._parameters(instance, inputs) == wanted:
                        new = dict(zip(instance.updates, values, strict=True))
                        bits = zip(self.model.system.bits, state, strict=True)
                        yield tuple(new.get(bit, on) for bit, on in bits)

    def _step(self, instance: Instance) -> Evaluator:
        if instance.label not in self._steps:
            known = (*self.model.system.bits, *instance.inputs)
            outputs = [instance.guard, *instance.updates.values()]
            self._steps[instance.label] = Evaluator(known, outputs)
        return self._steps[instance.label]

    def _parameters(self, instance: Instance, inputs: tuple[bool, ...]) -> Any:
        values = {**instance.parameters, **self.model.free_values(instance, list(inputs))}
        (action,) = (a for a in self.model.definition.actions if a.name == instance.action)
        return {p.symbol.name: say_value(p.symbol.sort, values[p.symbol.name]) for p in action.parameters}
