"""Addresses, keys, copies, print, and pages for who has no scripts or reads in another way."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.action_chains import ActionChains

from tests.report.test_page_first_view import members
from tests.support.chromium import console, evaluate, prefer, size
from tests.support.examples import bookkeeper_data_loss, grid, kip320_first_try, rabbit_lasso, run_rows
from tests.support.modules_for_pages import commit, jugs
from tests.support.pages import current, needs_chromium, open_report, pause, press, texts
from tests.support.reporting import every_verdict
from verifier.outcomes.row import Row
from verifier.report.addresses import addresses
from verifier.report.page import as_html
from verifier.report.report import Report


def go(driver: Chrome, fragment: str) -> None:
    driver.execute_script(f"location.hash = {json.dumps(fragment)}")
    pause(driver)


def current_page(driver: Chrome) -> str:
    return str(evaluate(driver, "document.querySelector('.page.current').id"))


# Addresses


@pytest.mark.thorough
def test_addresses_say_what_a_verdict_is_about() -> None:
    kip, book = kip320_first_try(), bookkeeper_data_loss()
    assert addresses([kip]) == ["StrongIsr"]
    assert addresses([kip, book]) == ["StrongIsr", "NoDivergenceBetweenWriterAndMetaData"]
    smaller = replace(kip, constants={**kip.constants, "log_size": 1})
    assert addresses([kip, smaller]) == ["StrongIsr.log_size=2", "StrongIsr.log_size=1"]
    assert addresses([kip, replace(kip, engine="explore")]) == ["StrongIsr.bmc", "StrongIsr.explore"]
    assert addresses([kip, kip]) == ["StrongIsr.1", "StrongIsr.2"]


@pytest.mark.parametrize("name", ["overview", "main", "title-1", "", "<b>", "a b/c?d#e%", "\u2028", "…"])
def test_addresses_are_safe_and_no_other_elements_names(name: str) -> None:
    row = replace(kip320_first_try(), property_name=name)
    (found,) = addresses([row])
    assert re.fullmatch(r"[A-Za-z0-9_.=,+-]+", found)
    page = as_html(Report("one", (row,)))
    names = re.findall(r' id="([^"]*)"', page)
    assert found in names
    assert len(names) == len(set(names))


@needs_chromium
def test_any_address_shows_a_page(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("two", (kip320_first_try(), bookkeeper_data_loss())), tmp_path, "#%E0%A4%A")
    assert current_page(driver) == "overview"
    assert "no verdict" in evaluate(driver, "document.getElementById('missing').textContent")
    for fragment in ("verdict-99", "verdict-0", "__proto__", "constructor/step-1", "/", "?", "%"):
        go(driver, fragment)
        assert current_page(driver) == "overview", fragment
    go(driver, "verdict-2")
    assert current_page(driver) == "NoDivergenceBetweenWriterAndMetaData"
    assert evaluate(driver, "document.getElementById('missing').hidden")
    go(driver, "StrongIsr/step-999999999")
    assert current(driver)[0] == kip320_first_try().steps
    go(driver, "StrongIsr/nothing/step-2/toString")
    assert current(driver)[0] == 2
    assert console(driver) == []


@needs_chromium
def test_the_tab_says_verdict_and_protocol(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("two", (kip320_first_try(), bookkeeper_data_loss())), tmp_path, "#StrongIsr")
    assert driver.title == "✗ StrongIsr VIOLATED · kip320-first-try · two"
    go(driver, "overview")
    assert driver.title == "two"
    assert "<title>✗ StrongIsr VIOLATED · kip320-first-try · one</title>" in as_html(
        Report("one", (kip320_first_try(),))
    )


@needs_chromium
def test_filter_and_colours_are_kept(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    driver.find_element("css selector", ".bar-tools input").send_keys("log")
    driver.find_element("id", "theme").click()
    assert evaluate(driver, "location.hash").endswith("?show=log")
    driver.refresh()
    assert evaluate(driver, "document.querySelector('.bar-tools input').value") == "log"
    assert evaluate(driver, "document.documentElement.dataset.theme") == "light"
    assert all("log" in title for title in texts(driver, ".current g.row .change title"))
    driver.execute_script("localStorage.clear()")


# Keys


@needs_chromium
def test_keys_belong_to_the_explorer_while_it_has_the_focus(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path, width=400)
    last = current(driver)[0]
    ActionChains(driver).send_keys(Keys.ARROW_UP, "k").perform()
    assert current(driver)[0] == last
    press(driver, Keys.ARROW_UP, "k")
    assert current(driver)[0] == last - 2
    open_report(driver, Report("many lanes", (members(tmp_path),)), tmp_path, width=400)
    pane = "document.querySelector('.current .diagram').scrollLeft"
    press(driver, Keys.HOME, *[Keys.ARROW_LEFT] * 9)
    assert evaluate(driver, pane) == 0
    press(driver, Keys.ARROW_RIGHT)
    assert evaluate(driver, pane) > 0
    press(driver, Keys.ARROW_LEFT)
    assert evaluate(driver, pane) == 0


@needs_chromium
def test_a_link_to_a_step_brings_the_drawing_into_view(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    driver.execute_script("document.querySelector('.fallback').open = true")
    pause(driver)
    driver.execute_script("scrollTo(0, document.documentElement.scrollHeight)")
    driver.execute_script("[...document.querySelectorAll('.fallback tbody a')].at(3).click()")
    pause(driver)
    top = evaluate(driver, "document.querySelector('.current .diagram').getBoundingClientRect().top")
    assert 0 <= top < 200
    assert current(driver)[0] == 3


@needs_chromium
def test_in_a_narrow_window_the_toolbar_stays_above_the_state(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path, width=400)
    driver.execute_script("scrollTo(0, document.documentElement.scrollHeight)")
    pause(driver)
    bar, pane, state = (
        evaluate(driver, f"document.querySelector('.current {name}').getBoundingClientRect().toJSON()")
        for name in (".bar-steps", ".diagram", ".detail")
    )
    assert bar["top"] >= 0
    assert bar["bottom"] < 90
    assert state["top"] >= pane["bottom"]


# Copies, print, no scripts


@needs_chromium
def test_the_execution_and_its_command_are_copied(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    open_report(driver, Report("one", (row,)), tmp_path)
    driver.execute_script(
        "window.kept = []; Object.defineProperty(navigator, 'clipboard', "
        "{ value: { writeText: async (text) => { window.kept.push(text); } } })"
    )
    for what in ("text", "ITF", "command"):
        driver.execute_script(f"document.querySelector('.current [aria-label=\"Copy {what}\"]').click()")
    pause(driver)
    text, itf, command = evaluate(driver, "window.kept")
    assert text.startswith("  0  initially\n  1  ")
    assert "fails for leader = " in text
    assert json.loads(itf) == row.trace
    assert command.startswith("verify bmc kip320-first-try ")
    assert evaluate(driver, "document.getElementById('copied').textContent") == "command copied"


@needs_chromium
def test_print_is_short_and_begins_with_the_execution(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (bookkeeper_data_loss(),)), tmp_path)
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    made = driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    pages = len(re.findall(rb"/Type\s*/Page\b", b64decode(made["data"])))
    assert 1 <= pages <= 4
    prefer(driver, "light", "print")
    for hidden in (".detail", ".bars", "#theme"):
        assert evaluate(driver, f"getComputedStyle(document.querySelector('{hidden}')).display") == "none"
    assert evaluate(driver, "document.querySelectorAll('.current .fallback tbody tr').length") == 20
    prefer(driver, "light")


@needs_chromium
def test_without_scripts_the_execution_is_a_table(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    (tmp_path / "report.html").write_text(as_html(Report("one", (row,))))
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver.get((tmp_path / "report.html").as_uri())
        rows = driver.find_elements("css selector", ".fallback tbody tr")
        assert len(rows) == (row.steps or 0) + 1
        assert "FollowerTruncate(leader=r3, follower=r2)" in rows[-1].text
        assert "log[r2]:" in rows[-1].text
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


# For everybody


def axe(driver: Chrome) -> list[str]:
    """Return axe's complaints about the page, each with the elements."""
    script = (resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    driver.execute_script(script)
    run = "axe.run().then(r => arguments[0](r.violations.map(v => [v.id, v.nodes.map(n => n.html)])))"
    found: list[Any] = driver.execute_async_script(run)
    return [f"{name}: {str(nodes)[:600]}" for name, nodes in found]


def kinds(folder: Path) -> list[tuple[Report, tuple[str, ...]]]:
    """Every kind of page, and the addresses to look at."""
    proved = run_rows(
        "prove", "--spec", "kip320", "--property", "WeakIsr", "--set", "replicas=2", "--engine", "ic3"
    )
    induct = run_rows("induct", "--spec", "kip320", "--property", "StrongIsr", "--set", "log_size=1")
    explored = run_rows("explore", "--spec", "rabbit-sac", "--set", "queues=2", "--set", "apps=2")
    rows: list[Row] = [*every_verdict(), *proved, *induct, explored[0], rabbit_lasso()]
    return [
        (Report("two", (kip320_first_try(), bookkeeper_data_loss())), ("overview", "verdict-1", "verdict-2")),
        (Report("commit", (commit(folder),)), ("verdict-1", "verdict-1/variables")),
        (Report("jugs", (jugs(folder),)), ("",)),
        (Report("every", rows), ("overview", *(f"verdict-{number + 1}" for number in range(len(rows))))),
        (grid(60, 3), ("overview",)),
    ]


@needs_chromium
@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1440, "light", marks=pytest.mark.thorough), (400, "dark")]
)
def test_axe_finds_nothing_in_the_page_of_a_run(
    width: int, scheme: str, driver: Chrome, tmp_path: Path
) -> None:
    prefer(driver, scheme)
    open_report(driver, Report("two", (kip320_first_try(), commit(tmp_path))), tmp_path, "#overview")
    size(driver, width, 1000)
    for address in ("overview", "StrongIsr", "verdict-2/variables"):
        go(driver, address)
        assert axe(driver) == [], address
    prefer(driver, "light")


