"""``results/tla-both.md``: the models of tlaplus/Examples by each semantics, beside TLC.

Run ``python -m results.generators.tla_both GOLDEN EXAMPLES LIBRARY [--most N] [--seconds N] [--keep]``: as
``tla_examples``, of the models with at most N generated states, each by the interpreter and by the
translation. What one of them cannot do is said; what both do has to be TLC's. ``--keep`` measures only what
is not measured yet.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from results.generators.tla_examples import measure_command, models_parser

_HERE = Path(__file__).resolve().parents[1]
_JSON, _TABLE = _HERE / "tla-both.json", _HERE / "tla-both.md"
_SEMANTICS = ("interpreter", "translation")
_HEAD = ("model", "generated", "interpreter", "translation")


def _say(found: dict[str, Any]) -> str:
    """Return the result of one semantics on a model."""
    if found["agrees"]:
        return "as TLC"
    words = str(found["reason"]).removeprefix("verify: ").replace("|", "\\|")
    return words if len(words) <= 160 else f"{words[:157]}..."


def table(rows: list[dict[str, Any]], most: int) -> str:
    """The rows as Markdown."""
    counts = {by: sum(row[by]["agrees"] for row in rows) for by in _SEMANTICS}
    both = sum(all(row[by]["agrees"] for by in _SEMANTICS) for row in rows)
    lines = [
        "# TLA+ models by both semantics",
        "",
        "`python -m results.generators.tla_both` makes this table, of the models of tlaplus/Examples with at",
        f"most {most:,} generated states. Verdict, distinct states, generated states and levels, or the",
        "length of the counterexample, are TLC's; of a temporal property, that `live` finds it violated.",
        f"Of {len(rows)} models {counts['interpreter']} agree by the interpreter, {counts['translation']} by",
        f"the translation, {both} by both.",
        "",
        f"| {' | '.join(_HEAD)} |",
        "|---|---|---|---|",
    ]
    for row in rows:
        cells = (row["model"], f"{row['generated'] or 0:,}", *(_say(row[by]) for by in _SEMANTICS))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Measures and writes."""
    parser = models_parser(__doc__, seconds=120)
    parser.add_argument("--most", type=int, default=20_000)
    given = parser.parse_args()
    golden = json.loads(given.golden.read_text())["rows"]
    known = json.loads(_JSON.read_text()) if given.keep and _JSON.is_file() else []
    found = {row["model"]: row for row in known}
    for row in sorted(golden, key=lambda row: row["generated"] or 0):
        if (row["generated"] or 0) > given.most or row["model"] in found:
            continue
        own = {
            by: measure_command(row, given.examples, given.library, given.seconds, by) for by in _SEMANTICS
        }
        kept = {by: {key: one[key] for key in ("agrees", "reason")} for by, one in own.items()}
        found[row["model"]] = {"model": row["model"], "generated": row["generated"], **kept}
        print(row["model"], *(_say(kept[by]) for by in _SEMANTICS), sep=" | ", flush=True)
        rows = list(found.values())
        _JSON.write_text(json.dumps(rows, indent=1) + "\n")
        _TABLE.write_text(table(rows, given.most))


if __name__ == "__main__":
    main()
