"""The HTML report in headless Chromium, offline: explorer, links, colours, and text that stays text."""

from __future__ import annotations

import hashlib
import html
import json
import re
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys

from tests.support.chromium import console, evaluate, prefer
from tests.support.examples import bookkeeper_data_loss, grid, kip320_first_try, run_rows
from tests.support.pages import current, needs_chromium, open_report, pause, press, texts
from tests.support.reporting import HOSTILE, every_verdict, hostile_spec
from tests.support.sampling import some_of
from verifier.report.page import as_html
from verifier.report.report import Report
from verifier.report.verdict_page import embed
from verifier.verdict import VerdictKind


@needs_chromium
def test_a_trace_opens_at_its_violation_and_is_stepped_by_keys(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    assert row.steps is not None
    open_report(driver, Report("one", (row,)), tmp_path)
    last, title, changes = current(driver)
    assert last == row.steps
    assert title.startswith(f"{row.steps} · ")
    press(driver, "k")
    before = current(driver)
    assert before[0] == row.steps - 1
    assert before[1:] != (title, changes)
    press(driver, Keys.HOME)
    assert current(driver)[:2] == (0, "0 · initially")
    press(driver, "j", Keys.ARROW_DOWN, "j", "k")
    assert current(driver)[0] == 2
    assert evaluate(driver, "location.hash") == "#StrongIsr/step-2"
    press(driver, Keys.END)
    assert current(driver) == (last, title, changes)
    press(driver, "j")
    assert current(driver)[0] == last
    assert console(driver) == []


@needs_chromium
def test_a_loop_is_drawn_as_a_loop(driver: Chrome, tmp_path: Path) -> None:
    rabbit = ("--spec", "rabbit-sac", "--set", "queues=2", "--set", "apps=2", "--engine", "explicit")
    around, stutters = (run_rows("live", *rabbit, "--fairness", name)[0] for name in ("spec", "none"))
    assert around.trace is not None
    start, last = around.trace["loop"], len(around.trace["states"])
    open_report(driver, Report("one", (around,)), tmp_path)
    step, title, _ = current(driver)
    assert step == last
    assert title.startswith(f"{last} · Release")
    assert title.endswith(f"; leads back to state {start}")
    rows = "[...document.querySelectorAll('.row.round')].map(row => Number(row.dataset.step))"
    assert set(evaluate(driver, rows)) == set(range(start + 1, last + 1))
    edge = "document.querySelector('.back-edge .edge').getBoundingClientRect()"
    of_row = "document.querySelector(`.row[data-step='{}'] .number`).getBoundingClientRect()"
    for side, number in (("top", start), ("bottom", last)):
        offset = evaluate(driver, f"{edge}.{side} - {of_row.format(number)}.top")
        assert 0 <= offset <= 16, (side, offset)
    open_report(driver, Report("one", (stutters,)), tmp_path)
    assert current(driver)[1] == "1 · nothing changes from here onleads back to state 0"
    assert evaluate(driver, "document.querySelectorAll('.mark').length") == 0


@pytest.mark.thorough
@needs_chromium
def test_steps_are_reached_by_click_and_by_link(driver: Chrome, tmp_path: Path) -> None:
    open_report(
        driver, Report("two", (kip320_first_try(), bookkeeper_data_loss())), tmp_path, "#verdict-2/step-4"
    )
    assert current(driver)[0] == 4
    assert "bookkeeper-4-13" in evaluate(driver, "document.querySelector('.page.current h2').textContent")
    driver.find_element("css selector", ".page.current g.row[data-step='3']").click()
    assert current(driver)[0] == 3
    driver.find_element("css selector", ".page.current button[title^='Next']").click()
    assert current(driver)[0] == 4
    driver.execute_script("location.hash = '#verdict-1/step-5'")
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert current(driver)[0] == 5
    assert "kip320-first-try" in evaluate(driver, "document.querySelector('.page.current h2').textContent")
    driver.execute_script("location.hash = '#overview'")
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert evaluate(driver, "document.querySelectorAll('.page.current .cell').length") == 2


@needs_chromium
def test_diagram_has_the_lanes_the_messages_and_the_violation(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (bookkeeper_data_loss(),)), tmp_path)
    lanes = evaluate(driver, "[...document.querySelectorAll('.lane-name')].map(e => e.textContent)")
    assert lanes == ["metadata", "w1", "b1", "b2", "b3", "w2"]
    assert evaluate(driver, "document.querySelectorAll('.arrow').length") > 10
    wrong = evaluate(driver, "document.querySelector('.verdict-row').textContent")
    assert "meta_last_entry" in wrong
    assert "w1.lac" in wrong
    assert evaluate(driver, "document.querySelectorAll('.ring').length") == 2
    since = evaluate(driver, "[...document.querySelectorAll('.detail .wrong')].map(e => e.textContent)")
    assert any(text.startswith("lac1 since step ") for text in since)


