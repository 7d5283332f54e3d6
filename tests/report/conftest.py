"""One browser for all tests of pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome

from tests.support.chromium import browser, forget


@pytest.fixture(scope="package")
def started() -> Iterator[Chrome]:
    """The browser. It ends with the last test of this folder, since other tests count child processes."""
    with browser() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def driver(started: Chrome) -> Chrome:
    """The browser as it was when it started."""
    forget(started)
    return started
