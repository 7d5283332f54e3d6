"""Checks that a protocol has an initial state.

Without an initial state every claim would hold. So every engine calls this check first and refuses such a
protocol.
"""

from __future__ import annotations

from collections.abc import Iterable

from pysmt.fnode import FNode

from verifier.clauses.cnf import Clausifier
from verifier.encodings.bits import FALSE, TRUE, conjunction, negation, restrict_formula
from verifier.encodings.concrete import show_constants
from verifier.encodings.printing import text
from verifier.errors import UsageError
from verifier.solvers import Answer, open_solver
from verifier.system.model import Model
from verifier.trust.concrete_reading import ConcreteReading

_SOLVER = "cadical"
"""This solver starts fast and takes the clauses without a conversion."""

_MOST_ROUNDS = 20
"""The limit of rounds. Each round fixes one bit of a wide number, and visits all others. A solver needs no
rounds."""


class NoInitialState(UsageError):
    """Raised if no execution can begin, or none can take a step."""


class InitReadsUndefined(UsageError):
    """Init reads what has no value. So it does not say whether some states are initial."""


def require_initial_state(model: Model) -> None:
    """Raises NoInitialState unless some initial state satisfies the protocol's constraint.

    Raises InitReadsUndefined if Init reads what has no value in some state.
    """
    system = model.system
    undefined = solution([system.valid, negation(model.init_is_read)])
    if undefined is not None:
        raise InitReadsUndefined(f"{model.definition.name}: {_explain_undefined_read(model, undefined)}")
    if _satisfiable([system.init, system.constraint]):
        return
    if not _satisfiable([system.init]):
        what = "no state satisfies init, so that every claim would hold: correct init, or the constants"
    elif not _satisfiable([system.valid, system.constraint]):
        what = "no state satisfies the constraint, so that nothing can happen: correct the constraint"
    else:
        what = "the constraint excludes every initial state, so that nothing can happen: let it admit one"
    raise NoInitialState(f"{_title(model)}: {what}")


def _title(model: Model) -> str:
    constants = show_constants(model.definition.constants)
    return model.definition.name + (f" with {constants}" if constants else "")


def _explain_undefined_read(model: Model, true: frozenset[FNode]) -> str:
    state = model.layout.decode_state([symbol in true for symbol in model.system.bits])
    undefined_read = ConcreteReading(state).find_undefined_read((model.definition.init,), {})
    read = text(*undefined_read) if undefined_read is not None else "something"
    return (
        f"init reads {read}, which has no value in some states: say first, further left, what makes it have "
        "one (a & b reads b only where a is true)"
    )


def _satisfiable(terms: Iterable[FNode]) -> bool:
    return solution(terms) is not None


def solution(terms: Iterable[FNode]) -> frozenset[FNode] | None:
    """The true bits of a state in which all terms are true; None if there is no such state.

    If the solver gives up, the bits that it returns have no meaning, so the protocol is not refused.
    """
    known, whole = _propagate(conjunction(terms))
    fixed = frozenset(symbol for symbol, value in known.items() if value is TRUE)
    if whole.is_false() or whole.is_true():  # as a rule, and to load a solver takes 30 ms
        return fixed if whole.is_true() else None
    clausifier = Clausifier()
    clausifier.assert_term(whole)
    symbols = {symbol: clausifier.declare(symbol) for symbol in whole.get_free_variables()}
    solver = open_solver(_SOLVER)
    try:
        solver.add_clauses(clausifier.clauses)
        if solver.solve() is Answer.UNSATISFIABLE:
            return None
        return fixed.union(symbol for symbol, variable in symbols.items() if solver.value(variable))
    finally:
        solver.close()


def _propagate(whole: FNode) -> tuple[dict[FNode, FNode], FNode]:
    """Return the bits that a formula fixes as literals of a conjunction, and the rest with their values. The
    rest is satisfiable exactly if the formula is, and mentions none of these bits."""
    known: dict[FNode, FNode] = {}
    for _round in range(_MOST_ROUNDS):
        parts = whole.args() if whole.is_and() else (whole,)
        values = {
            bit: FALSE if part.is_not() else TRUE
            for part in parts
            if (bit := part.arg(0) if part.is_not() else part).is_symbol()
        }
        if not values:
            return known, whole
        known |= values
        whole = restrict_formula(whole, values)
    return known, whole
