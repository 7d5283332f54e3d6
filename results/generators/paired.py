"""Two checkouts side by side: ``python -m results.generators.paired [ROUNDS] BEFORE AFTER < COMMANDS``.

Each line of the standard input is a command of ``verify`` without that word. The checkouts take turns, so
that other work on the machine slows both. Prints a Markdown table: medians of the processor seconds and of
the wall seconds of whole commands, with all child processes.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.measuring import run_to_end

_RUN = """
try:
    from verifier.cli.entry import main
except ModuleNotFoundError:  # in older checkouts
    from verifier.cli.main import main
main()
"""


@dataclass
class _Times:
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    codes: set[int] = field(default_factory=set)

    def take(self, checkout: str, words: list[str]) -> None:
        """Runs the command once."""
        command = [sys.executable, "-c", _RUN, *words]
        done = run_to_end(command, folder=Path(checkout), environment={"PYTHONPATH": "."})
        assert done is not None
        self.wall.append(done.wall)
        self.cpu.append(done.cpu)
        self.codes.add(done.code)

    def __str__(self) -> str:
        codes = "/".join(map(str, sorted(self.codes)))
        return f"{statistics.median(self.cpu):.1f} | {statistics.median(self.wall):.1f} | {codes}"


def main() -> None:
    """Measures each command of the standard input."""
    *rounds, before, after = sys.argv[1:]
    print("| command | CPU s before | wall s | exit code | CPU s after | wall s | exit code | CPU ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for line in sys.stdin:
        times = {before: _Times(), after: _Times()}
        for _ in range(int(rounds[0]) if rounds else 5):
            for checkout, taken in times.items():
                taken.take(checkout, line.split())
        ratio = statistics.median(times[after].cpu) / statistics.median(times[before].cpu)
        print(f"| `verify {line.strip()}` | {times[before]} | {times[after]} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
