"""``results/for-all-constants.md``: built-in protocols proved for all constants, with the cost of each proof.

    python -m results.generators.for_all_constants [SPEC …] [--seconds 900]

Each row is a whole command, ``verify prove SPEC --property P --all-constants --certificate FILE``, and then
``verify certify FILE``. With specs, other rows of an earlier run stay.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from results.generators.endive import made_on
from tests.support.measuring import run_to_end, verify

_PAGE = Path(__file__).resolve().parents[1] / "for-all-constants.md"
_ROWS = _PAGE.with_suffix(".json")
_GRACE = 60.0
"""The seconds after its time in which a command must end."""
_BOOKKEEPER = ("--set", "ensemble_choice=any")
"""A new ensemble may be any set of bookies."""
PROOFS: Sequence[tuple[str, str, tuple[str, ...]]] = (
    ("kip320", "StrongIsr", ()),
    ("kip320", "WeakIsr", ()),
    ("pulsar-compaction", "CompactionHorizonCorrectness", ()),
    ("exactly-once", "Safety", ()),
    ("exactly-once-atomic", "Safety", ()),
    ("bookkeeper", "NoDivergence", _BOOKKEEPER),
    ("bookkeeper-4-13", "NoDivergence", (*_BOOKKEEPER, "--set", "recovery_reads_fence=true")),
    ("rabbit-sac", "TypeOK", ()),
    ("rabbit-sac", "DeadlockBalanced", ()),
    ("rabbit-sac", "DeadlockPerfect", ()),
    ("rabbit-sac-restart", "TypeOK", ()),
    ("rabbit-sac-restart", "DeadlockBalanced", ()),
    ("rabbit-sac-restart", "DeadlockPerfect", ()),
)
"""Each spec with a property, and the constants that stay given."""


@dataclass
class Row:
    """One proof."""

    spec: str
    claim: str
    given: str = ""
    verdict: str = ""
    obligations: int = 0
    cpu: float = 0.0
    wall: float = 0.0
    rechecked: str = ""
    """The seconds in which another solver checked the certificate; "no" if it did not."""

    def cells(self) -> list[str]:
        """Return the row of the table."""
        figures = (str(self.obligations), f"{self.cpu:.0f}", f"{self.wall:.0f}")
        return [self.spec, self.claim, self.given, self.verdict, *figures, self.rechecked]


def measure(spec: str, claim: str, given: Sequence[str], seconds: float) -> Row:
    """Prove, and check the certificate."""
    row = Row(spec, claim, " ".join(word for word in given if word != "--set"))
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "proof.json")
        words = ["--property", claim, "--all-constants", *given, "--timeout", f"{seconds:g}s"]
        done = run_to_end(
            verify("prove", spec, *words, "--certificate", file, "--format", "json"), limit=seconds + _GRACE
        )
        if done is None or not done.output.startswith("{"):
            row.verdict = "no answer" if done is None else done.last_error
            return row
        said = json.loads(done.output)
        row.verdict, row.cpu, row.wall = said["results"][0]["verdict"], done.cpu, done.wall
        row.obligations = said["statistics"]["obligations"][claim]
        if row.verdict == "PROVED":
            again = run_to_end(verify("certify", file), limit=seconds + _GRACE)
            row.rechecked = "no" if again is None or again.code else f"{again.wall:.0f}"
    return row


def page(rows: Sequence[Row]) -> str:
    """Return the page."""
    headers = ("protocol", "property", "given", "verdict", "obligations", "CPU s", "s", "certify, s")
    lines = [
        "# Built-in protocols, proved for all constants",
        "",
        "`python -m results.generators.for_all_constants` makes this page. Each row is a whole command,",
        "`verify prove SPEC --property P --all-constants --certificate FILE`. Then `verify certify FILE`",
        "checks the proof by another solver. CPU seconds are of all processes.",
        "",
        made_on(),
        "",
        f"| {' | '.join(headers)} |",
        f"|{'---|' * len(headers)}",
        *(f"| {' | '.join(row.cells())} |" for row in rows),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--seconds", type=float, default=900)
    given = parser.parse_args()
    known = [Row(**one) for one in json.loads(_ROWS.read_text())] if given.specs and _ROWS.exists() else []
    rows = {(one.spec, one.claim): one for one in known}
    for spec, claim, constants in PROOFS:
        if given.specs and spec not in given.specs:
            continue
        rows[spec, claim] = measure(spec, claim, constants, given.seconds)
        print(" | ".join(rows[spec, claim].cells()), flush=True)
        inside = [rows[one[:2]] for one in PROOFS if one[:2] in rows]
        _ROWS.write_text(json.dumps([asdict(one) for one in inside], indent=1) + "\n")
        _PAGE.write_text(page(inside))


if __name__ == "__main__":
    main()
