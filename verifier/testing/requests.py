"""Requests for test suites."""

from __future__ import annotations

from dataclasses import dataclass, field

from verifier.processes.limits import Limits

COVERS = ("actions", "instances", "states", "transitions", "pairs")
MOST_STATES = 20_000


@dataclass(frozen=True)
class SuiteRequest:
    """The executions that a suite should have."""

    cover: str = "transitions"
    depth: int | None = None
    """The most actions of an execution; None: as many as the farthest target needs, or 20."""
    count: int | None = None
    seed: int = 0
    max_states: int = MOST_STATES
    limits: Limits = field(default_factory=Limits)
