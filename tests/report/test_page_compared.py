"""Tests of watched expressions, of two executions side by side, and of columns and lanes that move."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium.webdriver import Chrome, Keys

from tests.support.chromium import console, evaluate
from tests.support.examples import bookkeeper_data_loss, grid, kip320_first_try, rabbit_lasso
from tests.support.modules_for_pages import commit
from tests.support.pages import current, needs_chromium, open_report, press, texts
from verifier.outcomes.row import Row
from verifier.report.labels import labels_of
from verifier.report.page import as_html
from verifier.report.report import Report
from verifier.verdict import VerdictKind


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Row:
    return commit(tmp_path_factory.mktemp("commit"))


# Watched expressions

KIP_VALUES = "new Watch(new Trace(JSON.parse(document.getElementById('trace-1').textContent)), arguments[0])"


def watch(driver: Chrome, words: str) -> list[str]:
    """The value of an expression in each state, or what is wrong with it."""
    script = f"try {{ return {KIP_VALUES}.values; }} catch (error) {{ return [error.message]; }}"
    return list(driver.execute_script(script, words))


@needs_chromium
def test_expressions_have_the_values_of_the_states(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    assert row.trace is not None
    open_report(driver, Report("one", (row,)), tmp_path)
    states = row.trace["states"]
    lengths = [len(dict(state["log"]["#map"])["r2"]) for state in states]
    epochs = [state["next_leader_epoch"] for state in states]
    assert len(set(lengths)) > 1
    assert watch(driver, "length(log[r2])") == [str(length) for length in lengths]
    expected = [str(length > 0 and epoch >= 2).lower() for length, epoch in zip(lengths, epochs, strict=True)]
    assert len(set(expected)) == 2
    for words in (
        "length(log[r2]) > 0 and next_leader_epoch >= 2",
        "~(Len(log[r2]) <= 0 \\/ next_leader_epoch < 2)",
        "len(log[r2]) != 0 && 1 + 1 <= next_leader_epoch",
    ):
        assert watch(driver, words) == expected, words
    members = dict(states[-1]["replica"]["#map"])["r1"]["isr"]["#set"]
    for name in ("r1", "r2", "r3"):
        assert watch(driver, f"{name} in replica[r1].isr")[-1] == str(name in members).lower()
    assert watch(driver, "replica[r1].isr = {}")[0] == "true"
    assert watch(driver, "quorum.leader = r1")[0] == "–"  # there is none
    for words in ("{1,2} = {2,1,1}", "Cardinality({1, 1}) = 1", "01 = 1", "{007} = {7}", "<<1, 1>> # <<1>>"):
        assert watch(driver, words) == ["true"] * len(states), words
    nested = f"{'(' * 400}length(log[r2]) = 0{')' * 400}"
    assert watch(driver, nested) == [str(length == 0).lower() for length in lengths]
    assert watch(driver, f"{'(' * 100_000}1{')' * 100_000}") == ["too deeply nested"]
    logs = [dict(state["log"]["#map"]) for state in states]
    assert watch(driver, "length(log)") == ["3"] * len(states)  # shown lane by lane, read as a whole
    whole = watch(driver, "log")
    assert [text.startswith("(r1: ⟨") and "r3: ⟨" in text for text in whole] == [True] * len(states)
    assert len(set(whole)) == len({str(log) for log in logs})
    assert watch(driver, "log = log") == ["true"] * len(states)


@needs_chromium
@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("log[r9]", "the state has no part log[r9]; it has log[r1], log[r2], log[r3]"),
        ("log[r1", "a bracket is not closed"),
        ("1 +", "something is missing at the end"),
        ("= 1", "something is missing before “=”"),
        ("1 ; 2", "cannot read “; 2”: known are + = # < <= > >= \\in, and, or, not, length(…)"),
        (
            "log[r1] = {}",
            "a sequence is compared with a set: write ⟨…⟩ or […] for a sequence, and {…} for a set",
        ),
        ("log[r1][0].nothing", "no state has a part log[r1][0].nothing; there are .id, .epoch"),
        ("next_leader_epoch[0]", "next_leader_epoch has no parts"),
        ("lgo[r1] = 1", "nothing here is called lgo; did you mean log?"),
        ("quorum.leader = r11", "nothing here is called r11; did you mean r1?"),
        ("r1 in {r2, rr3}", "nothing here is called rr3; did you mean r3?"),
    ],
)
def test_what_cannot_be_read_is_said(words: str, wrong: str, driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path, f"#StrongIsr?watch={quote(words)}")
    assert texts(driver, ".complaint") == [wrong]
    assert texts(driver, ".current p.watched") == []
    assert console(driver) == []


@needs_chromium
def test_values_of_modules_are_watched_as_modules_write_them(
    driver: Chrome, committed: Row, tmp_path: Path
) -> None:
    open_report(driver, Report("commit", (committed,)), tmp_path)
    assert watch(driver, 'rmState[r1] = "working"')[0] == "true"
    assert watch(driver, "Cardinality(msgs)") == ["0", "1", "2", "2"]
    assert watch(driver, '[type |-> "Prepared", rm |-> r1] \\in msgs')[-1] == "true"
    assert watch(driver, 'msgs = {[rm |-> r2, type |-> "Prepared"]}')[-1] == "false"
    assert watch(driver, 'rmState[r1] # "working" /\\ {2, 1} = {1, 2}')[0] == "false"
    assert watch(driver, '1 = "1"') == ["false"] * 4
    assert watch(driver, 'rmState[r1] = "wrking"')[0] == "false"  # a text in quotes may be any
    assert watch(driver, "rmState[r1] = working") == [
        'nothing here is called working; did you mean "working"?'
    ]
    assert watch(driver, "rmState")[0] == '(r1 :> "working" @@ r2 :> "working")'
    assert watch(driver, "rmState # rmState") == ["false"] * 4
    assert watch(driver, "round = <<0, 1>>") == ["false"] * 4
    assert watch(driver, "done \\/ Cardinality(msgs) # 2") == ["true", "true", "false", "true"]


@needs_chromium
def test_a_watched_expression_is_a_column_and_stands_in_the_address(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("one", (kip320_first_try(),)), tmp_path, "#StrongIsr/step-3/variables")
    driver.find_element("css selector", ".bar-tools input[placeholder$='= …']").send_keys(
        "length(log[r2]) = 0"
    )
    assert (
        evaluate(driver, "new URLSearchParams(location.hash.split('?')[1]).get('watch')")
        == "length(log[r2]) = 0"
    )
    cells = texts(driver, ".current .steps [data-step] td.watched")
    assert cells == watch(driver, "length(log[r2]) = 0")
    changed = texts(driver, ".current .steps td.watched.changed")
    assert len(changed) == sum(one != other for one, other in itertools.pairwise(cells)) > 0
    assert texts(driver, ".current p.watched b") == [cells[3]]
    driver.refresh()
    assert texts(driver, ".current .steps [data-step] td.watched") == cells


@needs_chromium
def test_a_step_says_what_its_action_demands_and_where_it_is_written(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    assert row.trace is not None
    step = next(n for n, s in enumerate(row.trace["states"]) if s["#meta"].get("action") == "BecomeLeader")
    open_report(driver, Report("one", (row,)), tmp_path, f"#StrongIsr/step-{step}")
    assert texts(driver, ".current .demands summary")[0].startswith(
        "The action demands (replication.py, line "
    )
    epoch = row.trace["states"][step]["#meta"]["parameters"]["epoch"]
    first, second = texts(driver, ".current .demands li")
    assert first.startswith(f"requests[{epoch}].leader = ")
    assert second.endswith("].epoch = -1")
    press(driver, Keys.HOME)
    assert texts(driver, ".current .demands") == []


# Two executions side by side


def shorter() -> Row:
    """The execution without its last two steps, and with another value from the fourth state on."""
    row = kip320_first_try()
    assert row.trace is not None
    states = [dict(state) for state in row.trace["states"][:-2]]
    for state in states[4:]:
        state["next_record_id"] = 7
    return replace(row, property_name="Other", trace={**row.trace, "states": states}, steps=len(states) - 1)


@needs_chromium
def test_two_executions_are_aligned_and_the_first_difference_is_marked(
    driver: Chrome, tmp_path: Path
) -> None:
    row, other = kip320_first_try(), shorter()
    assert row.steps is not None
    open_report(driver, Report("two", (row, other)), tmp_path, "#StrongIsr")
    driver.find_element("css selector", ".current [data-view='beside']").click()
    between = texts(driver, ".current .beside tbody .between")
    assert between[:4] == ["the same state"] * 4
    assert between[4].startswith("next_record_id: ")
    assert between[4].endswith(" | 7")
    assert between[-2:] == ["only at the left"] * 2
    assert len(between) == row.steps + 1
    assert evaluate(driver, "document.querySelector('.current tr.first').dataset.step") == "4"
    assert evaluate(driver, "location.hash") == "#StrongIsr/step-4/beside"
    press(driver, "j")
    assert evaluate(driver, "document.querySelector('.current .beside tr.current').dataset.step") == "5"
    driver.execute_script(
        "document.querySelectorAll('.current .beside tbody tr')[6].querySelectorAll('a')[1].click()"
    )
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert evaluate(driver, "document.querySelector('.page.current').id") == "Other"
    assert current(driver)[0] == 6
    assert console(driver) == []


@needs_chromium
def test_executions_of_other_protocols_have_steps_of_their_own(driver: Chrome, tmp_path: Path) -> None:
    rows = (kip320_first_try(), bookkeeper_data_loss())
    open_report(driver, Report("two", rows), tmp_path, "#StrongIsr/step-0/beside")
    assert texts(driver, ".current .beside select option") == [
        "✗ NoDivergenceBetweenWriterAndMetaData VIOLATED · bookkeeper-4-13"
    ]
    lines = len(texts(driver, ".current .beside tbody tr"))
    assert lines == 1 + (rows[0].steps or 0) + (rows[1].steps or 0)
    open_report(driver, Report("one", rows[:1]), tmp_path)
    assert texts(driver, ".current [data-view]") == ["Lanes", "Variables"]


# Order


@needs_chromium
def test_columns_and_lanes_are_moved(driver: Chrome, committed: Row, tmp_path: Path) -> None:
    open_report(driver, Report("commit", (committed,)), tmp_path, "#NobodyCommits/step-0/variables")
    heads = "[...document.querySelectorAll('.current thead [data-variable]')]"
    names = f"[...new Set({heads}.map(h => h.dataset.variable))]"
    assert evaluate(driver, names) == ["rmState", "msgs", "round", "done"]
    driver.find_element("css selector", "[aria-label='Move done to the left']").click()
    assert evaluate(driver, names) == ["rmState", "msgs", "done", "round"]
    driver.find_element("css selector", "[aria-label='Move rmState to the left']").click()
    assert evaluate(driver, names) == ["rmState", "msgs", "done", "round"]
    open_report(driver, Report("commit", (committed,)), tmp_path)
    driver.find_element("css selector", ".chooser summary").click()
    driver.find_element("css selector", "[aria-label='Move RM r2 to the left']").click()
    assert texts(driver, ".current .lane-name") == ["r2", "r1", "shared"]
    assert texts(driver, ".chooser label") == [" RM r2", " RM r1", " shared"]
    places = "[...document.querySelectorAll('.current .lane-name')].map(h => Number(h.getAttribute('x')))"
    assert evaluate(driver, places) == sorted(evaluate(driver, places))


# What was asked of one protocol


def ask_twice() -> tuple[Row, Row]:
    row = kip320_first_try()
    other = replace(
        row, property_name="Other", verdict=VerdictKind.PROVED, trace=None, steps=None, statistics={}
    )
    return other, row


@needs_chromium
def test_the_overview_of_one_protocol_says_what_was_asked(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("two", ask_twice()), tmp_path, "#overview")
    first, second = texts(driver, ".current .answers tr")  # the worst comes first
    for words in ("VIOLATED in ", "StrongIsr", "no election loses it", "∀ leader", "For leader ="):
        assert words in first
    assert second.split()[:2] == ["■", "PROVED"]
    assert "No execution of any length violates it" in second
    assert evaluate(driver, "document.querySelectorAll('.grid').length") == 0
    driver.find_element("css selector", ".answers .asks").click()
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert texts(driver, ".current nav .chip") == ["■ Other", "✗ StrongIsr"]
    assert texts(driver, ".current nav [aria-current]") == ["✗ StrongIsr"]
    driver.execute_script("location.hash = '#overview?verdict=PROVED'")
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert texts(driver, "#found") == ["1 of 2"]
    assert evaluate(driver, "document.querySelector('#list').closest('details').open")


def test_many_verdicts_or_several_protocols_are_grids() -> None:
    page = as_html(grid(20, 2))
    assert 'class="answers"' not in page
    assert 'class="grid' in page
    assert 'class="answers"' in as_html(Report("two", ask_twice()))


# Labels, and what is copied


def test_two_runs_of_one_module_have_labels_that_tell_them_apart() -> None:
    row = kip320_first_try()
    other = replace(row, run_id="another", options={**row.options, "steps": "serial"})
    smaller = replace(row, constants={**row.constants, "replicas": 2})
    assert labels_of(Report("one", (row,))) == ["StrongIsr"]
    assert labels_of(Report("constants", (row, smaller))) == [
        "StrongIsr · replicas=3",
        "StrongIsr · replicas=2",
    ]
    files = Report("files", (row, row), sources=("first.json", "second.json"))
    assert labels_of(files) == ["StrongIsr · first.json", "StrongIsr · second.json"]
    one, two = labels_of(Report("options", (row, other)))
    assert "steps=" in one
    assert two == "StrongIsr · steps=serial"
    assert labels_of(Report("alike", (row, row))) == ["StrongIsr (1)", "StrongIsr (2)"]


@needs_chromium
def test_the_choice_of_the_other_execution_says_what_differs(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    open_report(driver, Report("runs", (row, row), sources=("first.json", "second.json")), tmp_path)
    driver.find_element("css selector", ".current button[data-view='beside']").click()
    assert texts(driver, ".current .choice option") == [
        "✗ StrongIsr · second.json VIOLATED · kip320-first-try"
    ]
    heads = texts(driver, ".current .beside th")
    assert heads[0] == "this one: StrongIsr · first.json"
    assert heads[1].startswith("✗ StrongIsr · second.json")


@needs_chromium
def test_copied_text_of_a_loop_says_where_it_begins_and_returns(driver: Chrome, tmp_path: Path) -> None:
    row = rabbit_lasso()
    assert row.trace is not None
    open_report(driver, Report("loop", (row,)), tmp_path)
    trace = "new Trace(JSON.parse(document.getElementById('trace-1').textContent))"
    lines = evaluate(driver, f"Copying.text({trace})").splitlines()
    start, last = row.trace["loop"], len(row.trace["states"])
    at = lines.index(f"     the loop begins in state {start}: the steps below repeat forever")
    assert lines[at + 1].startswith(f"{start + 1:>3}  ")
    (back,) = [line for line in lines if line.endswith(f", which leads back to state {start}")]
    assert back.startswith(f"{last:>3}  Release(")
    assert any(line.startswith("fails in the loop, forever for ") for line in lines)


@needs_chromium
def test_executions_are_copied_as_itf_also_where_there_are_many(driver: Chrome, tmp_path: Path) -> None:
    row = kip320_first_try()
    assert row.trace is not None
    rows = [
        replace(row, property_name=f"P{number}", trace={**row.trace, "mark": number}) for number in range(6)
    ]
    open_report(driver, Report("many", tuple(rows)), tmp_path, "#P3")
    copied = "const done = arguments[0]; Copying.copy = (text) => done(text);"
    click = "document.querySelector('.current button[aria-label=\"Copy ITF\"]').click();"
    assert json.loads(driver.execute_async_script(copied + click)) == {**row.trace, "mark": 3}
