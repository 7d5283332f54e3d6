"""The engines by name. A new engine is a module with its ``ENGINE``, and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from verifier.errors import make_unknown_name_error
from verifier.outcomes.former_names import current_name

if TYPE_CHECKING:
    from verifier.runs.engine import Engine

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


def engine_named(name: str) -> Engine[Any]:
    """Return the engine. Raises UsageError for an unknown name."""
    name = current_name(name)
    if name not in ENGINES:
        raise make_unknown_name_error("engine", name, ENGINES)
    engine: Engine[Any] = import_module(ENGINES[name][0]).ENGINE
    return engine
