"""Over-approximations of the protocol in the parametric reading, and why they are sound.

An over-approximation may have more steps and more states, never fewer. A property that holds in all its
states holds in all states of the protocol, at every choice of constants. ``docs/all-constants.md`` shows this
table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Approximation:
    """One over-approximation."""

    what: str
    read_as: str
    why: str


APPROXIMATIONS = (
    Approximation(
        "an index set",
        "an arbitrary sort with at least one element",
        "it covers every number of elements, even infinitely many",
    ),
    Approximation(
        "a named element of an index set",
        "any element",
        "this covers the named element",
    ),
    Approximation(
        "an integer of a Range",
        "an integer without bounds",
        "the bounds are a lemma, Typed, which is proved like the others",
    ),
    Approximation(
        "an action that would assign a value outside a sort, or make an undefined read",
        "enabled",
        "at given constants it is disabled, so this reading has more steps, never fewer. A proof of a "
        "deadlock invariant also shows that no action does this",
    ),
    Approximation(
        "an item beyond the end of a sequence, or at a key that a function lacks",
        "any value",
        "the property must not depend on it: a proof also shows that the property reads no such item",
    ),
    Approximation(
        "the least or greatest element of an empty set",
        "any integer",
        "the axiom of least and greatest elements only concerns sets with an element",
    ),
    Approximation(
        "the number of values that satisfy a formula, or of elements of a set",
        "a number with these axioms: it is 0 if there is no such value; it is at most the size of an index "
        "set or range; with one more value, it is greater by one",
        "this is true of finite sets, and every set of the protocol is finite",
    ),
    Approximation(
        "a quotient or a remainder",
        "a number that satisfies Euclid's equation. If the divisor is unknown, its product with the quotient "
        "has some axioms only",
        "the true numbers satisfy the equation and the axioms",
    ),
    Approximation(
        "a set inside another value (an element of a set, or a field of a record that is in a set), or a set "
        "that a quantifier binds",
        "an element of a new sort. A predicate says what its members are. For each formula P over the "
        "members, the new sort is assumed to contain the set {x : P(x)}",
        "each such set exists. It is not assumed that two elements with the same members are equal: solvers "
        "get fewer facts than are true",
    ),
    Approximation(
        "the elements of a sequence that satisfy a condition",
        "a new sequence. Its places map, in order, to exactly those places of the old sequence whose "
        "elements satisfy the condition",
        "the true subsequence is such a sequence",
    ),
)