@needs_chromium
def test_variables_are_filtered_and_there_is_a_table(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    everything = evaluate(driver, "document.querySelectorAll('.detail tr').length")
    driver.find_element("css selector", ".bar-tools input").send_keys("log")
    shown = evaluate(driver, "document.querySelectorAll('.detail tr').length")
    assert 0 < shown < everything
    places = evaluate(driver, "[...document.querySelectorAll('g.row .change title')].map(e => e.textContent)")
    assert places
    assert all("log" in place for place in places)
    driver.find_element("css selector", ".fallback summary").click()
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    rows = evaluate(driver, "document.querySelectorAll('.fallback tbody tr').length")
    assert rows == (kip320_first_try().steps or 0) + 1
    unnamed = evaluate(
        driver, "[...document.querySelectorAll('button')].filter(b => !(b.ariaLabel || b.textContent)).length"
    )
    assert unnamed == 0


@needs_chromium
def test_words_of_a_trace_stay_words(driver: Chrome, tmp_path: Path) -> None:
    (row,) = run_rows("bmc", str(hostile_spec(tmp_path)), "--property", "SomebodyIsSpared", "--depth", "4")
    report = Report(HOSTILE, (row, replace(row, reason=HOSTILE, property_name=HOSTILE)), (HOSTILE,))
    for page in ("#overview", "#verdict-1", "#verdict-2"):
        open_report(driver, report, tmp_path, page)
        assert driver.title.endswith(HOSTILE)
        assert evaluate(driver, "document.querySelectorAll('script:not([type])').length") == 2
        assert evaluate(driver, "document.querySelectorAll('b').length") == 0
    assert json.dumps(HOSTILE) in evaluate(
        driver, "document.querySelector('.page.current .detail').textContent"
    )


def everywhere(word: str) -> Report:
    """A report in which all that a file can say is one word, also the names of constants and of engines."""
    fields = ("spec", "property_name", "engine", "solver", "solver_version", "spec_hash", "tool_version")
    more = ("reason", "error", "host", "started_at", "job_id", "run_id")
    words: dict[str, Any] = dict.fromkeys((*fields, *more), word)
    rows = []
    for number, row in enumerate([*every_verdict(), *every_verdict()]):
        counts = {"levels": [1, 2], "actions": {word: {word: 1}}, "never_enabled": [word], "note": word}
        lemma = {"name": word, "says": word, "why": word}
        obligation = {"at": word, "formula": word, "holds": True, "seconds": 0.1}
        proof = {
            "found_by": word,
            "rechecked_by": word,
            "lemmas": [word],
            "lemma_texts": [lemma],
            "invariant": [word],
            "obligations": [obligation],
        }
        rows.append(
            replace(
                row,
                constants={word: number, "plain": number},
                depth=number,
                seconds=2.0,  # shorter runs are not plotted
                options={word: word},
                statistics={**counts, "searches": {word: {word: 1}}},
                proof=proof,
                **words,
            )
        )
    return Report(word, rows, (word,))


INJECTED = (
    """a" onload="document.title='broken'//" onmouseover="document.title='broken'//""",
    """'><img src=x onerror="document.title='broken'"><svg onload="document.title='broken'">""",
    """</title></style></script></svg><script>document.title='broken'</script>""",
    """--><style>body { display: none }</style><iframe srcdoc="<script>top.document.title=1</script>">""",
    """a" style="fill: none; } body { display: none } x {" href="javascript:document.title='broken'""",
    """{{ 7 * 7 }}${x}$ _a &quot; onload=&quot;document.title='broken'""",
)


@needs_chromium
@pytest.mark.parametrize("word", some_of(INJECTED, every=6))
def test_no_word_becomes_an_attribute_or_an_element(word: str, driver: Chrome, tmp_path: Path) -> None:
    report = everywhere(word)
    for page in ("#overview", "#verdict-4"):
        open_report(driver, report, tmp_path, page)  # the policy would complain of styles and scripts
        assert driver.title.endswith(word)
        names = "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
        # The policy ignores styles in the text; our own script sets some. A word would bring "display".
        assert set(evaluate(driver, f"{names}.filter(n => /^on|style/.test(n))")) <= {"style"}
        assert not evaluate(driver, "document.querySelectorAll('[style*=display], [style*=fill]').length")
        assert evaluate(driver, "document.querySelectorAll('iframe, img, style ~ style').length") == 0
        assert evaluate(driver, "document.querySelectorAll('script:not([type])').length") == 2
        assert evaluate(driver, "getComputedStyle(document.body).display") == "block"
    open_report(driver, report, tmp_path)
    label = evaluate(driver, "document.querySelectorAll('.plots svg')[1].getAttribute('aria-label')")
    assert label.startswith(f"Time against {word}")
    assert word in evaluate(driver, "document.querySelectorAll('.plots svg')[1].textContent")


@needs_chromium
@pytest.mark.parametrize(
    "injected",
    [
        "<script>document.title='broken'</script>",
        "<svg onload=\"document.title='broken'\"></svg>",
        "<img src='data:,' onerror=\"document.title='broken'\">",
        "<iframe srcdoc=\"<script>top.document.title='broken'</script>\"></iframe>",
        "<script src='data:text/javascript,document.title=1'></script>",
        "<base href='https://example.org/'><style>body { display: none }</style>",
        "<link rel='stylesheet' href='data:text/css,body{display:none}'><p style='position: fixed'></p>",
    ],
)
def test_what_gets_into_the_page_all_the_same_does_not_run(
    injected: str, driver: Chrome, tmp_path: Path
) -> None:
    page = as_html(Report("fine", (kip320_first_try(),)))
    path = tmp_path / "report.html"
    path.write_text(page.replace('<header class="top">', f'{injected}<header class="top">', 1))
    console(driver)
    driver.get("about:blank")
    driver.get(path.as_uri())
    driver.execute_async_script("setTimeout(arguments[0], 100)")
    assert driver.title.endswith("· fine")
    assert evaluate(driver, "getComputedStyle(document.body).display") == "block"
    assert current(driver)[0] == kip320_first_try().steps
    assert any("Content Security Policy" in line for line in console(driver))


def test_marks_that_no_cell_has_are_not_explained() -> None:
    page = as_html(grid(40, 2))
    legend = page.partition('class="legend">')[2].partition("</p>")[0]
    assert "<b>■</b> is proved for all depths" in legend
    assert "<b>✗ 11</b> is violated after 11 steps" in legend
    assert "holds" not in legend


def test_the_policy_allows_our_own_scripts_and_styles_alone() -> None:
    page = as_html(grid(40, 2))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert "unsafe" not in policy
    parts = dict(part.split(" ", 1) for part in html.unescape(policy).split("; "))
    assert parts["default-src"] == "'none'"
    for name, kind in (("script", "script-src"), ("style", "style-src")):
        bodies = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        hashes = [b64encode(hashlib.sha256(body.encode()).digest()).decode() for body in bodies]
        assert parts[kind].split() == [f"'sha256-{digest}'" for digest in hashes]
    assert " style=" not in page


@pytest.mark.thorough
@needs_chromium
def test_bars_and_plots_look_as_they_should(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, grid(100, 2), tmp_path)
    shares = (
        "[...document.querySelectorAll('.cell')].map(e => parseFloat(getComputedStyle(e, '::after').width)"
        " / e.clientWidth)"
    )
    found = evaluate(driver, shares)
    assert min(found) < 0.1
    assert max(found) > 0.9
    strokes = (
        "[...new Set([...document.querySelectorAll('.plots path')].map(e => getComputedStyle(e).stroke))]"
    )
    assert len(evaluate(driver, strokes)) >= 5
    sizes = "[...document.querySelectorAll('.plots text')].map(e => getComputedStyle(e).fontSize)"
    assert set(evaluate(driver, sizes)) == {"9px", "10px"}


@needs_chromium
def test_both_colour_schemes_and_the_switch_between(driver: Chrome, tmp_path: Path) -> None:
    def lightness() -> Any:
        colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
        return [sum(map(int, text[4:-1].split(","))) for text in evaluate(driver, colours)]

    prefer(driver, "dark")
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path)
    background, text = lightness()
    assert background < 150 < 500 < text
    switch = driver.find_element("id", "theme")
    switch.click()
    background, text = lightness()
    assert background > 700 > 150 > text
    switch.click()
    prefer(driver, "dark", "print")
    background, text = lightness()
    assert background > 700 > 150 > text
    prefer(driver, "dark")
    switch.click()
    prefer(driver, "light")
    background, text = lightness()
    assert background > 700 > 150 > text


