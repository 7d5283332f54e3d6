"""Every engine against the naive reading, on random protocols.

``python -m tests.support.naive_differential FIRST COUNT`` does it for this number of seeds on all cores. Each
disagreement is printed with its seed; an exception counts as one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from tests.support.naive_comparisons import disagreements, subject_of


@dataclass(frozen=True)
class Report:
    """The result of one seed."""

    seed: int
    complaints: tuple[str, ...]
    depth: int = 0
    violated: int = 0


SEEDS_OF_A_PROCESS = 50
EVERY_SLOW = 25
"""The interval of seeds of which one is also checked with child processes."""


def report_of(seed: int) -> Report:
    """Compares one seed."""
    try:
        subject = subject_of(seed)
    except Exception:  # noqa: BLE001
        return Report(seed, (f"an exception: {traceback.format_exc()}",))
    found = tuple(disagreements(subject, seed % EVERY_SLOW == 0))
    return Report(seed, found, subject.depth, len(subject.truth.steps))


def _in_a_process(first: int, count: int) -> list[Report]:
    """The reports of some seeds from a process of its own, which gives its memory back at its end."""
    command = [sys.executable, "-m", "tests.support.naive_differential", "--reports", str(first), str(count)]
    reports, said = [], ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 * count)
        reports = [Report(**json.loads(line)) for line in done.stdout.splitlines()]
        said = done.stderr[-2000:]
    except subprocess.TimeoutExpired:
        said = "it takes too long"
    missing = set(range(first, first + count)) - {report.seed for report in reports}
    if missing:
        reports.append(Report(min(missing), (f"no report of {len(missing)} seeds: {said}",)))
    return reports


def main(first: int, count: int) -> int:
    """Compares many seeds on all cores; the number of seeds that disagree."""
    began, totals = time.monotonic(), Counter[str]()
    starts = range(first, first + count, SEEDS_OF_A_PROCESS)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        groups = (min(SEEDS_OF_A_PROCESS, first + count - start) for start in starts)
        for reports in pool.map(_in_a_process, starts, groups):
            for report in reports:
                totals["compared"] += 1
                totals["disagreeing"] += bool(report.complaints)
                totals["properties violated or reached"] += report.violated
                for complaint in report.complaints:
                    print(f"seed {report.seed}: {complaint}", flush=True)
    figures = ", ".join(f"{number} {what}" for what, number in totals.items())
    print(f"seeds {first} to {first + count - 1}: {figures}; {time.monotonic() - began:.0f} s")
    return totals["disagreeing"]


if __name__ == "__main__":
    *mode, low, number = sys.argv[1:]
    if mode:
        for each in range(int(low), int(low) + int(number)):
            print(json.dumps(asdict(report_of(each))), flush=True)
    else:
        sys.exit(bool(main(int(low), int(number))))
