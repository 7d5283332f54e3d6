"""A counter in TLA+ whose logs are judged."""

from __future__ import annotations

from pathlib import Path

_SPEC = """---- MODULE Counter ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Inc == x < 3 /\\ x' = x + 1
Dec == x > 0 /\\ x' = x - 1
Next == Inc \\/ Dec
====
"""
MAIN = "from verifier.cli.entry import main; main()"
"""The command as a Python text, for a process of its own."""
LONG = '{"event": "Inc"}\n{"event": "Dec"}\n' * 400_000
"""A log that takes many seconds."""


def write_counter(folder: Path) -> None:
    """Write the module, its configuration, and a mapping for logs."""
    (folder / "Counter.tla").write_text(_SPEC)
    (folder / "Counter.cfg").write_text("INIT Init NEXT Next\n")
    (folder / "map.toml").write_text('event = "event"\n')
