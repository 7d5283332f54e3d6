"""The entry point of ``verify``."""

from __future__ import annotations

import logging
from textwrap import TextWrapper

import click

from verifier.cli.group import LazyGroup
from verifier.cli.parameters import one_of
from verifier.cli.streams import prepare_streams
from verifier.runs.table import ENGINES
from verifier.verdict import ExitCode
from verifier.version import UNKNOWN, tool_version

_COMMANDS = {
    "list": ("verifier.cli.listing:command", "Name the built-in protocols."),
    "show": ("verifier.cli.show:command", "Describe a protocol: constants, actions, properties, size."),
    **{name: ("verifier.cli.engine:engine_command", words) for name, (_, words) in ENGINES.items()},
    "certify": ("verifier.cli.certify:command", "Check a proof from its file, with another solver."),
    "replay": ("verifier.cli.replay:command", "Check a trace file against its protocol, without a solver."),
    "report": ("verifier.cli.report:command", "Report a run: text, Markdown, JSON, JUnit XML, or HTML."),
    "sweep": ("verifier.cli.sweep:command", "Run every combination of constants, properties and engines."),
    "ci": ("verifier.cli.ci:command", "Check what a project expects of its protocols."),
    "matrix": ("verifier.cli.matrix:command", "Print such expectations as jobs of a CI matrix."),
    "export": ("verifier.cli.export:command", "Write a protocol for other model checkers."),
}

_HELP = """Check replication protocols: every execution up to a depth, or a counterexample.

\b
Example:
  verify bmc --spec kip320-first-try --depth 12

\b
Exit codes, of several verdicts the worst:
"""
_LEVELS = ("debug", "info", "warning")
_MEANING = TextWrapper(88, subsequent_indent=" " * 6)


def _exit_codes() -> str:
    """What each exit code means, in the order of their numbers."""
    lines = (f"  {code:2}  {code.meaning}" for code in sorted(ExitCode))
    return "\n".join(line for words in lines for line in _MEANING.wrap(words))


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        version = tool_version()
        words = ", from a checkout that was not installed" if version == UNKNOWN else f" {version}"
        click.echo(f"verify{words}")
        context.exit()


@click.group(
    cls=LazyGroup,
    commands_at=_COMMANDS,
    help=f"{_HELP}{_exit_codes()}",
    context_settings={"max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
@click.option("--log", type=one_of("level", _LEVELS), help="Say on standard error what happens inside.")
def cli(log: str | None) -> None:
    """The group of all commands."""
    if log is not None:
        logging.basicConfig(format="%(relativeCreated)7d ms %(name)s: %(message)s")
        logging.getLogger("verifier").setLevel(log.upper())


def main() -> None:
    """Runs the command line and exits with its code."""
    prepare_streams()
    cli()
