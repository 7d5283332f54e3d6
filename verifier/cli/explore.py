"""``verify explore``: the options; ``verifier.cli.explore_run`` does the work."""

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
from verifier.cli.parameters import Count, Duration, Size
from verifier.cli.paths import FileToWrite
from verifier.cli.specs import named_spec, parse_settings, spec_options

_KEEP_GOING_HELP = "Count all states, even when every property asked for is violated or reached before."
_SYMMETRY_HELP = (
    "Of states that differ only in the names of interchangeable elements, look at one. Counts are then of "
    "such classes; how many states they have is said too."
)
_MEMORY_HELP = "End at this much memory: 512MiB, 2GiB. [default: most of what the machine has free]"
_GRAPH_HELP = (
    "Write the states and steps as a graph, for small ones: .dot (Graphviz) or .graphml, by FILE's ending."
)


@click.command("explore")
@spec_options
@property_option("What to check")
@deadlock_option
@click.option("--keep-going", is_flag=True, help=_KEEP_GOING_HELP)
@click.option("--symmetry/--no-symmetry", default=False, show_default=True, help=_SYMMETRY_HELP)
@click.option("--max-states", type=Count(), help="End when there are more states than this.")
@click.option("--max-depth", type=Count(), help="Look no further than this many actions.")
@click.option("--timeout", type=Duration(), help="End after this time: 90, 90s, 2m, 1h.")
@click.option("--memory", type=Size(), help=_MEMORY_HELP)
@format_option
@html_option
@full_option
@click.option("--graph", type=FileToWrite(), metavar="FILE", help=_GRAPH_HELP)
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
    graph: Path | None,
    **rest: Any,
) -> int:
    """Look at every reachable state, breadth first, without a solver.

    Counts states and steps, says how often each action was enabled and taken, and gives each property's
    verdict with a shortest counterexample. Progress goes to standard error, the result to standard output.

    \b
    Examples:
      verify explore --spec kip320 --set max_leader_epoch=1
      verify explore --spec rabbit-sac --set queues=4 --symmetry --deadlock
      verify explore --spec my_protocol.py --max-states 1000000 --graph states.dot
    """
    from verifier.cli.explore_run import run
    from verifier.cli.running import Shown
    from verifier.runs.options import ExploreOptions

    spec = named_spec(spec_option, spec_argument)
    shown = Shown(output_format, full, trace_out, html)
    return run(spec, parse_settings(settings), ExploreOptions(**rest), shown, graph)
