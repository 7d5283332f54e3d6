"""The table of `results/lemmas.md`: that each protocol's lemmas are inductive, at many constants."""

from __future__ import annotations

import datetime
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from tabulate import tabulate

from verifier.engines.induction import InductionOutcome, Request, induct
from verifier.solvers import solver_version
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.system.model import Model, build
from verifier.verdict import VerdictKind

HEADERS = ["spec", "properties", "lemmas", "constants", "combinations", "PROVED", "seconds in all", "longest"]


@dataclass(frozen=True)
class Grid:
    """Properties of a protocol to prove, and the values of its constants, in all combinations."""

    spec: str
    properties: tuple[str, ...]
    constants: dict[str, Sequence[Any]]

    def combinations(self) -> Iterator[dict[str, Any]]:
        """All combinations of the constants' values."""
        for values in product(*self.constants.values()):
            yield dict(zip(self.constants, values, strict=True))


EFFECTS = ("AtMostOneStateChange", "AtMostOneOutputMsg", "ConsistentStateAndOutput", "Safety")
KEPT = ("NoDivergenceBetweenClientAndMetaData", "AllAckedEntriesAreReadable")
ALL_OF_4_13 = (
    "TypeOK",
    "NoDivergenceBetweenWriterAndMetaData",
    "NoDivergence",
    "AllCommittedEntriesReachAckQuorum",
    "OnlyValidFragments",
    "NoOutOfOrderEntries",
)
GRIDS = [
    Grid(
        "bookkeeper",
        (*KEPT, "AllCommittedEntriesReachAckQuorum"),
        {
            "bookies": (3, 4),
            "clients": (2,),
            "write_quorum": (2, 3),
            "ack_quorum": (1, 2),
            "send_limit": (1, 2),
            "inflight_limit": (1, 2),
            "ensemble_choice": ("any",),
        },
    ),
    Grid(
        "bookkeeper",
        KEPT,
        {
            "bookies": (3,),
            "clients": (3,),
            "write_quorum": (2, 3),
            "ack_quorum": (1, 2),
            "send_limit": (2,),
            "inflight_limit": (2,),
            "ensemble_choice": ("any",),
        },
    ),
    Grid(
        "bookkeeper",
        KEPT,
        {
            "write_quorum": (2,),
            "send_limit": (2,),
            "late_reads": ("as-written", "intended"),
            "losses": ("any", "one", "none"),
            "ensemble_choice": ("first", "any"),
        },
    ),
    Grid(
        "bookkeeper",
        KEPT,
        {
            "bookies": (4, 5),
            "write_quorum": (3,),
            "send_limit": (3,),
            "ensemble_choice": ("any",),
        },
    ),
    Grid(
        "bookkeeper-4-13",
        ALL_OF_4_13,
        {
            "recovery_reads_fence": (True,),
            "bookies": (3, 4, 5),
            "write_quorum": (2, 3),
            "ack_quorum": (1, 2),
            "send_limit": (1,),
            "ensemble_choice": ("first", "any"),
        },
    ),
    Grid(
        "bookkeeper-4-13",
        ALL_OF_4_13,
        {
            "recovery_reads_fence": (True,),
            "write_quorum": (2, 3),
            "ack_quorum": (1, 2),
            "send_limit": (2,),
            "ensemble_choice": ("any",),
        },
    ),
    Grid(
        "bookkeeper-4-13",
        ALL_OF_4_13,
        {
            "recovery_reads_fence": (True,),
            "bookies": (4,),
            "write_quorum": (3, 4),
            "ack_quorum": (2, 3),
            "send_limit": (2,),
            "ensemble_choice": ("any",),
        },
    ),
    Grid(
        "bookkeeper-4-13",
        ALL_OF_4_13,
        {
            "recovery_reads_fence": (True,),
            "bookies": (3,),
            "write_quorum": (3,),
            "ack_quorum": (1, 2, 3),
            "send_limit": (3, 4),
        },
    ),
    Grid(
        "pulsar-compaction",
        ("TypeSafe", "CompactionHorizonCorrectness"),
        {
            "message_sent_limit": (1, 2, 3, 4, 6, 8),
            "compaction_times_limit": (1, 2, 4),
            "keys": (1, 3),
            "max_crash_times": (0, 3),
            "retain_null_key": (True, False),
            "model_producer": (True, False),
        },
    ),
    Grid(
        "rabbit-sac",
        ("TypeOK", "DeadlockBalanced", "DeadlockPerfect"),
        {"queues": range(1, 7), "apps": range(1, 7)},
    ),
    Grid(
        "rabbit-sac-restart",
        ("TypeOK", "DeadlockBalanced", "DeadlockPerfect"),
        {"queues": range(1, 6), "apps": range(1, 6), "restart_limit": (0, 1, 3)},
    ),
    Grid(
        "exactly-once-atomic",
        ("TypeInvariant", *EFFECTS),
        {"max_queue": range(1, 6), "max_retry": (0, 1, 3), "processes": range(1, 5)},
    ),
    Grid(
        "exactly-once",
        ("TypeInvariant", *EFFECTS),
        {"message_count": range(1, 5), "dup_count": range(1, 4), "processes": range(1, 5)},
    ),
]


def by_lemmas(model: Model, properties: Sequence[str]) -> list[InductionOutcome]:
    """Return the outcome of each property; a proof of one serves the next."""
    outcomes: list[InductionOutcome] = []
    for name in properties:
        proved = outcomes[-1].invariant if outcomes else ()
        outcomes.append(induct(model, Request(name, proved=proved)))
    return outcomes


def is_proved(outcomes: Sequence[InductionOutcome]) -> bool:
    """True if all are."""
    return all(verdict.kind is VerdictKind.PROVED for item in outcomes for verdict in item.verdicts)


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
