"""Reports as text, Markdown, JSON and JUnit XML, read by what reads such things."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml
from lxml import etree
from markdown_it import MarkdownIt

from tests.support.command_line import CHAIN, LOCK, ROOT, verify, wrong
from tests.support.examples import kip320_first_try, run_rows
from tests.support.reporting import JUNIT_SCHEMA, every_verdict, hostile_spec, like
from verifier.outcomes.row import Row, job_id, rows_of
from verifier.report.junit import as_junit
from verifier.report.report import Report, command_of
from verifier.report.tables import as_markdown, as_text
from verifier.report.trace_diagram import diagram_of
from verifier.runs.engine import engine_named
from verifier.runs.option import Duration, OneOf, Option, Size, Switch, Whole, Words, list_declared
from verifier.runs.table import ENGINES
from verifier.verdict import VerdictKind


@cache
def every() -> Report:
    """A report with a row of each kind."""
    return Report("Every | verdict", every_verdict())


def validate(report: Report) -> JUnitXml:
    """The report's XML, valid by the schema, as a consumer reads it."""
    xml = as_junit(report)
    schema = etree.XMLSchema(etree.parse(str(JUNIT_SCHEMA)))
    schema.assertValid(etree.fromstring(xml.encode()))
    return JUnitXml.fromstring(xml.encode())


def test_junit_is_valid_and_only_good_verdicts_pass() -> None:
    read = validate(every())
    assert (read.tests, read.failures, read.errors, read.skipped) == (7, 2, 2, 0)
    outcome = {case.name.partition(" ")[0]: case.result for suite in read for case in suite}
    assert [name for name, results in outcome.items() if not results] == ["OfHolds", "OfProved", "OfReached"]
    assert isinstance(outcome["OfViolated"][0], Failure)
    assert outcome["OfViolated"][0].type == "VIOLATED"
    assert "StrongIsr fails in state 13:\n  for leader = " in outcome["OfViolated"][0].text
    assert isinstance(outcome["OfInconclusive"][0], Error)
    assert outcome["OfInconclusive"][0].message == "INCONCLUSIVE(timeout of 60 s, depth 7 closed)"
    assert outcome["OfError"][0].message == r"ERROR(two\x00sides)"


@pytest.mark.parametrize(
    ("expected", "failures"),
    [
        ((), {"NotAllAsk"}),
        (("violated",), set()),
        (("NotAllAsk=violated",), set()),
        (("NotAllAsk=violated", "holds"), set()),
        (("NotAllAsk=violated", "HolderWaitsNoMore=violated"), {"HolderWaitsNoMore"}),
        (("holds",), {"NotAllAsk"}),
        (("NotAllAsk=violated", "Ask=enabled"), set()),
    ],
)
def test_junit_passes_what_was_expected(expected: tuple[str, ...], failures: set[str]) -> None:
    names = ("--property", "NotAllAsk", "--property", "HolderWaitsNoMore", "--depth", "3")
    words = [word for one in expected for word in ("--expect", one)]
    done = verify("bmc", LOCK, *names, *words, "--format", "json")
    rows = rows_of(json.loads(done.stdout))
    assert (done.exit_code == 0) == (failures == set())
    cases = [case for suite in validate(Report("expected", rows)) for case in suite]
    assert len(cases) == 2
    assert {case.name.partition(" ")[0] for case in cases if case.is_failure} == failures
    assert not [case for case in cases if case.is_error]


def test_junit_fails_where_an_expected_action_was_never_enabled() -> None:
    words = ("--property", "HolderWaitsNoMore", "--depth", "0", "--expect", "Grant=enabled")
    done = verify("bmc", LOCK, *words, "--format", "json")
    read = validate(Report("expected", rows_of(json.loads(done.stdout))))
    assert (done.exit_code, read.tests, read.failures, read.errors) == (14, 1, 1, 0)


def test_a_report_without_verdicts_is_no_success() -> None:
    nothing = Report("nothing", ())
    read = validate(nothing)
    assert sum(isinstance(result, Error) for suite in read for case in suite for result in case.result) == 1
    assert "nothing was decided" in as_text(nothing)
    assert "nothing was decided" in as_markdown(nothing)


def test_markdown_renders_as_github_does() -> None:
    html = MarkdownIt("gfm-like", {"linkify": False}).render(as_markdown(every()))
    assert "<h1>Every | verdict</h1>" in html
    assert html.count("<tr>") == 1 + len(every().rows)
    assert "NOT_INDUCTIVE(BecomeLeader breaks a|lemma)" in html
    assert html.count("<pre>") == 2 * sum(row.trace is not None for row in every().rows)


