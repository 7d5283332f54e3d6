"""``results/tla-examples.md``: what `verify explore` finds on the models of tlaplus/Examples, beside TLC.

Run ``python -m results.generators.tla_examples GOLDEN EXAMPLES LIBRARY [--seconds N] [--keep] [--tlc TLC]``:
the rows that TLC gave, the folder of the models, and the folder of modules that some of them extend. Each
model is a command of its own. ``--keep`` measures again only what did not agree. With ``--tlc``, TLC's
command runs beside on the ten models with the most generated states, and on the models of less than 100,000
states on which the own command takes more than three CPU seconds (TLC takes as many to start); one worker,
and both commands are timed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from tests.support.measuring import run_to_end, verify

_HERE = Path(__file__).resolve().parents[1]
_JSON, _TABLE = _HERE / "tla-examples.json", _HERE / "tla-examples.md"
_FIGURES = ("distinct", "generated", "levels")
_TEMPORAL = "temporal property violated"
_COMPARED_BELOW = 100_000
_LONG = 3
_LARGEST = 10
_HEAD = (
    "model", "agrees", "distinct", "generated", "levels", "of TLC: distinct", "generated", "levels", "/s",
    "s, CPU s", "TLC: s, CPU s", "",
)  # fmt: skip


def beside(row: dict[str, Any], examples: Path, tlc: Path, seconds: float) -> dict[str, float]:
    """The times of TLC's whole command on a model."""
    spec, config = examples / row["module"], examples / row["model"]
    with tempfile.TemporaryDirectory() as states:
        words = [
            str(tlc),
            "-workers",
            "1",
            "-noGenerateSpecTE",
            "-metadir",
            states,
            "-config",
            str(config),
            spec.name,
        ]
        run = run_to_end(words, limit=seconds, folder=spec.parent)
    failed = run is None or ("\n0 states generated" in run.output and bool(row["generated"]))
    return {} if run is None or failed else {"tlc_seconds": round(run.wall, 2), "tlc_cpu": round(run.cpu, 2)}


def measure_command(
    row: dict[str, Any], examples: Path, library: Path, seconds: float, by: str = "auto"
) -> dict[str, Any]:
    """Measure one command on one model by a semantics, and whether it agrees with TLC."""
    spec, config = examples / row["module"], examples / row["model"]
    engine = "live" if row["verdict"] == _TEMPORAL else "explore"
    words = [engine, "--spec", str(spec), "--config", str(config), "--library", str(library)]
    if row["property"]:
        words += ["--property", row["property"]]
    words += ["--by", by, "--timeout", f"{seconds:g}s", "--format", "json"]
    found: dict[str, Any] = {"model": row["model"], "tlc": {k: row[k] for k in ("verdict", *_FIGURES)}}
    run = run_to_end(verify(*words), limit=seconds + 30)
    if run is None:
        return {**found, "agrees": False, "reason": "not finished in time"}
    if not run.output.startswith("{"):
        return {**found, "agrees": False, "reason": run.last_error.replace(f"{examples}/", "")[:300]}
    times = {"seconds": round(run.wall, 2), "cpu": round(run.cpu, 2)}
    if engine == "live":
        return {**found, **times, **_lasting(json.loads(run.output), run.error)}
    said = json.loads(run.output)
    translated = said["statistics"]["semantics"] == "translation"
    return {**found, **times, "translated": translated, **_compare(row, said)}


def _lasting(run: dict[str, Any], said: str) -> dict[str, Any]:
    """Return the verdict of `verify live` on a temporal property that TLC finds violated."""
    violated = [r["property"] for r in run["results"] if r["verdict"] == "VIOLATED"]
    if violated:
        return {"agrees": True, "reason": f"`live` finds violated: {', '.join(violated)}"}
    words = "`live` did not finish in time"
    if "the VIEW is not used here" in said:
        words += ": TLC's loop is one of the VIEW, and may be none of states"
    return {"agrees": False, "reason": words}


