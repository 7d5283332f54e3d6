"""Makes the pictures in docs/images: `python -m results.generators.screenshots [NAME...]`.

It needs Chromium and a minute. The sweep is the report that `make report` writes. It notes which
scripts, styles and templates drew a picture, so that a test can tell when the picture is too old.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from click.testing import CliRunner

from tests.support.chromium import browser, connect, prefer, screenshot, size
from tests.support.examples import bookkeeper_data_loss, kip320_first_try, rabbit_lasso, run_rows
from tests.support.serving import serving
from tests.support.two_recoveries import two_recoveries_report
from verifier.cli.main import cli
from verifier.outcomes.row import Row
from verifier.report.page import as_html
from verifier.report.report import Report
from verifier.server.web import WalkServer

_ROOT = Path(__file__).resolve().parents[2]
IMAGES = _ROOT / "docs" / "images"
NOTES = IMAGES / "drawn_by.json"
BY_HAND = frozenset({"editor"})
"""Pictures that no command makes: that of the editor shows VS Code, which is no package of PyPI or Debian."""
SWEEP = _ROOT / "results" / "report.html"
ENGINES = (("explore", "--timeout", "8s"), ("bmc", "--depth", "11", "--timeout", "8s"))
_REPORTS = _ROOT / "verifier" / "report" / "html"
_WALKING = _ROOT / "verifier" / "server" / "page"
_LOCK = _ROOT / "docs" / "examples" / "FencedLock.tla"
_TYPE = """
const shown = [...document.querySelectorAll("input[placeholder='all variables']")].find(i => i.offsetParent);
shown.value = arguments[0];
shown.dispatchEvent(new Event("input"));
"""


def run_sweep() -> list[Row]:
    """Two protocols over a grid, by two engines."""
    rows: list[Row] = []
    places = itertools.product(("kip279", "kip320"), (2, 3), (1, 2), (1, 2), ENGINES)
    for spec, replicas, log_size, epoch, (engine, *options) in places:
        sets = (f"replicas={replicas}", f"log_size={log_size}", f"max_leader_epoch={epoch}")
        settings = [word for setting in sets for word in ("--set", setting)]
        rows += run_rows(engine, "--spec", spec, *settings, "--property", "StrongIsr", *options)
    return [row for row in rows if row.property_name == "StrongIsr"]


def graph() -> Path:
    """A page that draws the states and steps of two apps and two queues."""
    path = Path(tempfile.mkdtemp()) / "graph.html"
    sets = ("--set", "queues=2", "--set", "apps=2")
    CliRunner().invoke(cli, ["explore", "rabbit-sac", *sets, "--graph", str(path)])
    return path


@cache
def explorers() -> Report:
    """Two counterexamples."""
    return Report("Two counterexamples", (kip320_first_try(), bookkeeper_data_loss()))


@dataclass(frozen=True)
class Picture:
    """A view of a report, of a report's file, or of a served page, in a window of this size."""

    report: Callable[[], Report | Path | AbstractContextManager[WalkServer]]
    fragment: str
    scheme: str
    width: int
    height: int
    only: str = ""
    """The variables shown, as typed into the page."""
    folder: Path = _REPORTS
    """The files that draw the page."""


PICTURES = {
    "sweep": Picture(lambda: SWEEP, "#overview", "light", 1280, 860),
    "graph": Picture(graph, "", "light", 1280, 900),
    "kip320-first-try": Picture(explorers, "#verdict-1", "light", 1440, 1060),
    "bookkeeper-4-13": Picture(explorers, "#verdict-2", "dark", 1440, 1240),
    "rabbit-sac-lasso": Picture(
        lambda: Report("A lasso", (rabbit_lasso(),)), "#verdict-1", "light", 1280, 760
    ),
    "bookkeeper-two-recoveries": Picture(
        two_recoveries_report, "#verdict-1", "light", 1440, 1560, "b_, lac, status, fragments, last_entry"
    ),
    "matrix": Picture(lambda: Report("StrongIsr over a grid", run_sweep()), "#overview", "light", 1280, 1060),
    "narrow": Picture(explorers, "#verdict-1", "dark", 560, 1100),
    "open": Picture(lambda: serving(str(_LOCK)), "#0.0.0.0", "light", 1440, 420, folder=_WALKING),
}


def fingerprint(name: str) -> str:
    """Return a hash of the files that draw a picture."""
    hashed = hashlib.sha256()
    for file in sorted(PICTURES[name].folder.iterdir()):
        hashed.update(f"{file.name}\0".encode() + file.read_bytes() + b"\0")
    return hashed.hexdigest()[:16]


def make_fingerprints() -> dict[str, str]:
    """Return for each picture the fingerprint of the files that drew it."""
    return dict(json.loads(NOTES.read_text(encoding="utf-8"))) if NOTES.exists() else {}


@contextmanager
def show(picture: Picture, folder: Path) -> Iterator[str]:
    """Give the address of the page of a picture."""
    report = picture.report()
    if isinstance(report, Path):
        yield report.as_uri()
    elif isinstance(report, Report):
        path = folder / "report.html"
        path.write_text(as_html(report), encoding="utf-8")
        yield path.as_uri()
    else:
        with report as server:
            yield server.url


def main() -> None:
    """Takes each picture, or those named."""
    IMAGES.mkdir(exist_ok=True)
    drawn = make_fingerprints()
    with browser() as driver, tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or PICTURES:
            picture = PICTURES[name]
            with show(picture, Path(folder)) as address:
                prefer(driver, picture.scheme)
                size(driver, picture.width, picture.height)
                if address.startswith("http"):
                    connect(driver)
                driver.get("about:blank")
                driver.get(f"{address}{picture.fragment}")
                driver.execute_async_script("setTimeout(arguments[0], 400)")
                if picture.only:
                    driver.execute_script(_TYPE, picture.only)
                screenshot(driver, IMAGES / f"{name}.png")
            drawn[name] = fingerprint(name)
    NOTES.write_text(json.dumps(drawn, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
