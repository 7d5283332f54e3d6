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
        "at given constants it is disabled, so the reading only adds its steps; "
        "a proof of a deadlock invariant shows that no such assignment occurs",
    ),
    Approximation(
        "an item beyond the end of a sequence, or at a key that a function lacks",
        "any value",
        "the property must not depend on it: the proof includes that its reads have values",
    ),
    Approximation(
        "the least or greatest element of an empty set",
        "any integer",
        "the axiom of the new symbol only concerns sets with an element",
    ),
    Approximation(
        "the number of values that satisfy a formula, or of elements of a set",
        "a number that is 0 for none, at most the size of the sort, and greater by one with one more value",
        "this is true of finite sets, and every set of the protocol is finite",
    ),
    Approximation(
        "a quotient or a remainder",
        "a number of Euclid's equation, in which the product with an unknown divisor has partial axioms",
        "the true numbers satisfy the equation and the axioms",
    ),
    Approximation(
        "the elements of a sequence that satisfy a condition",
        "a sequence whose places map, in order, to the places in the whole one whose elements satisfy it",
        "the true subsequence is one of these",
    ),
)
