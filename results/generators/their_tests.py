"""Expectations of other tools' tests, compared with verify: commands run, tables written."""

from __future__ import annotations

import datetime
import json
import platform
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner

AGREES, REFUSED = "agrees", "refused"
AGREEING = "Those that agree: "
_RUN = "from verifier.cli.entry import main; main()"


@dataclass(frozen=True)
class Row:
    """One test."""

    name: str
    expected: str
    got: str
    judged: str
    """``agrees``, ``refused``, or how the two differ."""
    why: str


def run(words: Sequence[str]) -> tuple[int, dict[str, Any] | None, str]:
    """Return the exit code of a command, its JSON object, and the last line of its error."""
    from verifier.cli.main import cli

    done = CliRunner().invoke(cli, words)
    return done.exit_code, _json(done.stdout), _say(done.stderr) or str(done.exception or "")


def run_apart(words: Sequence[str], seconds: float) -> tuple[int, dict[str, Any] | None, str]:
    """Run a command in a process of its own, which is ended if it takes longer."""
    command = [sys.executable, "-c", _RUN, *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return -1, None, f"it took more than {seconds:.0f} s"
    return done.returncode, _json(done.stdout), _say(done.stderr)


def _json(text: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = json.loads(text) if text.startswith("{") else None
    return found


def _say(text: str) -> str:
    said = text[text.rfind("\nverify: ") + 1 :] if "verify: " in text else text[-300:]
    return said.removeprefix("verify: ")


def describe_making(command: str) -> str:
    """With what a table was made, and when."""
    return f"Made by `{command}` on {datetime.date.today()}, Python {platform.python_version()}:"


def table(rows: Sequence[Row], theirs: str, reasons: Mapping[str, str]) -> list[str]:
    """Return the number of agreements, the disagreements with their reasons, and all rows."""
    count = Counter(row.judged.partition(":")[0] for row in rows)
    share = 100 * count[AGREES] / max(len(rows), 1)
    others = [f"{number} {word}" for word, number in sorted(count.items()) if word != AGREES]
    lines = [
        f"{count[AGREES]} of {len(rows)} agree ({share:.1f} %)" + "".join(f", {one}" for one in others) + ".",
        "",
    ]
    if others:
        lines += [f"| test | {theirs} | verify | | why |", "|---|---|---|---|---|"]
        for row in rows:
            if row.judged != AGREES:
                why = reasons.get(row.name) or row.why
                lines.append(f"| {row.name} | {row.expected} | {row.got} | {row.judged} | {in_a_cell(why)} |")
        lines.append("")
    return [*lines, AGREEING + ", ".join(row.name for row in rows if row.judged == AGREES) + "."]


def in_a_cell(text: str) -> str:
    """Return a text that fits a cell of a table: one line, without the folders of files."""
    short = re.sub(r"\S*/(?=\w+\.(?:tla|cfg))|(?<!\S)/(?:[^\s/]+/)+", "", text)
    return " ".join(short.split())[:240].replace("|", "\\|")
