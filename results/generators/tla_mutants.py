"""``results/tla-mutants.md``: original texts, broken in one place each, by ``verify bmc`` and by TLC.

Run ``python -m results.generators.tla_mutants SHARED TLC [--only WORD]``. SHARED is the folder that has the
texts under ``upstream`` and ``examples``; they are copied, changed in one place, and searched by both with
small constants.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.measuring import Ended, run_to_end, verify
from tests.support.tla_mutants import MUTANTS

_TABLE = Path(__file__).resolve().parents[1] / "tla-mutants.md"


@dataclass(frozen=True)
class Found:
    """The result of one of the two tools."""

    violated: str
    steps: int | None
    cpu: float

    def __str__(self) -> str:
        return f"{self.violated} in {self.steps} steps" if self.steps is not None else self.violated


def by_bmc(module: Path, depth: int, *more: str) -> Found:
    """The shortest violation that ``verify bmc`` finds."""
    words = ["bmc", "--spec", str(module), "--config", str(module.with_name("Own.cfg")), "--shortest"]
    words += ["--depth", str(depth), "--format", "json", *more]
    done = _run(verify(*words))
    if not done.output.startswith("{"):
        return Found(done.last_error, None, done.cpu)
    rows = [row for row in json.loads(done.output)["results"] if row["verdict"] == "VIOLATED"]
    if not rows:
        return Found("no violation", None, done.cpu)
    least = min(rows, key=lambda row: int(row["steps"]))
    return Found(least["property"], least["steps"], done.cpu)


def by_tlc(module: Path, tlc: Path) -> Found:
    """The violation that TLC finds with one worker."""
    folder = str(module.parent / "states")
    words = [str(tlc), "-workers", "1", "-noGenerateSpecTE", "-metadir", folder]
    done = _run([*words, "-config", "Own.cfg", module.name], module.parent)
    violated = re.search(r"Invariant (\w+) is violated", done.output)
    states = re.findall(r"^State (\d+):", done.output, re.MULTILINE)
    if violated is None or not states:
        errors = [line for line in done.output.splitlines() if line.startswith("Error")]
        return Found((errors or ["no violation"])[0], None, done.cpu)
    return Found(violated[1], int(states[-1]) - 1, done.cpu)


def _run(command: Sequence[str], folder: Path | None = None) -> Ended:
    done = run_to_end(command, folder=folder)
    assert done is not None
    return done


def rows(shared: Path, tlc: Path, only: str) -> Iterator[list[str]]:
    """The cells of each mutant."""
    for mutant in MUTANTS:
        if only not in mutant.name:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            module = mutant.write(shared, Path(temporary) / "texts")
            theirs = by_tlc(module, tlc)
            own = by_bmc(module, mutant.steps)
        agrees = own.steps is not None and own.steps == theirs.steps == mutant.steps
        shown = str(own) if str(own) != str(theirs) else "the same"
        seconds = [f"{theirs.cpu:.1f}", f"{own.cpu:.1f}"]
        yield [mutant.module, mutant.what, str(theirs), shown, *seconds, "yes" if agrees else "**no**"]


def table(cells: Sequence[Sequence[str]]) -> str:
    """The rows as Markdown."""
    about = (
        "Original texts, each changed in one place (`tests/support/tla_mutants.py` has them). "
        "`python -m results.generators.tla_mutants SHARED TLC` makes this table: what TLC finds with one "
        "worker, and `verify bmc --spec MODULE --config Own.cfg --shortest --depth N`, N being TLC's steps. "
        "Seconds of CPU, whole commands."
    )
    lines = [
        "# Broken TLA+ texts",
        "",
        about,
        f"{sum(row[-1] == 'yes' for row in cells)} of {len(cells)} are found in as many steps.",
        "",
        "| specification | change | TLC | bmc | TLC s | bmc s | agrees |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in cells), ""])


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("tlc", type=Path)
    parser.add_argument(
        "--only", default="", help="part of the name of a module or change; the table is only shown"
    )
    given = parser.parse_args()
    found = []
    for row in rows(given.shared, given.tlc, given.only):
        found.append(row)
        print(row, flush=True)
    if given.only:
        print(table(found))
    else:
        _TABLE.write_text(table(found))


if __name__ == "__main__":
    main()
