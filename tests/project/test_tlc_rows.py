"""The figures that TLC measured are facts that the project keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.tlc import MEASURED, read_measured
from verifier.specs.built_in import BUILT_IN

ORIGINAL = Path(__file__).parents[3] / "shared" / "golden" / "tlc.json"


def test_every_family_has_rows() -> None:
    rows = read_measured()
    assert len(rows) == 109
    assert {row["family"] for row in rows} == {"kafka", "bookkeeper", "pulsar", "rabbit", "exactly-once"}
    assert {row["spec"] for row in rows} <= set(BUILT_IN)


def test_their_source_is_said() -> None:
    assert "TLC" in json.loads(MEASURED.read_text(encoding="utf-8"))["source"]


def test_they_are_what_was_measured() -> None:
    if not ORIGINAL.is_file():
        pytest.skip("the measurements are not beside the checkout; results/tlc.json has their figures")
    kept = json.loads(MEASURED.read_text(encoding="utf-8"))["rows"]
    assert kept == json.loads(ORIGINAL.read_text(encoding="utf-8"))
