"""`verify prove --engine ic3` against ABC's `pdr` on the same systems: the table of `results/abc-pdr.md`.

Whole commands, one after the other in the same run, by the processor time of all their processes: what
else the machine does counts less in that than in the time on the clock. ABC reads what `verify export`
writes, and runs twice: as it is, and with the circuit simplified first, which may help it.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from tests.support.measuring import Ended, run_to_end, verify

ABC = shutil.which("berkeley-abc")
NAMES = ("replicas", "log_size", "max_records", "max_leader_epoch")
CONFIGURATIONS = ((3, 2, 2, 1), (3, 2, 2, 2), (3, 3, 3, 2), (3, 3, 3, 3))
PLAIN, SIMPLIFIED = "", "strash; dc2; scorr; "
LEAST_LIMIT = 60.0
"""Processor seconds for ABC, or a bit more than five times those of verify if that is longer."""


@dataclass(frozen=True)
class Timed:
    """Processor seconds of a command, and whether it proved the property."""

    seconds: float
    proved: bool

    def __str__(self) -> str:
        return f"{self.seconds:.1f}" if self.proved else f"not in {self.seconds:.0f}"

    @property
    def sign(self) -> str:
        """True if the seconds are all it takes."""
        return "" if self.proved else "< "


def _run(command: list[str]) -> Ended:
    done = run_to_end(command)
    assert done is not None
    return done


def _verify(constants: tuple[int, ...], *arguments: str) -> Ended:
    settings = [f"{name}={value}" for name, value in zip(NAMES, constants, strict=True)]
    chosen = [word for setting in settings for word in ("--set", setting)]
    spec = ["--spec", "kip320", "--property", "StrongIsr", *chosen]
    return _run(verify(arguments[0], *spec, *arguments[1:]))


def _abc(path: Path, before: str, limit: float) -> Timed:
    # ABC's own limit, pdr -T, is one of the clock.
    within = f'ulimit -t {limit:.0f}; exec "$0" "$@"'
    done = _run(["sh", "-c", within, str(ABC), "-q", f"read {path}; {before}pdr"])
    if "asserted in frame" in done.output:
        raise AssertionError(f"ABC says that StrongIsr is violated: {done.output}")
    return Timed(done.cpu, "Property proved" in done.output)


def row(constants: tuple[int, ...], folder: Path) -> list[str]:
    """One configuration. Raises AssertionError if a verdict is wrong."""
    done = _verify(constants, "prove", "--engine", "ic3", "--no-lemmas")
    ours = Timed(done.cpu, "PROVED" in done.output)
    if not ours.proved:
        raise AssertionError(f"verify did not prove StrongIsr: {done.output}")
    path = folder / f"{'-'.join(map(str, constants))}.aig"
    _verify(constants, "export", "--format", "aiger", "--out", str(path))
    limit = max(LEAST_LIMIT, 5.2 * ours.seconds)
    plain, simplified = (_abc(path, before, limit) for before in (PLAIN, SIMPLIFIED))
    better = min(plain, simplified, key=lambda timed: (not timed.proved, timed.seconds))
    return [
        str(constants).replace(" ", ""),
        str(ours),
        str(plain),
        str(simplified),
        *(f"{theirs.sign}{ours.seconds / theirs.seconds:.2f}" for theirs in (plain, better)),
    ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, nargs="*", help="which configurations, counted from 0; all")
    chosen = parser.parse_args().only
    if ABC is None:
        sys.exit("berkeley-abc is not installed: apt-get install berkeley-abc")
    on = f"{datetime.date.today()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    load = os.getloadavg()[0]
    print("# IC3 against ABC's pdr\n")
    print(f"`python -m results.generators.abc_comparison` on {on}, load {load:.1f} before.\n")
    print("kip320, StrongIsr, at (replicas, log_size, max_records, max_leader_epoch). Processor seconds")
    print("of whole commands, one after the other; those of `verify prove --engine ic3` include building")
    print("the system and checking the proof by another solver. ABC proves StrongIsr alone, verify proves")
    print("the type invariants with it. The ratios are of verify to ABC.\n")
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(CONFIGURATIONS[index], Path(folder)) for index in chosen or range(len(CONFIGURATIONS))]
    headers = ["constants", "verify", "`pdr`", f"`{SIMPLIFIED}pdr`", "ratio to `pdr`", "ratio to the better"]
    print(tabulate(rows, headers=headers, tablefmt="github", disable_numparse=True))


if __name__ == "__main__":
    main()
