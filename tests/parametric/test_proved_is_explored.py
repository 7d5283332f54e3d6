"""Claims proved for all constants hold in every state that exploration finds at small constants."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pytest

from tests.parametric.test_parametric_protocols import MUTANTS, PROVED, lacking
from tests.support.explicit import explore
from tests.support.models import build
from verifier.errors import UsageError
from verifier.specs.constants import BooleanConstant, IndexSetConstant, IntegerConstant, constants_of
from verifier.specs.registry import load

CLAIMS: dict[str, Sequence[str]] = {
    **PROVED,
    "kip320": ("TypeOk", "WeakIsr", "StrongIsr"),
    "pulsar-compaction": (*PROVED["pulsar-compaction"], "TypeSafe"),
}
_MOST_STATES = 20_000
_MOST_CONSTANTS = 16


def small_constants(spec: str) -> Iterator[dict[str, Any]]:
    """Yield constants: the least two values of each, both truths; a sample if there are many."""
    values: dict[str, list[Any]] = {}
    for name, constant in constants_of(load(spec)).items():
        match constant:
            case IntegerConstant(minimum=least) | IndexSetConstant(minimum=least):
                values[name] = [least, least + 1]
            case BooleanConstant():
                values[name] = [False, True]
            case _:
                values[name] = [constant.default]
    rows = [dict(zip(values, row, strict=True)) for row in product(*values.values())]
    yield from rows if len(rows) <= _MOST_CONSTANTS else random.Random(0).sample(rows, _MOST_CONSTANTS)


@pytest.mark.thorough
@pytest.mark.parametrize("spec", CLAIMS)
def test_what_is_proved_for_all_constants_is_violated_at_no_small_ones(spec: str) -> None:
    explored = 0
    for constants in small_constants(spec):
        try:
            model = build(load(spec)(constants))
        except UsageError:  # an assumption excludes these constants
            continue
        found = explore(model, max_states=_MOST_STATES)
        assert not set(found.steps) & set(CLAIMS[spec]), (constants, found.steps)
        explored += 1
    assert explored >= 2


@pytest.mark.thorough
@pytest.mark.parametrize("spec", ["exactly-once", "pulsar-compaction"])
def test_a_line_less_is_noticed_at_small_constants(spec: str) -> None:
    """The comparison can fail. That these mutants are not proved is tested with the proofs."""
    violated = set[str]()
    guards = [(method, line) for method, line, _ in map(str.split, MUTANTS[spec]) if line[0] == "g"]
    for method, line in guards:
        for constants in small_constants(spec):
            found = explore(build(lacking(spec, method, line, constants)), max_states=_MOST_STATES)
            if set(found.steps) & set(CLAIMS[spec]):
                violated.add(f"{method} {line}")
                break
    assert violated, guards
