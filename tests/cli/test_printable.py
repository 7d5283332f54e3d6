"""The content of files is shown, but controls no terminal and hides nothing."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from tests.report.test_page import everywhere
from tests.support.command_line import CHAIN, FAST, LOCK, verify
from tests.trust.test_strangers import certificate, trace
from verifier.cli.certify import _pair_versions
from verifier.cli.output import print_lines
from verifier.printable import json_text, printable, printable_text
from verifier.report.junit import as_junit
from verifier.report.page import as_html
from verifier.report.tables import as_markdown, as_text
from verifier.solvers.solver_names import COMPILED

STEERING = "\x1b[2J\x1b]0;owned\x07\x9b31m\r\x08\x7f\x00\u202egnp.exe\u2066\u2028\ud800"
"""Clears the screen, names the window, turns red, goes back, and reverses what follows."""
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.thorough
@given(st.text())
def test_nothing_that_steers_is_left(text: str) -> None:
    assert not FORBIDDEN.search(printable_text(text))
    assert not FORBIDDEN.search(printable(text))
    assert not set("\n\t") & set(printable(text))


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])))
def test_plain_text_stays(text: str) -> None:
    assert printable(text) == text == printable_text(text)


def test_it_is_said_what_was_there() -> None:
    assert printable("a\x1b[2J\nb\x9b\u202e→") == r"a\x1b[2J\nb\x9b\u202e→"
    assert printable_text("a\n\tb\r") == "a\n\tb\\r"


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_means_what_it_did(value: Any) -> None:
    assert json.loads(json_text(value)) == value
    assert not FORBIDDEN.search(json_text(value))


def test_lines_keep_their_styles() -> None:
    stream = io.StringIO()
    target = Console(file=stream, force_terminal=True, color_system="standard", width=80)
    line = Text.assemble(("red\x1b", "red"), " plain\x9b ", ("bold", "bold"))
    print_lines(target, [line, "\x1b[2J"])
    plain = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert plain == "red\\x1b plain\\x9b bold\n\\x1b[2J\n"
    assert "\x1b[31m" in stream.getvalue()


@pytest.mark.parametrize("render", [as_text, as_markdown])
def test_reports_steer_nothing(render: Any) -> None:
    said = render(everywhere(STEERING))
    assert not FORBIDDEN.search(said)
    assert "x1b" in said
    assert "\\u202e" in said.replace("\\\\", "\\")


def test_a_value_forges_no_line() -> None:
    forged = "fine\n\nkip320 StrongIsr: PROVED"
    for render in (as_text, as_markdown):
        assert not [line for line in render(everywhere(forged)).splitlines() if line.startswith("kip320 ")]


def test_html_and_junit_steer_nothing() -> None:
    report = everywhere(STEERING)
    page = as_html(report)
    assert not FORBIDDEN.search(page)
    document = as_junit(report)
    assert not FORBIDDEN.search(document)
    assert r"\x1b[2J" in "".join(ElementTree.fromstring(document).itertext())


def harmless(*arguments: str) -> str:
    """Run a command and return its output, which has no control sequences."""
    done = verify(*arguments)
    assert done.exit_code != 1, done.output
    said = done.stdout + done.stderr
    assert not FORBIDDEN.search(said), said
    return said


def edit_bytes(path: Path, change: Any) -> str:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return str(path)


def test_errors_about_files_steer_nothing(tmp_path: Path) -> None:
    word = STEERING
    for command, made in (("certify", certificate), ("replay", trace), ("report", trace)):
        assert r"\x1b[2J" in harmless(command, str(made(tmp_path, word))).replace("\\\\", "\\")
    path = trace(tmp_path, "kip320")
    harmless("replay", edit_bytes(path, lambda c: c["#meta"].update(property=word)))
    harmless(
        "replay", edit_bytes(path, lambda c: c["#meta"].update(constants={word: word}, property="WeakIsr"))
    )
    harmless("replay", edit_bytes(path, lambda c: c.update(vars=[word])))
    harmless("certify", str(tmp_path / word.replace("\0", "").replace("\ud800", "")))
    harmless("bmc", "--spec", word.replace("\0", "").replace("\ud800", ""))


def test_certificates_steer_nothing(tmp_path: Path) -> None:
    from verifier.trust import certificate as certificates

    path = tmp_path / "proof.json"
    done = verify("prove", "--spec", CHAIN, "--property", "StartsLow", "--certificate", str(path))
    assert done.exit_code == 0
    content = json.loads(path.read_text())
    content["found_by"] |= {"engine": STEERING[:-1], "version": STEERING[:-1]}
    path.write_text(json.dumps({**content, "digest": certificates.digest_of(content)}))
    assert r"According to the file, the engine \x1b[2J" in harmless("certify", str(path), "--spec", CHAIN)


def test_the_solvers_of_a_proof_are_named_in_words() -> None:
    assert _pair_versions("minisat", "2.2") == "minisat 2.2"
    words = "minisat 2.2, verify's own compiled solver 0.1.0 and z3 5.4"
    assert _pair_versions(f"minisat+{COMPILED}+z3", "2.2+0.1.0+5.4") == words


def test_traces_and_runs_steer_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.itf.json"
    asked = ("bmc", "--spec", LOCK, "--property", "NotAllAsk", "--depth", "4", *FAST)
    done = verify(*asked, "--trace-out", str(path), "--format", "json")
    assert done.exit_code == 10
    spec = ("--spec", LOCK)
    edit = edit_bytes(path, lambda c: c["#meta"].update(spec=STEERING, spec_hash=STEERING))
    assert r"warning: the trace is of \x1b[2J" in harmless("replay", edit, *spec)
    for form in ("text", "markdown", "json", "junit", "html"):
        harmless("report", edit, *spec, "--format", form, "--title", STEERING.replace("\0", ""))
    run = tmp_path / "run.json"
    content = json.loads(done.stdout)
    content |= {"spec": STEERING, "spec_hash": STEERING, "constants": {STEERING: STEERING}}
    content["results"][0]["reason"] = STEERING
    run.write_text(json.dumps(content))
    for form in ("text", "markdown", "json", "junit"):
        assert "x1b" in harmless("report", str(run), "--format", form).replace("u001b", "x1b")


def test_a_spec_of_ones_own_steers_nothing(tmp_path: Path) -> None:
    spec = tmp_path / "odd.py"
    spec.write_text(f"raise ValueError({STEERING!r})\n")
    assert r"\x1b[2J" in harmless("show", str(spec))


def test_rows_of_a_sweep_steer_nothing(tmp_path: Path) -> None:
    from verifier.sweep.store import Store

    rows = [
        replace(row, job_id=f"{number}", trace=None)
        for number, row in enumerate(everywhere(STEERING[:-1]).rows)
    ]
    with Store(tmp_path / "sweep") as store:
        for row in rows:
            store.add([row], row.job_id)
    for form in ("text", "markdown", "json", "junit"):
        harmless("report", str(tmp_path / "sweep"), "--format", form)
