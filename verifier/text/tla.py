"""Runs on TLA+ files, and the description of one, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from verifier.outcomes.run import Run
from verifier.printable import join_words
from verifier.text.columns import wrap
from verifier.text.exploration import render_exploration


def render_tla(run: Run, width: int, *, full: bool) -> list[RenderableType]:
    """An exploration: the counterexamples, then verdicts, counts and coverage."""
    statistics = {**run.outcome.statistics, "actions": run.outcome.statistics.get("actions") or {"Init": {}}}
    shown = replace(run, outcome=replace(run.outcome, statistics=statistics))
    return render_exploration(shown, width, full=full)


_MOST_SHOWN, _END_SHOWN = 500, 60
"""Of one sort, in characters; and of its end, which has the size."""
_TITLES: Mapping[str, str] = {
    "constants": "Constants",
    "variables": "Variables",
    "sorts": "Sorts: the values that each variable can have, guessed from the first states. Listed(a, b) has "
    "the values a and b",
    "init": "Initial states, defined at",
    "next": "Steps, defined at",
    "actions": "Actions",
    "invariants": "Invariants",
    "properties": "Properties of states and steps",
    "not_checked": "Temporal properties, which check and live decide",
    "only_explicit": "Not translated: the interpreter decides it",
}
"""The heading of each part, in order."""


def render_description(about: Mapping[str, Any], width: int) -> list[RenderableType]:
    """Describe a module and its configuration."""
    lines: list[RenderableType] = [Text(f"{about['spec']}  ({about['file']})", "bold")]
    for part, title in _TITLES.items():
        part_of_text = about.get(part)
        if not part_of_text:
            continue
        lines += [Text(), *(Text(line, "bold") for line in wrap(title, width))]
        items = (
            [f"{k} = {v}" for k, v in part_of_text.items()]
            if isinstance(part_of_text, Mapping)
            else list(part_of_text)
        )
        if part == "actions":
            items = [_say_chosen(item, about.get("instances", ())) for item in items]
        for item in map(_shorten, items) if part == "sorts" else items:
            lines += [Text(f"  {line}") for line in wrap(item, width - 2, subsequent_indent="  ")]
    return lines


def _say_chosen(action: str, instances: Iterable[str]) -> str:
    """An action with its parameters, and the variables that its formula binds, which steps show like
    parameters."""
    name, own = _split_title(action)
    for other, names in map(_split_title, instances):
        if other == name and len(names) > len(own):
            return f"{action}, where \\E binds {join_words(names[len(own) :])}"
    return action


def _split_title(title: str) -> tuple[str, list[str]]:
    """The name and the parameters of an action."""
    name, _, names = title.removesuffix(")").partition("(")
    return name, names.split(", ") if names else []


def _shorten(item: str) -> str:
    """A sort, without its middle where it is long: it may list hundreds of messages. JSON has all."""
    if len(item) <= _MOST_SHOWN:
        return item
    return f"{item[: _MOST_SHOWN - _END_SHOWN]} … {item[-_END_SHOWN:]}"
