"""The compiled library beside NumPy: masks, successors, the order of states, counts and verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.level_search import build_small
from verifier.explicit.fused import FusedSteps
from verifier.explicit.initial import initial_states
from verifier.explicit.moves import Look, Moves
from verifier.explicit.packing import Rows, pack_columns
from verifier.explicit.table import StateTable
from verifier.kernels.library import Library
from verifier.specs.built_in import BUILT_IN

_MOST_STATES = 3_000
_CHUNK = 700


def _fill(moves: Moves, rows: Rows) -> StateTable:
    table = StateTable(moves.words)
    table.insert(rows, np.full(len(rows), -1))
    return table


def _check_looks(expected: Look, look: Look) -> None:
    assert np.array_equal(expected.enabled, look.enabled)
    assert np.array_equal(expected.within, look.within)
    assert np.array_equal(expected.deadlocked, look.deadlocked)
    assert expected.failing.keys() == look.failing.keys()
    for name, failing in expected.failing.items():
        assert np.array_equal(failing, look.failing[name]), name


@pytest.mark.parametrize("name", BUILT_IN)
def test_masks_of_any_bits_agree(name: str, library: Library) -> None:
    moves = Moves(build_small(name))
    fused = FusedSteps(moves, StateTable(moves.words), library, 1 << 30)
    randomness = np.random.default_rng(1)
    for count in (1, 64, 65, moves.chunk()):
        bits = randomness.integers(0, 2, (count, moves.bits)).astype(np.bool_)
        rows = np.ascontiguousarray(pack_columns(bits))
        _check_looks(moves.look(rows), fused.look(rows))


@pytest.mark.parametrize("memory", [0, 1 << 30])
@pytest.mark.parametrize("name", BUILT_IN)
def test_states_have_the_same_order(name: str, memory: int, library: Library) -> None:
    """With addresses for many states, and with none, where the table grows."""
    moves = Moves(build_small(name))
    initial = initial_states(moves.model.system)
    table, first = _fill(moves, initial), 0
    fused = FusedSteps(moves, _fill(moves, initial), library, memory)
    while first < len(table) < _MOST_STATES:
        rows = table.rows(first, min(len(table), first + _CHUNK)).copy()
        expected, look = moves.look(rows), fused.look(rows)
        _check_looks(expected, look)
        found = np.zeros(len(moves.actions), np.int64)
        for step in moves.successors(expected):
            found[step.move] += len(table.insert(step.rows, step.sources + first))
        found_fused = np.zeros(len(moves.actions), np.int64)
        for portion in fused.portions(look, 100):
            found_fused += fused.expand(look, first, *portion)
        assert np.array_equal(found, found_fused)
        assert np.array_equal(table.rows(0, len(table)), fused.table.rows(0, len(fused.table)))
        assert np.array_equal(
            table.predecessors(0, len(table)), fused.table.predecessors(0, len(fused.table))
        )
        first += len(rows)
    assert first
