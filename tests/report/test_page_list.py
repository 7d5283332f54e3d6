"""The list of verdicts: facets in the address, sorting, many rows, and pages that are made when opened."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.report.test_page import INJECTED, everywhere
from tests.support.chromium import console, evaluate
from tests.support.examples import kip320_first_try
from tests.support.pages import needs_chromium, open_report, pause, texts
from tests.support.report_timing import filter_milliseconds, many_verdicts, opening_seconds
from verifier.outcomes.row import Row
from verifier.report.claims import holding
from verifier.report.matrix import grids
from verifier.report.page import as_html
from verifier.report.report import Report
from verifier.report.verdict_list import SAME, columns_of, pack, pack_pages
from verifier.report.wherever import findings
from verifier.verdict import VerdictKind


def sweep(per_axis: int = 4) -> Report:
    """A row per choice of constants: replicas and epochs decide, the size of the log does not."""
    kip, rows = kip320_first_try(), list[Row]()
    sizes = range(1, per_axis + 1)
    for number, (replicas, log_size, epoch, engine) in enumerate(
        itertools.product(sizes, sizes, sizes, ("bmc", "prove"))
    ):
        bad = replicas > 2 and epoch > 1
        rows.append(
            replace(
                kip,
                constants={
                    "replicas": replicas,
                    "log_size": log_size,
                    "max_records": 2,
                    "max_leader_epoch": epoch,
                },
                engine=engine,
                verdict=VerdictKind.VIOLATED if bad else VerdictKind.HOLDS,
                trace=kip.trace if bad else None,
                steps=kip.steps if bad else None,
                depth=12,
                reason=None,
                seconds=number / 7,
                job_id=f"{number:016x}",
            )
        )
    return Report("sweep", rows)


def count_found(driver: Chrome) -> str:
    return texts(driver, "#found")[0]


@pytest.mark.thorough
@needs_chromium
def test_facets_stand_in_the_address(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, sweep(), tmp_path, "#overview?verdict=VIOLATED&replicas=3&sort=-seconds")
    assert count_found(driver) == "24 of 128"
    assert set(texts(driver, "#list tbody td:nth-child(2)")) == {"✗ VIOLATED"}
    seconds = [float(text) for text in texts(driver, "#list tbody td.number")]
    assert seconds == sorted(seconds, reverse=True)
    select = "[...document.querySelectorAll('.facets label')].find(l => l.textContent.startsWith('engine '))"
    driver.execute_script(
        f"const s = {select}.querySelector('select'); s.value = '1'; s.dispatchEvent(new Event('change'))"
    )
    assert count_found(driver) == "12 of 128"
    assert evaluate(driver, "location.hash") == (
        "#overview?verdict=VIOLATED&replicas=3&engine=prove&sort=-seconds"
    )
    driver.find_element("css selector", ".facets button").click()
    assert count_found(driver) == "128 of 128"
    for asked in ("replicas=77", "verdict=REACHED", "queues=99"):  # no row has it
        driver.execute_script(f"location.hash = '#overview?{asked}&sort=nothing&find=log_size=2'")
        pause(driver)
        assert count_found(driver) == f"0 of 128: none has {asked}"
    driver.find_element("css selector", ".facets button").click()
    assert count_found(driver) == "128 of 128"
    driver.execute_script("location.hash = '#/overview?sort=nothing&find=log_size=2'")
    pause(driver)
    assert count_found(driver) == "32 of 128"
    assert console(driver) == []


@pytest.mark.thorough
@needs_chromium
def test_heads_sort_and_stay(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, sweep(), tmp_path)
    driver.find_element("css selector", "[aria-label='Sort by seconds']").click()
    assert evaluate(driver, "document.querySelector('#list tbody td.number').textContent") == "18.1"
    assert evaluate(driver, "document.querySelector('[aria-sort=descending]').textContent") == "seconds"
    driver.execute_script("document.querySelector('.rows').scrollTop = 2000")
    pause(driver)
    head, pane = (
        evaluate(driver, f"document.querySelector('{name}').getBoundingClientRect().top")
        for name in (".rows thead th", ".rows")
    )
    assert abs(head - pane) < 3


@pytest.mark.thorough
@needs_chromium
def test_many_rows_are_drawn_where_they_are_in_view(driver: Chrome, tmp_path: Path) -> None:
    report = sweep(7)
    assert len(report.rows) == 686
    open_report(driver, report, tmp_path)
    assert (tmp_path / "report.html").stat().st_size < 600_000
    assert count_found(driver) == "686 of 686"
    assert evaluate(driver, "document.querySelectorAll('#list tbody tr').length") < 120
    driver.execute_script("document.querySelector('.rows').scrollTop = 1e6")
    pause(driver)
    assert "686" in texts(driver, "#list tbody td:first-child")
    height = evaluate(driver, "document.querySelector('.rows').scrollHeight")
    assert abs(height - 687 * 31) < 60


@pytest.mark.thorough
@needs_chromium
def test_rows_are_filled_again_and_no_value_is_cut(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, Report("rows", [replace(row, trace=None) for row in sweep(5).rows]), tmp_path)
    driver.execute_script("window.kept = document.querySelector('#list tbody tr:nth-child(4)')")
    driver.find_element("id", "find").send_keys("violated replicas=4")
    assert evaluate(driver, "window.kept.isConnected")
    assert {line.strip("✗ ") for line in texts(driver, "#list tbody .chip")} == {"VIOLATED"}
    rows = "[...document.querySelectorAll('#list tbody tr')]"
    hrefs = f"{rows}.map(r => [...new Set([...r.querySelectorAll('a')].map(a => a.getAttribute('href')))])"
    assert all(len(links) == 1 for links in evaluate(driver, hrefs))
    cut = "[...document.querySelectorAll('#list td, #list th')].filter(e => e.scrollWidth > e.clientWidth)"
    assert evaluate(driver, f"{cut}.map(e => e.textContent)") == []


@pytest.mark.slow
@needs_chromium
def test_ten_thousand_rows_open_and_filter_at_once(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, many_verdicts(), tmp_path)
    assert (tmp_path / "report.html").stat().st_size < 3_000_000
    assert count_found(driver) == "9,600 of 9,600"
    assert opening_seconds(driver, (tmp_path / "report.html").as_uri()) < 1
    best = min(filter_milliseconds(driver) or 0 for _ in range(3))  # the machine may be busy
    assert 0 < best < 50


def test_a_sweep_says_first_where_it_fails() -> None:
    (one,), left = findings(sweep().rows)
    assert (one.kind, one.claim, left) == (VerdictKind.VIOLATED, "StrongIsr", 0)
    assert one.words.startswith(" in 48 of 128 jobs, exactly where replicas is 3 or 4 and max_leader_epoch")
    *rows, last = sweep().rows
    assert last.verdict is VerdictKind.VIOLATED
    (two,), _ = findings([*rows, replace(last, verdict=VerdictKind.HOLDS)])
    assert two.words == (
        " in 47 of 128 jobs; smallest failing constants: replicas=3, log_size=1, max_leader_epoch=2"
    )
    undecided = replace(last, verdict=VerdictKind.INCONCLUSIVE, reason="timeout of 60 s")
    (three,), _ = findings([*rows, undecided])
    assert three.words.startswith(" in 47 of 128 jobs, exactly where replicas is 3 or 4 and max_leader_epoch")
    assert three.words.endswith(" (of those decided)")
    assert holding([*rows, undecided]).endswith(
        " 80 hold up to depth 12 (bmc, prove), "
        "1 is not decided (kip320-first-try StrongIsr): timeout of 60 s."
    )
    assert findings([row for row in rows if row.verdict is VerdictKind.HOLDS]) == ([], 0)
    assert [one.words for one in findings([last])[0]] == [""]


@needs_chromium
def test_the_first_view_of_a_sweep_has_what_fails(driver: Chrome, tmp_path: Path) -> None:
    rows = [replace(row, property_name=name) for row in sweep(3).rows for name in ("Aok", "StrongIsr")]
    rows = [replace(r, verdict=VerdictKind.HOLDS) if r.property_name == "Aok" else r for r in rows]
    open_report(driver, Report("two properties", rows), tmp_path)
    assert texts(driver, ".grid caption")[:2] == ["StrongIsr, bmc", "StrongIsr, prove"]
    bottom = "document.querySelector('.grid .cell.VIOLATED').getBoundingClientRect().bottom"
    assert evaluate(driver, bottom) < 500
    driver.find_element("css selector", ".findings a").click()
    pause(driver)
    assert count_found(driver) == "12 of 108"
    assert set(texts(driver, "#list tbody .chip")) == {"✗ VIOLATED"}


def test_constants_share_a_cell_only_if_the_others_tell_the_verdict() -> None:
    # Nothing differs in one constant alone, and yet the verdict depends on both.
    both = [row for row in sweep().rows if row.constants["replicas"] == row.constants["max_leader_epoch"]]
    rows = [replace(row, constants={**row.constants, "more": row.constants["replicas"]}) for row in both * 2]
    ((_, drawn),) = grids(rows)
    assert all("replicas" not in said or "more" not in said for said in drawn.said)
    shown = [n for grid in drawn.drawn for _, line in grid.lines for cell in line if cell for n in cell.jobs]
    kinds = {rows[number].verdict for number in shown}
    assert kinds == {VerdictKind.VIOLATED, VerdictKind.HOLDS}


@pytest.mark.thorough
@needs_chromium
def test_the_page_of_one_of_many_is_made_when_it_is_opened(driver: Chrome, tmp_path: Path) -> None:
    open_report(driver, sweep(), tmp_path)
    assert evaluate(driver, "document.querySelectorAll('.verdict').length") == 0
    driver.execute_script("document.querySelector('#list a.VIOLATED').click()")
    pause(driver, 400)
    assert "replicas=3" in texts(driver, ".current .constants")[0]
    assert evaluate(driver, "document.querySelectorAll('.current g.row').length") > 10
    assert evaluate(driver, "document.querySelectorAll('.verdict').length") == 1
    driver.find_element("css selector", ".current nav a:last-child").click()
    pause(driver, 200)
    assert evaluate(driver, "document.querySelectorAll('.verdict').length") == 2
    open_report(driver, sweep(), tmp_path, "#verdict-128")
    pause(driver, 400)
    assert "max_leader_epoch=4" in texts(driver, ".current .constants")[0]


@pytest.mark.thorough
@needs_chromium
@pytest.mark.parametrize("word", INJECTED[:3])
def test_no_word_of_a_packed_page_becomes_an_element(word: str, driver: Chrome, tmp_path: Path) -> None:
    rows = everywhere(word).rows
    many = [replace(rows[n % len(rows)], constants={word: n, "plain": n}) for n in range(110)]
    open_report(driver, Report(word, many), tmp_path)
    for number in (1, 4, 9):
        driver.execute_script(f"location.hash = '#verdict-{number}'")
        pause(driver, 300)
        assert word in evaluate(driver, "document.querySelector('.page.current h2').textContent")
        names = "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
        assert evaluate(driver, f"{names}.filter(n => /^on/.test(n))") == []
        assert evaluate(driver, "document.querySelectorAll('iframe, img, main style, main link').length") == 0
        assert evaluate(driver, "document.querySelectorAll('script:not([type])').length") == 2
    assert driver.title.endswith(word)
    assert console(driver) == []


@pytest.mark.parametrize(
    ("values", "words"),
    [(range(3), "0, 1, 2"), (range(400), "0..399"), (range(0, 20, 2), "0, 2, 4, 6, 8, 10 and 4 more")],
)
def test_many_values_of_a_constant_are_said_in_short(values: range, words: str) -> None:
    base, rows = replace(kip320_first_try(), trace=None, steps=None), []
    for replicas, size, value in itertools.product((2, 3, 4), range(1, 6), values):
        kind = list(VerdictKind)[(replicas + size) % 2]
        constants = {"replicas": replicas, "log_size": size, "seed": value}
        rows.append(replace(base, constants=constants, verdict=kind))
    ((_, drawn),) = grids(rows)
    assert drawn.said[0].startswith(f"The verdict is the same for each value of seed ({words}). ")


def unpack_page(columns: list[list[Any]], number: int) -> str:
    """Read a page as the script does."""
    lines = []
    for column in columns:
        at = number
        while column[at] == SAME:
            at -= 1
        lines += [] if column[at] is None else [column[at]]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "pages",
    [
        [],
        [""],
        ["a", "a\nb", "a", "a\n\nb", "", "0\n0"],
        ["same\nx", "same\ny", "same\ny\nz", "same\ny\nz", "other"],
    ],
)
def test_packed_pages_are_those_that_were_packed(pages: list[str]) -> None:
    columns = json.loads(zlib.decompress(b64decode(pack_pages(pages))))
    assert [unpack_page(columns, number) for number in range(len(pages))] == pages


def test_pages_that_differ_in_some_lines_need_little_room() -> None:
    """The window of the compression does not reach the last page that is like this one."""
    fixed = [str(number**3 * 7919 % 10**12) for number in range(4000)]
    pages = ["\n".join([f"row {number}", *fixed]) for number in range(30)]
    assert len(pages[0]) > 1 << 15
    assert len(pack_pages(pages)) < len(pack(pages)) / 10


@needs_chromium
def test_a_packed_page_has_its_own_lines(driver: Chrome, tmp_path: Path) -> None:
    rows = [replace(row, trace=row.trace if n % 9 == 0 else None) for n, row in enumerate(sweep(3).rows)]
    rows = [replace(row, seconds=float(n)) for n, row in enumerate([*rows, *rows])]
    assert len(rows) > 100
    open_report(driver, Report("packed", rows), tmp_path)
    for number in (1, 2, 10, len(rows)):
        driver.execute_script(f"location.hash = '#verdict-{number}'")
        pause(driver, 300)
        figures = dict(
            zip(texts(driver, ".current .about dt"), texts(driver, ".current .about dd"), strict=True)
        )
        assert figures["time"] == f"{number - 1}.0 s"
        explorers = evaluate(driver, "document.querySelectorAll('.current .explorer').length")
        assert explorers == (rows[number - 1].trace is not None)


@needs_chromium
def test_verdicts_that_share_a_cell_say_what_tells_them_apart(driver: Chrome, tmp_path: Path) -> None:
    """Two values of a constant that changes nothing share a cell; and one place of the grid has no job."""
    places = [(r, size, most) for r in (2, 3, 4) for size in range(1, 9) for most in (1, 2)][:-2]
    base = replace(kip320_first_try(), trace=None, steps=None, depth=12)
    rows = [
        replace(
            base,
            verdict=VerdictKind.HOLDS if (replicas + size) % 2 else VerdictKind.INCONCLUSIVE,
            reason=None if (replicas + size) % 2 else "time",
            constants={"replicas": replicas, "log_size": size, "max_records": most},
        )
        for replicas, size, most in places
    ]
    open_report(driver, Report("stacked", rows), tmp_path, "#overview")
    stacked = [text.strip() for text in texts(driver, ".grid .label")]
    assert stacked[:2] == ["max_records=1", "max_records=2"]
    assert len(stacked) == len(rows)
    assert "·: there is no job for these values." in texts(driver, "p.legend")[0]
    open_report(driver, Report("whole", rows[:32]), tmp_path, "#overview")
    assert "·" not in texts(driver, "p.legend")[0]


def test_axes_are_constants_that_change_verdicts_and_others_are_said_once() -> None:
    ((spec, drawn),) = grids(sweep().rows)
    assert spec == "kip320-first-try"
    assert [grid.caption for grid in drawn.drawn] == ["StrongIsr, bmc", "StrongIsr, prove"]
    assert {drawn.drawn[0].across, *drawn.drawn[0].down} == {"replicas", "max_leader_epoch"}
    (said,) = drawn.said
    assert said == (
        "The verdict is the same for each value of log_size (1, 2, 3, 4). "
        "A cell has the jobs of all these values. "
        "bmc and prove give the same answers; depths and times differ."
    )
    other = replace(sweep().rows[0], verdict=VerdictKind.INCONCLUSIVE, reason="time")
    ((_, differing),) = grids([other, *sweep().rows[1:]])
    (words,) = differing.said
    assert " give the same answers where they decide; depths and times differ." in words
    ((_, alone),) = grids([replace(row, engine="bmc") for row in sweep().rows])
    assert "same answers" not in " ".join(alone.said)
    bad = next(row for row in sweep().rows if row.verdict is VerdictKind.VIOLATED)
    others = [row for row in sweep().rows if (row.constants, row.engine) != (bad.constants, bad.engine)]
    ((_, differing),) = grids([replace(bad, verdict=VerdictKind.HOLDS, steps=None), *others])
    assert "same answers" not in " ".join(differing.said)
    cells = [cell for _, line in drawn.drawn[0].lines for cell in line if cell]
    assert {cell.more for cell in cells} == {3}
    assert cells[0].query["engine"] == "bmc"


def test_a_cell_tells_apart_what_holds_in_all_states() -> None:
    """The depth of a complete search is no bound: it does not stand in a range with bounds."""

    def make(row: Row) -> Row:
        is_bounded = row.constants["log_size"] == 1
        about = {} if is_bounded else {"complete": True}
        return replace(
            row,
            verdict=VerdictKind.HOLDS,
            trace=None,
            steps=None,
            depth=12 if is_bounded else 11,
            statistics=about,
            engine="bmc",
        )

    rows = [make(row) for row in sweep().rows if row.engine == "bmc"]
    told = {
        cell.extent
        for _, found in grids(rows)
        for grid in found.drawn
        for _, line in grid.lines
        for cell in line
        if cell
    }
    assert any(re.fullmatch(r"12 ×\d+, all ×\d+", one) for one in told), told
    assert not any("–" in one for one in told)


def test_a_cell_of_many_shows_the_worst() -> None:
    rows = list(sweep().rows)
    rows[8] = replace(rows[8], verdict=VerdictKind.ERROR, error="x", reason="x")
    changed = [n for n, row in enumerate(rows) if row.verdict is VerdictKind.ERROR]
    ((_, drawn),) = grids(rows)
    shown = [n for grid in drawn.drawn for _, line in grid.lines for cell in line if cell for n in cell.jobs]
    assert changed[0] in shown


def test_what_all_rows_have_is_said_once() -> None:
    report = sweep()
    assert "<p>All have max_records=2.</p>" in as_html(report)
    names = [column.name for column in columns_of(report.rows)]
    assert "max_records" not in names
    assert {"verdict", "replicas", "log_size", "engine", "seconds"} <= set(names)


def test_columns_are_in_order_of_their_values() -> None:
    rows = [replace(kip320_first_try(), constants={"n": n}) for n in (10, 9, 2)]
    (column,) = [one for one in columns_of(rows) if one.name == "n"]
    assert column.values == ("2", "9", "10")
    assert [column.of(number) for number in range(3)] == ["10", "9", "2"]
