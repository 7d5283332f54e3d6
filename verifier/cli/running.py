"""What the commands that run an engine share: which properties, interrupts, writing traces."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from verifier import itf
from verifier.cli.output import write
from verifier.errors import UsageError, unknown_name
from verifier.report.run import Run
from verifier.specs.definition import Definition
from verifier.verdict import NO_DEADLOCK, Verdict, VerdictKind

_TRACE_SUFFIX = ".itf.json"


def chosen_properties(
    definition: Definition, asked: Sequence[str], expected: Sequence[str] = (), deadlock: bool = False
) -> tuple[str, ...]:
    """The properties to check, with those of which something is expected, and freedom from deadlock.

    Raises UsageError for an unknown one, or if there is none.
    """
    known = [prop.name for prop in definition.properties]
    for name in asked:
        if name not in (*known, "all"):
            raise unknown_name("property", name, [*known, "all"])
    also = [*(name for name in expected if name != NO_DEADLOCK), *([NO_DEADLOCK] if deadlock else [])]
    if "all" in asked:
        return tuple(dict.fromkeys((*known, *also)))
    chosen = dict.fromkeys(asked) if asked else [prop.name for prop in definition.properties if prop.default]
    if not chosen and not also:
        names = ", ".join(known)
        raise UsageError(
            f"{definition.name} checks no property by default: name one with --property ({names})"
        )
    return tuple(dict.fromkeys((*chosen, *also)))


class OutOfTime(KeyboardInterrupt):
    """The time is over; as with Ctrl-C, nothing on the way may catch it."""


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raises OutOfTime inside when the time is over. The search has a clock of its own."""

    def stop(*_: Any) -> None:
        raise OutOfTime

    if seconds is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def terminable() -> Iterator[None]:
    """A request to terminate counts as Ctrl-C: what is known is kept."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def undecided(properties: Sequence[str], stop: KeyboardInterrupt, timeout: float | None) -> list[Verdict]:
    """The verdicts where the end came before the engine could begin, or after it was done."""
    late = isinstance(stop, OutOfTime)
    reason = f"timeout of {timeout:g} s, while building" if late else "interrupted"
    return [Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, reason) for name in properties]


def write_traces(finished: Run, path: Path) -> None:
    """Writes the counterexamples of a run, the first to the path itself."""
    traces = [verdict.trace for verdict in finished.outcome.verdicts if verdict.trace is not None]
    if not traces or finished.model is None:
        old = "; the one that is there is older" if path.is_file() else ""
        click.echo(f"no counterexample, so {path} is not written{old}", err=True)
        return
    for number, trace in enumerate(traces):
        target = path if number == 0 else beside(path, str(trace.violates))
        text = json.dumps(itf.dump(trace, finished.model), ensure_ascii=False, indent=2)
        write("--trace-out", target, f"{text}\n")
        reached = finished.model.system.seeks(str(trace.violates))
        what = "execution that reaches" if reached else "counterexample of"
        click.echo(f"the {what} {trace.violates} is in {target}", err=True)


def beside(path: Path, name: str) -> Path:
    """``t.itf.json`` with a name: ``t.NAME.itf.json``."""
    if path.name.endswith(_TRACE_SUFFIX):
        return path.with_name(f"{path.name.removesuffix(_TRACE_SUFFIX)}.{name}{_TRACE_SUFFIX}")
    return path.with_name(f"{path.stem}.{name}{path.suffix}")
