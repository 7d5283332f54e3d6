"""Pages in use: print, the skip link, the title, two executions side by side, copies."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys

from tests.report.test_page_list import sweep
from tests.support.chromium import console, evaluate, prefer, size
from tests.support.examples import bookkeeper_data_loss, kip320_first_try, rabbit_lasso
from tests.support.pages import needs_chromium, open_report, pause, texts
from verifier.outcomes.row import Row
from verifier.report.report import Report
from verifier.report.verdict_list import Column


def box(driver: Chrome, selector: str) -> dict[str, float]:
    """Return the box of an element of the page shown."""
    found = f"document.querySelector('.current {selector}').getBoundingClientRect().toJSON()"
    return dict(evaluate(driver, found))


# Print


@needs_chromium
@pytest.mark.parametrize("width", [1440, 400])
def test_on_paper_the_list_stands_below_the_drawing(width: int, driver: Chrome, tmp_path: Path) -> None:
    for row in (kip320_first_try(), bookkeeper_data_loss(), rabbit_lasso()):
        open_report(driver, Report("one", (row,)), tmp_path, width=width)
        driver.execute_script("dispatchEvent(new Event('beforeprint'))")
        prefer(driver, "light", "print")
        size(driver, 794, 1123)
        pause(driver, 300)
        drawing, listed = box(driver, ".diagram svg:not(.lane-heads)"), box(driver, ".fallback")
        assert drawing["height"] > 200
        assert drawing["bottom"] <= listed["top"]
        assert box(driver, ".pane")["bottom"] >= drawing["bottom"]
        heads = "getComputedStyle(document.querySelector('.current .heads')).breakAfter"
        assert evaluate(driver, heads) == "avoid"
        prefer(driver, "light")


@needs_chromium
@pytest.mark.parametrize(
    ("per_axis", "printed", "said"),
    [(4, 128, ""), (5, 200, "Printed are the first 200 of 250 verdicts.")],
)
def test_on_paper_the_list_is_not_cut(
    per_axis: int, printed: int, said: str, driver: Chrome, tmp_path: Path
) -> None:
    report = sweep(per_axis)
    open_report(driver, report, tmp_path, "#overview")
    on_screen = evaluate(driver, "document.querySelectorAll('#list tbody tr').length")
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    prefer(driver, "light", "print")
    assert evaluate(driver, "document.querySelectorAll('#list tbody tr:not(.space)').length") == printed
    pane, table = box(driver, ".rows"), box(driver, ".rows table")
    assert pane["bottom"] >= table["bottom"]
    assert pane["right"] >= table["right"]
    shown = "[...document.querySelectorAll('.printed')].filter(e => e.offsetParent).map(e => e.textContent)"
    assert evaluate(driver, shown) == ([said] if said else [])
    head = "document.querySelector('.rows thead button').offsetHeight"
    assert evaluate(driver, head) > 0
    prefer(driver, "light")
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert evaluate(driver, "document.querySelectorAll('#list tbody tr').length") == on_screen
    assert evaluate(driver, shown) == []


# Where links lead


@needs_chromium
def test_the_skip_link_moves_only_the_focus(driver: Chrome, tmp_path: Path) -> None:
    report = Report("two", (kip320_first_try(), bookkeeper_data_loss()))
    open_report(driver, report, tmp_path, "#StrongIsr/step-3/variables")
    before = evaluate(driver, "location.hash")
    driver.execute_script("document.querySelector('.skip').focus()")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    pause(driver)
    assert evaluate(driver, "location.hash") == before
    assert evaluate(driver, "document.activeElement.id") == "main"
    assert evaluate(driver, "document.querySelector('.page.current').id") == "StrongIsr"


@needs_chromium
def test_the_title_of_a_page_with_one_verdict_leads_to_it(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    driver.find_element("css selector", "h1 a").click()
    pause(driver)
    assert evaluate(driver, "document.getElementById('missing').hidden")
    assert evaluate(driver, "document.querySelector('.page.current').id") == "StrongIsr"
    assert evaluate(driver, "location.hash").startswith("#StrongIsr")


@needs_chromium
def test_the_address_is_not_written_at_every_key(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    open_report(driver, Report("one", (row,)), tmp_path)
    driver.execute_script(
        "window.writes = 0; const own = history.replaceState.bind(history); "
        "history.replaceState = (...given) => { window.writes++; own(...given); }; "
        "for (let at = 0; at < 300; at++) document.querySelector(\"[aria-label^='Step back']\").click();"
    )
    assert 0 < evaluate(driver, "window.writes") <= row.steps
    driver.execute_script(
        "for (let at = 0; at < 150; at++) for (const way of ['Step back', 'Next step']) "
        "document.querySelector(`[aria-label^='${way}']`).click();"
    )
    assert evaluate(driver, "window.writes") <= 50
    driver.execute_script(
        "history.replaceState = () => { throw new DOMException('too often'); }; Address.written = []"
    )
    driver.execute_script("document.querySelector(\"[aria-label^='Last state']\").click()")
    assert console(driver) == []


# Side by side


def added_at_the_end(row: Row) -> Row:
    """The execution without its last two steps, so that the whole one has more at its end."""
    assert row.trace is not None
    trace = json.loads(json.dumps(row.trace))
    trace["states"] = trace["states"][:-2]
    return replace(row, trace=trace, steps=len(trace["states"]) - 1)


@needs_chromium
def test_steps_only_at_the_right_are_the_first_difference(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    shorter = added_at_the_end(row)
    open_report(driver, Report("two", (shorter, row)), tmp_path, "#verdict-1/step-2")
    driver.find_element("css selector", ".current [data-view='beside']").click()
    assert texts(driver, ".current .beside tr.first .between") == ["only at the right"]
    assert texts(driver, ".current .beside .where") == []
    assert texts(driver, ".current .where") == [f"step {shorter.steps} of {shorter.steps}"]
    marked = texts(driver, ".current .beside tr.current .between")
    assert marked == ["the same state", "only at the right", "only at the right"]
    pane, last = box(driver, ".beside"), box(driver, ".beside tr.first")
    assert last["bottom"] <= pane["bottom"] + 1
    driver.find_element("css selector", ".current [aria-label^='Step back']").click()
    assert len(texts(driver, ".current .beside tr.current")) == 1
    driver.find_element("css selector", ".current .beside tr.first .between").click()
    assert texts(driver, ".current .where") == [f"step {shorter.steps} of {shorter.steps}"]


@needs_chromium
def test_equal_executions_are_said_to_be_equal(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    open_report(driver, Report("two", (row, row)), tmp_path, "#verdict-1/beside")
    assert "The two executions are the same." in texts(driver, ".current .beside .choice")[0]
    open_report(driver, Report("two", (row, added_at_the_end(row))), tmp_path, "#verdict-1/beside")
    assert "the same" not in texts(driver, ".current .beside .choice")[0]


# The list, copies


def test_columns_sort_by_the_numbers_in_words() -> None:
    words = ("10 actions", "no step", "1,200 states", "8 actions", "11 actions", "9 actions", "900 states")
    found = Column.of_words("how far", words).values
    assert found == (
        "8 actions",
        "9 actions",
        "10 actions",
        "11 actions",
        "900 states",
        "1,200 states",
        "no step",
    )
    assert Column.of_words("size", ("10", "2.5", "all", "9" * 5000 + " x")).values[:2] == ("2.5", "10")


@needs_chromium
def test_the_button_says_that_it_copied(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    driver.execute_script(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async () => {} } }); "
        "Copying.SAID = 200"
    )
    driver.find_element("css selector", ".current [aria-label='Copy text']").click()
    assert texts(driver, ".current [aria-label='Copy text']") == ["Copied"]
    pause(driver, 400)
    assert texts(driver, ".current [aria-label='Copy text']") == ["Copy text"]
