"""The page of a failed induction: the lemma that fails stands in the place of the property."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.examples import run_rows
from verifier.report.page import as_html
from verifier.report.properties import Asked
from verifier.report.report import Report
from verifier.report.verdict_page import verdict_page

SPEC = """from verifier import *
class Steps(Protocol):
    \"\"\"A number is counted.\"\"\"
    def state(self): return State(x=Range(0, 3), y=Range(0, 3))
    def init(self, s): return [s.x == 0, s.y == 0]
    @action
    def count(self, s): return Step(when=[s.x < 2, s.y < 3], then={s.x: s.x + 1, s.y: s.y + 1})
    @invariant
    def small(self, s):
        \"\"\"It stays small.\"\"\"
        return s.x < 3
    @lemma
    def low(self, s):
        \"\"\"The other one stays low.\"\"\"
        return s.y < 3
"""


def test_the_lemma_that_fails_has_its_name_its_text_and_its_formula(tmp_path: Path) -> None:
    spec = tmp_path / "steps.py"
    spec.write_text(SPEC)
    (row,) = run_rows("induct", "--spec", str(spec), "--property", "small", "--lemma", "low")
    page = verdict_page("small", "small", row, with_itf=False)
    assert page.lemma == "low"
    assert page.asked == Asked("lemma", "y < 3", "", "The other one stays low.", "")
    assert page.table[0][:2] == ("", "initiation")
    assert page.told is not None
    assert page.told.head == (
        "Not decided: the induction fails at Count. "
        "From a state with y 2, it leads to one that violates low. That state may be unreachable."
    )
    assert page.told.lines[0] == "State 0 satisfies small, TypeInvariant and the lemma low."
    assert page.told.lines[1] == "Step 1 changes y: 2 → 3."
    assert page.told.around[-1].startswith("1 of 1 action does not keep low: Count")  # below the step
    whole = re.sub(r"<[^>]+>", "", as_html(Report("steps", (row,))))
    assert "A lemma from which small was to follow." in whole
    assert "It stays small." not in whole
    assert "Proof attempt" in whole
    assert "Tried by induct with " in whole
    assert "Found by" not in whole