@pytest.mark.thorough
@needs_chromium
def test_every_kind_of_verdict_has_its_page(driver: Chrome, tmp_path: Path) -> None:
    rows = every_verdict()
    rows += run_rows("explore", "--spec", "rabbit-sac", "--set", "queues=2", "--set", "apps=2")
    rows += run_rows("induct", "--spec", "kip320", "--property", "StrongIsr", "--set", "log_size=1")
    rows += run_rows(
        "induct", "--spec", "kip320", "--property", "StrongIsr", "--lemma", "QuorumIsLastRequest"
    )
    assert rows[-1].verdict is VerdictKind.NOT_INDUCTIVE
    of_two = ("--spec", "kip320", "--property", "WeakIsr", "--set", "replicas=2")
    rows += run_rows("prove", *of_two, "--no-lemmas", "--engine", "ic3")
    open_report(driver, Report("every", rows), tmp_path)
    assert evaluate(driver, "document.querySelectorAll('#list tbody tr').length") == len(rows)
    for number in range(1, len(rows) + 1):
        driver.execute_script(f"location.hash = '#verdict-{number}'")
        driver.execute_async_script("setTimeout(arguments[0], 20)")
        assert evaluate(driver, "document.querySelector('.page.current h2').id") == f"title-{number}"
        about = evaluate(driver, "document.querySelector('.page.current .about').textContent")
        assert rows[number - 1].spec_hash in about
    for table in (".coverage", ".levels", ".obligations"):
        assert evaluate(driver, f"document.querySelectorAll('{table} tbody tr').length") > 1
    assert evaluate(driver, "document.querySelectorAll('.invariant li').length") > 1
    unproved = 1 + next(
        n for n, row in enumerate(rows) if row.verdict is VerdictKind.NOT_INDUCTIVE and row.trace
    )
    driver.execute_script(f"location.hash = '#verdict-{unproved}/step-0'")
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert current(driver)[:2] == (0, "0 · a state, maybe unreachable")
    driver.execute_script("location.hash = '#overview'")
    driver.find_element("id", "find").send_keys("timeout")
    assert evaluate(driver, "document.querySelectorAll('#list tbody tr').length") == 1
    assert console(driver) == []


