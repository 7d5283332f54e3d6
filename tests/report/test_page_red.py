"""The red marks of a page: the steps that gave the values at fault, and the values that they gave."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.report.test_telling_loops import COUNTER, TURNS
from tests.support.examples import run_rows
from tests.support.modules_for_pages import find_violation
from tests.support.pages import needs_chromium, open_report, pause, texts
from verifier.report.report import Report

VOTES = """---- MODULE Votes ----
EXTENDS Naturals
VARIABLES votes, last
Init == votes = {} /\\ last = 0
Vote(n) == n > last /\\ votes' = votes \\cup {[by |-> n, value |-> n % 2]} /\\ last' = n
Next == \\E n \\in 1..3 : Vote(n)
Spec == Init /\\ [][Next]_<<votes, last>>
Formula == \\A v, w \\in votes : v.value = w.value
====
"""
EARLY = """from verifier import *
class Early(Protocol):
    \"\"\"A light goes on and off.\"\"\"
    def state(self): return State(on=Boolean(), t=Range(0, 2))
    def init(self, s): return [~s.on, s.t == 0]
    @action()
    def flip(self, s): return Step(then={s.on: ~s.on, s.t: minimum(s.t + 1, 2)})
    @step_invariant
    def early(self, s, after): return (s.on & ~after.on).implies(s.t < 1)
"""


@needs_chromium
def test_each_step_that_added_a_member_at_fault_is_red(driver: Chrome, tmp_path: Path) -> None:
    config = "SPECIFICATION Spec\nINVARIANT Formula\nCHECK_DEADLOCK FALSE\n"
    row = find_violation(tmp_path, "Votes", VOTES, config)
    open_report(driver, Report("votes", (row,)), tmp_path)
    assert row.steps == 2
    red = texts(driver, ".variables tbody tr[data-step] :is(td.wrong, .at-fault)")
    assert [text.removeprefix("+ ") for text in red] == [
        "{[by |-> 1, value |-> 1]}",
        "[by |-> 2, value |-> 0]",
    ]


@needs_chromium
def test_of_a_step_the_value_before_it_is_red(driver: Chrome, tmp_path: Path) -> None:
    """The step finds t = 1, which it may not; that it makes it 2 is no fault."""
    spec = tmp_path / "early.py"
    spec.write_text(EARLY)
    row = next(one for one in run_rows("explore", "--spec", str(spec)) if one.trace is not None)
    open_report(driver, Report("early", (row,)), tmp_path)
    assert texts(driver, ".variables tbody tr[data-step] td.wrong") == ["1"]


TEMPORAL = "SPECIFICATION Spec\nPROPERTY Formula\nCHECK_DEADLOCK FALSE\n"


@pytest.mark.parametrize(
    ("formula", "red", "cell"),
    [
        ("[][n = 0]_n", ["1"], "1 → 2"),  # the step finds a 1, and makes it 2
        ("[][n' > n]_n", ["3", "0"], "3 → 0"),
        ("[][n' < 3]_n", ["3"], "n' = 3"),
    ],
)
@needs_chromium
def test_of_a_step_of_a_module_the_values_it_is_about_are_red(
    formula: str, red: list[str], cell: str, driver: Chrome, tmp_path: Path
) -> None:
    row = find_violation(tmp_path, "Turns", TURNS.replace("FORMULA", formula), TEMPORAL)
    open_report(driver, Report("turns", (row,)), tmp_path)
    assert texts(driver, ".variables tbody tr[data-step] td.wrong") == red
    assert texts(driver, ".variables .verdict-row td.wrong") == [cell]


@needs_chromium
def test_of_a_loop_each_value_is_red_in_the_state_that_is_told(driver: Chrome, tmp_path: Path) -> None:
    module = tmp_path / "Counter.tla"
    module.write_text(COUNTER.replace("FORMULA", "[](x # 1) \\/ <>[](x = 9)"))
    module.with_suffix(".cfg").write_text(TEMPORAL)
    (row,) = run_rows("live", "--spec", str(module), "--by", "interpreter")
    open_report(driver, Report("counter", (row,)), tmp_path)
    assert texts(driver, ".variables tbody tr[data-step] td.wrong") == ["1", "3"]
    assert texts(driver, ".variables .verdict-row td.wrong div") == ["x = 1 in state 1", "x = 3 in state 3"]
    for step, wrong in ((1, 1), (2, 0), (3, 1), (4, 0), (5, 1)):
        driver.execute_script(f"document.querySelector('.current tr[data-step=\"{step}\"] a.at').click()")
        pause(driver)
        assert texts(driver, ".current .detail h3")[0].startswith(f"{step} ")
        assert len(texts(driver, ".current .detail table:not(.diff) tr.wrong")) == wrong, step
