"""Executions in files and results, followed step by step by the specification itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from verifier.conform.logs import plain_itf
from verifier.errors import UsageError
from verifier.server.open_spec import OpenSpec, Successor


def follow_trace(spec: OpenSpec, trace: Mapping[str, Any]) -> None:
    """Make the path of a specification the execution of an ITF object. Raises UsageError if the
    specification does not take these steps."""
    states = trace.get("states")
    if not isinstance(states, list) or not states or not all(isinstance(one, dict) for one in states):
        raise UsageError("no execution in ITF: an object with a list of states is expected")
    begin = _find(spec, spec.initial, states[0])
    if begin is None:
        raise UsageError(f"state 0 of the execution is not an initial state of {spec.name}")
    path, at = spec.path, spec.at
    spec.go(begin)
    for number, written in enumerate(states[1:], 1):
        one = _find_step(spec, spec.successors(spec.current), written)
        if one is None:
            spec.path, spec.at = path, at
            raise UsageError(f"{spec.name} has no step to state {number} of the execution")
        spec.take(one)


def _find_step(spec: OpenSpec, known: Iterable[Successor], written: Mapping[str, Any]) -> Successor | None:
    """Return the step to a state, by its action if the execution names it."""
    action = written.get("#meta", {}).get("action")
    fits = [one for one in known if _find(spec, [one.state], written) is not None]
    return next((one for one in fits if one.action == action), fits[0] if fits else None)


def _find(spec: OpenSpec, numbers: Iterable[int], written: Mapping[str, Any]) -> int | None:
    """Return the state that agrees with one that is written in ITF."""
    machine = spec.machine
    values = {name: plain_itf(written[name]) for name in machine.variables if name in written}
    for number in numbers:
        state = spec.state(number)
        if all(machine.agrees(machine.value(state, name), value) for name, value in values.items()):
            return number
    return None
