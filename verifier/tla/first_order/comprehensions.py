"""Sets of the values that a formula is true of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.encodings.expressions import wrap
from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import BooleanValue
from verifier.tla.first_order.kinds import Kind
from verifier.tla.first_order.reading import Reading
from verifier.tla.first_order.typed import Typed, variable_of


def make_comprehension(reading: Reading, kind: Kind, has: Callable[[Typed], BooleanValue]) -> Any:
    """Return the set of the values of a kind that a formula is true of."""
    symbol = Symbol("x", kind.sort(reading.sorts))
    inside = has(Typed(kind, variable_of(symbol)))
    return wrap(Term(Operator.COMPREHENSION, Set(symbol.sort), (inside.term,), binds=symbol))
