"""The compiled evaluator: wide and long terms, unknown variables, counted conditions."""

from __future__ import annotations

from random import Random

import pytest
from pysmt.fnode import FNode

from verifier.encodings.bits import FALSE, TRUE, bit, choice, conjunction, disjunction, negation
from verifier.encodings.evaluator import Evaluator, LaneEvaluator
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


@pytest.mark.parametrize("seed", range(5))
def test_lanes_have_the_values_of_single_states_whatever_was_asked_before(seed: int) -> None:
    """Terms share parts, with and without free symbols. Values of an assignment are not those of the next."""
    rng = Random(seed)
    closed, free = (
        [bit(f"lane{number}") for number in range(6)],
        [bit(f"free{number}") for number in range(3)],
    )

    def grow(symbols: list[FNode]) -> list[FNode]:
        terms = list(symbols)
        for _ in range(30):
            one, other, third = rng.choices(terms, k=3)
            terms.append(
                rng.choice([choice(one, other, third), conjunction([one, negation(other)]), negation(third)])
            )
        return terms

    without = grow(closed)
    terms = grow([*without[-8:], *free])
    states = [[rng.random() < 0.5 for _ in closed] for _ in range(20)]
    mask = (1 << len(states)) - 1
    lanes = {
        symbol: sum(state[index] << lane for lane, state in enumerate(states))
        for index, symbol in enumerate(closed)
    }
    evaluate, single = LaneEvaluator(lanes, mask, free), Evaluator([*closed, *free], [*without, *terms])
    for _ in range(12):
        assigned = [rng.random() < 0.5 for _ in free]
        asked = rng.sample(range(len(terms)), 5)
        found = evaluate.under(dict(zip(free, assigned, strict=True)), [terms[index] for index in asked])
        place = rng.randrange(len(without))
        alone = evaluate(without[place])
        for lane, state in enumerate(states):
            values = single.single([*state, *assigned])
            assert [value >> lane & 1 for value in found] == [values[len(without) + index] for index in asked]
            assert alone >> lane & 1 == values[place]
