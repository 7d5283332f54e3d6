"""Texts are read within the time, an interrupt ends the parser, and what is no regular file is refused."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.command_line import verify
from verifier.processes.limits import Interrupted, Limits
from verifier.processes.watching import Watched, look_at
from verifier.tla.text import parse_text

_NESTED = {
    "conjuncts": "/\\ TRUE " * 100_000,
    "parentheses": "(" * 100_000 + "1" + ")" * 100_000,
    "conditionals": "IF TRUE THEN 1 ELSE " * 100_000 + "1",
}


def _module(name: str, body: str) -> str:
    return f"---- MODULE {name} ----\nVARIABLE x\nInit == x = 1\nNext == x' = x\nInv == {body}\n====\n"


@pytest.mark.parametrize("body", _NESTED.values(), ids=_NESTED)
def test_the_parser_ends_with_the_time(body: str) -> None:
    began = time.monotonic()
    with pytest.raises(Interrupted, match="timeout"), Watched(look_at(Limits(0.3).begun())):
        parse_text(_module("A", body), "A.tla")
    assert time.monotonic() - began < 5.0


def test_timeout_counts_while_the_module_is_read(tmp_path: Path) -> None:
    path = tmp_path / "A.tla"
    path.write_text(_module("A", _NESTED["conjuncts"]))
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    done = verify("explore", str(path), "--timeout", "1s", "--format", "json")
    assert (done.exit_code, done.stdout) == (12, "")
    assert done.stderr == "verify: timeout of 1 s, while the spec was read\n"


@pytest.mark.parametrize(
    "words",
    [
        ("explore", "{}.tla"),
        ("bmc", "{}.py"),
        ("report", "{}.json"),
        ("replay", "{}.json"),
        ("certify", "{}.json"),
        ("ci", "{}.toml"),
        ("sweep", "{}.toml"),
        ("report", "/dev/full"),
        ("ci", "/dev/zero"),
    ],
    ids=" ".join,
)
def test_a_pipe_or_device_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    name = words[1].format(tmp_path / "pipe")
    if not name.startswith("/dev"):
        os.mkfifo(name)
    done = verify(words[0], name)
    assert done.exit_code == 2
    assert "no regular file" in done.stderr
