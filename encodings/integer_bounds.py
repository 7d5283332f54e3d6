"""The bounds of integer expressions, by the bounds of their parts, and a limit to what they cost."""

from __future__ import annotations

from verifier.encodings.scalar_sorts import Range, SortError

MOST_CASES = 1_000_000
"""An arithmetic operation goes through all pairs of values. More are taken for a mistake in a range."""


def product(left: Range, right: Range) -> Range:
    """The bounds of ``left * right``."""
    _require_few_cases("*", left.size * right.size)
    return _spanned([a * b for a in (left.low, left.high) for b in (right.low, right.high)])


def quotient(left: Range, right: Range) -> Range:
    """The bounds of ``left // right`` where the divisor is positive."""
    _require_few_cases("//", left.size * right.size)
    divisors = (max(1, right.low), max(1, right.high))
    return _spanned([a // b for a in (left.low, left.high) for b in divisors])


def remainder(left: Range, right: Range) -> Range:
    """The bounds of ``left % right`` where the divisor is positive."""
    _require_few_cases("%", left.size * right.size)
    most = max(0, right.high - 1)
    return Range(0, most if left.low < 0 else max(0, min(left.high, most)))


def total(summand: Range, least: int, most: int) -> Range:
    """The bounds of a sum of ``least`` to ``most`` integers of one range."""
    sums = _spanned([count * end for count in (least, most) for end in (summand.low, summand.high)])
    _require_few_cases("a sum", most * summand.size * (1 + sums.high - sums.low))
    return sums


def _spanned(integers: list[int]) -> Range:
    return Range(min(integers), max(integers))


def _require_few_cases(what: str, cases: int) -> None:
    if cases > MOST_CASES:
        raise SortError(
            f"{what} of these integers has about {cases:,} cases, and more than {MOST_CASES:,} are taken for "
            "a mistake: give the integers smaller ranges"
        )
