"""``verify simulate``: the options; ``verifier.cli.simulate_run`` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from verifier.cli.engine_options import (
    deadlock_option,
    expect_option,
    full_option,
    property_option,
    trace_option,
)
from verifier.cli.output import format_option, html_option
from verifier.cli.parameters import Count, Duration
from verifier.cli.specs import named_spec, parse_settings, spec_options

_HISTOGRAM_HELP = (
    "Count the values of an expression in the last states; may be repeated. It is Python over variables of "
    "the state, constants, methods of the protocol (with s for the state), + - < <= == != & | ~ [ ], forall, "
    "exists, count, if_, minimum, maximum."
)
_COUNT_HELP = "Count how often this action is taken in an execution; may be repeated."


@click.command("simulate")
@spec_options
@property_option("What to check on the way", "'all' is all of them, 'none' is none")
@deadlock_option
@click.option("--walks", type=Count(), default=10_000, show_default=True, help="How many executions.")
@click.option("--depth", type=Count(), default=100, show_default=True, help="The most actions of one.")
@click.option("--seed", type=Count(), default=0, show_default=True, help="Same seed, same executions.")
@click.option("--histogram", multiple=True, metavar="EXPR", help=_HISTOGRAM_HELP)
@click.option("--count-action", multiple=True, metavar="ACTION", help=_COUNT_HELP)
@click.option("--timeout", type=Duration(), help="End after this time: 90, 90s, 2m, 1h.")
@format_option
@html_option
@full_option
@trace_option
@expect_option
def command(
    spec_option: str | None,
    spec_argument: str | None,
    settings: tuple[str, ...],
    output_format: str,
    full: bool,
    trace_out: Path | None,
    html: Path | None,
    **rest: Any,
) -> int:
    """Run random executions: check properties on the way, and count.

    Each step is chosen evenly among what is enabled. An execution ends where nothing can happen, at a
    violation, or at DEPTH. Finding no violation proves nothing: the verdict is then INCONCLUSIVE (exit
    code 12).

    \b
    Examples:
      verify simulate --spec kip101 --walks 100000
      verify simulate --spec rabbit-sac --property none --count-action Release
      verify simulate --spec rabbit-sac --property none --histogram "active_count(s, 'a1')"
    """
    from verifier.cli.running import Shown
    from verifier.cli.simulate_run import run
    from verifier.runs.options import SimulateOptions

    spec = named_spec(spec_option, spec_argument)
    shown = Shown(output_format, full, trace_out, html)
    return run(spec, parse_settings(settings), SimulateOptions(**rest), shown)
