"""Several hands on the page of ``verify open``: tabs, addresses, keys, and readers of screens."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.server.test_open_page import LOCK, Page
from tests.support.chromium import browser, size
from tests.support.pages import needs_chromium
from tests.support.serving import serving

pytestmark = [needs_chromium, pytest.mark.thorough]


def test_each_tab_has_its_own_execution() -> None:
    with serving(LOCK) as server, browser() as driver:
        one = Page(driver, server.url)
        one.press("#steps button", "Acquire(c=c1)")
        one.until(lambda: len(one.texts("#path > li")) == 2)
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        other = Page(driver, server.url)
        other.until(lambda: len(other.texts("#path > li")) == 2)  # it begins with the execution of the server
        other.press("#steps button", "Write(c=c1)")
        other.until(lambda: len(other.texts("#path > li")) == 3)
        driver.switch_to.window(first)
        one.press("#steps button", "RunOut")
        one.until(lambda: len(one.texts("#path > li")) == 3)
        expected = ["initially", "Acquire(c=c1)", "RunOut()"]
        assert [words.split()[1] for words in one.texts("#path > li > button")] == expected
        kept, steps = one.address, one.texts("#path > li > button")
        driver.get("about:blank")
        driver.get(f"{server.url}#{kept}")
        one.until(lambda: one.texts("#path > li > button") == steps)


@pytest.mark.parametrize(("address", "states"), [("0.0.99", 2), ("7", 1), ("nothing", 1)])
def test_a_wrong_address_leads_as_far_as_there_are_steps(address: str, states: int) -> None:
    with serving(LOCK) as server, browser() as driver:
        page = Page(driver, f"{server.url}#{address}")
        page.until(lambda: "that there is not" in page.texts("#message")[0])
        assert len(page.texts("#path > li")) == states
        page.press("#steps button")
        page.until(lambda: len(page.texts("#path > li")) == states + 1)


def test_a_deadlock_ends_random_steps_and_a_watched_expression_can_go() -> None:
    with serving(LOCK, Leases="1") as server, browser() as driver:
        page = Page(driver, server.url)
        page.write("find-form", "~ ENABLED Next")
        page.until(lambda: "deadlock" in " ".join(page.texts("#steps li")) or page.texts("#message") != [""])
        assert "No action is enabled: a deadlock." in page.texts("#steps li")
        page.press("#random")
        page.until(lambda: page.texts("#message") == ["0 of 5 steps: then no action is enabled."])
        page.write("watch-form", "given +")
        page.until(lambda: len(page.texts("#watched li")) == 1)
        page.press("#watched button")
        page.until(lambda: page.texts("#watched li") == [])


def test_keys_go_on_where_they_were() -> None:
    with serving(LOCK) as server, browser() as driver:
        page = Page(driver, server.url)
        for steps in (1, 2, 3):
            focused = driver.switch_to.active_element if steps > 1 else None
            (focused or driver.find_element(By.CSS_SELECTOR, "#steps button")).send_keys(Keys.ENTER)
            page.until(lambda steps=steps: len(page.texts("#path > li")) == steps + 1)  # type: ignore[misc]
        driver.find_element(By.CSS_SELECTOR, "#path button").send_keys(Keys.ENTER)
        page.until(lambda: page.texts("#state-title") == ["Initial state"])
        assert driver.switch_to.active_element.text.endswith("initially")


def list_complaints(driver: Chrome) -> list[Any]:
    """Return what axe says about the page or frame that is looked at."""
    script = (resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    driver.execute_script(script)
    found: list[Any] = driver.execute_async_script(
        "axe.run().then((one) => arguments[0](one.violations.map((two) => [two.id, two.nodes[0].html])))"
    )
    return found


@pytest.mark.parametrize("width", [1440, 400])
def test_the_page_and_its_frames_can_be_read_by_all(width: int) -> None:
    with serving(LOCK) as server, browser() as driver:
        size(driver, width, 1000)
        page = Page(driver, server.url)
        page.write("watch-form", "given")
        page.press("#random")
        page.until(lambda: len(page.texts("#path > li")) > 1)
        for summary in driver.find_elements(By.CSS_SELECTOR, ".drawn summary"):
            summary.click()
        for number, drawn in enumerate(("svg", ".node")):
            driver.switch_to.frame(number)
            page.until(lambda drawn=drawn: bool(driver.find_elements(By.CSS_SELECTOR, drawn)))  # type: ignore[misc]
            assert list_complaints(driver) == []
            driver.switch_to.default_content()
        assert list_complaints(driver) == []
