"""Many fresh seeds of the naive differential: engines against the plain reading on random protocols.

Run ``python -m results.generators.naive_seeds FIRST COUNT [--log FILE]``. Each difference is a line; after
each hundred seeds, and at the end, a line says how many were run. Exit code 1 if any differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support.naive_comparisons import disagreements, subject_of
from tests.support.naive_differential import EVERY_SLOW


def differences(seed: int) -> list[str]:
    """Return the differences at a seed."""
    found = disagreements(subject_of(seed), seed % EVERY_SLOW == 0)
    return [f"seed {seed}: {line}" for line in found]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the seeds one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--log", type=Path)
    given = parser.parse_args(arguments)
    differing = 0
    with given.log.open("a") if given.log is not None else sys.stdout as out:
        for number in range(given.count):
            found = differences(given.first + number)
            differing += bool(found)
            for line in found:
                print(line, file=out, flush=True)
            if (number + 1) % 100 == 0 or number + 1 == given.count:
                print(f"{number + 1} seeds from {given.first}: {differing} differ", file=out, flush=True)
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
