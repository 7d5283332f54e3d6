"""``verify list``."""

from __future__ import annotations

import click

from verifier.cli.output import format_option, print_json, say


@click.command("list", short_help="Name the built-in protocols.")
@format_option
def command(output_format: str) -> int:
    """Name the built-in protocols, with a line on each.

    \b
    Example:
      verify list --format json
    """
    from verifier.specs.registry import list_built_in

    found = [
        (name, (protocol.__doc__ or "").strip().partition("\n")[0]) for name, protocol in list_built_in()
    ]
    if output_format == "json":
        print_json({"specs": [{"spec": name, "description": words} for name, words in found]})
    else:
        width = max(len(name) for name, _ in found)
        for name, words in found:
            say(f"{name:<{width}}  {words}")
    return 0
