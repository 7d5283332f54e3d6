"""The files that `verify tests` writes: replayed, read by conform, and run by pytest and Hypothesis."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, verify
from tests.testing.test_covering import COUNTER, TWO_PHASE

CONFIG = "INIT Init\nNEXT Next\nCONSTANT Stop = 3\nINVARIANT Small\n"
ADAPTER = '''
class CounterAdapter:
    """A counter, with a mistake if WRONG is set."""

    def start(self, state):
        self.x = state["x"]

    def close(self):
        pass

    def read_state(self):
        return {"x": self.x}

    def inc(self):
        self.x += 1

    def set(self, n):
        self.x = 1 if WRONG and n == 2 else n

    def rest(self):
        pass
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("Counter.tla").write_text(COUNTER)
    Path("Counter.cfg").write_text(CONFIG)
    return tmp_path / "made"


QUICK = """
from hypothesis import settings

settings.register_profile("quick", max_examples=20, stateful_step_count=10, deadline=None, database=None)
settings.load_profile("quick")
"""


def _run_pytest(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "."]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize(
    "spec", ["Counter.tla", str(TWO_PHASE), pytest.param("kip320", marks=pytest.mark.thorough)]
)
def test_executions_replay_and_conform(folder: Path, spec: str) -> None:
    depth = ("--depth", "2") if spec == "kip320" else ()
    verify("tests", "--spec", spec, "--cover", "instances", *depth, "--out", str(folder))
    logs = sorted(map(str, folder.glob("*.ndjson")))
    assert logs
    for file in folder.glob("*.itf.json"):
        done = verify("replay", str(file), "--spec", spec)
        assert (done.exit_code, done.stdout[:9]) == (0, "replayed:")
    done = verify("conform", *logs, "--spec", spec, "--map", str(folder / "mapping.toml"), "--format", "json")
    found = json.loads(done.stdout)["logs"]
    assert {one["verdict"] for one in found} == {"ACCEPTED"}
    assert len(found) == len(logs)


@pytest.mark.parametrize(("count", "words"), [("1", "1 execution in "), ("2", "2 executions in ")])
def test_executions_are_counted_in_words(folder: Path, count: str, words: str) -> None:
    done = verify("tests", "--spec", "Counter.tla", "--out", str(folder), "--count", count)
    assert f"wrote {words}" in done.stderr


def test_a_variable_with_compound_keys_is_left_out_of_the_mapping(folder: Path) -> None:
    made = ("--cover", "actions", "--depth", "2", "--out", str(folder))
    verify("tests", "--spec", "exactly-once", *made)
    mapping = (folder / "mapping.toml").read_text().splitlines()
    assert any(line.startswith('# outbox_staging = "state.outbox_staging": a log') for line in mapping)
    assert 'store = "state.store"' in mapping
    asked = ("--spec", "exactly-once", "--map", str(folder / "mapping.toml"))
    assert verify("conform", str(folder / "execution-001.ndjson"), *asked).exit_code == 0


def test_a_changed_execution_is_rejected_at_its_line(folder: Path) -> None:
    verify("tests", "--spec", "Counter.tla", "--out", str(folder))
    log = folder / "execution-001.ndjson"
    lines = log.read_text().splitlines()
    event = json.loads(lines[4])
    event["state"]["x"] += 40
    log.write_text("\n".join([*lines[:4], json.dumps(event), *lines[5:]]) + "\n")
    mapping = str(folder / "mapping.toml")
    done = verify("conform", str(log), "--spec", "Counter.tla", "--map", mapping, "--format", "json")
    (found,) = json.loads(done.stdout)["logs"]
    assert (found["verdict"], found["line"]) == ("REJECTED", 5)


def test_the_drafted_mapping_reads_them_too(folder: Path) -> None:
    verify("tests", "--spec", "Counter.tla", "--cover", "actions", "--out", str(folder))
    log = str(folder / "execution-001.ndjson")
    draft = verify("conform", log, "--spec", "Counter.tla", "--draft").stdout
    assert 'event = "action"' in draft
    mapping = folder / "draft.toml"
    mapping.write_text(draft.replace("# ignore", "ignore"))
    assert verify("conform", log, "--spec", "Counter.tla", "--map", str(mapping)).exit_code == 0


def test_old_executions_go_and_the_adapter_stays(folder: Path) -> None:
    asked = ("tests", "--spec", "Counter.tla", "--depth", "3", "--out", str(folder), "--format", "pytest")
    verify(*asked)
    many = set(folder.glob("*.ndjson"))
    (folder / "counter_adapter.py").write_text("# mine\n")
    (folder / "notes.ndjson").write_text("")
    verify(*asked, "--count", "1")
    assert len(many) > 1
    assert {path.name for path in folder.glob("*.ndjson")} == {"execution-001.ndjson", "notes.ndjson"}
    assert (folder / "counter_adapter.py").read_text() == "# mine\n"


@pytest.mark.thorough
@pytest.mark.parametrize("is_wrong", [False, True])
@pytest.mark.parametrize("form", ["pytest", "hypothesis"])
def test_generated_modules_find_a_mistake(folder: Path, form: str, is_wrong: bool) -> None:
    verify("tests", "--spec", "Counter.tla", "--out", str(folder), "--format", form)
    stub = (folder / "counter_adapter.py").read_text()
    assert "def set(self, n: Any) -> None:" in stub
    (folder / "counter_adapter.py").write_text(f"WRONG = {is_wrong}\n{ADAPTER}")
    (folder / "conftest.py").write_text(QUICK)
    done = _run_pytest(folder)
    if not is_wrong:
        assert done.returncode == 0, done.stdout
        return
    assert done.returncode == 1
    if form == "pytest":
        assert "after Set{'n': 2}: x is 1, and the specification says 2" in done.stdout
    else:
        assert "no step of Set(n=2) leads to what the implementation shows" in done.stdout
        assert "x is 1, and not 2" in done.stdout


@pytest.mark.thorough
def test_a_stub_says_what_is_missing(folder: Path) -> None:
    verify("tests", "--spec", "Counter.tla", "--out", str(folder), "--format", "pytest", "--cover", "actions")
    done = _run_pytest(folder)
    assert done.returncode == 1
    assert "NotImplementedError: start" in done.stdout


@pytest.mark.parametrize("form", ["pytest", "hypothesis"])
def test_generated_modules_follow_the_style(folder: Path, form: str) -> None:
    verify("tests", "--spec", str(TWO_PHASE), "--out", str(folder), "--format", form, "--cover", "actions")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--line-length", "110"]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
