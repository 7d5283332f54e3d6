"""Numbers of values, keys of states and their classes, by columns."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.tla.columns.numbers import Classes, Numbers, Packed


def test_packed_keys_are_equal_where_all_numbers_are() -> None:
    random = np.random.default_rng(1)
    columns = [Numbers() for _ in range(9)]
    for numbers in columns:
        for value in range(900):
            numbers.of(value)
    packed = Packed(columns)
    rows = random.integers(-1, 900, (9, 400))
    rows[:, 200:] = rows[:, :200]
    keys = packed.keys(list(rows), 400)
    assert sum(packed.widths) > 62
    assert len(set(keys.tolist())) == len({tuple(row) for row in rows.T.tolist()})
    assert (keys[:200] == keys[200:]).all()
    again = packed.keys(list(rows[:, :50]), 50)
    assert (again == keys[:50]).all()


def test_classes_are_numbered_in_the_order_of_asking() -> None:
    classes = Classes()
    numbers, new = classes.find(np.array([7, 3, 7, 9]))
    assert (numbers.tolist(), new.tolist()) == ([0, 1, 0, 2], [0, 1, 3])
    numbers, new = classes.find(np.array([1, 9, 3, 1, 8]))
    assert (numbers.tolist(), new.tolist()) == ([3, 2, 1, 3, 4], [0, 4])


@pytest.mark.parametrize("different", [3, 500, 10**9, 2**62])
def test_classes_are_those_of_a_dictionary(different: int) -> None:
    """Also where several keys have one slot, before and after slots are more."""
    random, classes, naive = np.random.default_rng(different), Classes(), dict[int, int]()
    for size in (1, 0, 5, 40, 700, 3_000, 20):
        keys = random.integers(0, different, size)
        assert classes.find_numbers(keys).tolist() == [naive.get(key, -1) for key in keys.tolist()]
        firsts = []
        for place, key in enumerate(keys.tolist()):
            if key not in naive:
                firsts.append(place)
                naive[key] = len(naive)
        numbers, new = classes.find(keys)
        assert numbers.tolist() == [naive[key] for key in keys.tolist()]
        assert new.tolist() == firsts
    assert len(classes) == len(naive)


def test_keys_of_one_slot_are_told_apart() -> None:
    classes = Classes()
    keys = np.arange(200_000)
    one = keys[classes._places(keys) == classes._places(keys[:1])][:3]
    assert classes.find(one)[0].tolist() == [0, 1, 2]
    assert classes.find_numbers(keys[: one[2] + 2]).tolist() == [
        {key: number for number, key in enumerate(one.tolist())}.get(key, -1) for key in range(one[2] + 2)
    ]
