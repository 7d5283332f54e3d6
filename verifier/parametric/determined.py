"""Variables whose values a formula tells by cases, as it does of the parts of an option that is compared.

Such a quantifier needs no solver: each variable is replaced by its value. Formulas are simplified afterwards,
by what is true wherever a part of them matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from verifier.parametric.nodes import BOOL, Node


class Folding(Protocol):
    """The part of ``Logic`` that is needed here."""

    true: Node
    false: Node

    def neg(self, one: Node) -> Node:
        """Return the negation."""

    def conj(self, parts: Sequence[Node]) -> Node:
        """Return the conjunction."""

    def disj(self, parts: Sequence[Node]) -> Node:
        """Return the disjunction."""

    def ite(self, condition: Node, then: Node, otherwise: Node) -> Node:
        """Return ``then`` if the condition holds, else ``otherwise``."""

    def replace_constants(self, node: Node, values: Mapping[Node, Node]) -> Node:
        """Substitute values for any nodes."""


def find_by_cases(
    logic: Folding, variables: Sequence[Node], facts: Sequence[Node]
) -> tuple[Node, Node] | None:
    """Return a variable and its value, which follow from the facts."""
    cases: dict[tuple[Node, Node], Node] = {}
    for fact in facts:
        for variable, value in _find_same_truth(logic, fact):
            if variable in variables and variable not in value.free:
                return variable, value
        for condition, variable, value in _list_cases(logic, fact):
            if variable not in variables or variable in condition.free | value.free:
                continue
            other = cases.get((variable, logic.neg(condition)))
            if other is not None:
                return variable, logic.ite(condition, value, other)
            cases.setdefault((variable, condition), value)
    return None


def _find_same_truth(logic: Folding, fact: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the variables that are true exactly where another formula is: ``v /\\ a`` or ``~v /\\ ~a``."""
    if fact.kind != "or" or len(fact.args) != 2:
        return
    for one, other in (fact.args, fact.args[::-1]):
        parts, others = _conjuncts(one), set(_conjuncts(other))
        opposite = [part for part in parts if logic.neg(part) in others]
        for variable in opposite:
            if variable.kind == "var" and len(opposite) > 1:
                yield variable, next(part for part in opposite if part is not variable)


def _list_cases(logic: Folding, fact: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Yield the values of variables where a condition holds: of ``~condition \\/ v = value``."""
    if fact.kind != "or" or len(fact.args) != 2:
        return
    for one, other in (fact.args, fact.args[::-1]):
        for part in _conjuncts(other):
            if part.kind == "=" and part.args[0].sort != BOOL:
                for variable, value in (part.args, part.args[::-1]):
                    if variable.kind == "var":
                        yield logic.neg(one), variable, value


def _conjuncts(node: Node) -> tuple[Node, ...]:
    return node.args if node.kind == "and" else (node,)


def simplify(logic: Folding, node: Node) -> Node:
    """Return an equal formula. A part of a conjunction matters only where the others are true, and a part of
    a disjunction only where the others are false."""
    if node.kind == "not":
        return logic.neg(simplify(logic, node.args[0]))
    if node.kind not in ("and", "or"):
        return node
    known = {}
    for arg in node.args:
        atom, is_true = (arg.args[0], False) if arg.kind == "not" else (arg, True)
        if atom.kind in ("var", "app", "=", "<="):
            known[atom] = logic.true if is_true == (node.kind == "and") else logic.false
    parts = []
    for arg in node.args:
        others = {atom: truth for atom, truth in known.items() if atom not in (arg, logic.neg(arg))}
        parts.append(simplify(logic, logic.replace_constants(arg, others) if others else arg))
    made = logic.conj(parts) if node.kind == "and" else logic.disj(parts)
    return made if made is node or made.kind != node.kind else simplify(logic, made)
