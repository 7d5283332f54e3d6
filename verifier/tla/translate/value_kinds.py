"""The kinds of values and of sorts, and the kinds that may be compared."""

from __future__ import annotations

from verifier.encodings.sorts import (
    Boolean,
    Function,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
)
from verifier.tla.lazy_sets import FunctionSet, Infinite, Interval, Powerset, ProductSet, RecordSet, Sequences
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.value_types import Boolean as Truth
from verifier.tla.value_types import ModelValue, Value
from verifier.tla.values import is_set

SET, FUNCTION, INTEGER, STRING, TRUTH = "set", "function", "integer", "string", "truth"
EVERY = frozenset((SET, FUNCTION, INTEGER, STRING, TRUTH))
"""The kinds without those of model values: ``model``, and ``model p`` for those with the type p."""


def clash(kind: str, others: set[str]) -> bool:
    """True if a value of a kind may not be compared with a value of one of the other kinds."""
    return kind != "model" and any(other not in (kind, "model") for other in others)


def kinds_of_members(of: Value) -> set[str]:
    """Return the kinds of a set's members, as far as the form of the set tells them."""
    match of:
        case frozenset():
            return {kind_of(one) for one in of}
        case FunctionSet() | RecordSet() | ProductSet() | Sequences():
            return {FUNCTION}
        case Powerset():
            return {SET}
        case Interval():
            return {INTEGER} if of.size() else set()
        case Infinite():  # its own rule asks for the kind
            return set()
    raise Untranslated(None, f"the kinds of what is in {of.words}")


def kind_of(value: Value) -> str:
    """Return the kind of a value, as comparisons distinguish them."""
    match value:
        case int():
            return INTEGER
        case Truth():
            return TRUTH
        case str():
            return STRING
        case ModelValue() as value:
            return f"model {value.type}".rstrip()
    return SET if is_set(value) else FUNCTION


def kind_of_sort(sort: Sort) -> str:
    match sort:
        case Range():
            return INTEGER
        case Boolean():
            return TRUTH
        case Set():
            return SET
        case Tuple() | Sequence() | Record() | Function() | PartialFunction():
            return FUNCTION
    raise Untranslated(None, f"the kind of a value of {sort}")


__all__ = [
    "EVERY",
    "FUNCTION",
    "INTEGER",
    "SET",
    "STRING",
    "TRUTH",
    "clash",
    "kind_of",
    "kind_of_sort",
    "kinds_of_members",
]
