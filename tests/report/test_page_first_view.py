"""The first view of a page has the step and its culprit in sight, and red marks the culprit alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.support.chromium import evaluate, size
from tests.support.examples import bookkeeper_data_loss, grid, kip320_first_try, rabbit_lasso
from tests.support.modules_for_pages import find_violation
from tests.support.pages import needs_chromium, open_report, press, texts
from verifier.outcomes.row import Row
from verifier.report.report import Report

MEMBERS = """---- MODULE Members ----
EXTENDS Naturals, FiniteSets
CONSTANT Node
VARIABLES members_as_each_node_sees_them, rounds
Init == members_as_each_node_sees_them = [n \\in Node |-> {n}] /\\ rounds = 0
Join(n, m) == /\\ m \\notin members_as_each_node_sees_them[n]
              /\\ members_as_each_node_sees_them' =
                   [members_as_each_node_sees_them EXCEPT ![n] = @ \\union {m}]
              /\\ rounds' = rounds + 1
Next == \\E n, m \\in Node : Join(n, m)
Spec == Init /\\ [][Next]_<<members_as_each_node_sees_them, rounds>>
NobodyKnowsTheLast == rounds >= 2 => \\A n \\in Node \\ {9} : 9 \\notin members_as_each_node_sees_them[n]
====
"""
MEMBERS_CONFIG = (
    "CONSTANT Node = {1, 2, 3, 4, 5, 6, 7, 8, 9}\nSPECIFICATION Spec\nINVARIANT NobodyKnowsTheLast\n"
)
MEMBERS_CONFIG += "CHECK_DEADLOCK FALSE\n"


def members(folder: Path) -> Row:
    """Nine lanes, of which one is at fault, and long names."""
    return find_violation(folder, "Members", MEMBERS, MEMBERS_CONFIG)


def in_view(driver: Chrome, selector: str, *, partly: bool = False) -> bool:
    """True if each element with this selector is in the window and in its pane, or a part of it."""
    found: list[Any] = evaluate(
        driver,
        f"""[...document.querySelectorAll({selector!r})].map((element) => {{
          const around = element.closest('.pane'), own = element.getBoundingClientRect();
          const pane = around.getBoundingClientRect();
          const heads = around.querySelector('.heads, thead').getBoundingClientRect().height;
          const top = Math.max(0, pane.top + heads), bottom = Math.min(innerHeight, pane.bottom);
          const sides = [Math.max(0, pane.left), Math.min(innerWidth, pane.right)];
          const inside = {str(partly).lower()} ? own.bottom > top + 12 && own.top < bottom - 12
            : own.top >= top - 2 && own.bottom <= bottom + 2;
          return inside && own.right > sides[0] && own.left < sides[1];
        }})""",
    )
    assert found, selector
    return all(found)


@needs_chromium
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (400, 800)])
def test_the_first_view_shows_the_step_and_its_culprit(
    width: int, height: int, driver: Chrome, tmp_path: Path
) -> None:
    for row in (kip320_first_try(), rabbit_lasso(), members(tmp_path)):
        size(driver, width, height)
        open_report(driver, Report("one", (row,)), tmp_path)
        size(driver, width, height)
        driver.get("about:blank")
        driver.get((tmp_path / "report.html").as_uri())
        driver.execute_async_script("setTimeout(arguments[0], 200)")
        assert evaluate(driver, "scrollY") == 0
        assert in_view(driver, ".current .ring"), row.spec
        assert in_view(driver, ".current .verdict-row .action"), row.spec
        assert in_view(driver, ".current g.row.current .action", partly=True), row.spec
        head = "document.querySelector('.current .failing').getBoundingClientRect()"
        assert evaluate(driver, f"{head}.bottom") < height


@needs_chromium
def test_a_phone_shows_what_demands_the_formula(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path, width=400)
    lines = evaluate(
        driver,
        "[...document.querySelectorAll('.current .failing > div')].filter(e => e.checkVisibility())"
        ".map(e => e.textContent)",
    )
    (demanded,) = [line for line in lines if line.startswith("This is required because ")]
    assert "replica[r1].leader = r1" in demanded


@needs_chromium
def test_red_marks_the_culprit_alone(driver: Chrome, tmp_path: Path) -> None:
    row = members(tmp_path)
    open_report(driver, Report("one", (row,)), tmp_path)
    assert row.trace is not None
    sees = row.trace["states"][-1]["members_as_each_node_sees_them"]
    (guilty,) = (place for place, held in enumerate(sees) if place != 8 and 9 in held["#set"])
    rings = "[...document.querySelectorAll('.current .ring')].map(r => Number(r.getAttribute('cx')))"
    heads = "[...document.querySelectorAll('.current .lane-name')].map(h => Number(h.getAttribute('x')))"
    (ring,), lanes = evaluate(driver, rings), evaluate(driver, heads)
    assert lanes.index(ring) == guilty
    (said,) = set(texts(driver, ".current .verdict-row .change title"))
    assert said.endswith(f"[{guilty + 1}] has 9")
    cells = [
        text for text in texts(driver, ".current .detail td.wrong, .current .detail .holds-wrong") if text
    ]
    assert all("9" in cell for cell in cells)
    assert len(texts(driver, ".current .detail .holds-wrong, .current .detail tr.wrong")) == 1
    # What makes the demand is bold, and not red.
    assert [text[:13] for text in texts(driver, ".current g.row.current .cause")] == ["rounds: 1 → 2"]


@needs_chromium
def test_a_loop_rings_who_waits_forever(driver: Chrome, tmp_path: Path) -> None:
    row = rabbit_lasso()
    open_report(driver, Report("one", (row,)), tmp_path)
    assert texts(driver, ".current .verdict-row .action")[0].startswith("✗ Liveness fails in the")
    assert len(texts(driver, ".current .ring")) == 1
    assert texts(driver, ".current h2 .chip") == ["✗ VIOLATED by an execution that never ends"]
    press(driver, "k")
    assert texts(driver, ".current .detail tr.wrong")  # it has the value in all states of the loop
    press(driver, "g", "\ue011")  # Home
    assert not texts(driver, ".current .detail tr.wrong")


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (400, 800)])
def test_a_long_execution_opens_at_its_culprit(
    width: int, height: int, driver: Chrome, tmp_path: Path
) -> None:
    size(driver, width, height)
    open_report(driver, Report("one", (bookkeeper_data_loss(),)), tmp_path)
    size(driver, width, height)
    driver.get("about:blank")
    driver.get((tmp_path / "report.html").as_uri())
    driver.execute_async_script("setTimeout(arguments[0], 200)")
    rings = evaluate(driver, "document.querySelectorAll('.current .ring').length")
    assert rings >= 1
    assert in_view(driver, ".current .verdict-row .action")


@pytest.mark.thorough
@needs_chromium
def test_a_page_does_not_jump_when_it_opens(driver: Chrome, tmp_path: Path) -> None:
    """Else the pages of all verdicts would be drawn before scripts choose one of them."""
    watch = """window.moved = 0; new PerformanceObserver((seen) => {
      for (const one of seen.getEntries()) window.moved += one.value;
    }).observe({ type: 'layout-shift', buffered: true });"""
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": watch})
    for fragment in ("", "#overview", "#verdict-1", "#verdict-60"):
        open_report(driver, grid(60, 3), tmp_path, fragment)
        driver.execute_async_script("setTimeout(arguments[0], 200)")
        assert evaluate(driver, "window.moved") < 0.05, fragment


@needs_chromium
def test_no_sentence_is_cut_on_a_narrow_page(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("members", (members(tmp_path),)), tmp_path, width=400)
    lines = "[...document.querySelectorAll('.current .failing > :is(strong, div)')]"
    lines += ".filter(e => e.offsetHeight)"
    assert evaluate(driver, f"{lines}.length") > 1
    assert evaluate(driver, f"{lines}.filter(e => e.scrollHeight > e.clientHeight + 1).length") == 0
    assert not evaluate(driver, "document.querySelector('.current .failing .earlier')?.offsetHeight")
    driver.find_element("css selector", ".current .failing summary").click()
    assert evaluate(driver, "document.querySelector('.current .failing .earlier').offsetHeight") > 0
    size(driver, 1440, 900)
