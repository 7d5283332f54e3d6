"""How much a solver is given of what is known, little first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Quantified(Enum):
    """Which hypotheses a solver is also given with their quantifiers, beside their instances."""

    NONE = "none"
    SPOKEN_OF = "those about what the goal says something of all"
    """A negated goal may say something of all epochs. What is known of epochs is then needed of epochs that
    have no name yet."""
    ALL = "all"


@dataclass(frozen=True)
class Effort:
    """How much a solver is given: hypotheses at terms, or as they are."""

    tiers: tuple[int, ...]
    """The sets of terms that are used, the best first."""
    most: int
    """A clause with more instances is instantiated with the next set."""
    quantified: Quantified
    seconds: float
    meeting: bool = False
    """True if also facts of the counts that instances speak of are given, as that two sets of which each has
    more than half of all have an element in common; and of least and greatest elements."""
    hinted: bool = False
    """True if of the lemmas only those are given that the author names beside the lemma to be shown."""
    witnesses: int = 3000
    """A clause with more instances has none at the values that such facts say there are, or, with a hint, at
    the first of them only."""
    facts: int = 60
    """More facts of the counts in instances are not used, nor more of least and greatest elements."""
    own: bool = False
    """True if of the lemmas only the one to be shown is given, and that values are of their sorts: most
    actions change little of what a lemma speaks of. Without terms they are given as they are. That serves
    claims that what is read has a value: these have many parts, and so lemmas many instances."""


EFFORTS = (
    Effort((0,), 0, Quantified.NONE, 2.0),
    Effort((1, 0), 500, Quantified.NONE, 2.0),
    Effort((0,), 0, Quantified.ALL, 0.5),
    Effort((0,), 0, Quantified.SPOKEN_OF, 1.5),
    Effort((2, 1, 0), 400, Quantified.NONE, 3.0),
    Effort((2, 1, 0), 400, Quantified.SPOKEN_OF, 6.0),
    Effort((0,), 0, Quantified.ALL, 5.0),
    Effort((3, 2, 1, 0), 1000, Quantified.SPOKEN_OF, 10.0),
    Effort((0,), 0, Quantified.NONE, 3.0, meeting=True),
    Effort((5, 4, 0), 300, Quantified.NONE, 4.0, meeting=True),
    Effort((6, 0), 1000, Quantified.NONE, 2.0, hinted=True),
    Effort((0,), 0, Quantified.ALL, 1.0, hinted=True),
    Effort((6, 0, 6), 300, Quantified.NONE, 3.0, meeting=True, hinted=True, witnesses=500, facts=50),
    Effort((6, 0), 1000, Quantified.NONE, 6.0, meeting=True, hinted=True, facts=100),
    Effort((7, 6, 0), 2000, Quantified.NONE, 8.0, meeting=True, hinted=True, witnesses=10_000, facts=200),
    Effort((6, 0, 6), 1000, Quantified.NONE, 12.0, meeting=True, hinted=True, witnesses=12_000, facts=500),
    Effort((), 0, Quantified.ALL, 1.0, own=True),
    Effort((0,), 0, Quantified.NONE, 1.0, own=True),
)
