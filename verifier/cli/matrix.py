"""``verify matrix``: the cells of a manifest as JSON for a CI matrix."""

from __future__ import annotations

from pathlib import Path

import click

from verifier.cli.ci import MANIFEST
from verifier.cli.parameters import POSITIVE

_GROUPS_HELP = (
    "At most so many entries: cells are put together so that all take about as long. [default: one entry for "
    "each cell, but at most 256]"
)


@click.command("matrix")
@MANIFEST
@click.option("--groups", type=POSITIVE, help=_GROUPS_HELP)
def command(manifest: Path, groups: int | None) -> int:
    """Print the cells of MANIFEST as JSON for a CI matrix, as GitHub's fromJSON takes it.

    Each entry has group, cell, spec, engine and seconds; it runs as verify ci MANIFEST --cell CELL. What no
    job of the matrix could notice is looked for here: a property that no cell covers ends it with 14.

    \b
    Examples:
      verify matrix verify.toml
      verify matrix verify.toml --groups 8
    """
    from verifier.cli.ci_run import print_matrix

    return print_matrix(manifest, groups)
