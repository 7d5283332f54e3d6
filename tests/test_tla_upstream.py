"""The original texts of the built-in protocols, where they stand beside the checkout, have TLC's counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.tla.config import parse_config
from verifier.tla.evaluator import deep_recursion
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.loading import read_module
from verifier.tla.specification import specify

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "tla" / "upstream"

_KAFKA = (
    "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n"
    "CONSTANTS Replicas = {{r1, r2}}, LogSize = {0}, MaxRecords = {0}, "
    "MaxLeaderEpoch = 1\nINVARIANTS WeakIsr StrongIsr"
)
_EXACTLY_ONCE = (
    "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nCONSTANTS defaultInitValue = defaultInitValue, "
    "MessageCount = 1, DupCount = 2, NULL = NULL\nINVARIANT TypeInvariant"
)
CASES = {
    "kip320": ("kafka-specification/Kip320.tla", _KAFKA.format(1), (277, 471, 12)),
    "kip320, larger": ("kafka-specification/Kip320.tla", _KAFKA.format(2), (957, 1819, 15)),
    "kip279": ("kafka-specification/Kip279.tla", _KAFKA.format(1), (341, 783, 12)),
    "kip101": ("kafka-specification/Kip101.tla", _KAFKA.format(1), (341, 659, 12)),
    "exactly-once": (
        "model-checking/exactly_once_none_atomic.tla",
        _EXACTLY_ONCE,
        (568, 945, 18),
    ),
}


@pytest.mark.skipif(not _SHARED.is_dir(), reason="the original texts are not here")
@pytest.mark.parametrize("case", CASES)
def test_counts(case: str) -> None:
    path, config, expected = CASES[case]
    deep_recursion()
    module, library = read_module(_SHARED / path)
    made = specify(module, parse_config(config, "cfg"), words=library.words)
    explorer = Explorer(made, properties=tuple(made.invariants))
    explorer.assume()
    explorer.explore()
    found = explorer.found
    assert (found.distinct, found.generated, len(found.levels)) == expected
    assert not found.violations


@pytest.mark.skipif(not _SHARED.is_dir(), reason="the original texts are not here")
def test_an_invariant_that_compares_a_number_with_a_record_is_an_error() -> None:
    """As TLC says: -1 stands for no record, and is compared with one as soon as one is written."""
    deep_recursion()
    module, library = read_module(_SHARED / "kafka-specification/Kip320.tla")
    config = parse_config(_KAFKA.format(1).replace("WeakIsr", "TypeOk"), "cfg")
    made = specify(module, config, words=library.words)
    explorer = Explorer(made, properties=tuple(made.invariants))
    with pytest.raises(Undefined, match=r"91:16: values of different kinds are compared"):
        explorer.explore()
    assert explorer.level == 2
