"""Disks that are full and locales that are not UTF-8 take nothing from an answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, verify
from verifier.verdict import ExitCode

_LOCK = str(ROOT / "docs" / "examples" / "FencedLock.tla")
_MAIN = "from verifier.cli.entry import main; main()"


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_an_answer_is_printed_where_its_certificate_cannot_be_written(
    tmp_path: Path, output_format: str
) -> None:
    spec = tmp_path / "M.tla"
    spec.write_text(
        "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\n"
        "Good == x < 3\nBad == x < 2\n====\n"
    )
    spec.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANTS Good Bad\n")
    done = verify("prove", str(spec), "--certificate", "/dev/full", "--format", output_format)
    assert (done.exit_code, "--certificate /dev/full cannot be written" in done.stderr) == (2, True)
    if output_format == "json":
        kinds = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]}
        assert (kinds["Good"], kinds["Bad"]) == ("PROVED", "VIOLATED")
    else:
        assert "VIOLATED in 2 steps" in done.stdout


@pytest.mark.parametrize(
    "words", [("explore", _LOCK, "--property", "TypeOK"), ("bmc", "kip320", "--depth", "2")]
)
def test_files_of_the_program_are_utf8_in_every_locale(words: tuple[str, ...]) -> None:
    """Python warns where a text is read in the encoding of the locale."""
    around = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONWARNDEFAULTENCODING": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error::EncodingWarning", "-c", _MAIN, *words],
        cwd=ROOT, env=around, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-1000:]


def test_a_reader_that_leaves_ends_the_command_silently() -> None:
    """Codes of the shell: 128 + SIGPIPE."""
    command = [sys.executable, "-c", _MAIN, "show", "kip320"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, timeout=60, check=False, cwd=ROOT)
    os.close(write)
    assert (done.returncode, done.stderr) == (ExitCode.READER_GONE, b"")
    assert int(ExitCode.READER_GONE) == 128 + signal.SIGPIPE
    assert "141  the reader of the output ended early" in verify("--help").stdout
