"""The common part of the backends: buffering of clauses and the life of an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from verifier.solvers.interface import Answer, Clause


class BufferedSolver(ABC):
    """Collects clauses until the next `solve` and hands them over in one batch.

    A batch is cheaper than many small hand-overs, and values stay readable while clauses are
    added: several solvers forget their model, or abort the process, when asked in that order.
    """

    def __init__(self) -> None:
        self._pending: list[tuple[int, ...]] = []
        self._contradictory = False
        self._answer: Answer | None = None
        self._core: tuple[int, ...] | None = None
        self._closed = False

    def add_clauses(self, clauses: Iterable[Clause]) -> None:
        added = list(map(tuple, clauses))
        for clause in added:
            if not clause:
                # Backends disagree on what an empty clause means in their input.
                self._contradictory = True
            elif 0 in clause:
                raise ValueError(f"0 is not a literal (clause {clause})")
        self._pending += added

    def solve(self, assumptions: Sequence[int] = ()) -> Answer:
        if self._closed:
            raise RuntimeError("the solver is closed")
        if 0 in assumptions:
            raise ValueError("0 is not a literal (among the assumptions)")
        self._answer = self._core = None
        if self._contradictory:
            self._core = ()
            self._answer = Answer.UNSATISFIABLE
            return self._answer
        if self._pending:
            batch, self._pending = self._pending, []
            self._hand_over(batch)
        self._answer = self._decide(list(assumptions))
        return self._answer

    def value(self, variable: int) -> bool:
        if self._answer is not Answer.SATISFIABLE:
            raise RuntimeError("values are defined only after the answer SATISFIABLE")
        return self._read(variable)

    def values(self, variables: Iterable[int]) -> list[bool]:
        if self._answer is not Answer.SATISFIABLE:
            raise RuntimeError("values are defined only after the answer SATISFIABLE")
        return self._read_all(variables)

    def failed_assumptions(self) -> Sequence[int]:
        if self._answer is not Answer.UNSATISFIABLE:
            raise RuntimeError("failed assumptions are defined only after the answer UNSATISFIABLE")
        if self._core is None:
            self._core = tuple(self._read_core())
        return self._core

    def effort(self) -> int:
        return 0

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._answer = None
            self._pending = []
            self._release()

    @abstractmethod
    def _hand_over(self, batch: list[tuple[int, ...]]) -> None:
        """Give the solver a batch of non-empty clauses."""

    @abstractmethod
    def _decide(self, assumptions: list[int]) -> Answer:
        """Solve under the assumptions; the list belongs to the callee."""

    @abstractmethod
    def _read(self, variable: int) -> bool:
        """The value of a variable in the current model, False if the solver never saw it."""

    def _read_all(self, variables: Iterable[int]) -> list[bool]:
        """The values of several variables. A backend overrides this if it can do better."""
        return [self._read(variable) for variable in variables]

    @abstractmethod
    def _read_core(self) -> Iterable[int]:
        """The assumptions of the last `_decide` that its refutation used."""

    @abstractmethod
    def _release(self) -> None:
        """Drop every reference to the solver, so that its memory goes."""
