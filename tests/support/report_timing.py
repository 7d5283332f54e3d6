"""Large reports, and how long a browser takes to open and to filter them."""

from __future__ import annotations

import itertools
import statistics
import time
from dataclasses import replace

from selenium.webdriver import Chrome

from tests.support.examples import kip320_first_try
from verifier.report.report import Report
from verifier.verdict import VerdictKind

_DRAWN = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));"


_LISTS = "return document.querySelectorAll('.page.current #find').length"


_FILTERED = """
const find = document.getElementById("find"), times = [];
for (let round = 0; round < 10; round++) for (const words of ["V", "VIOLATED", "VIOLATED log_size=2", ""]) {
  find.value = words;
  const began = performance.now();
  find.dispatchEvent(new Event("input"));
  document.querySelector(".rows").offsetHeight;  // lays the page out
  times.push([words, performance.now() - began]);
}
const taken = (words) => times.filter(([other]) => other === words).map(([, time]) => time);
const median = (of) => of.sort((one, other) => one - other)[Math.floor(of.length / 2)];
return Math.max(...["V", "VIOLATED", "VIOLATED log_size=2", ""].map(taken).map(median));
"""


REPEATS = 5


def many_verdicts() -> Report:
    """A sweep of 9,600 jobs over five constants, 171 of them with a counterexample."""
    row = kip320_first_try()
    names = ("replicas", "log_size", "max_records", "max_leader_epoch", "unclean")
    values = ((2, 3, 4, 5, 6), (1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4, 5), (True, False))
    claims = itertools.product(("StrongIsr", "WeakIsr", "LeaderInIsr", "TypeOk"), ("bmc", "prove", "explore"))
    rows = []
    for number, (choice, (claim, engine)) in enumerate(
        itertools.product(itertools.product(*values), list(claims))
    ):
        is_violated = claim == "StrongIsr" and choice[0] > 2 and choice[3] > 1
        rows.append(
            replace(
                row,
                constants=dict(zip(names, choice, strict=True)),
                property_name=claim,
                engine=engine,
                verdict=VerdictKind.VIOLATED if is_violated else VerdictKind.HOLDS,
                reason=None,
                seconds=0.02 * (number % 97 + 1) ** 1.5,
                depth=number % 13 + 1,
                steps=row.steps if is_violated else None,
                trace=row.trace if is_violated and number % 36 == 0 else None,
            )
        )
    return Report(f"{len(rows):,} jobs", rows)


def opening_seconds(driver: Chrome, address: str) -> float:
    """The median time until the page is drawn."""
    times = []
    for _ in range(REPEATS):
        driver.get("about:blank")
        began = time.perf_counter()
        driver.get(address)
        driver.execute_async_script(_DRAWN)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def filter_milliseconds(driver: Chrome) -> float | None:
    """The time of a page from a letter typed to the rows drawn: the median of the slowest of four words.

    None for a page without a list of verdicts.
    """
    return float(driver.execute_script(_FILTERED)) if driver.execute_script(_LISTS) else None
