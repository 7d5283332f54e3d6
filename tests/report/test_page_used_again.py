"""Pages in use: parts of values that are watched, the way back to the list, heads of columns."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from urllib.parse import quote

from selenium.webdriver import Chrome, Keys

from tests.report.test_page_compared import watch
from tests.report.test_page_list import sweep
from tests.support.chromium import console, evaluate
from tests.support.examples import kip320_first_try, run_rows
from tests.support.pages import needs_chromium, open_report, pause, texts
from verifier.report.report import Report, command_of
from verifier.report.run_sources import read_report
from verifier.verdict import VerdictKind


@needs_chromium
def test_items_and_empty_values_are_watched(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    assert row.trace is not None
    open_report(driver, Report("one", (row,)), tmp_path)
    logs = [dict(state["log"]["#map"])["r2"] for state in row.trace["states"]]
    empty = [str(log == []).lower() for log in logs]
    assert set(empty) == {"true", "false"}
    for words in ("log[r2] == []", "log[r2] = ⟨⟩", "log[r2] = <<>>", "[ ] = log[r2]"):
        assert watch(driver, words) == empty, words
    firsts = [str(log[0]["epoch"]) if log else "–" for log in logs]
    assert watch(driver, "log[r2][0].epoch") == firsts
    assert watch(driver, "log[r2][0]")[logs.index([]) if logs[0] else 0] == "–"
    held = next(step for step, log in enumerate(logs) if log)
    assert watch(driver, "log[r2][0]")[held] == f"(id {logs[held][0]['id']}, epoch {logs[held][0]['epoch']})"
    assert watch(driver, "log[r2][0].epoch + 1 > 0")[held] == "true"
    for words in ("[1, 2] = <<1, 2>>", "[{2, 1}] = ⟨{1, 2}⟩", "{} = { }", "[1, 2] # [2, 1]"):
        assert watch(driver, words) == ["true"] * len(logs), words


@needs_chromium
def test_a_failed_induction_says_that_replay_refuses_it(driver: Chrome, tmp_path: Path) -> None:
    (row,) = run_rows(
        "induct", "--spec", "kip320-first-try", "--property", "StrongIsr", "--set", "log_size=1"
    )
    assert row.verdict == VerdictKind.NOT_INDUCTIVE
    open_report(driver, Report("one", (row,)), tmp_path)
    assert len(texts(driver, ".current .refused")) == 1
    assert "may be unreachable, so verify replay refuses" in texts(driver, ".current .refused")[0]
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    assert texts(driver, ".current .refused") == []


@needs_chromium
def test_back_at_the_list_it_is_where_it_was(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, sweep(6), tmp_path, "#overview?engine=bmc&sort=-seconds")
    driver.execute_script("document.querySelector('.rows').scrollTop = 900")
    pause(driver)
    where = (
        "[scrollY, document.querySelector('.rows').scrollTop, document.getElementById('found').textContent]"
    )
    before = evaluate(driver, where)
    assert before[1] == 900
    driver.execute_script("document.querySelectorAll('#list tbody tr:not(.space) a')[9].click()")
    pause(driver, 200)
    assert evaluate(driver, "document.getElementById('overview').offsetParent") is None
    driver.back()
    pause(driver, 200)
    assert evaluate(driver, where) == before
    driver.execute_script("location.hash = '#overview?engine=prove'")
    pause(driver)
    assert evaluate(driver, "document.querySelector('.rows').scrollTop") == 0
    assert console(driver) == []


@needs_chromium
def test_focus_stays_at_the_button_of_a_column(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path, "#StrongIsr/variables")
    focused = "document.activeElement.getAttribute('aria-label')"
    name = str(
        evaluate(driver, "document.querySelector('.current [data-variable]:nth-child(4)').dataset.variable")
    )
    for said, then in (("Pin", f"Unpin {name}"), ("Unpin", f"Pin {name} to the left")):
        script = f"document.querySelector('.current [aria-label^=\"{said} {name}\"]').focus()"
        driver.execute_script(script)
        driver.switch_to.active_element.send_keys(Keys.ENTER)
        assert evaluate(driver, focused) == then


@needs_chromium
def test_escape_closes_the_choice_of_lanes(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    driver.find_element("css selector", ".chooser summary").click()
    box = driver.find_element("css selector", ".chooser input")
    box.send_keys(Keys.ESCAPE)
    assert not evaluate(driver, "document.querySelector('.chooser').open")
    assert evaluate(driver, "document.activeElement.textContent") == "Lanes …"


@needs_chromium
def test_links_to_steps_keep_view_and_filter_in_the_address(driver: Chrome, tmp_path: Path) -> None:
    report = Report("one", (kip320_first_try(),))
    open_report(driver, report, tmp_path, f"#StrongIsr/step-4/variables?show=log&watch={quote('1 + 1')}")
    link = driver.find_element("css selector", ".current .failing .earlier a")
    step = str(link.get_attribute("href")).rsplit("/", 1)[1]
    driver.execute_script("arguments[0].click()", link)
    pause(driver, 100)
    assert evaluate(driver, "location.hash") == f"#StrongIsr/{step}/variables?show=log&watch=1+%2B+1"
    assert texts(driver, ".current .where")[0].startswith(step.replace("-", " "))


@needs_chromium
def test_packed_pages_are_beside_all_executions(driver: Chrome, tmp_path: Path) -> None:
    report = sweep(7)
    found = [number for number, row in enumerate(report.rows, 1) if row.trace is not None]
    open_report(driver, report, tmp_path, f"#verdict-{found[0]}")
    pause(driver, 300)
    driver.find_element("css selector", ".current [data-view='beside']").click()
    assert len(texts(driver, ".current .beside option")) == len(found) - 1
    assert texts(driver, ".current .beside option")[0].startswith("✗ StrongIsr")
    assert len(texts(driver, ".current .beside tbody tr")) > 5
    assert evaluate(driver, "document.querySelectorAll('.page.verdict').length") == 1
    assert console(driver) == []


def test_the_command_of_a_replay_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "kept trace.itf.json"
    file.write_text(json.dumps(kip320_first_try().trace))
    (row,) = read_report(file, None, None, {}).rows
    assert shlex.split(command_of(row)) == ["verify", "replay", str(file)]
