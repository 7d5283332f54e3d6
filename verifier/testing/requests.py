"""Requests for test suites."""

from __future__ import annotations

from dataclasses import dataclass, field

from verifier.processes.limits import Limits

NEAR_VIOLATIONS = "near-violations"
BY_STATES = ("near-failures", NEAR_VIOLATIONS)
"""The covers whose targets are conjuncts of guards, in states in which they alone are false."""
BY_GUARDS = ("guards", *BY_STATES)
COVERS = ("actions", "instances", "states", "transitions", "pairs", *BY_GUARDS)
MOST_STATES = 20_000


@dataclass(frozen=True)
class SuiteRequest:
    """The executions that a suite should have."""

    cover: str = "transitions"
    depth: int | None = None
    """The largest number of actions in an execution; None: as many as the farthest target needs, or 20."""
    count: int | None = None
    seed: int = 0
    max_states: int = MOST_STATES
    limits: Limits = field(default_factory=Limits)
