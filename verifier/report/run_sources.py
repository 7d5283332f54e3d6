"""Reads the sources of reports: a sweep's folder, a run's JSON, a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from verifier.cluster.extra import TO_READ_ROWS, check_extra
from verifier.errors import UsageError
from verifier.files import explain_no_json, read_text
from verifier.json_shape import read_json
from verifier.outcomes.consistency import check_consistency
from verifier.outcomes.row import Row, check_run, rows_of
from verifier.report.itf_values import check_values
from verifier.report.report import Report
from verifier.runs.loaded import ReadingOptions
from verifier.sweep.current import Standing, sort_by_standing


def read_report(
    path: Path,
    title: str | None,
    spec: str | None,
    settings: Mapping[str, str],
    reading: ReadingOptions | None = None,
    *,
    older: bool = False,
) -> Report:
    """The report of a sweep's folder, a run's JSON, or a trace once it is replayed.

    ``older``: also the rows of a folder that are not current. Raises UsageError for anything else.
    """
    if older and not path.is_dir():
        raise UsageError(f"--older is for the folder of a sweep, which {path} is not")
    text = "" if path.is_dir() else read_text(path)
    content = None if path.is_dir() else _content(path, text)
    if path.is_dir() or content is not None:
        if spec is not None or settings:
            raise UsageError(f"{path} says its spec itself: --spec and --set go with a trace only")
        rows, notes = _of_sweep(path, older) if content is None else (_rows(path, content), _notes(content))
        name = path.resolve().name
        return Report(title or name, rows, notes, sources=(name,) * len(rows))
    # Only a trace needs its protocol, and what it takes to evaluate it.
    from verifier.runs.replaying import replay_text, row_of

    replay = replay_text(path, text, spec, settings, reading)
    warnings = () if replay.warning is None else (f"Warning: {replay.warning}.",)
    return Report(title or path.name, (row_of(replay, path),), warnings)


def _of_sweep(folder: Path, older: bool) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """The rows of a sweep, in the order of specs, properties and constants, and what to say of those that
    are not current."""
    check_extra(f"the report of {folder}, a sweep's folder,", TO_READ_ROWS)
    from verifier.sweep.store import describe_unchecked, read_asked, read_recorded

    recorded = read_recorded(folder)
    rows = [one.row for one in recorded]
    unchecked = describe_unchecked(recorded)
    for row in rows:
        if row.trace is not None:
            check_values(row.trace, f"{folder}: the row of job {row.job_id}: trace")
    by_standing = sort_by_standing(rows, read_asked(folder))
    chosen = by_standing.current + (by_standing.superseded + by_standing.unasked if older else ())
    shown = sorted(chosen, key=lambda row: (row.spec, row.claim, str(row.constants), row.engine))
    notes = [*_tell_left_out(by_standing, older), *([] if unchecked is None else [unchecked])]
    return tuple(shown), tuple(notes)


def _tell_left_out(by_standing: Standing, older: bool) -> Iterator[str]:
    """A line that says which rows are not current, if some are not."""
    parts = [
        f"{len(rows)} {words} ({', '.join(dict.fromkeys(row.spec for row in rows))})"
        for rows, words in (
            (by_standing.superseded, "of other versions of a spec or of verify"),
            (by_standing.unasked, "at constants that the last sweep did not ask about"),
        )
        if rows
    ]
    count = len(by_standing.superseded) + len(by_standing.unasked)
    if parts:
        what = "1 row is" if count == 1 else f"{count} rows are"
        how = "not current" if older else "left out, since not current (--older shows them)"
        yield f"{what} {how}: {' and '.join(parts)}."


def _content(path: Path, text: str) -> Mapping[str, Any] | None:
    """The JSON object of a run; None if the text is none. Raises UsageError if it is no JSON."""
    try:
        data = read_json(text)
    except ValueError as error:
        words = "a run (--format json), a trace (--trace-out) or the folder of a sweep is expected"
        raise UsageError(f"{path} cannot be reported: {explain_no_json(path, error)}; {words}") from None
    if isinstance(data, dict) and str(data.get("format")).startswith("verify certificate"):
        raise UsageError(f"{path} is a certificate, neither a run nor a trace: verify certify reads it")
    return data if isinstance(data, dict) and "results" in data and "engine" in data else None


def _notes(content: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what is to be said of a run that was ended before it had an answer."""
    ended = content.get("ended")
    return (f"{content['engine']} was ended: {ended}.",) if isinstance(ended, str) else ()


def _rows(path: Path, content: Mapping[str, Any]) -> tuple[Row, ...]:
    try:
        check_run(content)
        for index, result in enumerate(content["results"]):
            if result["trace"] is not None:
                check_values(result["trace"], f"results[{index}].trace")
        check_consistency(content)
        return tuple(rows_of(content))
    except UsageError as error:
        words = f"{path} is not a run of this version: {error} (make it anew with --format json)"
        raise UsageError(words) from None
