"""The shipped expectations checked by bounded model checking; as a script, the table for results/."""

from __future__ import annotations

import argparse
import datetime
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tabulate import tabulate

from verifier.engines.bmc import PREFERRED_SOLVER, Request, check
from verifier.processes.limits import Limits
from verifier.solvers import SOLVER_NAMES, solver_version
from verifier.specs.expectations import Expectation, expectations
from verifier.specs.protocol import define
from verifier.specs.registry import BUILT_IN, load
from verifier.system.model import build
from verifier.verdict import Verdict, VerdictKind


@dataclass(frozen=True)
class Question:
    """Expectations of one spec at the same constants and depth, to be checked in one run."""

    spec: str
    constants: Mapping[str, Any]
    depth: int
    expected: tuple[Expectation, ...]

    @property
    def label(self) -> str:
        """``kip101-2.2.2.1-14``."""
        return f"{self.spec}-{'.'.join(str(value) for value in self.constants.values())}-{self.depth}"


def questions(family: str) -> Iterator[Question]:
    """Yield the questions of a family's shipped expectations: to the diameter, or to the violation."""
    grouped: dict[tuple[Any, ...], list[Expectation]] = {}
    for spec, place in BUILT_IN.items():
        for expected in expectations(spec) if f".{family}." in place else ():
            depth = expected.steps if expected.verdict == "violated" else expected.depth
            if depth is not None:
                grouped.setdefault((spec, tuple(expected.constants.items()), depth), []).append(expected)
    for (spec, constants, depth), group in grouped.items():
        yield Question(spec, dict(constants), depth, tuple(group))


def answer(question: Question, solver: str | None, seconds: float | None = None) -> list[Verdict]:
    """The verdicts, violations with the fewest actions."""
    request = Request(
        properties=tuple(expected.property_name for expected in question.expected),
        depth=question.depth,
        solver=solver,
        shortest=True,
        limits=Limits(seconds=seconds),
    )
    names = request.properties
    model = build(define(load(question.spec)(question.constants)))
    verdicts = check(model, request).verdicts
    return [verdict for verdict in verdicts if verdict.property_name in names]


def agrees(expected: Expectation, verdict: Verdict) -> bool:
    """True if a verdict is what the independent checker found, to the same depth."""
    if expected.verdict == "violated":
        return verdict.kind is VerdictKind.VIOLATED and verdict.fewest and verdict.steps == expected.steps
    return verdict.kind is VerdictKind.HOLDS and verdict.depth == expected.depth


def main() -> None:
    """Prints the table as Markdown; ends with 1 if a row disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family")
    parser.add_argument("--solver", choices=SOLVER_NAMES, help="by default the preferred ones")
    parser.add_argument("--seconds", type=float, default=600, help="limit per run")
    options = parser.parse_args()
    rows: list[list[str]] = []
    agreeing = True
    for question in questions(options.family):
        began = time.monotonic()
        verdicts = answer(question, options.solver, options.seconds)
        seconds = time.monotonic() - began
        for expected, verdict in zip(question.expected, verdicts, strict=True):
            same = agrees(expected, verdict)
            agreeing &= same
            wanted = f"holds to {expected.depth}"
            if expected.steps is not None:
                wanted = f"violated in {expected.steps}"
            found = f"{verdict.kind} {verdict.steps if verdict.trace else verdict.depth}"
            constants = ", ".join(f"{name} {value}" for name, value in question.constants.items())
            figures = ["yes" if same else "NO", f"{seconds:.1f}"]
            rows.append([question.spec, constants, expected.property_name, wanted, found, *figures])
    solver = options.solver or PREFERRED_SOLVER
    on = f"{datetime.date.today()}, Python {platform.python_version()}, {solver} {solver_version(solver)}"
    print(f"# Bounded model checking of the {options.family} family against an independent checker\n")
    print(f"`python -m results.generators.expected {' '.join(sys.argv[1:])}` on {on}.\n")
    print("Expected: what TLC found in the originals (`expectations.toml`), lengths in actions. A property")
    print("that holds is closed to the longest shortest path of the graph, a violation proven to be of the")
    print("fewest actions. Seconds are of the run, which checks the rows of the same depth together.\n")
    headers = ["spec", "constants", "property", "expected", "found", "agree", "seconds"]
    print(tabulate(rows, headers=headers, tablefmt="github"))
    sys.exit(not agreeing)


if __name__ == "__main__":
    main()
