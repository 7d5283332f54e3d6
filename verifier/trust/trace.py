"""Traces: executions as concrete states and the actions between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from verifier.encodings.concrete import Concrete, show


@dataclass(frozen=True)
class ActionTaken:
    """An action with the values of all its parameters, expanded and free."""

    name: str
    parameters: Mapping[str, Concrete]

    def __str__(self) -> str:
        shown = (f"{name}={show(value)}" for name, value in self.parameters.items())
        return f"{self.name}({', '.join(shown)})"


@dataclass(frozen=True)
class Trace:
    """An execution: ``states[i + 1]`` follows from ``states[i]`` by ``actions[i]``."""

    spec: str
    spec_hash: str
    constants: Mapping[str, Concrete]
    violates: str | None
    """The property that the last state violates or reaches."""
    states: tuple[Mapping[str, Concrete], ...]
    actions: tuple[ActionTaken, ...]

    @property
    def steps(self) -> int:
        """The number of actions."""
        return len(self.actions)
