"""Models built within limits of time and memory."""

from __future__ import annotations

from collections.abc import Callable

from verifier.processes.limits import Limits
from verifier.processes.watching import Watched, look_at
from verifier.specs.definition import Definition
from verifier.system.model import Model, build
from verifier.system.size import MOST_INSTANCES, instance_count

_TICKS_BETWEEN_LOOKS = 512
"""Building calls back this often before it looks at the clock and the memory."""


def build_model(
    definition: Definition,
    limits: Limits | None = None,
    *,
    free: bool = False,
    patience: float | None = None,
) -> Model:
    """The model of a definition, with parameters that are left open free or expanded; free too where
    expanding them would make too many instances. ``patience``: when it is given up, by the processor time of
    this process.

    Raises Interrupted when a limit is reached, DefinitionError if the definition is not well formed,
    UsageError if the model is too large.
    """
    read = as_built(definition, free=free)
    limits = limits or Limits()
    with Watched(look_at(limits, patience)):  # what takes long may not call back
        return build(read, _watch(limits, patience))


def as_built(definition: Definition, *, free: bool) -> Definition:
    """The definition with parameters that are left open as ``build_model`` reads them."""
    read = definition.read(free=free)
    return definition.read(free=True) if instance_count(read) > MOST_INSTANCES else read


def _watch(limits: Limits, patience: float | None) -> Callable[[], None]:
    """The same, where it is called often."""
    look, ticks = look_at(limits, patience), 0

    def watch() -> None:
        nonlocal ticks
        ticks += 1
        if ticks % _TICKS_BETWEEN_LOOKS == 0:
            look()

    limits.check_time()
    return watch
