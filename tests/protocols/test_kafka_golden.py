"""The Kafka family against what an independent checker found: states, depth, verdicts, lengths."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import pytest

from tests.support.explicit import Exploration, explore
from tests.support.models import build
from tests.support.sampling import some_of
from tests.support.tlc import read_measured
from verifier.specs.built_in import BUILT_IN
from verifier.specs.expectations import Expectation, expectations
from verifier.specs.kafka.kip279 import Kip279
from verifier.specs.kafka.kip320 import Kip320
from verifier.specs.protocol import Protocol, Step, action
from verifier.specs.registry import load

FAMILY = [name for name, protocol in BUILT_IN.items() if ".kafka." in protocol.place]
EXPECTED = [expected for name in FAMILY for expected in expectations(name)]
ROWS = read_measured("kafka")


def _label(spec: str, constants: Mapping[str, Any], properties: str) -> str:
    return f"{spec}-{'.'.join(str(value) for value in constants.values())}-{properties}"


def _row_label(row: dict[str, Any]) -> str:
    return _label(row["spec"], row["constants"], "+".join(row["properties"]))


def _label_expected(expected: Expectation) -> str:
    return _label(expected.spec, expected.constants, expected.property_name)


@cache
def _explore(spec: str, constants: tuple[tuple[str, Any], ...], until: frozenset[str]) -> Exploration:
    return explore(build(load(spec)(dict(constants))), until=until)


def _exploration(spec: str, constants: Mapping[str, Any], until: frozenset[str]) -> Exploration:
    return _explore(spec, tuple(constants.items()), until)


@pytest.mark.parametrize("row", some_of(ROWS, every=2), ids=_row_label)
def test_agrees_with_the_measured_rows(row: dict[str, Any]) -> None:
    whole = row["verdict"] == "holds" or row["constants"].get("max_leader_epoch") == 1
    until: frozenset[str] = frozenset() if whole else frozenset(row["properties"])
    found = _exploration(row["spec"], row["constants"], until)
    violations = [found.steps[name] for name in row["properties"] if name in found.steps]
    if row["verdict"] == "violated":
        assert min(violations) == row["shortest_states"] - 1
    else:
        assert not violations
        assert (found.distinct_states, found.depth) == (row["distinct_states"], row["depth_levels"] - 1)
        assert found.complete


@pytest.mark.parametrize("expected", EXPECTED, ids=_label_expected)
def test_agrees_with_the_shipped_expectations(expected: Expectation) -> None:
    until = frozenset[str]() if expected.distinct_states else frozenset((expected.property_name,))
    found = _exploration(expected.spec, expected.constants, until)
    assert expected.verdict == ("violated" if expected.property_name in found.steps else "holds")
    assert found.steps.get(expected.property_name) == expected.steps
    if expected.distinct_states:
        assert (found.distinct_states, found.depth) == (expected.distinct_states, expected.depth)


def test_every_measured_row_is_among_the_expectations() -> None:
    shipped = {(e.spec, tuple(e.constants.items()), e.property_name) for e in EXPECTED}
    wanted = {(r["spec"], tuple(r["constants"].items()), name) for r in ROWS for name in r["properties"]}
    assert wanted <= shipped


class Kip279InTwoCases(Kip279):
    """As the original has it: an empty log is a case of its own, and falls under the other as well."""

    next: ClassVar[tuple[str, ...]] = (*Kip279.next, "become_follower_with_empty_log")

    @action(leader="replicas", follower="replicas", epoch="epochs")
    def become_follower_with_empty_log(self, s: Any, leader: Any, follower: Any, epoch: Any) -> Step:
        is_empty = Step(when=[s.log[follower].is_empty])
        return is_empty & self.become_follower_and_truncate_to(s, leader, follower, epoch, 0)


class Kip320InTwoCases(Kip320):
    """As a checker reads the original: to lag and not to follow are two ways to be dropped from the ISR."""

    next: ClassVar[tuple[str, ...]] = (*Kip320.next, "fenced_leader_shrink_isr_again")

    @action(leader="replicas", follower="replicas")
    def fenced_leader_shrink_isr_again(self, s: Any, leader: Any, follower: Any) -> Step:
        lags = s.log[follower].length < s.log[leader].length
        both = Step(when=[lags, ~self.is_following_leader_epoch(s, leader, follower)])
        return self.fenced_leader_shrink_isr(s, leader, follower) & both


COUNTED_TWICE: dict[str, type[Protocol]] = {"kip279": Kip279InTwoCases, "kip320": Kip320InTwoCases}


@pytest.mark.parametrize("row", [row for row in ROWS if row["generated_states"]], ids=_row_label)
def test_takes_as_many_steps_as_were_measured(row: dict[str, Any]) -> None:
    found = _steps(row["spec"], tuple(row["constants"].items()))
    assert row["initial_states"] + sum(found.taken.values()) == row["generated_states"]


@cache
def _steps(spec: str, constants: tuple[tuple[str, Any], ...]) -> Exploration:
    protocol = COUNTED_TWICE[spec] if spec in COUNTED_TWICE else load(spec)
    return explore(build(protocol(dict(constants))))


@pytest.mark.parametrize("spec", FAMILY)
def test_every_action_is_taken_at_the_smallest_constants(spec: str) -> None:
    smallest = {"replicas": 2, "max_leader_epoch": 1, "max_records": 1, "log_size": 1}
    if spec == "kafka-async-isr":
        smallest = {"replicas": 2, "max_offset": 1, "max_version": 2}
    taken = _exploration(spec, smallest, frozenset()).taken
    assert taken
    assert all(taken.values()), taken


@pytest.mark.parametrize("spec", [name for name in FAMILY if name != "kafka-async-isr"])
def test_an_elected_leader_is_in_the_isr(spec: str) -> None:
    constants = {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    assert "LeaderInIsrOnceElected" not in _exploration(spec, constants, frozenset()).steps
