"""Rankings: why something good must happen, as plain data.

A ranking gives each state a tuple of measures, and says in which states which fairness condition helps. What
is claimed of them is in ``verifier.system.ranking_model``.
"""

from __future__ import annotations

from dataclasses import dataclass

from verifier.encodings.terms import Symbol, Term
from verifier.specs.temporal import Fairness


@dataclass(frozen=True)
class Helpful:
    """In which states a fairness condition, or each one of a family, helps."""

    condition: Fairness
    parameters: tuple[Symbol, ...]
    """The variables of the formula that stand for the values of the family, in the order of ``each``."""
    when: Term


@dataclass(frozen=True)
class RankingArgument:
    """Why a temporal property holds: measures that fall, and the fairness that makes them fall."""

    property_name: str
    measures: tuple[tuple[Term, ...], ...]
    """Each one an integer, or several. One falls if none of its integers rises and at least one falls. The
    first that is not the same in two states decides which has the lower rank, if any."""
    helpful: tuple[Helpful, ...]
    description: str
