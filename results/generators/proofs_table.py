"""The table of `results/proofs.md`: properties that are proved for all depths, or refuted.

Each row is one whole command in a process of its own, with its clock time and processor time.
"""

from __future__ import annotations

import datetime
import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tabulate import tabulate

from tests.support.measuring import run_to_end, verify

HEADERS = ["spec", "constants", "property", "command", "verdict", "s", "CPU s", "invariant", "checked by"]
_KAFKA = ("replicas", "log_size", "max_records", "max_leader_epoch")
_PULSAR = ("message_sent_limit", "compaction_times_limit", "max_crash_times")
_LEDGER = ("bookies", "write_quorum", "ack_quorum", "send_limit")
_LIMIT = "20m"
"""On the clock, and so long enough beside other work, too."""

INDUCT = ("induct",)
PROVE = ("prove",)
IC3_ALONE = ("prove", "--engine", "ic3", "--no-lemmas")
PROVED, VIOLATED = "PROVED", "VIOLATED"
FENCED: Mapping[str, Any] = {"recovery_reads_fence": "true"}
TWO: Mapping[str, Any] = {"clients": 2}
NO_DIVERGENCE = "NoDivergenceBetweenClientAndMetaData"


@dataclass(frozen=True)
class Row:
    """A command, and the verdict that it must end with."""

    spec: str
    names: tuple[str, ...]
    values: tuple[Any, ...]
    property_name: str
    command: tuple[str, ...]
    verdict: str = PROVED
    further: Mapping[str, Any] = field(default_factory=dict)

    def constants(self) -> dict[str, Any]:
        """Return the given constants."""
        return {**dict(zip(self.names, self.values, strict=True)), **self.further}


ROWS = [
    Row("kip320", _KAFKA, (3, 2, 2, 1), "StrongIsr", IC3_ALONE),
    Row("kip320", _KAFKA, (3, 2, 2, 2), "StrongIsr", IC3_ALONE),
    Row("kip320", _KAFKA, (3, 3, 3, 2), "StrongIsr", IC3_ALONE),
    Row("kip320", _KAFKA, (3, 3, 3, 3), "StrongIsr", IC3_ALONE),
    Row("kip320", _KAFKA, (4, 2, 2, 1), "StrongIsr", IC3_ALONE),
    Row("kip320", _KAFKA, (4, 3, 3, 3), "StrongIsr", IC3_ALONE),
    Row("kip320", _KAFKA, (3, 3, 3, 3), "StrongIsr", PROVE),
    Row("kip320", _KAFKA, (3, 3, 3, 3), "StrongIsr", INDUCT),
    Row("kip320", _KAFKA, (3, 3, 3, 3), "WeakIsr", INDUCT),
    Row("kip320", _KAFKA, (5, 5, 5, 5), "StrongIsr", INDUCT),
    Row("kip101", _KAFKA, (3, 2, 2, 2), "StrongIsr", PROVE, VIOLATED),
    Row("kip279", _KAFKA, (3, 2, 2, 2), "StrongIsr", PROVE, VIOLATED),
    Row("kip320-first-try", _KAFKA, (3, 2, 2, 2), "StrongIsr", PROVE, VIOLATED),
    Row("bookkeeper", _LEDGER, (2, 2, 2, 1), NO_DIVERGENCE, IC3_ALONE, further=TWO),
    Row("bookkeeper", _LEDGER, (3, 2, 2, 1), NO_DIVERGENCE, INDUCT, further=TWO),
    Row("bookkeeper", _LEDGER, (4, 3, 2, 2), NO_DIVERGENCE, INDUCT, further=TWO),
    Row("bookkeeper-4-13", _LEDGER, (3, 3, 2, 1), "NoDivergence", INDUCT, further=FENCED),
    Row("bookkeeper-4-13", _LEDGER, (3, 3, 2, 1), "NoDivergence", PROVE, VIOLATED),
    Row("bookkeeper-4-13", _LEDGER, (3, 3, 2, 1), "NoDivergence", IC3_ALONE, further=FENCED),
    Row("pulsar-compaction", _PULSAR, (6, 4, 3), "CompactionHorizonCorrectness", INDUCT),
    Row("pulsar-compaction", _PULSAR, (6, 4, 3), "CompactionHorizonCorrectness", IC3_ALONE),
    Row("exactly-once", ("message_count", "processes"), (3, 3), "Safety", INDUCT),
    Row("exactly-once-atomic", ("max_queue", "processes"), (3, 3), "Safety", INDUCT),
    Row("rabbit-sac", ("queues", "apps"), (5, 5), "DeadlockBalanced", INDUCT),
]


def measure_proof(row: Row) -> tuple[list[Any], bool]:
    """The line of the table, and whether the verdict is the one expected."""
    words = [*row.command, "--spec", row.spec, "--property", row.property_name]
    words += [word for name, value in row.constants().items() for word in ("--set", f"{name}={value}")]
    done = run_to_end(verify(*words, "--timeout", _LIMIT, "--format", "json"))
    assert done is not None
    content = json.loads(done.output)
    result = next(item for item in content["results"] if item["property"] == row.property_name)
    proofs: list[Mapping[str, Any]] = content["proofs"] if result["verdict"] == PROVED else []
    proof = proofs[0] if proofs else {}
    given = ", ".join(f"{name} {value}" for name, value in row.constants().items())
    steps = f" in {result['steps']} steps" if result["steps"] is not None else ""
    line = [row.spec, given, row.property_name, f"{' '.join(row.command)}", f"{result['verdict']}{steps}"]
    line += [f"{done.wall:.1f}", f"{done.cpu:.1f}", _size(proof), proof.get("rechecked_by") or "replay"]
    return line, result["verdict"] == row.verdict


def _size(proof: Mapping[str, Any]) -> str:
    """Return the number of named formulas, and of further clauses."""
    if not proof:
        return "–"
    named, clauses = len(proof["lemmas"] or ()), proof.get("clauses") or 0
    parts = [f"{named} lemmas"] if named else []
    return ", ".join(parts + ([f"{clauses} clauses"] if clauses else []))


def main() -> None:
    """Prints the table as Markdown; ends with 1 if a verdict is not the one expected."""
    lines, failing = [], []
    for row in ROWS:
        line, expected = measure_proof(row)
        print(f"{row.spec} {row.values}: {line[4]}, {line[5]} s", file=sys.stderr, flush=True)
        lines.append(line)
        if not expected:
            failing.append(f"{row.spec}, {row.property_name} at {row.constants()}: not {row.verdict}")
    print("# Proofs for all depths\n")
    on = f"{datetime.date.today()}, Python {platform.python_version()}"
    print(f"`python -m results.generators.proofs_table` on {on}.\n")
    print("Each row is a whole `verify` command: what it took on the clock and of the processors, with the")
    print("check of every proof by another solver, or the replay of the counterexample. Constants that are")
    print("not given have their defaults. Invariants: formulas of the protocol with a name (its lemmas, the")
    print("type invariant, that the bits hold a state), and clauses that IC3 found. `--no-lemmas` is IC3 by")
    print("itself.\n")
    print(tabulate(lines, headers=HEADERS, tablefmt="github", disable_numparse=True))
    for where in failing:
        print(f"\nNot as expected: {where}")
    sys.exit(bool(failing))


if __name__ == "__main__":
    main()
