"""Freedom from deadlock as a property of a model that can be asked for beside those of its protocol."""

from __future__ import annotations

from dataclasses import replace

from verifier.specs.definition import PropertyKind
from verifier.system.model import Model
from verifier.system.transition_system import SafetyProperty


def with_deadlock(model: Model) -> Model:
    """The model with freedom from deadlock among its system's properties. Its definition is the same."""
    system, title = model.system, model.definition.titles.no_deadlock
    if any(prop.name == title for prop in system.properties):
        return model
    extra = SafetyProperty(title, PropertyKind.DEADLOCK_INVARIANT, system.alive, default=False)
    return replace(model, system=replace(system, properties=(*system.properties, extra)))
