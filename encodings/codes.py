"""The codes that hold scalars in state bits.

The conditions *at least v* of an integer are the bits of the thermometer code; the conditions *exactly v* of
a member of an enumeration or an index element are the bits of the one-hot code, which a few listed words have
too. Other listed values have the binary code of their places, since they may be many. ``code_of`` chooses the
code of a state field; no other place does.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from pysmt.fnode import FNode

from verifier.encodings.bits import TRUE, conjunction, disjunction, negation
from verifier.encodings.concrete import Concrete
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Listed, Option, Range, Sort

_MOST_ONE_HOT = 8
"""More listed values have the binary code."""


class Code(StrEnum):
    """The code of a scalar field in bits."""

    THERMOMETER = "thermometer"
    ONE_HOT = "one-hot"
    BINARY = "binary"


def code_of(sort: Sort) -> Code:
    """The thermometer code for ranges and optional ranges, the binary code for listed values that are many or
    integers, and the one-hot code for all other scalars.

    With the one-hot code a permutation of an index set, or of words, is a permutation of state bits.
    """
    inner = sort.inner if isinstance(sort, Option) else sort
    if isinstance(inner, Listed):
        few = inner.size <= _MOST_ONE_HOT and inner.bounds is None
        return Code.ONE_HOT if few else Code.BINARY
    return Code.THERMOMETER if isinstance(inner, Range) else Code.ONE_HOT


def bit_count(code: Code, size: int) -> int:
    """The number of bits of a field of ``size`` values."""
    if code is Code.BINARY:
        return (size - 1).bit_length()
    return size - 1 if code is Code.THERMOMETER else size


def _binary(place: int, count: int) -> list[bool]:
    """The bits of a place, the lowest first."""
    return [bool(place >> index & 1) for index in range(count)]


def decode(code: Code, values: Sequence[Concrete], bits: Sequence[FNode]) -> Scalar:
    """The scalar that the bits hold, if they are a valid code."""
    if code is Code.THERMOMETER:
        return Scalar(values, thresholds=(TRUE, *bits), total=True)
    if code is Code.BINARY:
        exactly = [
            conjunction(
                bit if on else negation(bit) for bit, on in zip(bits, _binary(place, len(bits)), strict=True)
            )
            for place in range(len(values))
        ]
        return Scalar(values, exactly=exactly, total=True, bits=bits)
    return Scalar(values, exactly=bits, total=True)


def encode(code: Code, values: Sequence[Concrete], scalar: Scalar) -> list[FNode]:
    """The bits that hold ``scalar``. They are correct where it is defined and one of ``values``."""
    if code is Code.THERMOMETER:
        if scalar.values == values:
            return list(scalar.thresholds[1:])
        return [scalar.at_least(value) for value in values[1:]]
    if code is Code.BINARY:
        if scalar.bits is not None and scalar.values == values:
            return list(scalar.bits)
        return [
            disjunction(scalar.equals(value) for place, value in enumerate(values) if place >> index & 1)
            for index in range(bit_count(code, len(values)))
        ]
    if scalar.values == values:
        return list(scalar.exactly)
    return [scalar.equals(value) for value in values]


def encode_concrete(code: Code, values: Sequence[Concrete], value: Concrete) -> list[bool]:
    """The bits that hold the concrete ``value``."""
    place = values.index(value)
    if code is Code.THERMOMETER:
        return [index <= place for index in range(1, len(values))]
    if code is Code.BINARY:
        return _binary(place, bit_count(code, len(values)))
    return [index == place for index in range(len(values))]


def decode_concrete(code: Code, values: Sequence[Concrete], bits: Sequence[bool]) -> Concrete:
    """The value that the bits hold. Raises ValueError if they hold none."""
    if code is Code.BINARY:
        place = sum(on << index for index, on in enumerate(bits))
    else:
        place = sum(bits) if code is Code.THERMOMETER else bits.index(True) if sum(bits) == 1 else -1
    if not 0 <= place < len(values) or encode_concrete(code, values, values[place]) != list(bits):
        raise ValueError(f"the bits {list(bits)} hold no value")
    return values[place]


def valid(code: Code, size: int, bits: Sequence[FNode]) -> FNode:
    """True if the bits hold one of ``size`` values."""
    if code is Code.THERMOMETER:
        return conjunction(disjunction((low, negation(high))) for low, high in pairwise(bits))
    if code is Code.BINARY:
        last = _binary(size - 1, len(bits))
        return conjunction(  # where the last place has a 0, a 1 needs a 0 above where that has a 1
            negation(conjunction((bit, *(b for b, on in zip(bits[index:], last[index:], strict=True) if on))))
            for index, bit in enumerate(bits)
            if not last[index]
        )
    exclusive = [
        disjunction((negation(a), negation(b))) for index, a in enumerate(bits) for b in bits[index + 1 :]
    ]
    return conjunction((disjunction(bits), *exclusive))