def test_hostile_words_stay_text(tmp_path: Path) -> None:
    (row,) = run_rows("bmc", str(hostile_spec(tmp_path)), "--property", "SomebodyIsSpared", "--depth", "4")
    assert row.verdict is VerdictKind.VIOLATED
    report = Report("hostile", (like(row, reason="<b>|`x`", verdict=VerdictKind.ERROR), row))
    html = MarkdownIt("gfm-like", {"linkify": False}).render(as_markdown(report))
    assert "<script" not in html
    assert "<b>" not in html
    validate(report)


def test_text_has_the_constants_that_vary_and_the_execution() -> None:
    row = kip320_first_try()
    other = like(row, constants={**row.constants, "replicas": 4}, verdict=VerdictKind.HOLDS)
    text = as_text(Report("two", (row, other)))
    (header,) = (line for line in text.splitlines() if line.startswith("spec "))
    assert header.split() == [
        *("spec", "replicas", "property", "engine", "solver", "verdict", "seconds"),
        "TLC",
    ]
    assert "\n  for leader = " in text


def test_a_trace_says_changes_and_the_failure_as_the_terminal_does(tmp_path: Path) -> None:
    run, spec = tmp_path / "run.json", f"{ROOT / 'tests/support/toys.py'}:Lamps"
    asked = ("bmc", spec, "--depth", "4", "--property", "SomeDarkBelow")
    run.write_text(verify(*asked, "--format", "json").stdout)
    shown, text = verify(*asked).stdout, verify("report", str(run)).stdout
    ending = shown[shown.index("SomeDarkBelow fails in state 4:") :].partition("\n\n")[0]
    assert "where below = {l1, l2, l3, l4}" in ending
    assert ending in text
    assert re.search(r"  2  LightBelow\(lamp=l\d\)\n     below: \+ l\d\n", text)
    assert "added" not in text


def test_the_command_asks_the_same_question() -> None:
    (first,) = run_rows(
        "bmc", "--spec", "kip101", "--property", "WeakIsr", "--depth", "2", "--set", "replicas=2"
    )
    words = command_of(first).split()
    assert words[:2] == ["verify", "bmc"]
    (again,) = run_rows(*words[1:])
    assert again.job_id == first.job_id


def other_values(one: Option) -> list[Any]:
    """Return values of an option that are not its default."""
    match one.kind:
        case Switch():
            return [not one.default]
        case Whole():
            return [max(one.kind.least, 3) + 4]
        case Duration():
            return [77.5]
        case Size():
            return [3 << 30]
        case OneOf():
            return [word for word in one.kind.words if word != one.default]
        case Words():
            return [["a", "b c"]]
    return ["other"]


@pytest.mark.parametrize("name", list(ENGINES))
def test_the_command_has_every_option_that_is_not_the_default(name: str) -> None:
    row = replace(run_rows("explore", "--spec", LOCK)[0], engine=name)
    known, tried = list_declared(engine_named(name).options), 0
    for option, one in known.items():
        if option in ("properties", "deadlock"):  # the command names the property, or asks for deadlocks
            continue
        for value in other_values(one):
            words = shlex.split(command_of(replace(row, options={option: value})))
            if value is False:
                assert f"--no-{one.flag[2:]}" in words
                continue
            given = [words[at + 1] for at, word in enumerate(words[:-1]) if word == one.flag]
            assert one.flag in words
            assert value is True or [one.kind.of_word(word) for word in given] == (
                list(map(one.kind.of_word, value)) if isinstance(value, list) else [value]
            )
            tried += 1
        assert one.flag not in shlex.split(command_of(replace(row, options={option: one.default})))
    assert tried > 3


def test_the_command_names_the_lemmas_of_a_module_and_its_folders(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "Low.tla").write_text(
        "---- MODULE Low ----\nEXTENDS Naturals\nVARIABLE x\nTypeOK == x \\in 0..3\nInit == x = 0\n"
        "Next == x < 2 /\\ x' = x + 1\nInv == x < 3\nSmall == x <= 2\n===="
    )
    (tmp_path / "Low.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n")
    asked = ("--lemma", "Small", "--library", str(tmp_path / "more"))
    (row,) = run_rows("prove", "--spec", str(tmp_path / "Low.tla"), "--all-constants", *asked)
    named = "--library more --lemma Small --property Inv --all-constants"
    assert command_of(row) == f"verify prove Low.tla --config Low.cfg {named}"
    assert row.statistics["asked"]["says"] == "x < 3"


