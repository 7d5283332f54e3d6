"""The interface of every solver: clauses in, an answer out, values or a core on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

Clause = Sequence[int]
"""A disjunction of DIMACS literals: variable n is written n, its negation -n, never 0."""


class Answer(Enum):
    """A solver's answer about the clauses under the assumptions; users see verdicts instead."""

    SATISFIABLE = "satisfiable"
    UNSATISFIABLE = "unsatisfiable"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ScriptAnswer:
    """A solver's answer about a script in SMT-LIB."""

    answer: Answer
    core: tuple[str, ...] = ()
    """If the assertions contradict the assumptions: the names of assumed constants that suffice."""


class ScriptModel(Protocol):
    """The values in a model of assertions. All are numbers: truth values 0 and 1, integers, and numbers of
    elements. It is a candidate only if the answer was UNKNOWN."""

    def value(self, function: str, args: tuple[int, ...], sort: str) -> int:
        """Return the value of a function at arguments. ``sort``: that of the value, for a function that the
        model does not have. Names are those of the script, without bars."""


class ScriptSolver(Protocol):
    """A solver of assertions in SMT-LIB that are added one after the other."""

    def add(self, declarations: Iterable[str], assertions: Iterable[str]) -> None:
        """Add assertions. Declarations may repeat earlier ones."""

    def decide(self, assumed: Sequence[str], steps: int, *, complete: bool) -> ScriptAnswer:
        """Decide the assertions, if the boolean constants of these names are true. ``steps`` limits the work.
        ``complete``: instantiate quantifiers until a model satisfies them, which may take long. Otherwise
        they are only instantiated where terms match, and a model need not satisfy them."""

    @property
    def steps(self) -> int:
        """The work so far."""

    def find_model(self) -> ScriptModel | None:
        """Return the model of the last answer. None if there is none."""


class UnknownAnswer(Exception):
    """A solver gave up."""


class ClauseSolver(Protocol):
    """An incremental solver over clauses. Not safe to share between threads.

    `solve` has no time limit and cannot be relied on to notice Ctrl-C: Z3 swallows the signal and
    answers UNKNOWN, the others notice it only when they are done. Whoever needs a limit runs the
    solver in a process of its own and kills that.
    """

    def add_clauses(self, clauses: Iterable[Clause]) -> None:
        """Add clauses for good. Raises ValueError if a literal is 0.

        Clauses are copied, and take part from the next `solve` on; the last answer's values
        stay readable until then.
        """

    def solve(self, assumptions: Sequence[int] = ()) -> Answer:
        """Decide all clauses together with the assumed literals; the latter hold for this call only.

        UNKNOWN means that the solver gave up or was interrupted, never that it found anything.
        """

    def value(self, variable: int) -> bool:
        """The value of a variable in the assignment found by the last `solve`.

        Variables that the solver never saw are False. Raises RuntimeError unless the last
        answer was SATISFIABLE.
        """

    def values(self, variables: Iterable[int]) -> list[bool]:
        """The `value` of each variable, in one call."""

    def failed_assumptions(self) -> Sequence[int]:
        """Assumptions of the last `solve` that suffice, with the clauses, for its answer.

        A subset of them, not necessarily a smallest one; empty if the clauses alone suffice.
        Raises RuntimeError unless the last answer was UNSATISFIABLE.
        """

    def effort(self) -> int:
        """Return the effort of the solver so far: a count that is the same in every run; 0 if it has none."""

    def close(self) -> None:
        """Free the solver's memory. May be called twice; nothing else may be called afterwards."""


def satisfiable(solver: ClauseSolver, assumptions: Sequence[int] = ()) -> bool:
    """True if the clauses and the assumed literals can be satisfied. Raises UnknownAnswer."""
    answer = solver.solve(assumptions)
    if answer is Answer.UNKNOWN:
        raise UnknownAnswer
    return answer is Answer.SATISFIABLE
