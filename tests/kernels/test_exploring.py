"""Explorations by the compiled library: all that they find is what NumPy and the slow explorer find."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.engines.test_random_systems import RandomProtocol
from tests.support import explicit as slow
from tests.support.level_search import (
    IN_FILES,
    build_small,
    collect_findings,
    everything,
    interrupting,
)
from tests.support.models import build
from tests.support.sampling import first_of, some_of
from tests.support.tlc import constants_of, read_measured
from verifier.engines import explore as engine
from verifier.engines.exploration import Beyond, Exploration, Request
from verifier.engines.explore import explore
from verifier.explicit import fused_orbits, orbits
from verifier.kernels import choosing
from verifier.processes.limits import Limits
from verifier.specs.built_in import BUILT_IN
from verifier.specs.registry import load
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model

pytestmark = pytest.mark.usefixtures("at_once")
_USED = "compiled kernels from"


def _same(model: Model, request: Request, caplog: pytest.LogCaptureFixture) -> Exploration:
    """Explore by the library and by NumPy, and demand that all is the same."""
    caplog.set_level(logging.INFO)
    expected = explore(model, replace(request, kernels=False))
    assert _USED not in caplog.text
    explored = explore(model, request)
    assert _USED in caplog.text
    assert collect_findings(explored) == collect_findings(expected)
    return explored


@pytest.mark.parametrize("spec", some_of(BUILT_IN, every=2))
def test_all_findings_are_the_same(spec: str, caplog: pytest.LogCaptureFixture) -> None:
    _same(build_small(spec), everything(build_small(spec), max_states=60_000), caplog)


@pytest.mark.parametrize("options", [{"max_depth": 6}, {"max_states": 100}, {"coverage": True}], ids=str)
def test_options_mean_the_same(options: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    model = build_small("kafka-truncate-hw")
    _same(model, everything(model, **options), caplog)


def test_the_first_violation_ends_both(caplog: pytest.LogCaptureFixture) -> None:
    model = build_small("kafka-truncate-hw")
    names = tuple(prop.name for prop in model.system.properties)
    for name in names:
        caplog.clear()
        _same(model, Request((name,)), caplog)


@pytest.mark.parametrize("seed", first_of(range(60), 8))
def test_random_systems_are_explored_as_naively(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    model = build(RandomProtocol({"rules": seed}))
    found = _same(model, everything(model), caplog)
    expected = slow.explore(model)
    assert found.statistics["distinct_states"] == expected.distinct_states
    assert found.statistics["depth"] == expected.depth
    taken = {name: counts["taken"] for name, counts in found.statistics["actions"].items()}
    assert taken == {**dict.fromkeys(taken, 0), **expected.taken}
    steps = {v.property_name: v.steps for v in found.verdicts if v.steps is not None}
    assert steps == expected.steps


def _golden() -> list[dict[str, Any]]:
    """TLC's whole counts of built-in protocols, without symmetry."""
    rows = [row for row in read_measured() if row["spec"] in BUILT_IN and not row["symmetry"]]
    return sorted(
        (row for row in rows if row["verdict"] == "holds" and row["distinct_states"] <= 60_000),
        key=lambda row: int(row["distinct_states"]),
    )


@pytest.mark.parametrize("row", some_of(_golden(), every=8))
def test_counts_are_those_of_tlc(row: dict[str, Any]) -> None:
    model = with_deadlock(build(load(row["spec"])(constants_of(row))))
    counted = explore(model, Request(tuple(row["properties"]))).statistics
    assert (counted["complete"], counted["depth"]) == (True, row["depth_levels"] - 1)
    assert counted["distinct_states"] == row["distinct_states"]
    assert counted["initial_states"] == row["initial_states"]


def test_few_successors_at_a_time_are_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine, "_SUCCESSORS_AT_ONCE", 50)
    model = build_small("rabbit-sac")
    _same(model, everything(model, max_states=1_000), caplog)


