"""Efforts: the amount of knowledge that a solver is given, small amounts first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Quantified(Enum):
    """The hypotheses that a solver also gets with their quantifiers, besides their instances."""

    NONE = "none"
    SPOKEN_OF = "those about what the goal says something of all"
    """A negated goal may be about all epochs. Then facts about epochs are also needed of epochs without a
    name."""
    ALL = "all"


@dataclass(frozen=True)
class Effort:
    """The amount of knowledge for a solver: hypotheses instantiated at terms, or with quantifiers."""

    tiers: tuple[int, ...]
    """The sets of terms that are used, the best first."""
    most: int
    """The limit of instances of a clause. Beyond it, the next set is used."""
    quantified: Quantified
    seconds: float
    meeting: bool = False
    """True if facts about the counts in instances are given, and about least and greatest elements. Such a
    fact is that two sets, each with more than half of all elements, share an element."""
    hinted: bool = False
    """True if only those lemmas are given that the author names beside the lemma to be shown."""
    witnesses: int = 3000
    """The limit of instances of a clause at the witnesses of such facts. With a hint, a clause with more
    instances is instantiated at the first witnesses; otherwise at none."""
    facts: int = 60
    """The limit of facts about counts, and of those about least and greatest elements."""
    matched: int = 0
    """The rounds in which lemmas are instantiated at the elements of sets that formulas speak of. Each round
    takes the elements of the instances before (``matching``)."""
    about_fields: bool = False
    """True if it is only for systems with lemmas about elements of sets that have several fields."""
    about_sets: bool = False
    """True if it is only for systems whose variables have sets that are values themselves. Facts about counts
    are given for the goal with its definitions."""
    own: bool = False
    """True if the only lemmas are the one to be shown and the one that values belong to their sorts. Most
    actions change little of what a lemma mentions. Without terms, the lemmas are given with their
    quantifiers. That suits claims that reads have values: these have many parts, and so lemmas have many
    instances."""


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
    Effort((0,), 300, Quantified.NONE, 2.0, matched=1),
    Effort((1,), 1000, Quantified.NONE, 3.0, matched=2),
    Effort((1,), 3000, Quantified.NONE, 6.0, matched=3),
    Effort((), 0, Quantified.ALL, 1.0, own=True),
    Effort((0,), 0, Quantified.NONE, 1.0, own=True),
    Effort((2,), 300, Quantified.NONE, 2.0, matched=1, about_fields=True),
    Effort((8,), 1000, Quantified.NONE, 6.0, about_fields=True),
    Effort((0,), 10_000, Quantified.NONE, 6.0, facts=100, about_sets=True),
)
