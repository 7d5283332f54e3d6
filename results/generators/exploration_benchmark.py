"""Exploration of the largest complete graphs of each spec that TLC measured, for the benchmarks."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.tlc import constants_of, read_measured

RABBIT = {
    "spec": "rabbit-sac",
    "constants": {"queues": 3, "apps": 3},
    "properties": ["TypeOK"],
    "distinct_states": 183_202,
    "seconds": 20.0,
    "symmetry": False,
    "note": "",
}
"""Measured too, but not in the file."""
HEADERS = ["explored", "states", "whole command, s", "states/s", "TLC on another machine, s"]


def explore_rows(repeats: int) -> list[list[str]]:
    """One line per spec. The rate is that of the exploration, without the start of the command. No ratio is
    made of TLC's seconds, which are of another day and machine and include its start."""
    rows = []
    for row in _largest():
        figures = [_measure(row) for _ in range(repeats)]
        seconds = statistics.median(seconds for seconds, _ in figures)
        inner = statistics.median(rate for _, rate in figures)
        constants = ".".join(str(value) for value in row["constants"].values())
        folded = " (symmetry)" if row["symmetry"] else ""
        line = [f"{row['spec']} {constants}{folded}", f"{row['distinct_states']:,}", f"{seconds:.2f}"]
        rows.append([*line, f"{inner:,.0f}", f"{row['seconds']:.1f}"])
    return rows


def _largest() -> Iterator[dict[str, Any]]:
    complete = [row for row in [*read_measured(), RABBIT] if row["distinct_states"]]
    for spec in dict.fromkeys(row["spec"] for row in complete):
        yield max((row for row in complete if row["spec"] == spec), key=lambda row: row["distinct_states"])


def _measure(row: dict[str, Any]) -> tuple[float, float]:
    """Seconds of the whole command, and states per second of the exploration in it."""
    verify = str(Path(sys.executable).with_name("verify"))
    command = [verify, "explore", "--spec", row["spec"], "--format", "json", "--keep-going"]
    for name, value in constants_of(row).items():
        command += ["--set", f"{name}={str(value).lower()}"]
    for name in row["properties"]:
        command += ["--property", name]
    if row["symmetry"]:
        command.append("--symmetry")
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    figures = json.loads(done.stdout)["statistics"]
    assert figures["complete"], done.stdout
    assert figures["distinct_states"] == row["distinct_states"], (row, figures["distinct_states"])
    return seconds, figures["states_per_second"]
