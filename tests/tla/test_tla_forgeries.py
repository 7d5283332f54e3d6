"""Traces and certificates of modules that somebody changed, and exports that another reader checks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from verifier.trust.certificate_file import digest_of

TEXT = r"""---- MODULE T ----
EXTENDS Naturals
CONSTANT N
VARIABLE x
Init == x = 0
Next == x' = (x + 2) % N
Odd == x # 3
Small == x < 6
====
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANT N = 8\nINVARIANT Small Odd\n"
Change = Callable[[Any], None]


def _ask(folder: Path, *words: str) -> tuple[int, str]:
    done = verify(words[0], "--spec", str(folder / "T.tla"), *words[1:])
    return done.exit_code, done.stdout + done.stderr


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Return a folder with a module, a trace and a certificate of it."""
    (tmp_path / "T.tla").write_text(TEXT)
    (tmp_path / "T.cfg").write_text(CONFIG)
    trace, proof = str(tmp_path / "t.json"), str(tmp_path / "c.json")
    assert _ask(tmp_path, "bmc", "--depth", "5", "--property", "Small", "--trace-out", trace)[0] == 10
    asked = ("--property", "Odd", "--engine", "ic3", "--no-explore", "--certificate", proof)
    assert _ask(tmp_path, "prove", *asked)[0] == 0
    return tmp_path


def _change(file: Path, change: Change) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    return content


def _sets(*path: Any, to: Any) -> Change:
    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        assert content[path[-1]] != to
        content[path[-1]] = to

    return change


def _drops(*path: Any) -> Change:
    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        del content[path[-1]]

    return change


def test_what_nobody_changed_is_accepted(made: Path) -> None:
    assert _ask(made, "replay", str(made / "t.json"))[0] == 0
    assert _ask(made, "certify", str(made / "c.json"))[0] == 0


TRACES = {
    "a value": (_sets("states", 2, "x", to=5), "step 2"),
    "the first value": (_sets("states", 0, "x", to=2), "step 0: there is no such initial state"),
    "a step less": (_drops("states", 1), "step 1"),
    "the last step less": (_drops("states", 3), "Small"),
    "an action": (_sets("states", 1, "#meta", "action", to="Other"), "Other"),
    "the property": (_sets("#meta", "property", to="Odd"), "Odd"),
    "a constant": (_sets("#meta", "constants", "N", to=5), "step 3"),
    "a value of another kind": (_sets("states", 2, "x", to="4"), "step 2"),
}


@pytest.mark.parametrize("changed", TRACES)
def test_a_changed_trace_is_refused(changed: str, made: Path) -> None:
    change, words = TRACES[changed]
    _change(made / "t.json", change)
    code, said = _ask(made, "replay", str(made / "t.json"))
    assert (code, words in said) == (2, True), said
    assert "Traceback" not in said


CLAIMS = {
    "a literal": _sets("clauses", 0, 0, 1, to=True),
    "a clause less": _drops("clauses", 1),
    "all clauses less": _sets("clauses", to=[]),
    "the property": _sets("property", to="Small"),
    "an unknown bit": _sets("clauses", 0, 0, 0, to="x#99"),
    "the hash": _sets("spec_hash", to="0" * 16),
}


@pytest.mark.parametrize("forged", [False, True])
@pytest.mark.parametrize("changed", CLAIMS)
def test_a_changed_certificate_is_refused(changed: str, forged: bool, made: Path) -> None:
    """``forged``: its digest is that of the changed content."""
    content = _change(made / "c.json", CLAIMS[changed])
    if forged:
        _change(made / "c.json", _sets("digest", to=digest_of(content)))
    code, said = _ask(made, "certify", str(made / "c.json"))
    assert code == (11 if forged and "this obligation fails: " in said else 2), said
    assert forged or "was changed since it was written" in said
    assert "PROVED" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("T.tla", "x + 2", "x + 1"),
        ("T.tla", "Init == x = 0", "Init == x = 1"),
        ("T.tla", "x # 3", "x # 5"),
    ],
)
def test_a_certificate_of_another_module_is_refused(file: str, old: str, new: str, made: Path) -> None:
    (made / file).write_text((made / file).read_text().replace(old, new))
    code, said = _ask(made, "certify", str(made / "c.json"))
    assert (code, "PROVED" in said) == (2, False), said


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [("x + 2", "x + 1", "step 1"), ("x < 6", "x < 7", "Small"), ("MODULE T", "MODULE U", "U")],
)
def test_a_trace_of_another_module_is_refused(old: str, new: str, words: str, made: Path) -> None:
    (made / "T.tla").write_text(TEXT.replace(old, new))
    code, said = _ask(made, "replay", str(made / "t.json"))
    assert (code, words in said) == (2, True), said


def test_a_trace_at_other_constants_is_refused(made: Path) -> None:
    code, said = _ask(made, "replay", str(made / "t.json"), "--set", "N=7")
    assert (code, "the trace was made with N=8, and --set gives N=7" in said) == (2, True), said


def test_a_true_execution_of_other_constants_is_said_to_be_of_others(made: Path) -> None:
    """Modulo 7 the execution is the same."""
    _change(made / "t.json", _sets("#meta", "constants", "N", to=7))
    code, said = _ask(made, "replay", str(made / "t.json"))
    assert (code, "warning: T or its constants changed since" in said) == (0, True), said


def test_a_certificate_is_about_its_own_constants(made: Path) -> None:
    (made / "T.cfg").write_text(CONFIG.replace("N = 8", "N = 7"))
    code, said = _ask(made, "certify", str(made / "c.json"))
    assert (code, "T with N=8: Odd" in said) == (0, True), said
    content = _change(made / "c.json", _sets("constants", "N", to=7))
    _change(made / "c.json", _sets("digest", to=digest_of(content)))
    code, said = _ask(made, "certify", str(made / "c.json"))
    assert (code, "PROVED" in said) == (2, False), said
