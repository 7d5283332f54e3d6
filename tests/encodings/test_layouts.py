"""Sorts list their values, layouts give them bits, and an assignment keeps what fits."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered_terms import bits_of, code_of, layout_of, lower_over, variables
from tests.support.sort_strategies import joinable, random_value, sorts
from verifier.encodings.bits import FALSE
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.expressions import BOOLEAN, literal
from verifier.encodings.fitting import convert, outside
from verifier.encodings.layout import Layout
from verifier.encodings.lowered import is_total
from verifier.encodings.lowering import Lowering
from verifier.encodings.sorts import Range, Record, Sequence, Sort, SortError, join

# Assignment


@settings(max_examples=300, deadline=None)
@given(joinable(sorts()), st.integers(0, 2**32))
def test_assignment_keeps_what_fits(pair: tuple[Sort, Sort], seed: int) -> None:
    source, target = pair
    symbols, (value,) = variables([source])
    layout = layout_of(symbols)
    lowered = lower_over(layout, symbols, value.term)
    outputs = [outside(target, lowered), *bits_of(target, convert(lowered, source, target))]
    evaluate = Evaluator(layout.bits, outputs)
    random = Random(seed)
    for _ in range(8):
        concrete = random_value(random, source)
        is_outside, *bits = evaluate.single(layout.encode_state({"x0": concrete}))
        assert is_outside == (not target.contains(concrete))
        if not is_outside:
            assert bits == code_of(target, concrete)


# Sorts and layouts


@settings(max_examples=300, deadline=None)
@given(sorts())
def test_sorts_list_their_values(sort: Sort) -> None:
    values = list(sort.values())
    assert len(values) == len(set(values)) == sort.size
    assert all(sort.contains(value) for value in values)
    assert sort.default in values


@settings(max_examples=100, deadline=None)
@given(joinable(sorts()))
def test_a_joined_sort_has_the_values_of_both(pair: tuple[Sort, Sort]) -> None:
    joined = join(*pair)
    assert all(joined.contains(value) for sort in pair for value in sort.values())


@settings(max_examples=150, deadline=None)
@given(sorts().filter(lambda sort: len(Layout({"x": sort}).bits) <= 12))
def test_valid_bits_are_those_of_the_values(sort: Sort) -> None:
    layout = Layout({"x": sort})
    width = len(layout.bits)
    assert len(set(layout.bits)) == width
    codes = {tuple(code_of(sort, value)): value for value in sort.values()}
    assert len(codes) == sort.size
    # All bit vectors at once: bit n of each variable belongs to the vector n.
    vectors = range(2**width)
    columns = [sum((vector >> position & 1) << vector for vector in vectors) for position in range(width)]
    (valid,) = Evaluator(layout.bits, [layout.valid()])(columns, (1 << 2**width) - 1)
    for vector in vectors:
        bits = tuple(bool(vector >> position & 1) for position in range(width))
        assert bool(valid >> vector & 1) == (bits in codes)
        if bits in codes:
            assert layout.decode_state(bits) == {"x": codes[bits]}
        else:
            with pytest.raises(ValueError, match="the bits"):
                layout.decode_state(bits)


@settings(max_examples=200, deadline=None)
@given(st.lists(sorts(), min_size=1, max_size=4), st.integers(0, 2**32))
def test_states_come_back_from_their_bits(several: list[Sort], seed: int) -> None:
    layout = Layout({f"x{number}": sort for number, sort in enumerate(several)})
    random = Random(seed)
    state = {name: random_value(random, sort) for name, sort in layout.sorts.items()}
    assert layout.decode_state(layout.encode_state(state)) == state


def test_an_empty_sort_is_refused() -> None:
    with pytest.raises(SortError, match=r"x cannot have a value: 1\.\.0 is empty"):
        Layout({"x": Range(1, 0)})
    with pytest.raises(SortError, match=r"1\.\.0 has no values"):
        _ = Range(1, 0).default


def test_the_empty_sequence_of_an_empty_sort_has_a_value() -> None:
    lowered = Lowering({}).lower(literal(Sequence(Range(1, 0), 1), ()).term, {})
    assert lowered.length.at_least(1) is FALSE
    assert is_total(lowered)


@pytest.mark.parametrize("name", ["_term", "__class__"])
def test_a_field_that_could_not_be_read_is_refused(name: str) -> None:
    with pytest.raises(SortError, match=f"cannot have a field '{name}'"):
        Record(**{name: BOOLEAN})
