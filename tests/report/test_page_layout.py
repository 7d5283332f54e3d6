"""The layout of a verdict's page: nothing is cut in the middle, and nothing runs through words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.report.test_page_first_view import members
from tests.report.test_page_list import sweep
from tests.support.chromium import evaluate
from tests.support.examples import bookkeeper_data_loss, kip320_first_try
from tests.support.modules_for_pages import commit, find_violation
from tests.support.pages import needs_chromium, open_report, pause, texts
from verifier.report.report import Report

pytestmark = [pytest.mark.thorough, needs_chromium]

BROKERS = """---- MODULE Brokers ----
EXTENDS Naturals, FiniteSets
CONSTANT Broker
VARIABLES partitions_that_each_broker_leads_now, epoch_of_the_controller
Init == partitions_that_each_broker_leads_now = [b \\in Broker |-> {}] /\\ epoch_of_the_controller = 0
Lead(b) == /\\ partitions_that_each_broker_leads_now' =
                [partitions_that_each_broker_leads_now EXCEPT ![b] = {1}]
           /\\ epoch_of_the_controller' = epoch_of_the_controller + 1
Next == \\E b \\in Broker : Lead(b)
Spec == Init /\\ [][Next]_<<partitions_that_each_broker_leads_now, epoch_of_the_controller>>
AtMostOneLeads == Cardinality({b \\in Broker : partitions_that_each_broker_leads_now[b] # {}}) < 2
====
"""
NAMES = ("brokerInEuropeWest1", "brokerInUsEast2", "brokerInAsiaSouth3", "payments-0", "payments-1")
BROKERS_CONFIG = (
    f"CONSTANT Broker = {{{', '.join(chr(34) + name + chr(34) for name in NAMES)}}}\n"
    "SPECIFICATION Spec\nINVARIANT AtMostOneLeads\nCHECK_DEADLOCK FALSE\n"
)

BOARD = """---- MODULE Board ----
EXTENDS Naturals
VARIABLE board
Piece(n) == <<n, 10 * n, 100 * n, 1000 * n>>
Init == board = {Piece(1), Piece(3)}
Next == board' = {Piece(2), Piece(3)}
NotThere == <<2, 20, 200, 2000>> \\notin board
====
"""


def boxes(driver: Chrome, selector: str) -> list[dict[str, float]]:
    script = f"[...document.querySelectorAll({selector!r})].map(e => e.getBoundingClientRect().toJSON())"
    return list(evaluate(driver, script))


def test_the_last_of_many_lanes_with_long_names_is_whole(driver: Chrome, tmp_path: Path) -> None:
    row = find_violation(tmp_path, "Brokers", BROKERS, BROKERS_CONFIG)
    open_report(driver, Report("wide", (row,)), tmp_path)
    pane = boxes(driver, ".current .diagram")[0]
    names = boxes(driver, ".current .lane-name")
    assert len(names) >= len(NAMES) + 1
    assert max(name["right"] for name in names) < pane["right"]
    assert all("payment" not in text or "payments-" in text for text in texts(driver, ".current .lane-name"))


def test_no_lane_runs_through_words(driver: Chrome, tmp_path: Path) -> None:
    crossing = """
    (() => {
      const drawn = '.current .diagram svg';
      const words = [...document.querySelectorAll(`${drawn} .change, ${drawn} .message`)]
        .filter(e => !e.closest('.verdict-row')).map(e => e.getBBox());
      const found = [];
      for (const lane of document.querySelectorAll('.current path.lane')) {
        for (const [, x, from, to] of lane.getAttribute('d').matchAll(/M(\\S+) (\\S+)V([^M]+)/g)) {
          for (const box of words) {
            const inside = Number(x) > box.x + 1 && Number(x) < box.x + box.width - 1;
            const meets = Number(from) < box.y + box.height - 5 && Number(to) > box.y + 5;
            if (inside && meets) found.push([x, from, to, box.y]);
          }
        }
      }
      return [words.length, found];
    })()"""
    for row in (kip320_first_try(), bookkeeper_data_loss()):
        open_report(driver, Report("one", (row,)), tmp_path)
        count, found = evaluate(driver, crossing.strip())
        assert count > 20
        assert found == []


def test_the_drawing_ends_with_its_last_row_and_begins_with_a_whole_one(
    driver: Chrome, tmp_path: Path
) -> None:
    for row in (kip320_first_try(), members(tmp_path)):
        open_report(driver, Report("one", (row,)), tmp_path)
        pause(driver, 200)
        pane, heads = boxes(driver, ".current .diagram")[0], boxes(driver, ".current .diagram .heads")[0]
        last = boxes(driver, ".current .verdict-row .back")[0]
        assert 0 <= pane["bottom"] - last["bottom"] < 14
        rows = boxes(driver, ".current g.row .back")
        cut = [one for one in rows if one["top"] < heads["bottom"] - 2 < one["bottom"] - 9]
        assert cut == []


def test_the_panel_says_that_there_is_more(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    pause(driver, 200)

    def more() -> Any:
        return evaluate(driver, "document.querySelector('.current .detail .more').checkVisibility()")

    assert evaluate(
        driver, "(d => d.scrollHeight > d.clientHeight)(document.querySelector('.current .detail'))"
    )
    assert more() is True
    driver.execute_script("document.querySelector('.current .detail').scrollTop = 1e6")
    pause(driver, 100)
    assert more() is False


def test_constants_and_what_another_checker_says_are_whole(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    summary = "document.querySelector('.current .claimed summary')"
    assert evaluate(driver, f"{summary}.scrollWidth <= {summary}.clientWidth")
    assert evaluate(driver, f"{summary}.scrollHeight <= {summary}.clientHeight + 1")


def test_a_link_to_an_earlier_step_shows_it(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    link = driver.find_element("css selector", ".current .earlier a")
    step = link.text.removeprefix("step ")
    link.click()
    pause(driver, 100)
    assert texts(driver, ".current .detail h3")[0].startswith(f"{step} · ")
    assert evaluate(driver, "location.hash").endswith(f"/step-{step}")


def test_a_cell_of_many_jobs_says_how_far_they_go(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, sweep(), tmp_path)
    cells = {text.strip() for text in texts(driver, ".grid .cell")}
    assert any("12 ×" in cell for cell in cells), cells
    (summary,) = texts(driver, "#overview > .summary")
    assert summary == "Nothing else fails. Of the other jobs 80 hold up to depth 12 (bmc, prove)."
    open_report(driver, sweep(), tmp_path, width=400)
    captions = boxes(driver, ".grid caption")
    assert captions
    wraps = "getComputedStyle(document.querySelector('.grid caption')).whiteSpace"
    assert evaluate(driver, wraps) == "normal"


def test_long_names_break_on_a_telephone(driver: Chrome, tmp_path: Path) -> None:
    kip = kip320_first_try()
    rows = [replace(kip, property_name=f"{'a_name_that_goes_on_' * 5}{number}") for number in range(2)]
    open_report(driver, Report("two", rows), tmp_path, "#overview", width=400)
    (table,) = boxes(driver, "table.answers")
    assert table["width"] <= 400


@pytest.mark.parametrize("width", [400, 1440])
def test_the_red_words_of_the_last_row_are_whole(width: int, driver: Chrome, tmp_path: Path) -> None:
    long = find_violation(tmp_path, "Brokers", BROKERS, BROKERS_CONFIG)
    for number, row in enumerate((long, kip320_first_try(), bookkeeper_data_loss())):
        folder = tmp_path / str(number)
        folder.mkdir()
        open_report(driver, Report("one", (row,)), folder, width=width)
        (pane,) = boxes(driver, ".current .diagram")
        words = boxes(driver, ".current .verdict-row .change")
        assert words
        assert all(word["right"] <= pane["right"] and word["left"] >= pane["left"] for word in words)
        assert all(word["bottom"] <= pane["bottom"] for word in words)


def test_no_line_ends_within_an_arrow(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("commit", (commit(tmp_path),)), tmp_path, width=400)
    arrows = evaluate(
        driver,
        "[...document.querySelectorAll('.current .failing .unbroken')].map(e => [e.textContent,"
        " getComputedStyle(e).whiteSpace, e.getClientRects().length])",
    )
    assert [arrow for arrow in arrows if arrow[0] == "|->"]
    assert all(kind == "nowrap" and lines <= 1 for _, kind, lines in arrows)
    loose = "[...document.querySelectorAll('.current .failing > div')].flatMap(e => [...e.childNodes])"
    loose += ".some(e => e.nodeType === 3 && e.textContent.includes('|->'))"
    assert evaluate(driver, loose) is False


def test_of_what_a_step_gained_and_lost_only_the_culprit_is_red(driver: Chrome, tmp_path: Path) -> None:
    row = find_violation(tmp_path, "Board", BOARD, "INIT Init\nNEXT Next\nINVARIANT NotThere\n")
    open_report(driver, Report("board", (row,)), tmp_path)
    assert texts(driver, ".current .detail .at-fault") == ["+ <<2, 20, 200, 2000>>, "]
    assert texts(driver, ".current tr.current .at-fault") == ["+ <<2, 20, 200, 2000>>, "]
    lost = "[...document.querySelectorAll('.current .detail .diff summary span')]"
    lost += ".filter(e => e.textContent.startsWith('−') && e.closest('.wrong, .at-fault')).length"
    assert evaluate(driver, lost) == 0