@pytest.mark.thorough
@needs_chromium
def test_five_hundred_jobs_open(driver: Chrome, tmp_path: Path) -> None:
    """That it is quick enough is for the benchmark to say."""
    open_report(driver, grid(500, 50), tmp_path)
    assert texts(driver, "#found") == ["500 of 500"]
    assert (tmp_path / "report.html").stat().st_size < 15_000_000
    driver.find_element("css selector", "#list a.VIOLATED").click()
    pause(driver, 300)
    assert evaluate(driver, "document.querySelectorAll('.page.current g.row').length") > 0


@needs_chromium
def test_four_hundred_steps_are_drawn(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    assert row.trace is not None
    states = list(row.trace["states"])
    long = {**row.trace, "states": [*states, *(states[1:] * 40)[: 400 - len(states) + 1]]}
    open_report(driver, Report("long", (replace(row, trace=long, steps=400),)), tmp_path)
    assert current(driver)[0] == 400
    press(driver, Keys.HOME, "j")
    assert current(driver)[0] == 1


def test_json_in_the_page_cannot_end_its_element() -> None:
    text = str(embed({"a": f"{HOSTILE}\u2028<!--"}))
    assert not set("<>&\u2028") & set(text)


def test_lanes_without_any_data_are_no_error() -> None:
    """A trace of another tool names neither actions nor how it is drawn."""
    row = kip320_first_try()
    trace = {"vars": ["x"], "states": [{"x": 0}, {"x": {"#bigint": "1"}}, {"x": {"#tup": [1, "a"]}}]}
    page = as_html(Report("foreign", (replace(row, trace=trace, drawing=None),)))
    assert "shared" in page
