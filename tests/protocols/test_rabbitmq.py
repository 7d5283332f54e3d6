"""Rebalancing RabbitMQ clients against what an independent checker found."""

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
from verifier.specs.expectations import Expectation
from verifier.specs.rabbitmq.single_active_consumer import RabbitSac, RabbitSacRestart


@pytest.mark.parametrize("expectation", make_expected_cases("rabbitmq"))
def test_expectations(expectation: Expectation) -> None:
    agrees_with_expectation(expectation)


@pytest.mark.parametrize("row", make_measured_cases("rabbit"))
def test_measured_rows(row: dict[str, Any]) -> None:
    agrees_with_row(row)


@pytest.mark.thorough
def test_three_queues_and_three_apps() -> None:
    found = exploration("rabbit-sac", {"queues": 3, "apps": 3})
    assert found.distinct_states == 183202
    assert set(found.steps) == {"NoDeadlock"}


@pytest.mark.parametrize("spec", ["rabbit-sac", "rabbit-sac-restart"])
def test_every_action_is_taken(spec: str) -> None:
    assert all(exploration(spec, {"queues": 2, "apps": 2}).taken.values())


@pytest.mark.parametrize("protocol", [RabbitSac, RabbitSacRestart])
def test_queues_and_apps_are_interchangeable(protocol: type[RabbitSac]) -> None:
    symmetries = build(protocol({"queues": 2, "apps": 2})).system.symmetries
    assert {symmetry.sort.name: symmetry.pinned for symmetry in symmetries} == {"queue": set(), "app": set()}


def test_the_last_id_is_reached() -> None:
    """The bound on ids is exact: TypeOK would fail with a smaller one."""

    class Tight(RabbitSacRestart):
        @property
        def last_id(self) -> int:
            return super().last_id - 1

    assert "TypeOK" in explore(build(Tight({"queues": 2, "apps": 2, "restart_limit": 1}))).steps
