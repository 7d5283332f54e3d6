"""``results/tla-examples.md``: what `verify explore` finds on the models of tlaplus/Examples, beside TLC.

Run ``python -m results.generators.tla_examples GOLDEN EXAMPLES LIBRARY [--seconds 60] [--keep]``: the rows
that TLC gave, the folder of the models, and the folder of modules that some of them extend. Each model is a
command of its own. ``--keep`` measures again only what did not agree.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parents[1]
_JSON, _TABLE = _HERE / "tla-examples.json", _HERE / "tla-examples.md"
_MAIN = "from verifier.cli.main import main; main()"
_FIGURES = ("distinct", "generated", "levels")
_LIVENESS = "liveness, which is not checked yet"


def measured(row: dict[str, Any], examples: Path, library: Path, seconds: float) -> dict[str, Any]:
    """What one command finds on one model, and whether TLC found the same."""
    spec, config = examples / row["module"], examples / row["model"]
    words = ["explore", "--spec", str(spec), "--config", str(config), "--library", str(library)]
    if row["property"]:
        words += ["--property", row["property"]]
    words += ["--timeout", f"{seconds:g}s", "--format", "json"]
    found: dict[str, Any] = {"model": row["model"], "tlc": {k: row[k] for k in ("verdict", *_FIGURES)}}
    try:
        done = subprocess.run(
            [sys.executable, "-c", _MAIN, *words],
            capture_output=True, text=True, timeout=seconds + 30, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {**found, "agrees": False, "reason": "not finished in time"}
    if not done.stdout.startswith("{"):
        error = done.stderr.strip().splitlines() or ["no output"]
        return {**found, "agrees": False, "reason": error[-1].replace(f"{examples}/", "")[:300]}
    return {**found, **_compared(row, json.loads(done.stdout))}


def _compared(row: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    figures = run["statistics"]
    own = {
        "distinct": figures["distinct_states"],
        "generated": figures["generated_states"],
        "levels": len(figures["levels"]),
    }
    violated = {r["property"]: r["steps"] + 1 for r in run["results"] if r["verdict"] == "VIOLATED"}
    unchecked = [r["property"] for r in run["results"] if "not checked" in (r["reason"] or "")]
    rate = figures["states_per_second"]
    made = {"found": own, "seconds": run["seconds"], "rate": rate, "not_checked": unchecked}
    if row["verdict"] == "violated":
        steps = violated.get(row["property"])
        if steps == row["trace_states"]:
            return {**made, "agrees": True, "reason": f"violated, {steps} states"}
        words = "not finished in time" if steps is None else f"{steps} states, TLC {row['trace_states']}"
        return {**made, "agrees": False, "reason": words}
    if row["verdict"] != "holds":
        return {**made, "agrees": False, "reason": _LIVENESS}
    if violated:
        return {**made, "agrees": False, "reason": f"violated: {', '.join(violated)}"}
    if not figures["complete"]:
        return {**made, "agrees": False, "reason": "not finished in time"}
    different = [name for name in _FIGURES if own[name] != row[name]]
    return {
        **made,
        "agrees": not different,
        "reason": f"differs: {', '.join(different)}" if different else "",
    }


def table(rows: list[dict[str, Any]], command: str) -> str:
    """The rows as Markdown."""
    agreeing = sum(row["agrees"] for row in rows)
    rates = [row["rate"] for row in rows if row.get("rate") and row["found"]["generated"] >= 1000]
    median = statistics.median(rates) if rates else 0
    lines = [
        "# TLA+ models: `verify explore` and TLC",
        "",
        f"`{command}` makes this table. TLC's figures are of one worker.",
        f"{agreeing} of {len(rows)} models agree in verdict, distinct states, generated states and",
        "levels, or in the length of the counterexample. The median of",
        f"{median:,.0f} generated states per second is of the models with at least 1,000 of them.",
        "",
        "| model | agrees | distinct | generated | levels | of TLC: distinct | generated | levels | /s | |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        own = [f"{row['found'][name]:,}" if "found" in row else "" for name in _FIGURES]
        tlc = ["" if row["tlc"][name] is None else f"{row['tlc'][name]:,}" for name in _FIGURES]
        remark = row["reason"].replace("|", "\\|")
        if row.get("not_checked") and row["reason"] != _LIVENESS:
            remark = "; ".join(
                filter(None, (remark, f"liveness not checked: {', '.join(row['not_checked'])}"))
            )
        rate = f"{row['rate']:,}" if row.get("rate") else ""
        cells = [row["model"], "yes" if row["agrees"] else "**no**", *own, *tlc, rate, remark]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("golden", type=Path)
    parser.add_argument("examples", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    golden = json.loads(given.golden.read_text())["rows"]
    known = json.loads(_JSON.read_text()) if given.keep and _JSON.is_file() else []
    kept = {row["model"]: row for row in known if row["agrees"] or not given.keep}
    old = {row["model"]: row for row in known}
    for row in sorted(golden, key=lambda row: row["generated"] or 0):
        if row["model"] in kept:
            continue
        kept[row["model"]] = measured(row, given.examples, given.library, given.seconds)
        print(row["model"], kept[row["model"]]["agrees"], kept[row["model"]]["reason"], flush=True)
        rows = [found for r in golden if (found := kept.get(r["model"]) or old.get(r["model"]))]
        _JSON.write_text(json.dumps(rows, indent=1) + "\n")
        _TABLE.write_text(table(rows, "python -m results.generators.tla_examples"))


if __name__ == "__main__":
    main()
