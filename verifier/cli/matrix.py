"""``verify matrix``: the cells of a manifest as JSON for a CI matrix."""

from __future__ import annotations

from pathlib import Path

import click

from verifier.cli.ci import MANIFEST
from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import check_writable, note, say, write
from verifier.cli.parameters import POSITIVE
from verifier.cli.paths import FileToWrite
from verifier.errors import UsageError
from verifier.printable import json_text
from verifier.processes.cores import cores
from verifier.verdict import ExitCode

_GROUPS_HELP = (
    "At most this many entries, which take about the same time each. [default: one entry for "
    "each cell, but at most 256]"
)


@click.command("matrix", cls=GroupedCommand)
@MANIFEST
@click.option("--groups", type=POSITIVE, help=_GROUPS_HELP)
@click.option("--html", type=FileToWrite(), metavar="FILE", help="Write a page of the jobs as well.")
def command(manifest: Path, groups: int | None, html: Path | None) -> int:
    """Print the cells of MANIFEST as JSON for a CI matrix, as GitHub's fromJSON takes it.

    Each entry has group, cell, spec, engine and seconds. A job runs the cells of an entry with: verify ci
    MANIFEST --cell CELL. The exit code is 14 if verify check decides a property by default, and no cell
    expects a verdict on it. No single job can detect this.

    \b
    Examples:
      verify matrix verify.toml
      verify matrix verify.toml --groups 8 --html jobs.html
    """
    from verifier.ci.check import find_uncovered
    from verifier.ci.manifest import read_manifest
    from verifier.ci.matrix import MOST_GROUPS, matrix
    from verifier.ci.work import survey
    from verifier.processes.interrupts import terminable

    if html is not None:
        check_writable("--html", html)
    content = read_manifest(manifest)
    if groups is not None and groups > MOST_GROUPS:
        raise UsageError(f"--groups {groups} is not allowed: it takes an integer from 1 to {MOST_GROUPS}")
    with terminable():
        known = survey(content.cells, cores())
    missing = [check for _, _, check in find_uncovered(content.cells, known)]
    for check in missing:
        say(f"FAIL  manifest: {check.surprise}", err=True)
    if missing and html is not None:
        note(f"there is no matrix, so {html} is not written")
    if missing:
        return ExitCode.worst(check.exit_code for check in missing)
    entries = matrix(content.cells, groups or MOST_GROUPS)
    click.echo(json_text(entries, indent=None))
    if html is not None:
        from verifier.report.cells import report_planned_jobs
        from verifier.report.page import as_html

        write(
            "--html",
            html,
            as_html(report_planned_jobs(content.cells, entries, f"verify matrix: {manifest.name}")),
        )
        note(f"the page is in {html}")
    return 0
