"""The messages between the process that keeps states as columns and those that find their steps.

Each process has numbers of its own for the values of each variable. A message has the worker's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from verifier.tla.coding import Code
from verifier.tla.columns.numbers import Column


@dataclass(frozen=True)
class ColumnTask:
    """States that follow each other in the search."""

    columns: list[Column]
    """The variables. Values that the worker may not know have ``-2 - place``, their place in ``told``."""
    told: list[list[Code]]
    """For each variable: the bytes of such values."""


@dataclass
class ColumnFound:
    """The steps from the states of a task."""

    told: list[Column]
    """For each variable: the worker's numbers of the values that it was told."""
    unusual: str = ""
    """The reason why the search must look at these states; then there is nothing more."""
    states: int = 0
    """The number of the states of the task."""
    generated: int = 0
    deadlocks: int = 0
    beyond: int = 0
    taken: Mapping[str, int] = field(default_factory=dict)
    columns: list[Column] = field(default_factory=list)
    """The successors that this worker did not know."""
    parents: Column = field(default_factory=lambda: np.zeros(0, np.int64))
    """For each successor: the place of its predecessor in the task."""
    fresh: list[tuple[Column, list[Code]]] = field(default_factory=list)
    """For each variable, the values that were not told before: the worker's numbers, and the bytes."""
    cpu_seconds: float = 0.0
    """The processor time of the worker so far."""
