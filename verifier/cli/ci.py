"""``verify ci``: the options; ``verifier.cli.ci_run`` does the work."""

from __future__ import annotations

from pathlib import Path

import click

from verifier.cli.output import format_option
from verifier.cli.parameters import POSITIVE
from verifier.cli.paths import FileToRead, FileToWrite

MANIFEST = click.argument("manifest", type=FileToRead(), metavar="MANIFEST")

_CELL_HELP = "Run this cell alone; may be repeated, or name several, joined by commas. [default: all cells]"
_JOBS_HELP = "How many cells run at a time. [default: as many as there are cores]"
_UPDATE_HELP = (
    "Write what is found into MANIFEST: spec hashes, verdicts, steps, depths. Comments stay. Review the "
    "difference before you commit it: from then on it is what is expected."
)


@click.command("ci")
@MANIFEST
@click.option("--cell", "cells", multiple=True, metavar="ID", help=_CELL_HELP)
@click.option("--jobs", type=POSITIVE, help=_JOBS_HELP)
@click.option("--junit", type=FileToWrite(), metavar="FILE", help="Write JUnit XML as well.")
@format_option
@click.option("--update", is_flag=True, help=_UPDATE_HELP)
def command(
    manifest: Path,
    cells: tuple[str, ...],
    jobs: int | None,
    junit: Path | None,
    output_format: str,
    update: bool,
) -> int:
    """Check what a project expects of its protocols, as written in MANIFEST (docs/ci.md).

    Each surprise is one line that says why: another verdict or length, a spec that changed since, a property
    that no cell covers, a run that decided nothing. The exit code is 0 if there is none, and else that of the
    worst verdict that was not expected, or 14 if it is not by its verdict that something surprises.

    \b
    Examples:
      verify ci verify.toml
      verify ci verify.toml --cell lock --cell lock-broken --junit results.xml
      verify ci verify.toml --update
    """
    from verifier.cli.ci_run import check, update_manifest

    names = [name.strip() for words in cells for name in words.split(",")]
    if update:
        return update_manifest(manifest, names, jobs, junit, output_format)
    return check(manifest, names, jobs, junit, output_format)
