"""``verify prove``: the options; ``verifier.cli.prove_run`` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from verifier.cli.engine_options import (
    certificate_option,
    deadlock_option,
    expect_option,
    property_option,
    trace_option,
)
from verifier.cli.output import format_option, html_option
from verifier.cli.parameters import Duration, OneOf, Size
from verifier.cli.specs import named_spec, parse_settings, spec_options
from verifier.solvers.names import SOLVER_NAMES

ENGINES = ("auto", "ic3", "kind")

_ENGINE_HELP = (
    "ic3 finds an invariant of its own, kind is k-induction, auto runs both with bounded model checking, "
    "which finds violations, and takes the first answer."
)
_SOLVER_HELP = (
    "What solves k-induction and bounded model checking. [default: cadical, z3] IC3 uses MiniSat; every "
    "proof is checked again by another solver."
)
_LEMMAS_HELP = (
    "Check the spec's lemmas first, and let IC3 search within those that are inductive; without them it "
    "finds the whole invariant by itself."
)


@click.command("prove")
@spec_options
@property_option("What to prove")
@click.option("--engine", type=OneOf("engine", ENGINES), default="auto", show_default=True, help=_ENGINE_HELP)
@click.option("--solver", type=OneOf("solver", SOLVER_NAMES), help=_SOLVER_HELP)
@click.option("--lemmas/--no-lemmas", default=True, show_default=True, help=_LEMMAS_HELP)
@certificate_option
@click.option("--timeout", type=Duration(), help="End the search after this time: 90, 90s, 2m, 1h.")
@click.option("--memory", type=Size(), help="End the search at this much memory: 512MiB, 2GiB.")
@deadlock_option
@format_option
@html_option
@click.option("--full", is_flag=True, help="Show whole states of counterexamples, and the whole invariant.")
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
    certificate: Path | None,
    **rest: Any,
) -> int:
    """Prove properties for all depths, or find executions that violate them.

    Progress goes to standard error, the result to standard output.

    \b
    Examples:
      verify prove --spec kip320 --property StrongIsr --certificate strong_isr.json
      verify prove --spec kip320 --property StrongIsr --engine ic3 --no-lemmas
      verify prove --spec kip320-first-try --property StrongIsr
      verify prove --spec my_protocol.py --engine kind --timeout 5m
    """
    from verifier.cli.prove_run import run
    from verifier.cli.running import Shown
    from verifier.runs.options import ProveOptions

    spec = named_spec(spec_option, spec_argument)
    shown = Shown(output_format, full, trace_out, html)
    return run(spec, parse_settings(settings), ProveOptions(**rest), shown, certificate)
