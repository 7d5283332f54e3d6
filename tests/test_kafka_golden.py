"""The Kafka family against what an independent checker found: states, depth, verdicts, lengths."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.explicit import Exploration, explore
from verifier.model import build
from verifier.specs.expectations import Expectation, expectations
from verifier.specs.registry import BUILT_IN, load

FAMILY = [name for name, place in BUILT_IN.items() if ".kafka." in place]
EXPECTED = [expected for name in FAMILY for expected in expectations(name)]
MEASURED = Path(__file__).parents[2] / "shared" / "golden" / "tlc.json"


def _rows() -> list[dict[str, Any]]:
    if not MEASURED.is_file():
        return []
    return [row for row in json.loads(MEASURED.read_text(encoding="utf-8")) if row["family"] == "kafka"]


def _label(spec: str, constants: Mapping[str, Any], properties: str) -> str:
    return f"{spec}-{'.'.join(str(value) for value in constants.values())}-{properties}"


def _row_label(row: dict[str, Any]) -> str:
    return _label(row["spec"], row["constants"], "+".join(row["properties"]))


def _expected_label(expected: Expectation) -> str:
    return _label(expected.spec, expected.constants, expected.property_name)


@cache
def _explored(spec: str, constants: tuple[tuple[str, Any], ...], until: frozenset[str]) -> Exploration:
    return explore(build(load(spec)(dict(constants))), until=until)


def _exploration(spec: str, constants: Mapping[str, Any], until: frozenset[str]) -> Exploration:
    return _explored(spec, tuple(constants.items()), until)


@pytest.mark.parametrize("row", _rows(), ids=_row_label)
def test_agrees_with_the_measured_rows(row: dict[str, Any]) -> None:
    whole = row["verdict"] == "holds" or row["constants"].get("max_leader_epoch") == 1
    until: frozenset[str] = frozenset() if whole else frozenset(row["properties"])
    found = _exploration(row["spec"], row["constants"], until)
    violations = [found.steps[name] for name in row["properties"] if name in found.steps]
    if row["verdict"] == "violated":
        assert min(violations) == row["shortest_states"] - 1
    else:
        assert not violations
        assert (found.distinct_states, found.depth) == (row["distinct_states"], row["depth_levels"] - 1)
        assert found.complete


@pytest.mark.parametrize("expected", EXPECTED, ids=_expected_label)
def test_agrees_with_the_shipped_expectations(expected: Expectation) -> None:
    until = frozenset[str]() if expected.distinct_states else frozenset((expected.property_name,))
    found = _exploration(expected.spec, expected.constants, until)
    assert expected.verdict == ("violated" if expected.property_name in found.steps else "holds")
    assert found.steps.get(expected.property_name) == expected.steps
    if expected.distinct_states:
        assert (found.distinct_states, found.depth) == (expected.distinct_states, expected.depth)


def test_every_measured_row_is_among_the_expectations() -> None:
    rows = _rows()
    if not rows:
        pytest.skip(f"no measurements at {MEASURED}")
    shipped = {(e.spec, tuple(e.constants.items()), e.property_name) for e in EXPECTED}
    wanted = {(r["spec"], tuple(r["constants"].items()), name) for r in rows for name in r["properties"]}
    assert wanted <= shipped


@pytest.mark.parametrize("spec", FAMILY)
def test_every_action_is_taken_at_the_smallest_constants(spec: str) -> None:
    smallest = {"replicas": 2, "max_leader_epoch": 1, "max_records": 1, "log_size": 1}
    if spec == "kafka-async-isr":
        smallest = {"replicas": 2, "max_offset": 1, "max_version": 2}
    taken = _exploration(spec, smallest, frozenset()).taken
    assert taken
    assert all(taken.values()), taken


@pytest.mark.parametrize("spec", FAMILY)
def test_an_elected_leader_is_in_the_isr(spec: str) -> None:
    if spec == "kafka-async-isr":
        pytest.skip("has one leader throughout")
    constants = {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    assert "LeaderInIsrOnceElected" not in _exploration(spec, constants, frozenset()).steps
