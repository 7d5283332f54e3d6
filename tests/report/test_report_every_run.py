"""Reports of every command, every kind of result and every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

from tests.support.command_line import LOCK, ROOT, verify
from tests.support.sampling import some_of
from verifier.report.formats import FORMATS
from verifier.runs.table import ENGINES
from verifier.verdict import VerdictKind

CORRIDOR = LOCK.replace("LockServer", "Corridor")
FENCED = str(ROOT / "docs" / "examples" / "FencedLock.tla")

RUNS: list[tuple[tuple[str, ...], str]] = [
    (("bmc", LOCK, "--depth", "2", "--steps", "serial", "--property", "NotAllAsk"), "HOLDS"),
    (("bmc", LOCK, "--depth", "3", "--property", "NotAllAsk"), "VIOLATED"),
    (("bmc", FENCED, "--set", "Fencing=FALSE", "--property", "InOrder"), "VIOLATED"),
    (("explore", LOCK, "--property", "HolderWaitsNoMore"), "HOLDS"),
    (("explore", LOCK, "--property", "NotAllAsk", "--max-states", "1"), "INCONCLUSIVE"),
    (("simulate", LOCK, "--property", "NotAllAsk", "--walks", "5", "--depth", "9"), "VIOLATED"),
    (("prove", LOCK, "--property", "HolderWaitsNoMore", "--engine", "ic3"), "PROVED"),
    (("prove", LOCK, "--property", "NotAllAsk"), "VIOLATED"),
    (("prove", FENCED, "--property", "OneEach"), "PROVED"),
    (("prove", LOCK, "--property", "HolderWaitsNoMore", "--all-constants"), "PROVED"),
    (("prove", LOCK, "--property", "NotAllAsk", "--all-constants"), "VIOLATED"),
    (("induct", LOCK, "--property", "HolderWaitsNoMore"), "PROVED"),
    (("induct", LOCK, "--property", "NotAllAsk"), "NOT_INDUCTIVE"),
    (("live", FENCED, "--property", "Released"), "PROVED"),
    (("live", FENCED, "--property", "Released", "--fairness", "none"), "VIOLATED"),
    (("bmc", CORRIDOR, "--depth", "3", "--property", "AtFour"), "REACHED"),
    (("explore", CORRIDOR, "--property", "AtFour"), "REACHED"),
    (("explore", CORRIDOR, "--property", "AtFive"), "VIOLATED"),
    (("simulate", CORRIDOR, "--property", "AtFour", "--walks", "5", "--depth", "5"), "REACHED"),
    (("simulate", LOCK, "--property", "HolderWaitsNoMore", "--walks", "5", "--depth", "3"), "INCONCLUSIVE"),
    (("prove", CORRIDOR, "--property", "AtFour"), "REACHED"),
    (("check", CORRIDOR, "--property", "AtFour"), "REACHED"),
    (("check", LOCK, "--property", "HolderWaitsNoMore"), "PROVED"),
    (("check", LOCK, "--property", "NotAllAsk"), "VIOLATED"),
    (("check", FENCED, "--property", "OneEach"), "PROVED"),
]
ERRORS: list[tuple[str, ...]] = [
    ("bmc", LOCK, "--depth", "1", "--property", "NotAllAsk"),
    ("induct", LOCK, "--property", "HolderWaitsNoMore"),
    ("live", FENCED, "--property", "Released"),
]


def test_every_engine_and_every_kind_of_verdict_is_in_the_table() -> None:
    assert {command[0] for command, _ in RUNS} == set(ENGINES)
    assert {verdict for _, verdict in RUNS} == {kind.value for kind in VerdictKind} - {"ERROR"}
    for command in ("bmc", "explore", "simulate", "prove", "check"):
        assert {"REACHED", "VIOLATED"} <= {verdict for own, verdict in RUNS if own[0] == command}


@pytest.mark.parametrize(("command", "verdict"), some_of(RUNS, every=3), ids=str)
def test_every_format_has_the_verdict(command: tuple[str, ...], verdict: str, tmp_path: Path) -> None:
    page, run = tmp_path / "run.html", tmp_path / "run.json"
    done = verify(*command, "--html", str(page), "--format", "json")
    run.write_text(done.stdout)
    content = json.loads(done.stdout)
    asked = command[command.index("--property") + 1]
    (result,) = (result for result in content["results"] if result["property"] == asked)
    assert result["verdict"] == verdict
    assert done.exit_code == content["exit_code"]
    for name in FORMATS:
        report = verify("report", str(run), "--format", name)
        assert report.exit_code == 0, report.output
        assert asked in report.stdout, name
        if name == "junit":
            names = etree.fromstring(report.stdout.encode()).xpath("//testcase/@name")
            assert len(names) == len(content["results"])
        elif name == "json":
            rows = json.loads(report.stdout)["rows"]
            assert verdict in [row["verdict"] for row in rows if row["property_name"] == asked]
        else:
            assert verdict in report.stdout.replace("\\_", "_"), name  # Markdown escapes it
    assert page.read_text().startswith("<!doctype")
    assert f'class="chip {verdict}"' in page.read_text()


@pytest.mark.parametrize("command", some_of([(one,) for one in ERRORS], every=3), ids=str)
def test_every_format_says_that_there_is_no_verdict(command: tuple[str, ...], tmp_path: Path) -> None:
    """The verdict of a run that contradicts itself, which no engine gives on request."""
    content = json.loads(verify(*command, "--format", "json").stdout)
    for result in content["results"]:
        result |= {"verdict": "ERROR", "trace": None, "steps": None, "reason": "the recheck disagrees"}
    run = tmp_path / "run.json"
    run.write_text(json.dumps({**content, "exit_code": 1}))
    for name in FORMATS:
        report = verify("report", str(run), "--format", name)
        assert report.exit_code == 0, report.output
        assert ("<error" if name == "junit" else "ERROR") in report.stdout, name
        assert "the recheck disagrees" in report.stdout, name


def test_a_proof_for_all_constants_says_so(tmp_path: Path) -> None:
    run = tmp_path / "run.json"
    command = ("prove", LOCK, "--property", "HolderWaitsNoMore", "--all-constants", "--format", "json")
    run.write_text(verify(*command).stdout)
    (assumption,) = json.loads(run.read_text())["assumptions"]
    assert "(all constants)" in verify("report", str(run)).stdout
    page = verify("report", str(run), "--format", "html").stdout
    assert "violates it, for all constants" in page
    assert assumption.replace(">", "&gt;") in page
