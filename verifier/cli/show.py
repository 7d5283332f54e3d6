"""``verify show``."""

from __future__ import annotations

import click

from verifier.cli.output import console, format_option, print_json, print_lines
from verifier.cli.specs import named_spec, parse_settings, spec_options


@click.command("show")
@spec_options
@format_option
def command(
    spec_option: str | None, spec_argument: str | None, settings: tuple[str, ...], output_format: str
) -> int:
    """Describe a protocol: constants, variables, actions, properties, and the size of its encoding.

    How one is written is in docs/language.md.

    \b
    Examples:
      verify show kip320
      verify show --spec my_protocol.py --set replicas=4 --format json
    """
    from verifier.runs.building import build_model
    from verifier.runs.loading import load

    spec = named_spec(spec_option, spec_argument)
    if spec.endswith(".tla"):
        from verifier.cli.tla import show_tla

        return show_tla(spec, settings, output_format)
    loaded = load(spec, parse_settings(settings))

    from verifier.report.description import describe, is_quickly_built
    from verifier.report.protocol import render_description

    definition = loaded.definition
    about = describe(definition, build_model(definition) if is_quickly_built(definition) else None)
    if output_format == "json":
        print_json(about)
    else:
        target = console()
        print_lines(target, render_description(about, target.width))
    return 0
