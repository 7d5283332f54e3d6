"""States from a solver: they satisfy a formula, and are near random states."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from verifier.clauses.cnf import Clausifier
from verifier.solvers import QUERY_SOLVER, Answer, open_solver

if TYPE_CHECKING:
    from pysmt.fnode import FNode

    from verifier.system.model import Model

_MOST_TRIES = 40
"""The number of times that contradicting wishes are dropped before all are."""


class StateSolver:
    """Finds states of a model in which formulas are true."""

    def __init__(self, model: Model, chance: Random) -> None:
        self.model, self.chance = model, chance
        self.clausifier = Clausifier()
        self.bits = [self.clausifier.declare(bit) for bit in model.layout.bits]
        self.leaf_of: dict[int, int] = {}
        """The field of the state to which each bit belongs."""
        place = 0
        for number, leaf in enumerate(model.layout.leaves):
            for _ in leaf.bits:
                self.leaf_of[self.bits[place]] = number
                place += 1
        self.clausifier.assert_term(model.system.valid)
        self.solver = open_solver(QUERY_SOLVER)
        self._given = 0

    def near(self, wished: int, formula: FNode) -> int | None:
        """Return the bits of a state that satisfies a formula and shares many fields with the wished one. The
        solver gets little time for each field. None if there is no such state."""
        target = self.clausifier.literal(formula)
        self.solver.add_clauses(self.clausifier.clauses[self._given :])
        self._given = len(self.clausifier.clauses)
        wishes = [bit if wished >> place & 1 else -bit for place, bit in enumerate(self.bits)]
        self.chance.shuffle(wishes)
        for _ in range(_MOST_TRIES):
            if self.solver.solve([target, *wishes]) is Answer.SATISFIABLE:
                values = self.solver.values(self.bits)
                return sum(1 << place for place, value in enumerate(values) if value)
            failed = {abs(one) for one in self.solver.failed_assumptions()}
            leaves = {self.leaf_of[one] for one in failed if one in self.leaf_of}
            if not leaves or not wishes:
                return None
            wishes = [one for one in wishes if self.leaf_of[abs(one)] not in leaves]
        return None

    def close(self) -> None:
        """Free the solver."""
        self.solver.close()


__all__ = ["StateSolver"]
