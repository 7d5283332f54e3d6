"""The common part of commands that run an engine: the spec, a first line, writing traces."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.cli.output import check_writable, console, note, print_json, print_lines, write
from verifier.cli.paths import writes
from verifier.printable import json_text
from verifier.specs.definition import Definition
from verifier.text.run import with_constants

if TYPE_CHECKING:
    from rich.console import RenderableType

    from verifier.outcomes.run import Run

_ONE_EACH = ("--trace-out",)
"""Options for which the first of several properties gets the named file, and the others get files beside
it."""
_TRACE_SUFFIX = ".itf.json"
Render = Callable[..., "list[RenderableType]"]
"""Makes the text of a run, from the run, the width, and whether to show ``full`` states."""


@dataclass(frozen=True)
class Display:
    """The display of a run, and the destination of its traces."""

    output_format: str
    full: bool
    trace_out: Path | None = None
    html: Path | None = None


def check_targets(shown: Display, others: Mapping[str, Path | None], names: Sequence[str] = ()) -> None:
    """Raises UsageError if a file that is to be written could not or must not be.

    ``others`` are files by their options, ``names`` the properties, of which each may get a file of its own
    beside the one named.
    """
    for option, path in {"--trace-out": shown.trace_out, "--html": shown.html, **others}.items():
        if path is not None:
            check_writable(option, path)
            for name in names if option in _ONE_EACH else ():
                writes(option, path_with_name(path, name))


def announce(definition: Definition, what: str, *, for_all: bool = False) -> None:
    """Says on standard error what begins. ``for_all``: for all constants, whatever those at hand are."""
    about = with_constants(definition.name, definition.constants)
    note(f"{f'{definition.name} with all constants' if for_all else about}: {what}")


def show(finished: Run, shown: Display, render: Render) -> int:
    """Prints the run, writes its traces, and returns its exit code."""
    if shown.output_format == "json":
        from verifier.outcomes.content import as_object

        print_json(as_object(finished))
    else:
        target = console()
        print_lines(target, render(finished, target.width, full=shown.full))
    if shown.trace_out is not None:
        _write_traces(finished, shown.trace_out)
    if shown.html is not None:
        _write_page(finished, shown.html)
    return finished.exit_code


def show_known(run: Run, shown: Display) -> None:
    """Print final violations at once, while the run continues; in JSON there is one object."""
    if shown.output_format == "json":
        return
    from verifier.text.run import render_counterexamples

    target = console()
    print_lines(target, render_counterexamples(run, target.width, shown.full))
    sys.stdout.flush()


def _write_traces(finished: Run, path: Path) -> None:
    """Writes the counterexamples of a run, the first to the path itself."""
    from verifier.outcomes.content import write_trace

    verdicts = [verdict for verdict in finished.outcome.verdicts if verdict.trace is not None]
    written = [(one, trace) for one in verdicts if (trace := write_trace(finished, one)) is not None]
    if not written:
        old = "; the one that is there is older" if path.is_file() else ""
        note(f"no counterexample, so {path} is not written{old}")
        return
    for number, (verdict, content) in enumerate(written):
        name = str(verdict.trace and verdict.trace.violates)
        target = path if number == 0 else path_with_name(path, name)
        write("--trace-out", target, f"{json_text(content)}\n")
        reached = finished.model is not None and finished.model.system.seeks(name)
        what = "execution that reaches" if reached else "counterexample of"
        note(f"the {what} {name} is in {target}")


def _write_page(finished: Run, path: Path) -> None:
    """Writes the run as a report with the counterexample explorer."""
    write("--html", path, page_of(finished))
    note(f"the report is in {path}")


def page_of(finished: Run, graph: Mapping[str, Any] | None = None) -> str:
    """Return the run as a page, with a drawing of the states and steps if there is one."""
    from verifier.outcomes.content import as_object
    from verifier.outcomes.row import rows_of
    from verifier.report.page import as_html
    from verifier.report.report import Report

    # By way of JSON, so that this report and one made later from the run's JSON are the same.
    content = json.loads(json.dumps(as_object(finished)))
    title = f"verify {finished.engine}: {finished.definition.name}"
    return as_html(Report(title, rows_of(content), graph=graph))


def path_with_name(path: Path, name: str) -> Path:
    """``t.itf.json`` with a name: ``t.NAME.itf.json``."""
    if path.name.endswith(_TRACE_SUFFIX):
        return path.with_name(f"{path.name.removesuffix(_TRACE_SUFFIX)}.{name}{_TRACE_SUFFIX}")
    return path.with_name(f"{path.stem}.{name}{path.suffix}")
