"""The table of `results/tla-symbolic.md`: unmodified models of tlaplus/Examples by `bmc` and `prove`.

    python -m results.generators.tla_symbolic GOLDEN.json EXAMPLES LIBRARY [MOST_STATES] > FILE.md

GOLDEN.json says what TLC found on each model. Each command is a process of its own.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tabulate import tabulate

from tests.support.measuring import run_to_end, verify

TIMEOUT = 45
"""Seconds that a run has."""
AGAIN = 90
"""Seconds that a second run has, where the first does not do."""
SOLVER = "cadical"
"""The solver. If one is named, neither the interpreter nor exploration answers."""
DEEPEST = 12
"""The depth to which models that hold are searched, if they are deeper."""


def _command(
    name: str, row: Mapping[str, Any], folders: tuple[Path, Path], seconds: int, *more: str
) -> dict[str, Any]:
    examples, library = folders
    words = [name, str(examples / row["module"]), "--config", str(examples / row["model"])]
    words += ["--library", str(library), "--timeout", str(seconds), "--format", "json", *more]
    done = run_to_end(verify(*words), limit=2 * seconds)
    if done is None:
        return {"error": "not built in time"}
    if not done.output.strip():
        return {"error": done.last_error.removeprefix("verify: ")[-160:], "exit": done.code}
    found: dict[str, Any] = json.loads(done.output)
    return found


def _safety(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [r for r in found["results"] if "verify live" not in (r["reason"] or "")]


def bmc(row: Mapping[str, Any], folders: tuple[Path, Path], seconds: int = TIMEOUT) -> tuple[bool, str]:
    """Compare bounded model checking with TLC. Return whether they agree, and the result."""
    steps = (row["trace_states"] or 0) - 1
    depth = steps if steps >= 0 else min(max(row["levels"] - 1, 1), DEEPEST)
    how = ("--shortest", "--solver", SOLVER)
    found = _command("bmc", row, folders, seconds, "--depth", str(depth), *how)
    if "error" in found:
        return False, found["error"]
    results = _safety(found)
    violated = [r["steps"] for r in results if r["verdict"] == "VIOLATED"]
    if steps >= 0:
        if violated:
            return min(violated) == steps, f"violated in {min(violated)} steps"
        return False, ", ".join(sorted({r["verdict"] for r in results}))
    closed = [r["depth"] for r in results]
    held = all(r["verdict"] == "HOLDS" for r in results) and all(d >= depth for d in closed)
    return held, f"holds to depth {depth}" if held else ", ".join(sorted({r["verdict"] for r in results}))


def prove(row: Mapping[str, Any], folders: tuple[Path, Path], seconds: int = TIMEOUT) -> tuple[bool, str]:
    """True if every invariant was proved for all depths."""
    if row["verdict"] != "holds":
        return False, "–"
    found = _command("prove", row, folders, seconds)
    if "error" in found:
        return False, found["error"]
    results = [r for r in _safety(found) if r["property"] != "Sorts"]
    if not results:
        return False, "no invariant is asked"
    proved = sum(r["verdict"] == "PROVED" for r in results)
    return proved == len(results), f"{proved} of {len(results)} proved"


def main() -> None:
    """Prints the table as Markdown."""
    golden, examples, library = (Path(word) for word in sys.argv[1:4])
    most = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000
    rows = [
        r
        for r in json.loads(golden.read_text())["rows"]
        if r["trace_states"] or 0 < (r["distinct"] or 0) <= most
    ]
    rows = [r for r in rows if "temporal" not in f"{r['property']} {r['verdict']}"]
    rows.sort(key=lambda r: r["distinct"] or 0)
    folders = (examples, library)

    def line(row: Mapping[str, Any]) -> tuple[bool, bool, list[str]]:
        agrees, shown = bmc(row, folders)
        if not agrees:
            agrees, shown = bmc(row, folders, AGAIN)
        proved, proofs = prove(row, folders)
        if not proved and row["verdict"] == "holds":
            proved, proofs = prove(row, folders, AGAIN)
        print(row["model"], agrees, shown, proved, proofs, file=sys.stderr, flush=True)
        theirs = (
            f"violated, {row['trace_states'] - 1} steps"
            if row["trace_states"]
            else f"{row['verdict']}, {row['distinct']} states"
        )
        return (
            agrees,
            proved,
            [row["model"], theirs, "yes" if agrees else "no", shown, "yes" if proved else "no", proofs],
        )

    with ThreadPoolExecutor(2) as pool:
        lines = list(pool.map(line, rows))
    print("# TLA+ files, symbolically\n")
    print(__doc__.splitlines()[0].replace("The table of `results/tla-symbolic.md`: u", "U"))
    print(
        f"\nmade by `python -m results.generators.tla_symbolic GOLDEN EXAMPLES LIBRARY {most}`, "
        f"Python {platform.python_version()}; {TIMEOUT} s for each run, and {AGAIN} s for a second one "
        f"where that did not do, on a machine with many other processes. Models above {most:,} states are "
        "left out.\n"
    )
    print(
        f"**{sum(a for a, _, _ in lines)} of {len(lines)} models by `bmc --shortest --solver {SOLVER}`, "
        f"which is symbolic alone, with TLC's verdict and length, {sum(p for _, p, _ in lines)} with all "
        "invariants PROVED by `prove`.**\n"
    )
    headers = ["model", "TLC", "bmc agrees", "bmc", "proved", "prove"]
    print(tabulate([cells for _, _, cells in lines], headers, tablefmt="github"))


if __name__ == "__main__":
    main()
