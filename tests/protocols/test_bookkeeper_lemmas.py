"""The lemmas of BookKeeper: what they prove, what breaks them, and where the protocol itself ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.lemma_grid import by_lemmas, is_proved
from tests.support.models import build
from tests.support.two_recoveries import CONSTANTS
from tests.support.weakened import all_without, without
from verifier.engines.explore import Request as Exploring
from verifier.engines.explore import explore
from verifier.engines.induction import Request, induct
from verifier.engines.induction_outcome import InductionOutcome
from verifier.engines.inductive_question import Kind
from verifier.specs.bookkeeper.bookkeeper import BookKeeper
from verifier.specs.definition import PropertyKind
from verifier.system.model import Model
from verifier.system.transition_system import SafetyProperty
from verifier.verdict import VerdictKind

pytestmark = pytest.mark.thorough

PROVED, NOT_INDUCTIVE, HOLDS = VerdictKind.PROVED, VerdictKind.NOT_INDUCTIVE, VerdictKind.HOLDS
PROPERTIES = (
    "NoDivergence",
    "AllAckedEntriesAreReadable",
    "NoOutOfOrderEntries",
    "AllCommittedEntriesReachAckQuorum",
)
FEW: dict[str, Any] = {"bookies": 2, "write_quorum": 2}
SPARE: dict[str, Any] = {"write_quorum": 2, "ensemble_choice": "any"}
FOUR: dict[str, Any] = {**SPARE, "bookies": 4, "write_quorum": 3, "send_limit": 2}
SEVERAL = CONSTANTS
"""A creator and two recoveries, entries on their way together, and a bookie to replace another."""


def failing(outcome: InductionOutcome) -> set[tuple[str | None, str]]:
    return {(item.action, item.formula) for item in outcome.obligations if item.holds is False}


def none_violated(model: Model, names: tuple[str, ...], **options: Any) -> int:
    """That these hold in every state explored without a solver, and how many states those are."""
    outcome = explore(model, Exploring(names, symmetry=True, **options))
    assert {verdict.kind for verdict in outcome.verdicts} == {HOLDS}
    states: int = outcome.statistics["distinct_states"]
    return states


# What is proved


@pytest.mark.parametrize(
    "constants",
    [FEW, *(pytest.param(each, marks=pytest.mark.slow) for each in ({"ack_quorum": 1}, SPARE, FOUR))],
)
def test_the_lemmas_prove_that_nothing_is_lost(constants: dict[str, Any]) -> None:
    model = build(BookKeeper(constants))
    outcomes = by_lemmas(model, ("NoDivergence", "AllAckedEntriesAreReadable"))
    assert is_proved(outcomes)
    assert {lemma.name for lemma in model.system.lemmas} <= set(outcomes[0].invariant)


@pytest.mark.slow
def test_the_lemmas_prove_all_properties() -> None:
    assert is_proved(by_lemmas(build(BookKeeper(SPARE)), PROPERTIES))


def test_all_that_is_acknowledged_is_readable_follows_from_the_lemmas() -> None:
    outcome = induct(build(BookKeeper(SPARE)), Request("AllAckedEntriesAreReadable"))
    assert outcome.verdicts[0].kind is PROVED
    assert Kind.SAFETY in {item.kind for item in outcome.obligations}


@pytest.mark.slow
def test_the_lemmas_prove_them_with_several_recoveries() -> None:
    model = build(BookKeeper({**SEVERAL, "ensemble_choice": "any"}))
    assert is_proved(by_lemmas(model, ("NoDivergence", "AllAckedEntriesAreReadable", "NoOutOfOrderEntries")))


def test_another_solver_checks_the_proof(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    arguments = ("--set", "write_quorum=2", "--property", "NoDivergence", "--certificate", str(proof))
    done = verify("induct", "--spec", "bookkeeper", *arguments)
    assert (done.exit_code, proof.is_file()) == (0, True)


def test_representatives_suffice() -> None:
    outcome = induct(build(BookKeeper(FEW)), Request("NoDivergence", symmetry=False))
    assert outcome.verdicts[0].kind is PROVED


@pytest.mark.slow
def test_no_lemma_can_be_left_out() -> None:
    """Each serves one of the properties: with several recoveries, or where one answer is not enough."""
    properties = ("NoDivergence", "AllAckedEntriesAreReadable", "NoOutOfOrderEntries")
    needed: set[str] = set()
    everything: set[str] = set()
    for constants in ({**SEVERAL, "ensemble_choice": "any"}, {"bookies": 4, "ensemble_choice": "any"}):
        model = build(BookKeeper(constants))
        everything = {lemma.name for lemma in model.system.lemmas}
        for name in properties:
            needed |= set(induct(model, Request(name, minimise=True)).invariant)
    assert everything <= needed


@pytest.mark.parametrize(
    ("constants", "depth"),
    [
        ({**FEW, "losses": "one"}, None),
        ({"losses": "none", "late_reads": "intended"}, None),
        ({**SPARE, "losses": "one"}, 16),
        ({**SPARE, "late_reads": "intended"}, 11),
        (SEVERAL, 8),
    ],
)
def test_lemmas_hold_in_every_reachable_state(constants: dict[str, Any], depth: int | None) -> None:
    """Explored without a solver, with the lemmas as properties."""
    model = build(BookKeeper(constants))
    lemmas = tuple(
        SafetyProperty(lemma.name, PropertyKind.INVARIANT, lemma.formula, default=True)
        for lemma in model.system.lemmas
    )
    assert lemmas
    explored = replace(model, system=replace(model.system, properties=lemmas))
    states = none_violated(explored, tuple(lemma.name for lemma in lemmas), max_depth=depth, keep_going=True)
    assert states > 10_000


# What is not


@pytest.mark.parametrize(
    ("method", "lacks", "broken"),
    [
        (
            "bookie_sends_add_confirmed_response",
            {"guard": 0},
            ("BookieSendsAddConfirmedResponse", "AnswersAreFinal"),
        ),
        (
            "bookie_sends_add_confirmed_response",
            {"effect": 0},
            ("BookieSendsAddConfirmedResponse", "ConfirmedIsStored"),
        ),
        ("bookie_sends_read_response", {"effect": 0}, ("BookieSendsReadResponse", "AnswersAreFinal")),
        ("client_creates_ledger", {"guard": 0}, ("ClientCreatesLedger", "OneCreator")),
        (
            "client_receives_add_confirmed_response",
            {"guard": 3},
            ("ClientReceivesAddConfirmedResponse", "ConfirmedByEnsemble"),
        ),
        ("client_changes_ensemble", {"guard": 5}, ("ClientChangesEnsemble", "EnsemblesAreFull")),
        ("client_changes_ensemble", {"effect": 4}, ("ClientChangesEnsemble", "ConfirmedByEnsemble")),
        (
            "client_changes_ensemble",
            {"effect": 5},
            ("ClientChangesEnsemble", "ChangesOfEnsembleSettleLosses"),
        ),
        ("client_closes_ledger_success", {"guard": 2}, ("ClientClosesLedgerSuccess", "OneClientCloses")),
        ("client_starts_recovery", {"effect": 0}, ("ClientStartsRecovery", "MetadataTellsStage")),
        (
            "client_sends_recovery_read_requests",
            {"guard": 1},
            ("ClientSendsRecoveryReadRequests", "RecoveryBeginsInLastFragment"),
        ),
        ("read_negative", {"guard": 4}, ("ReadNegative", "EndIsOutOfReach")),
        ("read_positive", {"guard": 4}, ("ReadPositive", "EntriesReadAreReadable")),
        (
            "recovery_client_closes_ledger",
            {"guard": 5},
            ("RecoveryClientClosesLedger", "ClosedLedgerIsWhole"),
        ),
        (
            "recovery_client_closes_ledger",
            {"effect": 3},
            ("RecoveryClientClosesLedger", "ClosedLedgerIsWhole"),
        ),
    ],
)
def test_dropping_a_line_breaks_a_lemma(method: str, lacks: dict[str, int], broken: tuple[str, str]) -> None:
    outcome = induct(build(without(BookKeeper, SPARE, method, **lacks)), Request("NoDivergence"))
    verdict = outcome.verdicts[0]
    assert verdict.kind is NOT_INDUCTIVE
    assert broken in failing(outcome)
    assert broken[0] in str(verdict.reason)
    assert verdict.trace is not None


@pytest.mark.slow
def test_what_is_proved_without_a_line_holds_without_it() -> None:
    """Of every protocol that lacks a guard or an effect; most that are proved have lost progress only."""
    kinds = set()
    for lacks, mutant in all_without(BookKeeper, {**FEW, "losses": "one"}):
        model = build(mutant)
        kind = induct(model, Request("NoDivergence")).verdicts[0].kind
        kinds.add(kind)
        if kind is PROVED:
            assert none_violated(model, ("NoDivergence",)), lacks
    assert kinds == {PROVED, NOT_INDUCTIVE}


@pytest.mark.parametrize("constants", [{}, SPARE, {"late_reads": "intended"}, {"losses": "one"}])
def test_unfenced_recovery_reads_are_not_proved(constants: dict[str, Any]) -> None:
    """A bookie that told the recovery that it has no such entry takes it from the creator afterwards."""
    protocol = BookKeeper({"fence_recovery_reads": False, **constants})
    outcome = induct(build(protocol), Request("NoDivergence"))
    assert outcome.verdicts[0].kind is NOT_INDUCTIVE
    assert failing(outcome) == {("BookieSendsReadResponse", "AnswersAreFinal")}


# Where there are several recoveries, what was committed need not be on an ack quorum


def test_two_recoveries_can_leave_an_entry_on_too_few_bookies() -> None:
    """So the lemmas promise an ack quorum only after one: see docs/bookkeeper-two-recoveries.md."""
    outcome = induct(build(BookKeeper(SEVERAL)), Request("AllCommittedEntriesReachAckQuorum"))
    assert failing(outcome) == {("RecoveryClientClosesLedger", "AllCommittedEntriesReachAckQuorum")}
