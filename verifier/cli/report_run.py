"""What ``verify report`` does once its options are parsed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from verifier.cli.output import check_writable, say, write
from verifier.cli.reading import read
from verifier.errors import UsageError
from verifier.outcomes.row import Row, check_types, rows_of
from verifier.printable import json_text, printable_text
from verifier.report.itf_values import check_shape
from verifier.report.report import Report, as_object
from verifier.sweep.current import Standing, standing
from verifier.sweep.extra import TO_READ_ROWS, check_extra

_ENDINGS = {".md": "markdown", ".json": "json", ".xml": "junit", ".html": "html", ".htm": "html"}


@dataclass(frozen=True)
class Wanted:
    """Which format, and where it goes."""

    output_format: str | None
    out: Path | None
    html: Path | None
    older: bool = False
    """Whether rows of a sweep's folder that are not current are shown as well."""


def run(path: Path, wanted: Wanted, title: str | None, spec: str | None, settings: dict[str, str]) -> int:
    """Reads, renders, writes, and returns the exit code: 0, whatever the verdicts are."""
    option, target, output_format = _target(wanted)
    if target is not None:
        check_writable(option, target)
    report = read_report(path, title, spec, settings, older=wanted.older)
    text = render(report, output_format)
    for note in report.notes if output_format == "junit" else ():
        say(note, err=True)  # the format has no place for it
    if target is None:
        click.echo(printable_text(text), nl=False)
    else:
        write(option, target, text)
        say(f"the report is in {target}", err=True)
    return 0


def render(report: Report, output_format: str) -> str:
    """The report in a format."""
    return _renderers()[output_format](report)


def read_report(
    path: Path, title: str | None, spec: str | None, settings: Mapping[str, str], *, older: bool = False
) -> Report:
    """The report of a sweep's folder, a run's JSON, or a trace once it is replayed.

    Raises UsageError for anything else.
    """
    if older and not path.is_dir():
        raise UsageError(f"--older is for the folder of a sweep, which {path} is not")
    text = "" if path.is_dir() else read(path)
    content = _content(text)
    if path.is_dir() or content is not None:
        if spec is not None or settings:
            raise UsageError(f"{path} says its spec itself: --spec and --set go with a trace only")
        rows, notes = _swept(path, older) if content is None else (_rows(path, content), ())
        return Report(title or path.resolve().name, rows, notes)
    # Only a trace needs its protocol, and what it takes to evaluate it.
    from verifier.runs.replaying import replayed, row_of

    replay = replayed(path, text, spec, settings)
    warnings = () if replay.warning is None else (f"Warning: {replay.warning}.",)
    if replay.warning is not None:
        say(f"warning: {replay.warning}", err=True)
    return Report(title or path.name, (row_of(replay),), warnings)


def _swept(folder: Path, older: bool) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """The rows of a sweep, in the order of specs, properties and constants, and what to say of those that
    are not current."""
    check_extra(f"the report of {folder}, a sweep's folder,", TO_READ_ROWS)
    from verifier.sweep.store import read_asked, read_rows

    found = standing(read_rows(folder), read_asked(folder))
    rows = found.current + (found.superseded + found.unasked if older else ())
    shown = sorted(rows, key=lambda row: (row.spec, row.property_name, str(row.constants), row.engine))
    return tuple(shown), tuple(_left_out(found, older))


def _left_out(found: Standing, older: bool) -> Iterator[str]:
    """A line that says which rows are not current, if some are not."""
    parts = [
        f"{len(rows)} {words} ({', '.join(dict.fromkeys(row.spec for row in rows))})"
        for rows, words in (
            (found.superseded, "of other versions of a spec or of verify"),
            (found.unasked, "at constants that the last sweep did not ask about"),
        )
        if rows
    ]
    count = len(found.superseded) + len(found.unasked)
    if parts:
        what = "1 row is" if count == 1 else f"{count} rows are"
        how = "not current" if older else "left out, since not current (--older shows them)"
        yield f"{what} {how}: {' and '.join(parts)}."


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
