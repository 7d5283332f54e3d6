"""``results/tla-lasting.json``: what TLC says of temporal properties under fairness, of small modules.

Run ``python -m results.generators.tla_lasting TLC``: TLC's command. Each row is a run of TLC of its own, on
one worker, with one property. ``tests/tla/test_tla_lasting.py`` asks ``verify live`` the same, by the
interpreter and by the translation.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from tests.support.lasting_modules import MODULES, TABLE, Small, rows
from tests.support.measuring import run_to_end

_ANSWERS = {
    "No error has been found": "holds",
    "Temporal properties were violated": "violated",
    r"Temporal property \w+ was violated": "violated",
    r"Property \w+ is violated by the initial state": "violated",
    r"Invariant \w+ is violated": "violated",
    r"Action property .* is violated": "violated",
}
_SECONDS = 120


def ask_tlc(tlc: Path, folder: Path, small: Small, fairness: str, claim: str) -> str:
    """Return TLC's verdict on a property, and its other output."""
    (folder / "M.tla").write_text(small.text())
    (folder / "M.cfg").write_text(small.configuration(fairness, claim))
    words = [str(tlc), "-workers", "1", "-noGenerateSpecTE", "-metadir", str(folder / "states"), "M.tla"]
    run = run_to_end(words, limit=_SECONDS, folder=folder)
    if run is None:
        return "not finished in time"
    for words_of_tlc, verdict in _ANSWERS.items():
        if re.search(words_of_tlc, run.output):
            return verdict
    errors = [line for line in run.output.splitlines() if line.startswith("Error")]
    return " ".join(errors)[:200] or "no answer"


def main() -> None:
    """Asks TLC, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tlc", type=Path)
    tlc: Path = parser.parse_args().tlc.resolve()
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, fairness, claim in rows():
            verdict = ask_tlc(tlc, Path(folder), MODULES[name], fairness, claim)
            print(f"{name} {fairness} {claim}: {verdict}", flush=True)
            found.append({"module": name, "fairness": fairness, "property": claim, "tlc": verdict})
    text = ",\n".join(json.dumps(row) for row in found)
    TABLE.write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
