"""The numbers of elements of sets."""

from __future__ import annotations

from verifier.encodings.expressions import integer
from verifier.tla import ast
from verifier.tla.first_order.kinds import Kind, Linear, Whole
from verifier.tla.first_order.reading import Reading
from verifier.tla.first_order.scopes import Scope, Unread
from verifier.tla.first_order.typed import Typed


def read_cardinality(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    """Return the number of elements of a set that is a value. The empty set has 0, whatever its kind is."""
    collection = reading.collection(whole.arguments[0], scope)
    if collection.element is None:
        return Typed(Whole(Linear(0), Linear(0)), integer(0))
    if collection.made is None:
        raise Unread(whole.place, "the number of elements of a set that is not a value: count {x \\in S : P}")
    return Typed(Whole(), collection.made.cardinality)
