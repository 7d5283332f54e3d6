"""The table of `verify check` beside TLC: what counts as agreement, and which models are measured."""

from __future__ import annotations

from typing import Any

import pytest

from results.generators.check_table import is_asked, judge_verdicts, table, take_medians


def _row(**own: Any) -> dict[str, Any]:
    return {"verdict": "holds", "property": None, "trace_states": None, **own}


def _result(name: str, verdict: str, steps: int | None = None) -> dict[str, Any]:
    return {"property": name, "verdict": verdict, "steps": steps, "reason": "a limit"}


@pytest.mark.parametrize(
    ("row", "results", "agrees"),
    [
        (_row(), [_result("A", "PROVED"), _result("B", "HOLDS")], True),
        (_row(), [_result("A", "PROVED"), _result("B", "INCONCLUSIVE")], False),
        (_row(), [_result("A", "VIOLATED", 3)], False),
        (_row(verdict="violated", property="A", trace_states=4), [_result("A", "VIOLATED", 3)], True),
        (_row(verdict="violated", property="A", trace_states=4), [_result("A", "VIOLATED", 4)], False),
        (_row(verdict="violated", property="A", trace_states=4), [_result("B", "VIOLATED", 3)], False),
        (_row(verdict="temporal property violated"), [_result("A", "VIOLATED", 9)], True),
        (_row(verdict="temporal property violated"), [_result("A", "PROVED")], False),
    ],
)
def test_a_row_agrees_only_with_all_of_tlcs_verdict(
    row: dict[str, Any], results: list[dict[str, Any]], agrees: bool
) -> None:
    assert judge_verdicts(row, results)["agrees"] is agrees


def test_models_are_chosen_by_a_part_of_their_name() -> None:
    names = ["allocator/A.cfg", "DieHard/MC.cfg"]
    assert [name for name in names if is_asked(name, None)] == names
    assert [name for name in names if is_asked(name, ["Hard", "none"])] == ["DieHard/MC.cfg"]


def test_the_table_has_the_times_of_both_and_names_what_is_slow() -> None:
    row = {
        "model": "M.cfg",
        "expected": "holds",
        "golden": 9.0,
        "agrees": True,
        "reason": "",
        "found": "all hold",
    }
    measured = {"seconds": 4.0, "cpu": 5.5, "tlc_seconds": 2.5, "tlc_cpu": 3.25}
    text = table([{**row, **measured}, {**row, "model": "N.cfg", "seconds": 4.0, "cpu": 4.0}], 3)
    assert "| 4.0, 5.5 | 2.5*, 3.2 | 1.60 |" in text
    assert "more than 1.5 times TLC's time: M.cfg." in text
    assert "Measured so far are 2 of the 3 models." in text


def test_medians_are_of_the_times_and_a_run_that_disagrees_is_shown() -> None:
    runs = [{"agrees": True, "seconds": float(n), "tlc_seconds": 4.0 - n, "reason": ""} for n in (3, 1, 2)]
    assert take_medians(runs) == {"agrees": True, "seconds": 2.0, "tlc_seconds": 2.0, "reason": ""}
    bad = {"agrees": False, "reason": "A: INCONCLUSIVE"}
    runs[1] |= bad
    assert take_medians(runs) == {"seconds": 2.0, "tlc_seconds": 2.0, **bad}
