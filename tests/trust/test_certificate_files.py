"""One file has the proofs of a run, and says what the run did not prove."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import CHAIN, verify, wrong
from verifier.cli.engine_run import write_certificates
from verifier.cli.output import PLAIN_WIDTH
from verifier.runs.asking import execute
from verifier.runs.engine import engine_named
from verifier.runs.loading import load
from verifier.trust.certificate_file import FORMAT, digest_of

_BOTH = ("--property", "StartsLow", "--property", "TypeInvariant")


@pytest.fixture
def proofs(tmp_path: Path) -> Path:
    path = tmp_path / "p.json"
    verify("prove", "--spec", CHAIN, *_BOTH, "--certificate", str(path))
    return path


@pytest.mark.parametrize("backwards", [False, True])
def test_the_file_has_each_proof_whichever_is_found_first(backwards: bool, tmp_path: Path) -> None:
    names, path = ("StartsLow", "TypeInvariant"), tmp_path / "p.json"
    induct = engine_named("induct")
    run = execute("induct", load(CHAIN, {}), induct.options_for(names, {}))
    found = list(run.certificates.items())
    run = replace(run, certificates=dict(found[::-1] if backwards else found))
    assert {v.certificate for v in write_certificates(run, path).outcome.verdicts} == {str(path)}
    content = json.loads(path.read_text())
    assert (content["format"], content["not_proved"]) == (FORMAT, {})
    assert tuple(one["property"] for one in content["certificates"]) == names
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_of_one_property_writes_its_certificate_alone(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    verify("prove", CHAIN, "--property", "StartsLow", "--engine", "ic3", "--certificate", str(path))
    assert json.loads(path.read_text())["property"] == "StartsLow"
    told = verify("certify", str(path), "--spec", CHAIN).stdout
    assert "According to the file, the engine ic3 found the proof with minisat" in " ".join(told.split())
    assert max(map(len, told.splitlines())) <= PLAIN_WIDTH


def test_certify_checks_each_and_says_what_is_covered(proofs: Path) -> None:
    content = json.loads(proofs.read_text())
    content["not_proved"] = {"Other": "VIOLATED in 3 steps"}
    content["digest"] = digest_of(content)
    proofs.write_text(json.dumps(content))
    done = verify("certify", str(proofs), "--spec", CHAIN)
    assert done.exit_code == 0
    assert "The file covers StartsLow, TypeInvariant.\n" in done.stdout
    assert "It does not cover Other, which the run did not prove: VIOLATED in 3 steps\n" in done.stdout
    results = json.loads(verify("certify", str(proofs), "--spec", CHAIN, "--format", "json").stdout)[
        "results"
    ]
    assert [(one["property"], one["verdict"]) for one in results] == [
        ("StartsLow", "PROVED"),
        ("TypeInvariant", "PROVED"),
    ]


def test_a_changed_file_is_refused(proofs: Path) -> None:
    content = json.loads(proofs.read_text())
    changed = {**content, "not_proved": {"X": "Y"}}
    proofs.write_text(json.dumps(changed))
    assert "its digest is another" in wrong("certify", str(proofs), "--spec", CHAIN)
    for certificates in ([], [{"format": FORMAT}], [content]):
        changed = {**content, "certificates": certificates}
        proofs.write_text(json.dumps({**changed, "digest": digest_of(changed)}))
        assert "certificate" in wrong("certify", str(proofs), "--spec", CHAIN)
