"""Source texts with the counts of their formulas, in a page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import verify
from verifier.outcomes.row import Row, rows_of
from verifier.report.covered import CoveredText, cover_texts, find_covering
from verifier.report.page import as_html
from verifier.report.report import Report

MODULE = r"""---- MODULE Covered ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == \/ /\ x < 2
           /\ x' = x + 1
        \/ x > 5 /\ x' = 0
Inv == x = 7 => x < 8
Long == \A k \in {1, 2} :
           x = k + 5
             => x = 6
===="""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The rows of a check of two invariants."""
    path = tmp_path_factory.mktemp("covered") / "Covered.tla"
    path.write_text(MODULE)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Inv Long\nCHECK_DEADLOCK FALSE\n")
    done = verify("check", str(path), "--coverage", "--format", "json")
    return list(rows_of(json.loads(done.stdout)))


def marked(text: CoveredText) -> dict[int, list[str]]:
    """Return the pieces that are never true, by line."""
    found = {line.number: [words for words, is_never in line.pieces if is_never] for line in text.lines}
    return {number: pieces for number, pieces in found.items() if pieces}


def test_what_is_never_true_is_marked_in_the_text(rows: list[Row]) -> None:
    (text,) = cover_texts(rows[0])
    assert ["".join(words for words, _ in line.pieces) for line in text.lines] == MODULE.split("\n")
    assert marked(text) == {7: ["x > 5"], 8: ["x = 7", "x < 8"], 10: ["x = k + 5"], 11: ["x = 6"]}
    only = {line.number: line.only for line in text.lines if line.only is not None}
    assert (only[5].evaluated, only[5].true, only[5].is_never_true) == ("3", "2", False)
    assert only[7].is_never_true
    several = next(line.several for line in text.lines if line.number == 8)
    assert [(one.formula, one.indent) for one in several] == [
        ("x = 7", " " * 7),
        ("x = 7 => x < 8", " " * 7),
        ("x < 8", " " * 16),
    ]


def test_one_page_of_a_run_has_the_text(rows: list[Row]) -> None:
    assert find_covering(rows) == {0: 0, 1: 0}
    page = as_html(Report("one", tuple(rows)))
    assert page.count('<details class="covered"') == 1
    assert "the source text with the counts" in page
    assert '<mark class="dark">x &gt; 5</mark>' in page
    assert "Inv may hold vacuously: its premise <code>x = 7</code> is never true" in page
    other = replace(rows[1], run_id="another")
    assert find_covering([rows[0], other]) == {0: 0, 1: 1}


def test_a_run_that_did_not_count_shows_no_text(rows: list[Row]) -> None:
    plain = {name: value for name, value in rows[0].statistics.items() if name != "sources"}
    assert find_covering([replace(rows[0], statistics=plain)]) == {}


def test_a_method_has_the_counts_of_its_guard(tmp_path: Path) -> None:
    path = Path("docs/examples/voting.py")
    done = verify("explore", str(path), "--coverage", "--format", "json")
    first = next(iter(rows_of(json.loads(done.stdout))))
    texts = cover_texts(first)
    counted = [one for text in texts for one in text.others]
    assert len(counted) == len(first.statistics["coverage"])
    lines = path.read_text().split("\n")
    for text in texts:
        for line in text.lines:
            assert "".join(words for words, _ in line.pieces) == lines[line.number - 1]


def test_the_columns_of_the_actions_are_explained(rows: list[Row]) -> None:
    counts = {"enabled": 2, "taken": 1}
    explored = replace(rows[0], statistics={"actions": {"Up": {**counts, "found": 1}}})
    page = as_html(Report("run", (explored,), ()))
    assert '<th scope="col" class="number">new states' in page
    assert "New states: states that one of these steps reached first." in page
    walked = replace(rows[0], statistics={"actions": {"Up": counts}})
    page = as_html(Report("run", (walked,), ()))
    assert "Taken: the number of steps of the action." in page
    assert "New states" not in page
