"""The entry point of ``verify``."""

from __future__ import annotations

import logging
import platform
from textwrap import TextWrapper

import click

from verifier.cli.group import LazyGroup
from verifier.cli.output import be_quiet
from verifier.cli.parameters import one_of
from verifier.cli.streams import prepare_streams
from verifier.runs.table import ENGINES
from verifier.solvers.solver_names import BACKENDS
from verifier.verdict import ExitCode
from verifier.version import UNKNOWN, tool_version

_COMMANDS = {
    "list": ("verifier.cli.listing:command", "Name the built-in protocols."),
    "show": ("verifier.cli.show:command", "Describe a protocol: constants, actions, properties, size."),
    **{name: ("verifier.cli.engine:engine_command", words) for name, (_, words) in ENGINES.items()},
    "certify": ("verifier.cli.certify:command", "Check a proof from its file, with another solver."),
    "replay": ("verifier.cli.replay:command", "Check a trace file against its protocol, without a solver."),
    "conform": ("verifier.cli.conform:command", "Check recorded executions against a specification."),
    "tests": ("verifier.cli.tests:command", "Make tests of an implementation from a specification."),
    "open": ("verifier.cli.open:command", "Walk through the states of a spec in the browser."),
    "watch": ("verifier.cli.watch:command", "Check a spec again when its files change."),
    "serve": ("verifier.cli.serve:command", "Answer requests of agents, editors and scripts."),
    "report": ("verifier.cli.report:command", "Report a run: text, Markdown, JSON, JUnit XML, or HTML."),
    "sweep": ("verifier.cli.sweep:command", "Run every combination of constants, properties and engines."),
    "ci": ("verifier.cli.ci:command", "Check the cells of a manifest: the verdicts that a project expects."),
    "matrix": ("verifier.cli.matrix:command", "Print the cells of a manifest as jobs of a CI matrix."),
    "export": ("verifier.cli.export:command", "Write a protocol for other model checkers."),
    "help": ("verifier.cli.help:command", "Show the help of a command."),
}

_HELP = """Check replication protocols: prove their properties, or show a counterexample.

A protocol is a TLA+ module with its configuration, as for TLC (docs/tla.md), or a Python class
(docs/tutorial.md). Some are built in (verify list). Begin with verify check.

\b
Examples:
  verify check kip320
  verify check TwoPhase.tla --config Small.cfg
  verify bmc kip320-first-try --depth 12

\b
Exit codes (with several verdicts, the worst one counts):
"""
_LEVELS = ("debug", "info", "warning")
_MEANING = TextWrapper(78, subsequent_indent=" " * 6)


def _exit_codes() -> str:
    """The meaning of each exit code, in order."""
    lines = (f"  {code:2}  {code.meaning}" for code in sorted(ExitCode))
    return "\n".join(line for words in lines for line in _MEANING.wrap(words))


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        version = tool_version()
        words = ", from a checkout that was not installed" if version == UNKNOWN else f" {version}"
        click.echo(f"verify{words}")
        click.echo(f"Python {platform.python_version()}")
        for name, solver in BACKENDS.items():
            click.echo(f"{name} {solver.version if solver.is_installed else 'is not installed'}")
        context.exit()


def _keep_quiet(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        be_quiet(context)


def _be_verbose(_: click.Context, __: click.Parameter, wanted: bool) -> None:
    if wanted:
        _log("info")


def _log(level: str) -> None:
    logging.basicConfig(format="%(relativeCreated)7d ms %(name)s: %(message)s")
    logging.getLogger("verifier").setLevel(level.upper())


_EVERYWHERE = (
    click.Option(
        ["--quiet"],
        is_flag=True,
        expose_value=False,
        callback=_keep_quiet,
        help="Print only errors and warnings on standard error.",
    ),
    click.Option(
        ["--verbose"],
        is_flag=True,
        expose_value=False,
        callback=_be_verbose,
        help="Log what verify is doing to standard error; short for verify --log info.",
    ),
)


@click.group(
    "verify",
    cls=LazyGroup,
    commands_at=_COMMANDS,
    everywhere=_EVERYWHERE,
    help=f"{_HELP}{_exit_codes()}",
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the versions of verify, Python and the solvers.",
)
@click.option("--log", type=one_of(_LEVELS), help="Log what verify is doing to standard error.")
def cli(log: str | None) -> None:
    """The group of all commands."""
    if log is not None:
        _log(log)


def main() -> None:
    """Runs the command line and exits with its code."""
    prepare_streams()
    cli()
