"""Which file has which proof."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.command_line import CHAIN, verify
from verifier.cli.engine import _with_certificates
from verifier.runs.loading import load
from verifier.runs.table import engine_named, execute


def proved_of(path: Path) -> str:
    name: str = json.loads(path.read_text())["property"]
    return name


@pytest.mark.parametrize("backwards", [False, True])
def test_the_path_is_that_of_the_first_property_whichever_proof_is_found_first(
    backwards: bool, tmp_path: Path
) -> None:
    names = ("StartsLow", "TypeInvariant")
    induct = engine_named("induct")
    run = execute("induct", load(CHAIN, {}), induct.options_for(names, {}))
    found = list(run.certificates.items())
    run = replace(run, certificates=dict(found[::-1] if backwards else found))
    files = [v.certificate for v in _with_certificates(run, tmp_path / "p.json").outcome.verdicts]
    assert files == [str(tmp_path / "p.json"), str(tmp_path / "p.TypeInvariant.json")]
    assert tuple(proved_of(Path(str(file))) for file in files) == names


def test_the_text_names_the_property_of_each_file(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    asked = ("--property", "StartsLow", "--property", "TypeInvariant", "--certificate", str(path))
    done = verify("prove", "--spec", CHAIN, *asked)
    words = " ".join(done.stdout.split())
    assert f"The proof of StartsLow is in {path}. The proof of TypeInvariant is in " in words
    assert proved_of(path) == "StartsLow"
