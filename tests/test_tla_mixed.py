"""Random expressions over values of several kinds mean the same to all readers.

``python -m results.generators.tla_mixing`` compares more of them, and TLC.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from results.generators.tla_mixed import Comparison, drawn
from results.generators.tla_mixed_texts import Tree
from results.generators.tlc_batch import Tlc
from tests.command_line import ROOT

TLC = ROOT.parent / "shared" / "tla"
NOT_YET = (
    "only translation has a value", "translation has no value", "internal error",
)  # fmt: skip
"""Faults of the translation that are known."""


def _wrong(folder: Path, seeds: range, readers: Comparison, count: int) -> list[str]:
    found = [one for seed in seeds for one in readers.compare(folder, *drawn(seed, count))]
    return [f"{one}" for one in found if one.kind not in NOT_YET]


@pytest.mark.parametrize("seed", range(2))
def test_interpreter_and_translation_agree(tmp_path: Path, seed: int) -> None:
    readers = Comparison()
    assert _wrong(tmp_path, range(seed, seed + 1), readers, 25) == []
    assert readers.found["equal, 2 readers"] > 30
    assert readers.found["equal, undefined"] > 10


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(100, 150, 5))
def test_more_of_them_agree(tmp_path: Path, first: int) -> None:
    assert _wrong(tmp_path, range(first, first + 5), Comparison(), 100) == []


def test_values_are_written_as_tlc_writes_them(tmp_path: Path) -> None:
    """One process of TLC reads several modules, and numbers names as the first of them has them."""
    if not TLC.exists():
        pytest.skip("no TLC")
    readers = Comparison(translates=False, tlc=Tlc(TLC))
    trees = [
        Tree(text) for text in ("[fb |-> 1, fa |-> d]", '{"fb", "", "fa"}', '("" :> 1 @@ "fa" :> 2)', "d[1]")
    ]
    for state in ({"d": "1"}, {"d": "<<{2}>>"}):
        assert readers.compare(tmp_path, trees, [state]) == []
    assert readers.found == {"equal, 2 readers": 7, "equal, undefined": 1}
