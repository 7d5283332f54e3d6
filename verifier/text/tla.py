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


def render_tla(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """An exploration: the counterexamples, then verdicts, counts and coverage."""
    statistics = {**run.outcome.statistics, "actions": run.outcome.statistics["actions"] or {"Init": {}}}
    found = replace(run, outcome=replace(run.outcome, statistics=statistics))
    return render_exploration(found, width, full=full)


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
