"""A row of the page of modules of others: the proof, its certificate, and a mutant that is not proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from results.generators.modules_for_all import CASES, measure

_SHARED = Path(__file__).resolve().parents[3] / "shared" / "tla" / "upstream"


@pytest.mark.slow
@pytest.mark.skipif(not _SHARED.is_dir(), reason="the original texts are not here")
def test_the_text_of_kip320_is_proved_with_the_translated_lemmas() -> None:
    case = CASES["Kip320, lemmas"]
    row = measure("Kip320, lemmas", case, _SHARED / case.folder, 1200)
    assert (row.verdict, row.checked) == ("PROVED", "yes")
    assert row.mutant not in ("none", "**PROVED**")
    assert "VIOLATED" not in row.explored
