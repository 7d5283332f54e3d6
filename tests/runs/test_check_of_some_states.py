"""Warnings of a check that ended before it visited every state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify

MODULE = """---- MODULE Late ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Up == x < 40 /\\ x' = x + 1
Last == x = 40 /\\ x' = 0
Never == x > 50 /\\ x' = 0
Next == Up \\/ Last \\/ Never
Low == x < LIMIT
====
"""


@pytest.mark.parametrize(("limit", "never"), [("3", []), ("50", ["Never"])], ids=["some", "all"])
def test_an_action_is_never_enabled_only_if_every_state_was_visited(
    tmp_path: Path, limit: str, never: list[str]
) -> None:
    """The first violation ends the check, before Last is enabled."""
    module = tmp_path / "Late.tla"
    module.write_text(MODULE.replace("LIMIT", limit))
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n")
    found = json.loads(verify("check", str(module), "--first", "--format", "json").stdout)
    assert found["statistics"]["never_enabled"] == never
    assert ("Never" in verify("check", str(module), "--first").stdout) is bool(never)
