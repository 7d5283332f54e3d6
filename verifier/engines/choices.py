"""Words by which engines are told what to run. They are here so that they can be shown without an engine."""

from __future__ import annotations

from enum import StrEnum


class StepsChoice(StrEnum):
    """The searches of bounded model checking that run."""

    AUTO = "auto"
    PARALLEL = "parallel"
    SERIAL = "serial"


_MOST_AHEAD = 7
"""The most parallel steps ahead. To close them takes seconds where the depth takes minutes; each further one
takes three times as long as the one before (kip320, five replicas)."""


def steps_ahead(depth: int) -> int:
    """Return the parallel steps within which executions with more actions than the depth count. A parallel
    step takes several actions, so some executions of few steps are longer than the depth. It is chance
    whether a search meets one before another search closes the depth, and a verdict must not depend on it. So
    a rule decides which count. A property holds to a depth under two conditions: no execution with that
    number of actions violates it, and none with this number of parallel steps."""
    return min(depth, depth // 2 + 1, _MOST_AHEAD)


class EngineChoice(StrEnum):
    """The provers that run."""

    AUTO = "auto"
    IC3 = "ic3"
    KIND = "kind"


class LiveEngine(StrEnum):
    """The way in which a temporal property is decided."""

    AUTO = "auto"
    EXPLICIT = "explicit"
    BMC = "bmc"
    L2S = "l2s"
    RANKING = "ranking"
    ORBITS = "orbits"


INDUCTION_SOLVER = "cadical"
"""The default solver of inductive checks."""
