"""The page docs/conform.md: its examples run, and say what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, verify

PAGE = (ROOT / "docs" / "conform.md").read_text()


def _blocks(after: str) -> list[str]:
    """Return the texts in fences after a heading, up to the next one."""
    part = PAGE.split(f"## {after}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"```\w*\n(.*?)```", part, re.S)


def test_the_example_of_a_trace_module_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    *files, session = [*_blocks("A log and a mapping")[:1], *_blocks("A module that reads its log")]
    names = ("Counter.tla", "CounterTrace.tla", "CounterTrace.cfg", "trace.ndjson")
    for name, text in zip(names, files, strict=True):
        Path(name).write_text(text)
    command, _, shown = session.partition("\n")
    done = verify(*command.removeprefix("$ verify ").split())
    assert done.exit_code == 10
    assert done.stdout.startswith(shown.removesuffix("…\n"))


def test_the_example_of_a_mapping_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    *files, session = _blocks("A log and a mapping")[:5]
    for name, text in zip(("Counter.tla", "Counter.cfg", "run.ndjson", "counter.toml"), files, strict=True):
        Path(name).write_text(text)
    command, _, shown = session.partition("\n")
    done = verify(*command.removeprefix("$ verify ").split())
    assert done.exit_code == 10
    assert done.stdout.startswith(shown.removesuffix("…\n"))


def test_the_examples_in_python_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = _blocks("A log and a mapping")
    for name, text in zip(("Counter.tla", "Counter.cfg", "run.ndjson", "counter.toml"), files, strict=False):
        Path(name).write_text(text)
    function, script = files[-2:]
    exec(script, {})
    Path("mapping.py").write_text(function)
    done = verify("conform", "run.ndjson", "--spec", "Counter.tla", "--map", "mapping.py")
    assert done.exit_code == 10
    assert "run.ndjson:5: REJECTED: no Inc step matches this line" in done.stdout
    assert "x   is 1 after the step, and the log's x is 2" in done.stdout
