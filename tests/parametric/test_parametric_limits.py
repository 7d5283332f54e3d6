"""Proofs for all constants that the time ends: also while formulas are made, in which no engine runs."""

from __future__ import annotations

import time

import pytest

from tests.support.command_line import verify
from verifier.engines.all_constants import check
from verifier.parametric import protocol_readings as loading
from verifier.parametric.protocol_readings import read_for_all
from verifier.processes.limits import Interrupted, Limits
from verifier.specs.registry import load


def test_the_time_ends_a_proof_while_the_protocol_is_read() -> None:
    began = time.process_time()
    done = verify("prove", "bookkeeper", "--all-constants", "--timeout", "0.3s")
    assert time.process_time() - began < 3
    assert done.exit_code == 12
    assert "The proof of TypeOK was not tried, so nothing is known (timeout of 0.3 s)" in done.stdout
    assert "Assumptions about the constants" not in done.stdout


def test_a_limit_that_is_reached_in_the_protocols_code_is_none_of_its_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def reach(*_: object) -> None:
        raise Interrupted("timeout of 0.3 s")

    monkeypatch.setattr(loading, "read_assumptions", reach)
    with pytest.raises(Interrupted):
        read_for_all(load("bookkeeper"), {})


@pytest.mark.slow
def test_the_time_ends_a_proof_while_obligations_are_listed() -> None:
    reading = read_for_all(load("bookkeeper"), {})
    began = time.process_time()
    outcome = check(reading, ["TypeOK", "NoOutOfOrderEntries"], Limits(0.3))
    assert time.process_time() - began < 3
    assert {one.reason for one in outcome.verdicts} == {"timeout of 0.3 s"}
