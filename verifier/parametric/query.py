"""The formulas of an obligation for a solver."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from verifier.parametric.efforts import Effort
from verifier.parametric.instances import Family
from verifier.parametric.nodes import Node
from verifier.parametric.obligation import Obligation
from verifier.parametric.obligations import Obligations
from verifier.parametric.smtlib import script


@dataclass(frozen=True)
class Query:
    """The formulas of an obligation for a solver. Hypotheses are numbered: those of the first family come
    first."""

    obligations: Obligations
    obligation: Obligation
    local: list[tuple[str, Node]]
    """The formulas of the constants, the guard and the goal."""
    families: list[Family]
    """Lemmas and their instances."""

    @staticmethod
    def of(obligations: Obligations, obligation: Obligation, effort: Effort) -> Query:
        """Return the formulas of an obligation with the hypotheses of an effort."""
        local = obligations.premises.local(obligation)
        return Query(
            obligations, obligation, local, obligations.premises.choose_hypotheses(obligation, effort)
        )

    @cached_property
    def _ends(self) -> list[int]:
        """Return the number of hypotheses up to each family."""
        return list(accumulate(family.size for family in self.families))

    @property
    def size(self) -> int:
        """The number of hypotheses."""
        return self._ends[-1] if self._ends else 0

    def begin_of(self, family: int) -> int:
        """Return the number of the first hypothesis of a family."""
        return self._ends[family - 1] if family else 0

    def find_family(self, number: int) -> int:
        """Return the family of a hypothesis."""
        return bisect_right(self._ends, number)

    def lemma(self, number: int) -> str:
        """Return the lemma to which a hypothesis belongs."""
        return self.families[self.find_family(number)].lemma

    def make(self, number: int) -> Node:
        """Return a hypothesis."""
        family = self.find_family(number)
        return self.families[family].make(self.obligations.logic, number - self.begin_of(family))

    def script(self, kept: Sequence[int]) -> str:
        """Return the SMT-LIB text with these hypotheses."""
        hypotheses = [(self.lemma(number), self.make(number)) for number in kept]
        nodes = [node for _, node in (*self.local, *hypotheses)]
        premises = self.obligations.premises
        return script(self.local, premises.axioms.list_named(nodes), hypotheses, premises.printer)
