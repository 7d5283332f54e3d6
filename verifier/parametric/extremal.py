"""The least or greatest element of a set of integers, as a number with a defining axiom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifier.parametric.logic import Logic
from verifier.parametric.nodes import Node, walk


@dataclass(frozen=True)
class Extreme:
    """The set of which a function symbol is the least or greatest element."""

    outside: tuple[Node, ...]
    """The arguments of the symbol."""
    variable: Node
    inside: Node
    """The formula that the variable is an element."""
    least: bool
    first: Node | None = None
    """A value that may be an element."""


def is_element(logic: Logic, extreme: Extreme, number: Node) -> Iterator[Node]:
    """Yield the formula that the number, the symbol applied to terms, is an element if there is one. Another
    formula says so if one of the compared values is an element, because no solver guesses that."""
    inside = _at(logic, extreme, number)
    own = logic.substitute(inside, {extreme.variable: number})
    yield logic.implies(logic.exists((extreme.variable,), inside), own)
    first = [] if extreme.first is None else [extreme.first]
    for value in dict.fromkeys((*first, *_list_compared_terms(inside, extreme.variable))):
        yield logic.implies(logic.substitute(inside, {extreme.variable: value}), own)
        yield bounds(logic, extreme, number, value)


def bounds(logic: Logic, extreme: Extreme, number: Node, value: Node) -> Node:
    """Return the formula that the number is not beyond the value if the value is an element."""
    inside = logic.substitute(_at(logic, extreme, number), {extreme.variable: value})
    first, last = (number, value) if extreme.least else (value, number)
    return logic.implies(inside, logic.less_equal(first, last))


def _at(logic: Logic, extreme: Extreme, number: Node) -> Node:
    return logic.substitute(extreme.inside, dict(zip(extreme.outside, number.args, strict=True)))


def _list_compared_terms(inside: Node, variable: Node) -> list[Node]:
    """Return the terms with which the formula compares the variable: points where a function has another
    value."""
    terms: dict[Node, None] = {}

    def see(node: Node) -> None:
        if node.kind == "=":
            for one, other in (node.args, node.args[::-1]):
                if one is variable and not other.free:
                    terms[other] = None

    walk(inside, see)
    return list(terms)