def _compare(row: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    figures = run["statistics"]
    if "distinct_states" not in figures:  # the end came while the translation was built
        return {"agrees": False, "reason": "not finished in time"}
    own = {
        "distinct": figures["distinct_states"],
        "generated": figures["generated_states"],
        "levels": len(figures["levels"]),
    }
    violated = {r["property"]: r["steps"] + 1 for r in run["results"] if r["verdict"] == "VIOLATED"}
    unchecked = [r["property"] for r in run["results"] if "not checked" in (r["reason"] or "")]
    rate = round(own["generated"] / max(figures.get("exploring_cpu_seconds") or run["seconds"], 0.001))
    made = {"found": own, "rate": rate, "not_checked": unchecked}
    if row["verdict"] == "violated":
        steps = violated.get(row["property"])
        if steps == row["trace_states"]:
            return {**made, "agrees": True, "reason": f"violated, {steps} states"}
        words = "not finished in time" if steps is None else f"{steps} states, TLC {row['trace_states']}"
        return {**made, "agrees": False, "reason": words}
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
        "levels, or in the length of the counterexample, or, of a temporal property, in that `live` finds it",
        "violated. The median of",
        f"{median:,.0f} generated states per CPU second is of the models with at least 1,000 of them.",
        *_times(rows),
        *_largest_beside(rows),
        "",
        f"| {' | '.join(_HEAD)} |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        own = [f"{row['found'][name]:,}" if "found" in row else "" for name in _FIGURES]
        tlc = ["" if row["tlc"][name] is None else f"{row['tlc'][name]:,}" for name in _FIGURES]
        remark = row["reason"].replace("|", "\\|")
        if row.get("not_checked"):
            remark = "; ".join(
                filter(None, (remark, f"liveness not checked: {', '.join(row['not_checked'])}"))
            )
        rate = f"{row['rate']:,}" if row.get("rate") else ""
        times = [
            f"{row[wall]:.1f}, {row[cpu]:.1f}" if row.get(cpu) is not None else ""
            for wall, cpu in (("seconds", "cpu"), ("tlc_seconds", "tlc_cpu"))
        ]
        agrees = "yes" if row["agrees"] else "**no**"
        lines.append(f"| {' | '.join([row['model'], agrees, *own, *tlc, rate, *times, remark])} |")
    return "\n".join([*lines, ""])


def _times(rows: list[dict[str, Any]]) -> list[str]:
    """Return a comparison of the times of both commands."""
    both = [
        row
        for row in rows
        if row.get("tlc_cpu") and row["agrees"] and (row["tlc"]["distinct"] or 0) < _COMPARED_BELOW
    ]
    if not both:
        return []
    slower = [row["model"] for row in both if row["seconds"] > 2 * row["tlc_seconds"]]
    more = [row["model"] for row in both if row["cpu"] > 2 * row["tlc_cpu"]]
    return [
        "",
        f"{len(both)} models of less than {_COMPARED_BELOW:,} states that take more than {_LONG} CPU seconds",
        "were timed beside TLC, each command",
        f"whole, on a machine that did other work too. More than twice TLC's time: {_name(slower)}",
        f"More than twice its CPU time: {_name(more)}",
    ]


def _largest(golden: list[dict[str, Any]]) -> set[str]:
    """The models with the most generated states."""
    ordered = sorted(golden, key=lambda row: row["generated"] or 0)
    return {row["model"] for row in ordered[-_LARGEST:]}


def _largest_beside(rows: list[dict[str, Any]]) -> list[str]:
    """The largest models as a table: both commands, and the ratio of their generated states per second."""
    largest = [row for row in rows if row.get("largest") and row.get("tlc_seconds") and row["agrees"]]
    if not largest:
        return []
    head = ("model", "generated", "by", "s, CPU s", "TLC: s, CPU s", "times as fast", "by CPU s")
    lines = [
        "",
        f"The {len(largest)} models with the most generated states, the whole commands one after the other:",
        "",
        f"| {' | '.join(head)} |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in sorted(largest, key=lambda row: -row["found"]["generated"]):
        cells = (
            row["model"],
            f"{row['found']['generated']:,}",
            "translation" if row.get("translated") else "interpreter",
            f"{row['seconds']:.1f}, {row['cpu']:.1f}",
            f"{row['tlc_seconds']:.1f}, {row['tlc_cpu']:.1f}",
            f"{row['tlc_seconds'] / row['seconds']:.1f}",
            f"{row['tlc_cpu'] / row['cpu']:.1f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _name(models: list[str]) -> str:
    return f"{', '.join(models) or 'none'}."


def models_parser(description: str | None, seconds: float) -> argparse.ArgumentParser:
    """Return the common options of the commands that measure these models."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("golden", type=Path)
    parser.add_argument("examples", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--seconds", type=float, default=seconds)
    parser.add_argument("--keep", action="store_true")
    return parser


def main() -> None:
    """Measures and writes."""
    parser = models_parser(__doc__, seconds=600)
    parser.add_argument("--tlc", type=Path)
    given = parser.parse_args()
    golden = json.loads(given.golden.read_text())["rows"]
    known = json.loads(_JSON.read_text()) if given.keep and _JSON.is_file() else []
    kept = {row["model"]: row for row in known if row["agrees"] or not given.keep}
    old = {row["model"]: row for row in known}
    largest = _largest(golden)
    for row in sorted(golden, key=lambda row: row["generated"] or 0):
        if row["model"] in kept:
            continue
        kept[row["model"]] = measure_command(row, given.examples, given.library, given.seconds)
        long = kept[row["model"]].get("cpu", given.seconds) > _LONG
        kept[row["model"]]["largest"] = row["model"] in largest
        compared = row["model"] in largest or (long and (row["distinct"] or 0) < _COMPARED_BELOW)
        if given.tlc is not None and compared:
            kept[row["model"]] |= beside(row, given.examples, given.tlc, 2 * given.seconds)
        print(row["model"], kept[row["model"]]["agrees"], kept[row["model"]]["reason"], flush=True)
        rows = [found for r in golden if (found := kept.get(r["model"]) or old.get(r["model"]))]
        _JSON.write_text(json.dumps(rows, indent=1) + "\n")
        _TABLE.write_text(table(rows, "python -m results.generators.tla_examples"))


if __name__ == "__main__":
    main()
