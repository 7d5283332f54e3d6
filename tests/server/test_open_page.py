"""``verify open`` serves a page on which one walks through the states of a specification."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.support.chromium import browser, connect, console
from tests.support.command_line import ROOT, verify
from tests.support.pages import needs_chromium
from tests.support.serving import serving
from verifier.server.web import WalkServer

LOCK = str(ROOT / "docs" / "examples" / "FencedLock.tla")


def post(url: str, content: Any, **headers: str) -> tuple[int, Any]:
    """Send a message; return the status and the answer."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    request = urllib.request.Request(f"{url}request", body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, None


def test_the_page_asks_with_its_token_alone() -> None:
    with serving(LOCK) as server:
        own = {"X-Token": server.token}
        asked = {"method": "initial_states"}
        status, answer = post(server.url, asked, **own)
        assert (status, answer["result"]["count"]) == (200, 1)
        assert post(server.url, asked)[0] == 404
        assert post(server.url, asked, **{"X-Token": "other"})[0] == 404
        assert post(server.url.replace(server.token, "other"), asked, **own)[0] == 404
        assert post(server.url, asked, **own, Host=f"example.org:{server.port}")[0] == 404


def ask(server: WalkServer, method: str, **given: Any) -> dict[str, Any]:
    """Ask as the page does; return the result."""
    answer = server.read(json.dumps({"method": method, "params": given}).encode())
    assert "error" not in answer, answer
    result: dict[str, Any] = answer["result"]
    return result


@pytest.mark.parametrize("method", ["load", "check", "conform", "follow", "close", "nothing"])
def test_the_page_may_not_read_run_or_load(method: str) -> None:
    with serving(LOCK) as server:
        given = {"method": method, "params": {"spec": "kip101", "trace": "/etc/hostname"}}
        assert server.read(json.dumps(given).encode())["error"]["kind"] == "usage"
        assert list(server.session.specs) == ["FencedLock"]


def test_a_wrong_message_is_answered() -> None:
    with serving(LOCK) as server:
        for body in (b"nonsense", b"[]", b'{"method": []}', b'{"method": "state", "params": 3}'):
            assert server.read(body)["error"]["kind"] == "usage"
        assert server.read(b'{"method": "state", "params": {"state": 99}}')["error"]["kind"] == "usage"


def test_only_the_files_of_the_page_are_served() -> None:
    with serving(LOCK) as server:
        for name, kind in (("", "text/html"), ("walk.js", "text/javascript"), ("walk.css", "text/css")):
            with urllib.request.urlopen(server.url + name, timeout=20) as answer:
                assert answer.headers["Content-Type"].startswith(kind)
                assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        for name in ("../web.py", "web.py", "walk.html/x"):
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(server.url + name, timeout=20)


def test_the_page_shares_the_scripts_of_reports() -> None:
    with serving(LOCK) as server:
        for name, part in (
            ("execution.js", "class Lanes"),
            ("states.js", "class StateGraph"),
            ("report.css", ".lane"),
        ):
            with urllib.request.urlopen(server.url + name, timeout=20) as answer:
                assert part in answer.read().decode()
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{server.url}style.css", timeout=20)


@pytest.mark.parametrize(("spec", "lanes"), [(LOCK, ["c1", "c2", "shared"]), ("rabbit-sac", ["a1", "q1"])])
def test_the_execution_is_drawn_as_in_reports(spec: str, lanes: list[str]) -> None:
    with serving(spec) as server:
        ask(server, "random_walk", steps=3, seed=1)
        ask(server, "back")
        drawn, path = ask(server, "drawing"), ask(server, "path")
        assert drawn["at"] == 2
        assert set(lanes) <= {name for name, *_ in drawn["diagram"]["lanes"]}
        actions = [action for action, *_ in drawn["diagram"]["steps"]]
        assert actions == ["", *(step["action"] for step in path["steps"])]


def test_the_graph_has_what_was_seen() -> None:
    with serving(LOCK, Client="{c1}", Leases="1") as server:
        ask(server, "initial_states")
        first = ask(server, "state")["state"]
        ask(server, "step", action="Acquire")
        seen = ask(server, "graph")
        graph, numbers = seen["graph"], seen["numbers"]
        assert (numbers[0], graph["initial"], seen["left_out"]) == (first, 1, 0)
        assert [numbers[place] for place in seen["path"]] == [first, ask(server, "state")["state"]]
        assert seen["path"] == seen["visited"] == [0, seen["current"]]
        followers = {step["state"] for step in ask(server, "successors")["steps"]}
        assert {numbers[to] for source, to, _ in graph["edges"] if source == seen["current"]} == followers
        assert set(numbers) == {*followers, *(numbers[place] for place in seen["visited"])}
        assert len(graph["states"]) == len(graph["levels"]) == len(numbers)


COUNT = """---- MODULE Count ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Small == x < 2
Any == x >= 0
====
"""


@pytest.fixture
def count_module(tmp_path: Path) -> str:
    """A module that counts, with an invariant that fails."""
    module = tmp_path / "Count.tla"
    module.write_text(COUNT)
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Small Any\n")
    return str(module)


def test_a_large_graph_is_cut_and_says_so(count_module: str) -> None:
    with serving(count_module) as server:
        ask(server, "random_walk", steps=350)
        seen = ask(server, "graph")
        assert seen["numbers"] == list(range(300))
        assert seen["left_out"] == 52
        assert seen["current"] is None
        assert seen["graph"]["levels"] == list(range(300))