def test_the_command_sets_constants_of_a_module_as_a_configuration_writes_them(tmp_path: Path) -> None:
    said = {"S": "{{a}, {b}}", "W": '"w"', "T": "TRUE", "N": "3", "M": "m", "P": "<- Pair"}
    (tmp_path / "Told.tla").write_text(
        "---- MODULE Told ----\nEXTENDS Naturals\n"
        f"CONSTANTS {', '.join(said)}\nVARIABLE x\nPair == <<1, 2>>\n"
        "Init == x = 0\nNext == x' = P[1]\nInv == x = 0\n===="
    )
    said_so = "".join(f"{name} {word if '<-' in word else f'= {word}'}\n" for name, word in said.items())
    (tmp_path / "Told.cfg").write_text(f"INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANTS\n{said_so}")
    asked = ("bmc", "--spec", str(tmp_path / "Told.tla"), "--property", "Inv", "--depth", "2")
    (row,) = run_rows(*asked)
    words = shlex.split(command_of(row))
    assert words[:5] == ["verify", "bmc", "Told.tla", "--config", "Told.cfg"]
    settings = [words[at + 1] for at, word in enumerate(words) if word == "--set"]
    assert settings == [f"{name}={word}" for name, word in said.items() if name != "P"]
    given = [part for word in settings for part in ("--set", word)]
    (again,) = run_rows(*asked, *given)
    assert again.job_id == row.job_id


def test_the_command_line_writes_each_format(tmp_path: Path) -> None:
    run, trace = tmp_path / "run.json", tmp_path / "trace.itf.json"
    arguments = ("bmc", LOCK, "--property", "NotAllAsk", "--depth", "3", "--trace-out", str(trace))
    run.write_text(verify(*arguments, "--format", "json").stdout)
    assert json.loads(run.read_text())["results"][0]["verdict"] == "VIOLATED"
    for ending, begins in (
        (".md", "# "),
        (".xml", "<?xml"),
        (".html", "<!doctype"),
        (".json", "{"),
        (".txt", "run.json"),
    ):
        target = tmp_path / f"report{ending}"
        assert verify("report", str(run), "--out", str(target)).exit_code == 0
        assert target.read_text().startswith(begins)
    assert "LOCK" not in verify("report", str(run)).stdout
    of_trace = verify("report", str(trace), "--spec", LOCK, "--format", "json")
    assert of_trace.exit_code == 0, of_trace.output
    assert json.loads(of_trace.stdout)["rows"][0]["verdict"] == "VIOLATED"


@pytest.mark.parametrize("command", ["bmc", "explore", "prove", "simulate"])
def test_every_engine_writes_the_page(command: str, tmp_path: Path) -> None:
    target = tmp_path / "run.html"
    done = verify(command, LOCK, "--property", "NotAllAsk", "--html", str(target))
    assert done.exit_code == 10, done.output
    assert 'class="explorer"' in target.read_text()


def test_wrong_usage_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[]")
    assert "no ITF trace" in wrong("report", str(path))
    assert "cannot be read" in wrong("report", str(tmp_path / "none.json"))
    proof = ("prove", CHAIN, "--property", "StartsLow", "--certificate", str(tmp_path / "p.json"))
    assert verify(*proof).exit_code == 0
    assert "p.json is a certificate, neither a run nor a trace" in wrong("report", str(tmp_path / "p.json"))
    path.write_text('{"results": [], "engine": "bmc"}')
    assert "not a run of this version" in wrong("report", str(path))
    assert "one or the other" in wrong("report", str(path), "--html", "a.html", "--out", "b.html")
    assert "did you mean 'html'" in wrong("report", str(path), "--format", "htm")
    assert "cannot be written" in wrong("bmc", LOCK, "--html", str(tmp_path / "no" / "x.html"))


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("options",), None, "is not a run of this version"),
        (("seconds",), "long", 'seconds should be a number, it is "long"'),
        (("constants",), [], "constants should be an object or 'all' or 'assumed', it is []"),
        (("expected",), ["hold"], "did you mean 'holds'?"),
        (("results", 0, "verdict"), "PERHAPS", "PERHAPS"),
        (("results", 0, "trace", "#meta"), None, "results[0].trace.#meta should be an object, it is null"),
        (("results", 0, "trace", "states"), [], "results[0].trace.states is empty"),
        (("results", 0, "trace", "states", 2), {}, "results[0].trace.states[2].holder is missing"),
        (
            ("results", 0, "trace", "#meta", "domains"),
            {"Ask": {"n": {"#set": None}}},
            "trace.#meta.domains.Ask.n should be a list, it is null",
        ),
        (("results", 0, "verdict"), "PROVED", "results[0] says PROVED, and has a trace"),
        (("results", 0, "steps"), 1, "results[0] says 1 steps, and its trace has "),
        (("results", 0, "trace"), None, " steps, and has no trace"),
        (("results", 0, "trace", "loop"), 99, "results[0] says state 99 begins the loop, and its trace has "),
        (("results", 0, "property"), "Other", "results[0] says Other, and its trace is of NotAllAsk"),
        (("constants",), {"N": 9}, "results[0] says constants {'N': 9}, and its trace has "),
    ],
)
def test_a_damaged_run_is_refused(
    tmp_path: Path, place: tuple[str | int, ...], value: Any, words: str
) -> None:
    run = verify("bmc", LOCK, "--property", "NotAllAsk", "--depth", "3", "--format", "json").stdout
    content = json.loads(run)
    *outer, last = place
    reduce(lambda found, key: found[key], outer, content)[last] = value
    path = tmp_path / "run.json"
    path.write_text(json.dumps(content))
    assert words in wrong("report", str(path), "--format", "html")


