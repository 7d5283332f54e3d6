"""Whether there is anything to start from. Of a protocol without an initial state every claim would hold, so
every engine asks here first, and refuses it."""

from __future__ import annotations

from collections.abc import Iterable

from pysmt.fnode import FNode

from verifier.clauses.cnf import Clausifier
from verifier.encodings.bits import conjunction, negation
from verifier.encodings.printing import text
from verifier.errors import UsageError
from verifier.solvers import Answer, open_solver
from verifier.system.model import Model
from verifier.trust.explain import ConcreteReading

_SOLVER = "cadical"
"""It starts at once, and takes clauses as they are."""


class NoInitialState(UsageError):
    """No execution can begin, or none can take a step, whatever is asked of the protocol."""


class InitReadsUndefined(UsageError):
    """Init reads what has no value, so that it says of some states neither that they are initial nor not."""


def require_initial_state(model: Model) -> None:
    """Raises NoInitialState unless some initial state satisfies the protocol's constraint, and
    InitReadsUndefined if Init reads what has no value in some state."""
    system = model.system
    unread = _solution([system.valid, negation(model.init_is_read)])
    if unread is not None:
        raise InitReadsUndefined(f"{model.definition.name}: {_unread(model, unread)}")
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


def _unread(model: Model, true: frozenset[FNode]) -> str:
    state = model.layout.decode_state([symbol in true for symbol in model.system.bits])
    found = ConcreteReading(state).undefined_read((model.definition.init,), {})
    read = text(*found) if found is not None else "something"
    return (
        f"init reads {read}, which has no value in some states: say first, further left, what makes it have "
        "one (a & b reads b only where a is true)"
    )


def _satisfiable(terms: Iterable[FNode]) -> bool:
    return _solution(terms) is not None


def _solution(terms: Iterable[FNode]) -> frozenset[FNode] | None:
    """The bits that are true where all the terms are; None if that is nowhere. Some if the solver gives up,
    which tells nothing."""
    whole = conjunction(terms)
    if whole.is_false():
        return None
    clausifier = Clausifier()
    clausifier.assert_term(whole)
    symbols = {symbol: clausifier.declare(symbol) for symbol in whole.get_free_variables()}
    solver = open_solver(_SOLVER)
    try:
        solver.add_clauses(clausifier.clauses)
        if solver.solve() is Answer.UNSATISFIABLE:
            return None
        return frozenset(symbol for symbol, variable in symbols.items() if solver.value(variable))
    finally:
        solver.close()
