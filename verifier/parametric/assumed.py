"""Assumptions on constants, as formulas."""

from __future__ import annotations

from verifier.parametric.logic import INT, Logic, Node
from verifier.parametric.traced import Assumption, Polynomial


def assumption_node(logic: Logic, assumption: Assumption) -> Node:
    """An assumption on constants as a formula."""
    left, right = polynomial_node(logic, assumption.left), polynomial_node(logic, assumption.right)
    relations = {
        "<": logic.less(left, right),
        "<=": logic.less_equal(left, right),
        ">": logic.less(right, left),
        ">=": logic.less_equal(right, left),
        "==": logic.equal(left, right),
        "!=": logic.neg(logic.equal(left, right)),
    }
    said = relations[assumption.relation]
    return said if assumption.holds else logic.neg(said)


def polynomial_node(logic: Logic, polynomial: Polynomial) -> Node:
    """A polynomial over the constants as a node. No state variable has a name with a space."""
    total = logic.integer(0)
    for monomial, factor in polynomial.items():
        product = logic.integer(factor)
        for name in monomial:
            product = logic.times(product, logic.app(f"constant {name}", INT))
        total = logic.plus(total, product)
    return total