@pytest.mark.thorough
@needs_chromium
@pytest.mark.parametrize("width", [1440, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_page(width: int, scheme: str, driver: Chrome, tmp_path: Path) -> None:
    prefer(driver, scheme)
    for report, fragments in kinds(tmp_path):
        open_report(driver, report, tmp_path, width=width)
        for fragment in fragments:
            go(driver, fragment)
            assert axe(driver) == [], (report.title, fragment)
    prefer(driver, "light")


# More of an execution than fits into a view


@needs_chromium
def test_steps_are_found_by_action_and_value(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    assert row.trace is not None
    actions = [state["#meta"].get("action") for state in row.trace["states"]]
    elections = [step for step, name in enumerate(actions) if name == "ControllerElectLeader"]
    open_report(driver, Report("one", (row,)), tmp_path)
    search = driver.find_element("css selector", ".bar-tools input[placeholder^='an action']")
    search.send_keys("electleader")
    assert current(driver)[0] == elections[0]
    assert texts(driver, ".count:not(.complaint)") == [f"1 of {len(elections)}"]
    marked = "[...new Set([...document.querySelectorAll('g.row.found')].map(r => Number(r.dataset.step)))]"
    assert evaluate(driver, marked) == elections
    search.send_keys(Keys.ENTER)
    assert current(driver)[0] == elections[1]
    search.send_keys(" next_leader_epoch: no-such-value")
    assert texts(driver, ".count:not(.complaint)") == ["no step"]
    assert current(driver)[0] == elections[1]


@needs_chromium
def test_lanes_are_hidden_with_their_messages(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    arrows = evaluate(driver, "document.querySelectorAll('.current .arrow').length")
    driver.find_element("css selector", ".chooser summary").click()
    driver.find_element("css selector", ".chooser label:first-of-type input").click()
    assert texts(driver, ".current .lane-name") == ["r1", "r2", "r3", "producer"]
    assert 0 < evaluate(driver, "document.querySelectorAll('.current .arrow').length") < arrows
    for number in range(2, 6):
        driver.find_element("css selector", f".chooser div > div:nth-of-type({number}) input").click()
    assert texts(driver, ".current .lane-name") == ["producer"]
    assert console(driver) == []
