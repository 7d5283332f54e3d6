"""Opens reports in headless Chromium, offline, and reads the visible content."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains

from tests.support.chromium import BROWSER, DRIVER, console, evaluate, list_requests, size
from verifier.report.page import as_html
from verifier.report.report import Report

needs_chromium = pytest.mark.skipif(not (BROWSER and DRIVER), reason="Chromium and its driver are not here")


def open_report(driver: Chrome, report: Report, folder: Path, fragment: str = "", width: int = 1440) -> None:
    """Opens the report from disk, and checks that nothing went wrong or was asked for elsewhere."""
    path = folder / "report.html"
    path.write_text(as_html(report), encoding="utf-8")
    console(driver)
    list_requests(driver)
    size(driver, width, 1000)
    driver.get("about:blank")
    driver.get(f"{path.as_uri()}{fragment}")
    assert console(driver) == []
    others = [url for url in list_requests(driver) if not url.startswith((path.as_uri(), "data:", "about:"))]
    assert others == []


def press(driver: Chrome, *keys: str) -> None:
    """Presses keys while the drawing has the focus."""
    driver.execute_script("document.querySelector('.current .pane:not([hidden])').focus()")
    ActionChains(driver).send_keys(*keys).perform()


def current(driver: Chrome) -> tuple[int, str, str]:
    """Return the step marked in the diagram, the title of its description, and its changes."""
    steps = evaluate(
        driver, "[...document.querySelectorAll('.current .row.current')].map(r => r.dataset.step)"
    )
    assert len(set(steps)) == 1
    title, changes = evaluate(
        driver, "['h3', '.diff'].map(s => document.querySelector(`.current .detail ${s}`)?.textContent ?? '')"
    )
    return int(steps[0]), title, changes


def pause(driver: Chrome, milliseconds: int = 50) -> None:
    """Lets the page draw."""
    driver.execute_async_script(f"setTimeout(arguments[0], {milliseconds})")


def texts(driver: Chrome, selector: str) -> list[str]:
    """The texts of the elements of the page shown."""
    return list(evaluate(driver, f"[...document.querySelectorAll({selector!r})].map(e => e.textContent)"))
