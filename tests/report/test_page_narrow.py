"""A telephone shows every lane and whole words; a legend explains the marks that are drawn, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.report.test_page_first_view import members
from tests.support.chromium import browser, evaluate
from tests.support.examples import bookkeeper_data_loss, kip320_first_try, rabbit_lasso
from tests.support.pages import needs_chromium, open_report, press, texts
from tests.support.two_recoveries import two_recoveries_report
from verifier.report.report import Report

pytestmark = needs_chromium

CUT = """
(() => {
  const pane = document.querySelector('.current .diagram'), room = pane.clientWidth;
  const left = pane.getBoundingClientRect().left;
  return [...pane.querySelectorAll('.change, .message')].map((one) => {
    const own = one.getBoundingClientRect();
    return [one.textContent, own.left - left, own.right - left - room];
  });
})()"""


@pytest.fixture(scope="module")
def driver() -> Iterator[Chrome]:
    with browser() as started:
        yield started


def one(*rows: Any) -> Report:
    return Report("one", rows)


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(lambda: one(kip320_first_try()), id="kip320-first-try"),
        pytest.param(lambda: one(rabbit_lasso()), id="rabbit-lasso"),
        pytest.param(two_recoveries_report, id="two-recoveries", marks=pytest.mark.thorough),
        pytest.param(lambda: one(bookkeeper_data_loss()), id="data-loss", marks=pytest.mark.thorough),
    ],
)
def test_a_telephone_shows_all_lanes_and_whole_words(report: Any, driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, report(), tmp_path, width=400)
    pane = "document.querySelector('.current .diagram')"
    assert evaluate(driver, f"{pane}.scrollWidth <= {pane}.clientWidth")
    found = evaluate(driver, CUT.strip())
    assert len(found) > 6
    outside = [words for words, left, beyond in found if left < 0 or beyond > 0]
    assert outside == []
    # A row that says only how many lines it leaves out would hide what the step does.
    assert not [words for words, _, _ in found if words.endswith("…") and ":" in words and "→" in words]
    names = "[...document.querySelectorAll('.current .lane-name')].map(e => e.getBoundingClientRect())"
    assert evaluate(driver, f"{names}.filter(b => b.right > 388 || b.left < 12).length") == 0
    overlap = f"""(boxes => boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1
      && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)))({names})"""
    assert evaluate(driver, overlap) is False


def test_words_of_a_row_say_which_lane_they_are_of(driver: Chrome, tmp_path: Path) -> None:
    """The words of two lanes that a step changes stand below each other."""
    open_report(driver, one(kip320_first_try()), tmp_path, width=400)
    row = texts(driver, ".current g.row[data-step='9'] .change")
    assert [words.partition(":")[0] for words in row] == ["quorum.isr", "replica[r1].isr"]
    (alone,) = texts(driver, ".current g.row[data-step='11'] .change")
    assert alone.startswith("hw: ")


def test_words_stay_where_lanes_are_panned(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, one(members(tmp_path)), tmp_path, width=400)
    pane = "document.querySelector('.current .diagram')"
    assert evaluate(driver, f"{pane}.scrollWidth > {pane}.clientWidth")
    for across in (0, 1000):
        driver.execute_script(f"{pane}.scrollLeft = {across}")
        driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        found = evaluate(driver, CUT.strip())
        assert [words for words, left, beyond in found if left < 0 or beyond > 0] == []
    assert any("[" in words for words, _, _ in found)  # whole paths, since nobody sees the lane beside


def test_the_claim_is_whole_on_a_telephone(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, one(kip320_first_try()), tmp_path, width=400)
    summary = driver.find_element("css selector", ".current .claimed summary")
    assert summary.text.endswith("An execution of 13 steps violates it; there may be a shorter one.")
    inside = "document.querySelector('.current .claimed summary')"
    assert evaluate(driver, f"{inside}.scrollWidth <= {inside}.clientWidth")
    summary.click()
    assert "replicas=3" in summary.text


def legend(driver: Chrome) -> list[str]:
    return [words.strip() for words in texts(driver, ".current .marks li")]


def test_a_legend_explains_the_marks_that_are_drawn(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, one(kip320_first_try()), tmp_path)
    lanes = legend(driver)
    assert {"acts", "is changed", "sends to", "arrives in a later step"} <= {*lanes}
    assert "a value that breaks the property" in lanes
    assert "repeats forever" not in lanes
    assert not any("demand other values" in words for words in lanes)
    assert not any(words.endswith(("hide", "keep in view")) for words in lanes)
    driver.find_element("css selector", ".current [data-view=variables]").click()
    table = legend(driver)
    assert {"← move to the left", "⊣ keep in view", "× hide", "yellow changed by the step"} <= {*table}
    assert not {"acts", "sends to"} & {*table}
    open_report(driver, one(rabbit_lasso()), tmp_path)
    assert "repeats forever" in legend(driver)
    assert not {"is lost", "has not arrived"} & {*legend(driver)}
    press(driver, "g")
    width = "document.querySelector('.current .marks').getBoundingClientRect().width"
    pane = "document.querySelector('.current .pane').getBoundingClientRect().width"
    assert evaluate(driver, f"{width} <= {pane} + 1")
