"""What has to be shown at one place of a proof by induction."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.parametric.clausal import Clause
from verifier.parametric.logic import Node
from verifier.parametric.results import name_of


@dataclass(frozen=True)
class Obligation:
    """That a part of a lemma holds after an action if all lemmas hold before; or initially; or that the
    lemmas imply a property."""

    at: str
    """The action, ``initially`` or ``always``."""
    claim: str
    """The lemma or property."""
    part: int
    goal: tuple[Clause, ...]
    """The negation of what is claimed."""
    given: tuple[Clause, ...]
    """The guard of the action, or the formula of the initial states."""
    terms: tuple[Node, ...]
    """What the goal and the action speak of."""
    inductive: bool
    """True if the lemmas are assumed."""
    known: tuple[Clause, ...] = ()
    """What is assumed beside the lemmas."""

    @property
    def name(self) -> str:
        """No other obligation has this name."""
        return name_of(self.at, self.claim, self.part)
