"""Topic compaction against what an independent checker found, and its known bugs at larger constants."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import (
    agrees_with_expectation,
    agrees_with_row,
    exploration,
    make_expected_cases,
    make_measured_cases,
)
from tests.support.models import build
from verifier.engines.bmc import Request, check
from verifier.specs.expectations import Expectation
from verifier.specs.pulsar.compaction import PulsarCompaction
from verifier.verdict import VerdictKind

SMALL = {"message_sent_limit": 2, "compaction_times_limit": 2, "max_crash_times": 1}


@pytest.mark.parametrize("expectation", make_expected_cases("pulsar"))
def test_expectations(expectation: Expectation) -> None:
    agrees_with_expectation(expectation)


@pytest.mark.parametrize("row", make_measured_cases("pulsar"))
def test_measured_rows(row: dict[str, Any]) -> None:
    agrees_with_row(row)


def test_every_action_is_taken_and_the_consumer_changes_nothing() -> None:
    without = exploration("pulsar-compaction", SMALL)
    found = exploration("pulsar-compaction", {**SMALL, "model_consumer": True})
    assert all(found.taken.values()), found.taken
    assert len(found.taken) == 10
    assert (found.distinct_states, found.depth) == (without.distinct_states, without.depth)


def test_a_consumer_that_never_consumes_enough_keeps_the_system_going() -> None:
    found = exploration("pulsar-compaction", {**SMALL, "model_consumer": True, "consume_times_limit": 2})
    assert found.taken["Terminating"] == 0
    assert "NoDeadlock" not in found.steps


def test_the_known_bugs_at_larger_constants() -> None:
    constants = {"message_sent_limit": 6, "compaction_times_limit": 4, "max_crash_times": 3}
    request = Request(("CompactedLedgerLeak", "DuplicateNullKeyMessage"), depth=9, shortest=True)
    leak, duplicate = check(build(PulsarCompaction(constants)), request).verdicts
    assert (leak.kind, leak.steps) == (VerdictKind.VIOLATED, 9)
    assert (duplicate.kind, duplicate.steps) == (VerdictKind.VIOLATED, 4)
