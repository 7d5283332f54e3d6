"""A simulation as text: counterexamples, verdicts, coverage and histograms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from verifier.outcomes.run import Run
from verifier.printable import say_count
from verifier.text.columns import wrap
from verifier.text.exploration import (
    coverage_table,
    remark_on_coverage,
    render_formula_counts,
    table,
    warn_of_vacuity,
)
from verifier.text.run import (
    expectation_remarks,
    render_counterexamples,
    render_verdicts,
    say_times,
    semantics_remarks,
    with_constants,
)

_LONGEST_BAR = 40
_MOST_ROWS = 25
_OF_GUIDED = {
    "restarts": "walks restarted from a promising state",
    "deepest": "most actions in a row",
    "probes": "solver look-aheads",
    "probed_steps": "steps per look-ahead",
}


def render_simulation(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """The whole run, on lines of at most ``width`` characters."""
    about = with_constants(run.definition.name, run.definition.constants)
    lines: list[RenderableType] = [Text(line, "bold") for line in wrap(about, width)]
    kind = "guided random executions" if run.options.get("guided") else "random executions"
    solvers = ", ".join(run.solvers) or "no solver"
    how = f"{kind} of at most {say_count(run.depth, 'action')}, seed {run.options['seed']}, {solvers}"
    lines += [Text(how), Text()]
    lines += render_counterexamples(run, width, full)
    if run.outcome.verdicts:
        lines += [*render_verdicts(run, width), Text()]
    figures = run.outcome.statistics
    if "walks" in figures:  # an end while the module was translated leaves other figures alone
        lines += [*_counts(figures), Text(), *coverage_table(figures["actions"]), Text()]
        lines += _histograms(figures)
    if "coverage" in figures:
        lines += [*list(render_formula_counts(figures, width))[1:], Text()]
    for words in warn_of_vacuity(run):
        lines += [Text(line, "yellow") for line in wrap(words, width, subsequent_indent="  ")]
    if run.outcome.never_enabled:
        words = f"Never enabled on the way: {', '.join(run.outcome.never_enabled)}."
        lines += map(Text, wrap(words, width, subsequent_indent="  "))
    for remark in _remarks(run):
        lines += map(Text, wrap(remark, width, subsequent_indent="  "))
    return lines


def _counts(figures: Mapping[str, Any]) -> list[Text]:
    rows = [
        ("executions", figures["walks"]),
        ("actions taken", figures["steps"]),
        ("ended in a deadlock", figures["walks_at_deadlock"]),
        ("ended at the depth limit", figures["walks_cut_at_depth"]),
        *((words, figures[name]) for name, words in _OF_GUIDED.items() if name in figures),
        *((f"violating {name}", count) for name, count in figures["walks_violating"].items() if count),
        *((f"reaching {name}", count) for name, count in figures["walks_reaching"].items()),
    ]
    return table([(name, f"{count:,}") for name, count in rows])


def _histograms(figures: Mapping[str, Any]) -> list[RenderableType]:
    lines: list[RenderableType] = histogram("length of an execution", figures["lengths"])
    for name, counts in figures["action_counts"].items():
        lines += histogram(f"{name} taken in an execution", counts)
    for text, counts in figures["histograms"].items():
        lines += histogram(f"{text} in the last state", counts)
    return lines


def histogram(title: str, counts: Mapping[str, int]) -> list[RenderableType]:
    """The values, each with its count and a bar, and the mean of integers. Long histograms are cut."""
    total = sum(counts.values())
    if not total:
        return []
    longest = max(counts.values())
    shown = sorted(counts.items(), key=lambda item: -item[1])[:_MOST_ROWS]
    kept = [(value, count) for value, count in counts.items() if (value, count) in shown]
    rows = [(value, f"{count:,}", f"{count / total:.1%}") for value, count in kept]
    lines: list[RenderableType] = [Text(f"{title}{_mean(counts, total)}", "bold")]
    for line, (_, count) in zip(table(rows), kept, strict=True):
        line.append(f"   {'█' * max(1, round(_LONGEST_BAR * count / longest))}", "cyan")
        lines.append(line)
    if len(kept) < len(counts):
        lines.append(Text(f"and {len(counts) - len(kept)} rarer values"))
    return [*lines, Text()]


def _mean(counts: Mapping[str, int], total: int) -> str:
    try:
        mean = sum(int(value) * count for value, count in counts.items()) / total
    except ValueError:
        return ""
    return f" (mean {mean:.2f})"


def _remarks(run: Run) -> list[str]:
    remarks = []
    if run.outcome.verdicts:
        words = "Random executions may miss a violation. To search every execution, use bmc or explore."
        remarks.append(words)
    remarks += [*remark_on_coverage(run.outcome.statistics), *semantics_remarks(run)]
    remarks += expectation_remarks(run)
    rate = run.outcome.statistics.get("steps_per_second") or 0
    remarks.append(f"{say_times(run)}; {rate:,} actions per second.")
    return remarks
