"""Temporal properties of the protocols: the answers of docs/liveness.md, and which conditions they need."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from tests.support.command_line import ROOT, verify
from verifier.engines.live import LiveEngine, Request, decide_property
from verifier.processes.limits import Limits
from verifier.specs.protocol import define
from verifier.specs.registry import load as class_of
from verifier.specs.temporal import Fairness
from verifier.system.fairness import conditions_named
from verifier.system.liveness import live_model
from verifier.system.model import Model, build
from verifier.verdict import Verdict, VerdictKind

EXAMPLES = ROOT / "docs" / "examples"
TWO = {"replicas": 2}
KAFKA = "StableLeaderCommits"
BOOKIES = {"bookies": 2, "write_quorum": 2, "losses": "none"}
INTENDED = {**BOOKIES, "late_reads": "intended", "ack_quorum": 1}
THREE = {"losses": "none"}
EWD840, EWD998, MUTEX, PAXOS = (
    str(EXAMPLES / f"{name}.py") for name in ("ewd840", "ewd998", "lamport_mutex", "paxos")
)
CHOSEN = "SomethingIsChosen"
PULSAR = {"message_sent_limit": 2, "compaction_times_limit": 1, "max_crash_times": 1}
ONCE: dict[str, int] = {}
thorough = pytest.mark.thorough

ANSWERS = [
    ("kip320", TWO, "spec", KAFKA, "VIOLATED"),
    ("kip320", TWO, "fetch", KAFKA, "PROVED"),
    pytest.param("kip279", TWO, "spec", KAFKA, "VIOLATED", marks=thorough),
    ("kip279", TWO, "fetch", KAFKA, "PROVED"),
    pytest.param("kafka-truncate-hw", TWO, "spec", KAFKA, "VIOLATED", marks=thorough),
    ("kafka-truncate-hw", TWO, "fetch", KAFKA, "PROVED"),
    pytest.param("kip101", TWO, "spec", KAFKA, "VIOLATED", marks=thorough),
    ("kip101", TWO, "fetch", KAFKA, "VIOLATED"),
    ("kip320-first-try", TWO, "spec", KAFKA, "VIOLATED"),
    ("kip320-first-try", TWO, "fetch", KAFKA, "VIOLATED"),
    ("kip320-first-try", TWO, "truncate", KAFKA, "PROVED"),
    ("bookkeeper", {**BOOKIES, "ack_quorum": 1}, "spec", "Liveness", "VIOLATED"),
    ("bookkeeper", INTENDED, "spec", "Liveness", "PROVED"),
    ("bookkeeper", INTENDED, "recovery", "Liveness", "PROVED"),
    pytest.param("bookkeeper", INTENDED, "none", "Liveness", "VIOLATED", marks=thorough),
    ("bookkeeper-4-13", BOOKIES, "spec", "Liveness", "VIOLATED"),
    ("bookkeeper-4-13", BOOKIES, "spec", "LedgerIsClosed", "PROVED"),
    ("bookkeeper-4-13", BOOKIES, "recovery", "LedgerIsClosed", "PROVED"),
    pytest.param("bookkeeper-4-13", THREE, "spec", "LedgerIsClosed", "VIOLATED", marks=thorough),
    pytest.param(
        "bookkeeper", {**INTENDED, "ack_quorum": 2}, "recovery", "Liveness", "PROVED", marks=thorough
    ),
    pytest.param(
        "bookkeeper",
        {**INTENDED, "ack_quorum": 2, "losses": "one"},
        "spec",
        "Liveness",
        "VIOLATED",
        marks=thorough,
    ),
    pytest.param("kip320", {"max_leader_epoch": 1}, "fetch", KAFKA, "PROVED", marks=thorough),
    pytest.param("kip320", {}, "fetch", KAFKA, "PROVED", marks=pytest.mark.slow),
    (EWD840, {}, "spec", "Liveness", "PROVED"),
    (EWD840, {}, "none", "Liveness", "VIOLATED"),
    (EWD840, {}, "spec", "FalseLiveness", "VIOLATED"),
    (EWD998, {"n": 2}, "spec", "Liveness", "HOLDS"),
    pytest.param(EWD998, {}, "spec", "Liveness", "HOLDS", marks=thorough),
    (MUTEX, {}, "deliver-enter-leave", "Granted", "HOLDS"),
    (MUTEX, {}, "deliver-enter", "Granted", "VIOLATED"),
    (PAXOS, {"value": 1}, "stable-leader", CHOSEN, "PROVED"),
    (PAXOS, {"value": 1}, "leader", CHOSEN, "VIOLATED"),
    (PAXOS, {"value": 1}, "acceptors", CHOSEN, "VIOLATED"),
    pytest.param(PAXOS, {}, "stable-leader", CHOSEN, "PROVED", marks=thorough),
]


def model_of(spec: str, constants: dict[str, Any]) -> Model:
    """The model of a protocol."""
    return _build(spec, tuple(constants.items()))


@cache
def _build(spec: str, constants: tuple[tuple[str, Any], ...]) -> Model:
    return build(define(class_of(spec)(dict(constants))))


def ask_verdict(model: Model, name: str, fairness: str, conditions: Iterable[Fairness]) -> Verdict:
    """The verdict by exploration."""
    (prop,) = (one for one in model.definition.temporal if one.name == name)
    live = live_model(model, prop, fairness, tuple(conditions))
    request = Request((), fairness, (), LiveEngine.EXPLICIT, limits=Limits().begin())
    return decide_property(live, request).verdicts[-1]


@pytest.mark.parametrize(("spec", "constants", "fairness", "name", "verdict"), ANSWERS)
def test_the_answers(spec: str, constants: dict[str, Any], fairness: str, name: str, verdict: str) -> None:
    model = model_of(spec, constants)
    conditions = conditions_named(model.definition, fairness)
    assert ask_verdict(model, name, fairness, conditions).kind.value == verdict


@pytest.mark.parametrize(
    ("spec", "constants", "fairness", "name"),
    [
        (PAXOS, {"value": 1, "acceptor": 1}, "stable-leader", CHOSEN),
        pytest.param("bookkeeper-4-13", BOOKIES, "recovery", "LedgerIsClosed", marks=thorough),
        pytest.param("bookkeeper", INTENDED, "recovery", "Liveness", marks=thorough),
    ],
)
def test_no_condition_can_be_left_out(spec: str, constants: dict[str, Any], fairness: str, name: str) -> None:
    model = model_of(spec, constants)
    conditions = conditions_named(model.definition, fairness)
    assert ask_verdict(model, name, fairness, conditions).kind is VerdictKind.PROVED
    for left in conditions:
        rest = [one for one in conditions if one is not left]
        assert ask_verdict(model, name, fairness, rest).kind is VerdictKind.VIOLATED, left


def test_three_weak_conditions_are_enough_for_kip320() -> None:
    model = model_of("kip320", TWO)
    names = ("FencedLeaderIncHighWatermark", "FencedBecomeFollowerAndTruncate", "FencedFollowerFetch")
    conditions = conditions_named(model.definition, "fetch")
    weakened = [Fairness(conditions[-1].strength, (name,)) for name in names]
    assert ask_verdict(model, KAFKA, "three", weakened).kind is VerdictKind.PROVED
    for left in weakened:
        rest = [one for one in weakened if one is not left]
        assert ask_verdict(model, KAFKA, "two", rest).kind is VerdictKind.VIOLATED, left


@pytest.mark.parametrize(
    ("spec", "constants", "fairness", "verdict"),
    [
        ("exactly-once-atomic", ONCE, "spec", "proved"),
        ("exactly-once-atomic", ONCE, "first-process", "violated"),
        ("pulsar-compaction", PULSAR, "spec", "violated"),
        ("pulsar-compaction", PULSAR, "next", "proved"),
    ],
)
def test_termination_is_decided_by_the_command(
    spec: str, constants: dict[str, int], fairness: str, verdict: str
) -> None:
    settings = [f"--set={name}={value}" for name, value in constants.items()]
    expected = f"Termination={verdict}"
    done = verify("live", "--spec", spec, *settings, "--fairness", fairness, "--expect", expected)
    assert done.exit_code == 0, done.output
