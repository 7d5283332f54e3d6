"""``verify replay``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import console, print_lines, say
from verifier.cli.paths import FileToRead, SpecName
from verifier.cli.specs import SET_HELP, SPEC_HELP, parse_settings, reading_of, reading_options
from verifier.files import read_text

if TYPE_CHECKING:
    from verifier.system.model import Model
    from verifier.trust.trace import Trace

_SPEC_HELP = (
    f"The protocol to check against. [default: the one the file names, if it is built in] {SPEC_HELP}"
)
_SET_HELP = f"{SET_HELP} [default: those of the file; other values are refused]"


@click.command("replay", cls=GroupedCommand)
@click.argument("file", type=FileToRead())
@click.option("--spec", type=SpecName(), metavar="SPEC", help=_SPEC_HELP)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help=_SET_HELP)
@click.option("--show", "shown", is_flag=True, help="Show the execution too.")
@click.option("--full", is_flag=True, help="Show the execution with whole states.")
@reading_options
def command(file: Path, spec: str | None, settings: tuple[str, ...], shown: bool, full: bool) -> int:
    """Check a trace file (ITF JSON) against its protocol, without a solver.

    Every state and action is computed again: Init holds in state 0, each action is enabled and gives the next
    state, and the property fails in the last. If a check fails, the exit code is 2, and a line says at which
    step and why.

    \b
    Examples:
      verify replay trace.itf.json
      verify replay trace.itf.json --spec TwoPhase.tla --config Small.cfg
    """
    from verifier.runs.replaying import replay_text
    from verifier.text.counterexample import render_trace
    from verifier.text.lasso import render_loop
    from verifier.trust import itf

    replay = replay_text(file, read_text(file), spec, parse_settings(settings), reading_of(spec))
    model, trace = replay.model, replay.trace
    for words in replay.of_module:
        say(words, err=True)
    if replay.warning is not None:
        say(f"warning: {replay.warning}", err=True)
    if shown or full:
        target = console()
        print_lines(target, render_trace(replay.definition, trace, target.width, full=full))
        if trace.loop is not None:
            written = replay.written if model is None else itf.dump(trace, model)
            print_lines(target, render_loop(trace, written, target.width))
    say(_success(model, trace))
    return 0


def _success(model: Model | None, trace: Trace) -> str:
    from verifier.text.failure import short_failure
    from verifier.text.lasso import replay_words

    if trace.loop is not None:
        return replay_words(trace)
    actions = f"{trace.steps} action" if trace.steps == 1 else f"{trace.steps} actions"
    if trace.violates is None:
        return f"replayed: {actions}; the file names no property"
    if model is None:
        return f"replayed by the interpreter: {actions}, {trace.violates} fails in the last state"
    if model.system.seeks(trace.violates):
        return f"replayed: {actions}, {trace.violates} is reached in the last state"
    return f"replayed: {actions}, {trace.violates} fails in the last state: {short_failure(model, trace)}"
