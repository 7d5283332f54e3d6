"""The rules of operators on integers, with the bounds that their values keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from verifier.encodings.expressions import all_values, integer
from verifier.encodings.values import BooleanValue
from verifier.tla import ast
from verifier.tla.first_order.advice import advise
from verifier.tla.first_order.comprehensions import make_comprehension
from verifier.tla.first_order.kinds import INTEGERS, NATURALS, Kind, Linear, Optional, Truth, Whole
from verifier.tla.first_order.reading import Reading, Rule
from verifier.tla.first_order.scopes import Misfit, Scope
from verifier.tla.first_order.typed import ALWAYS, Collection, Typed, conjoin, find_number

TRUTH = Truth()


def _integers(reading: Reading, whole: ast.Apply, scope: Scope) -> list[Typed]:
    integers = [_present(reading.read_typed(one, scope)) for one in whole.arguments]
    for one, written in zip(integers, whole.arguments, strict=True):
        if not isinstance(one.kind, Whole):
            words = f"an integer is expected here, and this is {one.kind}"
            raise Misfit(written.place, words + advise(one.kind, Whole()))
    return integers


def _present(typed: Typed) -> Typed:
    """Return an integer that may be absent as an integer. The proof includes that it is not read where it is
    absent: TLA+ has no value there."""
    if isinstance(typed.kind, Optional) and isinstance(typed.kind.inner, Whole):
        return Typed(typed.kind.inner, typed.value.value)
    return typed


def _make_comparison_rule(compare: Callable[[Any, Any], Any]) -> Rule:
    def rule(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
        one, other = _integers(reading, whole, scope)
        return Typed(TRUTH, compare(one.value, other.value))

    return rule


def _sum(factor: int) -> Rule:
    def rule(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
        one, other = _integers(reading, whole, scope)
        value = one.value + other.value if factor > 0 else one.value - other.value
        assert isinstance(one.kind, Whole)
        assert isinstance(other.kind, Whole)
        low, high = (other.kind.low, other.kind.high) if factor > 0 else (other.kind.high, other.kind.low)
        if one.kind.low is None or one.kind.high is None or low is None or high is None:
            return Typed(Whole(), value)
        return Typed(Whole(one.kind.low.plus(low, factor), one.kind.high.plus(high, factor)), value)

    return rule


def _negative(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    (one,) = _integers(reading, whole, scope)
    assert isinstance(one.kind, Whole)
    if (number := find_number(one)) is not None:
        own = Linear(-number)
        return Typed(Whole(own, own), integer(-number))
    if one.kind.low is None or one.kind.high is None:
        return Typed(Whole(), integer(0) - one.value)
    zero = Linear(0)
    return Typed(Whole(zero.plus(one.kind.high, -1), zero.plus(one.kind.low, -1)), integer(0) - one.value)


def _make_calculation_rule(calculate: Callable[[Any, Any], Any]) -> Rule:
    def rule(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
        one, other = _integers(reading, whole, scope)
        return Typed(Whole(), calculate(one.value, other.value))

    return rule


def _product(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Typed:
    """Return a product. A multiple has bounds."""
    one, other = _integers(reading, whole, scope)
    value = one.value * other.value
    for factor, kind in ((one.kind, other.kind), (other.kind, one.kind)):
        assert isinstance(factor, Whole)
        assert isinstance(kind, Whole)
        if factor.low is None or factor.low != factor.high or factor.low.parts:
            continue
        if kind.low is not None and kind.high is not None:
            ends = [Linear(0).plus(end, factor.low.number) for end in (kind.low, kind.high)]
            return Typed(Whole(*(ends if factor.low.number >= 0 else ends[::-1])), value)
    return Typed(Whole(), value)


def _range(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
    one, other = _integers(reading, whole, scope)
    assert isinstance(one.kind, Whole)
    assert isinstance(other.kind, Whole)
    low, high = one.kind.low, other.kind.high

    def has(item: Typed) -> BooleanValue:
        return conjoin(one.value <= item.value, item.value <= other.value)

    if low is None or high is None:
        return Collection(Whole(), has)
    kind = Whole(low, high)
    if one.kind.high == low and other.kind.low == high:
        return Collection(kind, has, all_values(kind.sort(reading.sorts)), whole=True)
    return Collection(kind, has, make_comprehension(reading, kind, has))


def _naturals(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
    return Collection(NATURALS, lambda one: one.value >= 0, unbounded=True)


def _all_integers(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Collection:
    return Collection(INTEGERS, lambda _: ALWAYS, unbounded=True)


INTEGER_OPERATORS: Mapping[str, Rule] = {
    "<": _make_comparison_rule(lambda one, other: one < other),
    "<=": _make_comparison_rule(lambda one, other: one <= other),
    ">": _make_comparison_rule(lambda one, other: one > other),
    ">=": _make_comparison_rule(lambda one, other: one >= other),
    "+": _sum(1),
    "-": _sum(-1),
    "-.": _negative,
    "*": _product,
    "%": _make_calculation_rule(lambda one, other: one % other),
    "\\div": _make_calculation_rule(lambda one, other: one // other),
    "..": _range,
    "Nat": _naturals,
    "Int": _all_integers,
}
"""The rules by the name of the operator."""
