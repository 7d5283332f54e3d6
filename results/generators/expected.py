"""The table of `results/` with the shipped expectations, checked by bounded model checking."""

from __future__ import annotations

import argparse
import datetime
import platform
import sys
import time

from tabulate import tabulate

from tests.support.expected_verdicts import agrees, answer, questions
from verifier.engines.bmc import PREFERRED_SOLVER
from verifier.solvers import SOLVER_NAMES, solver_version


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
