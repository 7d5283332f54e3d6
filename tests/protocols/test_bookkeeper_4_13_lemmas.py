"""The lemmas of release 4.13 of BookKeeper: no loss once recovery reads fence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.support.lemma_grid import by_lemmas, is_proved
from tests.support.models import build
from tests.support.weakened import without
from verifier.engines import prove
from verifier.engines.choices import EngineChoice
from verifier.engines.explore import Request as Exploring
from verifier.engines.explore import explore
from verifier.engines.induction import Request, induct
from verifier.engines.induction_outcome import InductionOutcome
from verifier.engines.inductive_question import Kind
from verifier.specs.bookkeeper.v4_13 import BookKeeper413
from verifier.specs.definition import PropertyKind
from verifier.specs.protocol import Protocol
from verifier.system.model import Model
from verifier.system.transition_system import SafetyProperty
from verifier.verdict import VerdictKind

pytestmark = pytest.mark.thorough

PROVED, NOT_INDUCTIVE, HOLDS = VerdictKind.PROVED, VerdictKind.NOT_INDUCTIVE, VerdictKind.HOLDS

FENCING = {"recovery_reads_fence": True}
REPLACING = {**FENCING, "write_quorum": 2, "ensemble_choice": "any"}
"""One bookie more than an ensemble has, so that ensembles change."""
MAIN = ("NoDivergence", "AllCommittedEntriesReachAckQuorum")
FOR_ALL_CONSTANTS = {"CreationComesFirst", "RecoveryReadsLastFragment"}
"""They follow from others where constants are fixed; a proof for all constants is lost without them."""


def model_of(constants: Mapping[str, Any]) -> Model:
    return build(BookKeeper413(dict(constants)))


def by_induction(protocol: Protocol, name: str = "NoDivergence", **options: Any) -> InductionOutcome:
    return induct(build(protocol), Request(name, **options))


def failing(outcome: InductionOutcome) -> set[tuple[str | None, str]]:
    return {(item.action, item.formula) for item in outcome.obligations if item.holds is False}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        pytest.param({"send_limit": 2}, marks=pytest.mark.slow),
        pytest.param({"ack_quorum": 3}, marks=pytest.mark.slow),
        {"bookies": 1, "write_quorum": 1, "ack_quorum": 1, "send_limit": 2},
        pytest.param({"write_quorum": 2}, marks=pytest.mark.slow),
        pytest.param({"bookies": 4, "ensemble_choice": "any", "losses": "one"}, marks=pytest.mark.slow),
    ],
)
def test_the_lemmas_prove_the_properties(changed: dict[str, Any]) -> None:
    model = model_of({**FENCING, **changed})
    outcomes = by_lemmas(model, MAIN)
    assert is_proved(outcomes)
    assert {lemma.name for lemma in model.system.lemmas} <= set(outcomes[-1].invariant)


@pytest.mark.slow
def test_representatives_suffice() -> None:
    protocol = BookKeeper413(REPLACING)
    some, every = (by_induction(protocol, symmetry=symmetry) for symmetry in (True, False))
    assert some.verdicts[0].kind is every.verdicts[0].kind is PROVED
    assert some.asked < every.asked / 2


@pytest.mark.slow
def test_no_lemma_can_be_left_out() -> None:
    """Without it the rest is not inductive, or one of the properties does not follow any more."""
    model = model_of(REPLACING)
    names = [lemma.name for lemma in model.system.lemmas]
    assert set(names) > FOR_ALL_CONSTANTS
    for gone in set(names) - FOR_ALL_CONSTANTS:
        lemmas = tuple(name for name in names if name != gone)
        outcomes = [induct(model, Request(name, lemmas=lemmas)) for name in MAIN]
        follows = all(Kind.SAFETY in {item.kind for item in out.obligations} for out in outcomes)
        assert not (is_proved(outcomes) and follows), gone


@pytest.mark.parametrize("constants", [{}, {"losses": "none", **REPLACING}])
def test_lemmas_hold_in_every_reachable_state(constants: dict[str, Any]) -> None:
    """Explored without a solver, with the lemmas as properties."""
    model = model_of({**FENCING, **constants})
    lemmas = tuple(
        SafetyProperty(lemma.name, PropertyKind.INVARIANT, lemma.formula, default=True)
        for lemma in model.system.lemmas
    )
    names = tuple(lemma.name for lemma in lemmas)
    as_properties = replace(model, system=replace(model.system, properties=lemmas))
    found = explore(as_properties, Exploring(names, symmetry=True))
    assert len(found.verdicts) == len(names) > 20
    assert found.statistics["complete"]
    assert {verdict.kind for verdict in found.verdicts} == {HOLDS}


@pytest.mark.parametrize(
    ("method", "lacks", "broken"),
    [
        (
            "bookie_sends_add_confirmed_response",
            {"guard": 0},
            ("BookieSendsAddConfirmedResponse", "EndIsFinal"),
        ),
        (
            "bookie_sends_add_confirmed_response",
            {"effect": 0},
            ("BookieSendsAddConfirmedResponse", "ConfirmedIsStored"),
        ),
        ("bookie_sends_read_response", {"effect": 0}, ("BookieSendsReadResponse", "NoSuchEntryIsFinal")),
        ("w1_changes_ensemble", {"guard": 1}, ("W1ChangesEnsemble", "RecoveryIsInLastFragment")),
        ("w1_changes_ensemble", {"effect": 3}, ("W1ChangesEnsemble", "ConfirmedInEnsemble")),
        (
            "w1_receives_add_confirmed_response",
            {"guard": 0},
            ("W1ReceivesAddConfirmedResponse", "ClosedWithLastConfirmed"),
        ),
        (
            "w1_receives_add_confirmed_response",
            {"guard": 3},
            ("W1ReceivesAddConfirmedResponse", "WriterCommitsOnAckQuorum"),
        ),
        ("w1_close_ledger_success", {"guard": 2}, ("W1CloseLedgerSuccess", "StatusesAgree")),
        ("w2_sends_read_requests", {"guard": 1}, ("W2SendsReadRequests", "RecoveryIsInLastFragment")),
        ("w2_sends_read_requests", {"guard": 2}, ("W2SendsReadRequests", "ReadsGoInTurn")),
        (
            "w2_completes_read_successfully",
            {"guard": 2},
            ("W2CompletesReadSuccessfully", "RecoveryAddsWhatItRead"),
        ),
        (
            "w2_completes_read_with_no_such_entry",
            {"guard": 1},
            ("W2CompletesReadWithNoSuchEntry", "AnswersAreAwaited"),
        ),
        (
            "w2_completes_read_with_no_such_entry",
            {"guard": 2},
            ("W2CompletesReadWithNoSuchEntry", "EndIsFinal"),
        ),
        (
            "w2_receives_add_confirmed_response",
            {"guard": 1},
            ("W2ReceivesAddConfirmedResponse", "RecoveryCommitsOnAckQuorum"),
        ),
        ("w2_changes_ensemble", {"effect": 3}, ("W2ChangesEnsemble", "ConfirmedInEnsemble")),
        ("w2_changes_ensemble", {"guard": 5}, ("W2ChangesEnsemble", "ChangesCostTimeouts")),
        ("w2_closes_ledger", {"guard": 4}, ("W2ClosesLedger", "ClosedWithLastConfirmed")),
    ],
)
def test_dropping_a_line_breaks_a_lemma(method: str, lacks: dict[str, int], broken: tuple[str, str]) -> None:
    outcome = by_induction(without(BookKeeper413, REPLACING, method, **lacks))
    verdict = outcome.verdicts[0]
    assert verdict.kind is NOT_INDUCTIVE
    assert broken in failing(outcome)
    assert broken[0] in str(verdict.reason)
    assert verdict.trace is not None
    assert verdict.trace.actions[0].name == broken[0]


@pytest.mark.parametrize("constants", [{}, {"send_limit": 2}, {"write_quorum": 2}])
def test_recovery_reads_that_do_not_fence_are_not_proved(constants: dict[str, Any]) -> None:
    """The lemma that fails says that a bookie that lacks an entry will always lack it."""
    outcome = by_induction(BookKeeper413(constants))
    assert outcome.verdicts[0].kind is NOT_INDUCTIVE
    assert failing(outcome) == {("BookieSendsReadResponse", "NoSuchEntryIsFinal")}


def test_without_fencing_the_other_lemmas_prove_what_still_holds() -> None:
    """Entries then get lost because the ledger ends too early, not because they are stored badly."""
    model = model_of({})
    outcome = induct(model, Request("AllCommittedEntriesReachAckQuorum", houdini=True))
    assert outcome.verdicts[0].kind is PROVED
    assert {item.formula for item in outcome.left_out} == {"NoSuchEntryIsFinal", "EndIsFinal"}
    assert induct(model, Request("NoDivergence", houdini=True)).verdicts[0].kind is NOT_INDUCTIVE


@pytest.mark.slow
@pytest.mark.parametrize("name", MAIN)
def test_ic3_needs_no_lemma(name: str) -> None:
    request = prove.Request((name,), EngineChoice.IC3, lemmas=False)
    outcome = prove.check(model_of(FENCING), request)
    assert [verdict.kind for verdict in outcome.verdicts] == [PROVED]
