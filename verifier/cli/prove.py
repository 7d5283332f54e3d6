"""``verify prove``: the options; ``verifier.cli.prove_run`` does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from verifier.cli.deadlock import deadlock_option
from verifier.cli.output import format_option, html_option
from verifier.cli.parameters import Duration, OneOf, Size
from verifier.cli.specs import named_spec, parse_settings, spec_options
from verifier.runs.expect import EXPECT_HELP
from verifier.solvers.names import SOLVER_NAMES

ENGINES = ("auto", "ic3", "kind")

_PROPERTY_HELP = (
    "What to prove; may be repeated. 'all' is all of them. [default: what the spec checks by default]"
)
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
_CERTIFICATE_HELP = (
    "Write the proof, for verify certify. Of several proved properties the first gets FILE; P.json becomes "
    "P.NAME.json for each other."
)
_TRACE_HELP = (
    "Write the counterexample as ITF JSON, for verify replay. Without a counterexample nothing is written."
)


@click.command("prove")
@spec_options
@click.option("--property", "properties", multiple=True, metavar="NAME", help=_PROPERTY_HELP)
@click.option("--engine", type=OneOf("engine", ENGINES), default="auto", show_default=True, help=_ENGINE_HELP)
@click.option("--solver", type=OneOf("solver", SOLVER_NAMES), help=_SOLVER_HELP)
@click.option("--lemmas/--no-lemmas", default=True, show_default=True, help=_LEMMAS_HELP)
@click.option("--certificate", type=click.Path(path_type=Path), metavar="FILE", help=_CERTIFICATE_HELP)
@click.option("--timeout", type=Duration(), help="End the search after this time: 90, 90s, 2m, 1h.")
@click.option("--memory", type=Size(), help="End the search at this much memory: 512MiB, 2GiB.")
@deadlock_option
@format_option
@html_option
@click.option("--full", is_flag=True, help="Show whole states of counterexamples, and the whole invariant.")
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
