"""An exploration as text: counterexamples, verdicts, counts and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from verifier.outcomes.run import Run
from verifier.printable import join_words, say_count, say_never_enabled
from verifier.text.columns import wrap
from verifier.text.run import (
    expectation_remarks,
    name_subject,
    name_those,
    remark_on_deadlocks,
    remark_on_undecided,
    render_counterexamples,
    render_verdicts,
    say_times,
    semantics_remarks,
    up_to_view,
    with_constants,
)
from verifier.verdict import VerdictKind, say_reachable


def render_exploration(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """The whole run, on lines of at most ``width`` characters."""
    about = with_constants(run.definition.name, run.definition.constants)
    lines: list[RenderableType] = [Text(line, "bold") for line in wrap(about, width)]
    lines += [Text(_how(run)), Text()]
    lines += render_counterexamples(run, width, full)
    lines += render_verdicts(run, width)
    figures = _figures(run)
    if figures:
        lines += [Text(), *render_counts(figures), Text(), *coverage_table(figures["actions"])]
        lines += render_formula_counts(figures, width)
    lines.append(Text())
    for words in _warnings(run):
        lines += [Text(line, "yellow") for line in wrap(words, width, subsequent_indent="  ")]
    for remark in _remarks(run):
        lines += map(Text, wrap(remark, width, subsequent_indent="  "))
    return lines


def _figures(run: Run) -> Mapping[str, Any]:
    """The statistics of the search; none of a run that ended before it began."""
    figures = run.outcome.statistics
    return figures if "distinct_states" in figures else {}


def _warnings(run: Run) -> list[str]:
    warnings = []
    refused = run.outcome.statistics.get("symmetry_refused")
    if refused:
        warnings.append(f"warning: SYMMETRY is not used, since it may change verdicts: {refused}")
    never = run.outcome.never_enabled
    if never and run.outcome.statistics.get("complete"):
        warnings.append(f"warning: {say_never_enabled(never, up_to_view(run))}")
    return [*warnings, *warn_of_vacuity(run)]


def warn_of_vacuity(run: Run) -> Iterator[str]:
    """Yield a warning for each premise of a property that was never true."""
    figures = run.outcome.statistics
    never = f"is never true{up_to_view(run)}" if figures.get("complete") else "was never true so far"
    violated = {one.property_name for one in run.outcome.verdicts if one.kind is VerdictKind.VIOLATED}
    for one in figures.get("vacuous", ()):
        if one["property"] in violated:
            continue
        place = Path(one["place"]).name
        yield f"warning: {one['property']} may hold vacuously: its premise {one['premise']} {never} ({place})"


def remark_on_coverage(figures: Mapping[str, Any]) -> Iterator[str]:
    """Say which states the counts of formulas are about, if these are not all."""
    if "coverage" not in figures or figures.get("complete"):
        return
    if "distinct_states" in figures:
        looked_at, depth = figures["distinct_states"] - figures["waiting_states"], figures["depth"]
        states = say_count(looked_at, "state")
        yield f"Formulas were counted in the first {states}, to depth {depth}, not in all."
    else:
        yield "Formulas were counted in the states of these executions, each time that one was visited."


def _how(run: Run) -> str:
    figures = run.outcome.statistics
    if figures.get("symmetry"):
        return f"explored up to {figures['permutations']} permutations of interchangeable elements, no solver"
    return "explored state by state, no solver"


def render_counts(figures: Mapping[str, Any]) -> list[Text]:
    """The counts, one per line."""
    name = "classes of states" if figures["symmetry"] else "distinct states"
    rows = [(name, figures["distinct_states"])]
    if figures["symmetry"]:
        rows.append(("states in them", figures["states_in_orbits"]))
    rows += [
        ("states generated", figures["generated_states"]),
        ("initial states", figures["initial_states"]),
        ("depth", figures["depth"]),
        ("deadlocks", figures["deadlocks"]),
    ]
    if figures["states_beyond_constraint"]:
        rows.append(("beyond the constraint", figures["states_beyond_constraint"]))
    if figures["waiting_states"]:
        rows.append(("not yet visited", figures["waiting_states"]))
    return table([(name, f"{number:,}") for name, number in rows])


def coverage_table(actions: Mapping[str, Mapping[str, int]]) -> list[Text]:
    """The counts of each action on one line, under a heading."""
    names = list(next(iter(actions.values()), {}))
    cells = [["action", *("new states" if name == "found" else name for name in names)]]
    cells += [[action, *(f"{counts[name]:,}" for name in names)] for action, counts in actions.items()]
    return table(cells, heading=True)


def render_formula_counts(figures: Mapping[str, Any], width: int) -> Iterator[Text]:
    """Yield a line for each formula that was counted: first those that were never true."""
    counts: Sequence[Mapping[str, Any]] = figures.get("coverage", ())
    never = [count for count in counts if not count["true"]]
    some = [count for count in counts if count["true"]]
    groups = {"formulas that were never true": never, "other formulas" if never else "formulas": some}
    for title, group in groups.items():
        if not group:
            continue
        yield from (Text(), Text(title, "bold"))
        rows = [("evaluated", "true", "formula")]
        rows += [(f"{one['evaluated']:,}", f"{one['true']:,}", one["formula"]) for one in group]
        widths = [max(len(row[column]) for row in rows) for column in range(2)]
        for number, (evaluated, true, formula) in enumerate(rows):
            counted = f"{evaluated:>{widths[0]}}   {true:>{widths[1]}}   "
            text = counted + formula + (f"  ({_name_place(group[number - 1])})" if number else "")
            yield from map(Text, wrap(text, width, subsequent_indent=" " * len(counted)))


def _name_place(count: Mapping[str, Any]) -> str:
    """Return the action or property of a formula, and the file and line."""
    return ", ".join(filter(None, (count["owner"], Path(count["place"]).name)))


def table(rows: Sequence[Sequence[str]], *, heading: bool = False) -> list[Text]:
    """Rows in columns. All columns but the first have numbers and are aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for index, (first, *rest) in enumerate(rows):
        numbers = (text.rjust(width) for text, width in zip(rest, widths[1:], strict=True))
        lines.append(
            Text("   ".join((first.ljust(widths[0]), *numbers)), "bold" if heading and index == 0 else "")
        )
    return lines


