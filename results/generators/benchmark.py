"""Benchmarks: medians of runs side by side, as one table. `make bench`; nothing here is a test.

Ratios count more than seconds: machines differ and are shared.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

from tabulate import tabulate

from results.generators.exploration_benchmark import HEADERS, explore_rows
from verifier.clauses.unrolling import Steps, Unrolling, unroll
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
from verifier.engines.outcome import Outcome
from verifier.processes.limits import Limits
from verifier.solvers import SOLVER_NAMES, solver_version
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.system.model import Model, build
from verifier.system.transition_system import TransitionSystem
from verifier.verdict import VerdictKind

Row = list[str]
FIRST_TRY = Request(("StrongIsr",), 12, StepsChoice.PARALLEL, "cadical", limits=Limits(seconds=300))


def median_seconds(
    run: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The median seconds of a run, on the wall unless another clock is given."""
    times = []
    for _ in range(repeats):
        began = clock()
        run()
        times.append(clock() - began)
    return statistics.median(times)


def _find_violation(model: Model, request: Request) -> Outcome:
    outcome = check(model, request)
    assert outcome.verdicts[0].kind is VerdictKind.VIOLATED, outcome.verdicts[0]
    return outcome


def steps_rows(repeats: int) -> list[Row]:
    """Parallel against serial steps, to the violation of the first try of KIP-320."""
    model = build(define(load("kip320-first-try")()))
    parallel = median_seconds(partial(_find_violation, model, FIRST_TRY), repeats)
    plain = replace(FIRST_TRY, steps=StepsChoice.SERIAL, symmetry=False)
    broken = replace(FIRST_TRY, steps=StepsChoice.SERIAL)
    rows = [["parallel steps", f"{parallel:.2f}", "1"]]
    for name, request, reduced in (
        ("serial steps", broken, True),
        ("serial steps, no symmetry breaking", plain, True),
        ("serial steps, nothing left out or assumed", plain, False),
    ):
        with nullcontext() if reduced else leave_nothing_out():
            seconds = median_seconds(partial(_find_violation, model, request), max(1, repeats // 3))
        rows.append([name, f"{seconds:.2f}", f"{seconds / parallel:.1f}"])
    return rows


@contextmanager
def leave_nothing_out() -> Iterator[None]:
    """Serial steps as in the textbook: without structural invariants or an order of what commutes."""

    def textbook(
        system: TransitionSystem, steps: Steps, symmetry: bool, swapping: bool = True, *, idle: bool = False
    ) -> Unrolling:
        return replace(unroll(system, steps, symmetry, swapping, idle), succession=[])

    invariants = "verifier.clauses.structural_invariants.structural_invariants"  # read when a search begins
    with patch(invariants, return_value=[]), patch("verifier.engines.bounded_search.unroll", textbook):
        yield


def solver_rows(repeats: int) -> list[Row]:
    """Measure each solver to the same violation, by parallel steps."""
    model = build(define(load("kip320-first-try")()))
    times = {
        solver: median_seconds(partial(_find_violation, model, replace(FIRST_TRY, solver=solver)), repeats)
        for solver in SOLVER_NAMES
    }
    best = min(times.values())
    return [[f"{s} {solver_version(s)}", f"{t:.2f}", f"{t / best:.1f}"] for s, t in times.items()]


def building_rows(repeats: int) -> list[Row]:
    """Measure building and unrolling as shares of the whole, for kip320 at depth 12."""
    rows = []
    for steps in (StepsChoice.SERIAL, StepsChoice.PARALLEL):
        request = Request(
            ("TypeOk", "WeakIsr", "StrongIsr"), 12, steps, "cadical", limits=Limits(seconds=600)
        )
        began = time.perf_counter()
        model = build(define(load("kip320")()))
        building = time.perf_counter() - began
        outcome = check(model, request)
        whole = time.perf_counter() - began
        figures = outcome.statistics["searches"][steps.value]
        ours = building + figures["preparing_seconds"] + figures["unrolling_seconds"]
        rows.append([f"kip320 depth 12, {steps.value}", f"{whole:.2f}", f"{ours:.2f} ({ours / whole:.0%})"])
    return rows


PAXOS = Path(__file__).resolve().parents[2] / "tests" / "support" / "paxos.py"
PAXOS_SIZES = (
    ("Paxos", 3, 2, 2),
    ("Paxos", 3, 3, 2),
    ("Paxos", 5, 4, 3),
    ("Paxos", 7, 4, 3),
    ("PaxosVariant", 3, 2, 2),
    ("PaxosVariant", 3, 3, 2),
    ("PaxosVariant", 5, 4, 3),
    ("PaxosUnion", 3, 2, 2),
    ("PaxosUnion", 3, 3, 2),
    ("PaxosUnion", 5, 4, 3),
)
PAXOS_STYLES = {
    "Paxos": "a set per type",
    "PaxosVariant": "one set of a variant",
    "PaxosUnion": "one set of one record",
}


def paxos_rows(repeats: int) -> list[Row]:
    """Measure building Paxos with its lemmas: many messages, and quantified quorums."""
    rows = []
    for name, acceptors, ballots, values in PAXOS_SIZES:
        settings = {"acceptors": acceptors, "ballots": ballots, "values": values}
        definition = define(load(f"{PAXOS}:{name}")(settings))
        seconds = median_seconds(partial(build, definition), max(1, repeats // 2), time.process_time)
        model = build(definition)
        bits, instances = len(model.system.bits), len(model.system.instances)
        size = f"{acceptors}, {ballots}, {values}, {PAXOS_STYLES[name]}"
        rows.append([size, str(bits), str(instances), f"{seconds:.2f}"])
    return rows


def command_rows(repeats: int) -> list[Row]:
    """Light commands, as processes."""
    verify = str(Path(sys.executable).with_name("verify"))
    rows = []
    for arguments in (["list"], ["--version"], ["show", "kip320"]):
        command = [verify, *arguments]
        seconds = median_seconds(
            partial(subprocess.run, command, capture_output=True, check=True), max(3, repeats)
        )
        rows.append([f"verify {' '.join(arguments)}", f"{seconds:.2f}", ""])
    return rows


TABLES = {
    "explore": (explore_rows, HEADERS),
    "steps": (steps_rows, ["to the violation of kip320-first-try", "seconds", "ratio"]),
    "solvers": (solver_rows, ["parallel steps, same violation", "seconds", "ratio"]),
    "building": (building_rows, ["whole check", "seconds", "building and unrolling"]),
    "paxos": (
        paxos_rows,
        ["Paxos: acceptors, ballots, values, messages", "bits", "instances", "processor seconds to build"],
    ),
    "commands": (command_rows, ["command", "seconds", ""]),
}


def main() -> None:
    """Prints the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="which tables; by default all")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    command = " ".join(["python -m results.generators.benchmark", *sys.argv[1:]])
    on = f"{datetime.date.today()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    print(f"# Benchmarks\n\n`{command}` on {on}.")
    print("Medians of runs side by side; on a shared machine the ratios count, not the seconds.")
    print("TLC's seconds are of another machine; `tla-examples.md` has both side by side, of other texts.\n")
    for name in options.tables or TABLES:
        rows, headers = TABLES[name]
        print(tabulate(rows(options.repeats), headers=headers, tablefmt="github"), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
