"""Orbits by the compiled library beside those by NumPy: representatives and sizes, byte by byte."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.explicit.test_explicit import Everything, Links, Ranked, _random_value
from tests.support.level_search import build_small
from tests.support.models import build
from verifier.explicit import fused_orbits
from verifier.explicit import orbits as plain
from verifier.explicit.fused_orbits import FusedOrbits
from verifier.explicit.orbits import Orbits
from verifier.explicit.packing import Rows, pack_columns
from verifier.kernels import class_functions
from verifier.kernels.library import Library
from verifier.processes.limits import Interrupted
from verifier.system.model import Model

_MODELS = {
    "exact and compiled exchanges, few permutations": (Everything, {"nodes": 3}),
    "exact and compiled exchanges, sorted": (Everything, {"nodes": 4}),
    "elements alike but for each other": (Links, {"nodes": 5}),
    "more states than fit into a word": (Ranked, {"nodes": 21}),
}


def _some_states(model: Model, count: int) -> Rows:
    rng = random.Random(count)
    states = [
        {name: _random_value(rng, sort) for name, sort in model.layout.sorts.items()} for _ in range(count)
    ]
    return pack_columns(np.array([model.layout.encode_state(state) for state in states], np.bool_))


def _check(orbits: Orbits, rows: Rows, library: Library) -> None:
    fused, before = FusedOrbits(orbits, library), rows.copy()
    assert np.array_equal(fused.representatives(rows), orbits.representatives(rows))
    expected, sizes = orbits.sizes(rows), fused.sizes(rows)
    assert sizes.dtype == expected.dtype
    assert np.array_equal(sizes, expected)
    assert np.array_equal(rows, before)


@pytest.mark.parametrize("few", [24, 0])
@pytest.mark.parametrize("name", _MODELS)
def test_orbits_are_the_same(name: str, few: int, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (plain, fused_orbits):
        monkeypatch.setattr(module, "FEW_PERMUTATIONS", few)
    protocol, constants = _MODELS[name]
    model = build(protocol(constants))
    for count in (1, 64, 65, 1_500):
        _check(Orbits(model), _some_states(model, count), library)
    _check(Orbits(model), _some_states(model, 1)[:0], library)


@pytest.mark.parametrize("name", ["bookkeeper", "rabbit-sac", "exactly-once", "kip320"])
def test_orbits_of_any_bits_are_the_same(name: str, library: Library) -> None:
    """Two words and more, with index sets that have one element, or several."""
    model = build_small(name)
    bits = np.random.default_rng(2).integers(0, 2, (3_000, len(model.system.bits)))
    orbits = Orbits(model)
    rows = orbits.representatives(pack_columns(bits.astype(np.bool_)))
    _check(orbits, rows, library)
    _check(orbits, np.ascontiguousarray(pack_columns(bits.astype(np.bool_))), library)


def test_few_states_at_a_time_are_the_same(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_functions, "_MOST_VISITED", 1)
    model = build(Everything({"nodes": 3}))
    _check(Orbits(model), _some_states(model, 2_100), library)


def test_too_many_orders_end_the_search(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "_MOST_ORDERS", 5)
    model = build(Everything({"nodes": 3}))
    with pytest.raises(Interrupted, match="12 orders of elements"):
        FusedOrbits(Orbits(model), library).representatives(_some_states(model, 1))
