"""The table of `results/lemmas.md`: that each protocol's lemmas are inductive, at many constants."""

from __future__ import annotations

import datetime
import platform
import sys
import time
from collections.abc import Sequence
from typing import Any

from tabulate import tabulate

from tests.support.lemma_grid import GRIDS, by_lemmas, is_proved
from verifier.solvers import solver_version
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.system.model import build

HEADERS = ["spec", "properties", "lemmas", "constants", "combinations", "PROVED", "seconds in all", "longest"]


def _values(values: Sequence[Any]) -> str:
    if isinstance(values, range):
        return f"{values[0]}..{values[-1]}"
    return ", ".join(str(value).lower() for value in values)


def main() -> None:
    """Prints the table as Markdown; ends with 1 if something is not proved."""
    table, failing = [], []
    for grid in GRIDS:
        took, lemmas, proved = [], 0, 0
        for constants in grid.combinations():
            began = time.monotonic()
            model = build(define(load(grid.spec)(constants)))
            done = is_proved(by_lemmas(model, grid.properties))
            took.append(time.monotonic() - began)
            lemmas, proved = len(model.system.lemmas), proved + done
            if not done:
                failing.append(f"{grid.spec}: {constants}")
        ranges = "; ".join(f"{name} {_values(values)}" for name, values in grid.constants.items())
        figures = [len(took), proved, f"{sum(took):.1f}", f"{max(took):.2f}"]
        table.append([grid.spec, ", ".join(grid.properties), lemmas, ranges, *figures])
    print("# Lemmas, on a grid of constants\n")
    versions = f"Python {platform.python_version()}, cadical {solver_version('cadical')}"
    print(f"`python -m results.generators.lemma_grid` on {datetime.date.today()}, {versions}.\n")
    print("Each line is one grid: all combinations of the values given. PROVED counts those at which every")
    print("property is proved by `verify induct`'s engine from the protocol's lemmas, for executions of any")
    print("length; seconds include building the model and starting the solver's process.\n")
    print(tabulate(table, headers=HEADERS, tablefmt="github"))
    for where in failing:
        print(f"\nNot proved: {where}")
    sys.exit(bool(failing))


if __name__ == "__main__":
    main()
