"""One exploration by every means: `results/beyond-one-core.md`.

The same question in the memory of one process, by processes, on Spark, and with a quarter of the memory. All
counts must be equal. Processor seconds are those of all processes, looked at several times a second.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import psutil
from tabulate import tabulate

_ENTRY = "from verifier.cli.main import main; main()"
_COUNTS = ("distinct_states", "generated_states", "depth", "deadlocks", "levels", "actions", "complete")
_PROGRAM = 80 << 20
"""Bytes of the program without states, roughly."""
_SECONDS_BETWEEN_LOOKS = 0.2


@dataclass(frozen=True)
class Measured:
    """What a command took and said."""

    wall: float
    cpu: float
    load: float
    statistics: dict[str, Any]
    reason: str | None


def main() -> None:
    """Measures, and prints the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", default=[], dest="settings")
    parser.add_argument("--spec", default="kip320")
    parser.add_argument("--property", default="StrongIsr")
    parser.add_argument("--max-depth")
    parser.add_argument("--means", default="workers,local,cluster,memory", help="of these four some")
    given = parser.parse_args()
    question = ["--spec", given.spec, "--property", given.property]
    question += [word for setting in given.settings for word in ("--set", setting)]
    question += ["--max-depth", given.max_depth] if given.max_depth else []
    for part in _page(question, given.means.split(",")):
        print(part if part.startswith(("|", "#")) else f"{fill(part, 112)}\n", flush=True)


def _page(question: Sequence[str], means: Sequence[str]) -> Iterator[str]:
    yield "# Exploration beyond one core\n"
    command = f"python -m results.generators.beyond_one_core {' '.join(sys.argv[1:])}"
    yield (
        f"`{command.strip()}`, {datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {platform.machine()}, "
        f"{os.cpu_count()} cores. Whole commands, one after the other. Where the load is larger than the "
        "number of cores, other work took part of them: then the wall time says little, and the processor "
        "time of all processes more. Counts, levels and coverage are compared, and equal in all lines.\n"
    )
    first = _measured([*question])
    quarter = _PROGRAM + (first.statistics["peak_memory_bytes"] - _PROGRAM) // 4
    options = {
        "workers": ["--workers", "2"],
        "local": ["--master", "local[2]"],
        "cluster": ["--master", "local-cluster[2,1,2048]"],
        "memory": ["--memory", f"{quarter >> 20}MiB"],
    }
    rows = [_row("one process, in memory", first)]
    for name in means:
        found = _measured([*question, *options[name]])
        assert _counts(found) == _counts(first), name
        rows.append(_row(f"`{' '.join(options[name])}`", found))
    states, generated = first.statistics["distinct_states"], first.statistics["generated_states"]
    yield f"{states:,} states, {generated:,} generated.\n"
    headers = ["means", "wall, s", "processors, s", "load", "peak, MiB", "peak of a task, MiB", "files, MiB"]
    yield tabulate(rows, headers, tablefmt="github", disable_numparse=True)


def _counts(found: Measured) -> list[Any]:
    return [found.statistics[name] for name in _COUNTS]


def _row(name: str, found: Measured) -> list[str]:
    figures = found.statistics
    sizes = [figures.get(key) for key in ("peak_memory_bytes", "peak_task_memory_bytes", "bytes_in_files")]
    shown = ["" if size is None else f"{size / 2**20:,.0f}" for size in sizes]
    return [name, f"{found.wall:.1f}", f"{found.cpu:.1f}", f"{found.load:.1f}", *shown]


def _measured(arguments: Sequence[str]) -> Measured:
    command = [sys.executable, "-c", _ENTRY, "explore", *arguments, "--format", "json"]
    began, used = time.monotonic(), dict[int, float]()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.DEVNULL)
        while process.poll() is None:
            _look(process.pid, used)
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        said.seek(0)
        content = json.load(said)
    wall = time.monotonic() - began
    print(arguments, f"{wall:.1f} s", content["results"][0]["reason"], file=sys.stderr, flush=True)
    return Measured(
        wall, sum(used.values()), os.getloadavg()[0], content["statistics"], content["results"][0]["reason"]
    )


def _look(pid: int, used: dict[int, float]) -> None:
    """Notes the processor seconds of a process and its descendants."""
    try:
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            times = process.cpu_times()
            used[process.pid] = times.user + times.system
    except psutil.Error:
        return


if __name__ == "__main__":
    main()
