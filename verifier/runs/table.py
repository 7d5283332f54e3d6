"""The engines by name. A new engine is a module with its ``ENGINE``, and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from verifier.outcomes.former_names import current_name

ENGINES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "check": ("verifier.runs.check", "Decide every property, by all engines."),
        "bmc": ("verifier.runs.bmc", "Check properties in every execution up to a depth."),
        "explore": ("verifier.runs.explore", "Look at every reachable state, without a solver."),
        "simulate": ("verifier.runs.simulate", "Run random executions and count."),
        "prove": ("verifier.runs.prove", "Prove properties for all depths, or find a violation."),
        "induct": ("verifier.runs.induct", "Prove properties for all depths, by the spec's lemmas."),
        "live": ("verifier.runs.live", "Check temporal properties under fairness."),
    }
)
"""The module of each engine, which is loaded when it is needed, and a short description."""


def is_engine(name: str) -> bool:
    """True if results may name this engine, now or in earlier versions."""
    return current_name(name) in ENGINES
