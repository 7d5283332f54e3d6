"""Reports as text for the terminal and as Markdown (GitHub's)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabulate import tabulate

from verifier.encodings.concrete import show_constants
from verifier.outcomes.row import Row
from verifier.printable import printable
from verifier.report.diagram import ABSENT, MEMBER, Change, Diagram
from verifier.report.fair_loop import loop_lines
from verifier.report.known import CHECKER, find_known_answer
from verifier.report.report import (
    Report,
    command_of,
    tally,
    varying_constants,
    verdict_words,
    version_columns,
)
from verifier.report.telling import failing_name
from verifier.report.trace_diagram import diagram_of
from verifier.text.deltas import LOST
from verifier.text.failure import say_false
from verifier.verdict import VerdictKind

_LONGEST = 60
"""A trace shows values whole if they have at most this many characters."""


def as_text(report: Report) -> str:
    """The verdicts as a table, then the execution of each verdict that has one."""
    header, rows = _table(report.rows)
    table = tabulate(rows, header, tablefmt="simple", disable_numparse=True)
    parts = [printable(report.title), _summary(report), table]
    parts += [
        printable(f"{_name_row(row)}: {verdict_words(row)}")
        + f"\n{printable(command_of(row))}\n\n{trace_text(row)}"
        for row in report.rows
        if row.trace is not None
    ]
    return "\n\n".join([*parts, *map(printable, _tell_sources(report)), *map(printable, report.notes)]) + "\n"


def as_markdown(report: Report) -> str:
    """Write the report in GitHub Flavored Markdown."""
    header, rows = _table(report.rows)
    body = [[_escape(cell) for cell in row] for row in rows]
    table = tabulate(body, [_escape(name) for name in header], tablefmt="github", disable_numparse=True)
    parts = [f"# {_escape(report.title)}", _escape(_summary(report)), table]
    for row in report.rows:
        if row.trace is not None:
            parts.append(f"## {_escape(_name_row(row))}: {_escape(verdict_words(row))}")
            parts += [_fence(printable(command_of(row)), "sh"), _fence(trace_text(row), "text")]
    return "\n\n".join([*parts, *map(_escape, _tell_sources(report)), *map(_escape, report.notes)]) + "\n"


def _tell_sources(report: Report) -> list[str]:
    """Say which files the verdicts are from, because nobody checked them again."""
    names = ", ".join(name for name in dict.fromkeys(report.sources) if name)
    return [f"Taken from {names}; nothing was checked again."] if names else []


def trace_text(row: Row) -> str:
    """An execution: a line for each action with its changes below it, and at the end the part that fails."""
    assert row.trace is not None
    diagram = diagram_of(row.trace, row.drawing)
    start = "some state" if row.verdict is VerdictKind.NOT_INDUCTIVE else "initially"
    lines = []
    for number, step in enumerate(diagram.steps):
        lines.append(f"{number:>3}  {step if number else start}")
        lines += [f"     {diagram.name_change(one)}: {_change(diagram, one)}" for one in step.changes]
    return "\n".join(map(printable, [*lines, *_say_failure(row, diagram), *loop_lines(row.trace)]))


def _say_failure(row: Row, diagram: Diagram) -> list[str]:
    """The false formulas as the terminal shows them, below the name of the property; nothing if none is."""
    if not diagram.failing:
        return []
    last = len(diagram.steps) - 1
    where = f"step {last}, {diagram.steps[-1]}" if diagram.about_step else f"state {last}"
    lines = [f"{failing_name(row)} fails in {where if last else 'the initial state'}:"]
    for one in diagram.failing:
        values = [(mentioned.path, mentioned.value) for mentioned in one.where]
        lines += [f"  {line}" for line in say_false(one.formula, one.witnesses, values)]
    return lines


def _change(diagram: Diagram, change: Change) -> str:
    member = diagram.member_of(change.place)
    if member is not None:
        return f"{'+' if change.after in MEMBER else LOST} {member[1]}"
    words = diagram.words(change)
    whole = f"{_short(change.before)} → {_short(change.after)}"
    return whole if words == f"{change.before} → {change.after}" else _short(words)


def failure_lines(diagram: Diagram) -> list[str]:
    """The formulas that are false in the last state, with the values that they mention."""
    lines = []
    for failing in diagram.failing:
        at = ", ".join(f"{name} = {value}" for name, value in failing.witnesses)
        where = ", ".join(f"{one.path} = {one.value}" for one in failing.where)
        lines.append(f"fails{f' for {at}' if at else ''}: {failing.formula}")
        if where:
            lines.append(f"     where {where}")
    return lines


def _table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    names, known_answers = varying_constants(rows), [find_known_answer(row) for row in rows]
    header = ["spec", *names, "property", "engine", "solver", "verdict", "seconds"]
    body = [
        [
            row.spec,
            *(
                show_constants({name: row.constants[name]}).partition("=")[2]
                if name in row.constants
                else ABSENT
                for name in names
            ),
            row.claim,
            row.engine,
            row.solver or ABSENT,
            verdict_words(row),
            f"{row.seconds:.1f}",
        ]
        for row in rows
    ]
    for name, values in version_columns(rows).items():
        header.append(name)
        for line, value in zip(body, values, strict=True):
            line.append(value)
    if any(known_answers):
        header.append(CHECKER)
        for line, item in zip(body, known_answers, strict=True):
            line.append("" if item is None else f"{item.mark}: {item.words}")
    return [printable(name) for name in header], [[printable(cell) for cell in line] for line in body]


def _summary(report: Report) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in tally(report.rows).items())
    if not report.rows:
        return "No verdict: nothing was decided."
    return f"{len(report.rows)} {'verdict' if len(report.rows) == 1 else 'verdicts'}: {counts}."


def _name_row(row: Row) -> str:
    return f"{row.spec} {row.claim} ({row.shown_constants})"


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"


def _escape(text: str) -> str:
    """The text, escaped so that Markdown shows it unchanged, even in a cell of a table."""
    plain = re.sub(r"([\\`*_{}\[\]<>#|~!&$])", r"\\\1", printable(" ".join(text.split())))
    return re.sub(r"^(\d+)\.(?=\s|$)", r"\1\\.", plain)


def _fence(text: str, language: str) -> str:
    """A block of code. Its fence is longer than any fence in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
