"""What ``verify report`` does once its options are parsed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from verifier.cli.output import check_writable, say, write
from verifier.cli.reading import read
from verifier.errors import UsageError
from verifier.printable import json_text, printable_text
from verifier.report.itf_values import check_shape
from verifier.report.report import Report, as_object
from verifier.runs.row import Row, check_types, rows_of
from verifier.sweep.extra import TO_READ_ROWS, check_extra

_ENDINGS = {".md": "markdown", ".json": "json", ".xml": "junit", ".html": "html", ".htm": "html"}


@dataclass(frozen=True)
class Wanted:
    """Which format, and where it goes."""

    output_format: str | None
    out: Path | None
    html: Path | None


def run(path: Path, wanted: Wanted, title: str | None, spec: str | None, settings: dict[str, str]) -> int:
    """Reads, renders, writes, and returns the exit code: 0, whatever the verdicts are."""
    option, target, output_format = _target(wanted)
    if target is not None:
        check_writable(option, target)
    report = read_report(path, title, spec, settings)
    text = render(report, output_format)
    if target is None:
        click.echo(printable_text(text), nl=False)
    else:
        write(option, target, text)
        say(f"the report is in {target}", err=True)
    return 0


def render(report: Report, output_format: str) -> str:
    """The report in a format."""
    return _renderers()[output_format](report)


def read_report(path: Path, title: str | None, spec: str | None, settings: Mapping[str, str]) -> Report:
    """The report of a sweep's folder, a run's JSON, or a trace once it is replayed.

    Raises UsageError for anything else.
    """
    text = "" if path.is_dir() else read(path)
    content = _content(text)
    if path.is_dir() or content is not None:
        if spec is not None or settings:
            raise UsageError(f"{path} says its spec itself: --spec and --set go with a trace only")
        rows = _swept(path) if content is None else _rows(path, content)
        return Report(title or path.resolve().name, rows)
    # Only a trace needs its protocol, and what it takes to evaluate it.
    from verifier.runs.replaying import replayed, row_of

    replay = replayed(path, text, spec, settings)
    notes = () if replay.warning is None else (f"Warning: {replay.warning}.",)
    if replay.warning is not None:
        say(f"warning: {replay.warning}", err=True)
    return Report(title or path.name, (row_of(replay),), notes)


def _swept(folder: Path) -> tuple[Row, ...]:
    """The rows of a sweep, in the order of specs, properties and constants."""
    check_extra(f"the report of {folder}, a sweep's folder,", TO_READ_ROWS)
    from verifier.sweep.store import read_rows

    rows = read_rows(folder)
    return tuple(sorted(rows, key=lambda row: (row.spec, row.property_name, str(row.constants), row.engine)))


def _content(text: str) -> Mapping[str, Any] | None:
    """The JSON object of a run; None if the text is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and "results" in data and "engine" in data else None


def _rows(path: Path, content: Mapping[str, Any]) -> tuple[Row, ...]:
    try:
        rows = tuple(rows_of(content))
        for row in rows:
            check_types(row)
            if row.trace is not None:
                check_shape(row.trace)
        return rows
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        words = f"{type(error).__name__} {error} (make it anew with --format json)"
        raise UsageError(f"{path} is no run of this version: {words}") from None


def _target(wanted: Wanted) -> tuple[str, Path | None, str]:
    if wanted.html is not None:
        if wanted.out is not None or wanted.output_format not in (None, "html"):
            raise UsageError("--html FILE is short for --format html --out FILE: give one or the other")
        return "--html", wanted.html, "html"
    ending = "" if wanted.out is None else wanted.out.suffix.lower()
    return "--out", wanted.out, wanted.output_format or _ENDINGS.get(ending, "text")


def _renderers() -> Mapping[str, Callable[[Report], str]]:
    from verifier.report.junit import as_junit
    from verifier.report.page import as_html
    from verifier.report.tables import as_markdown, as_text

    return {
        "text": as_text,
        "markdown": as_markdown,
        "json": lambda report: f"{json_text(as_object(report))}\n",
        "junit": as_junit,
        "html": as_html,
    }
