"""``verify conform``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifier.cli.output import check_writable, format_option, note, print_json, say, write
from verifier.cli.parameters import DURATION
from verifier.cli.paths import FileToRead, FileToWrite, SpecName
from verifier.cli.specs import SPEC_HELP, parse_settings, reading_of, reading_options, set_option
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.conform.machine import Machine
    from verifier.conform.outcome import LogVerdict

_MAP_HELP = "A file that says which event is which action, and which field is which parameter or variable."
_DRAFT_HELP = "Print a proposal of such a file, from the names in the first log and in the specification."
_ENV_HELP = (
    "A module that reads its log: the environment variable with the log's path. [default: the one that the "
    "module reads with IOEnv]"
)
_STATES_HELP = (
    "Leave a log undecided if more states agree with it at some line; of a module that reads its log, if it "
    "has more states. [default: 20000 with --map]"
)
_HTML_HELP = "Write a page with the log's lines beside the states, and why no step fits, as one HTML file."


@click.command("conform")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=FileToRead())
@click.option("--spec", type=SpecName(), metavar="SPEC", required=True, help=SPEC_HELP)
@click.option("--map", "mapping", type=FileToRead(), metavar="FILE", help=_MAP_HELP)
@click.option("--draft", is_flag=True, help=_DRAFT_HELP)
@click.option("--env", "variable", metavar="NAME", help=_ENV_HELP)
@click.option("--max-states", type=click.IntRange(min=1), metavar="N", help=_STATES_HELP)
@click.option("--timeout", type=DURATION, help="Leave a log undecided after this time: 90, 90s, 2m, 1h.")
@click.option("--html", type=FileToWrite(), metavar="FILE", help=_HTML_HELP)
@set_option
@reading_options
@format_option
def command(
    logs: tuple[Path, ...],
    spec: str,
    mapping: Path | None,
    draft: bool,
    variable: str | None,
    max_states: int | None,
    timeout: float | None,
    html: Path | None,
    settings: tuple[str, ...],
    output_format: str,
) -> int:
    """Say of recorded executions whether the specification allows them, and if not, where and why.

    With --map, a log is ndjson, a JSON array, or CSV (FILE.csv), and a file says what its events mean.
    Without, the specification is a TLA+ module that reads its log itself, as modules do that validate traces
    with TLC: from the file that an environment variable names. docs/conform.md begins both.

    Exit code 0: all logs are accepted; 10: some log is rejected; 12: some log is undecided; 2: wrong usage.

    \b
    Examples:
      verify conform run.ndjson --spec Counter.tla --draft
      verify conform logs/*.ndjson --spec protocol.py --map counter.toml
      verify conform trace.ndjson --spec KeyValueStoreTrace.tla --format json
      verify conform run.ndjson --spec Counter.tla --map counter.toml --html run.html
    """
    from verifier.conform.outcome import exit_code
    from verifier.conform.rendering import render_verdicts
    from verifier.processes.limits import Limits
    from verifier.processes.watching import Watched

    if draft:
        return _draft(logs[0], spec, parse_settings(settings))
    if html is not None:
        check_writable("--html", html)
    judge = _judge(spec, mapping, variable, parse_settings(settings), max_states)
    verdicts = []
    for log in logs:
        with Watched(Limits(timeout).begun().check_time):
            verdicts.append(judge(log))
        note(f"{log}: {verdicts[-1].verdict}")
    code = exit_code(verdicts)
    if html is not None:
        _write_page(html, spec, logs, mapping, settings, verdicts)
    if output_format == "json":
        print_json({"spec": spec, "exit_code": int(code), "logs": [one.as_object() for one in verdicts]})
    else:
        for line in render_verdicts(verdicts):
            say(line)
    return code


def _write_page(
    html: Path,
    spec: str,
    logs: Sequence[Path],
    mapping: Path | None,
    settings: Sequence[str],
    verdicts: Sequence[LogVerdict],
) -> None:
    from verifier.report.log_page import logs_as_html

    words = ["verify", "conform", *map(str, logs), "--spec", spec]
    words += ["--map", str(mapping)] if mapping is not None else []
    words += [word for one in settings for word in ("--set", one)]
    write("--html", html, logs_as_html(Path(spec).name, shlex.join(words), verdicts))
    note(f"the page is in {html}")


def _draft(log: Path, spec: str, settings: dict[str, str]) -> int:
    from verifier.conform.drafting import draft_mapping
    from verifier.conform.logs import read_log

    for line in draft_mapping(_machine(spec, settings), read_log(log)):
        say(line)
    return 0


def _judge(
    spec: str, mapping: Path | None, variable: str | None, settings: dict[str, str], max_states: int | None
) -> Callable[[Path], LogVerdict]:
    """Return the function that judges a log."""
    if mapping is not None:
        from verifier.conform.mapping import constants_of, read_mapping
        from verifier.conform.search import MOST_STATES, Search

        if variable is not None:
            raise UsageError("--env is for a module that reads its log, and --map for one that does not")
        machine = _machine(spec, {**constants_of(mapping), **settings})
        mapped = read_mapping(mapping, machine.actions, machine.variables)
        return Search(machine, mapped, max_states or MOST_STATES).judge

    from verifier.conform.trace_modules import TraceModule, choose_variable

    if not spec.endswith(".tla"):
        raise UsageError(f"{spec} does not read logs: give --map FILE, which --draft proposes")
    reading = reading_of(spec)
    name = choose_variable(Path(spec), reading.libraries, variable)
    module = TraceModule(spec, name, settings, reading.config, reading.libraries, max_states)
    return module.judge


def _machine(spec: str, settings: dict[str, str]) -> Machine:
    """Load a specification for the search over logs."""
    reading = reading_of(spec)
    if spec.endswith(".tla"):
        from verifier.conform.modules import ModuleMachine
        from verifier.runs.modules.loading import load as load_module

        return ModuleMachine(load_module(spec, settings, reading.config, reading.libraries))
    from verifier.conform.protocols import ProtocolMachine
    from verifier.runs.loading import load

    return ProtocolMachine(load(spec, settings).definition)
