"""The steps from some states of a search by columns, and the formulas that are evaluated for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.tla.columns.batches import Batch
from verifier.tla.columns.numbers import Column
from verifier.tla.columns.truths import Mask, Truth


@dataclass(frozen=True)
class Checks:
    """The formulas that are evaluated in states and for steps."""

    invariants: list[Truth]
    steps: list[Truth]
    constraints: list[Truth]
    action_constraints: list[Truth]


@dataclass(frozen=True)
class Steps:
    """Steps from states, and their successors."""

    rows: Batch
    made: Sequence[Column]
    """The variables of the successors."""
    within: Mask
    """True for steps and successors that the constraints allow."""
    new: Column
    """The rows of new states, each once."""
    keys: Column
    beyond: int
    """The number of rows that the constraints exclude."""
    deadlocks: int
