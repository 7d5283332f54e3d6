"""The property on a page: its formula first; a comment of the source is no explanation of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.support.chromium import browser, evaluate
from tests.support.examples import run_rows
from tests.support.modules_for_pages import find_violation
from tests.support.pages import needs_chromium, open_report, press, texts
from verifier.report.properties import find_forbidden
from verifier.report.report import Report, command_of

_ROOT = Path(__file__).resolve().parents[2]
JUG = """---- MODULE Jug ----
EXTENDS Naturals
VARIABLE big
Init == big = 0
Fill == big' = big + 2
Next == big < 6 /\\ Fill
(* Remember our heroes, who are far from home. So we hope that they never get there. *)
NotSolved == big # 4
====
"""


@pytest.fixture(scope="module")
def driver() -> Iterator[Chrome]:
    with browser() as started:
        yield started


@pytest.mark.parametrize(
    ("formula", "forbidden"),
    [
        ("big # 4", "big = 4"),
        ("{<<1, 3>>, <<1, 4>>} \\notin board", "{<<1, 3>>, <<1, 4>>} \\in board"),
        ("a /= b + 1", "a = b + 1"),
        ("x ≠ 3", "x = 3"),
        ("x # 3 /\\ y # 4", ""),
        ("(x # 3)", ""),
        ("\\A p \\in P : p # q", ""),
        ("x = 3 => y # 4", ""),
        ("~(x # 3)", ""),
        ("{p \\in P : p # q}", ""),
        ("Cardinality({1, 2} \\ {n}) # 4", "Cardinality({1, 2} \\ {n}) = 4"),
        ("x <= 4", ""),
        ("", ""),
    ],
)
def test_only_a_negated_comparison_forbids_one_thing(formula: str, forbidden: str) -> None:
    assert find_forbidden(formula) == forbidden


@needs_chromium
@pytest.mark.parametrize("width", [1440, 400])
def test_the_formula_comes_first_and_the_comment_is_named_so(
    width: int, driver: Chrome, tmp_path: Path
) -> None:
    row = find_violation(tmp_path, "Jug", JUG, "INIT Init\nNEXT Next\nINVARIANT NotSolved\n")
    open_report(driver, Report("jug", (row,)), tmp_path, width=width)
    lines = [one.text for one in driver.find_elements("css selector", ".current .asked summary")]
    assert [" ".join(line.split())[:30] for line in lines] == [
        "invariant Never: big = 4", "comment in the source Remember",
    ]  # fmt: skip
    assert texts(driver, ".current .asked > p") == []
    words = "document.querySelector('.current .comment .words')"
    folded = evaluate(driver, f"{words}.getBoundingClientRect().height")
    assert folded < 26
    driver.find_element("css selector", ".current .comment summary").click()
    assert evaluate(driver, f"{words}.scrollWidth <= {words}.clientWidth + 1")
    driver.find_element("css selector", ".current .asked summary").click()
    assert "The source says big # 4" in driver.find_element("css selector", ".current .asked").text


@needs_chromium
def test_the_first_state_of_a_failed_induction_shows_what_is_to_blame(driver: Chrome, tmp_path: Path) -> None:
    spec = str(_ROOT / "docs" / "examples" / "two_phase.py")
    (row,) = run_rows("induct", spec, "--property", "Consistent", "--lemma", "TmKeepsItsWord")
    open_report(driver, Report("induct", (row,)), tmp_path)
    head = texts(driver, ".current .failing strong")[0]
    assert head.startswith("Not decided: the induction fails at ")
    assert re.search(r"From a state with rm_state\[r\d\] \w+, rm_state\[r\d\] \w+, it leads to one ", head)
    assert head.endswith(" that violates Consistent. That state may be unreachable.")
    held = texts(driver, ".current .failing > div")[0]
    assert held == "State 0 satisfies Consistent, TypeInvariant and the lemma TmKeepsItsWord."
    shown = texts(driver, ".current g.row[data-step='0'] .change")
    assert len(shown) == 2
    assert all(words.startswith("rm_state = ") for words in shown)
    assert len(texts(driver, ".current g.row[data-step='0'] .change.wrong")) == 1  # the other one changes
    assert texts(driver, ".current g.row[data-step='0'] .mark") == []
    press(driver, "g", "\ue011")  # Home
    assert texts(driver, ".current .detail h3")[0] == "0 · a state, maybe unreachable"


@needs_chromium
def test_a_telephone_shows_a_failed_induction_whole(driver: Chrome, tmp_path: Path) -> None:
    spec = str(_ROOT / "docs" / "examples" / "two_phase.py")
    (row,) = run_rows("induct", spec, "--property", "Consistent", "--lemma", "TmKeepsItsWord")
    open_report(driver, Report("induct", (row,)), tmp_path, width=400)
    head = driver.find_element("css selector", ".current .failing strong")
    assert head.text.replace("\n", " ").endswith("That state may be unreachable.")
    pane = "document.querySelector('.current .pane')"
    assert evaluate(driver, f"{pane}.scrollTop") == 0  # all of it fits
    assert driver.find_element("css selector", ".current g.row[data-step='0'] .title").is_displayed()


def test_the_command_of_a_file_names_the_file() -> None:
    spec = str(_ROOT / "docs" / "examples" / "two_phase.py")
    (row,) = run_rows("bmc", spec, "--property", "Consistent", "--depth", "2")
    assert command_of(row).startswith("verify bmc two_phase.py --set rm=3 ")


@needs_chromium
def test_a_page_says_in_which_folder_its_command_runs(driver: Chrome, tmp_path: Path) -> None:
    spec = str(_ROOT / "docs" / "examples" / "two_phase.py")
    for asked, hint in ((spec, "Run it in the folder of two_phase.py: "), ("kip320", "")):
        open_report(driver, Report("bmc", run_rows("bmc", asked, "--depth", "1")), tmp_path)
        about = driver.execute_script("return document.querySelector('.about').textContent")
        assert ("Run it in the folder of" in about) == bool(hint)
        assert hint in about
