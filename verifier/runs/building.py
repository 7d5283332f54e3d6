"""Models built within limits of time and memory."""

from __future__ import annotations

from collections.abc import Callable

from verifier.processes.limits import Limits
from verifier.processes.watching import Watched, look_at
from verifier.specs.definition import Definition
from verifier.system.model import Model, build
from verifier.system.size import MOST_INSTANCES, instance_count

_TICKS_BETWEEN_LOOKS = 512
"""The number of callbacks of building between two checks of the clock and the memory."""


def build_model(
    definition: Definition,
    limits: Limits | None = None,
    *,
    free: bool = False,
    patience: float | None = None,
) -> Model:
    """Build the model of a definition. Open parameters are free or expanded. They are also free if their
    expansion would make too many instances. ``patience``: the processor time of this process at which
    building is given up. Raises Interrupted when a limit is reached, DefinitionError if the definition is not
    well formed, UsageError if the model is too large."""
    read = as_built(definition, free=free)
    limits = limits or Limits()
    with Watched(look_at(limits, patience)):  # long operations may not call back
        return build(read, _watch(limits, patience))


def as_built(definition: Definition, *, free: bool) -> Definition:
    """Return the definition with its open parameters as ``build_model`` reads them."""
    read = definition.read(free=free)
    return definition.read(free=True) if instance_count(read) > MOST_INSTANCES else read


def _watch(limits: Limits, patience: float | None) -> Callable[[], None]:
    """Return a callback that checks the limits and may be called often."""
    look, ticks = look_at(limits, patience), 0

    def watch() -> None:
        nonlocal ticks
        ticks += 1
        if ticks % _TICKS_BETWEEN_LOOKS == 0:
            look()

    limits.check_time()
    return watch
