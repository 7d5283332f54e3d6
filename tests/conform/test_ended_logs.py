"""A signal ends the judgement of logs: what is known of each is printed."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest

from tests.support.counter_logs import LONG, MAIN, write_counter
from verifier.conform.judging import LogQuestion, judge_logs
from verifier.processes import limits


@pytest.fixture
def counter(tmp_path: Path) -> tuple[str, ...]:
    write_counter(tmp_path)
    (tmp_path / "short.ndjson").write_text('{"event": "Inc"}\n')
    (tmp_path / "long.ndjson").write_text(LONG)
    return ("--spec", str(tmp_path / "Counter.tla"), "--map", str(tmp_path / "map.toml"), "--format", "json")


def _start(*words: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, "conform", *words], stdin=pipe, stdout=pipe, stderr=pipe
    )


def _unread(pipe: IO[bytes]) -> int:
    """The number of bytes that wait in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_logs_that_are_decided_keep_their_verdicts(
    counter: tuple[str, ...], tmp_path: Path, jobs: str, number: int
) -> None:
    logs = [str(tmp_path / name) for name in ("short.ndjson", "long.ndjson", "long.ndjson")]
    process = _start(*logs, *counter, "--jobs", jobs)
    assert process.stderr is not None
    assert b"short.ndjson: ACCEPTED" in process.stderr.readline()
    process.send_signal(number)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 12, errors.decode()
    found = [(one["verdict"], one["reason"]) for one in json.loads(output)["logs"]]
    ended = ("UNDECIDED", f"interrupted by {signal.Signals(number).name}")
    assert found == [("ACCEPTED", ""), ended, ended]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_limit_of_time_says_how_it_is_raised(
    counter: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    clock = time.monotonic
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: clock() * 1000))
    question = LogQuestion(counter[1], Path(counter[3]), timeout=200)
    for one in judge_logs(question, [tmp_path / "long.ndjson"] * 2, jobs):
        assert (one.verdict, one.reason) == ("UNDECIDED", "timeout of 200 s: raise --timeout")
        assert one.seconds > 0
    (one,) = judge_logs(LogQuestion(counter[1], Path(counter[3])), [tmp_path / "short.ndjson"])
    assert one.verdict == "ACCEPTED", "without a limit, no clock decides"


def test_a_log_that_grows_ends_at_a_signal(counter: tuple[str, ...]) -> None:
    process = _start("-", *counter)
    assert process.stdin is not None
    process.stdin.write(b'{"event": "Inc"}\n{"event": "Inc"}\n')
    process.stdin.flush()
    while _unread(process.stdin):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 12, errors.decode()
    (one,) = json.loads(output)["logs"]
    assert (one["verdict"], one["reason"]) == ("UNDECIDED", "interrupted by SIGINT")
    assert one["explained"] == one["lines"]
