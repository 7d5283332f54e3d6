"""The table of hunts: rows that go on, medians that count what was not found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from results.generators.hunts import cells, hunts, seeds_left, table


def _run(seconds: float | None) -> dict[str, Any]:
    if seconds is None:
        return {"found": False, "wall": 60.0, "cpu": 100.0}
    return {"found": True, "steps": 12, "by": "simulate", "wall": seconds, "cpu": 2 * seconds}


def test_a_row_goes_on_until_two_seeds_in_a_row_find_nothing() -> None:
    assert seeds_left([], 5)
    assert seeds_left([_run(1.0), _run(None)], 5)
    assert not seeds_left([_run(1.0), _run(None), _run(None)], 5)
    assert not seeds_left([_run(1.0)] * 5, 5)


def test_what_was_not_found_counts_as_the_slowest() -> None:
    row = {"runs": [_run(1.0), _run(None), _run(3.0)], "tlc": None}
    assert cells("x", row) == ["x", "2 of 3", "12 to 12", "simulate", "3.0", "6.0", ""]
    none = {"runs": [_run(None)] * 2, "tlc": {"found": False, "wall": 60.0}}
    assert cells("x", none) == ["x", "0 of 2", "–", "", "–", "–", "nothing in 60 s"]


def test_the_table_has_what_was_asked_for() -> None:
    rows = {hunt.name: {"runs": [_run(1.0)], "tlc": None} for hunt in hunts(None)}
    page = table(rows, 60)
    assert "| kip320-first-try (5,4,4,4) | 1 of 1 | 12 to 12 | simulate | 1.0 (asked: 15) | 2.0 |" in page
    assert sum("Raft: " in name for name in rows) == 6
    assert "bookkeeper, two recoveries" in rows


def test_cases_are_rows(tmp_path: Path) -> None:
    case = tmp_path / "bugs" / "reproduce" / "124_x"
    case.mkdir(parents=True)
    (case / "MCetcdraft.cfg").write_text("")
    assert hunts(case.parent)[-1].name == "etcd 124_x"
