"""CaDiCaL 1.9.5, through python-sat."""

from __future__ import annotations

from collections.abc import Iterable

import pysolvers
from pysat.solvers import Cadical195

from verifier.solvers.buffered import BufferedSolver
from verifier.solvers.interface import Answer


class CadicalSolver(BufferedSolver):
    """CaDiCaL as a clause solver; see `ClauseSolver`."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self._solver = Cadical195()
        if seed:
            # CaDiCaL accepts options only before the first clause.
            self._solver.configure({"seed": seed})
        self._model: list[int] | None = None

    def _hand_over(self, batch: list[tuple[int, ...]]) -> None:
        add, solver = pysolvers.cadical195_add_cl, self._solver.cadical
        for clause in batch:  # as append_formula does, without two calls in Python for each clause
            add(solver, clause)

    def _decide(self, assumptions: list[int]) -> Answer:
        self._model = None
        is_satisfiable = self._solver.solve(assumptions)
        if is_satisfiable is None:
            return Answer.UNKNOWN
        return Answer.SATISFIABLE if is_satisfiable else Answer.UNSATISFIABLE

    def _read(self, variable: int) -> bool:
        if self._model is None:
            # The whole model at once: python-sat has no call for a single value.
            self._model = self._solver.get_model() or []
        # Entry i is the literal of variable i + 1, for every variable up to the largest seen.
        return variable <= len(self._model) and self._model[variable - 1] > 0

    def _read_core(self) -> Iterable[int]:
        return self._solver.get_core() or ()

    def effort(self) -> int:
        """Propagations."""
        return int(self._solver.accum_stats()["propagations"])

    def _release(self) -> None:
        self._model = None
        self._solver.delete()
