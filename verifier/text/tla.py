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
    statistics = {**run.outcome.statistics, "actions": run.outcome.statistics.get("actions") or {"Init": {}}}
    found = replace(run, outcome=replace(run.outcome, statistics=statistics))
    return render_exploration(found, width, full=full)


_MOST_SHOWN, _END_SHOWN = 500, 60
"""Of one sort, in characters; and of its end, which has the size."""
_TITLES = (
    "constants", "variables", "sorts", "init", "next", "actions", "instances", "invariants", "properties",
    "not_checked", "only_explicit",
)  # fmt: skip


def render_description(about: Mapping[str, Any], width: int) -> list[RenderableType]:
    """Describe a module and its configuration."""
    lines: list[RenderableType] = [Text(f"{about['spec']} ({about['file']})", "bold")]
    for title in _TITLES:
        found = about.get(title)
        if not found:
            continue
        lines += [Text(), Text(title.replace("_", " "), "bold")]
        items = [f"{k} = {v}" for k, v in found.items()] if isinstance(found, Mapping) else list(found)
        for item in map(_shorten, items) if title == "sorts" else items:
            lines += [Text(f"  {line}") for line in wrap(item, width - 2, subsequent_indent="  ")]
    return lines


def _shorten(item: str) -> str:
    """A sort, without its middle where it is long: it may list hundreds of messages. JSON has all."""
    if len(item) <= _MOST_SHOWN:
        return item
    return f"{item[: _MOST_SHOWN - _END_SHOWN]} … {item[-_END_SHOWN:]}"
