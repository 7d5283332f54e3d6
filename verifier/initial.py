"""Whether there is anything to start from. Of a protocol without an initial state every claim would hold, so
every engine asks here first, and refuses it."""

from __future__ import annotations

from collections.abc import Iterable

from pysmt.fnode import FNode

from verifier.cnf import Clausifier
from verifier.encodings.bits import conjunction
from verifier.errors import UsageError
from verifier.model import Model
from verifier.solvers import Answer, open_solver

_SOLVER = "cadical"
"""It starts at once, and takes clauses as they are."""


class NoInitialState(UsageError):
    """No execution can begin, or none can take a step, whatever is asked of the protocol."""


def require_initial_state(model: Model) -> None:
    """Raises NoInitialState unless some initial state satisfies the protocol's constraint.

    Here is the place for whatever else must be so of Init before an engine starts.
    """
    system = model.system
    if _satisfiable([system.init, system.constraint]):
        return
    if not _satisfiable([system.init]):
        what = "no state satisfies init, so that every claim would hold: correct init, or the constants"
    elif not _satisfiable([system.valid, system.constraint]):
        what = "no state satisfies the constraint, so that nothing can happen: correct the constraint"
    else:
        what = "the constraint excludes every initial state, so that nothing can happen: let it admit one"
    raise NoInitialState(f"{_asked(model)}: {what}")


def _asked(model: Model) -> str:
    constants = ", ".join(f"{name}={value}" for name, value in model.definition.constants.items())
    return model.definition.name + (f" with {constants}" if constants else "")


def _satisfiable(terms: Iterable[FNode]) -> bool:
    """Whether some bits make all the terms true; also where the solver gives up, which tells nothing."""
    whole = conjunction(terms)
    if whole.is_true() or whole.is_false():
        return bool(whole.is_true())
    clausifier = Clausifier()
    clausifier.assert_term(whole)
    solver = open_solver(_SOLVER)
    try:
        solver.add_clauses(clausifier.clauses)
        return solver.solve() is not Answer.UNSATISFIABLE
    finally:
        solver.close()
