"""The page docs/tests.md: its examples run, and say what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, verify

PAGE = (ROOT / "docs" / "tests.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.S)


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [text for _, text in BLOCKS]
    Path("Counter.tla").write_text(texts[0])
    Path("Counter.cfg").write_text(texts[1])
    commands = re.findall(r"\$ verify (.*)", PAGE)
    assert len(commands) == 5
    for command in commands:
        done = verify(*command.split())
        assert done.exit_code == 0, done.output
    first = verify(*commands[0].split())
    assert first.stdout.startswith(texts[2].split("\n", 1)[1].removesuffix("…\n"))
    event = next(text for kind, text in BLOCKS if kind == "json").strip()
    assert event in Path("made/execution-001.ndjson").read_text()
    (script,) = [text for kind, text in BLOCKS if kind == "python"]
    exec(script, {})
    assert Path("made/test_counter.py").exists()
