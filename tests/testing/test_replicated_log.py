"""The example docs/examples/replicated_log: its tests and its log find the bug, and nothing is left."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, verify

EXAMPLE = ROOT / "docs" / "examples" / "replicated_log"
SESSION = (EXAMPLE / "README.md").read_text()
CONFORM = ("conform", "run.ndjson", "--spec", "ReplicatedLog.tla", "--map", "log.toml")


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "service", raising=False)
    return folder


@pytest.mark.usefixtures("example")
def test_the_log_with_the_bug_is_rejected_at_its_line() -> None:
    import service  # type: ignore[import-not-found]

    before = threading.active_count()
    service.main("run.ndjson")
    assert verify(*CONFORM).exit_code == 0
    service.main("run.ndjson", "--bug")
    done = verify(*CONFORM)
    assert done.exit_code == 10
    shown = SESSION.split("--map log.toml\n")[-1].split("…")[0]
    assert shown.startswith("run.ndjson:3: REJECTED")
    assert done.stdout.startswith(shown)
    assert threading.active_count() == before


@pytest.mark.usefixtures("example")
def test_a_closed_follower_leaves_no_port() -> None:
    import service

    follower = service.Follower()
    follower.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(follower.address, timeout=1)


@pytest.mark.usefixtures("example")
def test_the_bug_does_not_break_the_specification() -> None:
    assert verify("explore", "--spec", "ReplicatedLog.tla").exit_code == 0


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["pytest", "hypothesis"])
@pytest.mark.parametrize("bug", [False, True])
def test_generated_tests_find_the_bug(example: Path, form: str, bug: bool) -> None:
    asked = re.search(r"\$ verify (tests .*) --format pytest", SESSION)
    assert asked is not None
    done = verify(*asked[1].split(), "--format", form)
    if form == "pytest":
        assert done.stdout in SESSION
    else:
        conftest = "from hypothesis import settings\n"
        conftest += 'settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True)\n'
        (example / "tests" / "conftest.py").write_text(f'{conftest}settings.load_profile("quick")\n')
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **({"REPLICATED_LOG_BUG": "1"} if bug else {})}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "tests"]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=60)
    assert ran.returncode == int(bug), ran.stdout
    if bug and form == "pytest":
        failure = re.search(r"(AssertionError: .*)\n(.*specification says.*)\n", SESSION)
        assert failure is not None
        assert f"{failure[1]} {failure[2]}" in ran.stdout
    elif bug:
        assert re.search(r"no step of (Replicate|LoseAck)\(f='f\d'\) leads to what", ran.stdout)
