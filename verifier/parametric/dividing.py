"""Quotients and remainders: Euclid's equation, which is linear if the divisor is a number.

The product of an unknown divisor and a quotient is a function symbol with partial axioms.

Source: Boute 1992, doi:10.1145/128861.128862, compares Euclid's with other definitions.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.encodings.terms import Operator, Term
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import INT, Node
from verifier.parametric.term_reader import Reader, Scope

PRODUCT = "a product"
"""The symbol of a product. No state variable has a name with a space."""


def divide_by_constant(reader: Reader, term: Term, scope: Scope) -> Node:
    """Return the quotient or the remainder, as a new symbol. It has no meaning unless the divisor is
    positive."""
    logic = reader.logic
    dividend, divisor = (reader.part(arg, scope) for arg in term.arguments)
    outside = sorted(dividend.free | divisor.free, key=lambda node: node.data)
    meaning = logic.app("divided", INT, (dividend, divisor))
    names = [reader.symbol(word, meaning, outside, lambda _: (), INT) for word in ("quotient", "remainder")]
    quotient, remainder = (logic.app(name, INT, outside) for name in names)
    said = logic.conj(euclid(logic, dividend, divisor, quotient, remainder))
    for name in names:
        reader.definitions.axioms[name] = (
            logic.forall(outside, logic.implies(logic.less_equal(logic.integer(1), divisor), said)),
        )
    return quotient if term.operator is Operator.DIVIDE else remainder


def product_of(logic: Logic, divisor: Node, quotient: Node) -> Node:
    """Return the product, as a symbol if neither factor is a number."""
    product = logic.times(divisor, quotient)
    return product if product.kind != "*" else logic.app(PRODUCT, INT, (divisor, quotient))


def euclid(logic: Logic, dividend: Node, divisor: Node, quotient: Node, remainder: Node) -> Iterator[Node]:
    """Yield the axioms of a quotient and a remainder if the divisor is positive."""
    zero, one = logic.integer(0), logic.integer(1)
    product = product_of(logic, divisor, quotient)
    if product.data == PRODUCT:
        yield logic.implies(logic.equal(quotient, zero), logic.equal(product, zero))
        yield logic.implies(logic.equal(quotient, one), logic.equal(product, divisor))
        yield logic.implies(logic.equal(divisor, one), logic.equal(product, quotient))
        yield logic.implies(logic.less_equal(one, quotient), logic.less_equal(divisor, product))
        negative = logic.less_equal(quotient, logic.integer(-1))
        yield logic.implies(negative, logic.less_equal(product, logic.minus(zero, divisor)))
        # A quotient is between 0 and the dividend.
        yield logic.implies(logic.less_equal(zero, dividend), logic.less_equal(quotient, dividend))
        yield logic.implies(logic.less_equal(zero, dividend), logic.less_equal(zero, quotient))
    yield logic.equal(dividend, logic.plus(product, remainder))
    yield logic.less_equal(zero, remainder)
    yield logic.less(remainder, divisor)
