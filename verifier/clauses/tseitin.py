"""Clauses for boolean terms, for the check of proofs only.

The provers use ``verifier.clauses.cnf``; the check must not depend on the same code. Every part of a term
that is not a symbol gets a variable that is equivalent to it (Tseitin 1968,
doi:10.1007/978-3-642-81955-1_28). Implications in the one direction that is needed (Plaisted and Greenbaum
1986) are half as many clauses, but take twice the time (measured on kip320).
"""

from __future__ import annotations

from pysmt import operators as op
from pysmt.fnode import FNode

Signed = tuple[FNode, bool]
"""A term that is not a negation, and whether it must be true or false."""


class Definitions:
    """Clauses that are satisfiable, under assumed literals, if and only if the terms are."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = []
        self._literals: dict[FNode, int] = {}

    def copy(self) -> Definitions:
        """An independent copy with the same clauses and variables."""
        other = Definitions()
        other.clauses = list(self.clauses)
        other._literals = dict(self._literals)
        return other

    def hold(self, term: FNode) -> None:
        """Adds clauses that make the term true."""
        waiting = [_split_sign(term, True)]
        while waiting:
            node, positive = waiting.pop()
            parts = _parts(node, positive)
            if parts is None:
                self.clauses.append([self._literal(node, positive)])
            elif bool(node.is_and()) == positive:
                waiting += parts
            else:
                self.clauses.append([self._literal(*part) for part in parts])

    def literal(self, term: FNode) -> int:
        """A literal that is equivalent to the term. Raises TypeError for a term that is not boolean."""
        return self._literal(*_split_sign(term, True))

    def _literal(self, root: FNode, positive: bool) -> int:
        if root not in self._literals:
            self._define(root)
        return self._literals[root] if positive else -self._literals[root]

    def _define(self, root: FNode) -> None:
        known, stack = self._literals, [root]
        while stack:  # a stack of our own: terms nest deeper than Python's
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            defining = [(sign, _imply(node, sign)) for sign in (True, False)]
            missing = [
                part for _, clauses in defining for one in clauses for part, _ in one if part not in known
            ]
            if missing:
                stack += missing
                continue
            stack.pop()
            own = known[node] = len(known) + 1
            for sign, clauses in defining:
                not_so = -own if sign else own
                for one in clauses:
                    self.clauses.append([not_so, *(known[p] if s else -known[p] for p, s in one)])


def _split_sign(node: FNode, positive: bool) -> Signed:
    while node.is_not():
        node, positive = node.arg(0), not positive
    return node, positive


def _parts(node: FNode, positive: bool) -> list[Signed] | None:
    """The parts of a conjunction or disjunction, or of the negation of one."""
    if node.is_and() or node.is_or():
        return [_split_sign(part, positive) for part in node.args()]
    if node.is_implies():
        return [_split_sign(node.arg(0), not positive), _split_sign(node.arg(1), positive)]
    return None


def _imply(node: FNode, positive: bool) -> list[list[Signed]]:
    """Clauses over the parts of a term whose conjunction says that the term is true (or false)."""
    kind, args = node.node_type(), node.args()
    if kind == op.SYMBOL and node.symbol_type().is_bool_type():
        return []
    if kind == op.BOOL_CONSTANT:
        return [] if node.constant_value() == positive else [[]]
    parts = _parts(node, positive)
    if parts is not None:
        return [[part] for part in parts] if bool(node.is_and()) == positive else [parts]
    if kind == op.IFF:
        condition, then, otherwise = args[0], args[1], args[1]
        values = (positive, not positive)
    elif kind == op.ITE:
        condition, then, otherwise = args
        values = (positive, positive)
    else:
        raise TypeError(f"not a boolean term: {node}")
    clauses = [
        [_split_sign(condition, False), _split_sign(then, values[0])],
        [_split_sign(condition, True), _split_sign(otherwise, values[1])],
    ]
    if kind == op.ITE:  # redundant: lets the result propagate before the condition is known
        clauses.append([_split_sign(then, positive), _split_sign(otherwise, positive)])
    return clauses
