"""The engines by name: a run from plain options, as sweeps and manifests ask for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from verifier.engines import induction
from verifier.errors import unknown_name
from verifier.outcomes.run import Run
from verifier.runs import bmc, explore, induct, prove, simulate
from verifier.runs.loading import Loaded
from verifier.runs.options import (
    BmcOptions,
    ExploreOptions,
    InductOptions,
    Options,
    ProveOptions,
    SimulateOptions,
)
from verifier.runs.question import Asked


@dataclass(frozen=True)
class Engine:
    """An engine: what it can be asked, and how it runs."""

    name: str
    """As results say it."""
    options: type[Options]
    prepare: Callable[[Loaded, Any], Asked[Any]]
    """Raises UsageError for what cannot be asked."""
    recorded: Callable[[Asked[Any]], dict[str, Any]]
    """The options as results name them, defaults filled in."""
    run: Callable[[Asked[Any]], Run]


ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        bmc.ENGINE: Engine(bmc.ENGINE, BmcOptions, bmc.prepare, bmc.recorded, bmc.run),
        explore.ENGINE: Engine(
            explore.ENGINE, ExploreOptions, explore.prepare, explore.recorded, explore.run
        ),
        "induct": Engine(induction.ENGINE, InductOptions, induct.prepare, induct.recorded, induct.run),
        prove.ENGINE: Engine(prove.ENGINE, ProveOptions, prove.prepare, prove.recorded, prove.run),
        simulate.ENGINE: Engine(
            simulate.ENGINE, SimulateOptions, simulate.prepare, simulate.recorded, simulate.run
        ),
    }
)


def options_of(engine: str, given: Mapping[str, Any]) -> Options:
    """The options of an engine from names and values. Raises UsageError for an unknown engine or name."""
    if engine not in ENGINES:
        raise unknown_name("engine", engine, ENGINES)
    known = [field.name for field in fields(ENGINES[engine].options)]
    for name in given:
        if name not in known:
            raise unknown_name(f"option of {engine}", name, known)
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
    }
    return ENGINES[engine].options(**values)


def execute(engine: str, loaded: Loaded, options: Options) -> Run:
    """Runs the engine. Raises UsageError for what cannot be asked of it."""
    return ENGINES[engine].run(ENGINES[engine].prepare(loaded, options))
