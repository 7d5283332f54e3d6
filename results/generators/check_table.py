"""``results/check.md``: what `verify check` decides on the models of tlaplus/Examples, beside TLC.

Run ``python -m results.generators.check_table GOLDEN EXAMPLES LIBRARY [--seconds N] [--keep] [--tlc TLC]
[--only PART]…``: the rows that TLC gave, the folder of the models, and the folder of modules that some of
them extend. Each model is one command that decides all of its configuration. ``--keep`` measures again only
what did not agree, so that a run goes on where another was ended. ``--only`` measures the models whose names
have one of these parts, and keeps the rows of all others. With ``--tlc``, TLC's command runs beside on the
models that took `check` longer than two seconds, one worker, and both commands are timed; for the others its
time is the golden one. If both take less than 15 seconds, they run three times in turn: medians count.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from results.generators.tla_examples import beside, models_parser
from tests.support.measuring import run_to_end, verify

_HERE = Path(__file__).resolve().parents[1]
_JSON, _TABLE = _HERE / "check.json", _HERE / "check.md"
_GOOD = ("PROVED", "HOLDS", "REACHED")
_TEMPORAL = "temporal property violated"
_SHORT, _MOST_TIMES = 2.0, 1.5
_TIMED = ("seconds", "cpu", "tlc_seconds", "tlc_cpu")
_LONG, _TIMES = 15.0, 3
"""Commands below so many seconds are measured so many times beside TLC: a second of noise is much of them."""
_HEAD = ("model", "agrees", "TLC says", "`check` says", "by", "s, CPU s", "TLC: s, CPU s", "ratio", "")


def measure_command(row: dict[str, Any], examples: Path, library: Path, seconds: float) -> dict[str, Any]:
    """Measure one command on one model, and whether TLC agrees on its whole configuration."""
    spec, config = examples / row["module"], examples / row["model"]
    words = ["check", "--first", "--spec", str(spec), "--config", str(config), "--library", str(library)]
    words += ["--timeout", f"{seconds:g}s", "--format", "json"]
    made: dict[str, Any] = {"model": row["model"], "expected": expect_verdict(row), "golden": row["seconds"]}
    run = run_to_end(verify(*words), limit=seconds + 30)
    if run is None:
        return {**made, "agrees": False, "reason": "the command did not end in time"}
    made |= {"seconds": round(run.wall, 2), "cpu": round(run.cpu, 2), "code": run.code}
    if not run.output.startswith("{"):
        words_of_error = run.last_error.replace(f"{examples}/", "")[:300]
        return {**made, "agrees": False, "reason": words_of_error}
    said = json.loads(run.output)
    by = sorted(set(said["statistics"]["decided_by"].values()))
    return {**made, "by": by, **judge_verdicts(row, said["results"])}


def measure_beside(row: dict[str, Any], given: Namespace, first: dict[str, Any]) -> dict[str, Any]:
    """Measure TLC's command beside ours on one model, several times in turn if both are short."""
    measured = [first | beside(row, given.examples, given.tlc, 2 * given.seconds)]
    is_short = max(measured[0].get(key, _LONG) for key in ("seconds", "tlc_seconds")) < _LONG
    while is_short and len(measured) < _TIMES:
        again = measure_command(row, given.examples, given.library, given.seconds)
        measured.append(again | beside(row, given.examples, given.tlc, 2 * given.seconds))
    return take_medians(measured)