def remark_on_end(run: Run) -> list[str]:
    """Say why an exploration ended before it looked at all states, if all was decided."""
    waiting = run.outcome.statistics.get("waiting_states")
    is_open = any(verdict.kind is VerdictKind.INCONCLUSIVE for verdict in run.outcome.verdicts)
    if not waiting or is_open or run.options.get("depth") is not None:
        return []
    states = "1 state was" if waiting == 1 else f"{waiting:,} states were"
    return [f"Exploration ended once everything was decided; {states} left unvisited."]


def _in_files(figures: Mapping[str, Any]) -> str:
    """Describe an exploration that continued in files."""
    if "bytes_in_files" not in figures:
        return ""
    task = figures.get("peak_task_memory_bytes")  # a search by one process has no tasks
    of_task = "" if task is None else f", at most {task / 2**20:.0f} MiB in a process with tasks"
    return f"{of_task}; {figures['bytes_in_files'] / 2**20:,.0f} MiB in files"


def _say_means(figures: Mapping[str, Any]) -> Iterator[str]:
    """Say who explored which levels, if several processes or Spark were asked for."""
    means = figures.get("explored_by", ())
    if not means:
        return
    ends = [following["first_level"] - 1 for following in means[1:]] + [len(figures["levels"]) - 1]
    parts = []
    for one, end in zip(means, ends, strict=True):
        first = one["first_level"]
        levels = f"levels {first} to {end}" if end > first else f"level {first}"
        parts.append(f"{one['name']} ({levels})")
    yield f"Explored by {', '.join(parts)}."


def _say_depths(run: Run) -> Iterator[str]:
    """Say what holds up to which depth, in a sentence for each depth."""
    holding = [one for one in run.outcome.verdicts if one.kind is VerdictKind.HOLDS]
    depths = sorted({one.depth or 0 for one in holding})
    for depth in depths:
        names = join_words([name_subject(run, one) for one in holding if (one.depth or 0) == depth], "or")
        which = name_those(run, VerdictKind.HOLDS) if len(depths) == 1 else names
        actions = "1 action" if depth == 1 else f"{depth} actions"
        yield f"HOLDS({depth}): no execution of at most {actions} violates {which}."


def _remarks(run: Run) -> list[str]:
    figures = _figures(run)
    remarks = []
    if figures.get("complete") and figures.get("view"):
        remarks.append("Complete up to the VIEW: of states with equal views, only one was checked.")
    elif figures.get("complete"):
        limits = run.definition.limits
        states = say_reachable(limits)
        within = f" within the constraint{'s'[: len(limits) > 1]}" if limits else ""
        holds = any(verdict.kind is VerdictKind.HOLDS for verdict in run.outcome.verdicts)
        means = f" So HOLDS is about executions of any length{within}." if holds else ""
        remarks.append(f"Complete: every {states} was checked.{means}")
    else:
        remarks += _say_depths(run)
    remarks += [*remark_on_undecided(run), *remark_on_coverage(figures)]
    remarks += remark_on_end(run)
    if run.outcome.never_enabled and not figures.get("complete"):
        remarks.append(f"Not enabled in any state visited so far: {', '.join(run.outcome.never_enabled)}.")
    remarks += remark_on_deadlocks(run)
    remarks += semantics_remarks(run)
    remarks += expectation_remarks(run)
    remarks += _say_means(figures)
    times = say_times(run)
    if figures:
        times += f"; {figures['states_per_second'] or 0:,} states per second"
        times += f"; peak memory {figures['peak_memory_bytes'] / 2**20:.0f} MiB"
        times += _in_files(figures)
    return [*remarks, f"{times}."]
