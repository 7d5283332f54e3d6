"""Whatever is typed, a command ends in time, with an exit code of its own, and says what it refuses."""

from __future__ import annotations

import pytest

from tests.support.fuzz_commands import trials


@pytest.mark.parametrize(("count", "seed"), [(12, 7), pytest.param(400, 8, marks=pytest.mark.slow)])
def test_no_command_is_an_internal_error(count: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    made = list(trials(count, seed))
    assert [trial for trial in made if trial[2]] == []
    assert len({code for _, code, _ in made}) > 1  # some are refused, and some are not
