"""Exactly-once processing against what an independent checker found; its known-bad variants."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.explicit import explore
from tests.support.golden import (
    agrees_with_expectation,
    agrees_with_row,
    exploration,
    make_expected_cases,
    make_measured_cases,
)
from tests.support.models import build
from tests.support.sampling import some_of
from verifier.encodings.quantifiers import if_
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
from verifier.specs.exactly_once.atomic import ExactlyOnceAtomic
from verifier.specs.exactly_once.staged import ExactlyOnce
from verifier.specs.expectations import Expectation
from verifier.specs.protocol import Protocol, Step, action
from verifier.verdict import VerdictKind


@pytest.mark.parametrize("expectation", some_of(make_expected_cases("exactly_once"), every=3))
def test_expectations(expectation: Expectation) -> None:
    agrees_with_expectation(expectation)


@pytest.mark.parametrize("row", make_measured_cases("exactly-once"))
def test_measured_rows(row: dict[str, Any]) -> None:
    agrees_with_row(row)


@pytest.mark.parametrize(
    "constants", [{"message_count": 1, "dup_count": 2}, {"message_count": 2, "dup_count": 1}]
)
def test_safety_and_the_end(constants: dict[str, Any]) -> None:
    found = exploration("exactly-once", constants)
    assert set(found.steps) == {"NoDeadlock"}
    assert all(found.taken.values()), found.taken


def test_safety_and_the_end_with_an_atomic_outbox() -> None:
    found = exploration("exactly-once-atomic", {"max_queue": 2, "max_retry": 1})
    assert set(found.steps) == {"NoDeadlock"}
    assert all(found.taken.values()), found.taken


@pytest.mark.parametrize(
    ("variant", "steps"), [("no-version-check", 13), ("outbox-first", 9), ("output-first", 16)]
)
def test_known_bad_variants(variant: str, steps: int) -> None:
    safety, *others = check(build(ExactlyOnce({"variant": variant})), Request(("Safety",), steps)).verdicts
    assert not others
    assert (safety.kind, safety.steps) == (VerdictKind.VIOLATED, steps)


@pytest.mark.slow
def test_safety_to_depth_30() -> None:
    request = Request(("Safety",), 30, StepsChoice.SERIAL)
    (safety,) = check(build(ExactlyOnce({"message_count": 2, "dup_count": 2})), request).verdicts
    assert (safety.kind, safety.depth) == (VerdictKind.HOLDS, 30)


class SentBetweenCommits(ExactlyOnce):
    """Messages are sent with the commit of the state, before the outbox is committed."""

    @action(process="processes", succeeds="outcomes")
    def state_commit(self, s: Any, process: Any, succeeds: Any) -> Step:
        step = super().state_commit.method(self, s, process, succeeds)
        sent = {"id": s.tx_id[process].value.id, "ver": s.snapshot[process].value.ver}
        return Step(when=step.when, then={**step.then, s.output: if_(succeeds, s.output.add(sent), s.output)})


def test_sending_between_the_commits_does_no_harm() -> None:
    assert not explore(build(SentBetweenCommits({"message_count": 1, "dup_count": 2}))).steps


@pytest.mark.parametrize(
    ("protocol", "kinds"),
    [(ExactlyOnce, {"process", "message", "duplicate"}), (ExactlyOnceAtomic, {"process", "message"})],
)
def test_processes_and_messages_are_interchangeable(protocol: type[Protocol], kinds: set[str]) -> None:
    symmetries = build(protocol({})).system.symmetries
    assert {symmetry.sort.name for symmetry in symmetries if not symmetry.pinned} == kinds
