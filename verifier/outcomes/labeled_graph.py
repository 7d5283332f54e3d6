"""A small state graph as text: what drawings and files of graphs have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from verifier.engines.outcome import Outcome


@dataclass(frozen=True)
class LabeledGraph:
    """States, of which the first are initial, and their steps."""

    variables: tuple[str, ...]
    states: Sequence[tuple[str, ...]]
    """For each state, the values of the variables as text."""
    initial: int
    edges: Sequence[tuple[int, int, str]]
    """Steps by the numbers of their states, each with its action and parameters."""
    tla: bool = False
    """True if values are written in TLA+."""
    ways: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """For each violated property, the states of its counterexample."""


@dataclass(frozen=True)
class LabeledExploration(Outcome):
    """An outcome, with the graph if it was asked for."""

    graph: LabeledGraph | None = None
