"""A specification that runs beside an implementation: the base of the generated Hypothesis tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from verifier.conform.judging import LogQuestion
from verifier.conform.judging import load_machine as load_for_logs
from verifier.conform.machine import Machine, Parameters
from verifier.conform.modules import ModuleMachine
from verifier.errors import make_unknown_name_error
from verifier.runs.loaded import ReadingOptions
from verifier.testing.json_values import module_json, protocol_json


def load_machine(
    spec: str | Path,
    settings: Mapping[str, str] | None = None,
    config: Path | None = None,
    libraries: Iterable[Path] = (),
) -> Machine:
    """Load a specification, at constants given as text. Raises UsageError."""
    reading = ReadingOptions(config, tuple(libraries))
    return load_for_logs(LogQuestion(str(spec), settings=settings or {}, reading=reading))


class Model:
    """The states in which a specification may be, after what an implementation did."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.states: list[Any] = []
        """Several, if the implementation shows only a part of its state."""
        self._choices: dict[str, list[dict[str, Any]]] = {}

    def initial(self) -> list[dict[str, Any]]:
        """Return the initial states, as JSON values by variable."""
        return [
            {name: self._json(self.machine.value(state, name)) for name in self.machine.variables}
            for state in self.machine.initial()
        ]

    def begin(self, seen: Mapping[str, Any]) -> None:
        """Begin in the initial states that agree with what the implementation shows."""
        self._take(self.machine.initial(), seen, "no initial state is as the implementation shows it")

    def choices(self, action: str) -> list[dict[str, Any]]:
        """Return the values of the parameters with which an action is enabled, in the order of its
        parameters."""
        if action not in self._choices:
            names, choices = self.machine.actions[action], list[dict[str, Any]]()
            for state in self.states:
                for parameters, _ in self.machine.steps(state, action, lambda _: True):
                    given = {name: self._json(parameters[name]) for name in names if name in parameters}
                    whole = {name: given.get(name) for name in names}
                    if whole not in choices:
                        choices.append(whole)
            self._choices[action] = choices
        return self._choices[action]

    def is_stuck(self) -> bool:
        """True if no action is enabled."""
        return not any(map(self.choices, self.machine.actions))

    def follow(self, action: str, given: Mapping[str, Any], seen: Mapping[str, Any]) -> None:
        """Take the steps of an action that agree with what the implementation shows. Raises AssertionError if
        there is none."""

        def fits(parameters: Parameters) -> bool:
            return all(
                name not in parameters or self.machine.agrees(parameters[name], value)
                for name, value in given.items()
            )

        steps = (self.machine.steps(state, action, fits) for state in self.states)
        states = [after for of_state in steps for _, after in of_state]
        words = ", ".join(f"{name}={value!r}" for name, value in given.items())
        self._take(states, seen, f"no step of {action}({words}) leads to what the implementation shows")

    def holds(self, invariant: str) -> bool:
        """True if an invariant holds in a state in which the specification may be."""
        return any(self.machine.holds(state, invariant) for state in self.states)

    def _take(self, states: Iterable[Any], seen: Mapping[str, Any], words: str) -> None:
        for name in seen:
            if name not in self.machine.variables:
                raise make_unknown_name_error("variable", name, self.machine.variables)
        states = list(dict.fromkeys(states))
        self.states = [state for state in states if not any(self._differences(state, seen))]
        self._choices.clear()
        if not self.states:
            shown = [", ".join(self._differences(state, seen)) for state in states[:3]]
            raise AssertionError("\n  ".join([words, *shown]))

    def _differences(self, state: Any, seen: Mapping[str, Any]) -> Iterable[str]:
        for name, value in seen.items():
            own = self.machine.value(state, name)
            if not self.machine.agrees(own, _as_log(value)):
                yield f"{name} is {value!r}, and not {self.machine.show(own)}"

    def _json(self, value: Any) -> Any:
        if isinstance(self.machine, ModuleMachine):
            return module_json(value, self.machine.spec.evaluator.order)
        return protocol_json(value)


def _as_log(value: Any) -> Any:
    """Return a value of Python as a log has it."""
    match value:
        case set() | frozenset() | list() | tuple():
            return [_as_log(item) for item in value]
        case dict():
            return {str(key): _as_log(item) for key, item in value.items()}
    return value
