"""Certificates: what passes, what is forged, and that every obligation is asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from pysmt.smtlib.parser import SmtLibParser

from tests.support import toys
from tests.support.command_line import verify, wrong
from tests.support.models import build
from tests.support.sampling import first_of
from verifier.engines.induction import Request, induct
from verifier.engines.induction_outcome import InductionOutcome
from verifier.specs.kafka.kip320 import Kip320
from verifier.system.model import Model
from verifier.trust import certificate as certificates
from verifier.trust.certificate import Certificate, FoundBy, Misfit, certificate_of, check_fit, read
from verifier.trust.certify import check


def kip320(replicas: int, log_size: int, records: int, epochs: int) -> Kip320:
    return Kip320(
        {"replicas": replicas, "log_size": log_size, "max_records": records, "max_leader_epoch": epochs}
    )


def certify(model: Model, outcome: InductionOutcome) -> Certificate:
    name = outcome.verdicts[0].property_name
    return certificate_of(model, name, outcome.invariant, (), FoundBy("induction", "cadical", "1"))


@pytest.mark.parametrize("solver", ["z3", "cadical", "bitwuzla"])
def test_a_certificate_is_checked_by_other_solvers(solver: str) -> None:
    model = build(kip320(2, 1, 1, 1))
    proof = certify(model, induct(model, Request("StrongIsr")))
    assert check(model, proof, solver).failed == ()


@pytest.mark.parametrize("solver", ["z3", "cadical"])
def test_clauses_are_checked_too(solver: str) -> None:
    model = build(toys.Unreachable())
    leaf = model.layout.leaves[0]
    names = [symbol.symbol_name() for symbol in leaf.bits]
    found_by = FoundBy("ic3", "other", "1")
    # x only takes even values: each threshold of an odd value is that of the even one after it.
    even = tuple(((names[index], False), (names[index + 1], True)) for index in range(0, len(names) - 1, 2))
    good = certificate_of(model, "NeverOdd", ("NeverOdd",), even, found_by)
    assert check(model, good, solver).failed == ()
    for clause in (((names[0], False),), ((names[0], True),), ()):
        bad = certificate_of(model, "NeverOdd", ("NeverOdd",), (*even, clause), found_by)
        assert check(model, bad, solver).failed


@pytest.mark.parametrize(
    "gone", first_of(["Committed", "LogMatching", "TypeOk", "FollowerHasPrefix", "LeaderCameFirst"], 1)
)
def test_a_certificate_without_a_lemma_does_not_pass(gone: str) -> None:
    model = build(kip320(3, 2, 2, 2))
    names = tuple(name for name in ("TypeOk", *(x.name for x in model.system.lemmas)) if name != gone)
    proof = certificate_of(model, "StrongIsr", names, (), FoundBy("induction", "cadical", "1"))
    assert any(item.certain for item in check(model, proof, "z3").failed)


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A certificate as the command line writes it."""
    path = tmp_path_factory.mktemp("proof") / "proof.json"
    arguments = ("--spec", "kip320", "--property", "StrongIsr", "--set", "replicas=2")
    done = verify("induct", *arguments, "--certificate", str(path))
    assert done.exit_code == 0, done.output
    return path.read_text()


@pytest.fixture
def written(proof: str, tmp_path: Path) -> Path:
    """The certificate in a file of the test's own."""
    path = tmp_path / "proof.json"
    path.write_text(proof)
    return path


def change_certificate(path: Path, change: Callable[[dict[str, Any]], None], *, sealed: bool) -> None:
    """Changes what is in a certificate's file, with a digest that fits or without."""
    content = json.loads(path.read_text())
    change(content)
    if sealed:
        content["digest"] = certificates.digest_of(content)
    path.write_text(json.dumps(content))


def test_a_written_certificate_is_read_and_passes(written: Path) -> None:
    model = build(Kip320({"replicas": 2}))
    found, content = read(written)
    check_fit(model, found, content)
    assert any("hw" in part["says"] for part in content["invariant"])
    done = verify("certify", str(written), "--format", "json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["results"][0]["verdict"] == "PROVED"


def test_its_smt2_is_what_an_independent_reader_reads(written: Path) -> None:
    _, content = read(written)
    script = SmtLibParser().get_script(StringIO("\n".join(content["smt2"])))
    assert script.contains_command("define-fun")


FORGERIES: dict[str, Callable[[dict[str, Any]], None]] = {
    "other constants": lambda c: c["constants"].update(replicas=3),
    "other spec": lambda c: c.update(spec="kip279"),
    "other hash": lambda c: c.update(spec_hash="0" * 16),
    "no such spec": lambda c: c.update(spec="kip999"),
    "no such property": lambda c: c.update(property="Wishful"),
    "no such lemma": lambda c: c["lemmas"].append("Wishful"),
    "no such bit": lambda c: c["clauses"].append([["nothing#0", True]]),
    "a clause more": lambda c: c["clauses"].append([["quorum.isr[r1]", True]]),
    "a lemma less": lambda c: c["lemmas"].remove("Committed"),
    "other text": lambda c: c["invariant"][2].update(says="true"),
    "other smt2": lambda c: c["smt2"].pop(),
    "a number for a sign": lambda c: c["clauses"].append([["quorum.isr[r1]", 1]]),
    "no format": lambda c: c.pop("format"),
    "no lemmas": lambda c: c.pop("lemmas"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize("sealed", [True, False])
def test_a_changed_certificate_is_turned_down(written: Path, forgery: str, sealed: bool) -> None:
    change_certificate(written, FORGERIES[forgery], sealed=sealed)
    assert wrong("certify", str(written))


def test_a_forged_invariant_with_fitting_text_is_not_inductive(tmp_path: Path) -> None:
    model = build(Kip320({"replicas": 2}))
    names = tuple(x.name for x in model.system.lemmas if x.name != "Committed")
    proof = certificate_of(model, "StrongIsr", ("TypeOk", *names), (), FoundBy("induction", "cadical", "1"))
    path = tmp_path / "forged.json"
    path.write_text(certificates.dump(model, proof))
    done = verify("certify", str(path))
    assert done.exit_code == 11
    assert "implies StrongIsr" in done.stdout


def test_a_file_that_is_none_is_turned_down(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    for words in ("", "[]", "{}", "no JSON"):
        path.write_text(words)
        with pytest.raises(Misfit):
            read(path)
    assert wrong("certify", str(tmp_path / "missing.json"))


def test_the_finder_does_not_check_itself(written: Path) -> None:
    assert "another" in wrong("certify", str(written), "--solver", "cadical")
