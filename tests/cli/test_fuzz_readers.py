"""Whatever is in a file: no internal error, no code run, an end in time; and each wrong value is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify, wrong
from tests.support.fuzz_readers import KINDS, _certificate, _runs, _trace, check
from tests.support.mutations import as_json
from verifier.errors import UsageError
from verifier.json_shape import check_shape, read_json
from verifier.outcomes.json_types import Mail, RunObject
from verifier.report.formats import FORMATS
from verifier.trust import certificate as certificates

FEW, MANY = 15, 2000


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_is_an_internal_error(kind: str, tmp_path: Path) -> None:
    codes, faults = check(KINDS[kind], FEW, seed=7, folder=tmp_path)
    assert not faults, "\n".join(faults)
    assert codes.keys() >= {0, 2}, codes  # some changes do no harm, and most do


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_file_of_many_is_an_internal_error(kind: str, tmp_path: Path) -> None:
    _, faults = check(KINDS[kind], MANY, seed=1, folder=tmp_path)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("output_format", FORMATS)
def test_what_is_not_changed_is_reported(output_format: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for run in _runs():
        path.write_text(json.dumps(run))
        done = verify("report", str(path), "--format", output_format)
        assert (done.exit_code, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("9" * 5000, "99999 has more than 18 digits"),
        ("-" + "9" * 19, "has more than 18 digits"),
        ("[NaN]", "NaN is not a number that can be meant"),
        ("1e999", "1e999 is not a number that can be meant"),
        ("[" * 3000 + "]" * 3000, "nested more than 100 deep"),
        ("[" * 101 + "]" * 101, "nested more than 100 deep"),
        ("{", "Expecting property name"),
    ],
)
@pytest.mark.parametrize("command", ["report", "replay", "certify"])
def test_numbers_and_depths_that_nothing_has_are_refused(
    command: str, text: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    assert words in wrong(command, str(path))


def test_what_verify_writes_is_read() -> None:
    assert read_json("[" * 99 + "-" + "9" * 18 + "]" * 99)
    assert read_json('"\\ud800"') == "\ud800"


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("results", 0, "trace", "states"), 7, "results[0].trace.states should be a list, it is 7"),
        (("results", 0, "steps"), "3", 'results[0].steps should be an integer or null, it is "3"'),
        (("results", 0, "steps"), True, "results[0].steps should be an integer or null, it is true"),
        (("results", 0, "verdict"), "BAD", "results[0].verdict should be PROVED or REACHED or HOLDS or"),
        (("seconds",), [1], "seconds should be a number, it is a list"),
        (("solver", "name"), None, "solver.name should be a text, it is null"),
        (("about", "host"), ..., "about.host is missing"),
        (("drawing", "messages", 0, "sender"), 1, "drawing.messages[0].sender should be a text, it is 1"),
        (("drawing", "messages", 0, "type"), "post", "drawing.messages[0] should be an object, it is"),
        (("results", 0, "trace", "#meta", "failing", 0, "witnesses", 0), ["x"], "should be a list of 2"),
    ],
)
def test_the_place_of_a_wrong_value_is_named(place: tuple[Any, ...], value: Any, words: str) -> None:
    run = json.loads(json.dumps(_runs()[4]))
    inside = run
    for key in place[:-1]:
        inside = inside[key]
    if value is ...:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    with pytest.raises(UsageError) as refused:
        check_shape(run, RunObject, "")
    assert words in str(refused.value)


def test_further_keys_are_allowed_and_of_several_objects_the_one_meant_is_asked_for() -> None:
    mail = {
        "type": "mail",
        "path": "p",
        "sender": "a",
        "receiver": "b",
        "label": "",
        "in_flight": 1,
        "lost": 0,
    }
    check_shape({**mail, "more": 1}, Mail, "")
    with pytest.raises(UsageError, match=r"^at\.path is missing"):
        check_shape({name: value for name, value in mail.items() if name != "path"}, Mail, "at")


@pytest.mark.parametrize("value", [10**8, 10**17, 1001])
def test_constants_that_nothing_can_be_built_with_are_refused(value: int, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    trace, proof = json.loads(json.dumps([_trace(), _certificate()]))
    trace["#meta"]["constants"]["replicas"] = value
    path.write_text(as_json(trace))
    words = f"constant replicas={value} is taken for a mistake: it is beyond 1,000"
    assert words in wrong("replay", str(path))
    assert words in wrong("report", str(path))
    proof["constants"]["queues"] = value
    path.write_text(as_json({**proof, "digest": certificates.digest_of(proof)}))
    assert words.replace("replicas", "queues") in wrong("certify", str(path))
    assert words in wrong("show", "kip320", "--set", f"replicas={value}")


def test_a_k_that_no_proof_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    proof = {**_certificate(), "k": 10**7}
    path.write_text(as_json({**proof, "digest": certificates.digest_of(proof)}))
    assert "k should be a number from 1 to 10000, it is 10000000" in wrong("certify", str(path))
