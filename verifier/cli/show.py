"""``verify show``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import console, format_option, print_json, print_lines, say
from verifier.cli.specs import find_named_spec, parse_settings, reading_of, spec_options

if TYPE_CHECKING:
    from verifier.runs.loaded import ReadingOptions


@click.command("show", cls=GroupedCommand)
@spec_options
@format_option
def command(
    spec_option: str | None, spec_argument: str | None, settings: tuple[str, ...], output_format: str
) -> int:
    """Describe a protocol: constants, variables, actions, properties, and the size of its encoding.

    docs/language.md describes how to write a protocol.

    \b
    Examples:
      verify show kip320
      verify show my_protocol.py --set replicas=4 --format json
      verify show TwoPhase.tla --config Small.cfg
    """
    from verifier.runs.building import build_model
    from verifier.runs.loaded import TLA
    from verifier.runs.loading import load

    spec = find_named_spec(spec_option, spec_argument)
    reading = reading_of(spec)
    if spec.endswith(TLA):
        return _show_module(spec, settings, reading, output_format)
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


def _show_module(spec: str, settings: Sequence[str], reading: ReadingOptions, output_format: str) -> int:
    """Describes a TLA+ module, whose sorts and actions are found out."""
    from verifier.runs.modules.describing import describe
    from verifier.runs.modules.loading import load
    from verifier.runs.modules.translating import description
    from verifier.text.tla import render_description

    module = load(spec, parse_settings(settings), reading.config, reading.libraries)
    for words in module.specification.warnings:
        say(words, err=True)
    about = describe(module) | description(module)
    if output_format == "json":
        print_json(about)
    else:
        target = console()
        print_lines(target, render_description(about, target.width))
    return 0
