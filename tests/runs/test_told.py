"""A verdict that was told as final stands, however the run ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.support.command_line import verify
from tests.support.signals import UNBOUNDED, UNBOUNDED_CONFIG
from verifier.processes.limits import Interrupted
from verifier.runs.modules import refining


def test_a_violation_stands_where_time_ends_after_sorts_were_widened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "Unbounded.tla"
    path.write_text(UNBOUNDED)
    path.with_suffix(".cfg").write_text(UNBOUNDED_CONFIG)

    def end(*_: Any) -> NoReturn:
        raise Interrupted("timeout of 1 s")

    monkeypatch.setattr(refining, "widen_after", end)
    done = verify("explore", str(path), "--by", "translation", "--keep-going", "--format", "json")
    results = {result["property"]: result for result in json.loads(done.stdout)["results"]}
    assert done.exit_code == 10
    assert results["TypeOK"]["verdict"] == "VIOLATED"
    assert len(results["TypeOK"]["trace"]["states"]) == 2
    assert results["Less"]["reason"] == "timeout of 1 s"