def take_medians(measured: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the medians of the times, with the verdicts of the first run that disagrees with TLC, if any."""
    shown = min(measured, key=lambda one: bool(one["agrees"]))
    keys = [key for key in _TIMED if all(key in one for one in measured)]
    return shown | {key: round(median(one[key] for one in measured), 2) for key in keys}


def is_asked(model: str, only: Sequence[str] | None) -> bool:
    """True if a model is to be measured: its name has one of these parts, or none is given."""
    return only is None or any(part in model for part in only)


def expect_verdict(row: dict[str, Any]) -> str:
    """TLC's verdict on the whole configuration."""
    if row["verdict"] != "violated":
        return str(row["verdict"])
    return f"{row['property']} violated, {row['trace_states']} states"


def judge_verdicts(row: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
    """Compare the verdicts with TLC's: of all properties if it finds no error, else of the one that it
    names."""
    broken = {one["property"]: one for one in results if one["verdict"] == "VIOLATED"}
    open_ones = [one for one in results if one["verdict"] not in ("VIOLATED", *_GOOD)]
    decided = len(results) - len(open_ones)
    words = f"{decided} of {len(results)} decided"
    if broken:
        told = (
            f"{name} violated" + ("" if one["steps"] is None else f", {one['steps'] + 1} states")
            for name, one in broken.items()
        )
        words = "; ".join(told)
    elif not open_ones:
        words = f"all {decided} hold" if decided else "nothing to decide"
    left = "; ".join(f"{one['property']}: {one['verdict']}, {one['reason']}" for one in open_ones)
    found: dict[str, Any] = {"found": words}
    if row["verdict"] == "holds":
        return {**found, "agrees": not broken and not open_ones, "reason": left[:300]}
    if row["verdict"] == _TEMPORAL:
        return {**found, "agrees": bool(broken), "reason": "" if broken else left[:300]}
    one = broken.get(row["property"])
    same = one is not None and one["steps"] is not None and one["steps"] + 1 == row["trace_states"]
    return {**found, "agrees": same, "reason": "" if same else left[:300]}


def table(rows: list[dict[str, Any]], count: int) -> str:
    """Return the rows as Markdown, for this number of models."""
    agreeing = sum(row["agrees"] for row in rows)
    slow = [row for row in rows if row.get("seconds", 0) > _SHORT]
    over = [row["model"] for row in rows if _ratio(row) > _MOST_TIMES and row.get("seconds", 0) > _SHORT]
    cpu = sum(row.get("cpu", 0) for row in rows)
    lines = [
        "# TLA+ models: `verify check` and TLC",
        "",
        "`python -m results.generators.check_table` makes this table. Each model is one command,",
        "`verify check --first`, which ends at the first violation, as TLC does. It decides all of the",
        "configuration: invariants, step properties, temporal properties, deadlock, assumptions, the",
        "postcondition. A row agrees if TLC's verdict is the same. The counterexample of an invariant must",
        "be as long, and where TLC finds a temporal property violated, some property must be.",
        "",
        *([] if len(rows) == count else [f"Measured so far are {len(rows)} of the {count} models.", ""]),
        f"**{agreeing} of {len(rows)} agree.** {len(slow)} commands take more than {_SHORT:g} seconds. Of",
        f"these more than {_MOST_TIMES:g} times TLC's time: {', '.join(over) or 'none'}.",
        f"All commands together take {sum(row.get('seconds', 0) for row in rows):,.0f} seconds,",
        f"{cpu:,.0f} of a processor; TLC's {sum(_tlc(row) for row in rows):,.0f} seconds.",
        "TLC's times are the golden ones, measured under load; those with a star were measured beside the",
        f"command. If both took less than {_LONG:g} seconds, these are medians of {_TIMES} runs in turn.",
        "TLC has one worker; the machine has two cores.",
        "",
        f"| {' | '.join(_HEAD)} |",
        "|---" * len(_HEAD) + "|",
    ]
    for row in rows:
        own = f"{row['seconds']:.1f}, {row['cpu']:.1f}" if "seconds" in row else ""
        tlc = f"{row['golden']:.1f}"
        if row.get("tlc_seconds"):
            tlc = f"{row['tlc_seconds']:.1f}*, {row['tlc_cpu']:.1f}"
        ratio = f"{_ratio(row):.2f}" if "seconds" in row else ""
        agrees = "yes" if row["agrees"] else "**no**"
        by = ", ".join(row.get("by", ()))
        remark = row["reason"].replace("|", "\\|")
        cells = (
            row["model"], agrees, row["expected"], row.get("found", ""), by, own, tlc, ratio, remark,
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _tlc(row: dict[str, Any]) -> float:
    return float(row.get("tlc_seconds") or row["golden"])


def _ratio(row: dict[str, Any]) -> float:
    return float(row.get("seconds", 0) / _tlc(row))


def main() -> None:
    """Measures and writes."""
    parser = models_parser(__doc__, seconds=120)
    parser.add_argument("--tlc", type=Path)
    parser.add_argument("--only", action="append", metavar="PART")
    given = parser.parse_args()
    golden = json.loads(given.golden.read_text())["rows"]
    known = {row["model"]: row for row in json.loads(_JSON.read_text())} if _JSON.is_file() else {}
    kept = {name: row for name, row in known.items() if given.keep and row["agrees"]}
    for row in sorted(golden, key=lambda row: row["seconds"]):
        name = row["model"]
        if name in kept or not is_asked(name, given.only):
            continue
        kept[name] = measure_command(row, given.examples, given.library, given.seconds)
        if given.tlc is not None and kept[name].get("seconds", given.seconds) > _SHORT:
            kept[name] = measure_beside(row, given, kept[name])
        one = kept[name]
        print(name, one["agrees"], one.get("seconds"), f"{_ratio(one):.2f}", one["reason"], flush=True)
        rows = [found for r in golden if (found := kept.get(r["model"]) or known.get(r["model"]))]
        _JSON.write_text(json.dumps(rows, indent=1) + "\n")
        _TABLE.write_text(table(rows, len(golden)))


if __name__ == "__main__":
    main()
