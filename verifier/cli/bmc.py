"""``verify bmc``: the options; ``verifier.cli.bmc_run`` does the work."""

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
from verifier.cli.parameters import Count, Duration, OneOf, Size
from verifier.cli.paths import FileToWrite
from verifier.cli.specs import named_spec, parse_settings, spec_options
from verifier.solvers.names import SOLVER_NAMES

STEPS = ("auto", "parallel", "serial")

_SOLVER_HELP = "What solves. [default: z3 for parallel steps, cadical for serial ones]"
_SYMMETRY_HELP = "Of executions that differ only in the names of interchangeable elements, look at one."
_STEPS_HELP = (
    "Actions per step of the search. parallel finds violations fast, serial exhausts a depth fast, auto runs "
    "both side by side."
)
_TIMEOUT_HELP = "End building the question, and then the search, after this time: 90, 90s, 2m, 1h."


@click.command("bmc")
@spec_options
@property_option("What to check")
@click.option("--depth", type=Count(), help="The most actions of an execution. [default: the spec's]")
@click.option("--steps", type=OneOf("steps", STEPS), default="auto", show_default=True, help=_STEPS_HELP)
@click.option("--solver", type=OneOf("solver", SOLVER_NAMES), help=_SOLVER_HELP)
@click.option("--symmetry/--no-symmetry", default=True, show_default=True, help=_SYMMETRY_HELP)
@click.option(
    "--shortest", is_flag=True, help="Go on to a counterexample with the fewest actions, proven fewest."
)
@click.option("--timeout", type=Duration(), help=_TIMEOUT_HELP)
@click.option("--memory", type=Size(), help="End the search at this much memory: 512MiB, 2GiB.")
@click.option(
    "--seed",
    type=Count(),
    default=0,
    show_default=True,
    help="Vary the search; verdicts do not depend on it.",
)
@deadlock_option
@format_option
@html_option
@full_option
@trace_option
@click.option(
    "--dump-smt2",
    type=FileToWrite(),
    metavar="FILE",
    help="Write the question as SMT-LIB 2, for other solvers.",
)
@expect_option
def command(
    spec_option: str | None,
    spec_argument: str | None,
    settings: tuple[str, ...],
    output_format: str,
    full: bool,
    trace_out: Path | None,
    html: Path | None,
    dump_smt2: Path | None,
    **rest: Any,
) -> int:
    """Check properties in every execution of at most DEPTH actions.

    Progress goes to standard error, the result to standard output.

    \b
    Examples:
      verify bmc --spec kip320 --depth 12
      verify bmc --spec kip320-first-try --set replicas=4 --property StrongIsr --shortest
      verify bmc --spec my_protocol.py --timeout 5m --trace-out trace.itf.json
    """
    from verifier.cli.bmc_run import run
    from verifier.cli.running import Shown
    from verifier.runs.options import BmcOptions

    spec = named_spec(spec_option, spec_argument)
    shown = Shown(output_format, full, trace_out, html)
    return run(spec, parse_settings(settings), BmcOptions(**rest), shown, dump_smt2)
