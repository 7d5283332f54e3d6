"""Words by which engines are told what to run. They are here so that they can be shown without an engine."""

from __future__ import annotations

from enum import StrEnum


class StepsChoice(StrEnum):
    """Which searches of bounded model checking run."""

    AUTO = "auto"
    PARALLEL = "parallel"
    SERIAL = "serial"


class EngineChoice(StrEnum):
    """Which provers run."""

    AUTO = "auto"
    IC3 = "ic3"
    KIND = "kind"


INDUCTION_SOLVER = "cadical"
"""What solves inductive checks unless another solver is named."""
