"""The compiled evaluator: wide and long terms, unknown variables, counted conditions."""

from __future__ import annotations

from random import Random

import pytest

from verifier.encodings.bits import FALSE, TRUE, bit, choice, conjunction, disjunction, negation
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.scalars import total_of

# The evaluator


def test_wide_and_long_terms_evaluate() -> None:
    """Python's compiler bears neither thousands of operands in one expression nor endless functions."""
    bits = [bit(f"b{number}") for number in range(2000)]
    parity = bits[0]
    for other in bits[1:] * 6:
        parity = choice(other, negation(parity), parity)
    evaluate = Evaluator(bits, [conjunction(bits), disjunction(bits), parity])
    for ones in (2000, 1999, 0):
        values = [True] * ones + [False] * (2000 - ones)
        assert evaluate.single(values) == [ones == 2000, ones > 0, ones > 0]


def test_an_unknown_variable_is_refused() -> None:
    with pytest.raises(ValueError, match="the variable b is not among"):
        Evaluator([bit("a")], [bit("b")])


@pytest.mark.parametrize("count", [0, 1, 16, 17, 40])
def test_conditions_are_counted_however_many_there_are(count: int) -> None:
    """Also where some are known, or are there twice."""
    rng = Random(count)
    symbols = [bit(f"counted{number}") for number in range(count)]
    flags = [rng.choice([symbol, negation(symbol), TRUE, FALSE, *symbols[:2]]) for symbol in symbols]
    total = total_of(flags)
    evaluate = Evaluator(symbols, [*flags, *total.thresholds])
    for chance in (0.0, 0.1, 0.5, 0.9, 1.0):
        found = evaluate.single([rng.random() < chance for _ in symbols])
        held = sum(found[:count])
        assert found[count:] == [number <= held for number in range(len(total.values))], (chance, held)
        assert held < len(total.values)
