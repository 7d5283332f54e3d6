"""The original texts of the built-in protocols, where they stand beside the checkout, have TLC's counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.tla_upstream import compare_rows
from tests.support.tlc import constants_of, read_measured
from verifier.processes.stacks import make_room_for_recursion
from verifier.tla.config import parse_config
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.loading import read_module
from verifier.tla.specification import specify

_SHARED = Path(__file__).resolve().parents[3] / "shared" / "tla" / "upstream"

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
@pytest.mark.parametrize("by", ["interpreter", "translation"])
@pytest.mark.parametrize("case", CASES)
def test_counts(case: str, by: str, tmp_path: Path) -> None:
    path, config, expected = CASES[case]
    (tmp_path / "text.cfg").write_text(config)
    words = ["--config", str(tmp_path / "text.cfg"), "--library", str((_SHARED / path).parent)]
    result = verify("explore", str(_SHARED / path), *words, "--by", by, "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["statistics"]
    assert found["semantics"] == by
    assert (found["distinct_states"], found["generated_states"], len(found["levels"])) == expected


@pytest.mark.thorough
@pytest.mark.skipif(not _SHARED.is_dir(), reason="the original texts are not here")
def test_an_invariant_that_compares_a_number_with_a_record_is_an_error() -> None:
    """As TLC says: -1 stands for no record, and is compared with one as soon as one is written."""
    make_room_for_recursion()
    module, library = read_module(_SHARED / "kafka-specification/Kip320.tla")
    config = parse_config(_KAFKA.format(1).replace("WeakIsr", "TypeOk"), "cfg")
    made = specify(module, config, words=library.words)
    explorer = Explorer(made, properties=tuple(made.invariants))
    with pytest.raises(Undefined, match=r"91:16: values of different kinds are compared"):
        explorer.explore()
    assert explorer.level == 2


def _small_groups() -> list[list[dict[str, Any]]]:
    """The rows of TLC's measurements with few states, by protocol and constants."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in read_measured():
        if row["verdict"] == "holds" and row["generated_states"] < 2000 and not row["symmetry"]:
            groups.setdefault(json.dumps([row["spec"], constants_of(row)]), []).append(row)
    return list(groups.values())


@pytest.mark.thorough
@pytest.mark.skipif(not _SHARED.is_dir(), reason="the original texts are not here")
@pytest.mark.parametrize("by", ["interpreter", "translation"])
@pytest.mark.parametrize("group", _small_groups(), ids=lambda rows: rows[0]["spec"])
def test_original_and_python_protocol_agree_with_tlc(group: list[dict[str, Any]], by: str) -> None:
    for *_, original, python in compare_rows(group, _SHARED, 60, by):
        at_hand = not original.startswith(("has no value", "the text", "TLC measured"))
        assert original == "yes" or not at_hand
        assert python == "yes" or python.startswith("but for generated states")
