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
        "a sort of which nothing is known but that it has an element",
        "every number of elements is one choice of it, and so are infinite ones",
    ),
    Approximation(
        "an element of an index set that has a name",
        "any element",
        "the one that is meant is among them",
    ),
    Approximation(
        "an integer of a Range",
        "an integer without bounds",
        "the bounds are a lemma, Typed, that is proved like the others",
    ),
    Approximation(
        "an action that would assign a value outside a sort, or read what has no value",
        "enabled",
        "at given constants it is disabled, so the reading only adds its steps; "
        "a proof that speaks of deadlocks shows that there are none of the former",
    ),
    Approximation(
        "what stands beyond the end of a sequence or at a key that a function does not have",
        "any value",
        "the property itself must not depend on it: that all it reads has a value is proved with it",
    ),
    Approximation(
        "the least or greatest element of an empty set",
        "any integer",
        "the axiom of the new symbol speaks of sets with an element only",
    ),
    Approximation(
        "how many values satisfy something, or a set has",
        "a number that is 0 for none, at most the size of the sort, and one more with one value more",
        "that is true of finite sets, and every set of the protocol is finite",
    ),
    Approximation(
        "a quotient or a remainder",
        "a number of Euclid's equation, in which the product with an unknown divisor is any number like it",
        "the true numbers satisfy it, and what is said of the product is true of it",
    ),
    Approximation(
        "the elements of a sequence that satisfy something",
        "a sequence whose places are those of elements of the whole one, in order, all that satisfy it",
        "the true subsequence is one",
    ),
)
