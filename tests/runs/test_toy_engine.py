"""A new engine is one module and one line: it then works as a command, in grids, manifests and reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import ROOT

SPEC = str(ROOT / "docs" / "tutorial" / "lease_lock.py")
LINE = '        "toy": ("verifier.runs.toy", "Look at a few states."),\n'
MANIFEST = """\
[[cell]]
id = "lease"
spec = "lease_lock.py"
engine = "toy"
depth = 9
spec_hash = "{spec_hash}"
options = {{ most_states = 9000 }}
[cell.expect]
no_lost_write = {{ verdict = "violated", steps = {steps} }}
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that has the engine."""
    folder = tmp_path_factory.mktemp("toy")
    shutil.copytree(ROOT / "verifier", folder / "verifier", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests" / "support" / "toy_engine.py", folder / "verifier" / "runs" / "toy.py")
    table = folder / "verifier" / "runs" / "table.py"
    text = table.read_text()
    place = text.index('        "bmc": (')
    table.write_text(text[:place] + LINE + text[place:])
    return folder


def verify(package: Path, *words: str) -> subprocess.CompletedProcess[str]:
    code = "from verifier.cli.entry import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_a_command(package: Path) -> None:
    assert "Look at a few states." in verify(package, "--help").stdout
    words = " ".join(verify(package, "toy", "--help").stdout.split())
    assert "--most-states" in words
    assert "[default: 10000]" in words
    done = verify(package, "toy", "--spec", SPEC, "--property", "no_lost_write", "--depth", "9")
    assert done.returncode == 10, done.stderr
    assert "VIOLATED in" in done.stdout
    assert "a look to depth 9" in done.stderr
    bad = verify(package, "toy", "--spec", SPEC, "--most-states", "0")
    assert (bad.returncode, "it takes an integer, at least 1" in bad.stderr) == (2, True)


@pytest.mark.thorough
def test_it_gives_json_and_reports(package: Path, tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    words = ("toy", "--spec", SPEC, "--property", "no_lost_write", "--depth", "9", "--format", "json")
    done = verify(package, *words, "--html", str(page))
    content = json.loads(done.stdout)
    assert content["engine"] == "toy"
    assert content["options"]["most_states"] == 10_000
    assert page.stat().st_size > 10_000
    (tmp_path / "run.json").write_text(done.stdout)
    reported = verify(package, "report", str(tmp_path / "run.json"), "--format", "markdown")
    assert "VIOLATED in" in reported.stdout
    again = verify(package, "report", str(tmp_path / "run.json"), "--format", "json")
    (row, *_) = json.loads(again.stdout)["rows"]
    assert "verify toy lease_lock.py" in row["command"]
    assert "--depth 9" in row["command"]


@pytest.mark.thorough
def test_it_works_in_a_manifest(package: Path, tmp_path: Path) -> None:
    shutil.copy(SPEC, tmp_path)
    asked = ("toy", "--spec", SPEC, "--property", "no_lost_write", "--depth", "9", "--format", "json")
    run = json.loads(verify(package, *asked).stdout)
    steps = run["results"][0]["steps"]
    manifest = tmp_path / "verify.toml"
    for expected, code in ((steps, 0), (steps + 1, 10)):
        manifest.write_text(MANIFEST.format(steps=expected, spec_hash=run["spec_hash"]))
        done = verify(package, "ci", str(manifest), "--cell", "lease")
        assert done.returncode == code, done.stdout + done.stderr
    manifest.write_text(manifest.read_text().replace("most_states", "most_stetes"))
    assert "did you mean 'most_states'?" in verify(package, "ci", str(manifest)).stderr


@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")
@pytest.mark.slow
def test_it_works_in_a_grid(package: Path, tmp_path: Path) -> None:
    grid = ("--spec", SPEC, "--property", "no_lost_write", "--engine", "toy", "--depth", "9")
    done = verify(package, "sweep", *grid, "--option", "most_states=9000", "--out", str(tmp_path / "rows"))
    assert done.returncode == 10, done.stderr
    report = verify(package, "report", str(tmp_path / "rows"), "--format", "json")
    (row,) = json.loads(report.stdout)["rows"]
    assert (row["engine"], row["verdict"]) == ("toy", "VIOLATED")
    assert row["options"]["most_states"] == 9000
