"""Headless Chromium for the tests of reports, if it is installed."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """A browser without network and with a profile of its own."""
    assert BROWSER is not None
    assert DRIVER is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = BROWSER
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        try:
            driver.execute_cdp_cmd("Network.enable", {})
            offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
            driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
            yield driver
        finally:
            driver.quit()


def connect(driver: webdriver.Chrome) -> None:
    """Let the browser reach a server on this machine."""
    online = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", online)


def forget(driver: webdriver.Chrome) -> None:
    """Forget the pages, what they stored, their size, and what they prefer."""
    driver.get("about:blank")
    for command in ("Emulation.clearDeviceMetricsOverride", "Network.clearBrowserCache"):
        driver.execute_cdp_cmd(command, {})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "all"})
    console(driver)
    list_requests(driver)


def console(driver: webdriver.Chrome) -> list[str]:
    """Return the browser's complaints since the last call."""
    return [str(entry["message"]) for entry in _log(driver, "browser")]


def _log(driver: webdriver.Chrome, kind: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = driver.get_log(kind)  # type: ignore[no-untyped-call]
    return entries


def list_requests(driver: webdriver.Chrome) -> list[str]:
    """The addresses asked for since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in _log(driver, "performance")]
    sent = [message for message in messages if message["method"] == "Network.requestWillBeSent"]
    return [str(message["params"]["request"]["url"]) for message in sent]


def size(driver: webdriver.Chrome, width: int, height: int) -> None:
    """Makes the page so wide and high, in CSS pixels."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def prefer(driver: webdriver.Chrome, scheme: str, media: str = "screen") -> None:
    """Makes the system prefer ``light`` or ``dark``, on the screen or in ``print``."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})


def evaluate(driver: webdriver.Chrome, expression: str) -> Any:
    """The value of a JavaScript expression in the page."""
    return driver.execute_script(f"return {expression};")


def screenshot(driver: webdriver.Chrome, path: Path) -> None:
    """Keeps what the page looks like, as PNG of 256 colours, which is a third of the size."""
    picture = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
