"""Proofs for all constants of the protocols that come with the verifier, and of those that lack a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.models import build
from tests.weakened import without
from verifier.engines.bmc import Request as Bounded
from verifier.engines.bmc import check as search
from verifier.engines.induction import Request, induct
from verifier.parametric.certificate import check, dump
from verifier.parametric.loading import read_for_all, read_traced
from verifier.parametric.obligations import EFFORTS
from verifier.parametric.proving import Proofs, decide, prove
from verifier.parametric.results import Open
from verifier.parametric.system import TYPED
from verifier.processes.limits import Limits
from verifier.specs.definition import PropertyKind
from verifier.specs.registry import load
from verifier.verdict import VerdictKind

pytestmark = pytest.mark.slow

PROVED = {
    "pulsar-compaction": "CompactionHorizonCorrectness",
    "exactly-once": "Safety",
    "exactly-once-atomic": "Safety",
    "rabbit-sac": "TypeOK",
    "rabbit-sac-restart": "TypeOK",
}


@pytest.mark.parametrize(("spec", "name"), PROVED.items())
def test_proofs_for_all_constants_and_their_certificates(spec: str, name: str) -> None:
    reading = read_for_all(load(spec), {})
    attempt = prove(Proofs.of(reading), name, Limits(1800).begun())
    assert attempt.proved, attempt.open
    assert reading.beyond_declared == ()
    assert check(reading, json.loads(dump(reading, attempt)), Limits(600).begun()).failed == ()


SMALL: Mapping[str, dict[str, Any]] = {
    "kip320": {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2},
    "pulsar-compaction": {},
    "exactly-once": {"message_count": 2, "dup_count": 1},
    "exactly-once-atomic": {"max_queue": 2, "max_retry": 1},
    "rabbit-sac": {"queues": 2, "apps": 2},
    "rabbit-sac-restart": {"queues": 2, "apps": 2},
}


def lines(*texts: str) -> list[tuple[str, dict[str, int]]]:
    """Methods and the guards and effects that they lack: ``start g0`` is the first guard of start."""
    kinds = {"g": "guard", "e": "effect"}
    parts = [text.rsplit(" ", 1) for text in texts]
    return [(method, {kinds[what[0]]: int(what[1:])}) for method, what in parts]


MUTANTS = {
    ("pulsar-compaction", "CompactionHorizonCorrectness"): lines(
        "producer g0",
        "compactor_phase_two_update_context g0",
        "compactor_phase_two_update_context e0",
        "compactor_phase_two_persist_cursor e0",
        "compactor_phase_two_delete_ledger g0",
        "broker_crash e2",
        "broker_crash e4",
    ),
}
