"""``verify conform --master``: logs on Spark have the verdicts that they have here."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import verifier
from tests.support.command_line import verify, wrong
from tests.support.counter_logs import LONG, MAIN, write_counter
from verifier.errors import UsageError
from verifier.specs.kafka.async_isr import AsyncIsr

_LOGS = {
    "good": '{"event": "Inc"}\n{"event": "Dec"}\n',
    "bad": '{"event": "Inc"}\n{"event": "Dec"}\n{"event": "Dec"}\n',
    "broken": '{"event": "Inc"}\nno JSON\n',
    "empty": "",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_counter(tmp_path)
    for name, text in _LOGS.items():
        (tmp_path / f"{name}.ndjson").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


_ASKED = ("--spec", "Counter.tla", "--map", "map.toml", "--format", "json")


def _judge_logs(*words: str) -> list[dict[str, Any]]:
    done = verify("conform", *(f"{name}.ndjson" for name in _LOGS), *_ASKED, *words)
    assert done.exit_code == 2, done.output  # for the log that cannot be read
    found: list[dict[str, Any]] = json.loads(done.stdout)["logs"]
    return [{key: value for key, value in one.items() if key != "seconds"} for one in found]


@pytest.mark.thorough
def test_logs_on_spark_have_the_verdicts_that_they_have_here(folder: Path) -> None:
    here = _judge_logs()
    assert [one["verdict"] for one in here] == ["ACCEPTED", "REJECTED", "ERROR", "ACCEPTED"]
    there = _judge_logs("--master", "local[2]")
    whole = str(folder)
    assert json.loads(json.dumps(there).replace(f"{whole}/", "")) == here


@pytest.mark.thorough
def test_a_signal_keeps_what_was_decided_and_ends_spark(folder: Path) -> None:
    (folder / "long.ndjson").write_text(LONG)
    words = ("conform", "good.ndjson", "long.ndjson", *_ASKED, "--master", "local[2]")
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    while "good.ndjson: ACCEPTED" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 12
    assert [one["verdict"] for one in json.loads(printed)["logs"]] == ["ACCEPTED", "UNDECIDED"]


def test_what_spark_cannot_do_is_refused_at_once(folder: Path) -> None:
    asked = ("conform", "good.ndjson", "bad.ndjson", *_ASKED)
    assert "is not a master of Spark" in wrong(*asked, "--master", "somewhere")
    assert "they need --master" in wrong(*asked, "--conf", "a=b")
    assert "--conf a" in wrong(*asked, "--master", "local[2]", "--conf", "a")
    assert "standard input" in wrong("conform", "-", "bad.ndjson", *_ASKED, "--master", "local[2]")


@pytest.mark.thorough
def test_python_judges_logs_on_spark(folder: Path) -> None:
    counter = verifier.load("Counter.tla")
    logs = [f"{name}.ndjson" for name in _LOGS]
    here = counter.conform(*logs, mapping="map.toml")
    there = counter.conform(*logs, mapping="map.toml", master="local[2]")
    assert [one.verdict for one in there] == ["ACCEPTED", "REJECTED", "ERROR", "ACCEPTED"]
    assert [(one.log, one.verdict, one.line) for one in here] == [
        (one.log, one.verdict, one.line) for one in there
    ]


def test_what_spark_cannot_do_is_refused_in_python_at_once(folder: Path) -> None:
    counter = verifier.load("Counter.tla")
    with pytest.raises(UsageError, match="they need master"):
        counter.conform("good.ndjson", mapping="map.toml", conf={"a": "b"})
    with pytest.raises(UsageError, match="is not a master of Spark"):
        counter.conform("good.ndjson", mapping="map.toml", master="somewhere")
    with pytest.raises(UsageError, match="load it by its file"):
        verifier.load(AsyncIsr).conform("good.ndjson", mapping={}, master="local[2]")
