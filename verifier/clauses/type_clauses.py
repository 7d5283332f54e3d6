"""The type invariant of the state bits as clauses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pysmt import operators as op
from pysmt.fnode import FNode

from verifier.clauses.unrolling import Clauses
from verifier.system.transition_system import TransitionSystem

_MOST_CLAUSES = 64


def type_clauses(system: TransitionSystem) -> Clauses:
    """The clauses of ``system.valid``, over the state bits alone.

    A conjunct that would need many clauses is left out, which only makes properties harder to prove.
    """
    variables = {symbol: number for number, symbol in enumerate(system.bits, 1)}
    clauses: Clauses = []
    for conjunct in system.valid.args() if system.valid.is_and() else (system.valid,):
        clauses += _distribute(conjunct, variables) or []
    return normalise(clauses)


def normalise(clauses: Iterable[Sequence[int]]) -> Clauses:
    """Each clause once, with its literals sorted, without the clauses that are always true."""
    kept: dict[tuple[int, ...], None] = {}
    for clause in clauses:
        literals = set(clause)
        if not any(-literal in literals for literal in literals):
            kept[tuple(sorted(literals, key=abs))] = None
    return [list(clause) for clause in kept]


def _distribute(formula: FNode, variables: dict[FNode, int], positive: bool = True) -> Clauses | None:
    """The formula (or its negation) as clauses by distribution; None if there would be many."""
    kind = formula.node_type()
    if kind == op.SYMBOL:
        return [[variables[formula] if positive else -variables[formula]]]
    if kind == op.BOOL_CONSTANT:
        return [] if formula.constant_value() == positive else [[]]
    if kind == op.NOT:
        return _distribute(formula.arg(0), variables, not positive)
    if kind not in (op.AND, op.OR):
        return None
    parts: list[Clauses] = []
    for argument in formula.args():
        part = _distribute(argument, variables, positive)
        if part is None:
            return None
        parts.append(part)
    if (kind == op.AND) == positive:
        return [clause for part in parts for clause in part]
    product: Clauses = [[]]
    for part in parts:
        product = [[*one, *other] for one in product for other in part]
        if len(product) > _MOST_CLAUSES:
            return None
    return product
