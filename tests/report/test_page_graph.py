"""Tests of the page that draws a small state graph."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.action_chains import ActionChains

from tests.report.test_page_hands import axe
from tests.support.chromium import console, evaluate, list_requests, size
from tests.support.command_line import LOCK, verify, wrong
from tests.support.modules_for_pages import JUGS, JUGS_CONFIG
from tests.support.pages import needs_chromium, pause, texts


def draw(path: Path, *arguments: str) -> dict[str, Any]:
    """The data of the graph that a command writes into a page."""
    done = verify("explore", *arguments, "--graph", str(path))
    assert done.exit_code in (0, 10, 12), done.output
    (text,) = re.findall(r'id="graph-data">(.*?)</script>', path.read_text(), re.DOTALL)
    return dict(json.loads(text))


def open_page(driver: Chrome, path: Path, fragment: str = "", width: int = 1280) -> None:
    size(driver, width, 900)
    console(driver)
    list_requests(driver)
    driver.get("about:blank")
    driver.get(f"{path.as_uri()}{fragment}")
    pause(driver, 100)
    assert console(driver) == []
    others = [url for url in list_requests(driver) if not url.startswith((path.as_uri(), "data:", "about:"))]
    assert others == []


def rabbit(folder: Path) -> Path:
    """A page of 181 states, two levels of which are folded."""
    path = folder / "rabbit.html"
    draw(path, "rabbit-sac", "--set", "queues=2", "--set", "apps=2")
    return path


def jugs(folder: Path) -> Path:
    """The page of a violation."""
    (folder / "Jugs.tla").write_text(JUGS)
    (folder / "Jugs.cfg").write_text(JUGS_CONFIG)
    draw(folder / "jugs.html", "--spec", str(folder / "Jugs.tla"))
    return folder / "jugs.html"


def test_the_data_has_every_state_and_step(tmp_path: Path) -> None:
    found = draw(tmp_path / "g.html", LOCK, "--property", "HolderWaitsNoMore", "--keep-going")
    done = verify("explore", LOCK, "--property", "HolderWaitsNoMore", "--keep-going", "--format", "json")
    figures = json.loads(done.stdout)["statistics"]
    assert len(found["states"]) == figures["distinct_states"] == len({tuple(s) for s in found["states"]})
    assert max(found["levels"]) == figures["depth"]
    assert found["initial"] == figures["initial_states"]
    taken = sum(counts["taken"] for counts in figures["actions"].values())
    assert len(found["edges"]) == taken
    assert found["complete"]
    for source, target, action in found["edges"]:
        assert found["levels"][target] <= found["levels"][source] + 1
        assert found["actions"][action].startswith(("Ask(", "Grant(", "Release("))
    assert [found["values"][value] for value in found["states"][0]] == ["–", "{}"]


def test_the_way_to_a_violation_is_marked(tmp_path: Path) -> None:
    found = draw(tmp_path / "g.html", LOCK, "--property", "NotAllAsk")
    (way,) = found["ways"]
    assert way["property"] == "NotAllAsk"
    assert way["states"][0] < found["initial"]
    edges = {(source, target) for source, target, _ in found["edges"]}
    assert all(pair in edges for pair in zip(way["states"], way["states"][1:], strict=False))
    last = dict(zip(found["variables"], found["states"][way["states"][-1]], strict=True))
    assert found["values"][last["asked"]] == "{c1, c2, c3}"


def test_a_part_of_all_states_says_so(tmp_path: Path) -> None:
    found = draw(tmp_path / "g.html", "rabbit-sac", "--max-states", "30")
    assert not found["complete"]
    assert "states, " in (page := (tmp_path / "g.html").read_text())
    assert "steps were looked at; there may be more</h2>" in page
    words = wrong("explore", LOCK, "--graph", str(tmp_path / "g.png"))
    assert "must end in .html, .dot, .json or .graphml" in words


@needs_chromium
def test_a_graph_is_searched_and_walked(driver: Chrome, tmp_path: Path) -> None:
    open_page(driver, jugs(tmp_path))
    nodes = evaluate(driver, "document.querySelectorAll('.graph .node').length")
    labels = texts(driver, ".graph .label")
    assert nodes == len(labels) > 3
    assert labels[0] == "big 0, small 0"
    assert texts(driver, ".current .detail small") == ["after 2 steps, NeverTwo fails here"]
    assert evaluate(driver, "document.querySelectorAll('.graph .edge.way').length") == 2
    search = driver.find_element("css selector", ".current .bar-tools input")
    search.send_keys("small = 3, fillbig")
    wanted = [label for label in labels if label.endswith("small 3")]
    assert texts(driver, ".current .count") == [f"{len(wanted)} of {nodes} states"]
    assert evaluate(driver, "document.querySelectorAll('.graph .node.found').length") == len(wanted)
    search.send_keys(Keys.ENTER)
    assert "small3" in texts(driver, ".current .detail table")[0]
    driver.execute_script("location.hash = '#graph?state=0'")
    pause(driver)
    driver.find_element("css selector", ".current .ways button").click()
    assert evaluate(driver, "location.hash") == "#graph?state=1"
    assert texts(driver, ".current .detail small") == ["after 1 step"]
    driver.find_element("css selector", ".graph .node[data-state='2'] circle").click()
    assert texts(driver, ".current .detail h3")[0].startswith("State 2")


@pytest.mark.thorough
@needs_chromium
@pytest.mark.parametrize("width", [1280, 400])
def test_large_levels_are_folded_until_they_are_opened(width: int, driver: Chrome, tmp_path: Path) -> None:
    open_page(driver, rabbit(tmp_path), width=width)
    assert texts(driver, ".graph .fold") == ["42 states ▸", "48 states ▸"]
    assert evaluate(driver, "document.querySelectorAll('.graph .node').length") == 181 - 42 - 48
    assert evaluate(driver, "document.documentElement.scrollWidth") <= width
    assert axe(driver) == []
    driver.find_element("css selector", ".graph .fold").click()
    assert texts(driver, ".graph .fold") == ["48 states ▸"]
    driver.execute_script("location.hash = '#graph?state=140'")
    pause(driver)
    shown = "document.querySelector('.graph .node.current').getBoundingClientRect()"
    pane = "document.querySelector('.graph').getBoundingClientRect()"
    assert evaluate(driver, f"{shown}.left >= {pane}.left && {shown}.right <= {pane}.right")
    assert len(texts(driver, ".graph .stuck")) == 4


@needs_chromium
def test_a_graph_is_zoomed_and_moved_by_keys(driver: Chrome, tmp_path: Path) -> None:
    open_page(driver, rabbit(tmp_path))

    def view() -> list[float]:
        words = evaluate(driver, "document.querySelector('.graph svg').getAttribute('viewBox')")
        return [float(word) for word in words.split()]

    start = view()
    driver.execute_script("document.querySelector('.graph').focus()")
    ActionChains(driver).send_keys("+").perform()
    assert view()[2] == pytest.approx(start[2] * 0.7)
    before = view()
    ActionChains(driver).send_keys(Keys.ARROW_RIGHT).perform()
    assert view()[0] > before[0]
    ActionChains(driver).send_keys("0").perform()
    assert view() == start


@pytest.mark.thorough
@needs_chromium
def test_all_of_a_graph_is_in_view_on_a_telephone(driver: Chrome, tmp_path: Path) -> None:
    open_page(driver, rabbit(tmp_path), width=400)
    left, right = evaluate(
        driver, "(r => [r.left, r.right])(document.querySelector('.graph').getBoundingClientRect())"
    )
    drawn = "[...document.querySelectorAll('.graph .node, .graph .level, .graph .fold')]"
    boxes = evaluate(driver, f"{drawn}.map(e => (r => [r.left, r.right])(e.getBoundingClientRect()))")
    assert len(boxes) > 80
    assert all(left <= start and end <= right for start, end in boxes)
    assert texts(driver, ".graph .level") == [str(level) for level in range(9)]
    heights = evaluate(
        driver, "[...document.querySelectorAll('.graph .level')].map(e => e.getBoundingClientRect().height)"
    )
    assert min(heights) >= 10
