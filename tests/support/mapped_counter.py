"""A counter in TLA+, a mapping for its logs, and their verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.command_line import verify

COUNTER = """---- MODULE Counter ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Inc == x < 3 /\\ x' = x + 1
Set(n) == x > 1 /\\ n /= x /\\ x' = n
Lose == x > 0 /\\ x' = x - 1
Next == Inc \\/ Lose \\/ \\E n \\in 0..3 : Set(n)
====
"""
MAP = """event = "event"
ignore = ["beat"]
[events.inc]
action = "Inc"
before = { x = "from?" }
after = { x = "value?" }
[events.set]
action = "Set"
parameters = { n = "to" }
"""
Event = dict[str, Any]
GOOD: list[Event] = [
    {"event": "inc", "value": 1},
    {"event": "beat"},
    {"event": "inc"},
    {"event": "set", "to": 0},
    {"event": "inc", "from": 0},
    {"event": "inc", "value": 2},
]


def write_mapped_counter(folder: Path) -> None:
    """Write the module, its configuration, and the mapping."""
    (folder / "Counter.tla").write_text(COUNTER)
    (folder / "Counter.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    (folder / "map.toml").write_text(MAP)


def write_log(folder: Path, events: list[Event], name: str = "log") -> str:
    """Write events, one on a line. Return the path of the log."""
    (folder / name).write_text("".join(json.dumps(event) + "\n" for event in events))
    return str(folder / name)


def list_options(folder: Path) -> tuple[str, ...]:
    """Return the options that name the module and the mapping."""
    return ("--spec", str(folder / "Counter.tla"), "--map", str(folder / "map.toml"))


def judge_logs(folder: Path, *logs: str) -> list[dict[str, Any]]:
    """Return the verdicts on logs, as JSON."""
    done = verify("conform", *logs, *list_options(folder), "--format", "json")
    assert done.exit_code in (0, 10, 12), done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)["logs"]
    return found
