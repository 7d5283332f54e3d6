"""One obligation of a proof by induction."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.parametric.clausal import Clause
from verifier.parametric.nodes import Node
from verifier.parametric.results import name_of


@dataclass(frozen=True)
class Obligation:
    """One of three claims: an action preserves a part of a lemma, it holds initially, or the lemmas imply a
    property."""

    at: str
    """The action, ``initially`` or ``always``."""
    claim: str
    """The lemma or property."""
    part: int
    goal: tuple[Clause, ...]
    """The negation of the claim."""
    given: tuple[Clause, ...]
    """The guard of the action, or the formula of the initial states."""
    terms: tuple[Node, ...]
    """The terms in the goal and the action."""
    inductive: bool
    """True if the lemmas are assumed."""
    known: tuple[Clause, ...] = ()
    """Further assumptions besides the lemmas."""

    @property
    def name(self) -> str:
        """Return the name, which no other obligation has."""
        return name_of(self.at, self.claim, self.part)
