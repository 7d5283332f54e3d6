"""The bounds of integer expressions, by the bounds of their parts, and a limit to what they cost."""

from __future__ import annotations

from math import comb

from verifier.encodings.listed_sort import range_of
from verifier.encodings.open_integers import compute_from, greatest, least
from verifier.encodings.scalar_sorts import Range, Sort, SortError

MOST_CASES = 1_000_000
"""An arithmetic operation goes through all pairs of values. More are taken for a mistake in a range."""


def product(left: Sort, right: Sort) -> Range:
    """The bounds of ``left * right``."""
    _require_few_cases("*", left.size * right.size)
    return _span([a * b for a in _ends(left) for b in _ends(right)])


def quotient(left: Sort, right: Sort) -> Range:
    """The bounds of ``left // right`` where the divisor is positive."""
    _require_few_cases("//", left.size * right.size)
    ends = (*_ends(left), *_ends(right))
    quotients = [a // max(1, b) for a in ends[:2] for b in ends[2:]]
    low, high = compute_from(min(quotients), "the least quotient", ends), max(quotients)
    return Range(low, compute_from(high, "the greatest quotient", ends))


def remainder(left: Sort, right: Sort) -> Range:
    """The bounds of ``left % right`` where the divisor is positive."""
    _require_few_cases("%", left.size * right.size)
    (low, high), (_, last) = _ends(left), _ends(right)
    most = max(0, last - 1)
    bound = most if low < 0 else max(0, min(high, most))
    return Range(0, compute_from(bound, "the greatest remainder", (low, high, last)))


def total(summand: Sort, least: int, most: int) -> Range:
    """The bounds of a sum of ``least`` to ``most`` integers of one sort."""
    sums = span_of_sum(summand, least, most)
    distinct = min(1 + sums.high - sums.low, comb(most + summand.size, most))
    _require_few_cases("a sum", most * summand.size * distinct)
    return sums


def span_of_sum(summand: Sort, least: int, most: int) -> Range:
    """The bounds of such a sum, however many cases it has."""
    return _span([count * end for count in (least, most) for end in _ends(summand)])


def _ends(sort: Sort) -> tuple[int, int]:
    bounds = range_of(sort)
    assert bounds is not None
    return bounds.low, bounds.high


def _span(integers: list[int]) -> Range:
    return Range(least(*integers), greatest(*integers))


def _require_few_cases(what: str, cases: int) -> None:
    if cases > MOST_CASES:
        raise SortError(
            f"{what} of these integers has about {cases:,} cases, and more than {MOST_CASES:,} are taken for "
            "a mistake: give the integers smaller ranges"
        )
