"""The table of variables by steps, and the layout of the explorer, in headless Chromium."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys

from tests.support.chromium import evaluate
from tests.support.examples import bookkeeper_data_loss, kip320_first_try, run_rows
from tests.support.modules_for_pages import (
    COMMIT,
    COMMIT_CONFIG,
    JUGS,
    JUGS_CONFIG,
    commit,
    find_violation,
    jugs,
)
from tests.support.pages import needs_chromium, open_report, pause, press, texts
from verifier.outcomes.row import DOCUMENTED, Row
from verifier.report.report import Report

VARIABLES = "#verdict-1/step-0/variables"


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Row:
    return commit(tmp_path_factory.mktemp("commit"))


def wide() -> Row:
    """A trace with long names, long values, and many variables."""
    names = [f"a_variable_with_a_rather_long_name_{number}" for number in range(30)]
    states: list[dict[str, Any]] = []
    for step in range(6):
        values = {name: {"#set": [f"member {n} of {name}" for n in range(step + 1)]} for name in names}
        meta = {"action": "AnActionThatChangesEverything", "parameters": {"with": step}} if step else {}
        states.append({"#meta": meta, **values})
    trace = {"#meta": {}, "vars": names, "states": states}
    return replace(kip320_first_try(), trace=trace, drawing=None)


def click(driver: Chrome, label: str) -> None:
    driver.find_element("css selector", f".current button[aria-label='{label}']").click()


def heads(driver: Chrome) -> list[str]:
    return texts(driver, ".current .steps thead .name")


@needs_chromium
def test_without_participants_the_table_is_what_opens(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("jugs", (jugs(tmp_path),)), tmp_path)
    assert texts(driver, ".current [data-view]") == []
    assert evaluate(driver, "document.querySelectorAll('.current .diagram').length") == 0
    assert heads(driver) == ["big", "small"]
    rows = evaluate(
        driver,
        "[...document.querySelectorAll('.current .steps [data-step]')].map(r => "
        "[...r.querySelectorAll('td')].map(c => `${c.textContent}${c.matches('.changed') ? '*' : ''}`))",
    )
    assert rows == [["0", "0"], ["5*", "0"], ["2*", "3*"]]
    assert texts(driver, ".current .steps td.wrong") == ["2", "= 2"]
    press(driver, "k")
    assert texts(driver, ".current .detail h3") == ["1 · FillBig"]


@needs_chromium
def test_the_value_of_an_operator_stands_where_the_property_fails(driver: Chrome, tmp_path: Path) -> None:
    text = JUGS.replace("NeverTwo == big # 2", "Total == big + small\nNeverTwo == Total # 5")
    row = find_violation(tmp_path, "Jugs", text, JUGS_CONFIG)
    open_report(driver, Report("jugs", (row,)), tmp_path)
    assert texts(driver, ".current .failing > div") == [
        "Step 1 changes big: 0 → 5.",
        "Now Total is 5, and must not be.",
        "Earlier: small has been 0 since the start. ",
    ]
    lines = texts(driver, ".current .failing details div")
    assert [line.strip() for line in lines] == [
        "fails: Jugs.tla:11: Total # 5",
        "where Total = 5, big = 5, small = 0",
    ]
    assert texts(driver, ".current .verdict-row th small") == ["Total = 5"]
    text = COMMIT.replace(
        'NobodyCommits == \\A r \\in RM : rmState[r] # "committed"',
        'Ready == {r \\in RM : rmState[r] = "prepared"}\nNobodyCommits == Ready # RM',
    )
    open_report(
        driver, Report("commit", (find_violation(tmp_path, "Commit", text, COMMIT_CONFIG),)), tmp_path
    )
    shown = texts(driver, ".current .diagram .verdict-row .action")
    assert shown == ["✗ NobodyCommits fails", "Ready = {r1, r2}"]


@needs_chromium
def test_with_participants_the_table_is_the_second_view(
    driver: Chrome, committed: Row, tmp_path: Path
) -> None:
    open_report(driver, Report("commit", (committed,)), tmp_path)
    assert texts(driver, ".current [data-view]") == ["Lanes", "Variables"]
    assert texts(driver, ".current .lane-name") == ["r1", "r2", "shared"]
    driver.find_element("css selector", ".current [data-view='variables']").click()
    assert evaluate(driver, "location.hash").endswith("/step-3/variables")
    assert "rmState[r1]" in heads(driver)
    assert '"prepared"' in texts(driver, ".current .steps td.changed")
    press(driver, Keys.HOME)
    assert evaluate(driver, "location.hash").endswith("/step-0/variables")


@needs_chromium
def test_columns_are_folded_pinned_and_hidden(driver: Chrome, committed: Row, tmp_path: Path) -> None:
    open_report(driver, Report("commit", (committed,)), tmp_path, VARIABLES)
    click(driver, "Fold rmState")
    assert heads(driver)[0] == "rmState"
    inside = texts(driver, ".current .steps td.inside.changed div")
    assert '[r1] "working" → "prepared"' in inside
    click(driver, "Unfold rmState")
    assert heads(driver)[:2] == ["rmState[r1]", "rmState[r2]"]
    click(driver, "Pin done to the left")
    assert heads(driver)[0] == "done"
    pinned = "getComputedStyle(document.querySelector('.current .steps tbody .pinned')).position"
    assert evaluate(driver, pinned) == "sticky"
    click(driver, "Hide done")
    assert "done" not in heads(driver)
    click(driver, "Show done again")
    assert heads(driver)[0] == "done"


@needs_chromium
def test_what_fails_stands_first_where_there_are_many_columns(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (bookkeeper_data_loss(),)), tmp_path, VARIABLES)
    assert heads(driver)[:2] == ["meta_last_entry", "w1"]
    assert any(text.startswith("w1.lac = ") for text in texts(driver, ".current .verdict-row td.wrong"))


@needs_chromium
def test_a_long_value_is_unfolded_and_what_was_added_is_marked(
    driver: Chrome, committed: Row, tmp_path: Path
) -> None:
    open_report(driver, Report("commit", (committed,)), tmp_path, "#verdict-1/step-2")
    members = texts(driver, ".current .detail .members li")
    added = texts(driver, ".current .detail .members .added")
    assert len(members) == 2
    assert len(added) == 1
    assert all(member.startswith("[") and '"Prepared"' in member for member in members)


# Layout


def boxes(driver: Chrome, selector: str) -> list[dict[str, float]]:
    """The rectangles of elements, in the window."""
    script = f"[...document.querySelectorAll({selector!r})].map(e => e.getBoundingClientRect().toJSON())"
    return list(evaluate(driver, script))


@needs_chromium
@pytest.mark.parametrize("width", [1440, 400])
def test_heads_stand_on_their_lanes(width: int, driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path, width=width)
    names, lanes = boxes(driver, ".current .lane-name"), boxes(driver, ".current path.lane")
    for name, lane in zip(names, lanes, strict=True):
        assert abs(name["left"] + name["width"] / 2 - lane["left"] - lane["width"] / 2) < 1.5


@needs_chromium
@pytest.mark.parametrize("view", ["", "/variables"])
@pytest.mark.parametrize("row", [kip320_first_try, bookkeeper_data_loss])
def test_the_page_opens_on_whole_steps_with_the_culprit_in_view(
    row: Any, view: str, driver: Chrome, tmp_path: Path
) -> None:
    found = row()
    open_report(
        driver, Report("one", (found,)), tmp_path, f"#verdict-1/step-{found.steps}{view}" if view else ""
    )
    pause(driver, 200)  # until a change of the width is noticed
    (pane,) = boxes(driver, ".current .pane:not([hidden])")
    (verdict,) = boxes(driver, ".current .pane:not([hidden]) .verdict-row")
    (head,) = boxes(driver, ".current .pane:not([hidden]) :is(div.heads, thead)")
    assert head["bottom"] <= verdict["top"]
    assert verdict["bottom"] <= min(pane["bottom"], 1000) + 1
    selector = ".current .pane:not([hidden]) " + ("tr[data-step]" if view else "g.row > rect.back")
    tops = [box["top"] for box in boxes(driver, selector) if box["bottom"] > head["bottom"] + 2]
    assert min(tops) >= head["bottom"] - 2


@needs_chromium
def test_labels_are_not_cut(driver: Chrome, tmp_path: Path) -> None:
    for row in (kip320_first_try(), bookkeeper_data_loss()):
        assert row.trace is not None
        open_report(driver, Report("one", (row,)), tmp_path)
        labels = [text for text in texts(driver, ".current text.change > title") if text]
        shown = evaluate(
            driver, "[...document.querySelectorAll('.current text.change')].map(t => t.firstChild.data)"
        )
        cut = [text for text in shown if text.endswith("…")]
        assert len(labels) > 20
        assert cut == []
        actions = evaluate(
            driver, "[...document.querySelectorAll('.current g.row text.action')].map(t => t.firstChild.data)"
        )
        assert not [text for text in actions if text.endswith("…")]
        parameters = texts(driver, ".current g.row text.parameters")
        taken = sum(bool(state["#meta"].get("parameters")) for state in row.trace["states"])
        assert len(parameters) >= taken
        assert not [text for text in parameters if "…" in text]


@needs_chromium
@pytest.mark.parametrize("width", [1440, 400])
def test_long_names_leave_room_for_values(width: int, driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("wide", (wide(),)), tmp_path, width=width)
    cells = boxes(driver, ".current .detail td")
    assert min(cell["width"] for cell in cells) > 120
    assert evaluate(driver, "document.querySelector('.current .detail').scrollHeight") < 20_000
    assert evaluate(driver, "document.documentElement.scrollWidth") <= width


@needs_chromium
def test_no_page_is_wider_than_the_window(driver: Chrome, tmp_path: Path) -> None:
    induct = ("induct", "--spec", "kip320", "--property", "StrongIsr", "--lemma", "QuorumIsLastRequest")
    rows = [kip320_first_try(), bookkeeper_data_loss(), *run_rows(*induct)]
    open_report(driver, Report("three", rows), tmp_path, "#overview", width=400)
    for number, page in enumerate(("overview", "verdict-1", "verdict-2", "verdict-3")):
        driver.execute_script(f"location.hash = '#{page}'")
        pause(driver)
        titles = texts(driver, ".page.current h2")
        assert (titles == ["Overview"]) is (number == 0)
        assert evaluate(driver, "document.documentElement.scrollWidth") == 400, page


def overlaps(driver: Chrome) -> list[str]:
    """The texts of the drawing that lie over each other."""
    return list(
        evaluate(
            driver,
            """(() => {
              const boxes = [...document.querySelectorAll(".current .diagram > svg text")].map((text) => {
                const { left, right, top, bottom } = text.getBoundingClientRect();
                return { left: left + 1, right: right - 1, top: top + 3, bottom: bottom - 3, words: text };
              });
              const meet = (one, other) => one.left < other.right && other.left < one.right
                && one.top < other.bottom && other.top < one.bottom;
              return boxes.flatMap((one, index) => boxes.slice(index + 1).filter((other) => meet(one, other))
                .map((other) => `${one.words.textContent} | ${other.words.textContent}`));
            })()""",
        )
    )


@needs_chromium
@pytest.mark.parametrize("width", [1440, 400])
def test_no_label_of_an_arrow_lies_over_other_words(width: int, driver: Chrome, tmp_path: Path) -> None:
    for row in (kip320_first_try(), bookkeeper_data_loss()):
        open_report(driver, Report("one", (row,)), tmp_path, width=width)
        assert overlaps(driver) == []


@needs_chromium
def test_in_a_narrow_window_what_fails_is_in_view_and_titles_stay(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (bookkeeper_data_loss(),)), tmp_path, width=400)
    pane = "document.querySelector('.current .diagram').getBoundingClientRect()"
    box = "document.querySelector('.current {}').getBoundingClientRect()"
    scrolled = evaluate(driver, "document.querySelector('.current .diagram').scrollLeft")
    for ring in range(1, 3):
        at = f".verdict-row .ring:nth-of-type({ring})"
        assert evaluate(driver, f"{box.format(at)}.left >= {pane}.left")
        assert evaluate(driver, f"{box.format(at)}.right <= {pane}.right")
    for title in ('.row[data-step="1"] .title', ".verdict-row .title"):
        left = evaluate(driver, f"{box.format(title)}.left - {pane}.left")
        assert 0 <= left < 40, (title, left, scrolled)
    driver.execute_script("document.querySelector('.current .diagram').scrollLeft = 150")
    pause(driver)
    assert 0 <= evaluate(driver, f"{box.format('.verdict-row .title')}.left - {pane}.left") < 40


@needs_chromium
def test_long_documentation_of_an_action_is_folded_after_its_first_sentence(
    driver: Chrome, tmp_path: Path
) -> None:
    row, words = kip320_first_try(), "A leader commits a record. " + "It is long. " * 40
    action = (row.trace or {})["states"][-1]["#meta"]["action"]
    told = replace(row, statistics={**row.statistics, DOCUMENTED: {action: words}})
    open_report(driver, Report("one", (told,)), tmp_path)
    assert texts(driver, ".current .meaning summary") == ["A leader commits a record."]
    assert evaluate(driver, "document.querySelector('.current .meaning').clientHeight") < 60
    scrolls = "[...document.querySelectorAll('.current .meaning, .current .meaning *')]"
    assert evaluate(driver, f"{scrolls}.filter(e => getComputedStyle(e).overflowY === 'auto').length") == 0


@needs_chromium
@pytest.mark.parametrize("width", [1440, 400])
def test_names_and_values_break_between_their_words(width: int, driver: Chrome, tmp_path: Path) -> None:
    row = bookkeeper_data_loss()
    open_report(driver, Report("one", (row,)), tmp_path, width=width)
    broken = """(() => {
      const found = [], page = document.querySelector(".current");
      const walk = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const { data, parentElement } = walk.currentNode;
        if (parentElement.closest("svg, script, code, pre, .failing, noscript")) continue;
        for (const { 0: word, index } of data.matchAll(/[A-Za-z]{2,}/g)) {
          const range = document.createRange();
          range.setStart(walk.currentNode, index);
          range.setEnd(walk.currentNode, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) found.push(word);
        }
      }
      return found;
    })()"""
    assert evaluate(driver, broken) == []
    driver.find_element("css selector", ".current [data-view='variables']").click()
    assert evaluate(driver, broken) == []


@needs_chromium
def test_a_narrow_table_has_the_state_beside_it(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("jugs", (jugs(tmp_path),)), tmp_path)
    box = "document.querySelector('.current {}').getBoundingClientRect().{}"
    gap = f"{box.format('.detail', 'left')} - {box.format('.variables', 'right')}"
    assert 0 < evaluate(driver, gap) < 30
    inputs = """[...document.querySelectorAll(".current input[placeholder]")].map((input) => {
      const pen = document.createElement("canvas").getContext("2d");
      pen.font = getComputedStyle(input).font;
      return input.clientWidth - 16 - pen.measureText(input.placeholder).width;
    })"""
    assert min(evaluate(driver, inputs)) >= 0


EATING = """---- MODULE Eating ----
EXTENDS Naturals, FiniteSets
CONSTANT P
VARIABLES fork, hungry
Init == fork = [p \\in P |-> "free"] /\\ hungry = {}
Ask(p) == p \\notin hungry /\\ hungry' = hungry \\cup {p} /\\ UNCHANGED fork
Eat(p) == p \\in hungry /\\ hungry' = hungry \\ {p} /\\ fork' = [fork EXCEPT ![p] = "used"]
Next == \\E p \\in P : Ask(p) \\/ Eat(p)
Spec == Init /\\ [][Next]_<<fork, hungry>>
Formula == \\A p \\in P : fork[p] = "used" => Cardinality(hungry) < 2
====
"""


@needs_chromium
def test_a_set_that_lanes_share_is_shown_as_a_set(driver: Chrome, tmp_path: Path) -> None:
    """Lanes say what is added and removed, the table and the watch have the set."""
    config = "CONSTANT P = {a, b, c}\nSPECIFICATION Spec\nINVARIANT Formula\nCHECK_DEADLOCK FALSE\n"
    row = find_violation(tmp_path, "Eating", EATING, config)
    assert row.trace is not None
    open_report(driver, Report("eating", (row,)), tmp_path)
    assert heads(driver) == []  # the lanes are shown
    drawn = "[...document.querySelectorAll('.current .diagram text.change')].map(e => e.firstChild.data)"
    changes = evaluate(driver, drawn)
    words = {"Ask": "added", "Eat": "removed"}
    taken = [state["#meta"] for state in row.trace["states"][1:]]
    said = {f"hungry: {one['parameters']['p']} {words[one['action']]}" for one in taken}
    assert {words for words in changes if words.startswith("hungry: ")} == said
    assert not any("hungry[" in words for words in texts(driver, ".current .explorer *"))
    watch = driver.find_element("css selector", ".current input[title^='An expression']")
    watch.send_keys("hungry")
    pause(driver, 300)
    states = [sorted(state["hungry"]["#set"]) for state in row.trace["states"]]
    shown = texts(driver, ".current .detail .watched b")
    assert shown == [f"{{{', '.join(states[-1])}}}"]
    watch.clear()
    watch.send_keys("hungry[a]")
    pause(driver, 300)
    assert texts(driver, ".current .complaint")[-1] == "hungry is a set: write a \\in hungry"
    open_report(driver, Report("eating", (row,)), tmp_path, VARIABLES)
    assert [name for name in heads(driver) if "hungry" in name] == ["hungry"]
    at = [name.split("[")[0] for name in heads(driver)].index("hungry")
    cells = evaluate(
        driver,
        "[...document.querySelectorAll('.current .steps [data-step]')]"
        f".map(r => r.querySelectorAll('td')[{at}].textContent)",
    )
    assert cells == [f"{{{', '.join(one)}}}" for one in states]
