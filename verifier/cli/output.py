"""The destinations of results: standard output, files that are checked before the work, a console of the
right width."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifier.cli.parameters import one_of
from verifier.cli.paths import FileToWrite, check_no_code, writes
from verifier.errors import UsageError
from verifier.files import check_replaceable, reason_of, replace_file
from verifier.printable import json_text, printable
from verifier.processes.interrupts import answering, hold_interrupts

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

FORMATS = ("text", "json")
_QUIET = "verifier.cli.quiet"
PLAIN_WIDTH = 120
"""The width of lines where they do not go to a terminal."""

format_option = click.option(
    "--format",
    "output_format",
    type=one_of(FORMATS),
    default="text",
    help="Text, or one JSON object.",
)

html_option = click.option(
    "--html",
    type=FileToWrite(),
    metavar="FILE",
    help="Write a report with the counterexample explorer, as one HTML file.",
)


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    written = json_text(value)
    with hold_interrupts(), answering():
        click.echo(written)
        sys.stdout.flush()


def say(words: str, *, err: bool = False) -> None:
    """Print a line on standard output, or standard error. Its text may come from anyone's file."""
    click.echo(printable(words), err=err)


def note(words: str) -> None:
    """A line on standard error that ``--quiet`` leaves out: what begins, how far it is, where files are."""
    if not is_quiet():
        say(words, err=True)


def be_quiet(context: click.Context) -> None:
    """Leaves notes out from now on, in this run of the command line."""
    context.meta[_QUIET] = True


def is_quiet() -> bool:
    """True if ``--quiet`` was given."""
    context = click.get_current_context(silent=True)
    return context is not None and _QUIET in context.meta


def console(*, stderr: bool = False) -> Console:
    """Return a console as wide as the terminal, or of a fixed width if there is none."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PLAIN_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def print_lines(target: Console, lines: Iterable[RenderableType]) -> None:
    """Prints what a report is made of; its lines fit already."""
    for line in lines:
        with hold_interrupts():
            target.print(_printable(line), soft_wrap=True)


def _printable(line: RenderableType) -> RenderableType:
    """The line with what would steer the terminal escaped; its styles stay."""
    from rich.text import Text

    if isinstance(line, str):
        return printable(line)
    if not isinstance(line, Text) or printable(line.plain) == line.plain:
        return line
    parts = line.divide(range(1, len(line.plain)))
    for part in parts:
        part.plain = printable(part.plain)
    return Text("", line.style).join(parts)


def check_writable(option: str, path: Path) -> None:
    """Raise UsageError if a file could not or must not be written there. An existing file stays as it is."""
    with _report_refusal(option, path):
        writes(option, path)
        check_no_code(option, path)
        check_replaceable(path)


def write(option: str, path: Path, content: str | bytes) -> None:
    """Write a file whole, or leave the old one. Raises UsageError if that became impossible since the
    check."""
    with _report_refusal(option, path):
        writes(option, path)
        with hold_interrupts():
            replace_file(path, content)


@contextmanager
def _report_refusal(option: str, path: Path) -> Iterator[None]:
    """Report in one line if the system refuses to write a file."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{option} {path} cannot be written: {reason_of(error)}") from None
