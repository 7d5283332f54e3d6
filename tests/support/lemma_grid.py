"""Constants at which the lemmas of each protocol are inductive, and the proof that they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from verifier.engines.induction import Request, induct
from verifier.engines.induction_outcome import InductionOutcome
from verifier.system.model import Model
from verifier.verdict import VerdictKind


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
