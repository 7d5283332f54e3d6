"""``results/cluster.md``: sweeps on a standalone Spark cluster whose parts are killed.

Run ``python -m results.generators.cluster_trials --rounds 2``. Each trial starts a master and two workers,
and a sweep of jobs that take a second each and hold. At a random moment something is killed. Then the same
command runs once more. It needs Java.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from subprocess import Popen

import psutil
import pyspark

from tests.support.clusters import MASTER, WORKERS, Standalone, standalone
from tests.support.command_line import start_verify
from tests.support.sweeping import misbehaving
from verifier.errors import UsageError
from verifier.sweep.store import read_rows
from verifier.version import tool_version

TABLE = Path(__file__).resolve().parents[1] / "cluster.md"
_JOBS, _SECONDS = 12, 600.0
_SAYS = re.compile(r"^verify: .*|no worker is there|\d of \d workers lost", re.MULTILINE)
_TEXT = """# Sweeps on a cluster whose parts are killed

Run ``python -m results.generators.cluster_trials --rounds {rounds} --seed {seed}``. Made {made}, verify
{version}, Python {python}, Spark {spark}, {cores} cores, load {load:.0f} at the end.

Each trial starts a standalone Spark master and two workers of one core each on this machine, and a sweep of
{jobs} jobs that take a second each. Once some jobs are done, something is killed (SIGKILL). Then the same
command runs again. "First" and "again" are the exit codes, with the jobs that ran. A trial is wrong if a row
is lost, or there twice, or says anything but HOLDS(2), if a job that has a row runs again, if the second
command does not end with 0, if the first shows a traceback or ends with another code than 0 or 1 (of a
command that is killed itself nothing is asked), or if a process of the sweep is left.

{trials} trials, {wrong} wrong.

| what is killed | after rows | first | what it says | again | seconds | |
|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class _Case:
    """A fault: its words, and the function that kills."""

    words: str
    kill: Callable[[Standalone, Popen[str]], None]


def _driver(_: Standalone, process: Popen[str]) -> None:
    process.kill()


def _jvm(_: Standalone, process: Popen[str]) -> None:
    for child in psutil.Process(process.pid).children(recursive=True):
        if "java" in child.name():
            child.kill()


def _everything(cluster: Standalone, process: Popen[str]) -> None:
    process.kill()
    for name in (MASTER, *WORKERS):
        cluster.kill(name)


def _both_for_a_while(cluster: Standalone, _: Popen[str]) -> None:
    for name in WORKERS:
        cluster.kill(name)
    time.sleep(5)
    cluster.start("one")


_CASES = (
    _Case("a worker", lambda cluster, _: cluster.kill("one")),
    _Case("both workers; one is started 5 s later", _both_for_a_while),
    _Case("the master", lambda cluster, _: cluster.kill(MASTER)),
    _Case("the command", _driver),
    _Case("the driver's JVM", _jvm),
    _Case("the command and the whole cluster", _everything),
)


def main() -> None:
    """Makes the trials, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance, lines, wrong = Random(given.seed), list[str](), 0
    for case in _CASES * given.rounds:
        with tempfile.TemporaryDirectory() as folder:
            line, faults = _try(case, Path(folder), chance.randint(1, _JOBS - 3))
        wrong += bool(faults)
        lines.append(f"{line} {'; '.join(faults) or 'right'} |\n")
        print(lines[-1], end="", flush=True)
    head = _TEXT.format(
        rounds=given.rounds,
        seed=given.seed,
        made=f"{datetime.now(UTC):%Y-%m-%d}",
        version=tool_version(),
        python=platform.python_version(),
        spark=pyspark.__version__,
        cores=os.cpu_count(),
        load=os.getloadavg()[0],
        jobs=_JOBS,
        trials=len(lines),
        wrong=wrong,
    )
    TABLE.write_text(head + "".join(lines), encoding="utf-8")


def _try(case: _Case, folder: Path, after: int) -> tuple[str, list[str]]:
    """Return the cells of a trial, and its faults."""
    out, began, faults = folder / "run", time.monotonic(), list[str]()
    with standalone(folder / "cluster") as cluster:
        first = _sweep(folder, out, cluster)
        while len(_rows(out)) < after and first.poll() is None:
            time.sleep(0.1)
        own = psutil.Process(first.pid).children(recursive=True) if first.poll() is None else []
        case.kill(cluster, first)
        said, noise = first.communicate(timeout=_SECONDS)
        _, left = psutil.wait_procs(own, timeout=30)
        before = _rows(out)
        for name in (MASTER, *WORKERS):
            if name not in cluster.running:
                cluster.start(name)
        again = _sweep(folder, out, cluster)
        said_again, noise_again = again.communicate(timeout=_SECONDS)
        rows = read_rows(out)
    killed = first.returncode < 0
    if not killed and first.returncode not in (0, 1):
        faults.append(f"exit code {first.returncode}")
    if "Traceback" in noise + noise_again:
        faults.append("a traceback")
    if left:
        faults.append(f"{len(left)} processes are left")
    if again.returncode:
        faults.append(f"the second command ends with {again.returncode}")
    elif json.loads(said_again)["ran"] != _JOBS - len(before):
        faults.append("a job that has a row runs again")
    found = Counter((row.constants["trouble"], row.verdict.value, row.depth) for row in rows)
    if found != Counter({(number, "HOLDS", 2): 1 for number in range(1, _JOBS + 1)}):
        faults.append("rows are lost, twice, or others")
    ran = "killed" if killed else f"{first.returncode}, ran {json.loads(said)['ran']}"
    told = "; ".join(dict.fromkeys(_SAYS.findall(noise.replace(str(folder), ""))))
    second = f"{again.returncode}, ran {json.loads(said_again)['ran']}" if said_again else again.returncode
    cells = (case.words, after, ran, told[:200], second, f"{time.monotonic() - began:.0f}")
    return f"| {' | '.join(map(str, cells))} |", faults


def _sweep(folder: Path, out: Path, cluster: Standalone) -> Popen[str]:
    spec = misbehaving(folder, "time.sleep(1)")
    common = ("--spec", spec, "--property", "StartsLow", "--depth", "2", "--option", "solver=cadical")
    grid = ("--grid", f"trouble=1..{_JOBS}", "--out", str(out), "--format", "json", "--master", cluster.url)
    return start_verify("sweep", *common, *grid)


def _rows(out: Path) -> list[int]:
    try:
        return [row.constants["trouble"] for row in read_rows(out)]
    except UsageError:
        return []


if __name__ == "__main__":
    main()
