"""Numbers of values, as far as they are told apart, and the most that may be listed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from verifier.errors import TooLargeError, cut

MANY = 10**12
"""Numbers are not told apart beyond this one."""
MOST_LISTED = 1_000_000
"""The most values that are enumerated. More count as a mistake in a sort."""


def cap_count(number: int) -> int:
    """The number, or ``MANY`` if it is larger."""
    return min(number, MANY)


def product(factors: Iterable[int]) -> int:
    """The product of numbers that are not negative."""
    result = 1
    for factor in factors:
        result = cap_count(result * factor)
    return result


def power(base: int, exponent: int) -> int:
    """The power of numbers that are not negative."""
    if base <= 1 or exponent == 0:
        return base if exponent else 1
    return MANY if exponent > MANY.bit_length() else cap_count(int(base**exponent))


def about(number: int) -> str:
    """The number in words."""
    return f"more than {MANY:,}" if number >= MANY else f"about {number:,}"


def require_few(what: Any, number: int) -> None:
    """Raises TooLargeError if there are too many to list: ``number`` values of ``what``, which is a sort."""
    if number > MOST_LISTED:
        raise TooLargeError(
            f"something goes through all values of {cut(what)}, which has {about(number)}; more than "
            f"{MOST_LISTED:,} are taken for a mistake",
            ": give its parts smaller sorts",
        )
