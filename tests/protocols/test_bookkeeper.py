"""BookKeeper against what an independent checker and an independent reading of the text found."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from tests.support.models import build
from tests.support.sampling import first_of
from tests.support.tlc import LOSSES, constants_of, read_measured
from verifier.engines import bmc
from verifier.engines.explore import Request, explore
from verifier.errors import UsageError
from verifier.specs.bookkeeper.bookkeeper import BookKeeper
from verifier.specs.expectations import Expectation, expectations
from verifier.specs.registry import load
from verifier.verdict import VerdictKind

ROWS = read_measured("bookkeeper")
EXPECTED = [*expectations("bookkeeper"), *expectations("bookkeeper-4-13")]
DIVERGENCE = {
    "bookkeeper": "NoDivergenceBetweenClientAndMetaData",
    "bookkeeper-4-13": "NoDivergenceBetweenWriterAndMetaData",
}


def _label(spec: str, constants: Mapping[str, Any], properties: str) -> str:
    return f"{spec}-{'.'.join(str(value) for value in constants.values())}-{properties}"


def _row_label(row: Mapping[str, Any]) -> str:
    return _label(row["spec"], constants_of(row), "+".join(row["properties"]))


def _label_expected(expected: Expectation) -> str:
    return _label(expected.spec, expected.constants, expected.property_name)


@cache
def _explore(spec: str, constants: tuple[tuple[str, Any], ...], *, whole: bool, symmetry: bool) -> Any:
    model = build(load(spec)(dict(constants)))
    assert bool(model.system.symmetries) or not symmetry
    names = tuple(prop.name for prop in model.system.properties)
    wanted = names if whole else (DIVERGENCE[spec],)
    outcome = explore(model, Request(wanted, symmetry=symmetry, keep_going=whole))
    return {verdict.property_name: verdict for verdict in outcome.verdicts}, outcome.statistics


def _exploration(spec: str, constants: Mapping[str, Any], *, whole: bool, symmetry: bool) -> Any:
    return _explore(spec, tuple(constants.items()), whole=whole, symmetry=symmetry)


@pytest.mark.parametrize("row", ROWS, ids=_row_label)
def test_agrees_with_the_measured_rows(row: dict[str, Any]) -> None:
    whole = row["verdict"] == "holds"
    found, figures = _exploration(row["spec"], constants_of(row), whole=whole, symmetry=row["symmetry"])
    for name in row["properties"]:
        if whole:
            assert found[name].kind is VerdictKind.HOLDS
        else:
            assert (found[name].kind, found[name].steps) == (VerdictKind.VIOLATED, row["shortest_states"] - 1)
    if whole:
        assert figures["complete"]
        assert figures["distinct_states"] == row["distinct_states"]
        assert figures["depth"] == row["depth_levels"] - 1
        if not any(words in row["note"] for words in LOSSES):
            assert figures["generated_states"] == row["generated_states"]


@pytest.mark.parametrize("expected", EXPECTED, ids=_label_expected)
def test_agrees_with_the_shipped_expectations(expected: Expectation) -> None:
    whole = expected.verdict == "holds"
    symmetry = expected.distinct_states is None
    found, figures = _exploration(expected.spec, expected.constants, whole=whole, symmetry=symmetry)
    verdict = found[expected.property_name]
    assert verdict.kind is (VerdictKind.HOLDS if whole else VerdictKind.VIOLATED)
    assert verdict.steps == expected.steps
    if whole:
        assert figures["complete"]
        assert expected.distinct_states in (None, figures["distinct_states"])
        assert expected.depth in (None, figures["depth"])


def test_every_measured_row_is_among_the_expectations() -> None:
    known = [
        (e.spec, {k: v for k, v in e.constants.items() if k != "ensemble_choice"}, e.property_name, e.steps)
        for e in EXPECTED
    ]
    for row in ROWS:
        steps = None if row["shortest_states"] is None else row["shortest_states"] - 1
        for name in row["properties"]:
            assert (row["spec"], constants_of(row), name, steps) in known


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("settings", "orbits"),
    [
        ({"losses": "none"}, 3897),
        ({"losses": "none", "fence_recovery_reads": False}, 4469),
        ({"bookies": 2, "write_quorum": 2}, 448_862),
    ],
)
def test_orbits_are_those_counted_with_symmetry(settings: dict[str, Any], orbits: int) -> None:
    _, figures = _exploration("bookkeeper", settings, whole=True, symmetry=True)
    assert figures["distinct_states"] == orbits


# Figures of an interpreter that was written from the original texts alone, message by message.

COUNTED: list[tuple[str, dict[str, Any], int, int, int]] = [
    ("bookkeeper", {"clients": 1, "write_quorum": 2}, 99, 341, 566),
    ("bookkeeper", {"clients": 1, "bookies": 4, "write_quorum": 2}, 99, 725, 1130),
    ("bookkeeper", {"clients": 1, "bookies": 4, "write_quorum": 3}, 99, 2233, 4831),
    ("bookkeeper", {"clients": 1, "write_quorum": 2, "send_limit": 2}, 99, 1711, 2901),
    (
        "bookkeeper",
        {"clients": 1, "write_quorum": 2, "send_limit": 2, "inflight_limit": 2},
        99,
        71_657,
        161_620,
    ),
    ("bookkeeper", {"clients": 1, "write_quorum": 2, "ensemble_choice": "any"}, 99, 733, 1216),
    (
        "bookkeeper",
        {"clients": 1, "bookies": 4, "write_quorum": 2, "ensemble_choice": "any"},
        99,
        9337,
        15_103,
    ),
    ("bookkeeper", {"losses": "none"}, 99, 41_333, 155_457),
    ("bookkeeper", {"write_quorum": 2, "ack_quorum": 1, "losses": "one"}, 14, 28_261, 65_405),
    ("bookkeeper", {"write_quorum": 2, "losses": "one"}, 18, 212_689, 620_647),
    (
        "bookkeeper",
        {"write_quorum": 2, "send_limit": 2, "late_reads": "intended"},
        13,
        500_849,
        1_217_305,
    ),
    ("bookkeeper-4-13", {"write_quorum": 2, "losses": "one"}, 99, 172_493, 666_141),
    (
        "bookkeeper-4-13",
        {"write_quorum": 2, "ack_quorum": 1, "recovery_reads_fence": True},
        16,
        47_623,
        132_515,
    ),
    ("bookkeeper-4-13", {"bookies": 4, "losses": "one"}, 13, 264_095, 886_791),
    (
        "bookkeeper-4-13",
        {"send_limit": 2, "recovery_reads_fence": True, "losses": "one"},
        14,
        543_303,
        2_121_958,
    ),
]


@pytest.mark.parametrize(("spec", "settings", "depth", "states", "generated"), first_of(COUNTED, 4))
def test_agrees_with_an_interpreter_of_the_text(
    spec: str, settings: dict[str, Any], depth: int, states: int, generated: int
) -> None:
    model = build(load(spec)(settings))
    names = tuple(prop.name for prop in model.system.properties)
    figures = explore(model, Request(names, max_depth=depth, keep_going=True)).statistics
    assert (figures["distinct_states"], figures["generated_states"]) == (states, generated)


# The published data loss, and what unfenced recovery reads lead to


def _check(spec: str, settings: dict[str, Any], depth: int, name: str = "NoDivergence") -> Any:
    request = bmc.Request((name,), depth, solver="cadical")
    (verdict,) = bmc.check(build(load(spec)(settings)), request).verdicts
    return verdict


def test_the_published_data_loss_is_found() -> None:
    verdict = _check("bookkeeper-4-13", {"recovery_reads_fence": False}, 20)
    assert (verdict.kind, verdict.steps >= 19) == (VerdictKind.VIOLATED, True)
    last = verdict.trace.states[-1]
    assert (last["meta_status"], last["meta_last_entry"], last["w1"]["lac"]) == ("CLOSED", 0, 1)


@pytest.mark.slow
def test_no_data_is_lost_where_recovery_reads_fence() -> None:
    verdict = _check("bookkeeper-4-13", {"recovery_reads_fence": True}, 20)
    assert (verdict.kind, verdict.depth) == (VerdictKind.HOLDS, 20)


@pytest.mark.parametrize(
    "settings",
    first_of(
        [
            {},
            {"late_reads": "intended"},
            {"losses": "one"},
            {"losses": "one", "late_reads": "intended"},
            {"losses": "none", "late_reads": "intended"},
        ],
        1,
    ),
)
def test_unfenced_recovery_reads_lose_data(settings: dict[str, Any]) -> None:
    verdict = _check("bookkeeper", {"fence_recovery_reads": False, **settings}, 18)
    assert (verdict.kind, verdict.steps >= 17) == (VerdictKind.VIOLATED, True)


@pytest.mark.slow
def test_nothing_else_is_violated_by_unfenced_recovery_reads() -> None:
    settings = {"fence_recovery_reads": False, "losses": "none", "late_reads": "intended"}
    found, _ = _exploration("bookkeeper", settings, whole=True, symmetry=True)
    violated = {name for name, verdict in found.items() if verdict.kind is VerdictKind.VIOLATED}
    assert violated == {"NoDivergence", "NoDivergenceBetweenClientAndMetaData"}


@pytest.mark.slow
def test_no_shorter_execution_loses_data_whatever_is_lost() -> None:
    found, _ = _exploration("bookkeeper", {"fence_recovery_reads": False}, whole=False, symmetry=True)
    assert found[DIVERGENCE["bookkeeper"]].steps == 17


def test_as_written_a_read_concludes_only_when_messages_are_lost() -> None:
    _, figures = _exploration("bookkeeper", {"losses": "none"}, whole=True, symmetry=True)
    assert not any(
        figures["actions"][name]["taken"] for name in ("ReadPositive", "ReadNegative", "ReadUnknown")
    )


# Constants


@pytest.mark.thorough
def test_bookies_are_interchangeable_unless_the_first_ensemble_is_taken() -> None:
    def symmetric(settings: dict[str, Any]) -> list[str]:
        return [symmetry.sort.name for symmetry in build(BookKeeper(settings)).system.symmetries]

    assert symmetric({"write_quorum": 2}) == ["client"]
    assert symmetric({"write_quorum": 2, "ensemble_choice": "any"}) == ["bookie", "client"]
    assert symmetric({"write_quorum": 3}) == ["bookie", "client"]


@pytest.mark.parametrize("settings", [{"ack_quorum": 4}, {"bookies": 2}, {"losses": "some"}])
def test_constants_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        BookKeeper(settings)
