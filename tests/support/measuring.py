"""Measurements of a whole command: processor seconds of all its processes, memory, clock time."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_TO_END = 30.0
_RUN = """
import json, resource, signal, subprocess, sys
signal.signal(signal.SIGINT, lambda *_: None)
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.stdout.decode(), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
"""
"""A small process of its own: a process counts the memory of the one that started it as its own peak. An
interrupt that reaches both leaves it waiting for the command, which would ignore it were it ignored here."""


def as_installed() -> dict[str, str]:
    """Return the environment of a command whose bytecode is kept, as for an installation."""
    return {name: said for name, said in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Ended:
    """The costs and the output of a command."""

    code: int
    output: str
    error: str
    wall: float
    cpu: float
    """Processor seconds of all its processes."""

    @property
    def last_error(self) -> str:
        """The last line that it wrote to standard error."""
        return (self.error.strip().splitlines() or ["no output"])[-1]


def verify(*words: str) -> list[str]:
    """The command of `verify` with these words."""
    return [sys.executable, "-c", "from verifier.cli.entry import main; main()", *words]


def run_to_end(
    command: Sequence[str],
    *,
    limit: float | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended | None:
    """Run a command to its end; None if that takes longer than the limit, in seconds. ``environment``:
    variables beside those of an installation."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit,
            cwd=folder,
            env={**as_installed(), **(environment or {})},
        )
    except subprocess.TimeoutExpired:
        return None
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ended(done.returncode, done.stdout, done.stderr, wall, cpu)


@dataclass(frozen=True)
class Measured:
    """The costs and the output of a command."""

    wall: float
    cpu: float
    """Processor seconds of all its processes; of those that it left to themselves, as seen while they ran."""
    memory: int
    """Bytes of its largest process."""
    load: float
    content: dict[str, Any]
    """Its JSON; empty if it ended without."""


def measure_verify(arguments: Sequence[str], cpu_limit: float | None = None) -> Measured:
    """Run `verify` with these arguments; interrupt it after this number of processor seconds."""
    began = time.monotonic()
    command = [sys.executable, "-c", _RUN, *verify(*arguments, "--format", "json")]
    seen = 0.0
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=said, env=as_installed())
        try:
            while process.poll() is None:
                time.sleep(_SECONDS_BETWEEN_LOOKS)
                seen = max(seen, _processor_seconds(process.pid))
                if cpu_limit is not None and seen > cpu_limit:
                    break
        finally:  # what measures may be interrupted alone, too
            if process.poll() is None:
                _end(process)
        wall = time.monotonic() - began
        said.seek(0)
        output, cpu, memory = json.load(said)
    content = json.loads(output) if output.strip() else {}
    return Measured(wall, max(seen, cpu), memory, os.getloadavg()[0], content)


def _processor_seconds(pid: int) -> float:
    """Return the processor seconds of a process, its descendants, and those of them that ended."""
    total = 0.0
    for process in _tree(pid):
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def _tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupts the command, and kills what does not end."""
    commands = psutil.Process(process.pid).children()
    for command in commands:
        command.send_signal(signal.SIGINT)
    _, alive = psutil.wait_procs(commands, timeout=_SECONDS_TO_END)
    for command in alive:
        for one in reversed(_tree(command.pid)):
            one.kill()
    process.wait()
