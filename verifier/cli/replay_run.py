"""What ``verify replay`` does once its options are parsed."""

from __future__ import annotations

from pathlib import Path

from verifier.cli.output import console, print_lines, say
from verifier.cli.reading import read
from verifier.runs.replaying import replayed
from verifier.system.model import Model
from verifier.text.counterexample import render_trace
from verifier.text.failure import short_failure
from verifier.trust.trace import Trace


def run(file: Path, spec: str | None, settings: dict[str, str], *, show: bool, full: bool) -> int:
    """Replays, prints, and returns the exit code."""
    replay = replayed(file, read(file), spec, settings)
    model, trace = replay.model, replay.trace
    if replay.warning is not None:
        say(f"warning: {replay.warning}", err=True)
    if show:
        target = console()
        print_lines(target, render_trace(model, trace, target.width, full=full))
    say(_success(model, trace))
    return 0


def _success(model: Model, trace: Trace) -> str:
    actions = f"{trace.steps} action" if trace.steps == 1 else f"{trace.steps} actions"
    if trace.violates is None:
        return f"replays: {actions}; the file names no property"
    if model.system.seeks(trace.violates):
        return f"replays: {actions}, {trace.violates} is reached in the last state"
    return f"replays: {actions}, {trace.violates} fails in the last state: {short_failure(model, trace)}"
