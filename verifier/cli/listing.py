"""``verify list``."""

from __future__ import annotations

import click

from verifier.cli.output import format_option, print_json, say
from verifier.specs.built_in import BUILT_IN


@click.command("list", short_help="Name the built-in protocols.")
@format_option
def command(output_format: str) -> int:
    """Name the built-in protocols, with a line on each.

    \b
    Example:
      verify list --format json
    """
    if output_format == "json":
        specs = [{"spec": name, "description": protocol.summary} for name, protocol in BUILT_IN.items()]
        print_json({"specs": specs})
    else:
        width = max(map(len, BUILT_IN))
        for name, protocol in BUILT_IN.items():
            say(f"{name:<{width}}  {protocol.summary}")
    return 0