def test_it_begins_between_levels(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(choosing, "MANY", 40)
    model = build_small("kafka-truncate-hw")
    _same(model, everything(model), caplog)


def test_it_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    model = build_small("kafka-truncate-hw")
    explore(model, Request((NO_DEADLOCK,), kernels=False))
    assert _USED not in caplog.text


@pytest.mark.parametrize("few", [24, 0])
@pytest.mark.parametrize("spec", some_of(BUILT_IN, every=2))
def test_with_symmetry_all_is_the_same(
    spec: str, few: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if elements are sorted by their keys."""
    monkeypatch.setattr(orbits, "FEW_PERMUTATIONS", few)
    monkeypatch.setattr(fused_orbits, "FEW_PERMUTATIONS", few)
    model = build_small(spec)
    _same(model, everything(model, symmetry=True, max_states=20_000), caplog)


@pytest.mark.parametrize("few", [24, 0])
@pytest.mark.parametrize("seed", first_of(range(60), 8))
def test_random_systems_have_the_naive_orbits(
    seed: int, few: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Orbits have as many states in all as the slow explorer finds one by one."""
    monkeypatch.setattr(orbits, "FEW_PERMUTATIONS", few)
    monkeypatch.setattr(fused_orbits, "FEW_PERMUTATIONS", few)
    model = build(RandomProtocol({"rules": seed}))
    found = _same(model, everything(model, symmetry=True), caplog)
    expected = slow.explore(model)
    assert found.statistics["states_in_orbits"] == expected.distinct_states
    assert found.statistics["depth"] == expected.depth
    assert {v.property_name: v.steps for v in found.verdicts if v.steps is not None} == expected.steps


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("spec", ["kafka-truncate-hw", "rabbit-sac"])
def test_graphs_are_the_same(spec: str, symmetry: bool, caplog: pytest.LogCaptureFixture) -> None:
    model = build_small(spec)
    request = everything(model, graph=True, symmetry=symmetry, max_states=5_000)
    caplog.set_level(logging.INFO)
    one, other = explore(model, replace(request, kernels=False)).graph, explore(model, request).graph
    assert _USED in caplog.text
    assert one is not None
    assert other is not None
    assert np.array_equal(one.rows, other.rows)
    assert np.array_equal(one.edges, other.edges)


def test_small_searches_do_not_use_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.undo()
    caplog.set_level(logging.INFO)
    model = build_small("kafka-truncate-hw")
    explore(model, everything(model))
    assert _USED not in caplog.text


def test_full_memory_goes_on_in_files(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The library's table is handed over at the last complete level."""
    caplog.set_level(logging.INFO)
    model = build_small("kafka-truncate-hw")
    expected = explore(model, everything(model, kernels=False))
    monkeypatch.setattr(
        "verifier.explicit.fused.FusedTable.growth", lambda table, _: 1 << 60 if len(table) > 300 else 0
    )
    request = everything(model, beyond=Beyond(), limits=Limits(memory=4 << 30))
    explored = explore(model, request)
    assert _USED in caplog.text
    assert explored.statistics["bytes_in_files"]
    assert collect_findings(explored) == collect_findings(expected)


def test_large_levels_go_to_tasks(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    model = build_small("kafka-truncate-hw")
    expected = explore(model, everything(model, kernels=False))
    explored = explore(model, everything(model, beyond=replace(IN_FILES, large_level=60)))
    assert _USED in caplog.text
    assert collect_findings(explored) == collect_findings(expected)


def test_an_interruption_keeps_what_is_complete() -> None:
    model = build_small("kafka-truncate-hw")
    found = [explore(model, everything(model, kernels=kernels), interrupting(5)) for kernels in (False, True)]
    assert found[0].statistics["levels"] == found[1].statistics["levels"]
    assert found[0].statistics["generated_states"] == found[1].statistics["generated_states"]
