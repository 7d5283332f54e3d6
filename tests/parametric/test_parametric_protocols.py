"""Proofs for all constants of the protocols that come with the verifier, and of those that lack a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.models import build
from tests.support.weakened import without
from verifier.encodings.declared import Formula
from verifier.encodings.quantifiers import constantly, exists
from verifier.engines.bmc import Request
from verifier.engines.bmc import check as search
from verifier.parametric.certificate import check, dump
from verifier.parametric.deciding import decide
from verifier.parametric.efforts import EFFORTS
from verifier.parametric.protocol_readings import read_for_all, read_traced
from verifier.parametric.proving import Proofs, prove
from verifier.parametric.results import Open
from verifier.parametric.system import READS
from verifier.processes.limits import Limits
from verifier.specs.protocol import ActionMember, Protocol, Step
from verifier.specs.registry import load
from verifier.verdict import VerdictKind

pytestmark = pytest.mark.slow

PROVED = {
    "pulsar-compaction": ("CompactionHorizonCorrectness",),
    "exactly-once": ("Safety",),
    "exactly-once-atomic": ("Safety",),
    "rabbit-sac": ("TypeOK", "DeadlockBalanced", "DeadlockPerfect"),
    "rabbit-sac-restart": ("TypeOK", "DeadlockBalanced", "DeadlockPerfect"),
    "bookkeeper": ("NoDivergence",),
}


@pytest.mark.parametrize(("spec", "name"), [(spec, name) for spec in PROVED for name in PROVED[spec]])
def test_proofs_for_all_constants_and_their_certificates(spec: str, name: str) -> None:
    reading = read_for_all(load(spec), CHOSEN.get(spec, {}))
    attempt = prove(Proofs.of(reading), name, Limits(1800).begin())
    assert attempt.proved, attempt.open
    assert reading.beyond_declared == ()
    assert check(reading, json.loads(dump(reading, attempt)), Limits(600).begin()).failed == ()


MUTANTS = {
    "pulsar-compaction": (
        "producer g1 Typed",
        "compactor_phase_two_write e0 NewestLedgerCoversWhatWasRead",
        "compactor_phase_two_update_horizon g0 ContextIsNewestLedger",
        "compactor_phase_two_persist_cursor g0 ContextIsNewestLedger",
        "compactor_phase_two_delete_ledger e2 Reads:NewestLedgerCoversWhatWasRead",
        "broker_crash g0 Typed",
        "broker_crash e1 ContextIsNewestLedger",
        "broker_crash e3 CompactionHorizonCorrectness",
        "compactor_phase_two_update_context g0 NewestLedgerCoversWhatWasRead",
        "compactor_phase_two_update_context e0 ContextIsNewestLedger",
        "compactor_phase_two_persist_cursor e0 CursorIsNewestBeforeDeletion",
        "compactor_phase_two_delete_ledger g0 DurableLedgerCoversDurableHorizon",
        "broker_crash e2 HorizonWasRead",
        "broker_crash e4 CompactionHorizonCorrectness",
    ),
    "exactly-once": (
        "lock_in_msg g1 TakenByOneHandler",
        "lock_in_msg e0 TakenByOneHandler",
        "lock_in_msg e2 SameVersionSameStore",
        "redo_outbox_commit e0 OutboxCommittedBeforeFinish",
        "redo_state_commit g1 TwoVersionsForEachMessage",
        "redo_state_commit e0 TransactionLeftIsPast",
        "process e1 TransactionIsOfMessage",
        "stage_outbox e0 TransactionIsStaged",
        "stage_outbox e2 StagedOnce",
        "state_commit g1 ChangesStateOnce",
        "state_commit e0 SameVersionSameStore",
        "outbox_commit e0 OutboxCommittedBeforeFinish",
        "state_cleanup g1 TwoVersionsForEachMessage",
        "send_and_ack e0 AcknowledgedOnceSent",
    ),
    "exactly-once-atomic": (
        "load_state e0 LoadedLogIsPrefix",
        "process_and_commit g0 LoggedOnce",
        "process_and_commit g0 OneVersionForEachMessage",
        "process_and_commit g1 LoadedLogIsPrefix",
        "process_and_commit e0 LoadedLogIsPrefix",
        "process_and_commit e1 ProcessedUnlessKnown",
        "process_and_commit e4 LoadedLogIsPrefix",
        "send_out_msg g0 SentIsVersionMade",
        "send_out_msg e0 AcknowledgedOnceSent",
        "update_outbox g0 EntryEmptiedOnceSent",
        "ack_in_msg g0 AcknowledgedOnceSent",
    ),
    "rabbit-sac": ("start g0 IdsLast", "start e0 IdsLast", "subscribe g1 SubscribedOnce"),
    "rabbit-sac-restart": (
        "start g0 IdsLast",
        "start e0 IdsLast",
        "subscribe g1 SubscribedOnce",
        "stop g1 IdsLast",
    ),
    "bookkeeper": (
        "bookie_sends_add_confirmed_response g0 AnswersAreFinal",
        "bookie_sends_add_confirmed_response e0 ConfirmedIsStored",
        "bookie_sends_read_response e0 AnswersAreFinal",
        "client_creates_ledger g0 OneCreator",
        "client_receives_add_confirmed_response g3 ConfirmedByEnsemble",
        "client_changes_ensemble g5 EnsemblesAreFull",
        "client_changes_ensemble e4 ConfirmedByEnsemble",
        "client_closes_ledger_success g2 OneClientCloses",
        "client_starts_recovery e0 MetadataTellsStage",
        "client_sends_recovery_read_requests g1 RecoveryBeginsInLastFragment",
        "read_negative g4 EndIsOutOfReach",
        "read_negative g5 EndIsOutOfReach",
        "recovery_client_closes_ledger g5 MetadataTellsStage",
    ),
}
"""The action, the guard (g) or effect (e) that it lacks, and a lemma or property that it then does not keep,
at small constants either. Of RabbitMQ all lines that TypeOK needs."""
CHOSEN: dict[str, dict[str, Any]] = {"bookkeeper": {"ensemble_choice": "any"}}
"""The constants at which a protocol is read that has no reading at its own."""
CASES = [(spec, *line.split()) for spec, lines in MUTANTS.items() for line in lines]


def lacking(spec: str, method: str, line: str, constants: dict[str, Any]) -> Any:
    """The protocol without the line."""
    lacks = {{"g": "guard", "e": "effect"}[line[0]]: int(line[1:])}
    return without(load(spec), constants, method, **lacks)


@pytest.mark.parametrize(("spec", "method", "line", "claim"), CASES)
def test_mutants_are_not_proved(spec: str, method: str, line: str, claim: str) -> None:
    """With the efforts by which the protocols themselves are proved."""
    chosen = CHOSEN.get(spec, {})
    reading = read_traced(type(lacking(spec, method, line, chosen)), chosen)
    reads = claim.startswith(READS)
    listed = Proofs.of(reading).list_obligations(PROVED[spec][0], kept=True, with_stays=reads)
    at = method.replace("_", "")
    claims = [name for name in listed.claims if claim in (name, name.split(":")[0])]
    asked = [one for name in claims for one in listed.claims[name] if one.at.lower() == at]
    assert asked
    results = (decide(listed.obligations, one, EFFORTS[:4]) for one in asked)
    assert any(isinstance(result, Open) for result in results)


KAFKA = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
BOOKIES = {"bookies": 2, "write_quorum": 2, "ack_quorum": 1}
LATE = {"losses": "none", "late_reads": "intended"}
TOPIC = {"message_sent_limit": 2, "compaction_times_limit": 2, "keys": 1, "values": 1}


@pytest.mark.parametrize(
    ("spec", "name", "method", "line", "constants"),
    [
        ("kip320", "StrongIsr", "fenced_leader_inc_high_watermark", "g1", KAFKA),
        ("kip320", "StrongIsr", "fenced_leader_shrink_isr", "g3", KAFKA),
        ("kip320", "WeakIsr", "fenced_leader_inc_high_watermark", "g1", KAFKA),
        (
            "pulsar-compaction",
            "CompactionHorizonCorrectness",
            "compactor_phase_two_update_horizon",
            "g0",
            TOPIC,
        ),
        ("exactly-once", "Safety", "state_commit", "g1", {"message_count": 2, "dup_count": 1}),
        ("exactly-once-atomic", "Safety", "send_out_msg", "e0", {"max_queue": 1, "max_retry": 0}),
        ("bookkeeper", "NoDivergence", "read_negative", "g4", BOOKIES),
        ("bookkeeper", "NoDivergence", "read_negative", "g5", BOOKIES),
        ("bookkeeper", "NoDivergence", "bookie_sends_add_confirmed_response", "g0", BOOKIES),
        ("bookkeeper", "NoDivergence", "bookie_sends_add_confirmed_response", "e0", BOOKIES),
        ("bookkeeper", "NoDivergence", "bookie_sends_read_response", "e0", LATE),
        ("rabbit-sac", "TypeOK", "start", "g0", {"queues": 2, "apps": 2}),
        ("rabbit-sac-restart", "TypeOK", "subscribe", "g1", {"queues": 2, "apps": 2}),
    ],
)
def test_false_mutants_are_violated(
    spec: str, name: str, method: str, line: str, constants: dict[str, Any]
) -> None:
    """A claim that is not proved for all constants is false at small ones."""
    model = build(lacking(spec, method, line, constants))
    verdicts = search(model, Request((name,), 20, limits=Limits(600))).verdicts
    kinds = {verdict.property_name: verdict.kind for verdict in verdicts}
    assert kinds[name] is VerdictKind.VIOLATED


# RabbitMQ where nothing can happen


Hindrance = Callable[..., Formula]
HINDRANCES: dict[str, dict[str, Hindrance]] = {
    "start": {
        "never": lambda *_: constantly(False),
        "if another is not started": lambda m, s, app: exists(
            (s.app_id[other] == 0) & (other != app) for other in m.apps
        ),
    },
    "subscribe": {
        "never": lambda *_: constantly(False),
        "if nobody is active": lambda _, s, app, queue: s.active[queue].is_none,
        "if active nowhere": lambda m, s, app, queue: m.active_count(s, app) == 0,
    },
    "release": {
        "never": lambda *_: constantly(False),
        "if active on two more": lambda m, s, app, queue: m.active_count(s, app) > m.ideal_number(s, app) + 1,
        "if first": lambda _, s, app, queue: s.app_id[app] == 1,
    },
    "make_active": {
        "never": lambda *_: constantly(False),
        "if alone": lambda _, s, app, queue: s.subscriber_queue[queue].length == 1,
        "if first": lambda _, s, app, queue: s.app_id[app] == 1,
    },
}
"""Of an action, guards that it has beside its own."""
HINDERED = [
    (spec, method, why)
    for spec in ("rabbit-sac", "rabbit-sac-restart")
    for method, reasons in HINDRANCES.items()
    for why in reasons
]


def hinder(spec: str, method: str, why: str) -> type[Protocol]:
    member = getattr(load(spec), method)

    def harder(self: Any, s: Any, **parameters: Any) -> Step:
        step = member.method(self, s, **parameters)
        more = HINDRANCES[method][why](self, s, *parameters.values())
        return Step([*step.when, more], dict(step.then))

    changed = {"name": f"{spec}-mutant", method: ActionMember(harder, member.domains)}
    return type("Mutant", (load(spec),), changed)


@pytest.mark.parametrize(("spec", "method", "why"), HINDERED)
def test_apps_that_are_hindered_do_not_share_the_queues(spec: str, method: str, why: str) -> None:
    """A claim that is not proved is violated at small constants."""
    kind, names = hinder(spec, method, why), ("DeadlockBalanced", "DeadlockPerfect")
    left = set()
    for name in names:
        listed = Proofs.of(read_traced(kind, {})).list_obligations(name, kept=False)
        results = (decide(listed.obligations, one, EFFORTS[:4]) for one in listed.claims[name])
        left |= {name for result in results if isinstance(result, Open)}
    violated = set()
    for apps in (1, 2):
        model = build(kind({"queues": 2, "apps": apps}))
        verdicts = search(model, Request(names, 12, limits=Limits(600))).verdicts
        violated |= {one.property_name for one in verdicts if one.kind is VerdictKind.VIOLATED}
    assert violated == left
    assert "DeadlockPerfect" in violated
    assert "DeadlockBalanced" in violated or why == "if nobody is active"
