"""``results/billion.md``: an exploration in files that is killed twice on the way, and resumed.

Run ``python -m results.generators.billion --work FOLDER``. The folder is on the disk that has room. The
exploration is killed with all its processes (SIGKILL) in the middle of a level, as soon as it knows a quarter
and half of the states that are expected. At the end an exploration in memory counts the levels again, as far
as memory goes. Other constants, depths and pages are options, for a trial.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from tabulate import tabulate

from tests.support.measuring import Measured, as_installed, measure_verify, verify
from verifier.version import tool_version

PAGE = Path(__file__).resolve().parents[1] / "billion.md"
_CONSTANTS = ("log_size=2", "max_records=2", "max_leader_epoch=5")
_SECONDS_BETWEEN_LOOKS = 1.0
_TEXT = """# A billion states on a small machine

`{called}`,
{made}, verify {version}, Python {python}, NumPy {numpy},
{compiler}, {machine}, {cores} cores, load {load}.

`{command}`

{states:,} distinct states, {generated:,} generated, depth {depth}, {whole}, in {seconds:,.0f} s.
{lost:,.0f} s of these are from a last whole level to a kill. {checked:,.0f} s are from a resumption,
which reads and checks all files, to the next whole level. {verdicts}.

| | |
|---|---|
| peak of the memory of all processes | {memory:,} MiB |
| peak of files | {disk:,} MiB |
| files at the end | {left:,} MiB |
| successors written by the last process | {exchanged:,} MiB |
| processor seconds | {cpu:,.0f} |
| microseconds for a state, by the clock | {microseconds:.2f} |

## How it went

It was killed with all its processes (SIGKILL), and resumed, {kills} times.

{parts}

## Levels

{compared}

