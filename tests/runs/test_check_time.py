"""The time of a command begins with it, and the engines of a check end before the check."""

from __future__ import annotations

import time

from tests.support.command_line import ROOT, start_verify
from verifier.cli import entry
from verifier.processes.limits import Limits
from verifier.runs.check_time import begin_of_engines, has_time

_SLOW_IMPORT = """
import sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "verifier.cli.main":
            time.sleep(1.2)
sys.meta_path.insert(0, Slow())
"""


def test_engines_end_before_the_check() -> None:
    assert begin_of_engines(Limits(60, since=100.0)) == 99.5
    assert begin_of_engines(Limits(2, since=100.0)) == 99.8
    assert begin_of_engines(Limits(since=100.0)) == 100.0


def test_no_engine_starts_that_could_not_report() -> None:
    now = time.monotonic()
    assert has_time(Limits())
    assert has_time(Limits(60, since=now - 50))
    assert not has_time(Limits(60, since=now - 59.8))


def test_the_time_of_a_command_begins_before_its_imports() -> None:
    """Each later command of a process begins when it is called."""
    module = ROOT / "docs" / "examples" / "FencedLock.tla"
    process = start_verify("check", str(module), "--timeout", "1s", first=_SLOW_IMPORT)
    shown, _ = process.communicate(timeout=60)
    assert process.returncode == 12, "the time is over before the first engine, or while the spec is read"
    assert "PROVED" not in shown
    assert abs(entry.take_start() - time.monotonic()) < 1