def test_the_path_says_which_properties_are_not_true(count_module: str) -> None:
    with serving(count_module) as server:
        ask(server, "find_state", expression="x = 3")
        assert ask(server, "path")["not_true"] == [[], [], ["Small"], ["Small"]]


def test_a_trace_needs_its_spec() -> None:
    done = verify("open", "trace.itf.json")
    assert done.exit_code == 2
    assert "verify open SPEC --trace trace.itf.json" in done.stderr


class Page:
    """The page in a browser."""

    def __init__(self, driver: Chrome, url: str) -> None:
        self.driver = driver
        connect(driver)
        driver.get(url)
        self.until(lambda: bool(self.texts("#path li")))

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until the page shows something, and does nothing more."""
        end = time.monotonic() + 20
        while not (
            is_so() and self.driver.find_element(By.TAG_NAME, "body").get_attribute("aria-busy") is None
        ):
            assert time.monotonic() < end, self.texts("body")
            time.sleep(0.05)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of elements."""
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)"
        found: list[str] = self.driver.execute_script(script, selector)
        return found

    def press(self, selector: str, words: str = "") -> None:
        """Press the first button with these words."""
        buttons = self.driver.find_elements(By.CSS_SELECTOR, selector)
        next(one for one in buttons if words in one.text).click()

    def write(self, form: str, words: str) -> None:
        """Fill in a form, and send it."""
        self.driver.find_element(By.CSS_SELECTOR, f"#{form} input").send_keys(words)
        self.press(f"#{form} button")

    @property
    def address(self) -> str:
        """The part of the address that keeps the path."""
        return str(self.driver.current_url).partition("#")[2]


@needs_chromium
@pytest.mark.thorough
def test_one_walks_on_the_page() -> None:
    with serving(LOCK, Fencing="FALSE") as server, browser() as driver:
        page = Page(driver, server.url)
        page.press("#steps button", "Acquire(c=c2)")
        page.until(lambda: len(page.texts("#path > li")) == 2)
        assert "lease[c2]: 0 → 1" in page.texts("#path .changes")
        page.press("#disabled button", "Acquire")
        page.until(lambda: bool(page.texts("#disabled .reason")))
        assert "free is false" in page.texts("#disabled .reason")[0]
        page.write("watch-form", "given")
        page.until(lambda: bool(page.texts("#watched .changes")))
        assert page.texts("#watched .changes") == ["0 → 1"]
        page.write("find-form", "last = 2")
        page.until(lambda: len(page.texts("#path > li")) == 5)
        kept = page.address
        assert len(kept.split(".")) == 5
        page.press("#back")
        page.until(lambda: page.address != kept)
        assert page.texts("#path > li[aria-current] > button")[0].startswith("3")
        last = page.texts("#path > li > button")
        page.driver.get("about:blank")
        page.driver.get(f"{server.url}#{kept}")
        page.until(lambda: page.texts("#path > li > button") == last and page.address == kept)
        assert not [words for words in console(driver) if "favicon" not in words]


@needs_chromium
@pytest.mark.thorough
@pytest.mark.parametrize("width", [1440, 400])
def test_a_protocol_fits_the_page(width: int) -> None:
    with serving("kip320", replicas="2") as server, browser() as driver:
        size = {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": width < 500}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        page = Page(driver, server.url)
        page.press("#random")
        page.until(lambda: len(page.texts("#path > li")) > 1)
        page.press("#properties button", "StrongIsr")
        page.until(lambda: "StrongIsr is true" in page.texts("#message")[0])
        assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        page.write("find-form", "quorum.epoch == 9")
        page.until(
            lambda: "is not allowed" in page.texts("#message")[0] or "state" in page.texts("#message")[0]
        )
        assert page.texts("#message") != [""]


@needs_chromium
@pytest.mark.thorough
@pytest.mark.parametrize("width", [1440, 400])
def test_the_drawing_and_the_graph_follow_the_walk(width: int) -> None:
    with serving(LOCK, Fencing="FALSE") as server, browser() as driver:
        size = {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": width < 500}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        page = Page(driver, server.url)
        for summary in driver.find_elements(By.CSS_SELECTOR, ".drawn summary"):
            summary.click()
        page.press("#steps button", "Acquire(c=c2)")
        page.until(lambda: len(page.texts("#path > li")) == 2)

        def count(frame: int, selector: str) -> int:
            inside = "document.querySelectorAll('.drawn iframe')[arguments[0]].contentDocument"
            script = f"return {inside}.querySelectorAll(arguments[1]).length"
            found: int = driver.execute_script(script, frame, selector)
            return found

        page.until(lambda: count(0, "svg g.row[data-step]") >= 2)
        page.until(lambda: count(1, ".node:not(.ahead)") == 2 and count(1, ".edge.walked") == 1)
        assert count(1, ".node.ahead") > 0
        driver.switch_to.frame(1)
        target = driver.find_element(By.CSS_SELECTOR, ".node.ahead circle:last-child")
        target.click()
        driver.find_element(By.XPATH, "//button[text()='Go to this state']").click()
        driver.switch_to.default_content()
        page.until(lambda: len(page.address.split(".")) in (2, 3) and count(1, ".node:not(.ahead)") == 3)
        driver.switch_to.frame(0)
        driver.find_element(By.CSS_SELECTOR, 'g.row[data-step="0"] text').click()
        driver.switch_to.default_content()
        page.until(lambda: page.texts("#state-title") == ["Initial state"])
        assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        assert not [words for words in console(driver) if "favicon" not in words]