{levels}
"""


@dataclass
class Part:
    """The costs and the end of one process."""

    ended: str
    seconds: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    disk: int = 0
    first: float = 0.0
    """Seconds until a level was whole."""
    last: float = 0.0
    """Seconds at which the last level was whole."""
    known: int = 0
    depth: int = 0
    output: str = ""


def main() -> None:
    """Explores, compares, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", required=True, type=Path, help="a folder that is not there")
    parser.add_argument("--set", action="append", dest="constants", metavar="NAME=VALUE")
    parser.add_argument("--depth", type=int, help="the last depth; all states if it is not given")
    parser.add_argument("--expected", type=int, default=1_000_000_000, help="kills come at parts of this")
    parser.add_argument("--into", type=float, default=15.0, help="seconds into a level before a kill")
    parser.add_argument("--memory", default="6GiB")
    parser.add_argument("--compared", type=int, default=17, help="the depth to which memory goes")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    options = parser.parse_args()
    words = ["explore", "--spec", "kip320", "--property", "StrongIsr"]
    words += [word for constant in options.constants or _CONSTANTS for word in ("--set", constant)]
    bounds = ["--depth", str(options.depth)] if options.depth is not None else []
    wanted = [*words, *bounds, "--workers", "2", "--memory", options.memory, "--work", str(options.work)]
    parts = [_run(wanted, options.work, options.expected // 4, options.into)]
    parts.append(_run([*wanted, "--resume"], options.work, options.expected // 2, options.into))
    parts.append(_run([*wanted, "--resume"], options.work, None, options.into))
    print(parts, file=sys.stderr, flush=True)
    left = _size_of(options.work)
    if not options.keep:
        shutil.rmtree(options.work)
    beside = measure_verify([*words, "--depth", str(options.compared), "--memory", options.memory])
    options.page.write_text(_page(wanted, parts, beside, left))


def _run(words: Sequence[str], folder: Path, killed_at: int | None, into: float) -> Part:
    """Explore until the end, or until a number of states is known and the next level has begun."""
    began, part = time.monotonic(), Part("at its end")
    with (folder.parent / f"{folder.name}.json").open("w+") as said:
        process = subprocess.Popen(
            verify(*words, "--format", "json"), stdout=said, env=as_installed(), start_new_session=True
        )
        try:
            _watch(process, part, folder, killed_at, into, began)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        part.seconds = time.monotonic() - began
        said.seek(0)
        part.output = said.read()
    if killed_at is None and not part.output:
        raise SystemExit(f"it ended with {process.returncode}")
    return part


def _watch(
    process: subprocess.Popen[bytes],
    part: Part,
    folder: Path,
    killed_at: int | None,
    into: float,
    began: float,
) -> None:
    """Measure until it ends, or is to be killed."""
    manifest, seen = folder / "manifest.json", 0
    with suppress(OSError):
        seen = manifest.stat().st_mtime_ns
    while process.poll() is None:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
        _measure(process.pid, part, folder)
        now = time.monotonic() - began
        with suppress(OSError, ValueError):
            if (changed := manifest.stat().st_mtime_ns) != seen:
                seen, part.last = changed, now
                part.first = part.first or now
                found = json.loads(manifest.read_text())["counts"]["found"]
                part.known, part.depth = found["known"], found["closed"]
                print(f"{now:8.0f} s  depth {part.depth}, {part.known:,} states", file=sys.stderr, flush=True)
        if killed_at is not None and part.known >= killed_at and now > part.last + into:
            part.ended = "killed"
            return


def _measure(pid: int, part: Part, folder: Path) -> None:
    cpu, memory = 0.0, 0
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                times = process.cpu_times()
                cpu += times.user + times.system + times.children_user + times.children_system
                memory += process.memory_info().rss
    part.cpu, part.memory = max(part.cpu, cpu), max(part.memory, memory)
    part.disk = max(part.disk, _size_of(folder))


def _size_of(folder: Path) -> int:
    """Return the bytes of the files in the folder, which may go away meanwhile."""
    total = 0
    for inner in (folder, folder / "states"):
        with suppress(OSError):
            for entry in os.scandir(inner):
                with suppress(OSError):
                    total += entry.stat().st_blocks * 512
    return total


def _page(words: Sequence[str], parts: Sequence[Part], beside: Measured, left: int) -> str:
    """The page. Raises SystemExit if counts differ."""
    content = json.loads(parts[-1].output)
    found, expected = content["statistics"], beside.content["statistics"]
    fully = len(expected["levels"])
    for name, count in (("levels", fully), ("generated_by_level", len(expected["generated_by_level"]))):
        if found[name][:count] != expected[name][:count]:
            raise SystemExit(f"{name} differ: {found[name]} and {expected[name]}")
    seconds = sum(part.seconds for part in parts)
    memory = sum(expected["levels"])
    return _TEXT.format(
        called=" ".join(["python -m results.generators.billion", *sys.argv[1:]]),
        command=" ".join(["verify", *words]),
        made=f"{datetime.now(UTC):%Y-%m-%d}",
        version=tool_version(),
        python=platform.python_version(),
        numpy=np.__version__,
        compiler=_compiler(),
        machine=platform.machine(),
        cores=os.cpu_count(),
        load=f"{os.getloadavg()[2]:.1f}",
        states=found["distinct_states"],
        generated=found["generated_states"],
        depth=found["depth"],
        whole="which are all" if found["complete"] else "where it ended",
        seconds=seconds,
        lost=sum(part.seconds - part.last for part in parts[:-1]),
        checked=sum(part.first for part in parts[1:]),
        verdicts=", ".join(
            f"{one['property']}: {one['verdict']} in these states" for one in content["results"]
        ),
        memory=max(part.memory for part in parts) >> 20,
        disk=max(part.disk for part in parts) >> 20,
        left=left >> 20,
        exchanged=found["bytes_exchanged"] >> 20,
        cpu=sum(part.cpu for part in parts),
        microseconds=1e6 * seconds / found["distinct_states"],
        kills=sum(part.ended == "killed" for part in parts),
        parts=_table_of(parts),
        compared=f"In memory to depth {fully - 1}: {memory:,} states, {beside.cpu:.0f} processor seconds. "
        "Levels and generated states are equal.",
        levels=_levels(found, expected),
    )


def _table_of(parts: Sequence[Part]) -> str:
    headers = ["process", "ended", "depth closed", "states", "wall, s", "processors, s", "MiB", "files, MiB"]
    rows = [
        [
            number,
            part.ended,
            part.depth,
            f"{part.known:,}",
            f"{part.seconds:,.0f}",
            f"{part.cpu:,.0f}",
            f"{part.memory >> 20:,}",
            f"{part.disk >> 20:,}",
        ]
        for number, part in enumerate(parts, 1)
    ]
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)


def _levels(found: dict[str, Any], expected: dict[str, Any]) -> str:
    columns = (found["levels"], expected["levels"], found["generated_by_level"])
    rows = [
        [depth, *("" if count is None else f"{count:,}" for count in counts)]
        for depth, counts in enumerate(zip_longest(*columns))
    ]
    headers = ["depth", "states", "in memory", "generated so far"]
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)


def _compiler() -> str:
    """The first line of what the compiler says of itself."""
    with suppress(OSError):
        done = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=False)
        return done.stdout.splitlines()[0] if done.stdout else "no compiler"
    return "no compiler"


if __name__ == "__main__":
    main()
