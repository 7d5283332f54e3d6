"""What ``verify replay`` does once its options are parsed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from verifier import itf
from verifier.cli.output import console, print_lines
from verifier.deadlock import with_deadlock
from verifier.errors import UsageError, unknown_name
from verifier.model import Model, build
from verifier.replay import Replayer, ReplayFailure
from verifier.report.counterexample import render_trace
from verifier.report.failure import short_failure
from verifier.runs.loading import Loaded, load
from verifier.specs.registry import BUILT_IN
from verifier.trace import Trace
from verifier.verdict import NO_DEADLOCK


def run(file: Path, spec: str | None, settings: dict[str, str], *, show: bool, full: bool) -> int:
    """Replays, prints, and returns the exit code."""
    with _naming(file):
        data = itf.parse(_read(file))
        about = itf.header(data)
    loaded = load(_spec(about, spec), {**about.constants, **settings})
    with _naming(file):
        _check_property(about, loaded)
        _warn_if_other(about, loaded)
        model = with_deadlock(build(loaded.protocol))
        trace = itf.load(data, model)
        Replayer(model).check(trace)
    if show:
        target = console()
        print_lines(target, render_trace(model, trace, target.width, full=full))
    click.echo(_success(model, trace))
    return 0


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Errors inside are errors of that file."""
    try:
        yield
    except ReplayFailure as failure:
        raise UsageError(f"{file} does not replay: step {failure.step}: {failure.reason}") from None
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None


def _check_property(about: itf.Header, loaded: Loaded) -> None:
    known = [*(prop.name for prop in loaded.definition.properties), NO_DEADLOCK]
    if about.violates is not None and about.violates not in known:
        raise unknown_name(f"property of {loaded.definition.name}", about.violates, known)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise UsageError("not JSON: it is no UTF-8 text") from None


def _spec(about: itf.Header, spec: str | None) -> str:
    """The spec to load. A file never decides by itself that other code than ours is run."""
    if spec is not None:
        return spec
    if about.spec not in BUILT_IN:
        raise UsageError(
            f"the trace is of {about.spec!r}, which is not built in: name its file with --spec FILE.py"
        )
    return about.spec


def _warn_if_other(about: itf.Header, loaded: Loaded) -> None:
    definition = loaded.definition
    if about.spec != definition.name:
        click.echo(f"warning: the trace is of {about.spec}, checked against {definition.name}", err=True)
    elif about.spec_hash != definition.spec_hash:
        words = f"the trace was made with hash {about.spec_hash}, the spec now has {definition.spec_hash}"
        click.echo(f"warning: {definition.name} or its constants changed since: {words}", err=True)


def _success(model: Model, trace: Trace) -> str:
    actions = f"{trace.steps} action" if trace.steps == 1 else f"{trace.steps} actions"
    if trace.violates is None:
        return f"replays: {actions}; the file names no property"
    if model.system.seeks(trace.violates):
        return f"replays: {actions}, {trace.violates} is reached in the last state"
    return f"replays: {actions}, {trace.violates} fails in the last state: {short_failure(model, trace)}"
