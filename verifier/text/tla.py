"""Runs on TLA+ files, and the description of one, as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from verifier.outcomes.run import Run
from verifier.text.columns import wrap
from verifier.text.exploration import render_exploration
from verifier.text.run import verdict_text
from verifier.text.written import render_written_trace
from verifier.verdict import Verdict


def render_tla(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """An exploration: the counterexamples, then verdicts, counts and coverage."""
    lines: list[RenderableType] = []
    shown: list[Verdict] = []
    for verdict in run.outcome.verdicts:
        if verdict.trace is None:
            continue
        lines.append(Text(f"{verdict.property_name}: {verdict_text(verdict)}", "bold red"))
        same = next(
            (other for other in shown if other.trace and other.trace.states == verdict.trace.states), None
        )
        if same is not None:
            lines.append(Text(f"The execution that violates {same.property_name} violates it too."))
        else:
            shown.append(verdict)
            lines += [Text(), *render_written_trace(verdict.trace, width, full=full)]
        lines.append(Text())
    statistics = {**run.outcome.statistics, "actions": run.outcome.statistics["actions"] or {"Init": {}}}
    rest = render_exploration(
        replace(run, outcome=replace(run.outcome, statistics=statistics)), width, full=full
    )
    return [*rest[:3], *lines, *rest[3:]]


_TITLES = (
    "constants", "variables", "sorts", "init", "next", "actions", "instances", "invariants", "properties",
    "not_checked", "only_explicit",
)  # fmt: skip


def render_description(about: Mapping[str, Any], width: int) -> list[RenderableType]:
    """What a module and its configuration are."""
    lines: list[RenderableType] = [Text(f"{about['spec']} ({about['file']})", "bold")]
    for title in _TITLES:
        found = about.get(title)
        if not found:
            continue
        lines += [Text(), Text(title.replace("_", " "), "bold")]
        items = [f"{k} = {v}" for k, v in found.items()] if isinstance(found, Mapping) else list(found)
        for item in items:
            lines += [Text(f"  {line}") for line in wrap(item, width - 2, subsequent_indent="  ")]
    return lines
