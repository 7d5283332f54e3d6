"""Where results go: standard output, files that are checked before the work, a console of the right width."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifier.cli.parameters import OneOf
from verifier.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

FORMATS = ("text", "json")
PLAIN_WIDTH = 120
"""The width of lines where they do not go to a terminal."""

format_option = click.option(
    "--format",
    "output_format",
    type=OneOf("format", FORMATS),
    default="text",
    help="Text, or one JSON object.",
)

html_option = click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a report with the counterexample explorer, as one HTML file.",
)


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal, or of a fixed width where there is none."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PLAIN_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def print_lines(target: Console, lines: Iterable[RenderableType]) -> None:
    """Prints what a report is made of; its lines fit already."""
    for line in lines:
        target.print(line, soft_wrap=True)


def check_writable(option: str, path: Path) -> None:
    """Raises UsageError if a file could not be written there; leaves what is there as it is."""
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "it is a directory")
        if not path.exists():
            with tempfile.TemporaryFile(dir=path.parent):
                return
        if path.is_file():
            with path.open("ab"):
                return
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "permission denied")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{option} {path} cannot be written: {reason}") from None


def write(option: str, path: Path, content: str | bytes) -> None:
    """Writes a file, text as UTF-8. Raises UsageError if that became impossible since it was checked."""
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{option} {path} cannot be written: {reason}") from None
