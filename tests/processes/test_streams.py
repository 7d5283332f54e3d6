"""Standard output and error that are full or closed: an exit code that is no internal error, and one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import psutil
import pytest

from tests.support.command_line import ENDLESS, FAST, LOCK, ROOT
from tests.support.sampling import some_of
from tests.support.signals import full_terminal

MAIN = "from verifier.cli.entry import main; main()"
FOUND = ("bmc", "--spec", LOCK, "--property", "NotAllAsk", "--depth", "3", *FAST)
COMMANDS = [("list",), ("--version",), ("--help",), ("show", LOCK), FOUND, (*FOUND, "--format", "json")]
SOME = some_of([(command,) for command in COMMANDS], every=2)


def run_main(*arguments: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MAIN, *arguments]
    return subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        timeout=120,
        check=False,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
    )


@pytest.mark.parametrize("arguments", SOME, ids=" ".join)
def test_a_full_standard_output_is_one_line(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = run_main(*arguments, stdout=full)
    assert done.returncode == 2
    said = "verify: standard output cannot be written: no space left on device"
    assert done.stderr.splitlines()[-1] == said
    assert done.stderr.count("verify: ") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", SOME, ids=" ".join)
def test_a_reader_that_went_away_is_told_nothing(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run_main(*arguments, stdout=writing)
    os.close(writing)
    assert done.returncode == 141
    assert "verify: " not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("descriptor", [1, 2])
def test_without_a_stream_the_exit_code_says_what_was_found(descriptor: int) -> None:
    assert run_main(*FOUND, preexec_fn=lambda: os.close(descriptor)).returncode == 10


def test_where_nobody_can_be_told_the_exit_code_says_it() -> None:
    with open("/dev/full", "w") as full:
        assert run_main(*FOUND, stderr=full).returncode == 10
        assert run_main("show", "nothing", stderr=full).returncode == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("blocking", [True, False])
def test_a_terminal_that_nobody_reads_delays_no_signal(number: int, blocking: bool) -> None:
    ours, theirs = full_terminal(room=0)
    os.set_blocking(theirs, blocking)
    words = [sys.executable, "-c", MAIN, *ENDLESS, "--format", "json"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=theirs, cwd=ROOT)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
        used = psutil.Process(process.pid).cpu_times().user
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        assert psutil.Process(process.pid).cpu_times().user - used < 0.5  # it waits
        process.send_signal(number)
        assert process.wait(10) == 12
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)
