"""The page of a log: its lines beside the states, the line that fails, and why no step fits."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.support.chromium import browser, console, evaluate, prefer, size
from tests.support.command_line import verify
from tests.support.pages import needs_chromium, texts
from verifier.conform.outcome import Conformance, LogVerdict, Obstacle, PathState
from verifier.conform.rendering import render_verdicts
from verifier.report.log_page import logs_as_html

COUNTER = """---- MODULE Counter ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = {}
Inc == x < 3 /\\ x' = x + 1 /\\ y' = y \\union {x}
Set(n) == x > 1 /\\ x' = n /\\ UNCHANGED y
Next == Inc \\/ \\E n \\in 0..3 : Set(n)
====
"""
MAPPING = """event = "event"
[events.inc]
action = "Inc"
after = { x = "value" }
[events.set]
action = "Set"
parameters = { n = "to" }
"""
GOOD = '{"event": "inc", "value": 1}\n{"event": "inc", "value": 2}\n{"event": "set", "to": 0}\n'
EARLY = '{"event": "inc", "value": 1}\n{"event": "set", "to": 0}\n{"event": "inc", "value": 1}\n'
WRONG = '{"event": "inc", "value": 1}\n{"event": "inc", "value": "</script><b>1"}\n'


@pytest.fixture(scope="module")
def driver() -> Iterator[Chrome]:
    with browser() as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "Counter.tla": COUNTER, "Counter.cfg": "INIT Init\nNEXT Next\n", "counter.toml": MAPPING,
        "good.ndjson": GOOD, "early.ndjson": EARLY, "wrong.ndjson": WRONG,
    }.items():  # fmt: skip
        Path(name).write_text(text)
    return tmp_path


def conform(*logs: str) -> str:
    done = verify("conform", *logs, "--spec", "Counter.tla", "--map", "counter.toml", "--html", "page.html")
    assert done.exit_code == (10 if set(logs) - {"good.ndjson"} else 0), done.stderr
    assert "the page is in page.html" in done.stderr
    return Path("page.html").read_text()


def plain(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def test_the_line_that_fails_is_told_with_the_nearest_candidate(folder: Path) -> None:
    whole = conform("early.ndjson")
    head = plain(whole.partition('class="failing"')[2].partition("</div>\n")[0])
    assert "No step of Counter.tla explains line 2." in head
    assert '{"event": "set", "to": 0}' in head
    assert "Nearest is Next / Set" in head
    assert "x > 1 is false, where" in head
    assert "x = 1" in head
    assert "Counter.tla:6" in head
    assert "REJECTED at line 2: 1 of 3 events is explained" in plain(whole)
    assert "verify conform early.ndjson --spec Counter.tla --map counter.toml" in plain(whole)


def test_of_a_step_that_is_possible_the_value_is_told(folder: Path) -> None:
    whole = conform("wrong.ndjson")
    assert "Inc is possible, but x is 2 after the step, and the log's value is " in plain(whole)
    assert "</script><b>1" not in whole


def test_an_accepted_log_has_a_short_page(folder: Path) -> None:
    whole = plain(conform("good.ndjson"))
    assert "ACCEPTED, complete: all 3 events are explained" in whole
    assert "An execution of Counter.tla agrees with the whole log." in whole
    assert "Why no step fits" not in whole


def test_a_log_that_cannot_be_judged_is_told(folder: Path) -> None:
    (folder / "broken.ndjson").write_text('{"event": "inc", "value": 1}\nno JSON at all\n')
    logs = ("broken.ndjson", "good.ndjson")
    asked = ("--spec", "Counter.tla", "--map", "counter.toml", "--html", "page.html")
    assert verify("conform", *logs, *asked).exit_code == 2
    page = Path("page.html").read_text()
    assert "ERROR at line 2: the log cannot be judged" in page
    assert "The log cannot be judged. Line 2: no JSON: Expecting value." in plain(page)
    assert "no JSON at all" in page


def test_a_page_that_cannot_be_written_is_refused_before_the_search(folder: Path) -> None:
    done = verify(
        "conform", "good.ndjson", "--spec", "Counter.tla", "--map", "counter.toml", "--html", "no/page.html"
    )
    assert done.exit_code == 2
    assert "--html" in done.stderr


def test_a_log_that_nobody_decides_says_why() -> None:
    one = LogVerdict("a.ndjson", Conformance.UNDECIDED, 9, 4, 5, "{}", "more than 3 states agree")
    whole = plain(logs_as_html("S.tla", "verify conform", [one]))
    assert "UNDECIDED at line 5: 4 of 9 events are explained" in whole
    assert "Line 5: nobody knows whether an execution agrees with more of the log." in whole
    assert "more than 3 states agree" in whole


def test_of_many_states_the_last_are_shown() -> None:
    path = tuple(PathState(n or None, f"Step{n}", (("x", str(n)),)) for n in range(1_000))
    events = tuple((n, f'{{"n": {n}}}') for n in range(1, 1_010))
    nearest = Obstacle("Inc", 2, "x < 3", "/somewhere/S.tla:4:3", (("x", "999"),))
    one = LogVerdict(
        "a.ndjson", Conformance.REJECTED, 1_009, 999, 1_000, "{}", "no step", obstacles=(nearest,),
        path=path, events=events,
    )  # fmt: skip
    whole = logs_as_html("S.tla", "verify conform", [one])
    assert "The last 400 states are shown, 600 before them are left out." in plain(whole)
    assert "Nearest is Inc after 2 conjuncts that hold: x < 3 is false, where x = 999 (S.tla:4:3)." in plain(
        whole
    )
    assert whole.count("not looked at") == 5
    assert len(whole) < 300_000


@needs_chromium
def test_lines_stand_beside_the_states(driver: Chrome, folder: Path) -> None:
    conform("good.ndjson", "early.ndjson")
    console(driver)
    size(driver, 1440, 900)
    driver.get((folder / "page.html").as_uri())
    assert console(driver) == []
    assert texts(driver, ".current h2")[0].startswith("early.ndjson")  # what fails opens first
    assert texts(driver, ".current .logged thead th") == ["line of the log", "step", "x", "y"]
    cells = "[...tr.cells].map(c => c.textContent.trim()).join(' ').trim()"
    rows = evaluate(driver, f"[...document.querySelectorAll('.current .logged tbody tr')].map(tr => {cells})")
    assert rows == [
        "initially 0 {}",
        '1 {"event": "inc", "value": 1} Inc 1 {0}',
        '2 {"event": "set", "to": 0} ✗ no step fits',
        '3 {"event": "inc", "value": 1} not looked at',
    ]
    assert texts(driver, ".current .logged .wrong") == ["1"]
    bottom = "document.querySelector('.current .verdict-row').getBoundingClientRect().bottom"
    assert evaluate(driver, bottom) < 900
    driver.find_element("css selector", "nav a").click()
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert len(texts(driver, ".current .answers tr")) == 2


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (400, "dark")])
def test_axe_finds_nothing_in_the_page_of_logs(width: int, scheme: str, driver: Chrome, folder: Path) -> None:
    conform("good.ndjson", "early.ndjson", "wrong.ndjson")
    prefer(driver, scheme)
    size(driver, width, 900)
    script = (resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    for address in ("overview", "log-1", "log-2", "log-3"):
        driver.get("about:blank")
        driver.get(f"{(folder / 'page.html').as_uri()}#{address}")
        driver.execute_script(script)
        run = "axe.run().then(r => arguments[0](r.violations.map(v => [v.id, v.nodes.map(n => n.html)])))"
        assert driver.execute_async_script(run) == [], address
        wide = "document.documentElement.scrollWidth <= innerWidth"
        assert evaluate(driver, wide), address
    prefer(driver, "light")


def test_the_cell_at_fault_begins_with_the_value_that_matters() -> None:
    state = (("replica", "(" + ", ".join(f"r{n}: (hw 0, epoch 0, leader r3)" for n in range(1, 9)) + ")"),)
    path = (PathState(None, "", state), PathState(1, "Write", state))
    nearest = Obstacle("Fetch", 1, "replica[r8].leader = r1", "", (("replica[r8].leader", "r3"),))
    one = LogVerdict("a.log", Conformance.REJECTED, 2, 1, 2, "{}", "", path=path, obstacles=(nearest,))
    whole = logs_as_html("S", "verify conform", [one])
    (cell,) = re.findall(r'<td class="wrong [^>]*>(.*?)<(?:t[dr]|/tbody)', whole)
    assert plain(cell).startswith("replica[r8].leader = r3")


def test_a_long_value_is_cut_around_its_change() -> None:
    first = "(" + ", ".join(f"r{n}: 0" for n in range(1, 40)) + ")"
    second = first.replace("r35: 0", "r35: 7")
    path = (PathState(None, "", (("x", first),)), PathState(1, "Write", (("x", second),)))
    one = LogVerdict("a.log", Conformance.REJECTED, 2, 1, 2, "{}", "", path=path)
    whole = logs_as_html("S", "verify conform", [one])
    (cell,) = re.findall(r'<td class="changed"[^>]*>(.*?)<(?:t[dr]|/tbody)', whole)
    assert "r35: 7" in cell
    assert cell.startswith("…")


def test_the_page_opens_at_the_first_log_that_is_rejected() -> None:
    accepted = LogVerdict("a.ndjson", Conformance.ACCEPTED, 2, 2, None, "", "")
    undecided = LogVerdict("b.ndjson", Conformance.UNDECIDED, 9, 4, 5, "{}", "too many states agree")
    rejected = LogVerdict("c.ndjson", Conformance.REJECTED, 3, 0, 1, "{}", "no step")  # has no state to show
    start = re.compile(r'data-start="([^"]*)"')

    def opens_at(*verdicts: LogVerdict) -> list[str]:
        return start.findall(logs_as_html("S.tla", "verify conform", verdicts))

    assert opens_at(accepted, undecided, rejected) == ["log-3"]
    assert opens_at(accepted, undecided) == ["log-2"]
    assert opens_at(accepted, accepted) == ["overview"]
    assert opens_at(accepted) == ["log-1"]


@needs_chromium
@pytest.mark.parametrize("width", [1440, 400])
def test_no_row_of_a_long_log_is_cut_above(width: int, driver: Chrome, tmp_path: Path) -> None:
    path = tuple(
        PathState(n or None, f"Step{n}", (("x", str(n)), ("y", "word " * (n % 7)))) for n in range(60)
    )
    events = tuple((n, f'{{"n": {n}}}') for n in range(1, 62))
    one = LogVerdict("a.ndjson", Conformance.REJECTED, 61, 59, 60, "{}", "no step", path=path, events=events)
    page = tmp_path / "page.html"
    page.write_text(logs_as_html("S.tla", "verify conform", [one]))
    size(driver, width, 900)
    driver.get(page.as_uri())
    cut = """(() => {
      const pane = document.querySelector('.current .upwards');
      const top = pane.querySelector('thead th').getBoundingClientRect().bottom;
      const rows = [...pane.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect());
      return [rows.filter((row) => row.top < top - 2 && row.bottom > top + 2).length,
              rows.at(-1).bottom <= pane.getBoundingClientRect().bottom + 1,
              pane.scrollHeight > pane.clientHeight];
    })()"""
    assert evaluate(driver, cut) == [0, True, True]


@needs_chromium
def test_reasons_stand_below_each_other_on_a_telephone(driver: Chrome, tmp_path: Path) -> None:
    formula = "Cardinality({other \\in Server : matchIndex[leader][other] >= commitIndex[leader]}) * 2 > 5"
    values = (("commitIndex", "[" + ", ".join(f"server{n} |-> {n * 100}" for n in range(9)) + "]"),)
    obstacles = (
        Obstacle("TraceNext / AdvanceCommitIndexIfLogged", 3, formula, "Raft.tla:410:12", values),
        Obstacle("Inc", 0, "x", "", (), words="is 1 after the step, and the log's value is 2", possible=True),
    )
    one = LogVerdict(
        "a.log", Conformance.REJECTED, 3, 1, 2, "{}", "no step", obstacles=obstacles,
        path=(PathState(None, "", (("x", "0"),)),), events=((1, "{}"), (2, "{}"), (3, "{}")),
    )  # fmt: skip
    page = tmp_path / "page.html"
    page.write_text(logs_as_html("S.tla", "verify conform", [one]))
    sizes = """(() => {
      const box = document.querySelector('.current .scroll'), cells = [...box.querySelectorAll('tbody td')];
      const heads = cells.map((cell) => getComputedStyle(cell, '::before').content);
      return [box.scrollWidth - box.clientWidth, document.documentElement.scrollWidth - innerWidth, heads];
    })()"""
    found = []
    for width in (400, 1440):
        size(driver, width, 900)
        driver.get(page.as_uri())
        found.append(evaluate(driver, sizes))
    assert found[0][0] <= 0
    assert found[0][1] <= 0
    assert '"conjuncts that hold: "' in found[0][2]
    assert '"the first that is false: "' in found[0][2]
    assert set(found[1][2]) == {"none"}


def test_ignored_lines_are_said_and_do_not_count() -> None:
    path = tuple(PathState(line, name, (("x", "0"),)) for line, name in [(None, ""), (1, "Inc"), (4, "Set")])
    events = tuple((line, f'{{"line": {line}}}') for line in range(1, 6))
    one = LogVerdict(
        "a.log", Conformance.REJECTED, 5, 4, 5, "{}", "", path=path, events=events, skipped=(2, 3)
    )
    whole = plain(logs_as_html("S", "verify conform", [one]))
    assert "REJECTED at line 5: 2 of 3 events are explained, 2 are ignored" in whole
    assert whole.count("ignored, as the mapping says") == 2
    lines = list(render_verdicts([one]))
    assert "  2 of 3 events are explained, 2 are ignored" in lines
    assert lines[-1].split()[2] == "2/3"
    assert whole.index('{"line": 3}') < whole.index("Set") < whole.index("no step fits")


def test_a_false_invariant_is_no_step_that_does_not_fit(folder: Path) -> None:
    Path("Counter.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Small\n")
    text = Path("Counter.tla").read_text()
    Path("Counter.tla").write_text(text.replace("\n====", "\nSmall == \\A n \\in 2..3 : x < n\n===="))
    Path("late.ndjson").write_text(GOOD)
    whole = plain(conform("late.ndjson"))
    assert "REJECTED: Small false after line 2" in whole
    assert "After line 2 Small is false, in each execution that agrees with the log." in whole
    assert "x < n is false, where n = 2, x = 2 (Counter.tla:" in whole
    assert "explained too, after the fault" in whole
    assert "no step fits" not in whole
