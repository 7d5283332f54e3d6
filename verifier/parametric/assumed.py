"""Assumptions on constants, as formulas."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from math import prod
from types import MappingProxyType
from typing import Any

from verifier.parametric.logic import Logic
from verifier.parametric.nodes import INT, Node
from verifier.parametric.traced import Assumption, Polynomial

_RELATIONS: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
        "==": operator.eq,
        "!=": operator.ne,
    }
)


def assumption_node(logic: Logic, assumption: Assumption) -> Node:
    """Return an assumption on constants as a formula."""
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


def is_satisfied(assumption: Assumption, constants: Mapping[str, Any]) -> bool:
    """True if constants satisfy an assumption. False if it mentions numbers that are computed from them in a
    complex way."""
    sides = (assumption.left, assumption.right)
    if any(name not in constants for side in sides for monomial in side for name in monomial):
        return False
    left, right = (
        sum(factor * prod(constants[name] for name in monomial) for monomial, factor in side.items())
        for side in sides
    )
    return _RELATIONS[assumption.relation](left, right) == assumption.holds


def polynomial_node(logic: Logic, polynomial: Polynomial) -> Node:
    """Return a polynomial over the constants as a node. No state variable has a name with a space."""
    total = logic.integer(0)
    for monomial, factor in polynomial.items():
        product = logic.integer(factor)
        for name in monomial:
            product = logic.times(product, logic.app(f"constant {name}", INT))
        total = logic.plus(total, product)
    return total
