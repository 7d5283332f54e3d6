"""Makes the pictures in docs/images: `python -m tests.screenshots`. Needs Chromium, and some minutes."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

from tests.chromium import browser, prefer, screenshot, size
from tests.reporting import bookkeeper_data_loss, kip320_first_try, run_rows
from verifier.report.page import as_html
from verifier.report.report import Report
from verifier.runs.row import Row

_ROOT = Path(__file__).resolve().parent.parent
IMAGES = _ROOT / "docs" / "images"
STANDARD = _ROOT / "results" / "standard.html"
ENGINES = (("explore", "--timeout", "8s"), ("bmc", "--depth", "11", "--timeout", "8s"))


def swept() -> list[Row]:
    """Two protocols over a grid, by two engines."""
    rows: list[Row] = []
    places = itertools.product(("kip279", "kip320"), (2, 3), (1, 2), (1, 2), ENGINES)
    for spec, replicas, log_size, epoch, (engine, *options) in places:
        sets = (f"replicas={replicas}", f"log_size={log_size}", f"max_leader_epoch={epoch}")
        settings = [word for setting in sets for word in ("--set", setting)]
        rows += run_rows(engine, "--spec", spec, *settings, "--property", "StrongIsr", *options)
    return [row for row in rows if row.property_name == "StrongIsr"]


def main() -> None:
    """Takes each picture."""
    explorers = Report("Two counterexamples", (kip320_first_try(), bookkeeper_data_loss()))
    matrix = Report("StrongIsr over a grid", swept())
    pictures: tuple[tuple[str, Report | Path, str, str, tuple[int, int]], ...] = (
        ("standard-sweep", STANDARD, "#overview", "light", (1280, 1060)),
        ("kip320-first-try", explorers, "#verdict-1", "light", (1440, 1060)),
        ("bookkeeper-4-13", explorers, "#verdict-2", "dark", (1440, 1240)),
        ("matrix", matrix, "#overview", "light", (1280, 1060)),
        ("narrow", explorers, "#verdict-1", "dark", (560, 1100)),
    )
    IMAGES.mkdir(exist_ok=True)
    with browser() as driver, tempfile.TemporaryDirectory() as folder:
        for name, report, fragment, scheme, (width, height) in pictures:
            path = report if isinstance(report, Path) else Path(folder) / "report.html"
            if isinstance(report, Report):
                path.write_text(as_html(report), encoding="utf-8")
            prefer(driver, scheme)
            size(driver, width, height)
            driver.get("about:blank")
            driver.get(f"{path.as_uri()}{fragment}")
            driver.execute_async_script("setTimeout(arguments[0], 400)")
            screenshot(driver, IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