def test_a_diagram_without_hints_has_lanes_for_what_is_named() -> None:
    row = kip320_first_try()
    assert row.trace is not None
    diagram = diagram_of(row.trace, None)
    assert [lane.name for lane in diagram.lanes] == ["r1", "r2", "r3", "shared"]
    assert all(not arrow.directed for arrow in diagram.arrows)
    fetches = [step for step in diagram.steps if step.action == "FollowerFetch"]
    assert fetches
    assert all(diagram.lanes[step.lane].name == dict(step.parameters)["follower"] for step in fetches)


def test_requests_are_arrows_from_the_step_that_sent_them() -> None:
    row = kip320_first_try()
    assert row.trace is not None
    diagram = diagram_of(row.trace, row.drawing)
    for number, step in enumerate(diagram.steps):
        if step.action == "BecomeLeader":
            (arrow,) = (a for a in diagram.arrows if a.received == number)
            assert diagram.lanes[arrow.sender].name == "controller"
            assert diagram.lanes[arrow.receiver].name == dict(step.parameters)["leader"]
            epoch = dict(step.parameters)["epoch"]
            written = [diagram.places[c.place].path for c in diagram.steps[arrow.sent].changes]
            assert f"requests[{epoch}].leader" in written


def test_a_folder_without_a_sweep_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    assert "is not the folder of a sweep" in wrong("report", str(tmp_path))


def key_of(row: Row, name: str) -> str:
    """The key of a row's job, of another property."""
    return job_id(row.spec_hash, row.constants, name, row.engine, row.options, row.tool_version)


def test_the_folder_of_a_sweep_is_a_report(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from verifier.sweep.store import Store

    rows = [*every().rows, kip320_first_try()]
    rows = [
        like(row, job_id=key_of(row, f"P{n}"), property_name=f"P{n}", trace=row.trace, steps=row.steps)
        for n, row in enumerate(rows)
    ]
    with Store(tmp_path / "sweep") as store:
        store.add(rows, "test")
    done = verify("report", str(tmp_path / "sweep"), "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["rows"]
    assert {row["job_id"] for row in found} == {row.job_id for row in rows}
    assert [row["property_name"] for row in found] == sorted(row["property_name"] for row in found)


def test_what_is_not_always_there_is_shown_whole() -> None:
    """A record within an option: no field of it has a value where there is none."""
    variant = ("--set", "variant=outbox-first", "--property", "Safety")
    (row,) = [row for row in run_rows("explore", "--spec", "exactly-once", *variant) if row.trace is not None]
    assert row.trace is not None
    diagram = diagram_of(row.trace, row.drawing)
    paths = [place.path for place in diagram.places]
    assert "msg[p1]" in paths
    assert not [path for path in paths if path.startswith(("msg[p1].", "snapshot[p1]."))]
    assert diagram.start[paths.index("msg[p1]")] == "–"


def test_several_runs_are_one_report(tmp_path: Path) -> None:
    runs = [tmp_path / "lock.json", tmp_path / "chain.json"]
    for run, spec in zip(runs, (LOCK, CHAIN), strict=True):
        run.write_text(verify("explore", spec, "--format", "json").stdout)
    both = json.loads(verify("report", *map(str, runs), "--format", "json").stdout)
    apart = [json.loads(verify("report", str(run), "--format", "json").stdout) for run in runs]
    assert both["title"] == "lock.json and chain.json"
    assert both["rows"] == [row for one in apart for row in one["rows"]]
    assert len({row["spec"] for row in both["rows"]}) == 2
    titled = verify("report", *map(str, runs), "--title", "Both").stdout
    assert titled.startswith("Both\n")
    assert "RUN" in wrong("report")
