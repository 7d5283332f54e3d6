"""A finished run of an engine: what both the terminal and the JSON output are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.engines.bmc import Outcome
from verifier.model import Model
from verifier.specs.definition import Definition


@dataclass(frozen=True)
class Run:
    """What was asked, what came out, and the exit code that follows."""

    engine: str
    definition: Definition
    model: Model | None
    """None if the run ended before the model was built."""
    options: Mapping[str, Any]
    depth: int
    solvers: tuple[str, ...]
    """The solvers that took part, each once."""
    outcome: Outcome
    seconds: float
    """Of the whole run, with building."""
    building_seconds: float
    exit_code: int
    expected: tuple[str, ...] = ()
    """The expectations as they were given."""
    missing: tuple[str, ...] = ()
    """Actions that were expected to be enabled, and were not."""
