"""A certificate for all constants that was changed, its digest made again, is refused or claims the same."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.mutations import as_json, change_value
from tests.support.parametric_readings import ticket_lock
from tests.support.sampling import first_of
from verifier.errors import UsageError
from verifier.parametric.certificate import Misfit, _digest, check, dump, read
from verifier.parametric.protocol_readings import ParametricReading, read_for_all
from verifier.parametric.proving import Proofs, prove
from verifier.processes.limits import Limits

CLAIMED = ("spec", "spec_hash", "property", "kept", "assumptions", "lemmas")


@pytest.fixture(scope="module")
def proof() -> tuple[ParametricReading, dict[str, Any]]:
    reading = read_for_all(ticket_lock(), {})
    attempt = prove(Proofs.of(reading), "mutual_exclusion", Limits(100).begin())
    return reading, json.loads(dump(reading, attempt))


@pytest.mark.parametrize("seed", first_of(range(30), 8))
def test_what_was_changed_is_refused_or_claims_the_same(
    proof: tuple[ParametricReading, dict[str, Any]], seed: int, tmp_path: Path
) -> None:
    reading, content = proof
    rng = random.Random(seed)
    other = change_value(rng, content)
    path = tmp_path / "forged.json"
    path.write_text(as_json({**other, "digest": _digest(other)}), encoding="utf-8", errors="replace")
    try:
        accepted: Any = read(path)
        failed = check(reading, accepted, Limits(100).begin()).failed
    except UsageError:
        return
    assert failed == ()
    assert [accepted[name] for name in CLAIMED] == [content[name] for name in CLAIMED]


def test_a_lemma_that_the_proof_does_not_need_is_not_claimed(
    proof: tuple[ParametricReading, dict[str, Any]],
) -> None:
    reading, content = proof
    for lemmas in ([], [*content["lemmas"], "Another"]):
        with pytest.raises(Misfit, match="needs other lemmas"):
            check(reading, {**content, "lemmas": lemmas}, Limits(100).begin())  # type: ignore[typeddict-item]
