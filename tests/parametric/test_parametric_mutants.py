"""Protocols that lack a line are not proved for all constants."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.parametric_readings import SMALL, attempt_proof, ticket_lock
from tests.support.weakened import without
from verifier.parametric.deciding import decide
from verifier.parametric.efforts import EFFORTS
from verifier.parametric.protocol_readings import read_traced
from verifier.parametric.proving import Proofs
from verifier.parametric.results import Open, Shown
from verifier.specs.names import title_of
from verifier.specs.protocol import Protocol
from verifier.specs.registry import load

LOCK_MUTANTS = [
    ("draw", {"effect": 1}, "Draw"),
    ("enter", {"guard": 0}, "Enter"),
    ("leave", {"guard": 0}, "Leave"),
    ("leave", {"effect": 0}, "Leave"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("method", "lacks", "at"), LOCK_MUTANTS)
def test_mutants_of_the_example_are_not_proved(method: str, lacks: dict[str, int], at: str) -> None:
    mutant = type(without(ticket_lock(), {}, method, **lacks))
    attempt = attempt_proof(mutant, "mutual_exclusion")
    assert not attempt.proved
    assert any(one.name.startswith(at) for one in attempt.open)


KIP320_MUTANTS = [
    ("controller_elect_leader", {"guard": 0}, "LeadersAreMembers"),
    ("controller_elect_leader", {"effect": 0}, "TypeOk"),
    ("controller_elect_leader", {"effect": 1}, "QuorumIsLastRequest"),
    ("controller_shrink_isr", {"effect": 2}, "QuorumIsLastRequest"),
    ("fenced_leader_shrink_isr", {"guard": 3}, "LeadersAreMembers"),
    ("fenced_leader_shrink_isr", {"effect": 0}, "TrueLeaderAgrees"),
    ("fenced_leader_shrink_isr", {"effect": 1}, "TrueLeaderAgrees"),
    ("leader_write", {"guard": 0}, "Typed"),
    ("leader_write", {"guard": 2}, "Typed"),
    ("leader_write", {"effect": 1}, "RecordsArePast"),
    ("fenced_leader_inc_high_watermark", {"guard": 0}, "HighWatermarkInLog"),
    ("fenced_leader_inc_high_watermark", {"guard": 1}, "FollowerAheadOfLeader"),
]
"""The missing line of an action, and a lemma that it then does not preserve."""


BOOKKEEPER_MUTANTS = [
    ("client_creates_ledger", {"guard": 0}, "OneCreator"),
    ("client_starts_recovery", {"guard": 0}, "CreationComesFirst"),
    ("client_starts_recovery", {"effect": 4}, "StatusTellsRole"),
    ("client_starts_recovery", {"effect": 0}, "MetadataTellsStage"),
    ("recovery_client_closes_ledger", {"guard": 1}, "OneClientCloses"),
    ("client_closes_ledger_success", {"guard": 2}, "OneClientCloses"),
    ("client_closes_ledger_success", {"effect": 3}, "MetadataTellsStage"),
    ("recovery_client_closes_ledger", {"guard": 5}, "MetadataTellsStage"),
    ("client_sends_recovery_read_requests", {"effect": 0}, "ReadsInOrder"),
    ("client_sends_recovery_read_requests", {"guard": 2}, "ReadsInOrder"),
    ("bookie_sends_add_confirmed_response", {"effect": 0}, "ConfirmedIsStored"),
]
"""Missing lines of bookkeeper's actions, and lemmas that these then do not preserve."""

BOOKKEEPER_4_13_MUTANTS = [
    ("w1_creates_ledger", {"guard": 0}, "StatusesAgree"),
    ("w1_sends_add_entry_requests", {"guard": 1}, "PendingAreUnconfirmed"),
    ("bookie_sends_add_confirmed_response", {"effect": 0}, "ConfirmedIsStored"),
    ("w1_close_ledger_success", {"guard": 2}, "StatusesAgree"),
    ("w1_close_ledger_success", {"effect": 3}, "ClosedWithLastConfirmed"),
    ("w2_place_in_recovery", {"effect": 4}, "StatusesAgree"),
    ("w2_sends_read_requests", {"guard": 2}, "ReadsGoInTurn"),
    ("w2_closes_ledger", {"guard": 4}, "ClosedWithLastConfirmed"),
    ("w2_closes_ledger", {"effect": 0}, "StatusesAgree"),
    ("w2_place_in_recovery", {"effect": 0}, "StatusesAgree"),
]
"""Missing lines of bookkeeper-4-13's actions, and lemmas that these then do not preserve."""


def results_of(spec: str, kind: type[Protocol], name: str, action: str, claim: str) -> list[Any]:
    """Return the results of the obligations that an action preserves a lemma, with little effort."""
    listed = Proofs.of(read_traced(kind, SMALL[spec])).list_obligations(name, kept=name == "WeakIsr")
    asked = [one for said in listed.claims if said.split(":")[0] == claim for one in listed.claims[said]]
    asked = [one for one in asked if one.at == action]
    assert asked
    return [decide(listed.obligations, one, EFFORTS[:4]) for one in asked]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["StrongIsr", "WeakIsr"])
@pytest.mark.parametrize(("method", "lacks", "claim"), KIP320_MUTANTS)
def test_mutants_of_kip320_are_not_proved(method: str, lacks: dict[str, int], claim: str, name: str) -> None:
    """Both proofs need these obligations."""
    require_open("kip320", name, method, lacks, claim)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "lacks", "claim"), BOOKKEEPER_MUTANTS)
def test_mutants_of_bookkeeper_are_not_proved(method: str, lacks: dict[str, int], claim: str) -> None:
    require_open("bookkeeper", "NoDivergence", method, lacks, claim)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "lacks", "claim"), BOOKKEEPER_4_13_MUTANTS)
def test_mutants_of_bookkeeper_4_13_are_not_proved(method: str, lacks: dict[str, int], claim: str) -> None:
    require_open("bookkeeper-4-13", "NoDivergence", method, lacks, claim)


@pytest.mark.slow
def test_recovery_reads_that_do_not_fence_are_not_proved() -> None:
    """A bookie that lacks an entry can then still take it: what release 4.13 does."""
    kind = load("bookkeeper-4-13")
    asked = "NoDivergence", "BookieSendsReadResponse", "NoSuchEntryIsFinal"
    assert any(isinstance(result, Open) for result in results_of("bookkeeper-4-13", kind, *asked))
    fencing = {**SMALL["bookkeeper-4-13"], "recovery_reads_fence": True}
    listed = Proofs.of(read_traced(kind, fencing)).list_obligations(asked[0], kept=False)
    of_lemma = [one for one in listed.claims[asked[2]] if one.at == asked[1]]
    assert of_lemma
    assert all(isinstance(decide(listed.obligations, one, EFFORTS[:4]), Shown) for one in of_lemma)


def require_open(spec: str, name: str, method: str, lacks: dict[str, int], claim: str) -> None:
    """Obligations of the mutant are open. Those of the protocol itself are shown with the same effort."""
    kind = load(spec)
    mutant = type(without(kind, {}, method, **lacks))
    action = title_of(method)
    assert any(isinstance(result, Open) for result in results_of(spec, mutant, name, action, claim))
    assert all(isinstance(result, Shown) for result in results_of(spec, kind, name, action, claim))
