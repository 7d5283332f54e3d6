"""``verify simulate``: the options; ``verifier.cli.simulate_run`` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from verifier.cli.deadlock import deadlock_option
from verifier.cli.output import format_option, html_option
from verifier.cli.parameters import Count, Duration
from verifier.cli.specs import named_spec, parse_settings, spec_options
from verifier.runs.expect import EXPECT_HELP

_PROPERTY_HELP = (
    "What to check on the way; may be repeated. 'all' is all of them, 'none' is none. "
    "[default: what the spec checks by default]"
)
_HISTOGRAM_HELP = (
    "Count the values of an expression in the last states; may be repeated. It is Python over variables of "
    "the state, constants, methods of the protocol (with s for the state), + - < <= == != & | ~ [ ], forall, "
    "exists, count, if_, minimum, maximum."
)
_COUNT_HELP = "Count how often this action is taken in an execution; may be repeated."
_TRACE_HELP = "Write the counterexample as ITF JSON, for verify replay."


@click.command("simulate")
@spec_options
@click.option("--property", "properties", multiple=True, metavar="NAME", help=_PROPERTY_HELP)
@deadlock_option
@click.option("--walks", type=Count(), default=10_000, show_default=True, help="How many executions.")
@click.option("--depth", type=Count(), default=100, show_default=True, help="The most actions of one.")
@click.option("--seed", type=Count(), default=0, show_default=True, help="Same seed, same executions.")
@click.option("--histogram", multiple=True, metavar="EXPR", help=_HISTOGRAM_HELP)
@click.option("--count-action", multiple=True, metavar="ACTION", help=_COUNT_HELP)
@click.option("--timeout", type=Duration(), help="End after this time: 90, 90s, 2m, 1h.")
@format_option
@html_option
@click.option(
    "--full", is_flag=True, help="Show whole states, changes marked by a star, instead of changes only."
)
@click.option("--trace-out", type=click.Path(path_type=Path), metavar="FILE", help=_TRACE_HELP)
@click.option("--expect", multiple=True, metavar="VERDICT", help=EXPECT_HELP)
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
