"""``verify tests``."""

from __future__ import annotations

import time
from pathlib import Path

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import note, print_json, say
from verifier.cli.parameters import DURATION, POSITIVE, one_of
from verifier.cli.paths import SpecName
from verifier.cli.specs import find_named_spec, parse_settings, reading_of, reading_options, set_option
from verifier.errors import UsageError
from verifier.testing.requests import COVERS, MOST_STATES
from verifier.verdict import ExitCode

_COVER_HELP = (
    "What the executions cover: actions; instances (actions with their parameters); states; transitions; "
    "pairs (of actions, one directly after the other); or parts of guards: guards (true in a step), "
    "near-failures (the only false conjunct of a guard), near-violations (states in which only one conjunct "
    "of a guard prevents a step that violates an invariant). [default: transitions]"
)
_DEPTH_HELP = (
    "The largest number of actions in an execution. [default: 20, or as many as the farthest target needs]"
)
_OUT_HELP = "Write the executions into this folder, as ITF and as ndjson, with a mapping for verify conform."
_FORMAT_HELP = (
    "Text, or one JSON object, on standard output. With --out: pytest also writes a module that runs the "
    "executions against an adapter; hypothesis writes only a state machine, which makes executions when the "
    "tests run. An existing adapter is not overwritten."
)


@click.command("tests", cls=GroupedCommand)
@click.argument("spec_argument", type=SpecName(), metavar="[SPEC]", required=False)
@click.option("--spec", "spec_option", type=SpecName(), metavar="SPEC", hidden=True)
@click.option(
    "--cover", type=one_of(COVERS), metavar="WHAT", default="transitions", help=_COVER_HELP
)
@click.option("--depth", type=POSITIVE, help=_DEPTH_HELP)
@click.option("--count", type=POSITIVE, help="Make at most this many executions.")
@click.option(
    "--seed", type=int, default=0, metavar="N", help="Choose among equally good steps. [default: 0]"
)
@click.option(
    "--max-states",
    type=POSITIVE,
    default=MOST_STATES,
    help="Explore at most this many states. [default: 20000]",
)
@click.option("--timeout", type=DURATION, help="End after this time, with what was found: 90, 90s, 2m, 1h.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help=_OUT_HELP)
@set_option
@reading_options
@click.option(
    "--format",
    "output_format",
    type=one_of(("text", "json", "pytest", "hypothesis")),
    default="text",
    help=_FORMAT_HELP,
)
def command(
    spec_argument: str | None,
    spec_option: str | None,
    cover: str,
    depth: int | None,
    count: int | None,
    seed: int,
    max_states: int,
    timeout: float | None,
    out: Path | None,
    settings: tuple[str, ...],
    output_format: str,
) -> int:
    """Make a small set of executions that covers a specification, as tests of an implementation.

    The states are explored, and each execution is replayed before it is written. The same seed gives the same
    files, byte for byte. docs/tests.md shows how to test a real implementation.

    The exit code is 0 if each target is covered, or is impossible because the graph is complete. It is 12
    if some target is not covered, or states were left out, and 2 for wrong usage.

    \b
    Examples:
      verify tests Counter.tla --cover pairs
      verify tests protocol.py --out generated --format pytest
      verify tests protocol.py --out generated --format hypothesis
    """
    from verifier.processes.limits import Limits
    from verifier.runs.loading import load
    from verifier.testing.requests import SuiteRequest
    from verifier.testing.suites import make_suite, write_state_machine

    if output_format in ("pytest", "hypothesis") and out is None:
        raise UsageError(f"--format {output_format} needs --out DIR, the folder of its files")
    limits = Limits(timeout, since=time.monotonic())
    spec = find_named_spec(spec_option, spec_argument)
    given, reading = parse_settings(settings), reading_of(spec)
    loaded = load(spec, given, reading=reading)
    if output_format == "hypothesis" and out is not None:
        _name_files(out, write_state_machine(loaded, out, given, reading))
        return int(ExitCode.SUCCESS)
    request = SuiteRequest(cover, depth, count, seed, max_states, limits)
    suite = make_suite(loaded, request, note)
    if out is not None:
        _name_files(out, suite.write(out, output_format))
    if output_format == "json":
        print_json(suite.as_object())
        return int(suite.exit_code)
    for line in suite.render(shown=out is None):
        say(line)
    return int(suite.exit_code)


def _name_files(folder: Path, written: list[Path]) -> None:
    number = sum(path.name.endswith(".ndjson") for path in written)
    others = [str(path) for path in written if path.suffix in (".py", ".toml")]
    counted = f"{number} execution{'s' if number != 1 else ''}"
    executions = f"{counted} in {folder}, and " if number else ""
    note(f"wrote {executions}{', '.join(others)}")
