"""A sweep as text: the number of jobs by verdict, the undecided jobs, and the slowest jobs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tabulate import tabulate

from verifier.encodings.concrete import show_constants
from verifier.sweep.expansion import LeftOut
from verifier.sweep.summary import Count, Line, Summary

_MOST_REASON = 100


def render_summary(summary: Summary) -> list[str]:
    """Tables, with a heading each."""
    if not summary.counts:
        return ["no job has ended"]
    lines = _table(
        ("spec", "property", "engine", "verdict", "jobs", "least depth", "steps", "seconds"),
        [_count_cells(count) for count in summary.counts],
    )
    if summary.undecided:
        lines += ["", "Not decided:", *_jobs(summary.undecided)]
    return [*lines, "", "Slowest:", *_jobs(summary.slowest)]


def list_rejected_constants(left_out: Iterable[LeftOut]) -> list[str]:
    """The combinations of constants that the specs' assumptions reject, one line each."""
    return [
        f"{item.spec}: {item.combinations} combination{'' if item.combinations == 1 else 's'} of constants "
        f"left out, since it assumes {item.assumption}"
        for item in left_out
    ]


def _count_cells(count: Count) -> tuple[object, ...]:
    steps = "" if count.fewest_steps is None else f"{count.fewest_steps}"
    if count.most_steps != count.fewest_steps:
        steps += f" to {count.most_steps}"
    return (
        count.spec,
        count.claim,
        count.engine,
        count.verdict,
        count.jobs,
        "" if count.depth is None else count.depth,
        steps,
        f"{count.seconds:.1f}",
    )


def _jobs(lines: Sequence[Line]) -> list[str]:
    return _table(
        ("spec", "property", "engine", "constants", "verdict", "depth", "seconds", "reason"),
        [
            (
                line.spec,
                line.claim,
                line.engine,
                show_constants(json.loads(line.constants)),
                line.verdict,
                "" if line.depth is None else line.depth,
                f"{line.seconds:.1f}",
                _shorten(line.reason or ""),
            )
            for line in lines
        ],
    )


def _shorten(words: str) -> str:
    return words if len(words) <= _MOST_REASON else f"{words[: _MOST_REASON - 1]}…"


def _table(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    return tabulate(rows, heading, tablefmt="simple", disable_numparse=True).splitlines()
