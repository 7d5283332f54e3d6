"""Points of the scaling tables are kept: an interrupted run goes on, and each names its version."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from results.generators import scaling_points
from results.generators.scaling import line, page
from results.generators.scaling_points import (
    LADDERS,
    Ladder,
    Measuring,
    Point,
    command_of,
    read_points,
    write_points,
)
from tests.support.command_line import ENDLESS, ROOT
from tests.support.measuring import Measured

LADDER = Ladder("kip320", "StrongIsr", ("replicas",), ((1,), (2,), (3,)))


class Machine:
    """Commands take ten processor seconds times the last constant; it may be interrupted."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.interrupted_at: str | None = None

    def measure(self, command: tuple[str, ...], limit: float) -> Measured:
        """Return a stand-in for the result of `measure_verify`."""
        last = command[-1]
        if last == self.interrupted_at:
            raise KeyboardInterrupt
        self.ran.append(last)
        cpu = 10.0 * int(last.rpartition("=")[2])
        said: dict[str, Any] = {"exit_code": 0, "statistics": {"distinct_states": 7, "levels": [1, 6]}}
        return Measured(2 * cpu, min(cpu, limit), 1 << 20, 1.5, said if cpu <= limit else {})


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """In the place of the real one."""
    made = Machine()
    monkeypatch.setattr(scaling_points, "measure_verify", made.measure)
    return made


def test_an_interrupted_run_goes_on(tmp_path: Path, machine: Machine) -> None:
    path, machine.interrupted_at = tmp_path / "points.json", "replicas=3"
    with pytest.raises(KeyboardInterrupt):
        Measuring(path, 100, "a").line(LADDER, "explore")
    machine.interrupted_at = None
    Measuring(path, 100, "a").line(LADDER, "explore")
    assert machine.ran == ["replicas=1", "replicas=2", "replicas=3"]
    kept = read_points(path)
    assert [point.cpu for point in kept.values()] == [10, 20, 30]
    assert [dict(point.figures) for point in kept.values()] == [{"distinct_states": 7, "levels": 2}] * 3


_MEASURE = """
import sys
from tests.support.measuring import measure_verify
try:
    measure_verify(sys.argv[1:])
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_of_a_terminal_shows_no_traceback() -> None:
    heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    # What a shell runs in the background ignores interrupts.
    command = [sys.executable, "-c", f"{heeding}\n{_MEASURE}", *ENDLESS]
    asked = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while asked.poll() is None and len(psutil.Process(asked.pid).children(recursive=True)) < 3:
        time.sleep(0.1)  # until it searches
    os.killpg(asked.pid, signal.SIGINT)
    assert asked.communicate(timeout=60) == ("interrupted\n", "")


def test_a_line_ends_where_the_engine_does_not_decide(tmp_path: Path, machine: Machine) -> None:
    path = tmp_path / "points.json"
    Measuring(path, 15, "a").line(LADDER, "explore")
    Measuring(path, 12, "a").line(LADDER, "explore")
    assert machine.ran == ["replicas=1", "replicas=2"]
    Measuring(path, 20, "a").line(LADDER, "explore")
    assert machine.ran[2:] == ["replicas=2", "replicas=3"]
    kept = read_points(path)
    decided = {
        limit: [p.is_within(limit) for p in line(kept, LADDER, "explore", limit)] for limit in (15, 20)
    }
    assert decided == {15: [True, False], 20: [True, True, False]}
    # Whether 40 seconds were enough is not known, so nothing is said of it.
    assert [p.is_within(40) for p in line(kept, LADDER, "explore", 40)] == [True, True]


@pytest.mark.thorough
def test_another_version_is_named(
    tmp_path: Path, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "points.json"
    Measuring(path, 100, "a").line(LADDER, "explore")
    Measuring(path, 100, "b").line(LADDER, "explore")
    assert len(machine.ran) == 3
    assert "kept, of a and not b" in capsys.readouterr().err
    first = command_of(LADDER, "explore", (1,))
    Measuring(path, 100, "b", renew=True).point(first)
    assert machine.ran[3:] == ["replicas=1"]
    assert [point.version for point in read_points(path).values()] == ["b", "a", "a"]
    assert "b (1), a (2)" in " ".join(page(read_points(path), 100, tmp_path))


def test_a_point_is_a_cell(tmp_path: Path) -> None:
    ladder = LADDERS[0]
    done = Point(
        command_of(ladder, "ic3", ladder.steps[0]), "a", "2026-11-23", 300, True, 1.25, 2.5, 9 << 20, 1.0
    )
    late = replace(done, command=command_of(ladder, "ic3", ladder.steps[1]), decided=False)
    whole = "\n".join(page({one.command: one for one in (done, late)}, 300, tmp_path))
    rows = [row for row in whole.splitlines() if row.startswith(("| 2.1.1.1", "| 2.2.2.2"))]
    assert [[cell.strip() for cell in row.split("|")[2:5]] for row in rows] == [
        ["", "", "1.2, 2.5, 9"],
        ["", "", "–"],
    ]
    assert (tmp_path / f"scaling-{ladder.spec}.png").stat().st_size > 0


def test_a_file_that_holds_something_else_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "points.json"
    for text in ("{", '[{"command": ["explore"]}]', "[1]"):
        path.write_text(text)
        with pytest.raises(SystemExit, match=r"points\.json holds no points: "):
            read_points(path)
    write_points(path, {})
    assert read_points(path) == {}
    assert [file.name for file in tmp_path.iterdir()] == ["points.json"]
