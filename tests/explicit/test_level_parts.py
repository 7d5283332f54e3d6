"""The parts of an exploration in files: sorted columns, sections, runs, blocks, keys."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engines.test_explore import SMALL
from tests.support.level_search import everything, same
from tests.support.models import build
from tests.support.toys import Chain
from verifier.engines import level_search
from verifier.explicit import settling
from verifier.explicit.level_tasks import (
    CHUNK_SHIFT,
    MOVE_BITS,
    PLACE_BITS,
    Result,
    Settle,
    Stage,
    Task,
    capacity_of,
    keys_of_chunk,
    parse_key,
)
from verifier.explicit.moves import MOST_MOVES, Moves
from verifier.explicit.orbits import Orbits
from verifier.explicit.performing import perform
from verifier.explicit.scattering import SPACE, bounds, columns_of, parts_of, rows_of
from verifier.explicit.sections import Sections, in_sections, join_sections, sections
from verifier.explicit.sorted_states import contains, distinct, merge_runs, mostly_distinct
from verifier.specs.registry import load
from verifier.storage.blocks import Damaged, Shelf
from verifier.system.model import Model


def test_keys_have_room_for_all_moves_and_places() -> None:
    assert MOST_MOVES <= 1 << MOVE_BITS
    moves = Moves(build(Chain()))
    assert moves.chunk(1 << 62) <= 1 << PLACE_BITS
    sources = np.array([0, (1 << PLACE_BITS) - 1])
    for chunk, move in ((0, 0), (12345, MOST_MOVES - 1), ((1 << 33) - 1, 7)):
        parsed = [parse_key(key) for key in keys_of_chunk(chunk, move, sources).tolist()]
        assert parsed == [(chunk, move, place) for place in sources.tolist()]


def _columns(rng: np.random.Generator, count: int, *, narrow: bool) -> list[Any]:
    """Random columns; narrow ones have many equal first words."""
    most = 20 if narrow else 1 << 63
    return [rng.integers(0, most, count, np.uint64), rng.integers(0, 20, count, np.uint64)]


def _pairs(columns: Sequence[Any]) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("narrow", [False, True])
def test_states_with_equal_hashes_are_kept_apart(tmp_path: Path, narrow: bool) -> None:
    rng, shelf = np.random.default_rng(5), Shelf(tmp_path)
    for count in (1, 5, 2000):
        columns, keys = _columns(rng, count, narrow=narrow), rng.permutation(count).astype(np.uint64)
        least: dict[tuple[int, ...], int] = {}
        for state, key in zip(_pairs(columns), keys.tolist(), strict=True):
            least[state] = min(key, least.get(state, key))
        order = np.argsort(keys)  # as successors come
        different, places = distinct([column[order] for column in columns])
        first = keys[order][places]
        assert _pairs([*different, first]) == [(*state, key) for state, key in sorted(least.items())]
        known = sorted(set(_pairs(_columns(rng, count, narrow=narrow))) | set(_pairs(different)[::3]))
        block = shelf.write(f"run{count}", list(np.array(known, np.uint64).T))
        for part in (block.whole(), block.whole().part(len(known) // 2, len(known))):
            there = set(known[part.start : part.end])
            assert contains(shelf, different, part).tolist() == [
                state in there for state in _pairs(different)
            ]
            few = [column[:1] for column in different]  # searched in, and not read
            assert contains(shelf, few, part).tolist() == [state in there for state in _pairs(few)]


def test_states_whose_hashes_begin_alike_are_ordered_all_the_same() -> None:
    """Only the upper half of a hash is sorted by digits: of thousands of states some have it in common."""
    rng = np.random.default_rng(7)
    for prefixes in (1, 40, 1 << 31):
        first = rng.integers(0, prefixes, 3000, np.uint64) << np.uint64(32)
        columns = [first | rng.integers(0, 3, 3000, np.uint64), rng.integers(0, 3, 3000, np.uint64)]
        columns = [np.concatenate([column, column[::-1]]) for column in columns]
        states = _pairs(columns)
        least = {state: place for place, state in reversed(list(enumerate(states)))}
        different, places = distinct(columns)
        assert _pairs(different) == sorted(least)
        assert places.tolist() == [least[state] for state in sorted(least)]


@pytest.mark.parametrize("alike", [False, True])
def test_most_duplicates_are_left_out_and_nothing_else(alike: bool) -> None:
    """Each state stays where it came first. States of one slot are compared: alike, all are of one."""
    rng = np.random.default_rng(8)
    for count in (0, 1, 2, 5000):
        columns = [rng.integers(0, max(1, count // 3), count, np.uint64) for _ in range(2)]
        columns[1] %= np.uint64(2)
        if not alike:
            columns[0] *= np.uint64(0x9E3779B97F4A7C15)
        stays = mostly_distinct(columns)
        assert np.array_equal(stays, np.unique(stays))
        states = _pairs(columns)
        firsts = {state: place for place, state in reversed(list(enumerate(states)))}
        assert set(firsts.values()) <= set(stays.tolist())
        if count > 2:
            assert len(stays) < count
        if count > 2 and not alike:
            assert len(stays) < len(firsts) * 1.5 < count


@pytest.mark.parametrize(
    ("bits", "beyond", "span", "fits"),
    [
        (64 * 2 + 20, 0, 1 << 44, True),
        (64 * 2 + 20, 0, (1 << 44) + 1, False),
        (64 * 2 + 20, 1 << 63, 1 << 44, False),
        (64 * 2 + 63, 0, 2, True),
        (64 * 3, 0, 1, False),
        (64, 0, 1, False),
    ],
)
def test_sections_are_read_as_they_were_written(
    tmp_path: Path, bits: int, beyond: int, span: int, fits: bool
) -> None:
    """Keys are in the last word where it has room for all of them, and no state has a bit there."""
    rng, shelf, words = np.random.default_rng(9), Shelf(tmp_path), -(-bits // 64)
    columns = [rng.integers(0, 1 << 64, 100, np.uint64, endpoint=False) for _ in range(words)]
    columns[-1] &= np.uint64((1 << bits - 64 * (words - 1)) - 1)
    columns[-1][99] |= np.uint64(beyond)
    least = (5 << CHUNK_SHIFT) - 1
    keys = np.sort(rng.integers(least, least + span, 100, np.uint64))
    keys[[0, -1]] = least, least + span - 1
    order, limits = rng.permutation(100)[:80], (0, 0, 30, 80)
    expected = [column[np.concatenate([order[30:80], order[:30]])] for column in (*columns, keys)]
    written, least_key = join_sections(columns, keys, bits)
    assert (least_key, len(written)) == ((least, words) if fits else (None, words + 1))
    block = shelf.write("some", [sections(written, order, limits)], lasting=False)
    (one, first), (two, second) = Sections(block, limits, least_key).each()
    assert (one, two, first.count, second.count) == (1, 2, 30, 50)
    assert np.array_equal(in_sections(shelf, [second, first], words, bits), expected)
    (tmp_path / "some").write_bytes((tmp_path / "some").read_bytes()[:-8])
    with pytest.raises(Damaged):
        in_sections(shelf, [first, second], words, bits)


@pytest.mark.parametrize("parts", [1, 2, 16, 1 << 16])
def test_states_are_in_the_part_whose_bounds_they_lie_in(parts: int) -> None:
    limits = bounds(parts)
    values = [limit + more for limit in limits for more in (-1, 0, 1)] + [123 << 55]
    first = np.array([value for value in values if 0 <= value < SPACE], np.uint64)
    for value, part in zip(first.tolist(), parts_of(first, parts).tolist(), strict=True):
        assert limits[part] <= value < limits[part + 1]


def test_runs_are_merged_range_by_range(tmp_path: Path) -> None:
    rng, shelf = np.random.default_rng(6), Shelf(tmp_path)
    states = sorted(set(_pairs([rng.integers(0, 1 << 63, 999, np.uint64) * np.uint64(2)] * 2)))
    one, other = (np.array(states[start::2], np.uint64).T for start in (0, 1))
    runs = [(shelf.write("one", list(one)).whole(),), (shelf.write("other", list(other)).whole(),)]
    for capacity in (10, 100_000):
        (part,) = merge_runs(shelf, runs, f"both{capacity}", (0, SPACE), capacity)
        shelf.check(part.block)
        assert _pairs([shelf.read(part, 0), shelf.read(part, 1)]) == states


@pytest.mark.parametrize("few", [0, 1, settling.FEW_RUNS])
def test_however_many_runs_are_left_all_is_the_same(
    kafka: Model, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    most: list[int] = []

    def note(stage: Stage, task: Task) -> Result:
        if isinstance(task, Settle):
            most.append(len(task.runs))
        return perform(stage, task)

    monkeypatch.setattr(settling, "FEW_RUNS", few)
    monkeypatch.setattr(level_search, "perform", note)
    same(kafka, everything(kafka))
    assert max(most) > 1  # otherwise nothing is looked up in several runs


@pytest.mark.parametrize("growth", [0.0, 0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0])
def test_runs_stay_few_and_are_seldom_written_anew(growth: float) -> None:
    runs: list[int] = []
    found = written = 0
    for level in range(60):
        new = max(1, int(1000 * growth**level))
        runs.append(new)
        found += new
        first = settling.first_to_merge(runs)
        if first < len(runs) - 1:
            runs[first:] = [sum(runs[first:])]
            written += runs[first]
        assert sum(runs) == found
        assert len(runs) <= settling.FEW_RUNS or all(old >= 2 * new for old, new in pairwise(runs))
    assert written <= found * math.log(found, 1.5)
    assert growth < 2 or written < found  # while levels grow, less is written again than is found


def test_a_run_that_is_much_larger_is_not_written_with_small_ones() -> None:
    assert settling.first_to_merge([]) == -1
    assert settling.first_to_merge([5]) == 0
    assert settling.first_to_merge([1] * settling.FEW_RUNS) == settling.FEW_RUNS - 1
    assert settling.first_to_merge([1] * (settling.FEW_RUNS + 1)) == 0
    assert settling.first_to_merge([1000, 1, 1, 1, 1]) == 1
    assert settling.first_to_merge([10_000, 1000, 100, 10, 1]) == 4


@pytest.mark.parametrize("words", [1, 2, 5])
def test_scattered_states_are_the_same_states(words: int) -> None:
    rows = np.random.default_rng(words).integers(0, 1 << 63, (4000, words), np.uint64)
    rows[:2000, 0] = np.arange(2000)
    columns = columns_of(rows)
    assert np.array_equal(rows_of(columns), rows)
    parts = np.histogram(columns[0], np.array(bounds(8)[:-1] + [SPACE - 1], np.float64))[0]
    assert parts.min() > 400


def test_blocks_know_their_size_and_content(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    block = shelf.write("some", [np.arange(10, dtype=np.uint64), np.arange(10, 20, dtype=np.uint64)])
    assert shelf.read(block.whole().part(3, 5), 1).tolist() == [13, 14]
    assert len(shelf.narrow(block.whole(), 2, 7)) == 5
    (tmp_path / "some").write_bytes((tmp_path / "some").read_bytes()[:-8])
    with pytest.raises(Damaged):
        shelf.read(block.whole(), 1)
    with pytest.raises(Damaged):
        shelf.map_file(block.whole(), 0)


@pytest.mark.parametrize("symmetry", [False, True])
def test_what_is_sent_to_other_machines_needs_no_protocol(symmetry: bool, tmp_path: Path) -> None:
    model = build(load("rabbit-sac")(dict(SMALL["rabbit-sac"])))
    moves = Moves(model)
    stage = Stage(tmp_path, moves, Orbits(model) if symmetry else None, 4)
    sent = pickle.dumps(stage.alone())
    assert b"pysmt" not in sent
    assert b"Model" not in sent
    received = pickle.loads(sent)
    assert received.transitions.digest == moves.digest
    assert capacity_of(received, 1 << 30) == capacity_of(stage, 1 << 30)
    rows = np.random.default_rng(1).integers(0, 1 << 62, (500, moves.words), np.uint64)
    rows &= np.uint64((1 << moves.bits) - 1)
    if symmetry:
        assert np.array_equal(received.orbits.representatives(rows), stage.orbits.representatives(rows))  # type: ignore[union-attr]
    for one, other in zip(
        moves.successors(moves.look(rows)),
        received.transitions.successors(received.transitions.look(rows)),
        strict=True,
    ):
        assert (one.move, one.rows.tolist()) == (other.move, other.rows.tolist())
