"""Arithmetic of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from verifier.encodings.sorts import Range
from verifier.encodings.terms import Operator, Term
from verifier.tla.errors import LARGEST
from verifier.tla.primitives import power
from verifier.tla.translate.connectives import and_, if_, or_
from verifier.tla.translate.making import equals, less
from verifier.tla.translate.spreading import bounds_of, integer_of
from verifier.tla.translate.symbolic import Known, Nothing, Span, Sym, Untranslated
from verifier.tla.value_types import NoValue

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_MOST_RESULTS = 5000


def subtract(t: Translator, one: Sym, other: Sym) -> Sym:
    """``one - other`` of integers."""
    return add_or_subtract(t, Operator.SUBTRACT, one, other)


def add_or_subtract(t: Translator, operator: Operator, one: Sym, other: Sym) -> Sym:
    """A sum or difference."""
    if isinstance(one, Nothing) or isinstance(other, Nothing):
        return one if isinstance(one, Nothing) else other
    if isinstance(one, Known) and isinstance(other, Known):
        sum_ = one.value + other.value if operator is Operator.ADD else one.value - other.value
        return Known(sum_)
    left, right = t.term(one), t.term(other)
    a, b = bounds_of(left.sort), bounds_of(right.sort)
    if operator is Operator.ADD:
        return Term(operator, Range(a.low + b.low, a.high + b.high), (left, right))
    return Term(operator, Range(a.low - b.high, a.high - b.low), (left, right))


def _within_integers(t: Translator, value: Sym) -> Sym:
    """Return an integer; it has no value beyond TLC's 32 bits."""
    words = "the result is beyond TLC's integers of 32 bits"
    match value:
        case Known():
            return value if -LARGEST <= value.value <= LARGEST else Nothing(words)
        case Term(sort=Range() as sort) if sort.low < -LARGEST or sort.high > LARGEST:
            above = less(t, Known(-LARGEST), value, equal=True)
            inside = and_(t, [above, less(t, value, Known(LARGEST), equal=True)])
            return if_(t, inside, value, Nothing(words))
    return value


def sum_of(t: Translator, operator: Operator, one: Sym, other: Sym) -> Sym:
    """``+`` or ``-``"""
    left, right = integer_of(t, one), integer_of(t, other)
    for part in (left, right):
        if isinstance(part, Nothing):
            return part
    return _within_integers(t, add_or_subtract(t, operator, left, right))


def by_cases(t: Translator, compute: Callable[[int, int], int], one: Sym, other: Sym) -> Sym:
    """Apply an operator to integers by listing all pairs of values that they may have."""
    left, right = integer_of(t, one), integer_of(t, other)
    for part in (left, right):
        if isinstance(part, Nothing):
            return part
    firsts, seconds = _integers(left), _integers(right)
    if len(firsts) * len(seconds) > _MOST_RESULTS:
        raise Untranslated(None, f"arithmetic on {len(firsts)} by {len(seconds)} values")
    groups: dict[Any, list[Sym]] = {}
    for a in firsts:
        for b in seconds:
            try:
                result: Any = compute(a, b)
            except NoValue:
                continue
            if abs(result) > LARGEST:
                continue
            both = and_(t, [equals(t, left, Known(a)), equals(t, right, Known(b))])
            groups.setdefault(result, []).append(both)
    chosen: Sym = Nothing("arithmetic without a result")
    for result, conditions in groups.items():
        chosen = if_(t, or_(t, conditions), Known(result), chosen)
    return chosen


def _integers(value: Sym) -> list[int]:
    if isinstance(value, Known):
        return [value.value]
    assert isinstance(value, Term)
    return [v for v in value.sort.values() if isinstance(v, int)]


def power_of(t: Translator, one: Sym, other: Sym) -> Sym:
    """``one ^ other``"""
    return by_cases(t, power, one, other)


def make_span(t: Translator, low: Sym, high: Sym) -> Sym:
    """``low..high``"""
    left, right = integer_of(t, low), integer_of(t, high)
    for part in (left, right):
        if isinstance(part, Nothing):
            return part
    return Span(left, right)
