"""The description of a module with its configuration, for `verify show`."""

from __future__ import annotations

from typing import Any

from verifier.runs.modules.loading import TlaLoaded, checkable
from verifier.tla.naming import actions
from verifier.tla.order import text


def describe(loaded: TlaLoaded) -> dict[str, Any]:
    """Return a module and its configuration as a JSON object."""
    spec = loaded.specification
    order = spec.evaluator.order
    return {
        "spec": loaded.definition.name,
        "spec_hash": loaded.definition.spec_hash,
        "file": str(loaded.path),
        "config": spec.config.file,
        "constants": {name: text(value, order) for name, value in spec.constants.items()},
        "variables": [variable.name for variable in spec.variables],
        "init": [str(formula.body.place) for formula in spec.init],
        "next": [str(spec.next.body.place)] if spec.next is not None else [],
        "actions": actions(spec),
        "invariants": list(spec.invariants),
        "properties": [name for name in spec.properties if checkable(spec, name)],
        "not_checked": [name for name, safety in spec.properties.items() if safety.liveness],
        "deadlock": spec.config.check_deadlock,
        "assumptions": [str(assumption.body.place) for assumption in spec.module.assumptions],
    }
