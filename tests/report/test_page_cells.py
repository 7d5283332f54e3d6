"""Tests of the pages of a manifest: what is expected, in which job, and what surprises."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.report.test_page_hands import axe
from tests.support.chromium import console, evaluate, size
from tests.support.command_line import LOCK, verify, wrong
from tests.support.pages import current, needs_chromium, pause, texts

MANIFEST = """
[[cell]]
id = "lock"
spec = {spec}
engine = "explore"
seconds = 2.0
[cell.expect]
HolderWaitsNoMore = {{ verdict = "holds" }}
NotAllAsk = {{ verdict = "violated", steps = {steps} }}
[[cell]]
id = "lock-bmc"
spec = {spec}
depth = 3
[cell.expect]
HolderWaitsNoMore = {{ verdict = "holds", depth = 3 }}
"""


def manifest(folder: Path, steps: int = 3) -> Path:
    """A manifest that is recorded, but for the steps expected of a violation."""
    path = folder / "verify.toml"
    path.write_text(MANIFEST.format(spec=json.dumps(LOCK), steps=3))
    assert verify("ci", str(path), "--update").exit_code == 0
    path.write_text(re.sub(r"steps = \d+", f"steps = {steps}", path.read_text()))
    return path


def open_page(driver: Chrome, path: Path, width: int = 1280) -> None:
    size(driver, width, 900)
    console(driver)
    driver.get("about:blank")
    driver.get(path.as_uri())
    pause(driver, 100)
    assert console(driver) == []
    assert evaluate(driver, "document.documentElement.scrollWidth") <= width


@pytest.mark.thorough
@needs_chromium
@pytest.mark.parametrize("width", [1280, 400])
def test_a_surprise_stands_first_and_leads_to_its_execution(
    width: int, driver: Chrome, tmp_path: Path
) -> None:
    page = tmp_path / "ci.html"
    done = verify("ci", str(manifest(tmp_path, steps=4)), "--html", str(page))
    assert done.exit_code == 10
    open_page(driver, page, width)
    assert texts(driver, ".current h2")[0].startswith("✗ 1 of 2 cells are not as expected, in ")
    assert texts(driver, ".cells .surprising th") == ["✗ lock"]
    assert texts(driver, ".cells tbody th") == ["✗ lock", "lock-bmc"]
    assert texts(driver, ".cells .error") == ["VIOLATED in 3 steps; expected VIOLATED in 4 steps"]
    assert axe(driver) == []
    driver.find_element("css selector", ".cells .VIOLATED").click()
    pause(driver, 100)
    assert current(driver)[0] == 3
    assert evaluate(driver, "location.hash").startswith("#NotAllAsk")


@needs_chromium
def test_what_is_as_expected_says_so(driver: Chrome, tmp_path: Path) -> None:
    page = tmp_path / "ci.html"
    assert verify("ci", str(manifest(tmp_path)), "--html", str(page)).exit_code == 0
    open_page(driver, page)
    assert texts(driver, ".current h2")[0].startswith("✓ All 2 cells are as expected, in ")
    assert texts(driver, ".cells .error, .cells .surprising") == []
    assert texts(driver, ".cells tbody th") == ["lock", "lock-bmc"]
    assert "--html" in wrong("ci", str(tmp_path / "verify.toml"), "--update", "--html", str(page))


@needs_chromium
def test_a_matrix_shows_its_jobs_and_what_is_expected(driver: Chrome, tmp_path: Path) -> None:
    page, path = tmp_path / "matrix.html", manifest(tmp_path)
    text = re.sub(r"seconds = [\d.]+", "seconds = 2.0", path.read_text(), count=1)
    path.write_text(re.sub(r"(id = \"lock-bmc\"(?:.|\n)*?)seconds = [\d.]+\n", r"\1", text))
    done = verify("matrix", str(path), "--groups", "2", "--html", str(page))
    assert len(json.loads(done.stdout)["include"]) == 2
    open_page(driver, page)
    assert texts(driver, ".current h2") == [
        "2 cells in 2 jobs. The longest job takes 2.0 s, all jobs in sequence 4.0 s."
    ]
    assert texts(driver, ".current .note") == [
        "Of 1 cells nobody knows how long they take: --update records it."
    ]
    assert texts(driver, ".cells tbody td.number:first-child") == ["1", "2"]
    first, second = texts(driver, ".cells tbody tr")
    assert "NotAllAsk" in first
    assert "VIOLATED in 3 steps" in first
    assert "HOLDS(3)" in second
    assert evaluate(driver, "document.querySelectorAll('.cells a').length") == 0
    assert axe(driver) == []
