"""``verify conform``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifier.cli.output import format_option, note, print_json, say
from verifier.cli.parameters import DURATION
from verifier.cli.paths import FileToRead, SpecName
from verifier.cli.specs import SPEC_HELP, parse_settings, reading_of, reading_options, set_option
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.conform.trace_modules import TraceModule

_ENV_HELP = (
    "A module that reads its log: the environment variable with the log's path. [default: the one that the "
    "module reads with IOEnv]"
)
_STATES_HELP = "Leave a log undecided that has more states than this."


@click.command("conform")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=FileToRead())
@click.option("--spec", type=SpecName(), metavar="SPEC", required=True, help=SPEC_HELP)
@click.option("--env", "variable", metavar="NAME", help=_ENV_HELP)
@click.option("--max-states", type=click.IntRange(min=1), metavar="N", help=_STATES_HELP)
@click.option("--timeout", type=DURATION, help="Leave a log undecided after this time: 90, 90s, 2m, 1h.")
@set_option
@reading_options
@format_option
def command(
    logs: tuple[Path, ...],
    spec: str,
    variable: str | None,
    max_states: int | None,
    timeout: float | None,
    settings: tuple[str, ...],
    output_format: str,
) -> int:
    """Say of recorded executions whether the specification allows them, and if not, where and why.

    The module reads its log itself, as modules do that validate traces with TLC: from the file that an
    environment variable names.

    Exit code 0: all logs are accepted; 10: some log is rejected; 12: some log is undecided; 2: wrong usage.

    \b
    Examples:
      verify conform trace.ndjson --spec KeyValueStoreTrace.tla
      verify conform logs/*.ndjson --spec Traceetcdraft.tla --env JSON --format json
    """
    from verifier.conform.outcome import exit_code
    from verifier.conform.rendering import render_verdicts
    from verifier.processes.limits import Limits
    from verifier.processes.watching import Watched

    if not spec.endswith(".tla"):
        raise UsageError(f"{spec}: conform takes a TLA+ module that reads its log")
    module = _module(spec, variable, settings, max_states)
    verdicts = []
    for log in logs:
        with Watched(Limits(timeout).begun().check_time):
            verdicts.append(module.judge(log))
        note(f"{log}: {verdicts[-1].verdict}")
    code = exit_code(verdicts)
    if output_format == "json":
        print_json({"spec": spec, "exit_code": int(code), "logs": [one.as_object() for one in verdicts]})
    else:
        for line in render_verdicts(verdicts):
            say(line)
    return code


def _module(
    spec: str, variable: str | None, settings: tuple[str, ...], max_states: int | None
) -> TraceModule:
    from verifier.conform.trace_modules import TraceModule, choose_variable

    reading = reading_of(spec)
    name = choose_variable(Path(spec), reading.libraries, variable)
    return TraceModule(spec, name, parse_settings(settings), reading.config, reading.libraries, max_states)
