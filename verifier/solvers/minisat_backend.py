"""MiniSat 2.2, through python-sat."""

from __future__ import annotations

from collections.abc import Iterable

import pysolvers
from pysat.solvers import Minisat22

from verifier.solvers.buffered import BufferedSolver
from verifier.solvers.interface import Answer


class MinisatSolver(BufferedSolver):
    """MiniSat as a clause solver; see `ClauseSolver`. IC3 asks it thousands of small queries a second.

    Measured inside IC3 (kip320), MiniSat, Glucose 4 and CaDiCaL take the same time within a quarter.
    """

    NAME = "minisat"

    def __init__(self, seed: int = 0) -> None:
        """`seed` is not used: MiniSat is deterministic."""
        super().__init__()
        self._solver = Minisat22()
        self._model: list[int] | None = None

    def _hand_over(self, batch: list[tuple[int, ...]]) -> None:
        add, solver = pysolvers.minisat22_add_cl, self._solver.minisat
        for clause in batch:  # as append_formula does, without two calls in Python for each clause
            add(solver, clause)

    def _decide(self, assumptions: list[int]) -> Answer:
        self._model = None
        is_satisfiable = self._solver.solve(assumptions)
        if is_satisfiable is None:
            return Answer.UNKNOWN
        return Answer.SATISFIABLE if is_satisfiable else Answer.UNSATISFIABLE

    def _read(self, variable: int) -> bool:
        return self._read_all([variable])[0]

    def _read_all(self, variables: Iterable[int]) -> list[bool]:
        if self._model is None:
            self._model = self._solver.get_model() or []
        # Entry i is the literal of variable i + 1, for every variable up to the largest seen.
        model, known = self._model, len(self._model)
        if isinstance(variables, range) and variables == range(1, variables.stop) and variables.stop <= known:
            return [literal > 0 for literal in model[: variables.stop - 1]]
        return [variable <= known and model[variable - 1] > 0 for variable in variables]

    def _read_core(self) -> Iterable[int]:
        return self._solver.get_core() or ()

    def _release(self) -> None:
        self._model = None
        self._solver.delete()
