"""``results/tla-upstream.md``: the original TLA+ texts and the Python protocols, beside what TLC measured.

Run ``python -m results.generators.tla_upstream UPSTREAM [--seconds 60] [--by SEMANTICS]``: the folder of the
texts' repositories. Rows of ``results/tlc.json`` at the same constants are one run of ``explore`` on the
unmodified text, with a configuration made here, and one on the Python protocol. What TLC took more than a
minute for is left out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from tests.support.tla_upstream import BUT, MINUTE, NOT_AT_HAND, compare_rows
from tests.support.tlc import constants_of, read_measured

_TABLE = Path(__file__).resolve().parents[1] / "tla-upstream.md"


def table(rows: list[list[str]]) -> str:
    """The rows as Markdown."""
    texts = [row for row in rows if row[4] not in NOT_AT_HAND]
    same, ours = sum(row[4] == "yes" for row in texts), sum(row[5] == "yes" for row in rows)
    but, symmetric = (sum(row[5].startswith(words) for row in rows) for words in (BUT, "verdict; TLC"))
    lines = [
        "# Original texts, Python protocols and TLC",
        "",
        "`python -m results.generators.tla_upstream UPSTREAM` makes this table: rows of `tlc.json` that took",
        "TLC less than a minute, explored by the interpreter on the unmodified text, and on the Python",
        "protocol at the same constants. They agree if the verdict and the length of the counterexample do,",
        "or distinct states, generated states and levels. A Python protocol generates a state once where a",
        "disjunction or quantifier in a guard makes TLC, and the interpreter, generate it several times.",
        f"On {same} of {len(texts)} rows whose text is at hand the original text agrees with TLC,",
        f"and on {ours} of {len(rows)} the Python protocol does; on {but} more it does but for generated",
        f"states, and {symmetric} were counted with SYMMETRY by TLC.",
        "",
        "| protocol | constants | properties | TLC | original text agrees | Python protocol agrees |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows), ""])


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("upstream", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--by", choices=("auto", "interpreter", "translation"), default="auto")
    given = parser.parse_args()
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in read_measured():
        if row["verdict"] in ("holds", "violated") and row["seconds"] <= MINUTE:
            key = json.dumps([row["spec"], constants_of(row), row["symmetry"]])
            groups.setdefault(key, []).append(row)
    rows = []
    for group in groups.values():
        rows += compare_rows(group, given.upstream, given.seconds, given.by)
        print(*rows[-len(group) :], sep="\n", flush=True)
        _TABLE.write_text(table(rows))


if __name__ == "__main__":
    main()
