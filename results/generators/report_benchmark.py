"""The size of large reports, and the time to write and to open them. `make bench` runs it; it needs Chromium.

Opening a report lasts from the navigation until the page is loaded and a frame with it is drawn.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from tabulate import tabulate

from tests.support.chromium import browser, size
from tests.support.examples import grid, kip320_first_try
from tests.support.report_timing import filter_milliseconds, many_verdicts, opening_seconds
from verifier.report.page import as_html
from verifier.report.report import Report


def long_trace(steps: int) -> Report:
    """Return one execution of this number of steps, made of the same few."""
    row = kip320_first_try()
    assert row.trace is not None
    states = list(row.trace["states"])
    repeated = [*states, *(states[1:] * steps)][: steps + 1]
    return Report(f"{steps} steps", (replace(row, trace={**row.trace, "states": repeated}, steps=steps),))


def main() -> None:
    """Prints the table."""
    rows = []
    reports = (
        ("500 jobs, 50 traces", grid(500, 50), "#overview"),
        ("of these, a counterexample", grid(500, 50), "#verdict-1"),
        ("9,600 jobs", many_verdicts(), "#overview"),
        ("1 trace of 400 steps", long_trace(400), ""),
    )
    with browser() as driver, tempfile.TemporaryDirectory() as folder:
        size(driver, 1440, 1000)
        for name, report, fragment in reports:
            path = Path(folder) / "report.html"
            began = time.perf_counter()
            path.write_text(as_html(report), encoding="utf-8")
            writing = time.perf_counter() - began
            megabytes = path.stat().st_size / 1e6
            opening = opening_seconds(driver, f"{path.as_uri()}{fragment}")
            filtering = filter_milliseconds(driver)
            figures = [f"{megabytes:.2f}", f"{writing:.2f}", f"{opening:.2f}"]
            figures += ["" if filtering is None else f"{filtering:.0f}"]
            rows.append([name, *figures])
    heads = ["report", "MB", "to write, s", "to open, s", "to filter, ms"]
    print(tabulate(rows, heads, tablefmt="github"))


if __name__ == "__main__":
    main()
