"""Words by which engines are told what to run. They are here so that they can be shown without an engine."""

from __future__ import annotations

from enum import StrEnum


class StepsChoice(StrEnum):
    """Which searches of bounded model checking run."""

    AUTO = "auto"
    PARALLEL = "parallel"
    SERIAL = "serial"


_MOST_AHEAD = 7
"""To close so many parallel steps takes seconds where the depth takes minutes; each further one takes three
times as long as the one before (kip320, five replicas)."""


def steps_ahead(depth: int) -> int:
    """The parallel steps within which executions of more actions than the depth count.

    A parallel step takes several actions, so some executions of few steps are longer than the depth. Whether
    a search meets one before another search closes the depth is luck, and a verdict must not be. So a rule
    says which count. A property holds to a depth if no execution of so many actions, and none of so many
    parallel steps, violates it.
    """
    return min(depth, depth // 2 + 1, _MOST_AHEAD)


class EngineChoice(StrEnum):
    """Which provers run."""

    AUTO = "auto"
    IC3 = "ic3"
    KIND = "kind"


INDUCTION_SOLVER = "cadical"
"""The default solver of inductive checks."""
