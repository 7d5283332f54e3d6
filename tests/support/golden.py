"""Protocols against what an independent checker found in the originals: states, depth, verdicts, lengths."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from tests.support.explicit import Exploration, explore
from tests.support.models import build
from tests.support.tlc import read_measured
from verifier.specs.built_in import BUILT_IN
from verifier.specs.expectations import Expectation, expectations
from verifier.specs.registry import load
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.deadlock import with_deadlock


def make_expected_cases(folder: str) -> list[Any]:
    """The shipped expectations of a family as test parameters."""
    specs = [spec for spec, protocol in BUILT_IN.items() if f".{folder}." in protocol.place]
    found = [expected for spec in specs for expected in expectations(spec)]
    assert found
    return [pytest.param(e, id=f"{_label(e.spec, e.constants)}-{e.property_name}") for e in found]


def make_measured_cases(family: str) -> list[Any]:
    """The measured rows of a family, if they are at hand, as test parameters. Liveness is left out."""
    return [
        pytest.param(
            row,
            id=f"{_label(row['spec'], row['constants'])}-{row['verdict']}-{'+'.join(row['properties'])}",
        )
        for row in read_measured(family)
    ]


def agrees_with_expectation(e: Expectation) -> None:
    """Explores all states, or up to the violation if no more is known."""
    until = frozenset[str]() if e.distinct_states else frozenset((e.property_name,))
    found = exploration(e.spec, e.constants, until)
    assert e.verdict == ("violated" if e.property_name in found.steps else "holds")
    assert found.steps.get(e.property_name) == e.steps
    if e.distinct_states:
        assert (found.distinct_states, found.depth) == (e.distinct_states, e.depth)


def agrees_with_row(row: Mapping[str, Any]) -> None:
    """Check that the explorer finds a row's verdict, and the number of its steps. A deadlock is a violation
    of the freedom from it."""
    names = [NO_DEADLOCK] if row["verdict"] == "deadlock" else row["properties"]
    until = frozenset[str]() if row["verdict"] == "holds" else frozenset(names)
    found = exploration(row["spec"], row["constants"], until)
    violations = [found.steps[name] for name in names if name in found.steps]
    if row["verdict"] == "holds":
        assert not violations
        assert (found.distinct_states, found.depth) == (row["distinct_states"], row["depth_levels"] - 1)
        assert row["initial_states"] + sum(found.taken.values()) == row["generated_states"]
    else:
        assert min(violations) == row["shortest_states"] - 1


def exploration(spec: str, constants: Mapping[str, Any], until: frozenset[str] = frozenset()) -> Exploration:
    """Explore until all of these properties are violated; without any, explore everything."""
    return _explore(spec, tuple(constants.items()), until)


@cache
def _explore(spec: str, constants: tuple[tuple[str, Any], ...], until: frozenset[str]) -> Exploration:
    return explore(with_deadlock(build(load(spec)(dict(constants)))), until=until)


def _label(spec: str, constants: Mapping[str, Any]) -> str:
    return f"{spec}-{'.'.join(str(value) for value in constants.values())}"
