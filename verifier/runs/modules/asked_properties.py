"""The properties that an exploration of a module checks, prepared alike in each process that explores it."""

from __future__ import annotations

from dataclasses import replace

from verifier.runs.explore_options import ExploreOptions
from verifier.runs.modules.loading import TlaLoaded, checkable, formula_named, split_properties
from verifier.verdict import OF_STEPS


def prepare_properties(
    loaded: TlaLoaded, options: ExploreOptions
) -> tuple[TlaLoaded, tuple[str, ...], tuple[str, ...]]:
    """Return the module with all asked properties, their names, and the names of those about states and
    steps, which a search checks."""
    if any(name.endswith(OF_STEPS) for name in options.properties):
        loaded = replace(loaded, specification=split_properties(loaded.specification))
    properties, spec = choose_properties(loaded, options), loaded.specification
    checked = tuple(name for name in properties if name not in spec.properties or checkable(spec, name))
    return loaded, properties, checked


def choose_properties(loaded: TlaLoaded, options: ExploreOptions) -> tuple[str, ...]:
    """Return the properties to check. The module may define one that the configuration does not name."""
    spec = loaded.specification
    configured = (*spec.invariants, *spec.properties)
    stuck = spec.titles.no_deadlock
    looks = options.deadlock or (not options.properties and spec.config.check_deadlock)
    deadlock = (stuck,) if looks else ()
    if not options.properties or ("all" in options.properties and "all" not in spec.module.names):
        return tuple(dict.fromkeys((*configured, *deadlock)))
    for name in options.properties:
        if name not in (*configured, stuck):
            spec.invariants[name] = formula_named(spec, name, [*configured, stuck])
    return tuple(dict.fromkeys((*options.properties, *deadlock)))
