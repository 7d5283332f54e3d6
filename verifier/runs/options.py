"""What can be asked of each engine. The defaults are those of the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.engines.parts import Part


@dataclass(frozen=True)
class Options:
    """What every engine is told."""

    properties: tuple[str, ...] = ()
    """Names, or ``all``; none: those that the spec checks by default."""
    expect: tuple[str, ...] = ()
    """See ``verifier.outcomes.expectations``."""
    timeout: float | None = None
    """Seconds, for building and for the search."""


@dataclass(frozen=True)
class BmcOptions(Options):
    """Bounded model checking."""

    deadlock: bool = False
    memory: int | None = None
    """Bytes."""
    depth: int | None = None
    """The most actions of an execution; None: the spec's default."""
    steps: str = "auto"
    solver: str | None = None
    symmetry: bool = True
    shortest: bool = False
    seed: int = 0
    part: Part | None = None
    """Of the executions, only these. A verdict is then one on this part."""


@dataclass(frozen=True)
class ExploreOptions(Options):
    """Exhaustive exploration."""

    deadlock: bool = False
    memory: int | None = None
    keep_going: bool = False
    symmetry: bool = False
    max_states: int | None = None
    max_depth: int | None = None
    graph: bool = False
    """Keep the states and steps."""


@dataclass(frozen=True)
class SimulateOptions(Options):
    """Random executions."""

    deadlock: bool = False
    walks: int = 10_000
    depth: int = 100
    seed: int = 0
    histogram: tuple[str, ...] = ()
    count_action: tuple[str, ...] = ()


@dataclass(frozen=True)
class InductOptions(Options):
    """The inductive check."""

    memory: int | None = None
    lemmas: tuple[str, ...] = ()
    """Names; none: all that the spec has."""
    solver: str = "cadical"
    symmetry: bool = True
    houdini: bool = False
    minimise: bool = False
    reachable: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class ProveOptions(Options):
    """Proofs by IC3 and k-induction."""

    deadlock: bool = False
    memory: int | None = None
    engine: str = "auto"
    solver: str | None = None
    lemmas: bool = True
    """Let IC3 use the spec's lemmas, once they are checked."""
