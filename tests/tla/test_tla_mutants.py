"""Original texts, broken in one place each: bounded model checking finds it in as many steps as TLC."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_mutants import MUTANTS, Mutant

_SHARED = Path(__file__).resolve().parents[3] / "shared" / "tla"
_CASES = [
    pytest.param(one, marks=pytest.mark.slow if one.takes_long else pytest.mark.thorough, id=one.name)
    for one in MUTANTS
]


@pytest.mark.skipif(not _SHARED.is_dir(), reason="the original texts are not here")
@pytest.mark.parametrize("mutant", _CASES)
def test_a_broken_text_is_found_to_be_broken(mutant: Mutant, tmp_path: Path) -> None:
    module, trace = mutant.write(_SHARED, tmp_path / "texts"), str(tmp_path / "t.itf.json")
    words = ("--spec", str(module), "--config", str(module.with_name("Own.cfg")))
    depth = ("--depth", str(mutant.steps), "--shortest")
    done = verify("bmc", *words, *depth, "--trace-out", trace, "--format", "json")
    assert done.exit_code == 10, done.output
    violated = [r for r in json.loads(done.stdout)["results"] if r["verdict"] == "VIOLATED"]
    assert min(result["steps"] for result in violated) == mutant.steps
    assert verify("replay", trace, *words).exit_code == 0
