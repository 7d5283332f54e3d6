"""The question of an inductive check, and its results: obligations, dropped lemmas, the invariant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pysmt.fnode import FNode

from verifier.symmetry.instance_images import InstanceImages
from verifier.trust.kept_formulas import KeptFormulas, KeptName, SplitFormulas


class Kind(StrEnum):
    """The three obligations of an inductive invariant."""

    INITIATION = "initiation"
    CONSECUTION = "consecution"
    SAFETY = "safety"


@dataclass(frozen=True)
class ObligationResult:
    """True if one obligation holds, and a counterexample if it does not."""

    kind: Kind
    formula: str
    instance: int | None
    holds: bool | None
    """None: the solver gave up."""
    seconds: float
    state: tuple[bool, ...] | None = None
    """The counterexample: a state in which the formula fails; of a consecution, the state before."""
    inputs: tuple[bool, ...] = ()
    """The values of the instance's free parameters in the counterexample."""
    assumed: tuple[str, ...] = ()
    """Formulas that hold in ``state``."""
    kept: tuple[KeptName, ...] = ()
    """The parts of the formula that the instance was shown to keep, if other properties may ask for them."""


@dataclass(frozen=True)
class DroppedLemma:
    """A lemma that is not part of the invariant."""

    formula: str
    fell_at: ObligationResult | None
    """The obligation that does not hold; None: the lemma is not needed."""


@dataclass(frozen=True)
class Conclusion:
    """The end of the check: the formulas of an inductive invariant that implies the property."""

    invariant: tuple[str, ...]
    """Empty: there is no such invariant."""


@dataclass(frozen=True)
class Question:
    """The question of the check, and how to decide it."""

    formulas: Mapping[str, FNode]
    """The candidates and the property, by name."""
    lemmas: tuple[str, ...]
    """Candidates that the invariant may lack."""
    needed: tuple[str, ...]
    """Candidates that the invariant must contain."""
    property_name: str
    instances: tuple[int, ...]
    solver: str
    houdini: bool = False
    """Drop lemmas until the rest is inductive."""
    minimise: bool = False
    """Then drop the lemmas that are not needed."""
    seed: int = 0
    proved: tuple[str, ...] = ()
    """Formulas whose conjunction is known to be inductive."""
    split: SplitFormulas | None = None
    """The parts of the formulas, if obligations are shared with other properties."""
    kept: KeptFormulas = field(default_factory=KeptFormulas)
    """The parts that instances are known to keep."""
    images: InstanceImages | None = None
    """Says which conjuncts an instance is asked about; None: all. No lemma may be dropped then, since it is a
    formula as a whole that fails."""


@dataclass(frozen=True)
class Candidate:
    """The invariant that is being checked, before the obligations of its actions are asked."""

    invariant: tuple[str, ...]


Report = Callable[[ObligationResult | DroppedLemma | Conclusion | Candidate], None]
