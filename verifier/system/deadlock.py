"""Freedom from deadlock as a property of a model that can be asked for beside those of its protocol."""

from __future__ import annotations

from dataclasses import replace

from verifier.specs.definition import NO_DEADLOCK, PropertyKind
from verifier.system.model import Model
from verifier.system.transition_system import SafetyProperty


def with_deadlock(model: Model) -> Model:
    """The model with freedom from deadlock among its system's properties. Its definition is the same."""
    system = model.system
    if any(prop.name == NO_DEADLOCK for prop in system.properties):
        return model
    extra = SafetyProperty(NO_DEADLOCK, PropertyKind.DEADLOCK_INVARIANT, system.alive, default=False)
    return replace(model, system=replace(system, properties=(*system.properties, extra)))
