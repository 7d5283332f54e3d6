"""The lemmas of compaction, of single active consumers, and of exactly-once processing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.explicit import explore
from tests.support.lemma_grid import GRIDS, Grid, by_lemmas, is_proved
from tests.support.models import build
from tests.support.weakened import all_without, without
from verifier.engines.explore import Request as Exploring
from verifier.engines.explore import explore as explore_fast
from verifier.engines.induction import Request, induct
from verifier.engines.induction_outcome import InductionOutcome
from verifier.engines.inductive_question import Kind
from verifier.specs.definition import PropertyKind
from verifier.specs.exactly_once.atomic import ExactlyOnceAtomic
from verifier.specs.exactly_once.staged import ExactlyOnce
from verifier.specs.protocol import Protocol, Step, action
from verifier.specs.pulsar.compaction import PulsarCompaction
from verifier.specs.rabbitmq.single_active_consumer import RabbitSac, RabbitSacRestart
from verifier.specs.registry import load
from verifier.system.transition_system import SafetyProperty
from verifier.verdict import VerdictKind

pytestmark = pytest.mark.thorough

PROVED, NOT_INDUCTIVE, HOLDS = VerdictKind.PROVED, VerdictKind.NOT_INDUCTIVE, VerdictKind.HOLDS

MAIN = {
    "pulsar-compaction": "CompactionHorizonCorrectness",
    "rabbit-sac": "DeadlockPerfect",
    "rabbit-sac-restart": "DeadlockPerfect",
    "exactly-once-atomic": "Safety",
    "exactly-once": "Safety",
}
SMALL: Mapping[str, dict[str, Any]] = {
    "pulsar-compaction": {"compaction_times_limit": 3, "max_crash_times": 2, "values": 1},
    "rabbit-sac": {"queues": 2, "apps": 2},
    "rabbit-sac-restart": {"queues": 2, "apps": 2},
    "exactly-once-atomic": {"max_queue": 2, "max_retry": 1},
    "exactly-once": {"message_count": 1, "dup_count": 2},
}
"""Constants at which all reachable states can be looked at."""
FOR_ALL_CONSTANTS = {"EachKeyHasALatestMessage", "LoggedOnce", "OneVersionForEachMessage"}
"""Lemmas each of which follows from the others at given constants; proofs for all constants need them."""


def prove_property(protocol: Protocol, name: str, **options: Any) -> InductionOutcome:
    return induct(build(protocol), Request(name, **options))


def failing(outcome: InductionOutcome) -> set[tuple[str | None, str]]:
    return {(item.action, item.formula) for item in outcome.obligations if item.holds is False}


# What is proved


@pytest.mark.parametrize(
    ("spec", "constants"),
    [
        ("pulsar-compaction", {}),
        ("pulsar-compaction", {"retain_null_key": False, "model_producer": False, "keys": 1}),
        ("pulsar-compaction", {"message_sent_limit": 1, "compaction_times_limit": 1}),
        ("pulsar-compaction", {"model_consumer": True, "consume_times_limit": 2}),
        (
            "pulsar-compaction",
            {"message_sent_limit": 6, "compaction_times_limit": 4, "max_crash_times": 3},
        ),
        ("rabbit-sac", {"queues": 1, "apps": 1}),
        pytest.param("rabbit-sac", {"queues": 5, "apps": 3}, marks=pytest.mark.slow),
        pytest.param("rabbit-sac-restart", {"queues": 3, "apps": 4}, marks=pytest.mark.slow),
        ("rabbit-sac-restart", {"queues": 4, "apps": 2, "restart_limit": 2}),
        ("exactly-once-atomic", {"max_queue": 1, "max_retry": 0, "processes": 1}),
        pytest.param("exactly-once-atomic", {}, marks=pytest.mark.slow),
        pytest.param(
            "exactly-once-atomic",
            {"max_queue": 3, "max_retry": 2, "processes": 3},
            marks=pytest.mark.slow,
        ),
        ("exactly-once", {"message_count": 1, "dup_count": 1, "processes": 1}),
        pytest.param("exactly-once", {}, marks=pytest.mark.slow),
        pytest.param(
            "exactly-once", {"message_count": 3, "dup_count": 1, "processes": 3}, marks=pytest.mark.slow
        ),
    ],
)
def test_the_lemmas_prove_the_properties(spec: str, constants: dict[str, Any]) -> None:
    model = build(load(spec)(constants))
    properties = next(grid.properties for grid in GRIDS if grid.spec == spec)
    outcomes = by_lemmas(model, properties)
    assert is_proved(outcomes)
    assert {lemma.name for lemma in model.system.lemmas} <= set(outcomes[-1].invariant)


@pytest.mark.slow
@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid.spec)
def test_the_lemmas_prove_the_properties_on_a_grid(grid: Grid) -> None:
    for constants in grid.combinations():
        assert is_proved(by_lemmas(build(load(grid.spec)(constants)), grid.properties)), constants


@pytest.mark.parametrize("spec", MAIN)
def test_representatives_suffice(spec: str) -> None:
    assert prove_property(load(spec)(SMALL[spec]), MAIN[spec], symmetry=False).verdicts[0].kind is PROVED


@pytest.mark.parametrize("spec", ["rabbit-sac", "rabbit-sac-restart", "exactly-once-atomic", "exactly-once"])
def test_the_property_follows_from_the_lemmas(spec: str) -> None:
    """It need not be kept together with them."""
    outcome = prove_property(load(spec)({}), MAIN[spec])
    assert Kind.SAFETY in {item.kind for item in outcome.obligations}


@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=[pytest.mark.slow] if spec == "exactly-once" else []) for spec in MAIN]
)
def test_no_lemma_can_be_left_out(spec: str) -> None:
    """Without it the rest is not inductive, or the property does not follow any more."""
    model = build(load(spec)({}))
    names = [lemma.name for lemma in model.system.lemmas]
    follows = Kind.SAFETY in {item.kind for item in induct(model, Request(MAIN[spec])).obligations}
    for gone in sorted({*names} - FOR_ALL_CONSTANTS):
        others = tuple(name for name in names if name != gone)
        outcome = induct(model, Request(MAIN[spec], lemmas=others))
        kinds = {item.kind for item in outcome.obligations}
        assert outcome.verdicts[0].kind is not PROVED or (follows and Kind.SAFETY not in kinds), gone


@pytest.mark.parametrize("spec", MAIN)
def test_lemmas_hold_in_every_reachable_state(spec: str) -> None:
    """Explored without a solver, with the lemmas as properties."""
    model = build(load(spec)(SMALL[spec]))
    assert model.system.lemmas
    properties = tuple(
        SafetyProperty(lemma.name, PropertyKind.INVARIANT, lemma.formula, default=True)
        for lemma in model.system.lemmas
    )
    found = explore(replace(model, system=replace(model.system, properties=properties)))
    assert found.complete
    assert found.distinct_states > 100
    assert not found.steps


# What is not


@pytest.mark.parametrize(
    ("spec", "method", "lacks", "broken"),
    [
        (
            "pulsar-compaction",
            "compactor_phase_two_update_context",
            {"guard": 0},
            ("CompactorPhaseTwoUpdateContext", "NewestLedgerCoversWhatWasRead"),
        ),
        (
            "pulsar-compaction",
            "compactor_phase_two_update_context",
            {"effect": 0},
            ("CompactorPhaseTwoUpdateContext", "ContextIsNewestLedger"),
        ),
        (
            "pulsar-compaction",
            "compactor_phase_two_persist_cursor",
            {"effect": 0},
            ("CompactorPhaseTwoPersistCursor", "CursorIsNewestBeforeDeletion"),
        ),
        (
            "pulsar-compaction",
            "compactor_phase_two_delete_ledger",
            {"guard": 0},
            ("CompactorPhaseTwoDeleteLedger", "DurableLedgerCoversDurableHorizon"),
        ),
        ("pulsar-compaction", "broker_crash", {"effect": 2}, ("BrokerCrash", "HorizonWasRead")),
        (
            "pulsar-compaction",
            "broker_crash",
            {"effect": 4},
            ("BrokerCrash", "CompactionHorizonCorrectness"),
        ),
        ("pulsar-compaction", "producer", {"guard": 1}, ("Producer", "TypeSafe")),
        ("rabbit-sac", "start", {"guard": 0}, ("Start", "IdsLast")),
        ("rabbit-sac-restart", "stop", {"guard": 1}, ("Stop", "IdsLast")),
        ("rabbit-sac-restart", "subscribe", {"guard": 1}, ("Subscribe", "SubscribedOnce")),
        (
            "exactly-once-atomic",
            "process_and_commit",
            {"guard": 1},
            ("ProcessAndCommit", "LoadedLogIsPrefix"),
        ),
        ("exactly-once-atomic", "send_out_msg", {"effect": 0}, ("SendOutMsg", "AcknowledgedOnceSent")),
        ("exactly-once", "lock_in_msg", {"guard": 1}, ("LockInMsg", "TakenByOneHandler")),
        (
            "exactly-once",
            "redo_outbox_commit",
            {"effect": 0},
            ("RedoOutboxCommit", "OutboxCommittedBeforeFinish"),
        ),
        ("exactly-once", "redo_state_commit", {"effect": 0}, ("RedoStateCommit", "TransactionLeftIsPast")),
        ("exactly-once", "stage_outbox", {"effect": 0}, ("StageOutbox", "TransactionIsStaged")),
        ("exactly-once", "state_commit", {"guard": 1}, ("StateCommit", "ChangesStateOnce")),
        ("exactly-once", "send_and_ack", {"effect": 0}, ("SendAndAck", "AcknowledgedOnceSent")),
    ],
)
def test_dropping_a_line_breaks_a_lemma(
    spec: str, method: str, lacks: dict[str, int], broken: tuple[str, str]
) -> None:
    outcome = prove_property(without(load(spec), {}, method, **lacks), MAIN[spec])
    verdict = outcome.verdicts[0]
    assert verdict.kind is NOT_INDUCTIVE
    assert broken in failing(outcome)
    assert broken[0] in str(verdict.reason)
    assert verdict.trace is not None


@pytest.mark.slow
@pytest.mark.parametrize("spec", MAIN)
def test_what_is_proved_without_a_line_holds_without_it(spec: str) -> None:
    """Of every protocol that lacks a guard or an effect; most that are proved have lost progress only."""
    kinds = set()
    for lacks, mutant in all_without(load(spec), SMALL[spec]):
        model = build(mutant)
        kind = induct(model, Request(MAIN[spec])).verdicts[0].kind
        kinds.add(kind)
        if kind is PROVED:
            found = explore_fast(model, Exploring((MAIN[spec],), symmetry=True))
            assert {verdict.kind for verdict in found.verdicts} == {HOLDS}, lacks
    assert kinds == {PROVED, NOT_INDUCTIVE}


@pytest.mark.parametrize("name", ["CompactedLedgerLeak", "DuplicateNullKeyMessage"])
def test_known_bugs_of_compaction_are_not_proved(name: str) -> None:
    assert prove_property(PulsarCompaction({}), name).verdicts[0].kind is NOT_INDUCTIVE


@pytest.mark.parametrize(
    ("variant", "broken"),
    [
        ("no-version-check", ("StateCommit", "ChangesStateOnce")),
        ("outbox-first", ("StageOutbox", "KnownTransactionIsStaged")),
        ("output-first", ("StageOutbox", "SentIsCommittedEntry")),
    ],
)
def test_known_bad_variants_are_not_proved(variant: str, broken: tuple[str, str]) -> None:
    outcome = prove_property(ExactlyOnce({"variant": variant}), "Safety")
    assert outcome.verdicts[0].kind is NOT_INDUCTIVE
    assert broken in failing(outcome)


class ProcessesWhatItKnows(ExactlyOnceAtomic):
    """A handler does not ask the outbox whether the message was processed."""

    @action(process="processes")
    def load_state(self, s: Any, process: Any) -> Step:
        step = super().load_state.method(self, s, process)
        return Step(step.when, {s.snapshot[process]: s.store, s.pc[process]: "ProcessAndCommit"})


def test_processing_what_the_outbox_knows_is_not_proved() -> None:
    outcome = prove_property(ProcessesWhatItKnows({}), "Safety")
    assert outcome.verdicts[0].kind is NOT_INDUCTIVE
    assert ("LoadState", "ProcessedUnlessKnown") in failing(outcome)


class KeepsAll(RabbitSac):
    """An app keeps the queues that it has."""

    next = ("start", "subscribe", "make_active")


class KeepsOneMore(RabbitSacRestart):
    """An app keeps one queue more than its share, if it has it."""

    def ideal_number(self, s: Any, app: Any) -> Any:
        return super().ideal_number(s, app) + 1


class SubscribesOnlyToIdle(RabbitSac):
    """An app subscribes only where no other is active."""

    @action(app="apps", queue="queues")
    def subscribe(self, s: Any, app: Any, queue: Any) -> Step:
        step = super().subscribe.method(self, s, app, queue)
        return Step([*step.when, s.active[queue].is_none], step.then)


class LosesQueueWithItsLastSubscriber(RabbitSacRestart):
    """An app waits for a queue only if another is active there."""

    @action(app="apps", queue="queues")
    def subscribe(self, s: Any, app: Any, queue: Any) -> Step:
        step = super().subscribe.method(self, s, app, queue)
        return Step([*step.when, s.active[queue].is_some], step.then)


@pytest.mark.parametrize(
    ("protocol", "name"),
    [
        (KeepsAll, "DeadlockBalanced"),
        (KeepsOneMore, "DeadlockBalanced"),
        (SubscribesOnlyToIdle, "DeadlockPerfect"),
        (LosesQueueWithItsLastSubscriber, "DeadlockBalanced"),
    ],
)
def test_unfair_clients_are_not_proved(protocol: type[RabbitSac], name: str) -> None:
    """All of them violate the property, too."""
    made = protocol({"queues": 3, "apps": 2})
    assert prove_property(made, name).verdicts[0].kind is NOT_INDUCTIVE
    assert name in explore(build(made), until=(name,)).steps


# The command line


@pytest.mark.parametrize("spec", MAIN)
def test_show_lists_the_lemmas_with_their_reasons(spec: str) -> None:
    shown = " ".join(verify("show", spec).stdout.split())
    for lemma in build(load(spec)({})).definition.lemmas:
        assert f"{lemma.name} {' '.join(lemma.description.split())}" in shown
