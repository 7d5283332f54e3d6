"""A solver for queries that each need a clause of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count

from verifier.solvers import Clause, open_solver, satisfiable


class QuerySolver:
    """Answers queries under permanent clauses and one temporary clause per query.

    An activation literal switches the temporary clause on. After ``most_temporary`` queries the solver is
    built again, without the clauses of earlier queries.
    """

    def __init__(
        self, solver: str, permanent: Callable[[], Iterable[Clause]], first_free: int, most_temporary: int
    ) -> None:
        self._name = solver
        self._permanent = permanent
        self._first_free = first_free
        self._most_temporary = most_temporary
        self._build()

    def _build(self) -> None:
        self._solver = open_solver(self._name)
        self._solver.add_clauses(self._permanent())
        self._activations = count(self._first_free)
        self._waiting: list[Sequence[Clause]] = []
        """Permanent clauses for the next query, if there is one."""

    def add_clauses(self, clauses: Sequence[Clause]) -> None:
        """Adds permanent clauses. ``permanent`` must return them from now on."""
        self._waiting.append(clauses)

    def satisfiable(self, temporary: Sequence[int], assumptions: Iterable[int]) -> bool:
        """True if the permanent clauses and the temporary one have a model under the assumptions.

        Raises UnknownAnswer.
        """
        activation = next(self._activations)
        if activation == self._first_free + self._most_temporary:
            self._solver.close()
            self._build()
            activation = next(self._activations)
        for clauses in self._waiting:
            self._solver.add_clauses(clauses)
        self._waiting.clear()
        self._solver.add_clauses([[-activation, *temporary]])
        answer = satisfiable(self._solver, [activation, *assumptions])
        self._solver.add_clauses([[-activation]])  # takes part from the next query on
        return answer

    def values(self, variables: Iterable[int]) -> list[bool]:
        """The values of variables in the model of the last query."""
        return self._solver.values(variables)

    def core(self) -> set[int]:
        """The assumptions that contradict the clauses of the last query."""
        return set(self._solver.failed_assumptions())
