"""TLC's measurements of the original TLA+ texts: the rows of ``results/tlc.json``, which names its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MEASURED = Path(__file__).resolve().parents[2] / "results" / "tlc.json"
LIVENESS = frozenset({"Liveness", "Termination"})
LOSSES = {"without lost messages": "none", "at most one lost message": "one"}
"""The note of a row on lost messages, and the value of the constant ``losses`` for it."""


def read_measured(family: str | None = None) -> list[dict[str, Any]]:
    """The rows, of one family if it is given.

    Runs that TLC did not finish are left out, and so are rows about liveness.
    """
    return [
        row
        for row in json.loads(MEASURED.read_text(encoding="utf-8"))["rows"]
        if family in (None, row["family"])
        and row["verdict"] != "not finished"
        and not LIVENESS & set(row["properties"])
    ]


def constants_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the constants of a row, with the value for its note on lost messages."""
    losses = [value for words, value in LOSSES.items() if words in row["note"]]
    return {**row["constants"], **({"losses": losses[0]} if losses else {})}
