"""The table of `results/golden.md`: what TLC found, row by row, beside what exploration finds here."""

from __future__ import annotations

import datetime
import platform
import sys
import time
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from tabulate import tabulate

from tests.support.tlc import constants_of, read_measured
from verifier.engines.explore import Exploration, Request, explore
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.deadlock import with_deadlock
from verifier.system.model import build
from verifier.verdict import VerdictKind

HEADERS = ["spec", "constants", "properties", "TLC", "here", "agree", "TLC s", "here s"]


def _theirs(row: Mapping[str, Any]) -> str:
    if row["verdict"] != "holds":
        return f"{row['verdict']}, {row['shortest_states'] - 1} steps"
    kind = "orbits" if row["symmetry"] else "states"
    return f"holds, {row['distinct_states']} {kind}, depth {row['depth_levels'] - 1}"


def _ours(row: Mapping[str, Any], names: list[str], found: Exploration) -> str:
    verdicts = [verdict for verdict in found.verdicts if verdict.property_name in names]
    if any(verdict.kind is VerdictKind.ERROR for verdict in verdicts):
        return "ERROR"
    if violated := [verdict.steps for verdict in verdicts if verdict.steps is not None]:
        return f"{'deadlock' if row['verdict'] == 'deadlock' else 'violated'}, {min(violated)} steps"
    if not found.statistics["complete"]:
        return "INCONCLUSIVE"
    kind = "orbits" if row["symmetry"] else "states"
    return f"holds, {found.statistics['distinct_states']} {kind}, depth {found.statistics['depth']}"


def main() -> None:
    """Prints the table as Markdown; ends with 1 if a row disagrees or there is none."""
    table: list[list[str]] = []
    for row in read_measured():
        names = [NO_DEADLOCK] if row["verdict"] == "deadlock" else row["properties"]
        model = build(define(load(row["spec"])(constants_of(row))))
        if NO_DEADLOCK in names:
            model = with_deadlock(model)
        began = time.monotonic()
        found = explore(model, Request(tuple(names), symmetry=row["symmetry"]))
        seconds = time.monotonic() - began
        theirs, ours = _theirs(row), _ours(row, names, found)
        constants = ", ".join(f"{name} {value}" for name, value in constants_of(row).items())
        line = [row["spec"], constants, ", ".join(row["properties"]), theirs, ours]
        table.append([*line, "yes" if theirs == ours else "NO", f"{row['seconds']:g}", f"{seconds:.2f}"])
    agreeing = sum(line[5] == "yes" for line in table)
    print("# Exploration against TLC\n")
    versions = f"Python {platform.python_version()}, numpy {metadata.version('numpy')}"
    print(f"`python -m results.generators.golden_table` on {datetime.date.today()}, {versions}.\n")
    print("TLC ran on the original TLA+ texts (one worker, breadth first, on another machine; its seconds")
    print("include its start), `verify explore`'s engine on ours. Lengths and depths are in actions; orbits")
    print("are states up to renaming bookies and clients. Left out: liveness, and what TLC did not finish.\n")
    print(f"{agreeing} of {len(table)} rows agree.\n")
    print(tabulate(table, headers=HEADERS, tablefmt="github"))
    sys.exit(not table or agreeing < len(table))


if __name__ == "__main__":
    main()
